// The list. Only visible rows are elements, so that 40,000 memories scroll fast.

const PRINTED = 2000;
const AROUND = 6;

function makeList(open) {
  const filler = make("div", { class: "filler" });
  const box = make("div", {
    class: "list", id: "list", role: "listbox", tabindex: "0",
    on: { scroll: () => requestAnimationFrame(draw), keydown: key, mousedown: (event) => event.preventDefault(), click, focus: () => mark(Math.max(active, 0)) },
  }, filler);
  const headings = make("div", { class: "headings", "aria-hidden": "true" });
  const frame = make("div", { class: "frame" }, headings, box);
  let rows = [];
  let active = -1;
  let height = 0;

  function set(next) {
    const was = active >= 0 ? rows[active] : undefined;
    rows = next;
    active = was === undefined ? -1 : rows.indexOf(was);
    if (active < 0) box.scrollTop = 0;
    box.setAttribute("aria-label", say(VIEWS.find((view) => view.name === asked.view).name));
    headings.replaceChildren(...["memory", "importance", timeShown()].map((key) => make("span", {}, say(key))));
  }

  // Fit rows and heights to the available space.
  function fit() {
    if (!box.isConnected) return;
    const probe = make("div", { class: "row" }, "\u00a0");
    filler.append(probe);
    height = probe.getBoundingClientRect().height || 56;
    probe.remove();
    filler.style.height = `${height * rows.length}px`;
    draw();
    headings.style.paddingInlineEnd = `calc(0.8rem + ${box.offsetWidth - box.clientWidth}px)`;
  }

  function draw() {
    const first = Math.max(0, Math.floor(box.scrollTop / height) - AROUND);
    const stop = Math.min(rows.length, Math.ceil((box.scrollTop + box.clientHeight) / height) + AROUND);
    const shown = [];
    for (let place = first; place < stop; place++) shown.push(row(place));
    if (active >= 0 && active < rows.length && (active < first || active >= stop)) shown.push(row(active));
    filler.replaceChildren(...shown);
    if (active >= 0) box.setAttribute("aria-activedescendant", `row-${active}`);
    else box.removeAttribute("aria-activedescendant");
  }

  function row(place) {
    const at = rows[place];
    const element = make("div", {
      class: value("lives", at) ? "row" : "row gone", role: "option", id: `row-${place}`,
      "aria-selected": place === active ? "true" : "false",
      "aria-setsize": rows.length, "aria-posinset": place + 1,
    }, ...cells(at));
    element.style.top = `${place * height}px`;
    return element;
  }

  function mark(place) {
    if (!rows.length) return;
    active = Math.max(0, Math.min(rows.length - 1, place));
    const top = active * height;
    if (top < box.scrollTop) box.scrollTop = top;
    if (top + height > box.scrollTop + box.clientHeight) box.scrollTop = top + height - box.clientHeight;
    draw();
  }

  function key(event) {
    const page = Math.max(1, Math.floor(box.clientHeight / height) - 1);
    const places = {
      ArrowDown: active + 1, ArrowUp: active - 1, PageDown: active + page, PageUp: active - page,
      Home: 0, End: rows.length - 1,
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in places) mark(places[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && active >= 0) open(rows[active]);
    else return;
    event.preventDefault();
  }

  function click(event) {
    const place = event.target.closest(".row")?.id.slice("row-".length);
    if (place === undefined) return;
    mark(Number(place));
    open(rows[active]);
  }

  // Print the first rows in full.
  function printed() {
    const some = rows.slice(0, PRINTED).map((at) => make("li", {}, ...cells(at)));
    const cut = rows.length > PRINTED ? make("p", {}, say("cut", { n: PRINTED })) : null;
    return make("div", { class: "printed" }, cut, make("ol", {}, some));
  }

  return { box, frame, set, fit, printed, focus: () => box.focus(), rows: () => rows };
}

// Return the time that the rows show.
function timeShown() {
  const byEnd = asked.view === "fading" || asked.sort === "ends" || (asked.time === "fades" && (asked.from || asked.to));
  return byEnd ? "willEnd" : "noted";
}

// Fill a row: text; tags, topic and unusual marks; importance and time.
function cells(at) {
  const label = timeShown();
  const moment = time(label === "noted" ? "noted" : "ends", at);
  const importance = value("importance", at);
  const bar = make("span", { class: "bar", "aria-hidden": "true" }, make("span"));
  bar.firstChild.style.width = `${Math.min(100, importance * 20)}%`;
  const below = [
    ...marks(at).map((mark) => make("span", { class: "mark" }, mark)),
    ...value("tags", at).map((tag) => make("span", { class: "tag" }, `#${tag}`)),
    value("topic", at) ? make("span", { class: "dim" }, value("topic", at)) : null,
  ];
  return [
    make("span", { class: "text", dir: "auto" }, value("text", at).slice(0, 300)),
    make("span", { class: "below" }, below),
    make("span", { class: "worth", title: say("importance") },
      make("span", { class: "unseen" }, `${say("importance")} `), importance.toFixed(2), bar),
    Number.isNaN(moment) ? make("span", { class: "time" }) : make("span", { class: "time" },
      make("span", { class: "unseen" }, `${say(label)} `),
      make("span", { class: "ago" }, ago(moment, NOW)), make("span", { class: "exact" }, exact(moment))),
  ];
}

// Return unusual marks as words, since colour must not be the only sign.
function marks(at) {
  const out = [];
  if (!value("lives", at)) out.push(`⊘ ${term(state(at))}`);
  if (value("review", at)) out.push(`? ${say("review")}`);
  if (value("category", at) !== "fact") out.push(`◆ ${term(value("category", at))}`);
  if (value("scope", at) !== DATA.scope) out.push(`● ${term(value("scope", at))}`);
  if (value("origin", at) !== "own") out.push(`↓ ${term(value("origin", at))}`);
  if (value("verified", at)) out.push(`✓ ${say("verified")}`);
  if (value("unverified", at)) out.push(`? ${say("unverified")}`);
  return out;
}

// The search field and the filters. A filter with a single value is hidden. Values are counted when first shown.

const FILTERS = new Map();

function choices(key) {
  if (key === "state") return ["living", "ended", ...ENDS.filter((end) => FILTERS.get("state").has(end)), "all"];
  return [...FILTERS.get(key).keys()];
}

function label(key, one) {
  if (one === NONE) return say("none");
  return ["tag", "topic"].includes(key) ? (key === "tag" ? `#${one}` : one) : term(one);
}

function countFilters() {
  if (FILTERS.size) return;
  for (const key of CHOICES) {
    const counts = new Map();
    for (const [one, number] of tally(FIELD[key] || key)) counts.set(one ?? NONE, number);
    FILTERS.set(key, counts);
  }
}

function drawFilters() {
  const form = document.getElementById("filters");
  const field = make("input", {
    type: "search", id: "q", autocomplete: "off", spellcheck: "false", placeholder: say("searchHint"),
    on: { input: (event) => ask({ q: event.target.value }) },
  });
  const more = make("details", { id: "more", on: { toggle: () => drawFields(more) } }, make("summary", {}, say("more")));
  more.open = form.querySelector("details")?.open ?? matchMedia("(min-width: 60rem) and (min-height: 56rem)").matches;
  form.replaceChildren(make("label", { class: "field search" }, make("span", {}, say("search")), field), more);
  form.onsubmit = (event) => event.preventDefault();
  drawFields(more);
}

function drawFields(more) {
  if (!more.open || more.querySelector(".fields")) return;
  countFilters();
  const selects = CHOICES.filter((key) => key === "state" || FILTERS.get(key).size > 1).map(choice);
  more.append(make("div", { class: "fields" }, selects, when(), order(),
    button(say("clear"), () => ask({ ...DEFAULTS, view: asked.view, lang: asked.lang, id: asked.id }, { step: true }),
      { id: "clear" })));
  if (more.isConnected) fillFilters();
}

function choice(key) {
  const any = key === "state" ? [] : [make("option", { value: "" }, say("any"))];
  const options = choices(key).map((one) => {
    const number = FILTERS.get(key).get(one);
    const name = label(key, one);
    return make("option", { value: one }, number === undefined ? name : `${name} (${count(number)})`);
  });
  return make("label", { class: "field" }, make("span", {}, say(key)),
    make("select", { id: `f-${key}`, on: { change: (event) => ask({ [key]: event.target.value }, { step: true }) } },
      any, options));
}

function when() {
  const day = (key) => make("input", {
    type: "date", id: `f-${key}`, "aria-label": `${say("time")} ${say(key)}`,
    on: { change: (event) => ask({ [key]: event.target.value }, { step: true }) },
  });
  return make("fieldset", { class: "field when" }, make("legend", {}, say("time")),
    make("select", {
      id: "f-time", "aria-label": say("time"), on: { change: (event) => ask({ time: event.target.value }, { step: true }) },
    }, TIME_KINDS.map((kind) => make("option", { value: kind }, say(kind)))),
    day("from"), make("span", { "aria-hidden": "true" }, "–"), day("to"));
}

function order() {
  const first = make("option", { value: "", id: "usual" }, say("place"));
  return make("label", { class: "field" }, make("span", {}, say("sort")),
    make("select", { id: "f-sort", on: { change: (event) => ask({ sort: event.target.value }) } },
      first, SORTS.slice(1).map((name) => make("option", { value: name }, say(name)))));
}

// Set the fields to the current filters. A field with the focus stays as it is.
function fillFilters() {
  for (const key of [...CHOICES, "from", "to", "time", "sort"]) {
    const field = document.getElementById(`f-${key}`);
    if (field && field.value !== asked[key]) set(field, asked[key]);
  }
  const usual = document.getElementById("usual");
  if (usual) usual.textContent = say(asked.q ? "best" : asked.view === "fading" ? "ends" : "place");
  const field = document.getElementById("q");
  if (field.value !== asked.q) field.value = asked.q;
}

// Add a value that no memory has: a topic above others, or a value of the address.
function set(field, one) {
  field.value = one;
  if (field.value !== one && field.tagName === "SELECT") {
    field.append(make("option", { value: one }, one));
    field.value = one;
  }
}
