"""Warnings that every command adds to its answer: on the store, and on what is missing from it."""

import contextlib
from collections.abc import Callable, Iterable
from typing import cast

from promptx_mem.core.text import plural
from promptx_mem.errors import PromptxMemError
from promptx_mem.result import Payload, Result
from promptx_mem.store import files, planted, recent
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


def finish_purges(contexts: Iterable[Context]) -> None:
    """Finish a purge that was cut off, unless somebody else is writing."""
    for context in contexts:
        if files.identity(context.layout.purge) is not None:
            with contextlib.suppress(OSError, PromptxMemError):
                context.store.write(lambda _: None, wait=_MOMENT)


def with_state(context: Context, result: Result[Payload]) -> Result[Payload]:
    """Add to a result the warnings on what is missing from the stores, and on a purge that could not be finished."""
    contexts = context.both()
    noted = losses(contexts)
    if gone := context.gone():
        noted = (gone, *noted)
    if any(files.identity(one.layout.purge) is not None for one in contexts):
        noted = (*noted, _UNFINISHED)
    return result._replace(warnings=tuple(dict.fromkeys((*result.warnings, *noted)))) if noted else result


_MOMENT = 0.5
_UNFINISHED = "a purge is not finished: the next command that can write finishes it; until then no messages are shown"
_WAY_OF_EVENTS = ". To restore: promptx-mem restore --lost"
_WAY = f"{_WAY_OF_EVENTS}; if you deleted them: promptx-mem forget --lost"


def losses(contexts: Iterable[Context], way: str | None = None) -> tuple[str, ...]:
    """Return one line where acknowledged memories or events are missing from the stores' files, with the `way` back.

    As long as nobody changes the files this reads one small file. Errors give no line: the store itself reports them.
    """
    found = [lost for one in contexts if (lost := _lost(one)).lines or lost.events]
    if not found:
        return ()
    lines, events = sum(lost.lines for lost in found), sum(lost.events for lost in found)
    counts = [plural(lines, "stored memory", "stored memories")] if lines else []
    counts += [plural(events, "event")] if events else []
    names = ["declarative.md"] if lines else []
    names += ["journal.jsonl"] if events else []
    are = "is" if lines + events == 1 else "are"
    text = f"{' and '.join(counts)} {are} no longer in {' and '.join(names)}, which an editor or git has replaced"
    return (f"{text}{way if way is not None else _WAY if lines else _WAY_OF_EVENTS}",)


def _lost(context: Context) -> recent.Lost:
    found = recent.looked(context.layout)
    if found is None and context.layout.is_store():
        from promptx_mem.search.lost import look

        with contextlib.suppress(OSError, PromptxMemError):
            found = look(context.layout)
    return found or recent.Lost()
