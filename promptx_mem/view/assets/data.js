// What the page holds, as the program wrote it: a column a field; in it a value a memory, or the number of one of few
// values, or one value for all.

const DATA = JSON.parse(document.getElementById("data").textContent);
const COLUMNS = new Map(Object.entries(DATA.memories).map(([key, column]) => [key, reader(column)]));
const TOTAL = DATA.count;
const NOW = Date.now();
let search; // made when it is first needed

function searching() {
  search ??= makeSearch(DATA.search);
  return search;
}

function reader(column) {
  if (Array.isArray(column)) return (at) => column[at];
  const { words, of } = column;
  return words ? (at) => words[of[at]] : () => column.same;
}

function value(key, at) {
  return COLUMNS.get(key)(at);
}

// Where the memory of an id stands, undefined where it is not on the page.
const PLACES = new Map();

function placeOf(id) {
  for (let at = PLACES.size; at < TOTAL; at++) PLACES.set(name(value("id", at), at), at);
  return PLACES.get(id);
}

// An id as this page names it: in two stores one id may be two memories.
function name(id, at) {
  const scope = value("scope", at);
  return scope === DATA.scope ? id : `${scope}/${id}`;
}

// A command for the shell: what it does, in the store of that scope.
function commandLine(rest, scope = DATA.scope) {
  const [before, after] = DATA.commands[scope];
  return `${before} ${rest}${after}`;
}

// Milliseconds of a time, NaN where there is none.
function time(key, at) {
  const seconds = value(key, at);
  return seconds === null ? NaN : seconds * 1000;
}

const USES = new Set(["recalled", "boosted", "repeated", "kept", "verified", "promoted", "restored"]);

function uses(at) {
  const out = [];
  for (const event of value("events", at)) if (USES.has(event.e)) out.push(Date.parse(event.at));
  return out;
}

// Why it does not live, or "living".
function state(at) {
  return value("lives", at) ? "living" : value("end", at) || "ended";
}

// Folded text, tags, topic and id of every memory, made in small portions while nothing else is to do.
const FOLDED = [];

function foldSome(most) {
  const stop = Math.min(TOTAL, FOLDED.length + most);
  for (let at = FOLDED.length; at < stop; at++) {
    const words = `${value("text", at)}\n${value("tags", at).join("\n")}\n${value("topic", at) || ""}\n${value("id", at)}`;
    FOLDED.push(searching().fold(words));
  }
  return FOLDED.length < TOTAL;
}

function foldInIdle() {
  const idle = window.requestIdleCallback || ((work) => setTimeout(() => work({ timeRemaining: () => 8 }), 0));
  idle((left) => {
    let more = true;
    while (more && left.timeRemaining() > 2) more = foldSome(200);
    if (more) foldInIdle();
  });
}

// Each value of a field with the number of memories that have it, the most frequent first.
function tally(key) {
  const rows = new Map();
  for (let at = 0; at < TOTAL; at++) {
    const one = key === "state" ? state(at) : value(key, at);
    rows.set(one, (rows.get(one) || 0) + 1);
  }
  const counts = new Map();
  for (const [one, number] of rows) {
    for (const word of Array.isArray(one) ? one : [one]) counts.set(word, (counts.get(word) || 0) + number);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (String(a[0]) < String(b[0]) ? -1 : 1));
}

// Elements. Text becomes text nodes and nothing else ever becomes markup.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, one] of Object.entries(attributes)) {
    if (name === "on") for (const [kind, handler] of Object.entries(one)) element.addEventListener(kind, handler);
    else if (one === true) element.setAttribute(name, "");
    else if (one !== false && one !== null && one !== undefined) element.setAttribute(name, one);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function button(text, click, attributes = {}) {
  return make("button", { type: "button", on: { click }, ...attributes }, text);
}

function announce(text) {
  document.getElementById("live").textContent = text;
}
