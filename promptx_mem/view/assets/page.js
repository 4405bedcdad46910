// The page: views, language and keys.

const VIEWS = [
  { name: "list" }, { name: "timeline", draw: drawTimeline }, { name: "topics", draw: drawTopics },
  { name: "review" }, { name: "fading" },
];
const LIST = makeList((at) => {
  ask({ id: name(value("id", at), at) }, { step: true });
  document.getElementById("memory-name").focus();
});
const EMPTY = { list: "emptyMatch", review: "emptyReview", fading: "emptyFading" };
let drawn = "";

function show() {
  const view = VIEWS.find((one) => one.name === asked.view);
  const place = document.getElementById("view");
  for (const one of document.querySelectorAll("#views button")) {
    if (one.dataset.view === view.name) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  document.getElementById("filters").hidden = Boolean(view.draw) || !TOTAL;
  fillFilters();
  if (view.draw) drawOther(view, place);
  else drawList(view, place);
  drawMemory();
  LIST.fit();
}

function drawOther(view, place) {
  const state = `${view.name} ${language}`;
  document.getElementById("count").textContent = "";
  if (drawn === state) return;
  drawn = state;
  place.replaceChildren(make("h2", { class: "unseen" }, say(view.name)));
  view.draw(place);
}

function drawList(view, place) {
  const rows = matches();
  document.getElementById("count").textContent = TOTAL ? say("shown", { n: rows.length, all: TOTAL }) : "";
  drawn = view.name;
  if (!rows.length) {
    place.replaceChildren(TOTAL ? empty(narrows() ? "emptyMatch" : EMPTY[view.name]) : nothing());
    LIST.set(rows);
    return;
  }
  if (LIST.frame.parentNode !== place) place.replaceChildren(LIST.frame);
  LIST.set(rows);
}

function drawFrame() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  const title = say("title", { store: DATA.store });
  document.title = title;
  document.getElementById("title").textContent = title;
  document.getElementById("skip").textContent = say("skip");
  const written = Date.parse(DATA.at);
  document.getElementById("written").textContent =
    say("written", { at: exact(written), count: say("memories", { n: TOTAL }) });
  const other = document.getElementById("language");
  other.textContent = say("other");
  other.lang = language === "zh" ? "en" : "zh-CN";
  other.setAttribute("aria-label", say("otherName"));
  const views = document.getElementById("views");
  views.setAttribute("aria-label", say("views"));
  const waiting = [...Array(TOTAL).keys()].filter((at) => value("review", at)).length;
  views.replaceChildren(...VIEWS.map((view) => {
    const one = button(say(view.name), () => ask({ view: view.name, id: "" }, { step: true }));
    one.dataset.view = view.name;
    if (view.name === "review" && waiting) one.append(make("span", { class: "number" }, ` ${count(waiting)}`));
    return one;
  }));
  drawNotices();
  drawFilters();
}

function drawNotices() {
  const lines = [];
  if (DATA.cues.length) lines.push(say("filtered", { cues: DATA.cues.join(" · ") }));
  if (DATA.redacted) {
    const kinds = Object.entries(DATA.redacted).map(([kind, number]) => `${term(kind)} (${count(number)})`);
    lines.push(kinds.length ? say("redacted", { kinds: kinds.join(", ") }) : say("redactedNone"));
  }
  document.getElementById("notices").replaceChildren(...lines.map((line) => make("p", { class: "notice", dir: "auto" }, line)));
}

function switchLanguage() {
  language = language === "zh" ? "en" : "zh";
  drawn = "";
  drawFrame();
  ask({ lang: language });
}

document.getElementById("language").addEventListener("click", switchLanguage);
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "Escape" && asked.id) closeMemory();
  else if (event.key === "/" && !typing && !document.getElementById("filters").hidden) {
    document.getElementById("q").focus();
    event.preventDefault();
  }
});
addEventListener("popstate", () => {
  const before = language;
  readAddress();
  if (language !== before) {
    drawn = "";
    drawFrame();
  }
  show();
});
addEventListener("resize", LIST.fit);
addEventListener("beforeprint", () => {
  if (LIST.box.isConnected) LIST.frame.after(LIST.printed());
});
addEventListener("afterprint", () => document.querySelector(".printed")?.remove());

readAddress();
drawFrame();
show();
requestAnimationFrame(() => setTimeout(foldInIdle)); // first what is seen
