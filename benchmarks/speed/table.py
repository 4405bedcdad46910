"""The tables of the results in Markdown: printed after a run, and inserted between the marks in docs/performance.md.

python -m benchmarks.speed.table RESULTS.json [docs/performance.md]
"""

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.speed import budgets
from benchmarks.speed.budgets import SMALL, Result

BEGIN, END = "<!-- measured -->", "<!-- /measured -->"


def tables(result: Result) -> str:
    """Return the tables of all results."""
    parts = [_machine(result), _commands(result), _rebuilds(result)]
    parts += [_writers(result["writers"])] if result["writers"] else []
    parts += [_mcp(result["mcp"])] if result["mcp"] else []
    parts += [_peers(result["peers"], result["peer_sizes"])] if result["peers"] else []
    return "\n\n".join(parts)


def _machine(result: Result) -> str:
    machine, bare = result["machine"], result["bare"]
    text = (
        f"promptx-mem {result['version']}, {result['made']}: {machine['system']}, {machine['cores']} × {machine['cpu']}, Python "
        f"{machine['python']}. One write with its sync takes {machine['sync_ms']:.2f} ms. Each cell is the median of {result['rounds']} interleaved "
        f"rounds in ms. In brackets is its ratio to `python -c pass` in the same environment, which takes **{bare['ms']:.1f} ms** "
        f"(quartiles {bare['q1']:.1f}–{bare['q3']:.1f}), {bare['mb']:.1f} MB of memory."
    )
    return textwrap.fill(text, 140)


def _commands(result: Result) -> str:
    sizes = result["sizes"]
    near = SMALL if SMALL in sizes else sizes[-1]
    lines = []
    for name in (row["name"] for row in result["rows"] if row["memories"] == sizes[-1]):
        found = {row["memories"]: row for row in result["rows"] if row["name"] == name}
        last = found[sizes[-1]]
        growth = [f"{last['ms'] / found[near]['ms']:.2f} ×"] if near != sizes[-1] else []
        lines.append(
            [
                f"`{name}`" if name.startswith("--") else name,
                *(f"{found[size]['ms']:.1f} ({found[size]['ratio']:.1f} ×)" if size in found else "" for size in sizes),
                f"{found[near]['q1']:.1f}–{found[near]['q3']:.1f}",
                *growth,
                f"{last['mb'] - result['bare']['mb']:.1f}",
                "; ".join(map(str, budgets.of_row(result, name))),
            ]
        )
    heads = ["command", *(f"{size:,} memories" for size in sizes), f"quartiles at {near:,}"]
    heads += [f"{near:,} to {sizes[-1]:,}"] if near != sizes[-1] else []
    heads += [f"MB more than bare Python at {sizes[-1]:,}", "budget"]
    checks = [f"- {check}" for check in budgets.of_all(result)]
    return "\n\n".join(filter(None, (_table(heads, lines), "\n".join(checks))))


def _rebuilds(result: Result) -> str:
    lines = [
        [
            f"{one['memories']:,}",
            f"{one['bytes'] / 1e6:.2f}",
            f"{one['s']:.2f} ({min(one['all']):.2f}–{max(one['all']):.2f})",
            f"{one['mb'] - result['bare']['mb']:.1f}",
        ]
        for one in result["rebuild"]
    ]
    return _table(
        ["memories", "store, MB", "first recall after a rebuild, s (least–most)", "MB more than bare Python"], lines
    )


def _writers(found: Result) -> str:
    lines = [
        [count, f"{one['per_second']:.0f}", f"{one['median_ms']:.1f}", f"{one['longest_ms']:.0f}", str(one["busy"])]
        for count, one in found["writers"].items()
    ]
    heads = ["concurrent writers", "writes per second", "median ms", "longest ms", "gave up"]
    return f"Writers without a pause, at {found['memories']:,} memories, for {found['seconds']:g} s:\n\n" + _table(
        heads, lines
    )


def _mcp(found: Result) -> str:
    lines = [
        [tool, *(f"{one[key]:.1f}" for key in ("inside_ms", "first_ms", "ms", "slowest_ms"))]
        for tool, one in found["tools"].items()
    ]
    heads = ["in process, ms", "first with a client, ms", f"median of {found['calls']}, ms", "slowest, ms"]
    table = _table(["MCP tool", *heads], lines)
    return f"The MCP server is ready {found['ready_ms']:.0f} ms after its start. At {found['memories']:,} memories:\n\n{table}"


def _peers(sides: list[Result], sizes: list[int]) -> str:
    ours = sides[0]
    lines = []
    for side in sides:
        cells = [
            _beside(side["sizes"].get(str(size), {}).get(what), ours["sizes"][str(size)][what])
            for what in ("write", "search")
            for size in sizes
        ]
        name = side["name"] + (f": {side['why']}" if "why" in side else "")
        lines.append([name, *cells, _span(side["kept"]), _span(side["exit_0"])])
    heads = ["program", *(f"{what}, {size:,}" for what in ("write", "search") for size in sizes)]
    table = _table([*heads, f"found of {ours['of']} concurrent writes", "exit 0"], lines)
    return f"Other programs in the same rounds: the median in ms, and its ratio to promptx-mem.\n\n{table}"


def _beside(one: Result | None, ours: Result) -> str:
    return "" if one is None else f"{one['ms']:.0f} ({one['ms'] / ours['ms']:.1f} ×)"


def _span(counts: list[int]) -> str:
    """Return the range of several counts."""
    return "–".join(map(str, dict.fromkeys((counts[0], counts[-1])))) if counts else ""


def _table(heads: list[str], lines: Iterable[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(cells)} |" for cells in _with_rule(heads, lines))


def _with_rule(heads: list[str], lines: Iterable[list[str]]) -> Iterator[list[str]]:
    yield heads
    yield ["---"] + ["---:"] * (len(heads) - 1)
    yield from lines


def put_into(page: str, result: Result) -> str:
    """Return the page with the tables of these results between its marks."""
    new, count = re.subn(
        f"{BEGIN}.*?{END}", lambda _: f"{BEGIN}\n\n{tables(result)}\n\n{END}", page, count=1, flags=re.DOTALL
    )
    if not count:
        raise ValueError(f"the page has no {BEGIN} … {END}")
    return new


def main() -> None:
    result = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    for name in sys.argv[2:]:
        page = Path(name)
        page.write_text(put_into(page.read_text("utf-8"), result), "utf-8")
    if not sys.argv[2:]:
        print(tables(result))


if __name__ == "__main__":
    main()
