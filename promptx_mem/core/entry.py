"""Entry: one memory as its line stores it. FIELDS: the table of its fields."""

from collections.abc import Callable, Iterable, Sequence

from promptx_mem.core.ids import is_id
from promptx_mem.core.text import clean, pattern, without_hidden_selectors
from promptx_mem.record import Any, Literal, NamedTuple, NotRequired, TypedDict

FORMAT_VERSION = 1
NEWER = "it was written by a newer version"
"""Beginning of a message about a line or an event that could come from a newer version."""

CATEGORIES = ("system", "core", "fact", "episode")
TYPES = ("user", "feedback", "project", "reference")
SOURCES = ("user", "background_ai", "system")
DIMENSIONS = ("importance", "novelty", "relevance", "credibility", "granularity", "timeliness")

SHORT, MEDIUM, LONG, PERMANENT = "短期", "中期", "长期", "永久"

DEFAULT_SCORE = 8.0
"""Score of a hand-written line without a score. It is high, since a person wrote the line on purpose."""

MOST_ALIASES, LONGEST_ALIAS = 8, 60
"""Maximum number of aliases of one memory, and maximum length of an alias in characters."""

MAX_K = 1 << 62
"""Every `k`, the position in the order of events, is below this. It is far above the microseconds of any clock."""


class Entry(NamedTuple):
    """One memory as its line stores it, before its events are applied (see core.fold).

    `score` is 0-10 with one decimal. `duration` is canonical: 短期, 中期, 长期, 永久, an amount (`36h`, `30d`, `2w`) or
    an ISO date. `at` is RFC 3339 with offset. A time without an offset (PromptX) is local time; a missing time is None.
    `profile` is (activation, diffusion, context_independence), each 0-1. `dims` are in the order of DIMENSIONS. If
    another memory already had the id of this text, `salt` > 0 makes a different id. `k` is the line's
    position in the order of events, by default its `at`. `behind`: the clock was behind, so the time of storing
    is `k`, not `at`. `was` is not stored: it is the id that earlier versions made from the first line of a longer
    entry. If the text was stored again with other topic paths, `topics` has these paths. `cites` are files that the
    text names (core/citations); `cited_at` is the git commit at which they were looked up. `aka` are aliases: other
    words that find the memory.
    """

    text: str
    tags: tuple[str, ...] = ()
    score: float = DEFAULT_SCORE
    duration: str = LONG
    id: str = ""
    at: str | None = None
    topic: str | None = None
    related: tuple[str, ...] = ()
    profile: tuple[float, float, float] | None = None
    category: str = "fact"
    type: str | None = None
    source: str = "user"
    verified: bool = False
    session: str | None = None
    dims: tuple[float, ...] | None = None
    reason: str | None = None
    slice: str | None = None
    supersedes: str | None = None
    k: int | None = None
    behind: bool = False
    salt: int = 0
    was: str | None = None
    unconfirmed: str | None = None
    topics: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    cited_at: str | None = None
    aka: tuple[str, ...] = ()


class Cite(TypedDict):
    """A file that a memory names, with code names in the file. `state`: the result of a check in the working tree."""

    path: str
    names: list[str]
    state: NotRequired[str]


Reader = Callable[[Any], Any]
"""Function that converts a value from a line's comment. It returns None if the value is invalid."""


def read_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _texts(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(v, str) for v in value) else None


def read_aliases(value: Any) -> tuple[str, ...] | None:
    """Return the aliases in a line. None if there are too many, or if an alias is empty or too long."""
    aliases = _texts(value)
    if aliases is None or len(aliases) > MOST_ALIASES:
        return None
    return aliases if all(0 < len(alias) <= LONGEST_ALIAS for alias in aliases) else None


_BETWEEN = r"[、，；;]|(?<![0-9]),|,(?![0-9])"
"""Separators of several aliases in one value. The comma in `1,000` is not a separator."""


