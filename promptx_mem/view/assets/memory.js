// One memory in full: text, reasons for its rank, replaced memories, events, and commands to copy.

function drawMemory() {
  const panel = document.getElementById("memory");
  const at = asked.id ? placeOf(asked.id) : undefined;
  panel.hidden = at === undefined;
  document.body.classList.toggle("reading", at !== undefined);
  panel.replaceChildren();
  if (at === undefined) return;
  const text = value("text", at);
  const heading = make("h2", { id: "memory-name", tabindex: "-1", dir: "auto" }, firstWords(text));
  panel.setAttribute("aria-labelledby", "memory-name");
  panel.append(
    make("div", { class: "head" }, heading, button(say("back"), closeMemory, { class: "close" })),
    firstWords(text) === text ? "" : make("p", { class: "whole", dir: "auto" }, text),
    make("p", { class: "below" }, value("tags", at).map((tag) =>
      button(`#${tag}`, () => ask({ tag, view: "list", id: "" }, { step: true }), { class: "tag" }))),
    section("why", make("ul", {}, reasons(at).map((reason) => make("li", {}, reason)))),
    facts(at), replaced(at) || "", events(at), commands(at));
}

function firstWords(text) {
  const line = text.split("\n", 1)[0];
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

function closeMemory() {
  ask({ id: "" }, { step: true });
  LIST.focus();
}

function section(key, ...children) {
  return make("section", {}, make("h3", {}, say(key)), children);
}

function moment(milliseconds) {
  return make("time", { datetime: new Date(milliseconds).toISOString() },
    ago(milliseconds, NOW), make("span", { class: "dim" }, ` · ${exact(milliseconds)}`));
}

function reasons(at) {
  const out = [];
  if (at < DATA.living) {
    out.push(say("whyPlace", { n: at + 1, all: DATA.living }), say(`band${value("band", at)}`));
  } else out.push(say("whyEnded", { end: term(state(at)) }));
  out.push(say("whyBegan", { n: value("began", at).toFixed(2) }));
  if (value("lives", at)) {
    out.push(say("whyNow", { n: value("importance", at).toFixed(2) }));
    const pace = value("pace", at);
    if (pace === null) out.push(say("whySteady"));
    else out.push(say("whyPace", { percent: Math.round(100 * (1 - pace[0])), days: say("day", { n: pace[1] }) }));
  }
  if (value("review", at)) {
    out.push(say("whyReview", { what: say({ fading: "fadingReview", unscored: "unscoredReview" }[value("review", at)] || "promotion") }));
  }
  return out;
}

function facts(at) {
  const list = make("dl", {});
  const add = (key, content) => {
    if (content !== null && content !== "") list.append(make("dt", {}, say(key)), make("dd", { dir: "auto" }, content));
  };
  add("noted", moment(time("noted", at)));
  add("lastUsed", value("used", at) === null ? say("notYet") : moment(time("used", at)));
  const ends = time("ends", at);
  add(value("lives", at) ? "willEnd" : "endedAt", Number.isNaN(ends) ? say("never") : moment(ends));
  add("score", value("score", at).toFixed(1));
  add("importance", value("importance", at).toFixed(2));
  add("duration", term(value("duration", at)));
  for (const key of ["category", "type", "source", "origin", "scope"]) add(key, term(value(key, at) ?? ""));
  add("verified", say(value("verified", at) ? "yes" : "no"));
  for (const key of ["topic", "reason", "session"]) add(key, value(key, at));
  add("related", value("related", at).join(", "));
  const dims = value("dims", at);
  add("dims", dims ? dims.join(" · ") : null);
  add("id", value("id", at));
  return section("state", list);
}

// Return a memory of the same store.
function link(given, from) {
  const id = name(given, from);
  const at = placeOf(id);
  if (at === undefined) return make("span", {}, `${id} (${say("notHere")})`);
  return button(firstWords(value("text", at)), () => ask({ id }, { step: true }), { class: "link", dir: "auto" });
}

function replaced(at) {
  const before = new Set(value("supersedes", at) ? [value("supersedes", at)] : []);
  for (let other = 0; other < TOTAL; other++) {
    const same = value("scope", other) === value("scope", at);
    if (same && value("superseded_by", other).includes(value("id", at))) before.add(value("id", other));
  }
  const lines = [["supersedes", [...before]], ["supersededBy", value("superseded_by", at)]];
  if (lines.every(([, ids]) => !ids.length)) return null;
  return section("history", lines.filter(([, ids]) => ids.length).map(([key, ids]) =>
    make("div", {}, make("p", {}, say(key)), make("ul", {}, ids.map((id) => make("li", {}, link(id, at)))))));
}

function events(at) {
  const lines = [{ e: "stored", time: time("noted", at) }];
  for (const event of value("events", at)) lines.push({ ...event, time: Date.parse(event.at) });
  lines.sort((a, b) => a.time - b.time);
  return section("events", make("ol", { class: "events" }, lines.map((event) => {
    const more = [
      event.score === undefined ? "" : `${say("score")} ${event.score}`, (event.tags || []).map((tag) => `#${tag}`).join(" "),
      event.reason || "", event.host || "",
    ];
    return make("li", {}, moment(event.time), make("span", { dir: "auto" },
      ` ${[term(event.e), ...more.filter(Boolean)].join(" · ")}`));
  })));
}

function commands(at) {
  const id = value("id", at);
  const lines = [];
  const kind = value("review", at);
  if (kind) {
    lines.push(["cKeep", `review ${id} keep`], ["cDelete", `review ${id} delete`]);
    if (kind === "promotion") lines.unshift(["cPromote", `review ${id} promote`]);
  }
  if (value("lives", at)) {
    lines.push(["cBoost", `boost ${id}`], ["cVerify", `verify ${id}`], ["cEdit", `edit ${id}`], ["cForget", `forget ${id}`]);
  } else lines.push(["cRestore", `restore ${id}`]);
  lines.push(["cRecall", `recall ${id}`]);
  const scope = value("scope", at);
  const where = scope === "user" || commandLine("").includes("--memory-dir") ? "" : ` ${say("commandsPlace")}`;
  return section("commands", make("p", { class: "dim" }, say("commandsNote") + where),
    make("ul", { class: "commands" }, lines.map(([key, rest]) => make("li", {}, say(key), command(commandLine(rest, scope), say(key))))));
}

// Return a shell command with a button that copies it.
function command(line, what) {
  const copy = button(say("copy"), () => put(line, copy), { "aria-label": say("copyName", { what }) });
  return make("div", { class: "command" }, make("code", { dir: "ltr" }, line), copy);
}

function put(line, from) {
  const done = () => {
    from.textContent = say("copied");
    announce(`${say("copied")}: ${line}`);
  };
  const byHand = () => {
    const code = from.previousSibling;
    getSelection().selectAllChildren(code);
    if (document.execCommand("copy")) done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(line).then(done, byHand);
  else byHand();
}

// The tree of topics, each with the number of active memories in it and below it.

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

// Return the message of a page without memories.
function nothing() {
  return DATA.cues.length ? empty("emptyAsked", "recall") : empty("emptyStore", "remember 'a fact' '#tag' score:8");
}

// Return the message of an empty view, with a command that fills it.
function empty(key, rest = "") {
  const user = DATA.scope === "user" && rest.startsWith("remember") ? " --user" : "";
  const line = `${DATA.commands[DATA.scope][0]} ${rest}${user}`;
  return make("div", { class: "empty" }, make("p", {}, say(key)), rest ? command(line, say(key)) : null);
}

// The timeline: memories stored, used, ended and fading by month, or by day in a young store.

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
