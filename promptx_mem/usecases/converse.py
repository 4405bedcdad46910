"""converse: stores the messages of a session. After a pause, or if over 30 have no summary, the oldest get one."""

import contextlib
import datetime
import os
import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from promptx_mem import session
from promptx_mem.core.credentials import find_credentials
from promptx_mem.core.ids import short_hash
from promptx_mem.core.json_text import load_object, loads
from promptx_mem.core.slices import ROLES, SPEAKERS, Message, NewEpisode, Unit, joined, split_message, unit_of
from promptx_mem.core.text import clean, shorten
from promptx_mem.core.times import HOUR, epoch, is_time
from promptx_mem.errors import PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.record import TYPE_CHECKING, Any, TypedDict
from promptx_mem.result import Result, complete
from promptx_mem.store import checks, conversations, files, settings
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import limits, retention
from promptx_mem.usecases.limits import demand_config

if TYPE_CHECKING:
    from promptx_mem.search.cache import Progress
    from promptx_mem.usecases.context import Context

_EXAMPLE = 'one message per line: {"role": "user", "content": "hello"}'


class Waiting(TypedDict):
    """A message that is not summarised yet."""

    number: int
    role: str
    text: str
    at: str | None


class Converse(TypedDict, total=False):
    """The answer of `converse`: counts of messages, and new summaries (`rolled`), or the messages without a summary."""

    store: str
    made_store: str | None
    session: str
    unit: str
    added: int
    known: int
    waiting: int
    rolled: list[NewEpisode]
    messages: list[Waiting] | None


def converse(
    context: "Context", messages: Sequence[Message], *, snapshot: bool, progress: "Progress | None" = None
) -> Result[Converse]:
    """Store messages durably, then summarise the due ones.

    With `snapshot`, the messages are a whole conversation, and those that are already stored are skipped. A message
    with a credential is stored without its text. Messages of systems and tools are skipped. Raises BusyError,
    ConfigError, StoreError, Refused. Then no message has been added.
    """
    demand_config(context)
    if context.layout.is_user and session.is_in_host():
        raise Refused(
            "an agent is not allowed to add conversations to the user store",
            code="needs_request",
            hint="to create a store in this folder: promptx-mem init",
        )
    unit = unit_of(context.session)
    now = context.at
    timed = list(_stored([message for message in messages if message.role in SPEAKERS], now))
    if not timed and not context.layout.exists():
        return Result("converse", complete(Converse, _where(context, unit)))

    def locked(writer: Writer) -> tuple[int, Unit]:
        parts = _split(timed)
        with disk_errors():
            conversation = conversations.read(writer.layout, unit)
            stored = [message for _, message in sorted(conversation.messages.items())]
            known = overlap(_split(stored), parts) if snapshot else 0
            conversations.add_messages(writer.layout, conversation, parts[known:], context.session)
        ends = accumulate(len(split_message(message)) for message in timed)
        return sum(end > known for end in ends), conversation

    added, conversation = context.store.write(locked)
    rolled: list[NewEpisode] = []
    warnings: list[str] = []
    try:
        conversation = conversations.read(context.layout, unit, conversation)
        rolled = _summarise(context, conversation, warnings, progress)
        conversation = conversations.read(context.layout, unit, conversation)
    except (PromptxMemError, OSError) as error:  # all messages are stored: the next command or decay summarises them
        warnings.append(f"the messages are stored, but not all could be summarised yet: {error}")
    if checks.is_index_outdated(context.layout):
        from promptx_mem.usecases import index

        warnings += index.update(context)
    waiting = len(joined(conversation.waiting()))
    data: Converse = {"added": added, "known": len(timed) - added, "waiting": waiting, "rolled": rolled}
    return Result("converse", {**_where(context, unit), **data}, (*warnings, *limits.size_warnings(context)))


