"""converse: turns go to the session's working memory; above 30 messages the oldest are rolled up."""

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from promptx_mem import session
from promptx_mem.core.credentials import find_credentials
from promptx_mem.core.description import Rolled
from promptx_mem.core.json_text import load_object, loads
from promptx_mem.core.shell import TEXT
from promptx_mem.core.slices import ROLES, SPEAKERS, Message, Unit, unit_of
from promptx_mem.core.text import clean, shorten
from promptx_mem.core.times import is_time
from promptx_mem.errors import PromptxMemError, Refused, UsageError
from promptx_mem.result import Result
from promptx_mem.store import conversations, files, intent
from promptx_mem.store.store import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import idle, limits

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.rollup import Progress

_EXAMPLE = 'a line a message: {"role": "user", "content": "hello"}'


class Waiting(TypedDict):
    """A message in working memory."""

    number: int
    role: str
    text: str
    at: str | None


class Converse(TypedDict, total=False):
    """What converse answers: what was added and rolled up, or with --show what waits."""

    store: str
    made_store: str | None
    session: str
    unit: str
    added: int
    known: int
    waiting: int
    rolled: list[Rolled]
    messages: list[Waiting] | None


def converse(
    context: "Context", messages: Sequence[Message], *, snapshot: bool, progress: "Progress | None" = None
) -> Result[Converse]:
    """Add turns durably, then roll up what is above the limit.

    With `snapshot` the messages are a conversation so far: what overlaps the stored end of it is known already.
    A message that holds a credential is withheld: that it was said is kept, its text is not.
    What a system or a tool says is no part of it. Raises BusyError, StoreError, UsageError for a placeholder; then
    none of them was added.
    """
    context.demand_config()
    if context.layout.is_user and session.is_in_host():
        raise Refused(
            "an agent adds no conversations to the user store",
            code="needs_request",
            hint="in a store of this folder: promptx-mem init",
        )
    if not snapshot and any(message.text == TEXT for message in messages):
        raise UsageError(
            f"{TEXT} is not a message: nothing was stored",
            code="no_text",
            hint="the same command with the words in its place",
        )
    unit = unit_of(context.session)
    now = context.now().isoformat(timespec="seconds")
    spoken = [_withheld(message) for message in messages if message.role in SPEAKERS]
    timed = [_timed(message, now) for message in spoken]
    if not timed and not context.layout.exists():
        nothing: Converse = {"added": 0, "known": 0, "waiting": 0, "rolled": [], "messages": None}
        return Result("converse", {**_where(context, unit), **nothing})

    def locked(writer: Writer) -> tuple[int, Unit]:
        with disk_errors():
            conversation = conversations.read(writer.layout, unit)
            fresh = timed[overlap(_ordered(conversation), timed) :] if snapshot else timed
            conversations.add_messages(writer.layout, conversation, fresh, context.session)
        return len(fresh), conversation

    added, conversation = context.store.write(locked)
    rolled: list[Rolled] = []
    warnings: list[str] = []
    try:
        conversation = conversations.read(context.layout, unit, conversation)
        if conversation.is_due() or conversation.unfinished() or idle.is_any(context):
            from promptx_mem.usecases.rollup import roll, roll_idle

            rolled = roll(context, unit, progress=progress, problems=warnings)
            rolled += roll_idle(context, context.now(), problems=warnings)
            conversation = conversations.read(context.layout, unit, conversation)
    except (PromptxMemError, OSError) as error:  # what was said is safe: the next command or decay goes on
        warnings.append(f"the messages are stored, but not all could be rolled up yet: {error}")
    if intent.is_behind(context.layout):
        from promptx_mem.usecases import mend

        warnings += mend.now(context)
    waiting = len(conversation.waiting())
    data: Converse = {
        "added": added,
        "known": len(timed) - added,
        "waiting": waiting,
        "rolled": rolled,
        "messages": None,
    }
    return Result("converse", {**_where(context, unit), **data}, (*warnings, *limits.size_warnings(context)))


