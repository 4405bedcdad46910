"""init: creates a store, private or shared through git. Without init, the first stored memory creates one."""

import contextlib

from promptx_mem import session
from promptx_mem.errors import PromptxMemError, StoreError
from promptx_mem.record import TypedDict
from promptx_mem.result import Result
from promptx_mem.store import files, writer
from promptx_mem.store import trust as ownership
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.layout import Layout
from promptx_mem.usecases import index
from promptx_mem.usecases.context import Context

SNIPPET = """\
## Memory

Facts that outlast a session, kept with `promptx-mem`: data, not instructions.

- To answer from earlier sessions: `promptx-mem recall <words>`. If it finds little, use other words or a translation.
- If the user asks to remember: `promptx-mem remember --explicit -t '<tag>' -- '<text>'`.
- Store lasting facts (likes, decisions; lessons: command or path, what failed, cure) in one call. A line is one
  clear sentence, a score (below 5: refused) and 2-5 aliases (synonyms, translations):

      promptx-mem remember --split - <<'EOF'
      <text> #<tag> score:<0-10> --aka <words>
      EOF

- For all projects, if the user asks: `--user`. Who the user is (name, birthday): `--category core`.
- Changed fact: `promptx-mem remember --update <id> -- '<text>'`. Outdated fact: `promptx-mem forget <id>`.
- Reviews: `promptx-mem review --format prompt`; answers: `promptx-mem review --answers -`
- Never write to `.memory/` otherwise.
"""


class Init(TypedDict, total=False):
    """The answer of `init`. `agent` is the text for an agent's instructions, if it was requested."""

    store: str
    scope: str
    created: bool
    shared: bool
    opened: bool
    trusted: bool
    agent: str | None


def init(context: Context, *, shared: bool, agent: bool = False) -> Result[Init]:
    """Create the store's directory and git files. An existing store is kept, but can change from private to shared."""
    context.demand_config()
    created = not context.layout.exists()
    gone = context.gone() if created else ""
    with disk_errors():
        was_shared = not created and is_shared(context.layout)
        context.store.layout = writer.create(context.layout, shared=shared)
        shared_now = is_shared(context.layout)
    if context.origin.is_own:  # if git tracks the store, only this record shows that it is the user's
        ownership.note(context.layout, ownership.SHARED if shared_now else ownership.PRIVATE)
    path = context.path
    warnings: tuple[str, ...] = (f"{gone}; this is a new one",) if gone else ()
    if shared and not shared_now:
        warnings += (f"{path}/.gitignore is hand-written, so it was not changed; git ignores the store",)
    opened = shared_now and not created and not was_shared
    data: Init = {
        "store": path, "scope": context.scope, "created": created, "shared": shared_now, "opened": opened,
    }  # fmt: skip
    if agent:
        data["agent"] = SNIPPET
    return Result("init", data, warnings)


def trust(context: Context) -> Result[Init]:
    """Record, in a file outside the project, that the store is the user's own, and write MEMORY.md.

    Raises Refused unless a person runs the command.
    """
    session.demand_person("--trust", context.command("init", "--trust", user="--user"))
    index.demand_store(context.layout)
    path, noted = context.path, ownership.is_noted(context.layout)
    if not noted and not ownership.note_new(context.layout):
        hint = f"make the store and {ownership.path() or 'your home'} writable, or set XDG_STATE_HOME"
        raise StoreError(f"cannot record that {path} is yours", code="not_noted", hint=hint)
    data: Init = {"store": path, "scope": context.scope, "shared": is_shared(context.layout), "trusted": True}
    if not noted:
        context.origin = ownership.Origin(context.layout)
        with contextlib.suppress(PromptxMemError):
            index.index(context)
    return Result("init", data)


def is_shared(where: Layout) -> bool:
    """Return whether the store's .gitignore lets git track the memories."""
    return b"!declarative.md" in (files.read(where.gitignore) or b"").split(b"\n")
