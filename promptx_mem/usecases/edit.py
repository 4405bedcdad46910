"""edit: changes a memory in $EDITOR. The saved text is scored like a new one and supersedes the old text."""

import os
import shlex
import subprocess
import sys
import tempfile

from promptx_mem.core.credentials import CODE, demand_no_credential
from promptx_mem.core.entry import clean_aliases
from promptx_mem.core.journal import ALIASED
from promptx_mem.core.request import Request
from promptx_mem.core.shell import TEXT
from promptx_mem.core.state import State
from promptx_mem.core.syntax import format_visible, is_token, parse_argument
from promptx_mem.core.text import clean, format_score, shorten
from promptx_mem.errors import PromptxMemError, UsageError
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.usecases import index
from promptx_mem.usecases.change import LockedStore, active, hold
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.gate import Remember
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.remember import remember
from promptx_mem.usecases.request import check_aliases
from promptx_mem.usecases.stores import demand_request

_NOTE = "<!-- The text is above this line; tags, score and duration are below it. -->"


def set_aliases(context: Context, ident: str, aliases: tuple[str, ...]) -> Result[Remember]:
    """Replace all aliases of a memory. A single empty alias removes all.

    Raises UsageError, NotFoundError, or Refused for a credential or an ended memory.
    """
    check_aliases(aliases)
    for alias in aliases:
        demand_no_credential("--aka", alias)

    def work(store: LockedStore) -> Result[Remember]:
        state = active(store, ident, "edit")
        entry = state.entry
        if context.layout.is_user:
            demand_request(context, entry.text, context.command("edit", entry.id, "--aka", *aliases[:1]))
        is_new = clean_aliases(aliases) != entry.aka
        if is_new:
            event = store.event(ALIASED, state, aka=clean_aliases(aliases))
            store.commit("edit", [event], verdict=ALIASED, id=entry.id)
        return _result(context, state, ALIASED if is_new else "unchanged")

    return hold(context, work)


def _result(context: Context, state: State, verdict: str) -> Result[Remember]:
    data: Remember = {"verdict": verdict, "id": state.entry.id, "text": state.entry.text}
    return Result("edit", {"store": context.layout.display(), **data})


def edit(context: Context, ident: str) -> Result[Remember]:
    """Open a memory's text in an editor, with tags, score and duration on the last line. Ignore an unchanged text."""
    context.demand_config()
    index.demand_store(context.layout)
    with current.open_current(context.layout) as cache:
        lookup = Lookup(context, cache)
        state = lookup.by_id(ident)
        lookup.refuse_superseded(state, lambda heir: f"for that one: promptx-mem edit {heir}")
    tokens = format_visible("", state.tags, state.score, state.duration).strip()
    before = f"{state.entry.text}\n\n{_NOTE}\n{tokens}\n"
    after, path = _edited(before, state.entry.id)
    try:
        result = _stored(context, state, before, after)
    except PromptxMemError as error:
        if error.code == CODE:  # a credential must not stay on the disk
            os.unlink(path)
            error.hint = (
                f"your text was not kept; to edit again without the credential: promptx-mem edit {state.entry.id}"
            )
        else:
            kept = f"your text is kept in {path}; to edit the memory again: promptx-mem edit {state.entry.id}"
            error.hint = f"{error.hint}\n{kept}".strip()
        raise
    os.unlink(path)
    return result


def _stored(context: Context, state: State, before: str, after: str) -> Result[Remember]:
    """Store the edited text of a memory. Raises UsageError or Refused if the text or its last line is wrong."""
    if after.strip() == before.strip():
        return _result(context, state, "unchanged")
    text, note, tokens = clean(after).rpartition(_NOTE if _NOTE in after else "\n")
    wrong = [word for word in tokens.split() if not is_token(word)]
    if wrong and note == _NOTE:
        message = f"{shorten(' '.join(wrong), 40)!r} is below the comment, but is not a tag, a score or a duration"
        raise UsageError(message, hint="write the text above the comment")
    if wrong:
        text, tokens = clean(after), ""
    if not text.strip():
        raise UsageError("the text is empty", code="no_text")
    parsed = parse_argument(" ".join(["x", *tokens.split()]))
    if parsed.problems:
        raise UsageError("; ".join(parsed.problems))
    if note == _NOTE and state.tags and not parsed.tags:
        raise UsageError("a memory needs a tag", hint="write at least one #tag below the comment")
    request = Request(
        text=clean(text),
        tags=parsed.tags or state.tags,
        score=format_score(state.score if parsed.score is None else parsed.score),
        duration=parsed.duration or state.duration,
        update=state.entry.id,
        reason="edited",
    )
    return remember(context, request)._replace(command="edit")


def _edited(text: str, ident: str) -> tuple[str, str]:
    """Return the text after the editor has ended, and the path of its file.

    Raises UsageError if there is no editor, or if the editor failed. Then the file is removed.
    """
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        if sys.stdin is None or not sys.stdin.isatty():
            hint = f"to edit without an editor, usage: promptx-mem remember '{TEXT}' --update {ident}"
            message = "there is no terminal to edit on, and EDITOR is not set"
            raise UsageError(message, code="no_editor", hint=hint)
        editor = "vi"
    edited = None
    handle, path = tempfile.mkstemp(prefix="promptx-mem-", suffix=".md")
    try:
        os.write(handle, text.encode("utf-8", "replace"))
        os.close(handle)
        try:
            process = subprocess.run([*shlex.split(editor), path], check=False)  # noqa: S603 - the user's own editor
        except (OSError, ValueError) as error:
            raise UsageError(f"the editor {editor!r} cannot be run: {error}", hint="set EDITOR") from None
        if process.returncode != 0:
            raise UsageError(f"the editor {editor!r} ended with status {process.returncode}; nothing was changed")
        with open(path, encoding="utf-8", errors="replace") as file:
            edited = file.read()
    finally:
        if edited is None:
            os.unlink(path)
    return edited, path
