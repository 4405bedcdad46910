"""Topic paths: the search by them (source 004 in docs/design.md), their list, and excerpts of conversations."""

from collections.abc import Callable, Mapping, Sequence

from promptx_mem.core.text import pattern, printable, shorten
from promptx_mem.core.times import DAY
from promptx_mem.errors import UsageError
from promptx_mem.record import Literal, NamedTuple

Path = tuple[str, ...]

SEPARATOR = "->"

_LINE = "-=－＝–—―"
_ARROWS = f"(?<![{_LINE}])[{_LINE}]*[>＞]+|[→➔⇒]"
_BRACKETS = {"]": "[", "}": "{"}


def parse_path(text: str) -> Path:
    """Read the parts of a topic path such as `a->b`. White space around a part and empty parts are dropped.

    A final `[…]` or `{…}` is dropped too: printed topics have numbers in these brackets. Case is kept.
    Unprintable characters become U+FFFD, so that a printed path can be read again.
    """
    return tuple(part for raw in text.split(SEPARATOR) if (part := printable(_strip_marks(raw.strip()))))


def read_path(text: str) -> Path:
    """Read a topic path in any form that people type, for example `a>b` or `a→b`."""
    return parse_path(pattern(_ARROWS).sub(SEPARATOR, text))


def demand_path(name: str, text: str) -> Path:
    """Read the topic path in the value of the option `name`. Raises UsageError."""
    given = f"--{name} {shorten(text, 40)!r}"
    if text[-1:] == "-" and text[-2:-1].isalnum():
        message = f"{given} ends in -: the shell took an unquoted > as a redirection"
        raise UsageError(message, hint=f"quote it: --{name} 'project->partner'")
    path = read_path(text)
    if not path:
        raise UsageError(f"{given} is not a topic path", hint=f"names joined by ->: --{name} 'project->memory'")
    return path


def _strip_marks(part: str) -> str:
    end = len(part)  # an index: to cut a part off again and again would take quadratic time
    while end and (opener := _BRACKETS.get(part[end - 1])):
        start = part.rfind(opener, 0, end)
        if start < 0 or part.find(part[end - 1], start, end - 1) >= 0:
            break
        end = start
        while end and part[end - 1].isspace():
            end -= 1
    return part[:end]


def format_path(path: Path) -> str:
    """Return a topic path as text in its canonical form, which `parse_path` can read."""
    return SEPARATOR.join(path)


Source = Literal["PRIMARY", "PARENT", "RELATED"]

NEWEST = 2
"""Maximum number of candidates from the parent path, and from each related path."""

_BASE: dict[Source, float] = {"PRIMARY": 1.0, "PARENT": 0.45, "RELATED": 0.65}
_RELATION: dict[Source, float] = {"PRIMARY": 0.3, "PARENT": 0.2, "RELATED": 1.0}


class Profile(NamedTuple):
    """The three weights of a memory (source 004: *ActivationProfile*), each from 0 to 1."""

    activation: float = 0.55
    diffusion: float = 0.35
    context_independence: float = 0.5


DEFAULT_PROFILE = Profile()


class Binding(NamedTuple):
    """A memory with one of its topic paths. `at` is in epoch seconds."""

    id: str
    path: Path
    at: float
    related: tuple[Path, ...] = ()
    profile: Profile = DEFAULT_PROFILE


class TopicHit(NamedTuple):
    """A memory that was found by a topic path. `parts`: the summands of its score, as `--explain` shows them."""

    binding: Binding
    parts: dict[str, float]


def recency(age_days: float) -> float:
    """Return the weight of a memory's age in days. A time in the future counts as today."""
    return next((weight for days, weight in ((2, 0.30), (4, 0.22), (8, 0.15), (31, 0.08)) if age_days < days), 0.0)


def candidate_score(source: Source, age_days: float, profile: Profile) -> dict[str, float]:
    """Return the summands of a candidate's score. `source`: how its path is related to the searched path."""
    return {
        f"topic {source}": _BASE[source],
        "topic recency": recency(age_days),
        "topic activation": 0.50 * profile.activation,
        "topic independence": 0.30 * profile.context_independence,
        "topic relation": 0.20 * _RELATION[source] * profile.diffusion,
    }


def total(parts: Mapping[str, float]) -> float:
    """Return the sum of the parts, rounded so that equal scores compare equal."""
    return round(sum(parts.values()), 9)


def collect(
    path: Path,
    lookup: Callable[[Path, int | None], Sequence[Binding]],
    exists: Callable[[Path], bool],
    now: float,
    limit: int,
) -> list[TopicHit]:
    """Return the best `limit` memories for a path, best first. Sort equal scores by time, newest first, then by id.

    `lookup(path, newest)` returns bindings of exactly this path: the `newest` newest bindings, or all if
    `newest` is None. `exists(path)` returns whether any memory has the path, a path below it, or the path as
    a related path. `now` is in epoch seconds. For an unknown path the result is empty.
    """
    if not path or not exists(path):
        return []
    primary = lookup(path, None)
    candidates: list[tuple[Source, Binding]] = [("PRIMARY", binding) for binding in primary]
    if len(path) > 1:
        candidates += [("PARENT", binding) for binding in lookup(path[:-1], NEWEST)]
    related = {neighbour for binding in primary if binding.profile.diffusion > 0 for neighbour in binding.related}
    for neighbour in related - {path, ()}:
        candidates += [("RELATED", binding) for binding in lookup(neighbour, NEWEST)]
    found = [TopicHit(b, candidate_score(source, (now - b.at) / DAY, b.profile)) for source, b in candidates]
    hits: dict[str, TopicHit] = {}
    for hit in sorted(found, key=lambda hit: (-total(hit.parts), -hit.binding.at, hit.binding.id)):
        hits.setdefault(hit.binding.id, hit)
    return list(hits.values())[:limit]


def excerpt(messages: int, place: int | None) -> tuple[list[int], list[int]]:
    """Choose the messages of a slice to show: all of at most 10; otherwise the first 2, the middle 4 and the last 2.

    `messages` is the number of messages in the slice. If the index `place` is between the first and last 2, the 4
    messages around it replace the middle 4. Return the indices of the shown messages, and how many each gap leaves out.
    """
    if messages <= 10:
        return list(range(messages)), []
    before = (messages - 8) // 2
    if place is not None and 2 <= place < messages - 2:
        before = min(max(place - 3, 0), messages - 8)
    middle = 2 + before
    return [0, 1, *range(middle, middle + 4), messages - 2, messages - 1], [before, messages - 8 - before]


def tree(counts: Mapping[Path, int]) -> str:
    """Return the topics as text: a line per path with the number of its memories, in alphabetical order."""
    return "".join(f"{printable(format_path(path))} [{counts[path]}]\n" for path in sorted(filter(None, counts)))