def _summarise(
    context: "Context", conversation: Unit, problems: list[str] | None = None, progress: "Progress | None" = None
) -> list[NewEpisode]:
    """Summarise the due messages of a conversation and of idle conversations."""
    if not (conversation.is_due() or conversation.unfinished() or retention.has_unsummarised(context)):
        return []
    from promptx_mem.usecases.rollup import roll, roll_idle

    rolled = roll(context, conversation.id, progress=progress, problems=problems)
    return rolled + roll_idle(context, context.now(), problems=problems)


def show(context: "Context") -> Result[Converse]:
    """List the session's messages that are not summarised yet, oldest first; none during a purge."""
    unit = unit_of(context.session)
    with disk_errors():
        conversation = conversations.read(context.layout, unit)
    messages: list[Waiting] = [
        {"number": number, "role": message.role, "text": message.text, "at": message.at}
        for number, message in joined(conversation.waiting()).items()
        if files.identity(context.layout.purge) is None  # during a purge, a message could still contain the purged text
    ]
    data: Converse = {"waiting": len(messages), "messages": messages}
    return Result("converse", {**_where(context, unit), **data}, context.config_warnings())


def read_messages(text: str) -> list[Message]:
    """Read a conversation from JSON lines or one JSON list. Raises UsageError that names the first invalid line."""
    if text.lstrip().startswith("["):
        try:
            listed = loads(text)
        except (ValueError, RecursionError):
            raise UsageError("stdin is neither a JSON list nor JSON lines", code="bad_message", hint=_EXAMPLE) from None
        found = (_message(item, f"item {place}") for place, item in enumerate(listed, 1))
    else:
        lines = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
        found = (_message(load_object(line), f"line {number}") for number, line in lines)
    return [message for message in found if message]


def overlap(stored: Sequence[Message], messages: Sequence[Message]) -> int:
    """Find the longest beginning of `messages` that equals the end of `stored` in role and text. Return its length."""
    last, first = ([(one.role, one.text) for one in some] for some in (stored[-len(messages) :], messages))
    return next((length for length in range(len(last), 0, -1) if last[-length:] == first[:length]), 0)


def _split(messages: Sequence[Message]) -> list[Message]:
    return [part for message in messages for part in split_message(message)]


def _where(context: "Context", unit: str) -> Converse:
    return {"store": context.path, "session": context.session, "unit": unit}


def _message(item: Any, place: str) -> Message | None:
    """Return the message in a JSON value; None if it has no text. `content` is text or a list of blocks with texts."""
    if not isinstance(item, dict):
        raise _bad(place, "is not a JSON object")
    role, content, at = item.get("role"), item.get("content", item.get("text")), item.get("at")
    if role not in ROLES:
        raise _bad(place, f"has the role {shorten(str(role), 20)!r}, which is not one of {', '.join(ROLES)}")
    if isinstance(content, list):
        blocks = [block.get("text") for block in content if isinstance(block, dict)]
        content = "\n".join(block for block in blocks if isinstance(block, str))
    if not isinstance(content, str | None):
        raise _bad(place, "has content that is not text")
    text = clean(content or "")
    if text and at is not None and _moment(at) is None:
        raise _bad(place, f"has the time {shorten(str(at), 30)!r}, which is not RFC 3339")
    return Message(role, text, _moment(at)) if text else None


