"""It stays in the file, hidden, and `restore` brings it back. After --purge nothing does."""

from promptx_mem import session as sessions
from promptx_mem.cli.one_memory import line
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.cli.output import elsewhere, local
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import Refused, UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.change import Forget

_EXAMPLES = "ids are shown by: promptx-mem list\nfor a conversation, usage: promptx-mem forget --conversation <day>"


def command(
    ident: Annotated[str | None, Argument(metavar="ID", help="Its id, or a unique prefix.")] = None,
    conversation: Annotated[
        str | None, Option(metavar="UNIT|DATE", help="End a conversation, or all of a day, instead.")
    ] = None,
    lost: Annotated[
        bool, Option("--lost", help="Confirm that all lines missing from the file were deleted on purpose.")
    ] = False,
    last: Annotated[bool, Option("--last", help="The memory that this session stored last.")] = False,
    reason: Annotated[str | None, Option(help="Why; kept in the journal.")] = None,
    purge: Annotated[bool, Option("--purge", help="Erase the text from every file; only at a terminal.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Forget]:
    if [ident is None, conversation is None, not lost, not last].count(False) != 1:
        raise UsageError("give one ID, or --last, or --conversation, or --lost", hint=_EXAMPLES)
    if (lost or last) and purge:
        raise UsageError("--purge needs an ID", hint=_EXAMPLES)
    memory = common.memory()
    if lost or last:
        return memory.forget_lost(reason) if lost else memory.forget_last(reason)
    if ident is not None:
        if purge and sessions.is_person():
            full, text, store = memory.text_of(ident)
            _ask(store, f"{full}: {shorten(text, 60)}")
        return memory.forget(ident, reason, purge=purge)
    assert conversation is not None
    if purge and reason is not None:
        raise UsageError("a purged conversation keeps no reason", hint="leave --reason out")
    if purge and sessions.is_person():
        _ask(memory.context.layout.name, f"the conversation {conversation}")
    return memory.forget_conversation(conversation, reason, purge=purge)


def _ask(store: str, what: str) -> None:
    """Ask for the store's name before a text is destroyed. Raises Refused for another answer."""
    from promptx_mem.cli.terminal import typed_name

    if not typed_name(f"Destroy for good: {what}", store):
        raise Refused("nothing was purged", code="not_confirmed")


def as_text(data: Forget) -> str:
    if data["conversations"]:
        talks = f"{plural(len(data['conversations']), 'conversation')} ({plural(data['messages'], 'message')})"
        place = f"\n   in {folder}" if (folder := elsewhere(data["store"])) else ""
        if data["end"] == "purged":
            return f"purged {talks}; transcripts do not restore it{place}\n"
        way = f"; to bring it back: promptx-mem restore {data['ids'][0]}" if data["ids"] else ""
        more = f" (then {', '.join(data['ids'][1:])})" if data["ids"][1:] else ""
        return f"forgot {talks}{way}{more}{place}\n"
    if data["end"] == "purged":
        where = ", ".join(data["files"]) or "no file (gone before)"
        place = f"   in {folder}\n" if (folder := elsewhere(data["store"])) else ""
        return f"purged {data['id']}: its text was in {where}\n{place}"
    if not data["id"]:
        return f"{data['note']}\n"
    note = data["note"] or f"promptx-mem restore {data['id']} brings it back"
    return local(line("forgot", data, note))
