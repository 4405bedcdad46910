"""What every reading and every writing use case has to say of its store, besides what it was asked for."""

from collections.abc import Callable
from typing import cast

from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Payload, Result
from promptx_mem.store import planted
from promptx_mem.usecases.context import Context


def of_reading(context: Context, result: Result[Payload], left_out: str) -> Result[Payload]:
    """What was read of a store; where there is none, that it is not there, rather than that it is empty."""
    if missing := context.no_store():
        return result._replace(warnings=tuple(dict.fromkeys((*result.warnings, missing))), instead=missing)
    absent = (*planted.warnings(context.layout), *((left_out,) if left_out else ()))
    return result._replace(warnings=(*result.warnings, *absent)) if absent else result


def of_writing(context: Context, work: Callable[[], Result[Payload]]) -> Result[Payload]:
    """What was written, and the store that was made for it."""
    for one in filter(None, (context, context.beside)):
        one.store.is_new = False  # what an earlier call made is there
    try:
        result = work()
    except PromptxMemError as error:
        error.data = {**error.data, **context.new_store()}
        raise
    data = cast("Payload", {**result.data, **context.new_store()})
    warnings = (*result.warnings, *context.place_warnings())
    return result._replace(data=data, warnings=tuple(dict.fromkeys(warnings)))