def clean_aliases(values: Iterable[str]) -> tuple[str, ...]:
    """Return the aliases to store. Split several in one value, and remove duplicates and line breaks."""
    parts = (part for value in values for part in pattern(_BETWEEN).split(clean(value)))
    return tuple(dict.fromkeys(alias for part in parts if (alias := " ".join(part.split()))))


def read_flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def read_number(top: float) -> Callable[[Any], float | None]:
    """Return a function that reads a number from 0 to `top`."""

    def read(value: Any) -> float | None:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return float(value) if is_number and 0 <= value <= top else None

    return read


def read_count(value: Any) -> int | None:
    """Return a positive integer below MAX_K. None for any other value."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < MAX_K else None


def _one_of(names: tuple[str, ...]) -> Reader:
    return lambda value: value if value in names else None


def _dims(value: Any) -> tuple[float | None, ...] | None:
    numbers = tuple(map(read_number(10.0), value)) if isinstance(value, list) else ()
    return numbers if len(numbers) == len(DIMENSIONS) and None not in numbers else None


def read_weights(value: Any) -> tuple[float, float, float] | None:
    """Read three weights, clamped to 0-1. A weight that is not a number counts as 0."""
    if not (isinstance(value, list) and len(value) == 3):
        return None
    numbers = (v if isinstance(v, int | float) and not isinstance(v, bool) else 0.0 for v in value)
    first, second, third = (float(min(1.0, max(0.0, v))) for v in numbers)
    return first, second, third


def _path(value: str | None) -> str | None:
    return _paths([value])[0] if value else None


def _paths(values: Sequence[str]) -> tuple[str, ...]:
    if not values:
        return ()
    from promptx_mem.core.topics import format_path, read_path

    return tuple(format_path(read_path(without_hidden_selectors(value))) for value in values)


def _cleaned(value: str | None) -> str | None:
    return clean(value or "") or None


class Field(NamedTuple):
    """One field of a memory, except text, tags, score, duration, id and time, which have their own syntax in a line.

    The comment of a line contains a field only if its value differs from the default in Entry. `column`: the cache has
    a column for the field, since queries filter or sort by it; other fields are in the column `extra`. If an option of
    `remember` sets the field, `option` is its kind, `clean` converts its value, and `choices` are the allowed values.
    `is_path` marks topic paths. `is_lent`: a memory that replaces another memory inherits the value.
    """

    name: str
    read: Reader
    column: bool = False
    option: Literal["", "value", "values", "flag"] = ""
    clean: Callable[[Any], Any] = lambda value: value
    choices: tuple[str, ...] = ()
    is_path: bool = False
    is_lent: bool = False

    @property
    def default(self) -> Any:
        return Entry._field_defaults[self.name]


FIELDS = (
    Field("topic", read_text, column=True, option="value", clean=_path, is_path=True, is_lent=True),
    Field("related", _texts, option="values", clean=_paths, is_path=True, is_lent=True),
    Field("profile", read_weights),
    Field("category", _one_of(CATEGORIES), column=True, option="value", choices=CATEGORIES, is_lent=True),
    Field("type", _one_of(TYPES), column=True, option="value", choices=TYPES, is_lent=True),
    Field("source", _one_of(SOURCES), column=True, option="value", choices=SOURCES),
    Field("verified", read_flag, column=True, option="flag"),
    Field("session", read_text, column=True),
    Field("dims", _dims),
    Field("reason", read_text, option="value", clean=_cleaned),
    Field("slice", read_text),
    Field("supersedes", lambda value: value if isinstance(value, str) and is_id(value) else None),
    Field("k", read_count),
    Field("behind", read_flag),
    Field("salt", read_count),
    Field("unconfirmed", read_text),
    Field("topics", _texts),
    Field("cites", _texts),
    Field("cited_at", read_text),
    Field("aka", read_aliases, option="values", clean=clean_aliases, is_lent=True),
)
"""Table of all fields, for the line format, the cache, the checks before storing, and printed commands."""