def _timed(message: Message, now: str) -> Message:
    """A message with the time at which it was said, and with that at which it came, if it is another."""
    return message._replace(at=message.at or now, heard=now if message.at and message.at != now else None)


def _withheld(message: Message) -> Message:
    """A message, or that it held a credential: what was said once is kept for months, in plain text."""
    kinds = find_credentials(message.text)
    return message._replace(text=f"[withheld: a credential ({', '.join(kinds)})]") if kinds else message


def show(context: "Context") -> Result[Converse]:
    """What waits in the session's working memory, oldest first."""
    unit = unit_of(context.session)
    with disk_errors():
        conversation = conversations.read(context.layout, unit)
    messages: list[Waiting] = [
        {"number": number, "role": message.role, "text": message.text, "at": message.at}
        for number, message in sorted(conversation.waiting().items())
        if files.identity(context.layout.purge) is None  # a purge is not finished: a message may have its text
    ]
    data: Converse = {"waiting": len(messages), "messages": messages}
    return Result("converse", {**_where(context, unit), **data}, context.config_warnings())


def read_messages(text: str) -> list[Message]:
    """Read a conversation: JSON lines, or one JSON list. Raises UsageError that names the first bad line."""
    listed = _list(text)
    if listed is not None:
        return [message for place, item in enumerate(listed, 1) if (message := _message(item, f"item {place}"))]
    messages = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            message = _message(load_object(line), f"line {number}")
            if message is not None:
                messages.append(message)
    return messages


def overlap(stored: Sequence[Message], messages: Sequence[Message]) -> int:
    """Return how many of the first messages given are the last ones stored; times do not matter. Linear time."""
    pattern = [(message.role, message.text) for message in messages]
    # Knuth, Morris and Pratt: `back[i]`, the longest proper prefix of `pattern` that ends at i
    back = [0] * len(pattern)
    length = 0
    for place in range(1, len(pattern)):
        while length and pattern[place] != pattern[length]:
            length = back[length - 1]
        length += pattern[place] == pattern[length]
        back[place] = length
    length = 0
    for message in stored[-len(pattern) :] if pattern else ():
        while length and (length == len(pattern) or pattern[length] != (message.role, message.text)):
            length = back[length - 1]
        length += pattern[length] == (message.role, message.text)
    return length


def _ordered(unit: Unit) -> list[Message]:
    return [message for _, message in sorted(unit.messages.items())]


def _where(context: "Context", unit: str) -> Converse:
    return {"store": context.layout.display(), "session": context.session, "unit": unit}


def _list(text: str) -> list[Any] | None:
    if not text.lstrip().startswith("["):
        return None
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        raise UsageError("stdin is not a JSON list, nor JSON lines", code="bad_message", hint=_EXAMPLE) from None
    return value if isinstance(value, list) else None


def _message(item: Any, place: str) -> Message | None:
    """One message; None where it has no text. `content` may be a text or a list of blocks with texts."""
    if not isinstance(item, dict):
        raise _bad(place, "is no JSON object")
    role, content, at = item.get("role"), item.get("content", item.get("text")), item.get("at")
    if role not in ROLES:
        raise _bad(place, f"has the role {shorten(str(role), 20)!r}, none of {', '.join(ROLES)}")
    if isinstance(content, list):
        blocks = [block.get("text") for block in content if isinstance(block, dict)]
        content = "\n".join(block for block in blocks if isinstance(block, str))
    if not isinstance(content, str | None):
        raise _bad(place, "has a content that is no text")
    text = clean(content or "")
    return Message(role, text, _time(at, place)) if text else None


def _time(at: Any, place: str) -> str | None:
    if at is None:
        return None
    try:
        moment = datetime.datetime.fromisoformat(at).astimezone().isoformat(timespec="seconds")
    except (TypeError, ValueError, OverflowError, OSError):
        moment = ""
    if not is_time(moment):
        raise _bad(place, f"has the time {shorten(str(at), 30)!r}; RFC 3339 is meant")
    return moment


def _bad(place: str, problem: str) -> UsageError:
    return UsageError(f"{place} of stdin {problem}; nothing was added", code="bad_message", hint=_EXAMPLE)
