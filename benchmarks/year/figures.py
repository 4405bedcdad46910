"""The tables of half years, and the picture of active memories over the months.

python -m benchmarks.year.figures benchmarks/results/year.json benchmarks/year/README.md benchmarks/results/year.svg
"""

import json
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

MARK = "<!-- measured -->"
PLAIN = "no cron, no model"
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


Result = dict[str, Any]
Results = dict[str, Result]
"""Results by name: with and without cron and a judge."""


def name_of(result: Result) -> str:
    """Return the name of a result: with cron, a judge, both or neither."""
    return f"{'cron' if result['cron'] else 'no cron'}, {'a model by rule' if result['judge'] else 'no model'}"


def add_to_file(path: Path, result: Result) -> None:
    """Add a result to a file of results."""
    results = json.loads(path.read_text("utf-8")) if path.exists() else {}
    results[name_of(result)] = result
    ordered = {name: results[name] for name in sorted(results, key=lambda name: (name != PLAIN, name))}
    path.write_text(json.dumps(ordered, ensure_ascii=False, indent=1) + "\n", "utf-8")


def failures(results: Results) -> list[str]:
    """Return the failed checks of results that belong together."""
    states = {result["state"] for result in results.values() if not result["judge"]}
    return ["does not hold: with and without cron the state is the same"] if len(states) > 1 else []


def table(result: Result) -> str:
    """Return the table of active memories by month."""
    keys = ("day", "core", "fact", "episode", "ended", "index", "talks", "kB")
    heads = ("day", "core", "facts", "conversations", "ended", "lines of MEMORY.md", "of these conversations", "kB")
    out = [f"| {' | '.join(heads)} |", f"|{' ---: |' * len(heads)}"]
    out += ["| " + " | ".join(str(month[key]) for key in keys) + " |" for month in result["months"]]
    return "\n".join(out) + "\n"


def ends(results: Results) -> str:
    """Return the table of checks at the end, one column per half year."""
    columns = [_end(result["proof"]) for result in results.values()]
    out = [f"| in the end | {' | '.join(results)} |", f"| --- |{' ---: |' * len(results)}"]
    out += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    states = [result["state"] for result in results.values()]
    return "\n".join([*out, f"| hash of all memories' importance | {' | '.join(states)} |"]) + "\n"


def _end(proof: Result) -> dict[str, str]:
    of = proof["identity"]
    shown = {
        "who the user is, in the first 60 lines of MEMORY.md": f"{proof['identity_in_index']} of {of}",
        "the last line about the user": f"{proof['worst_place']}",
        "who the user is, in 30 memories without a cue": f"{proof['identity_in_context']} of {of}",
        "who the user is, in the output of `hook start`": f"{proof['identity_in_start']} of {of}",
        "conversations in MEMORY.md": f"{proof['talks_in_index']} of {proof['index']}",
        "they include the newest three": "yes" if proof["newest_talks"] else "no",
        "conversations among 30 without a cue": f"{proof['talks_in_context']}",
        "corrections above the corrected facts": "yes" if proof["newer_first"] else "no",
        "a short-term fact, recalled every second day, is active": "yes" if proof["used_lives"] else "no",
        "the same fact, never recalled": "active" if proof["unused_lives"] else "faded",
        "active passing remarks": f"{proof['look_alike']}",
        "age of the oldest of them, in days": f"{proof['oldest_look_alike']}",
        "active conversations": f"{proof['episodes']}",
    }
    asked = {f"asked: {kind}": f"{row['answered']} of {row['asked']}" for kind, row in proof["questions"].items()}
    return shown | asked


def bounds(results: Sequence[Result]) -> str:
    """Return the figures that have bounds, one column per half year."""
    columns = [_bounds(result["proof"]) for result in results]
    heads = [f"{result['person']}, {result['seed']}" for result in results]
    out = [f"| person, seed | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(results)}"]
    out += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    return "\n".join(out) + "\n"


