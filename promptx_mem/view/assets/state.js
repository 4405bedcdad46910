// What is asked for: view, words, filters, order, the open memory; kept in the address behind #, so that Back works.

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

// Change what is asked for. `step`: a place that Back returns to.
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

// How well a memory answers the words asked for, 0 where it does not; null where nothing is asked for.
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

// What a memory has to meet, without what nobody asks for.
function checks() {
  const out = asked.state === "all" ? [] : [hasState];
  for (const key of CHOICES) if (key !== "state" && asked[key]) out.push((at) => has(key, at));
  if (asked.from || asked.to) out.push(timeTest());
  if (asked.view === "review") out.push((at) => value("review", at));
  if (asked.view === "fading") out.push((at) => value("lives", at) && value("ends", at) !== null);
  return out;
}

// The numbers of the memories that meet everything, in order.
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
