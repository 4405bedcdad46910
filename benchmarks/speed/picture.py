"""benchmarks/results/performance.svg: bars of the time of `remember` and `recall`, compared with other programs.

python -m benchmarks.speed.picture RESULTS.json benchmarks/results/performance.svg
"""

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from benchmarks.speed.budgets import AMONG_PEERS, Result

WIDTH = 800
LEFT, _RIGHT = 232, 84
_PLOT = WIDTH - LEFT - _RIGHT
_TOP, _BAR, _GROUP = 92, 13, 42
_FIGURE = 40  # width of a number in px
_STEPS = (10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)

# Readable on white and on GitHub's dark background; with `prefers-color-scheme` the text follows.
_STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.small { font-size: 12px; fill: #59636e; }
.ours { font-weight: 600; }
.grid { stroke: #d1d9e0; }
.bare { stroke: #59636e; stroke-dasharray: 4 3; }
.write { fill: #0969da; }
.search { fill: #1a7f37; }
.other.write { fill: #8fb8e6; }
.other.search { fill: #93cba0; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .grid { stroke: #3d444d; }
  .bare { stroke: #9198a1; }
  .write { fill: #4493f8; }
  .search { fill: #3fb950; }
  .other.write { fill: #2f5a8f; }
  .other.search { fill: #2b6a38; }
}"""


def picture(result: Result) -> str:
    """Return an SVG of the programs at 10,000 memories, or at the largest measured size. The axis is linear from 0."""
    size = str(AMONG_PEERS if AMONG_PEERS in result["peer_sizes"] else max(result["peer_sizes"]))
    sides = [side for side in result["peers"] if len(side["sizes"].get(size, ())) == 2]
    ours, *others = sides
    others.sort(key=lambda side: (side["floor"], side["sizes"][size]["search"]["ms"]))
    shown = [ours, *others]
    longest = max(one["ms"] for side in shown for one in side["sizes"][size].values())
    step = next((step for step in _STEPS if longest / step <= 7), _STEPS[-1])
    top = step * math.ceil(longest / step)
    scale = Scale(top, result["bare"]["ms"])
    height = _TOP + _GROUP * len(shown) + 34
    title = f"One memory written, one word searched, among {int(size):,} memories"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<text x="16" y="26" class="title">{title}</text>',
        f'<text x="16" y="46" class="small">whole processes, median of {result["rounds"]} interleaved runs; shorter is better</text>',
        *_legend(result["bare"]["ms"]),
        *_axis(range(0, top + step, step), scale, height),
        *(part for place, side in enumerate(shown) for part in _group(side, size, place, scale)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis: milliseconds at its right end, and of the bare interpreter."""

    top: float
    bare: float

    def x(self, ms: float) -> float:
        return round(LEFT + _PLOT * ms / self.top, 1)

    def beside(self, ms: float) -> float:
        """Return the position of a bar's number: after its end, and not on the line of the bare interpreter."""
        end, line = self.x(ms) + 5, self.x(self.bare)
        return line + 5 if end - 3 < line < end + _FIGURE else end


def _legend(bare: float) -> Iterator[str]:
    yield '<rect x="16" y="60" width="12" height="12" class="write"/><text x="34" y="71">write</text>'
    yield '<rect x="84" y="60" width="12" height="12" class="search"/><text x="102" y="71">search</text>'
    yield '<line x1="164" y1="66" x2="188" y2="66" class="bare"/>'
    yield f'<text x="194" y="71" class="small">python -c pass: {bare:.1f} ms</text>'


def _axis(marks: range, scale: Scale, height: int) -> Iterator[str]:
    foot = height - 30
    for mark in marks:
        x = scale.x(mark)
        unit = " ms" if mark == marks[-1] else ""
        yield f'<line x1="{x}" y1="{_TOP - 8}" x2="{x}" y2="{foot}" class="grid"/>'
        yield f'<text x="{x}" y="{foot + 17}" text-anchor="middle" class="small">{mark:,}{unit}</text>'
    bare = scale.x(scale.bare)
    yield f'<line x1="{bare}" y1="{_TOP - 8}" x2="{bare}" y2="{foot}" class="bare"/>'


def _group(side: Result, size: str, place: int, scale: Scale) -> Iterator[str]:
    """Yield the two bars of one program. Ours is the first."""
    y = _TOP + _GROUP * place
    bold = "" if place else ' class="ours"'
    yield f'<text x="{LEFT - 10}" y="{y + _BAR + 5}" text-anchor="end"{bold}>{escape(side["name"])}</text>'
    for line, what in enumerate(("write", "search")):
        ms = side["sizes"][size][what]["ms"]
        bar, kind = y + line * (_BAR + 2), f"other {what}" if place else what
        yield f'<rect x="{LEFT}" y="{bar}" width="{round(scale.x(ms) - LEFT, 1)}" height="{_BAR}" class="{kind}"/>'
        yield f'<text x="{scale.beside(ms)}" y="{bar + _BAR - 2}" class="small">{ms:,.0f} ms</text>'


def main() -> None:
    source, target = sys.argv[1:]
    Path(target).write_text(picture(json.loads(Path(source).read_text("utf-8"))), "utf-8")


if __name__ == "__main__":
    main()
