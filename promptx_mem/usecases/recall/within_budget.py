"""Keep an answer within a budget of tokens: whole memories only, the best first, what does not fit is counted."""

from collections.abc import Callable

from promptx_mem.core import budget
from promptx_mem.core.description import Description
from promptx_mem.errors import UsageError
from promptx_mem.usecases.recall.slices import without_messages

_LEAST = 20
"""No memory takes fewer tokens in any form: what is looked at beyond that is for nothing."""


def fit(memories: list[Description], limit: int, build: Callable[[list[Description], int], str]) -> list[Description]:
    """Return those of `memories`, in order, whose rendering takes `limit` tokens at most.

    `build(memories, left_out)` renders an answer. A slice whose raw messages do not fit is shown without them.
    """
    many = len(memories)
    if budget.tokens(build(memories, 0)) <= limit:
        return memories
    empty = budget.tokens(build([], many))
    if empty > limit:
        raise UsageError(
            f"--budget {limit} is too small: an answer without any memory takes {empty} tokens",
            hint=f"at least {empty}; a memory takes about 60 more",
        )
    selection: list[Description] = []
    spent = empty
    for memory in memories:
        if limit - spent < _LEAST:
            break
        for form in (memory, without_messages(memory)) if memory["slice"] else (memory,):
            cost = budget.tokens(build([form], many)) - empty
            if spent + cost <= limit:
                selection.append(form)
                spent += cost
                break
    # Estimates of parts and of the whole differ by roundings; the whole one decides.
    while selection and budget.tokens(build(selection, many - len(selection))) > limit:
        selection.pop()
    return selection
