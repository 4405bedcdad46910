"""The table of a half year, and the picture of what is alive over its months.

python -m benchmarks.year.figures docs/year.json docs/year.md docs/year.svg
"""

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

MARK = "<!-- measured -->"
WIDTH, HEIGHT = 800, 360
_LEFT, _RIGHT, _TOP, _FOOT = 56, 150, 64, 44
_KINDS = {"core": "core", "fact": "facts", "episode": "conversations", "talks": "of these in MEMORY.md"}
_STYLE = """\
text { font: 13px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.small { font-size: 12px; fill: #59636e; }
.grid { stroke: #d1d9e0; }
polyline { fill: none; stroke-width: 2; }
.core { stroke: #cf222e; }
.fact { stroke: #0969da; }
.episode { stroke: #1a7f37; }
.talks { stroke: #1a7f37; stroke-dasharray: 4 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .small { fill: #9198a1; }
  .grid { stroke: #3d444d; }
  .core { stroke: #ff7b72; }
  .fact { stroke: #4493f8; }
  .episode, .talks { stroke: #3fb950; }
}"""


def table(result: dict[str, Any]) -> str:
    """What was alive, and what was shown and found, as two tables."""
    proof = result["proof"]
    days = f"{result['days']} days, {result['talks']:,} conversations, seed {result['seed']}:\n"
    keys = ("day", "core", "fact", "episode", "ended", "index", "talks", "kB")
    heads = ("day", "core", "facts", "conversations", "ended", "lines of MEMORY.md", "of these conversations", "kB")
    out = [days, f"| {' | '.join(heads)} |", f"|{' ---: |' * len(heads)}"]
    out += ["| " + " | ".join(str(month[key]) for key in keys) + " |" for month in result["months"]]
    of = proof["identity"]
    shown = {
        "who the user is, in the first 60 lines of MEMORY.md": f"{proof['identity_in_index']} of {of}",
        "the last of these lines": f"{proof['worst_place']}",
        "in 30 memories without a cue": f"{proof['identity_in_context']} of {of}",
        "in what `hook start` gives": f"{proof['identity_in_start']} of {of}",
        "conversations in MEMORY.md": f"{proof['talks_in_index']} of {proof['index']}",
        "conversations among 30 without a cue": f"{proof['talks_in_context']}",
        "上海 (day 60) before 杭州 (day 1)": "yes" if proof["newer_city_first"] else "no",
        "a fact of 短期, recalled every second day, lives": "yes" if proof["used_lives"] else "no",
        "the same, never recalled": "lives" if proof["unused_lives"] else "faded",
        "remarks of small talk that live": f"{proof['look_alike']}",
        "episodes that live": f"{proof['episodes']}",
    }
    out += ["", "| in the end | |", "| --- | ---: |", *(f"| {name} | {value} |" for name, value in shown.items())]
    out += ["", "| questions, answered in the first 5 | | |", "| --- | ---: | --- |"]
    for kind, row in proof["questions"].items():
        missed = "; ".join(row["missed"])
        out.append(f"| {kind} | {row['answered']} of {row['asked']} | {'missed: ' + missed if missed else ''} |")
    return "\n".join(out) + "\n"


def put_into(page: str, result: dict[str, Any]) -> str:
    """The page with the tables behind its mark."""
    return page.partition(MARK)[0] + f"{MARK}\n\n{table(result)}"


def picture(result: dict[str, Any]) -> str:
    """An SVG: what is alive over the months, a line a kind."""
    months = [dict.fromkeys(_KINDS, 0) | {"day": 0}, *result["months"]]
    top = max(10, *(month[kind] for month in months for kind in _KINDS))
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1_000) if top / step <= 6)
    bound = -(-top // step) * step
    last: int = months[-1]["day"]

    def x(day: float) -> float:
        return float(round(_LEFT + (WIDTH - _LEFT - _RIGHT) * day / last, 1))

    def y(count: float) -> float:
        return float(round(HEIGHT - _FOOT - (HEIGHT - _TOP - _FOOT) * count / bound, 1))

    title = f"What is alive in {last} days: {result['talks']:,} conversations, no cron, no model"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{_STYLE}\n</style>",
        f'<text x="16" y="26" class="title">{escape(title)}</text>',
        '<text x="16" y="46" class="small">memories by kind; days</text>',
    ]
    for mark in range(0, bound + 1, step):
        parts.append(f'<line x1="{_LEFT}" y1="{y(mark)}" x2="{x(last)}" y2="{y(mark)}" class="grid"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y(mark) + 4}" text-anchor="end" class="small">{mark}</text>')
    parts += [
        f'<text x="{x(month["day"])}" y="{HEIGHT - 22}" text-anchor="middle" class="small">{month["day"]}</text>'
        for month in months
    ]
    ends: list[float] = []
    for kind, name in sorted(_KINDS.items(), key=lambda item: -months[-1][item[0]]):
        points = " ".join(f"{x(month['day'])},{y(month[kind])}" for month in months)
        parts.append(f'<polyline points="{points}" class="{kind}"/>')
        place = y(months[-1][kind]) + 4
        place = max(place, ends[-1] + 15) if ends else place
        ends.append(place)
        parts.append(f'<text x="{x(last) + 8}" y="{place}">{name}: {months[-1][kind]}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    source, page, target = map(Path, sys.argv[1:])
    result = json.loads(source.read_text("utf-8"))
    page.write_text(put_into(page.read_text("utf-8"), result), "utf-8")
    target.write_text(picture(result), "utf-8")


if __name__ == "__main__":
    main()
