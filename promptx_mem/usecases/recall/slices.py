"""The raw messages of a slice, as they are shown to whoever asked."""

from typing import TYPE_CHECKING

from promptx_mem.core.description import Activation, Description, Turn

if TYPE_CHECKING:
    from promptx_mem.core.slices import Message, Slice
    from promptx_mem.store.layout import Layout

LONGEST_MESSAGE = 2_000
"""Characters of one raw message that are shown; the file holds all of it."""


def activate(where: "Layout", reference: str, *, messages: bool, number: int | None = None) -> Activation:
    """An *ActivatedMemorySlice*: summary, date, time and raw messages; over 10: the first 2, middle 4 and last 2.

    The 4 are those around the message `number`, where that is what was found. `left_out` gives how many messages are
    missing in each gap. What cannot be read has `missing` and no messages: the memory itself is still an answer.
    """
    from promptx_mem.core.topics import excerpt

    blank: Activation = {
        "ref": reference, "date": None, "time": None, "summary": None, "messages": [], "left_out": [], "missing": True,
    }  # fmt: skip
    content = _read(where, reference)
    if content is None:
        return blank
    part, raw, first = content
    extract = excerpt(len(raw), None if number is None else number - first)
    whole: list[Turn] = [{"role": raw[i].role, "text": _bounded(raw[i].text), "at": raw[i].at} for i in extract.indices]
    return {
        **blank,
        "date": part.at[:10],
        "time": part.at[11:16],
        "summary": part.summary,
        "messages": whole if messages else [],
        "left_out": list(extract.left_out) if messages else [len(raw)],
        "missing": False,
    }


def _read(where: "Layout", reference: str) -> "tuple[Slice, list[Message], int] | None":
    """A slice, its messages and the number of the first; what waits for a slice is read as one."""
    from promptx_mem.core.slices import Slice, first_words, is_unit, parse_reference
    from promptx_mem.errors import StoreError
    from promptx_mem.search.messages import WAITING
    from promptx_mem.store import conversations, files

    if files.identity(where.purge) is not None:  # a purge is not finished: a message may have its text
        return None
    name, _, part = reference.rpartition(":")
    try:
        if part == WAITING and is_unit(name):
            waiting = sorted(conversations.read(where, name).waiting().items())
            raw = [message for _, message in waiting]
            last, at = (waiting[-1][0], raw[-1].at or "") if waiting else (0, "")
            return (Slice(0, waiting[0][0], last, at, first_words(raw)), raw, waiting[0][0]) if waiting else None
        named = parse_reference(reference)
        content = conversations.read_slice(where, named) if named else None
    except (OSError, StoreError):
        return None
    return None if content is None else (*content, content[0].first)


def without_messages(memory: Description) -> Description:
    """The same memory with all raw messages left out."""
    part = memory["slice"]
    if part is None:
        return memory
    return {**memory, "slice": {**part, "messages": [], "left_out": [len(part["messages"]) + sum(part["left_out"])]}}


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
