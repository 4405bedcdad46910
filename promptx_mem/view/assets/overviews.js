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

// The timeline: for each month, or each day of a young memory, what was noted, used, and what ended or will fade.

const MONTHS_FROM = 62 * 86400000;

function drawTimeline(view) {
  const steps = new Map();
  let first = NOW;
  for (let at = 0; at < TOTAL; at++) first = Math.min(first, time("noted", at));
  const byDay = NOW - first < MONTHS_FROM;
  const note = (moment, column) => {
    if (Number.isNaN(moment)) return;
    const key = stepOf(moment, byDay);
    if (!steps.has(key)) steps.set(key, { noted: 0, used: 0, fades: 0 });
    steps.get(key)[column]++;
  };
  for (let at = 0; at < TOTAL; at++) {
    note(time("noted", at), "noted");
    note(time("ends", at), "fades");
    for (const step of new Set(uses(at).map((moment) => stepOf(moment, byDay)))) note(dayOf(firstDay(step), 0), "used");
  }
  if (!TOTAL) return void view.append(nothing());
  note(NOW, "nothing");
  const most = Math.max(1, ...[...steps.values()].flatMap((step) => TIME_KINDS.map((kind) => step[kind])));
  const rows = [...steps.keys()].sort().reverse().map((key) => timeRow(key, steps.get(key), most, byDay));
  view.append(make("p", { class: "dim" }, say("timelineNote")), make("table", { class: "timeline" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, say(byDay ? "dayColumn" : "month")),
      TIME_KINDS.map((kind) => make("th", { scope: "col" }, say(kind))))),
    make("tbody", {}, rows)));
  view.querySelector("tr.now").scrollIntoView({ block: "center" });
}

function stepOf(moment, byDay) {
  const date = new Date(moment);
  const two = (number) => String(number).padStart(2, "0");
  const month = `${String(date.getFullYear()).padStart(4, "0")}-${two(date.getMonth() + 1)}`;
  return byDay ? `${month}-${two(date.getDate())}` : month;
}

function firstDay(step) {
  return step.length > 7 ? step : `${step}-01`;
}

function lastDay(step) {
  if (step.length > 7) return step;
  const [year, month] = step.split("-").map(Number);
  return `${step}-${String(new Date(year, month, 0).getDate()).padStart(2, "0")}`;
}

function timeRow(key, step, most, byDay) {
  const format = { year: "numeric", month: "short", day: byDay ? "numeric" : undefined };
  const name = new Intl.DateTimeFormat(LOCALES[language], format).format(dayOf(firstDay(key), 0));
  const isNow = key === stepOf(NOW, byDay);
  return make("tr", { class: isNow ? "now" : null },
    make("th", { scope: "row" }, name, isNow ? make("span", { class: "mark" }, say("now")) : null),
    TIME_KINDS.map((kind) => make("td", { class: kind }, step[kind] ? amount(key, kind, step[kind], most, name) : "")));
}

function amount(key, kind, number, most, name) {
  const bar = make("span", { class: "bar", "aria-hidden": "true" }, make("span"));
  bar.firstChild.style.width = `${(100 * number) / most}%`;
  const wanted = { ...DEFAULTS, lang: asked.lang, state: "all", time: kind, from: firstDay(key), to: lastDay(key) };
  return [button(count(number), () => ask(wanted, { step: true }),
    { class: "number", "aria-label": `${count(number)} ${say(kind)}, ${name}` }), bar];
}
