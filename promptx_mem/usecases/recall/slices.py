"""The raw messages of a slice, as they are shown to whoever asked."""

from typing import TYPE_CHECKING

from promptx_mem.core.description import Activation, Description, Turn

if TYPE_CHECKING:
    from promptx_mem.store.layout import Layout

LONGEST_MESSAGE = 2_000
"""Characters of one raw message that are shown; the file holds all of it."""


def activate(where: "Layout", reference: str, *, messages: bool) -> Activation:
    """An *ActivatedMemorySlice*: summary, date, time and raw messages; over 10: the first 2, middle 4 and last 2.

    `left_out` gives how many messages are missing in each gap. What cannot be read has `missing` and no messages:
    the memory itself is still an answer.
    """
    from promptx_mem.core.slices import parse_reference
    from promptx_mem.core.topics import excerpt
    from promptx_mem.errors import StoreError
    from promptx_mem.store import conversations

    blank: Activation = {
        "ref": reference, "date": None, "time": None, "summary": None, "messages": [], "left_out": [], "missing": True,
    }  # fmt: skip
    named = parse_reference(reference)
    try:
        content = conversations.read_slice(where, named) if named else None
    except (OSError, StoreError):
        content = None
    if content is None:
        return blank
    part, raw = content
    extract = excerpt(len(raw))
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


def without_messages(memory: Description) -> Description:
    """The same memory with all raw messages left out."""
    part = memory["slice"]
    if part is None:
        return memory
    return {**memory, "slice": {**part, "messages": [], "left_out": [len(part["messages"]) + sum(part["left_out"])]}}


def _bounded(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"
