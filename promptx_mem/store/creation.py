"""Make a store: its directory, what hides it from git, and the note that it was made here."""

import os

from promptx_mem.errors import UsageError
from promptx_mem.places import home_store, lies_at, user_store
from promptx_mem.store import files, inside, trust
from promptx_mem.store.layout import DIRECTORY, Layout, at, is_foreign

_PROMPTX = ".promptx"
_PRIVATE = "*\n"
_SHARED = "\n".join(
    ["*", *(f"!{n}" for n in (".gitignore", ".gitattributes", "declarative.md", "journal.jsonl")), "!archive/"]
)
_SHARED += "\n!archive/*.gz\narchive/lost-*\n!config.yaml\n"
_ATTRIBUTES = "declarative.md merge=union -text\njournal.jsonl merge=union -text\narchive/* -text\n"


def create(layout: Layout, *, shared: bool = False) -> Layout:
    """Make the store's directory, private (0700) and hidden from git unless `shared`. An existing one is kept."""
    demand_place(layout)
    is_made = not layout.exists()
    if is_made:
        _make_parents(os.path.dirname(layout.root))
        files.make_directory(layout.root, 0o700)
        layout = layout._replace(mode=at(layout.root).mode)
    if is_made or trust.is_unclaimed(layout):  # its first memory will be the user's
        trust.note(layout, trust.SHARED if shared else trust.PRIVATE)
    if not is_made and not os.path.lexists(layout.gitignore):
        files.sync_directory(os.path.dirname(layout.root))  # whoever made it may have been killed before it was durable
    templates = ((".gitignore", _SHARED if shared else _PRIVATE), (".gitattributes", _ATTRIBUTES))
    for name, text in templates[is_shared_with_others(layout) :]:
        path = os.path.join(layout.root, name)
        if inside.leads_to(path) is not None:
            raise inside.blocked(path)
        if not os.path.lexists(path) or (shared and name == ".gitignore" and _is_private(path)):
            # Durable: an empty .gitignore after a power cut would show private memories to git.
            files.replace(path, text.encode(), layout.mode, durable=True)
    return layout


def demand_place(layout: Layout) -> None:
    """Raise UsageError where no store may be made, and none is."""
    if is_foreign(layout):
        from promptx_mem.core.shell import quote

        raise UsageError(
            f"{layout.root} is not a store: it holds other files",
            code="not_a_store",
            hint=f"a store is a directory of its own: --memory-dir {quote(os.path.join(layout.root, DIRECTORY))}",
        )
    if not layout.may_write or (not layout.exists() and not layout.is_user and _is_users_place(layout)):
        shows, makes = "to see its memories: promptx-mem list --scope user", "to make it: promptx-mem init --user"
        is_here = lies_at(layout.root, user_store())
        raise UsageError(
            f"{layout.root} is the user store, for every project: to use it here, add --scope user"
            if is_here
            else f"{layout.root} would be a store that no project finds: your user store is {user_store()}",
            code="user_store",
            hint=shows if layout.exists() else makes,
        )


def _is_users_place(layout: Layout) -> bool:
    """Whether a new store would lie at the user store's place, or in the home directory, where nobody would find it."""
    return lies_at(layout.root, user_store()) or (not layout.named and lies_at(layout.root, home_store()))


def _make_parents(path: str) -> None:
    if not os.path.isdir(path):
        _make_parents(os.path.dirname(path))
        files.make_directory(path, 0o700)


def is_shared_with_others(layout: Layout) -> bool:
    """Whether another program wrote here first, as PromptX in .promptx/memory: what git sees there is its business."""
    if os.path.basename(layout.root) == DIRECTORY or os.path.lexists(layout.gitignore):
        return False
    if os.path.basename(os.path.dirname(layout.root)) == _PROMPTX:  # also before PromptX has stored anything there
        return True
    # Ours writes .gitignore before anything else: where it is missing beside one of these, it was left out.
    return any(os.path.lexists(os.path.join(layout.root, name)) for name in ("declarative.md", ".gitattributes"))


def _is_private(path: str) -> bool:
    return files.read(path, 0, 16) == _PRIVATE.encode()