def _moment(at: Any) -> str | None:
    """Return a time with this machine's offset, or None if the value is not an RFC 3339 time."""
    try:
        moment = datetime.datetime.fromisoformat(at).astimezone().isoformat(timespec="seconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return moment if is_time(moment) else None


def _bad(place: str, problem: str) -> UsageError:
    return UsageError(f"{place} of stdin {problem}; nothing was added", code="bad_message", hint=_EXAMPLE)


BY_WORDS = "#"
"""Prefix of the key of a message without a host's id. This key is a hash of the words, so it is not unique."""

_UNIQUE = 16
_ROLES = {"user": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant", "qwen": "assistant"}
_TAGS = (
    "system-reminder|command-[a-z]+|local-command-[a-z]+|bash-[a-z]+|task-notification|subagent_notification|skill"
    "|(?:hook|session|environment|additional|internal_model)_context|user_(?:instructions|shell_command|action)"
    "|permissions instructions|recommended_plugins|turn_aborted|hook_prompt|INSTRUCTIONS"
)
_OPENINGS = (
    r"# AGENTS\.md instructions|Caveat: The messages below|\[Request interrupted"
    r"|This session is being continued from a previous conversation"
)
_INJECTED = re.compile(rf"\s*(?:<(?:{_TAGS})\b|{_OPENINGS})")
_BLOCKS = re.compile(r"<(system-reminder|hook_context|session_context|environment_context)>.*?</\1>", re.DOTALL)
_SKIPPED = ("isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")


def read_transcript(data: bytes) -> list[Message]:
    """Return a transcript's messages in order, each once. A `key` has the host's id, a hash of the words, or both."""
    messages: dict[str, Message] = {}
    counts: dict[str, int] = {}
    for role, content, ident, at in filter(None, map(_parse_record, _records(data))):
        text = clean(_without_injected(content)).strip()
        if not text:
            continue
        own = short_hash(f"{role}\0{text}".encode("utf-8", "replace"))
        key = ident
        if not ident:  # equal texts are numbered, with the same numbers at each reading
            counts[own] = counts.get(own, 0) + 1
            key = f"{BY_WORDS}{own}-{counts[own]}"
        elif len(ident) < _UNIQUE:  # the ids could count from one in every session
            key = f"{ident}-{own}"
        messages[key] = Message(role, text, at, key=key)
    return list(messages.values())


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the objects of a transcript: the messages of one JSON object, or else JSON lines."""
    text = data.decode("utf-8", "replace")
    value = None
    if '"messages"' in text[:2_000]:
        with contextlib.suppress(ValueError, RecursionError):
            value = loads(text)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        yield from (item for item in value["messages"] if isinstance(item, dict))
        return
    for line in text.split("\n")[:-1]:  # the last line is not complete yet
        if (fields := load_object(line)) is not None:
            yield fields


def _parse_record(record: dict[str, Any]) -> tuple[str, str, str, str | None] | None:
    """Return role, text, id and time of a record; None if it is not of the user or assistant, or lacks a needed id."""
    if any(record.get(name) for name in _SKIPPED):
        return None
    kind, at = record.get("type"), _moment(record.get("timestamp"))
    payload, message = record.get("payload"), record.get("message")
    if kind == "response_item" and isinstance(payload, dict):
        if payload.get("type") != "message" or payload.get("role") not in ("user", "assistant"):
            return None
        return payload["role"], _text_of(payload.get("content")), _id(payload.get("id")), at
    if kind not in _ROLES or (isinstance(message, dict) and message.get("model") == "<synthetic>"):
        return None
    content = message.get("content") if isinstance(message, dict) else record.get("content")
    if content is None and isinstance(message, dict):
        content = message.get("parts")
    ident = _id(record.get("uuid")) or _id(record.get("id"))
    return (_ROLES[kind], _text_of(content), ident, at) if ident else None


def _text_of(content: Any) -> str:
    """Return the text of a message, or of its text blocks. Return no text if a block is the result of a tool."""
    if isinstance(content, str):
        return content
    blocks = [
        {"text": block} if isinstance(block, str) else block
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, str | dict)
    ]
    if any(block.get("type") == "tool_result" or "functionResponse" in block for block in blocks):
        return ""
    texts = (block.get("text") for block in blocks if block.get("type") in _TEXTS and not block.get("thought"))
    return "\n".join(part for text in texts if isinstance(text, str) and (part := _without_injected(text)))


def _without_injected(text: str) -> str:
    """Return a text without the parts that the host added. Empty if the host wrote the whole text."""
    text = _BLOCKS.sub("", text)
    return "" if _INJECTED.match(text) else text


_TEXTS = ("text", "input_text", "output_text", None)


def _id(value: Any) -> str:
    return value if isinstance(value, str) and 0 < len(value) <= 100 and value.isprintable() else ""


MAX_BYTES = 64_000_000
"""Maximum number of bytes that are read from a transcript. Of a longer transcript, only the end is read."""


MOST = 10_000
"""Maximum number of messages that one hook stores, because hosts kill slow hooks. The next hook stores the rest."""


def is_chosen(context: "Context") -> bool:
    """Return whether the user chose to save conversations, in a store that exists and is the user's own."""
    return context.layout.exists() and context.origin.is_own and settings.of("conversations").conversations


def import_transcript(context: "Context", path: str) -> tuple[int, int]:
    """Store the new messages of a transcript, and summarise due ones. Raises ConfigError, StoreError, BusyError.

    Return the numbers of messages that were added, and of the others.
    """
    demand_config(context)
    since = retention.horizon(context.layout, context.moment)  # skip messages that retention would remove
    data = b""
    with contextlib.suppress(OSError, ValueError, StoreError):  # a file that cannot be read has no messages
        data = files.load(path, max(os.stat(path).st_size - MAX_BYTES, 0), MAX_BYTES, follow=True)
    messages = [message for message in read_transcript(data) if message.at is None or epoch(message.at) > since]
    now = context.at
    unit = unit_of(context.session)

    def locked(writer: "Writer") -> int:
        keys = _earlier_keys(context, unit, messages)
        new = [message for message in messages if message.key not in keys]
        fresh = list(_stored(new[:MOST], now))
        conversations.add_messages(writer.layout, unit, _split(fresh), context.session)
        return len(fresh)

    known = conversations.read(context.layout, unit).keys()
    is_new = any(message.key not in known for message in messages)
    added = context.store.write(locked) if is_new else 0
    _summarise(context, conversations.read(context.layout, unit))
    return added, len(messages) - added


def _earlier_keys(context: "Context", unit: str, messages: list[Message]) -> set[str]:
    """Return the keys of the messages stored in this session, and in earlier sessions that this one continues.

    The transcript of a resumed session also contains the messages of the earlier session. Earlier sessions are searched
    only if the transcript has new messages.
    """
    keys = conversations.read(context.layout, unit).keys()
    fresh = [one for one in messages if one.key and one.key not in keys and not one.key.startswith(BY_WORDS)]
    said = [epoch(message.at) if message.at else 0.0 for message in fresh]
    first = min(said, default=float("inf")) - HOUR  # the host's clock can differ from the disk's
    identities = conversations.identities(context.layout.conversations)
    for name in conversations.named(name for name, identity in identities.items() if identity[3] / 1e9 >= first):
        earlier = {one.key: one for one in conversations.read(context.layout, name).messages.values() if one.key}
        if name != unit and any(_is_copy(message, earlier.get(message.key or "")) for message in fresh):
            keys |= earlier.keys()
    return keys


def _is_copy(message: Message, earlier: Message | None) -> bool:
    """Return whether two messages with the same key are the same. If the key is not unique, the times must be equal.

    A key is unique among all sessions unless it contains a host's short id.
    """
    if earlier is None:
        return False
    head, mark, _ = (message.key or "").rpartition("-")
    is_unique = len(head if mark else message.key or "") >= _UNIQUE
    return is_unique or (message.at is not None and message.at == earlier.at)


def _stored(messages: Sequence[Message], now: str) -> Iterator[Message]:
    """Yield the messages as they are stored. `heard` is the time of arrival if the message has another time.

    A text with a credential is replaced by a note, because messages are kept for months in plain text.
    """
    for message in messages:
        kinds = find_credentials(message.text)
        text = f"[withheld: a credential ({', '.join(kinds)})]" if kinds else message.text
        at = message.at or now
        yield message._replace(text=text, at=at, heard=now if at != now else None)
