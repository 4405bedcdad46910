"""The text of MEMORY.md: the most important memories, grouped by band (`core.state.band`) and topic.

If the text exceeds 200 lines or 25,600 bytes, the least important memories are left out, but never the newest three
conversations. The same memories and the same `now` give the same text. A memory's text is escaped: it cannot open a tag
or a comment.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache

from promptx_mem.core import state
from promptx_mem.core.state import Place
from promptx_mem.core.text import byte_size, escape_markup, printable, shorten
from promptx_mem.record import Literal, NamedTuple

Limit = Literal["lines", "bytes"]

MAX_LINES = 200
MAX_BYTES = 25_600
TEXT_LENGTH = 100
"""Maximum length, in characters, of a memory's text in MEMORY.md, including the ellipsis."""

_TOPIC_LENGTH, _TAG_LENGTH, _TAGS = 80, 32, 8
_WARNING_LINES = 2  # an empty line and the warning
_EXCEEDED: dict[Limit, str] = {"lines": f"{MAX_LINES} lines", "bytes": f"{MAX_BYTES // 1024}KB"}
_NO_TOPIC = "(no topic)"
_AS_OF, _END = "<!-- as of ", " -->"


class IndexItem(NamedTuple):
    """A memory as MEMORY.md shows it.

    `at` is the time of the last access, and `noted` is the time of storing, both in epoch seconds. If band and
    importance are equal, the user's `own` memories are first, and then the memory with the latest access.
    `annotation` is appended to the line unchanged.
    """

    id: str
    text: str
    tags: tuple[str, ...]
    topic: str | None
    importance: float
    at: float
    annotation: str = ""
    band: int = state.BAND_OTHER
    noted: float = 0.0
    own: bool = True


class Digest(NamedTuple):
    """The text of MEMORY.md, its ids in order, the number of memories that it does not show, and the exceeded limit.

    `max_conversations` limits the conversations. Further conversations are hidden even if there is space. `end`
    is a sort key: a new fact that ranks after `end` changes only the number of hidden memories.
    """

    text: str
    ids: tuple[str, ...]
    hidden: int
    limit: Limit | None
    end: Place | None = None


def render_index(items: Iterable[IndexItem], *, now: datetime, total: int, talking: int = 0) -> Digest:
    """Render MEMORY.md from a store's most important memories.

    The store has `total` memories, of which `talking` are conversations. `now` is an aware datetime. `items` can be
    fewer than `total`: the other memories count as hidden.
    """
    ranked = sorted(items, key=rank)
    total = max(total, len(ranked))
    priorities = _by_priority(ranked)
    facts = sum(item.band != state.BAND_EPISODE for item in ranked)
    unlisted = max(total - max(talking, len(ranked) - facts) - facts, 0)
    header = f"# Memory index\n{_AS_OF}{now.isoformat()}{_END}\n\n"
    lines, costs = _measure(priorities, header)
    whole = (costs[-1][0] + unlisted + len(priorities) - len(lines), costs[-1][1])
    stop, limit = _cut(costs, whole, total)
    pairs = sorted(zip(priorities[:stop], lines, strict=False), key=lambda pair: rank(pair[0]))
    groups: dict[tuple[int, str], list[str]] = {}
    for item, (heading, line) in pairs:
        groups.setdefault((item.band, heading), [heading]).append(line)
    text = header + "".join(line for group in groups.values() for line in group)
    if limit:
        text += f"\n{_warning(limit, total - stop)}\n"
    elif not ranked:
        text += "No memories yet.\n"
    # the first hidden memory above the limit
    passing = (n for n in range(stop, len(costs) - 1) if limit == "lines" or costs[n + 1][1] > MAX_BYTES)
    last = next(passing, None) if limit and total - stop > MAX_LINES else None
    end = None if last is None or priorities[last].band == state.BAND_EPISODE else rank(priorities[last])
    return Digest(text, tuple(item.id for item, _ in pairs), total - stop, limit, end)


def rank(item: IndexItem) -> Place:
    """Return the sort key of a memory. The smallest key comes first."""
    return item.band, -item.importance, not item.own, -item.at, -item.noted, item.id


def _by_priority(ranked: Sequence[IndexItem]) -> list[IndexItem]:
    """Sort memories by priority: the newest 3 conversations, facts, other conversations up to `max_conversations`."""
    facts = [item for item in ranked if item.band != state.BAND_EPISODE]
    talks = [item for item in ranked if item.band == state.BAND_EPISODE]
    newest = sorted(talks, key=lambda item: (-item.noted, item.id))[: state.MIN_NEWEST]
    rest = [item for item in talks if item not in newest]
    return [*newest, *facts, *rest[: max_conversations(len(facts)) - state.MIN_NEWEST]]


