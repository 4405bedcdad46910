"""turns: what is new in a host's transcript goes to the session's working memory, each message exactly once.

A message keeps the host's id in its own line, so that what was taken is known by the same append that takes it: no
crash, no second hook at once and no later one can take it twice, and what a purge has emptied is never taken again.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict

from promptx_mem.core import transcripts
from promptx_mem.core.credentials import find_credentials, rows_of
from promptx_mem.core.slices import Message, unit_of
from promptx_mem.core.times import HOUR, epoch
from promptx_mem.result import Result
from promptx_mem.store import conversations, files, kept, settings
from promptx_mem.usecases import idle

if TYPE_CHECKING:
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.context import Context

MAX_BYTES = 64_000_000
"""Of a transcript; of a longer one the end is read."""


MOST = 10_000
"""Messages taken at once, the oldest first: a host ends a hook that takes long. The next hook goes on."""

_TOGETHER = 100


class Turns(TypedDict):
    """How many messages were taken, how many were known, and how many are left for the next time."""

    store: str
    added: int
    known: int
    left: int


def is_chosen(context: "Context") -> bool:
    """Whether the user wants what is said to be kept, and there is a store of one's own to keep it in."""
    return context.layout.exists() and context.origin.is_own and settings.keeps_conversations()


def take(context: "Context", path: str) -> Result[Turns]:
    """Take what is new of a transcript. Raises ConfigError, StoreError, BusyError; then none of it was taken."""
    context.demand_config()
    since = kept.horizon(context.layout, context.now().timestamp())  # what has gone is not taken again
    messages = [message for message in transcripts.read(_read(path)) if message.at is None or epoch(message.at) > since]
    now = context.now().isoformat(timespec="seconds")
    unit = unit_of(context.session)

    def locked(writer: "Writer") -> tuple[int, int]:
        keys = _earlier_keys(context, unit, messages)
        new = [message for message in messages if message.key not in keys]
        parts = (new[start : start + _TOGETHER] for start in range(0, min(len(new), MOST), _TOGETHER))
        fresh = [message for part in parts for message in _stored(part, now)][:MOST]
        conversations.add_messages(writer.layout, unit, fresh, context.session)
        return len(fresh), len(new) - len(fresh)

    is_new = messages and not _is_all_known(context, unit, messages)
    added, left = context.store.write(locked) if is_new else (0, 0)
    conversation = conversations.read(context.layout, unit)
    if conversation.is_due() or conversation.unfinished() or idle.is_any(context):
        from promptx_mem.usecases.rollup import roll, roll_idle

        roll(context, unit)
        roll_idle(context, context.now())
    data: Turns = {
        "store": context.layout.display(),
        "added": added,
        "known": len(messages) - added - left,
        "left": left,
    }
    return Result("turns", data)


def _is_all_known(context: "Context", unit: str, messages: list[Message]) -> bool:
    keys = conversations.read(context.layout, unit).keys()
    return all(message.key in keys for message in messages)


def _earlier_keys(context: "Context", unit: str, messages: list[Message]) -> set[str]:
    """The host's ids that were taken, also by a session that this one goes on with under another name.

    That is looked for as long as the transcript has what is new here: a resumed copy keeps what was said before.
    """
    keys = conversations.read(context.layout, unit).keys()
    fresh = [message for message in messages if message.key and message.key not in keys]
    fresh = [message for message in fresh if not (message.key or "").startswith(transcripts.BY_WORDS)]
    marks = {conversations.mark_of(message.key or "") for message in fresh}
    for name in _written_since(context, fresh):
        if name != unit and not marks.isdisjoint(conversations.marks(context.layout, name)):
            earlier = {one.key: one for one in conversations.read(context.layout, name).messages.values() if one.key}
            if any(_is_copy(message, earlier.get(message.key or "")) for message in fresh):
                keys |= earlier.keys()
    return keys


def _is_copy(message: Message, earlier: Message | None) -> bool:
    """Whether two messages with one id are the same: an id that counts from one in every session needs the time."""
    if earlier is None:
        return False
    return transcripts.is_unique(message.key or "") or (message.at is not None and message.at == earlier.at)


def _written_since(context: "Context", messages: list[Message]) -> list[str]:
    """The units that may hold what was said first here, or later: their files were written to since then."""
    said = [epoch(message.at) if message.at else 0.0 for message in messages]
    first = min(said, default=float("inf")) - HOUR  # the host's clock need not be that of the disk
    identities = files.identities(context.layout.conversations)
    return conversations.named(name for name, identity in identities.items() if identity[3] / 1e9 >= first)


def _stored(messages: Sequence[Message], now: str) -> Iterator[Message]:
    rows = rows_of(message.text for message in messages)
    for message in messages:
        kinds = find_credentials(message.text, rows)
        text = f"[withheld: a credential ({', '.join(kinds)})]" if kinds else message.text
        at = message.at or now
        yield message._replace(text=text, at=at, heard=now if at != now else None)


def _read(path: str) -> bytes:
    """The transcript's bytes, nothing where it is no file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError):
        return b""
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return b""
        start = max(status.st_size - MAX_BYTES, 0)
        return os.pread(fd, MAX_BYTES, start)
    finally:
        os.close(fd)