def _bounds(proof: Result) -> dict[str, str]:
    recalled = [row for row in proof["questions"].values() if "first" in row]
    prompted = [row for row in proof["questions"].values() if "unrelated" in row]
    said = [proof["questions"][kind] for kind in ("said by the assistant", "last week about")]
    words, told = (sum(row[key] for row in said) for key in ("answered", "asked"))
    agent = proof["agent"]
    first, asked = (sum(row[key] for row in recalled) for key in ("first", "asked"))
    unrelated, prompts = (sum(row[key] for row in prompted) for key in ("unrelated", "asked"))
    return {
        "who the user is, in the first 60 lines of MEMORY.md": f"{proof['identity_in_index']} of {proof['identity']}",
        "who the user is, in `recall -n 30`": f"{proof['identity_in_context']} of {proof['identity']}",
        "memories that `recall -n 30` shows": f"{proof['context']}",
        "questions answered first": f"{first} of {asked}",
        "an older value above the newer": f"{proof['older_above']} of {proof['corrected']}",
        "prompts that got only unrelated memories": f"{unrelated} of {prompts}",
        "questions about words of a conversation, answered": f"{words} of {told}",
        "passing remarks that are active": f"{proof['look_alike']} of {agent['remarks']}",
        **{
            f"sessions of the coding agent, by {way}": f"{agent[way]} of {agent[way.partition(', ')[2]]}"
            for way in agent
            if ", " in way
        },
        "daily decay and none: the same state after a month": "yes" if proof["is_equal"] else "no",
    }


def _missed(result: Result) -> str:
    missed = [question for row in result["proof"]["questions"].values() for question in row["missed"]]
    return f"Not answered ({name_of(result)}): {'; '.join(missed) or 'none'}.\n"


def tables(results: Results) -> str:
    """Return all tables."""
    first = next(iter(results.values()))
    days = f"{first['days']} days, {first['talks']:,} conversations, seed {first['seed']}; {name_of(first)}:\n"
    answered = (
        "A question counts as answered if the answer is among the first 5 results. The columns with a model have another\n"
        "hash, because its answers change memories: those that it keeps stay active.\n"
    )
    return "\n".join([days, table(first), ends(results), answered, _missed(first)])


def put_into(page: str, results: Results) -> str:
    """Return the page with the tables after its mark."""
    return page.partition(MARK)[0] + f"{MARK}\n\n{tables(results)}"


def picture(result: Result) -> str:
    """Return an SVG of active memories over the months, with one line per kind."""
    months = [dict.fromkeys(_KINDS, 0) | {"day": 0}, *result["months"]]
    top = max(10, *(month[kind] for month in months for kind in _KINDS))
    step = next(step for step in (10, 20, 50, 100, 200, 500, 1_000) if top / step <= 6)
    bound = -(-top // step) * step
    last: int = months[-1]["day"]

    def x(day: float) -> float:
        return float(round(_LEFT + (WIDTH - _LEFT - _RIGHT) * day / last, 1))

    def y(count: float) -> float:
        return float(round(HEIGHT - _FOOT - (HEIGHT - _TOP - _FOOT) * count / bound, 1))

    title = f"Active memories over {last} days: {result['talks']:,} conversations, {name_of(result)}"
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
    places: list[float] = []
    for kind, name in sorted(_KINDS.items(), key=lambda item: -months[-1][item[0]]):
        points = " ".join(f"{x(month['day'])},{y(month[kind])}" for month in months)
        parts.append(f'<polyline points="{points}" class="{kind}"/>')
        place = y(months[-1][kind]) + 4
        place = max(place, places[-1] + 15) if places else place
        places.append(place)
        parts.append(f'<text x="{x(last) + 8}" y="{place}">{name}: {months[-1][kind]}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main() -> None:
    source, page, target = map(Path, sys.argv[1:])
    results = json.loads(source.read_text("utf-8"))
    page.write_text(put_into(page.read_text("utf-8"), results), "utf-8")
    target.write_text(picture(next(iter(results.values()))), "utf-8")


if __name__ == "__main__":
    main()
