"""Open the page in a browser, filter it and scroll."""

import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.view.results import Filtered, Opened, Times

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FILTERS = {
    "an English word": {"q": "docker"},
    "a common word": {"q": "project"},
    "a Chinese word": {"q": "数据库"},
    "a Chinese question": {"q": "客户的发票是什么"},
    "words that nothing has": {"q": "zebra 斑马"},
    "a time": {"from": "2026-01-01", "to": "2026-06-30"},
    "an order": {"sort": "newest"},
    "nothing again": {},
}
_IDLE_MS = 1500
"""Time until a person begins to type. Meanwhile the page folds its texts."""

_OPENED = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"""
_FILTERED = """(hash) => new Promise((done) => {
  const start = performance.now();
  history.replaceState(null, "", hash);
  dispatchEvent(new PopStateEvent("popstate"));
  document.getElementById("list")?.getBoundingClientRect();
  const worked = performance.now() - start;
  requestAnimationFrame(() => setTimeout(() => done([worked, document.getElementById("count").textContent])));
})"""
_SCROLLED = """() => new Promise((done) => {
  const box = document.getElementById("list");
  const start = performance.now();
  let step = 0;
  const next = () => {
    box.scrollTop = (box.scrollHeight * ++step) / 60;
    if (step < 60) requestAnimationFrame(next);
    else done((performance.now() - start) / 60);
  };
  next();
})"""

_Filterings = dict[str, list[tuple[float, str]]]


def measure(page: Path, program: str, rounds: int) -> Opened:
    """Open the page `rounds` times, each in a new browser context."""
    from playwright.sync_api import sync_playwright

    opened: list[float] = []
    filterings: _Filterings = {name: [] for name in ("the first letters", *FILTERS)}
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        version = running.version
        for _ in range(rounds):
            for soon in (True, False):
                context = running.new_context(viewport={"width": 1280, "height": 800})
                tab = context.new_page()
                tab.goto(page.as_uri())
                opened.append(tab.evaluate(_OPENED))
                if soon:
                    filterings["the first letters"].append(tab.evaluate(_FILTERED, "#q=数据"))
                else:
                    _filter(tab, filterings)
                    frame = tab.evaluate(_SCROLLED)
                    cdp = context.new_cdp_session(tab)
                    cdp.send("HeapProfiler.collectGarbage")
                    heap = cdp.send("Runtime.getHeapUsage")["usedSize"] / 1e6
                context.close()
        running.close()
    filters: list[Filtered] = [
        {"name": name, "first": name not in FILTERS, **_times([ms for ms, _ in tries]), "left": tries[0][1]}
        for name, tries in filterings.items()
    ]
    return {
        "chromium": version,
        "opened": _times(opened),
        "filters": filters,
        "frame_ms": round(frame, 1),
        "heap_mb": round(heap, 1),
    }


def _filter(tab: "Page", filterings: _Filterings) -> None:
    tab.wait_for_timeout(_IDLE_MS)
    for name, wanted in FILTERS.items():
        fragment = "#" + "&".join(f"{key}={value}" for key, value in wanted.items())
        filterings[name].append(tab.evaluate(_FILTERED, fragment))


def _times(tries: Sequence[float]) -> Times:
    return {"ms": round(statistics.median(tries), 1), "least": round(min(tries), 1), "most": round(max(tries), 1)}
