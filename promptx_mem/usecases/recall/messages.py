"""Messages of past conversations in an answer, and the cutting of an answer to its budget of tokens."""

import contextlib
from collections.abc import Callable

from promptx_mem.core import prompt_block
from promptx_mem.core.description import Activation, Description, Turn
from promptx_mem.errors import UsageError
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from promptx_mem.core.slices import Message, Slice
    from promptx_mem.store.layout import Layout

LONGEST_MESSAGE, SHORT_MESSAGE = 2_000, 160
"""Maximum lengths, in characters, of a message in an answer. The second is used if the token budget is small."""


def activate(
    where: "Layout", reference: str, *, messages: bool, number: int | None = None, words: str = ""
) -> Activation:
    """Return a slice of a conversation with summary, date, time and messages (source 004).

    If a slice has more than 10 messages, return only the first 2, the middle 4 and the last 2. If `number` (of the
    matching message) is given, return 4 messages around it instead of the middle ones. `left_out` has the number of
    omitted messages in each gap. If a slice cannot be read, `missing` is True and there are no messages. Of a long
    matching message, return only the passage with most of `words`.
    """
    from promptx_mem.core.slices import joined
    from promptx_mem.core.topics import excerpt

    blank: Activation = {
        "ref": reference, "date": None, "time": None, "summary": None, "messages": [], "left_out": [], "missing": True,
    }  # fmt: skip
    content = _read(where, reference)
    if content is None:
        return blank
    part, raw, first = content
    parts = dict(enumerate(raw, first))
    whole = joined(parts)
    match = None if number is None else sum(start <= number for start in whole) - 1
    said = [parts.get(number or 0, one) if i == match else one for i, one in enumerate(whole.values())]
    indices, left_out = excerpt(len(said), match)
    turns: list[Turn] = [
        {"role": said[i].role, "text": _bounded(said[i].text, words if i == match else ""), "at": said[i].at}
        for i in indices
    ]
    blank |= {"date": part.at[:10], "time": part.at[11:16], "summary": part.summary, "missing": False}
    return {**blank, "messages": turns, "left_out": left_out} if messages else {**blank, "left_out": [len(said)]}


def _read(where: "Layout", reference: str) -> "tuple[Slice, list[Message], int] | None":
    """Return a slice, its messages, and the first message's number, or None. Unsummarised messages count as a slice."""
    from promptx_mem.core.slices import Slice, first_words, is_unit, parse_reference
    from promptx_mem.errors import StoreError
    from promptx_mem.search.messages import WAITING
    from promptx_mem.store import conversations, files

    if files.identity(where.purge) is not None:  # a message could still contain a purged text
        return None
    name, _, part = reference.rpartition(":")
    with contextlib.suppress(OSError, StoreError):
        if part == WAITING and is_unit(name):
            waiting = sorted(conversations.read(where, name).waiting().items())
            raw = [message for _, message in waiting]
            if waiting:
                first, last = waiting[0][0], waiting[-1][0]
                return Slice(0, first, last, raw[-1].at or "", first_words(raw)), raw, first
        elif (named := parse_reference(reference)) and (content := conversations.read_slice(where, named)):
            return (*content, content[0].first)
    return None


def _bounded(text: str, words: str = "", room: int = LONGEST_MESSAGE) -> str:
    if len(text) <= room:
        return text
    from promptx_mem.core.slices import passage
    from promptx_mem.search.tokens import fold, plain_terms

    return passage(text, plain_terms(fold(words).lower()), room)


_LEAST = 20
"""Minimum number of tokens of a memory in any format. If fewer tokens remain, no further memory is rendered."""


def fit(
    memories: list[Description], limit: int, build: Callable[[list[Description], int], str], words: str = ""
) -> list[Description]:
    """Return those `memories`, in order, that fit into `limit` tokens.

    `build(memories, left_out)` renders an answer. If the messages of a slice do not fit, they are cut to the passages
    with most of `words`, or omitted. Raises UsageError if an answer without memories does not fit.
    """
    many = len(memories)
    if prompt_block.tokens(build(memories, 0)) <= limit:
        return memories
    empty = prompt_block.tokens(build([], many))
    if empty > limit:
        raise UsageError(
            f"--budget {limit} is too small: an answer without any memory already has {empty} tokens",
            hint=f"give at least {empty}; each memory adds about 60",
        )
    selection: list[Description] = []
    spent = empty
    for memory in memories:
        if limit - spent < _LEAST:
            break
        forms = [memory]
        if part := memory["slice"]:
            turns: list[Turn] = [
                {**turn, "text": _bounded(turn["text"], words, SHORT_MESSAGE)} for turn in part["messages"]
            ]
            every = len(turns) + sum(part["left_out"])
            forms.append({**memory, "slice": {**part, "messages": turns}})
            forms.append({**memory, "slice": {**part, "messages": [], "left_out": [every]}})
        for form in forms:
            cost = prompt_block.tokens(build([form], many)) - empty
            if spent + cost <= limit:
                selection.append(form)
                spent += cost
                break
    # The parts together can have more tokens than estimated, so the whole answer is counted again.
    while selection and prompt_block.tokens(build(selection, many - len(selection))) > limit:
        selection.pop()
    return selection
