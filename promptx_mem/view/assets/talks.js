// Conversations and refusals, which are here only where they were asked for.

function drawTalks(view) {
  if (!DATA.conversations.length) return void view.append(empty("emptyTalks", "converse --role user 'what was said'"));
  for (const part of DATA.conversations) {
    const heading = part.summary || say("waits");
    const messages = make("ol", { class: "messages" });
    const details = make("details", { on: { toggle: () => {
      if (details.open && !messages.firstChild) messages.append(...part.messages.map(message));
    } } }, make("summary", {}, make("span", { dir: "auto" }, heading), make("span", { class: "dim" },
      ` · ${part.at ? ago(Date.parse(part.at), NOW) : ""} · ${say("messages", { n: part.messages.length })}`)), messages);
    view.append(details);
  }
}

function message(one) {
  return make("li", { class: one.role }, make("span", { class: "dim" }, `${term(one.role)} `,
    one.at ? moment(Date.parse(one.at)) : null), make("p", { dir: "auto" }, one.text));
}

function drawRefusals(view) {
  if (!DATA.refusals.length) return void view.append(empty("emptyRefusals"));
  const columns = ["when", "command", "verdict", "because", "score"];
  view.append(make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": say("refusals") }, make("table", {},
    make("thead", {}, make("tr", {}, columns.map((key) => make("th", { scope: "col" }, say(key))))),
    make("tbody", {}, DATA.refusals.map((record) => make("tr", {},
      make("td", {}, record.at ? moment(Date.parse(record.at)) : ""), make("td", {}, record.command || ""),
      make("td", {}, record.violation ? `${record.verdict || ""} · ${say("violation")}` : record.verdict || ""),
      make("td", { dir: "auto" }, record.why || ""),
      make("td", { class: "number" }, record.score === null ? "" : record.score.toFixed(1))))))));
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
