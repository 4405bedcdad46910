"""Conversations of another program become conversations here: what was said, and not facts."""

from functools import partial
from typing import TYPE_CHECKING

from promptx_mem.core.credentials import find_credentials
from promptx_mem.core.slices import Message, unit_of
from promptx_mem.core.text import plural
from promptx_mem.errors import PromptxMemError
from promptx_mem.importers.form import Talk
from promptx_mem.store import conversations
from promptx_mem.store.writer import Writer
from promptx_mem.usecases.intake.options import Options
from promptx_mem.usecases.intake.report import Report

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


def store(context: "Context", report: Report, file: str, talks: tuple[Talk, ...], options: Options) -> None:
    """Add what is new of each conversation; a message that holds a credential is left out unless asked for.

    Where one cannot be stored, it and those after it are counted as left over, and the error is raised.
    """
    for number, talk in enumerate(talks):
        good = [message for message in talk.messages if options.allow_secret or not find_credentials(message.text)]
        if withheld := len(talk.messages) - len(good):
            why = "what was said holds a credential; --allow-secret takes it"
            report.note(file, 0, "", "refused", why, count=withheld)
        unit = unit_of(talk.name)
        conversation = conversations.read(context.layout, unit)
        stored = [conversation.messages[number] for number in sorted(conversation.messages)]
        fresh = good[len(stored) :] if _begins(good, stored) else []
        if fresh and not options.dry_run:
            try:
                context.store.write(partial(_add, talk.name, fresh))
            except PromptxMemError as error:
                why, count = f"not stored: {error.message}", len(talks) - number
                report.note(file, 0, "", "left", why, count=count, is_failure=True)
                raise
        amount = plural(len(fresh or good), "message")
        report.talks += bool(fresh)
        verdict = "taken" if fresh else "known" if stored else "left"
        why = "" if fresh else "the conversation is here already" if stored else "nothing of it is left"
        report.note(file, 0, f"a conversation: {amount}", verdict, why)


def _begins(messages: list[Message], stored: list[Message]) -> bool:
    return len(stored) <= len(messages) and all(
        (new.role, new.text) == (old.role, old.text) for new, old in zip(messages, stored, strict=False)
    )


def _add(name: str, messages: list[Message], writer: Writer) -> None:
    conversations.add_messages(writer.layout, unit_of(name), messages, name)
