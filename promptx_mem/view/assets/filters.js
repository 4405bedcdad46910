// The search field and the filters; a filter with one value alone is not shown. What they offer is counted when they are
// first seen.

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

// Bring the fields to what is asked for, without taking the focus from anybody who types.
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

// A topic between two memories' topics, or a value of the address, is in no list yet.
function set(field, one) {
  field.value = one;
  if (field.value !== one && field.tagName === "SELECT") {
    field.append(make("option", { value: one }, one));
    field.value = one;
  }
}
