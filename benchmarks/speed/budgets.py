"""Time limits of the commands, checked against the results. They are not saved with the results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks.speed.rows import TWO

Result = dict[str, Any]

SMALL, FULL = 1_000, 40_000
AMONG_PEERS = 10_000

GUARD_MS, DENIED_MS = 10.0, 15.0
REMEMBER, REMEMBER_GROWTH = 5.2, 1.2
RECALL, RECALL_GROWTH = 3.8, 1.15
PROMPT, PROMPT_GROWTH = 5.5, 1.1
HELP = 6.5
SCORE_MS, SCORE_MB, VALIDATION_MS, ANY_MS = 100.0, 10.0, 50.0, 1_000.0
REBUILD_S = 1.5
TIMES_FASTER = 4.0
MCP_MS = {"recall": 5.0, "remember": 7.0}
TWO_STORES, BOTH = 1.3, 10_000
"""Limits of the extra time of a second store, by the number of memories in each."""


@dataclass(frozen=True, slots=True)
class Check:
    """A limit and a measured value, in the same unit."""

    what: str
    limit: float
    measured: float
    unit: str

    @property
    def met(self) -> bool:
        return self.measured <= self.limit

    def __str__(self) -> str:
        verdict = "met" if self.met else f"**not met**: {self.measured:.4g}"
        return f"{self.what}≤ {self.limit:g} {self.unit} {verdict}"


def of_row(result: Result, name: str) -> Iterator[Check]:
    """Yield the checks of one row of the table, at the measured sizes."""
    found = _sizes(result, name)
    if name.endswith(TWO):
        yield from _two(found, _sizes(result, name.removesuffix(TWO)))
        return
    bare = result["bare"]
    for prefix, checks in _RULES:
        if name.startswith(prefix):
            yield from checks(found, bare)
            break


def _sizes(result: Result, name: str) -> dict[int, Result]:
    return {row["memories"]: row for row in result["rows"] if row["name"] == name}


def _two(found: dict[int, Result], alone: dict[int, Result]) -> Iterator[Check]:
    for size in {BOTH} & found.keys() & alone.keys():
        yield Check("compared with one store ", TWO_STORES, found[size]["ms"] / alone[size]["ms"], "×")


def of_all(result: Result) -> Iterator[Check]:
    """Yield the checks that belong to no single row."""
    if full := [row["ms"] for row in result["rows"] if row["memories"] == FULL]:
        yield Check(f"every command at {FULL:,} memories ", ANY_MS, max(full), "ms")
    for rebuild in result["rebuild"]:
        if rebuild["memories"] == FULL:
            yield Check(f"first recall after a rebuild of {FULL:,} memories ", REBUILD_S, rebuild["s"], "s")
    for tool, taken in result["mcp"]["tools"].items() if result["mcp"] else ():
        if tool in MCP_MS:
            name = f"{tool} in the MCP server's process at {result['mcp']['memories']:,} memories "
            yield Check(name, MCP_MS[tool], taken["inside_ms"], "ms")
    yield from _among_peers([side["sizes"] | {"name": side["name"]} for side in result["peers"] if not side["floor"]])


def _among_peers(sides: list[dict[str, Any]]) -> Iterator[Check]:
    """Yield the checks against other programs. Ours is the first of `sides`."""
    size = str(AMONG_PEERS)
    ours, *others = [side for side in sides if len(side.get(size, ())) == 2] or [{}]
    for what in ("write", "search") if others else ():
        quickest = min(others, key=lambda side: float(side[size][what]["ms"]))
        share = ours[size][what]["ms"] / quickest[size][what]["ms"]
        name = f"{what} at {AMONG_PEERS:,} compared with {quickest['name']}, the fastest other program: "
        yield Check(name, 1 / TIMES_FASTER, share, "of its time")


def _times_bare(limit: float, growth: float) -> Callable[[dict[int, Result], Result], Iterator[Check]]:
    def checks(found: dict[int, Result], _: Result) -> Iterator[Check]:
        if SMALL in found:
            yield Check("", limit, found[SMALL]["ratio"], "×")
        if SMALL in found and FULL in found:
            yield Check("growth ", growth, found[FULL]["ms"] / found[SMALL]["ms"], "×")

    return checks


def _over_bare(limit: float) -> Callable[[dict[int, Result], Result], Iterator[Check]]:
    def checks(found: dict[int, Result], bare: Result) -> Iterator[Check]:
        yield Check("bare + ", limit, max(row["ms"] for row in found.values()) - bare["ms"], "ms")

    return checks


def _help(found: dict[int, Result], _: Result) -> Iterator[Check]:
    yield Check("", HELP, max(row["ratio"] for row in found.values()), "×")


def _score(found: dict[int, Result], bare: Result) -> Iterator[Check]:
    yield Check("", SCORE_MS, max(row["ms"] for row in found.values()), "ms")
    yield Check("bare + ", SCORE_MB, max(row["mb"] for row in found.values()) - bare["mb"], "MB")


def _validation(found: dict[int, Result], _: Result) -> Iterator[Check]:
    if SMALL in found:
        yield Check("", VALIDATION_MS, found[SMALL]["ms"], "ms")


_RULES: tuple[tuple[str, Callable[[dict[int, Result], Result], Iterator[Check]]], ...] = (
    ("guard: a denied write", _over_bare(DENIED_MS)),
    ("guard", _over_bare(GUARD_MS)),
    ("hook prompt", _times_bare(PROMPT, PROMPT_GROWTH)),
    ("remember --dry-run", _validation),
    ("remember", _times_bare(REMEMBER, REMEMBER_GROWTH)),
    ("recall", _times_bare(RECALL, RECALL_GROWTH)),
    ("--help", _help),
    ("score", _score),
)
"""Rules by the beginning of a row's name. The first match applies."""
