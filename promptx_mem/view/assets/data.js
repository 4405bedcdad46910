// The page's data. A field is one column: a value for each memory, numbers of a few values, or one value for all.

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

// Return the number of the memory with an id; undefined if it is not on the page.
const PLACES = new Map();

function placeOf(id) {
  for (let at = PLACES.size; at < TOTAL; at++) PLACES.set(name(value("id", at), at), at);
  return PLACES.get(id);
}

// Return the page's name of a memory. Memories of two stores can have the same id.
function name(id, at) {
  const scope = value("scope", at);
  return scope === DATA.scope ? id : `${scope}/${id}`;
}

// Return a shell command for the store of a scope.
function commandLine(rest, scope = DATA.scope) {
  const [before, after] = DATA.commands[scope];
  return `${before} ${rest}${after}`;
}

// Return a time in milliseconds; NaN if there is none.
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

// Return how a memory ended, or "living".
function state(at) {
  return value("lives", at) ? "living" : value("end", at) || "ended";
}

// Fold the text, tags, topic and id of all memories, in small portions while the page is idle.
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

// Return each value of a field with its number of memories, the most frequent first.
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

// Create an element. Text becomes text nodes, never markup.
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

// The state: view, words, filters, order and open memory. It is in the address after #, so that Back works.

const DEFAULTS = {
  view: "list", q: "", tag: "", topic: "", type: "", category: "", scope: "", origin: "", state: "living",
  time: "noted", from: "", to: "", sort: "", id: "", lang: "",
};
const CHOICES = ["tag", "topic", "type", "category", "scope", "origin", "state"];
const FIELD = { tag: "tags" };
const ENDS = ["superseded", "forgotten", "deleted", "faded", "expired"];
const TIME_KINDS = ["noted", "used", "fades"];
const SORTS = ["place", "newest", "oldest", "ends", "importance"];
const NONE = "\u0000none";

const asked = { ...DEFAULTS };

function isAsked(key) {
  return asked[key] !== DEFAULTS[key];
}

function narrows() {
  return [...CHOICES, "q", "from", "to"].some(isAsked);
}

function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(DEFAULTS)) asked[key] = parameters.get(key) ?? DEFAULTS[key];
  if (!VIEWS.some((view) => view.name === asked.view)) asked.view = DEFAULTS.view;
  if (!TIME_KINDS.includes(asked.time)) asked.time = DEFAULTS.time;
  if (!SORTS.includes(asked.sort)) asked.sort = DEFAULTS.sort;
  for (const key of ["from", "to"]) if (!/^\d{4,6}-\d\d-\d\d$/.test(asked[key])) asked[key] = "";
  if (Object.hasOwn(WORDS, asked.lang)) language = asked.lang;
}

function address() {
  const parameters = new URLSearchParams();
  for (const key of Object.keys(DEFAULTS)) if (isAsked(key)) parameters.set(key, asked[key]);
  return `#${parameters}`;
}

// Change the state. With `step`, Back returns to the state before.
function ask(changes, { step = false } = {}) {
  Object.assign(asked, changes);
  const next = address();
  if (next !== (location.hash || "#")) {
    if (step) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  }
  show();
}

function has(key, at) {
  const wanted = asked[key];
  if (wanted === "") return true;
  const one = value(FIELD[key] || key, at);
  if (wanted === NONE) return one === null || one.length === 0;
  if (key === "topic") return one !== null && (one === wanted || one.startsWith(`${wanted}->`));
  return Array.isArray(one) ? one.includes(wanted) : one === wanted;
}

function hasState(at) {
  if (asked.state === "ended") return !value("lives", at);
  return state(at) === asked.state;
}

function dayOf(text, plus) {
  const [year, month, day] = text.split("-").map(Number);
  return new Date(year, month - 1, day + plus).getTime();
}

function timeTest() {
  const first = asked.from ? dayOf(asked.from, 0) : -Infinity;
  const last = asked.to ? dayOf(asked.to, 1) : Infinity;
  const within = (moment) => moment >= first && moment < last;
  if (asked.time === "used") return (at) => uses(at).some(within);
  const key = asked.time === "fades" ? "ends" : "noted";
  return (at) => within(time(key, at));
}

// Return the score of a memory for the words; 0 for no match, null without words.
function rater() {
  if (!asked.q) return null;
  const engine = searching();
  const tags = [];
  const plain = [];
  for (const word of asked.q.split(/\s+/)) {
    const tag = /^[#＃](.+)$/.exec(word);
    if (tag) tags.push(engine.fold(tag[1]));
    else plain.push(word);
  }
  const words = engine.ask(plain.join(" "));
  if (!tags.length && !words.length) return null;
  foldSome(TOTAL);
  return (at) => {
    const own = tags.length ? value("tags", at).map(engine.fold) : [];
    if (!tags.every((tag) => own.some((one) => one.startsWith(tag)))) return 0;
    return words.length ? engine.rate(FOLDED[at], words) : 1;
  };
}

// Return the conditions that are set.
function checks() {
  const out = asked.state === "all" ? [] : [hasState];
  for (const key of CHOICES) if (key !== "state" && asked[key]) out.push((at) => has(key, at));
  if (asked.from || asked.to) out.push(timeTest());
  if (asked.view === "review") out.push((at) => value("review", at));
  if (asked.view === "fading") out.push((at) => value("lives", at) && value("ends", at) !== null);
  return out;
}

// Return the numbers of the matching memories, in order.
function matches() {
  const out = [];
  const rating = rater();
  const quality = rating && new Float64Array(TOTAL);
  const tests = checks();
  for (let at = 0; at < TOTAL; at++) {
    if (!tests.every((test) => test(at))) continue;
    if (rating && !(quality[at] = rating(at))) continue;
    out.push(at);
  }
  return ordered(out, quality);
}

const last = (number) => (Number.isNaN(number) || number === null ? Infinity : number);
const ORDERS = {
  place: (at) => at,
  newest: (at) => -time("noted", at),
  oldest: (at) => time("noted", at),
  ends: (at) => last(time("ends", at)),
  importance: (at) => -value("importance", at),
};

function ordered(rows, quality) {
  const name = asked.sort || (asked.view === "fading" ? "ends" : quality ? "best" : "place");
  if (name === "place") return rows; // as the program has put them
  const by = name === "best" ? (at) => -quality[at] : ORDERS[name];
  const keys = new Float64Array(TOTAL);
  for (const at of rows) {
    keys[at] = by(at);
  }
  const less = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  return rows.sort((a, b) => less(keys[a], keys[b]) || a - b);
}
