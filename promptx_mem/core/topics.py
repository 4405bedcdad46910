"""Search by topic path (source 004 in docs/design.md), the printed topic tree, and excerpts of conversations."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from promptx_mem.core.labels import Path, format_path
from promptx_mem.core.text import printable
from promptx_mem.core.times import DAY
from promptx_mem.record import Literal, NamedTuple, Self

Source = Literal["PRIMARY", "PARENT", "RELATED"]

RESULTS = 5
NEWEST = 2
"""Maximum number of candidates from the parent path, and from each related path."""

_BASE: dict[Source, float] = {"PRIMARY": 1.0, "PARENT": 0.45, "RELATED": 0.65}
_RELATION: dict[Source, float] = {"PRIMARY": 0.3, "PARENT": 0.2, "RELATED": 1.0}


class _Weights(NamedTuple):
    activation: float
    diffusion: float
    context_independence: float


class Profile(_Weights):
    """The three weights of a memory (source 004: *ActivationProfile*), clamped to 0-1. NaN counts as 0."""

    __slots__ = ()

    def __new__(cls, activation: float = 0.55, diffusion: float = 0.35, context_independence: float = 0.5) -> Self:
        # 0.0 comes first so that NaN loses the comparison
        return super().__new__(cls, *(min(1.0, max(0.0, w)) for w in (activation, diffusion, context_independence)))


DEFAULT_PROFILE = Profile()


class Binding(NamedTuple):
    """A memory with one of its topic paths. `at` is in epoch seconds."""

    id: str
    path: Path
    at: float
    related: tuple[Path, ...] = ()
    profile: Profile = DEFAULT_PROFILE


class Score(NamedTuple):
    """The summands of a candidate's score, as `--explain` shows them. Each summand already contains its weight."""

    source: float
    recency: float
    activation: float
    context_independence: float
    relation: float

    @property
    def total(self) -> float:
        """Return the sum, rounded so that equal scores compare equal."""
        return round(self.source + self.recency + self.activation + self.context_independence + self.relation, 9)


class TopicHit(NamedTuple):
    """A memory that was found by a topic path. `source`: how its path is related to the searched path."""

    binding: Binding
    source: Source
    score: Score


class Excerpt(NamedTuple):
    """An excerpt of a slice: the indices of the shown messages, and how many are left out in each gap."""

    indices: tuple[int, ...]
    left_out: tuple[int, ...]


def recency(age_days: float) -> float:
    """Return the weight of a memory's age in days. A time in the future counts as today."""
    if age_days < 2:
        return 0.30
    if age_days < 4:
        return 0.22
    if age_days < 8:
        return 0.15
    return 0.08 if age_days < 31 else 0.0


def candidate_score(source: Source, age_days: float, profile: Profile = DEFAULT_PROFILE) -> Score:
    """Return a candidate's score, computed from its relation to the path, its age and its own weights."""
    return Score(
        source=_BASE[source],
        recency=recency(age_days),
        activation=0.50 * profile.activation,
        context_independence=0.30 * profile.context_independence,
        relation=0.20 * _RELATION[source] * profile.diffusion,
    )


def collect(
    path: Path,
    lookup: Callable[[Path, int | None], Sequence[Binding]],
    exists: Callable[[Path], bool],
    now: float,
    limit: int = RESULTS,
) -> list[TopicHit]:
    """Return the best `limit` memories for a path, best first. Sort equal scores by time, newest first, then by id.

    `lookup(path, newest)` returns bindings of exactly this path: at least the `newest` newest bindings, or all if
    `newest` is None. `exists(path)` returns whether any memory has the path, a path below it, or the path as
    a related path. `now` is in epoch seconds. For an unknown path the result is empty.
    """
    if not path or not exists(path):
        return []
    primary = lookup(path, None)
    candidates: list[tuple[Source, Binding]] = [("PRIMARY", binding) for binding in primary]
    if len(path) > 1:
        candidates += [("PARENT", binding) for binding in _newest(lookup(path[:-1], NEWEST))]
    related = {neighbour for binding in primary if binding.profile.diffusion > 0 for neighbour in binding.related}
    for neighbour in related - {path, ()}:
        candidates += [("RELATED", binding) for binding in _newest(lookup(neighbour, NEWEST))]
    ranked = sorted(
        ((candidate_score(source, (now - b.at) / DAY, b.profile), source, b) for source, b in candidates),
        key=lambda hit: (-hit[0].total, -hit[2].at, hit[2].id),
    )
    hits: dict[str, TopicHit] = {}
    for score, source, binding in ranked:
        if len(hits) >= limit:
            break
        hits.setdefault(binding.id, TopicHit(binding, source, score))
    return list(hits.values())


def _newest(bindings: Sequence[Binding]) -> list[Binding]:
    return sorted(bindings, key=lambda binding: (-binding.at, binding.id))[:NEWEST]


def excerpt(messages: int, place: int | None = None) -> Excerpt:
    """Choose the messages of a slice to show: all of at most 10; otherwise the first 2, the middle 4 and the last 2.

    `messages` is the number of messages in the slice. If `place` is given, the 4 messages around this index are shown
    instead of the middle 4.
    """
    if messages <= 10:
        return Excerpt(tuple(range(messages)), ())
    before = (messages - 8) // 2
    if place is not None and 2 <= place < messages - 2:
        before = min(max(place - 3, 0), messages - 8)
    middle = 2 + before
    indices = (0, 1, *range(middle, middle + 4), messages - 2, messages - 1)
    return Excerpt(indices, (before, messages - 8 - before))


def tree(counts: Mapping[Path, int]) -> str:
    """Return the topic tree as text: a line per path with the number of its memories, indented below its ancestors.

    Every line contains the whole path, so that it can be copied. A path without memories is shown only where the tree
    branches.
    """
    paths = sorted(path for path in counts if path)
    nodes = {*paths, *(_shared(path, successor) for path, successor in pairwise(paths))} - {()}
    above: list[Path] = []
    lines = []
    for path in sorted(nodes):
        while above and path[: len(above[-1])] != above[-1]:
            above.pop()
        lines.append(f"{'  ' * len(above)}{printable(format_path(path))} [{counts.get(path, 0)}]\n")
        above.append(path)
    return "".join(lines)


def _shared(first: Path, second: Path) -> Path:
    length = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        length += 1
    return first[:length]