def as_of(text: str) -> datetime | None:
    """Return the time for which an index was rendered, according to its header; None if the header has no time."""
    line = next((line for line in text.split("\n") if line.startswith(_AS_OF) and line.endswith(_END)), "")
    try:
        moment = datetime.fromisoformat(line.removeprefix(_AS_OF).removesuffix(_END))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _measure(ranked: Sequence[IndexItem], header: str) -> tuple[list[tuple[str, str]], list[tuple[int, int]]]:
    """Render each memory as heading and line, in order of priority, until a limit is exceeded.

    Also return the total number of lines and of bytes for the first 0, 1, 2… memories.
    """
    headings: dict[str | None, str] = {None: ""}
    if any(item.topic for item in ranked):
        headings[None] = f"## {_NO_TOPIC}\n"
    lines: list[tuple[str, str]] = []
    costs = [(header.count("\n"), byte_size(header))]
    opened = {(item.band, "") for item in ranked}
    for item in ranked:
        count, size = costs[-1]
        if size > MAX_BYTES or count > MAX_LINES:
            break
        if (heading := headings.get(item.topic)) is None:
            heading = headings[item.topic] = _heading(item.topic or "") or headings[None]
        line = f"- {_shown(item.text, item.tags, item.id)}{item.annotation}\n"
        if (item.band, heading) not in opened:
            opened.add((item.band, heading))
            count, size = count + 1, size + byte_size(heading)
        lines.append((heading, line))
        costs.append((count + 1, size + byte_size(line)))
    return lines, costs


def _heading(topic: str) -> str:
    from promptx_mem.core.topics import SEPARATOR, format_path, parse_path

    name = shorten(format_path(parse_path(topic)), _TOPIC_LENGTH)
    # arrows stay readable; since `<` is escaped, only `-->` could still close a comment
    name = SEPARATOR.join(escape_markup(part) for part in name.split(SEPARATOR)).replace("-->", "--&gt;")
    return name and f"## {name}\n"


def whole_line(text: str, tags: Sequence[str], ident: str) -> str:
    """Return a memory's line in MEMORY.md, without the age. Return "" if the line would not show the whole text."""
    if printable(" ".join(text.split())) != shorten(text, TEXT_LENGTH):
        return ""
    return f"- {_shown(text, tuple(tags), ident)}"


@lru_cache(maxsize=2 * MAX_LINES)
def _shown(text: str, tags: tuple[str, ...], ident: str) -> str:
    """Return text, tags and id of a memory as MEMORY.md shows them. Cached for processes that write often."""
    text = escape_markup(shorten(text, TEXT_LENGTH))
    more = " …" if len(tags) > _TAGS else ""
    shown = "".join(f" #{escape_markup(shorten(tag, _TAG_LENGTH))}" for tag in tags[:_TAGS])
    return f"{text}{shown}{more} ({escape_markup(ident)})"


def _cut(costs: Sequence[tuple[int, int]], whole: tuple[int, int], total: int) -> tuple[int, Limit | None]:
    """Return the number of kept items, and the exceeded limit or None.

    `costs[n]` are the lines and bytes of the first n items. `whole` are the lines and bytes of the whole text.
    """
    if whole[0] <= MAX_LINES and whole[1] <= MAX_BYTES:
        return len(costs) - 1, None
    room = MAX_BYTES - byte_size(f"\n{_warning('lines', total)}\n")
    fitting = (n for n, (lines, size) in enumerate(costs) if lines + _WARNING_LINES <= MAX_LINES and size <= room)
    kept = max(fitting, default=0)
    is_by_lines = whole[0] > MAX_LINES and costs[min(kept + 1, len(costs) - 1)][1] <= room
    return kept, "lines" if is_by_lines else "bytes"


def _warning(limit: Limit, hidden: int) -> str:
    return (
        f"> **WARNING**: MEMORY.md has been truncated (exceeded {_EXCEEDED[limit]}). "
        f"{hidden} memories are not shown. Use `promptx-mem recall` to reach them."
    )


def max_conversations(facts: int) -> int:
    """Return the maximum number of conversations in a list with this number of facts."""
    return max(state.MIN_NEWEST, min(state.MOST, facts // (state.SHARE - 1)))


def annotation(modified: float, threshold: float | None, now: float) -> str:
    """Return the note on a memory's age for a line of MEMORY.md, with a leading space; "" below the `threshold`."""
    age = state.old_age(modified, threshold, now)
    return age and f" _(last updated {age} ago)_"
