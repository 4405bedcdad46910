// One memory whole: its text, why it stands where it does, what it replaced, what happened, commands to copy.

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

// A memory of the same store as another.
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

// A line for the shell with the button that copies it.
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
