// The topics as a tree, each with the active memories of it and of all below it.

function drawTopics(view) {
  const root = { name: "", path: "", own: 0, all: 0, below: new Map() };
  for (let at = 0; at < TOTAL; at++) {
    const topic = value("topic", at);
    if (!topic || !value("lives", at)) continue;
    let node = root;
    for (const name of topic.split("->")) {
      const path = node === root ? name : `${node.path}->${name}`;
      if (!node.below.has(name)) node.below.set(name, { name, path, own: 0, all: 0, below: new Map() });
      node = node.below.get(name);
      node.all++;
    }
    node.own++;
  }
  if (!root.below.size) {
    return void view.append(empty("emptyTopics", "remember 'a fact' '#tag' score:8 --topic 'project->deploy'"));
  }
  view.append(make("p", { class: "dim" }, say("topicsNote")), branch(root, "topics"));
}

function branch(node, kind) {
  const nodes = [...node.below.values()].sort((a, b) => b.all - a.all || (a.name < b.name ? -1 : 1));
  return make("ul", { class: kind }, nodes.map((child) => {
    const below = child.below.size ? branch(child, "branch") : null;
    const toggle = below ? button("▾", () => {
      below.hidden = !below.hidden;
      toggle.textContent = below.hidden ? "▸" : "▾";
      toggle.setAttribute("aria-expanded", String(!below.hidden));
      toggle.setAttribute("aria-label", say(below.hidden ? "open" : "shut", { what: child.name }));
    }, { class: "toggle", "aria-expanded": "true", "aria-label": say("shut", { what: child.name }) }) : null;
    const wanted = { ...DEFAULTS, lang: asked.lang, topic: child.path };
    return make("li", {}, make("div", { class: "topic" }, toggle || make("span", { class: "toggle" }),
      button(child.name, () => ask(wanted, { step: true }), { class: "link", dir: "auto" }),
      make("span", { class: "number" }, count(child.all))), below);
  }));
}

// What a page without a memory says: the store has none, or none was found for it.
function nothing() {
  return DATA.cues.length ? empty("emptyAsked", "recall") : empty("emptyStore", "remember 'a fact' '#tag' score:8");
}

// What an empty view says, with the command that would fill it.
function empty(key, rest = "") {
  const user = DATA.scope === "user" && rest.startsWith("remember") ? " --user" : "";
  const line = `${DATA.commands[DATA.scope][0]} ${rest}${user}`;
  return make("div", { class: "empty" }, make("p", {}, say(key)), rest ? command(line, say(key)) : null);
}
