"""The results as a table for benchmarks/view/README.md and as a picture.

python -m benchmarks.view.figures benchmarks/results/view.json benchmarks/view/README.md benchmarks/results/view.svg
"""

import json
import re
import sys
import textwrap
from collections.abc import Iterator
from html import escape
from pathlib import Path

from benchmarks.view.results import FILTER_MS, OPEN_MS, Result, Times

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"
WIDTH = 800
LEFT, _RIGHT, _TOP, _BAR, _ROW = 250, 84, 92, 14, 26
_PLOT = WIDTH - LEFT - _RIGHT
_FIGURE = 40  # width of a number in px
_BEYOND = 1.15
"""The axis continues beyond the limit, so that the limit is visible. A longer bar is cut at its end."""

# Readable on white and on GitHub's dark background; with `prefers-color-scheme` the text follows.
_STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.small { font-size: 12px; fill: #59636e; }
.bound { stroke: #bc4c00; stroke-dasharray: 4 3; }
.range { stroke: #1f2328; }
.opened { fill: #0969da; }
.filtered { fill: #1a7f37; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .bound { stroke: #f0883e; }
  .range { stroke: #f0f6fc; }
  .opened { fill: #4493f8; }
  .filtered { fill: #3fb950; }
}"""


def table(result: Result) -> str:
    """Return all results in Markdown."""
    machine = result["machine"]
    text = (
        f"promptx-mem {result['version']}, {result['made']}: {machine['system']}, {machine['cores']} × {machine['cpu']}, Chromium "
        f"{result['chromium']}, where `python -c pass` takes {machine['bare_ms']:.1f} ms; {result['rounds']} rounds, each in a new "
        f"context of the browser: the median and, in brackets, the least and the most."
    )
    rows = [
        ("file", f"{result['bytes'] / 1e6:.1f} MB, written in {result['written_s']:.1f} s"),
        ("opened, at most 1 s", _cell(result["opened"])),
        *((_named(one["name"], first=one["first"]), f"{_cell(one)}: {one['left']}") for one in result["filters"]),
        ("a frame while scrolling", f"{result['frame_ms']:.0f} ms"),
        ("JavaScript's memory", f"{result['heap_mb']:.0f} MB"),
    ]
    lines = [f"| {result['memories']:,} memories | |", "|---|---|", *(f"| {name} | {cell} |" for name, cell in rows)]
    return textwrap.fill(text, 140) + "\n\n" + "\n".join(lines)


def _cell(times: Times) -> str:
    return f"{times['ms']:.0f} ms ({times['least']:.0f}–{times['most']:.0f})"


def _named(name: str, *, first: bool) -> str:
    return f"{name}, typed at once" if first else f"filtered by {name}, at most 0.1 s"


def put_into(page: str, result: Result) -> str:
    """Return the page with the table of these results between its marks."""
    new, number = re.subn(f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n\n{table(result)}\n\n{END}", page, flags=re.DOTALL)
    if number != 1:
        raise ValueError(f"the page has no {BEGIN} … {END}")
    return new


def picture(result: Result) -> str:
    """Return an SVG: a bar for opening, with the limit of 1 s, and one for each filter, with that of 0.1 s."""
    filters = [one for one in result["filters"] if not one["first"]]
    second = _TOP + _ROW + 34
    height = second + _ROW * len(filters) + 22
    basis = f"median of {result['rounds']} rounds, least to most as a line; shorter is better; JavaScript holds {result['heap_mb']:.0f} MB"
    title = f"A page of {result['memories']:,} memories, {result['bytes'] / 1e6:.1f} MB, in Chromium on {result['machine']['cores']} cores"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<text x="16" y="26" class="title">{escape(title)}</text>',
        f'<text x="16" y="46" class="small">{basis}</text>',
        *_bound(OPEN_MS, _TOP, _ROW, "at most 1 s"),
        *_bar("opened", result["opened"], OPEN_MS, _TOP, "opened"),
        *_bound(FILTER_MS, second, _ROW * len(filters), "at most 0.1 s"),
    ]
    for number, one in enumerate(filters):
        parts += _bar(f"filtered by {one['name']}", one, FILTER_MS, second + number * _ROW, "filtered")
    return "\n".join([*parts, "</svg>"]) + "\n"


def x(ms: float, bound: float) -> float:
    """Return the position of a time in the picture."""
    return round(LEFT + _PLOT * min(ms / bound, _BEYOND) / _BEYOND, 1)


def _bound(bound: float, y: int, height: int, name: str) -> Iterator[str]:
    place = x(bound, bound)
    yield f'<line x1="{place}" y1="{y - 6}" x2="{place}" y2="{y + height - 4}" class="bound"/>'
    yield f'<text x="{place}" y="{y - 10}" text-anchor="middle" class="small">{name}</text>'


def _bar(name: str, times: Times, bound: float, y: int, kind: str) -> Iterator[str]:
    end, middle = x(times["ms"], bound), y + _BAR / 2
    yield f'<text x="{LEFT - 10}" y="{y + _BAR - 2}" text-anchor="end">{escape(name)}</text>'
    yield f'<rect x="{LEFT}" y="{y}" width="{round(end - LEFT, 1)}" height="{_BAR}" class="{kind}"/>'
    yield f'<line x1="{x(times["least"], bound)}" y1="{middle}" x2="{x(times["most"], bound)}" y2="{middle}" class="range"/>'
    place = max(end, x(times["most"], bound)) + 6
    line = x(bound, bound)
    place = line + 6 if place - 3 < line < place + _FIGURE else place  # not on the line of the limit
    yield f'<text x="{place}" y="{y + _BAR - 2}" class="small">{times["ms"]:,.0f} ms</text>'


def main() -> None:
    source, page, drawing = map(Path, sys.argv[1:])
    result: Result = json.loads(source.read_text("utf-8"))
    page.write_text(put_into(page.read_text("utf-8"), result), "utf-8")
    drawing.write_text(picture(result), "utf-8")


if __name__ == "__main__":
    main()
