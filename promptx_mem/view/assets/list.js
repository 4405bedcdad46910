// The list: only the rows in sight are elements, so that 40,000 memories scroll.

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

  // Bring rows and heights to the room that there is.
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

  // For paper there is no scrolling: the first rows, whole.
  function printed() {
    const some = rows.slice(0, PRINTED).map((at) => make("li", {}, ...cells(at)));
    const cut = rows.length > PRINTED ? make("p", {}, say("cut", { n: PRINTED })) : null;
    return make("div", { class: "printed" }, cut, make("ol", {}, some));
  }

  return { box, frame, set, fit, printed, focus: () => box.focus(), rows: () => rows };
}

// Which time the rows show.
function timeShown() {
  const byEnd = asked.view === "fading" || asked.sort === "ends" || (asked.time === "fades" && (asked.from || asked.to));
  return byEnd ? "willEnd" : "noted";
}

// What a row shows: the text; tags, topic and what is not as usual; importance and time.
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

// What is not as usual, in words: colour is never the only sign.
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
