"""Commands that change one memory, given its id: forget, restore, edit, boost, verify."""

from promptx_mem import session as sessions
from promptx_mem.cli.options import IDENT, NONE_GIVEN, Common, Option, Word, Words
from promptx_mem.cli.output import local
from promptx_mem.cli.remember import LABEL_LENGTH, store_line
from promptx_mem.core.journal import ALIASED
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.change import ACTIVE, Change, Forget
from promptx_mem.usecases.gate import Remember
from promptx_mem.usecases.review import Review

Ident = Annotated[str, IDENT]
_EXAMPLES = "to list ids: promptx-mem list\nto remove a conversation, usage: promptx-mem forget --conversation <day>"


def line(verb: str, data: Change | Remember | Review, note: str | None = None) -> str:
    """Return the line that reports the change of a memory, with a note. The store is named if it is not ./.memory."""
    aside = local(f"  ({note})") if note else ""
    return f"{local(verb)} {shorten(data['text'], LABEL_LENGTH)}  {data['id']}{aside}\n{store_line(data['store'])}"


def forget_command(
    ident: Annotated[Word, IDENT] = None,
    conversation: Annotated[Word, Option("Remove one conversation, or all of one day.", metavar="UNIT|DATE")] = None,
    lost: Annotated[bool, Option("Confirm that the store's missing lines were deleted on purpose.")] = False,
    last: Annotated[bool, Option("Remove the memory that this session stored last.")] = False,
    reason: Annotated[Word, Option("The reason, kept in the history.")] = None,
    purge: Annotated[bool, Option("Erase the text from every file. Only at a terminal.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Forget]:
    """The memory stays in the file, but is hidden. `restore` brings it back, except after --purge."""
    if [ident is None, conversation is None, not lost, not last].count(False) != 1:
        raise UsageError("give one ID, or --last, or --conversation, or --lost", hint=_EXAMPLES)
    if (lost or last) and purge:
        raise UsageError("--purge needs an ID", hint=_EXAMPLES)
    memory = common.memory()
    if lost or last:
        return memory.forget_lost(reason) if lost else memory.forget_last(reason)
    if purge and conversation is not None and reason is not None:
        raise UsageError("--reason cannot be combined with the purge of a conversation", hint="omit --reason")
    if purge and sessions.is_person():
        from promptx_mem.cli.terminal import demand_typed_name

        what, store = f"the conversation {conversation}", memory.context.layout.name
        if ident is not None:
            full, text, store = memory.text_of(ident)
            what = f"{full}: {shorten(text, 60)}"
        demand_typed_name(f"This erases permanently: {what}", store, "nothing was purged")
    if ident is not None:
        return memory.forget(ident, reason, purge=purge)
    return memory.forget_conversation(conversation or "", reason, purge=purge)


def forget_as_text(data: Forget) -> str:
    place = store_line(data["store"])
    if data["conversations"]:
        talks = f"{plural(len(data['conversations']), 'conversation')} ({plural(data['messages'], 'message')})"
        if data["end"] == "purged":
            return local(f"purged {talks}; its messages are not read from the host's transcript again\n") + place
        back = " && ".join(f"promptx-mem restore {ident}" for ident in data["ids"])
        way = f"; to bring it back: {back}" if back else ""
        return local(f"forgot {talks}{way}\n") + place
    if data["end"] == "purged":
        where = ", ".join(data["files"]) or "no file (it was already erased)"
        return local(f"purged {data['id']}: text erased from {where}\n") + place
    if not data["id"]:
        return local(f"{data['note']}\n")
    note = data["note"] or f"promptx-mem restore {data['id']} brings it back"
    return line("forgot", data, note)


def restore_command(
    ident: Annotated[Word, IDENT] = None,
    lost: Annotated[bool, Option("Restore everything that an editor removed by saving an old file.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Change]:
    """A restored memory replaces the memory that had replaced it."""
    if (ident is None) != lost:
        raise UsageError("give one ID, or --lost", hint="to list ids: promptx-mem recall --archived")
    memory = common.memory()
    return memory.restore_lost() if ident is None else memory.restore(ident)


def restore_as_text(data: Change) -> str:
    if data["id"]:
        return line("unchanged" if data["note"] == ACTIVE else "🧠 restored", data, data["note"])
    return local(f"{'🧠 restored ' * bool(data['ids'])}{data['note']}\n")


def edit_command(
    ident: Ident,
    aka: Annotated[
        Words, Option("A new alias; repeatable. These replace all aliases; '' removes them.", metavar="WORDS")
    ] = (),
    common: Common = NONE_GIVEN,
) -> Result[Remember]:
    """The last line in the editor contains tags, score and duration. --aka changes only the aliases."""
    return common.memory().edit(ident, aka)


def edit_as_text(data: Remember) -> str:
    if data["verdict"] == ALIASED:
        return line("🧠", data, "its aliases were changed")
    if data["verdict"] == "unchanged":
        return line("unchanged", data)
    from promptx_mem.cli import remember

    return remember.as_text(data)


def boost_command(ident: Ident, common: Common = NONE_GIVEN) -> Result[Change]:
    """Boosts of a memory count once in 2 hours, and add at most 1.0 a day."""
    return common.memory().boost(ident)


def boost_as_text(data: Change) -> str:
    before, after = data["importance_before"], data["importance"]
    note = f"stays {after:g}: {data['note']}" if before == after else f"{before:g} → {after:g}"
    return line("🧠", data, f"importance {note}")


def verify_command(ident: Ident, common: Common = NONE_GIVEN) -> Result[Change]:
    """The memory's age is counted from today again."""
    return common.memory().verify(ident)


def verify_as_text(data: Change) -> str:
    return line("🧠 verified", data, data["note"])
