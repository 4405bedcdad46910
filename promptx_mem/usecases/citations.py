"""Citations: files of the project that a memory names, and names in these files, such as function names.

Citations are collected when a memory is stored. They are checked in the caller's working tree when the memory is shown.
git is asked only which files it tracks, and which it ignores. Its answer about tracked files is kept in the store's
`.cache` until git's index changes. The result of a check is never stored.
"""

import contextlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence

from promptx_mem.core import citations, json_text
from promptx_mem.core.citations import GONE, MOVED, OK, UNKNOWN, WITHOUT
from promptx_mem.core.state import OWN, PROJECT
from promptx_mem.core.text import shorten
from promptx_mem.core.times import epoch
from promptx_mem.errors import StoreError, UsageError
from promptx_mem.places import parents, repository_top
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.store import disk, files, git

if TYPE_CHECKING:
    from typing import Any

    from promptx_mem.core.description import Description
    from promptx_mem.core.entry import Cite
    from promptx_mem.core.state import State
    from promptx_mem.search.cache import Cache
    from promptx_mem.store.layout import Layout
    from promptx_mem.usecases.context import Context

MAX_BYTES = 1_000_000
"""Maximum size, in bytes, of a cited file that is opened."""

_MOST_READ = 4_000_000
"""If the cited files read for an answer exceed this number of bytes, no further file is opened."""

_CHECK_SECONDS, _COLLECT_SECONDS = 0.05, 1.0
_BINARY = 8_000
_MOST_CACHED, _MOST_NAMED = 2_000, 20
_COMPARABLE = 0.6
"""A memory with a failed citation is moved below others with at least this share of its relevance (or importance)."""

REVIEW = "citation"
"""The kind of review for failed citations, and the reason in the event of its answer "keep", which is final."""

_ITSELF = (".git", ".memory")


def collect(context: "Context", text: str, given: Sequence[str] = ()) -> tuple[tuple[str, ...], str | None]:
    """Return the citations of a text and of `given` paths, and git's current commit or None. Raises UsageError."""
    tree = Tree.around(context.layout)
    if tree is None:
        if given:
            raise UsageError("--cite works only in a project's store", hint="omit --cite")
        return (), None
    paths: dict[str, None] = {}
    for named in given[: citations.MAX_TRIED]:
        path = tree.found(named)
        if path is None:
            raise UsageError(
                f"--cite {shorten(named, 60)} is not a file or folder of this project",
                code="no_citation",
                hint="give a path that exists below the project's folder",
            )
        paths[path] = None
    words = citations.paths(text)
    found = {word: path for word in words if (path := tree.found(word))}
    missing = [word for word in words if word not in found and citations.is_inside(word)]
    found |= tree.elsewhere(missing, seconds=_COLLECT_SECONDS)
    whole = [word for word in found if not word.isascii() or "'" in word]
    inner = {word for word in found for one in whole if word in one and word != one}
    paths |= {found[word]: None for word in words if word in found and word not in inner}
    tree.ask(list(paths), seconds=_COLLECT_SECONDS)
    cited = [path for path in paths if not tree.is_ignored(path)][: citations.MAX_PATHS]
    wanted = citations.names(text, [*found, *cited, *(word for word in words if "/" in word)])
    out = [citations.written(path, citations.found_in(wanted, tree.content(path) or b"")) for path in cited]
    return tuple(out), git.head(tree.top) if out and tree.is_git else None


def unanswered(cache: "Cache", now: float) -> list["State"]:
    """Return the active memories that cite files, except those that a review of their citations kept."""
    from promptx_mem.search import pairs

    kept = {ident for event in pairs.events_of_kind(cache, "kept") if event.reason == REVIEW for ident in event.ids}
    return [one for one in pairs.citing(cache, now) if one.entry.id not in kept]


def failing(context: "Context", states: "Sequence[State]") -> list[tuple["State", list[str]]]:
    """Return the memories that cite missing files or names, each with the messages to show."""
    shown = [context.describe(one, context.moment) for one in states]
    check(context, shown)
    return [(state, told) for state, one in zip(states, shown, strict=True) if (told := citations.failures(one))]


def check(context: "Context", memories: "Sequence[Description]") -> None:
    """Check files and names cited by the user's memories of a project, and set the `state` of each citation."""
    mine = [one for one in memories if one["cites"] and one["origin"] == OWN and one["scope"] == PROJECT]
    stores = (one.layout for one in (context, context.other) if one) if mine else ()
    for tree in filter(None, map(Tree.around, stores)):  # at most one is the store of a project
        set_states(tree, mine)


def set_states(tree: "Tree", mine: "Sequence[Mapping[str, Any]]") -> None:
    """Check in the working tree whether cited files and names exist, and set the `state` of each citation."""
    cites = [cite for one in mine for cite in one["cites"]]
    paths = [cite["path"] for cite in cites if cite["names"] or not tree.is_there(cite["path"])]
    tree.ask(paths, seconds=_CHECK_SECONDS)
    for one in mine:
        for cite in one["cites"]:
            cite["state"] = _state(tree, cite, epoch(one["at"]))


def _state(tree: "Tree", cite: "Cite", noted: float) -> str:
    path, names = cite["path"], cite["names"]
    now = path if tree.is_there(path) else tree.moved_to(path)
    if now is None:
        return UNKNOWN if tree.is_left_out(path) else GONE
    if now.casefold() != path.casefold() and not names and (citations.is_common(path) or tree.is_older(now, noted)):
        return GONE  # the file that was found is a different one with this name
    data = tree.content(now) if names else b""
    if data is None:
        return UNKNOWN
    lost = [name for name in names if not citations.contains(data, name)]
    if lost:
        return f"{WITHOUT}{', '.join(lost)}" if now == path else GONE
    return OK if now == path else f"{MOVED}{now}"


def with_failed_lower(memories: "list[Description]") -> "list[Description]":
    """Return the memories in a new order: memories with failed citations are below others of similar relevance."""
    out = list(memories)
    for memory in reversed([one for one in memories if citations.failures(one)]):
        at = out.index(memory)
        worth = _relevance(memory)
        last = at
        for place, other in enumerate(out[at + 1 :], at + 1):
            if other.get("weak") != memory.get("weak") or _relevance(other) < _COMPARABLE * worth:
                break
            if not citations.failures(other):
                last = place
        out.insert(last, out.pop(at))
    return out


def _relevance(memory: "Description") -> float:
    relevance = memory.get("relevance")
    return memory["importance"] if relevance is None else relevance


class Tree:
    """The caller's working tree, and the answers about its files that git has given so far."""

    def __init__(self, top: str, base: str, layout: "Layout", *, is_git: bool) -> None:
        self.top, self.is_git = os.path.realpath(top), is_git
        self._base, self._layout = os.path.realpath(base), layout
        self._tracked: dict[str, list[str]] = {}
        """Git's entries by path: for the path or a file below it, and for files of its name. `S a.py`: status, file."""
        self._new: set[str] = set()
        self._read = 0

    @classmethod
    def around(cls, layout: "Layout") -> "Tree | None":
        """Return the working tree of a project's store, or the caller's worktree of the same repository; else None."""
        base = os.path.dirname(os.path.realpath(layout.root))
        if layout.is_user or not os.path.isdir(base):
            return None
        try:
            here = os.path.realpath(os.getcwd())
        except FileNotFoundError:
            here = base
        top, own = _repository(base), _repository(here)
        if top is not None and own is not None and repository_top(own) == repository_top(top):
            top = own
        tree = top or base
        return cls(tree, here if _is_below(here, tree) else base, layout, is_git=top is not None)

    def found(self, word: str) -> str | None:
        """Return the file or folder that a word names, as a path from the top of the tree; None if there is none."""
        if "\0" in word or not word.strip("/."):
            return None
        store = os.path.dirname(os.path.realpath(self._layout.root))
        for base in dict.fromkeys((self._base, store, self.top)):
            path = os.path.relpath(os.path.normpath(os.path.join(base, word)), self.top)
            if path != "." and citations.is_path(path) and self.is_there(path):
                return path
        return None

    def is_there(self, path: str) -> bool:
        """Return whether a path from the top is a file or folder in the project, but not .git, .memory or links out."""
        if path.partition("/")[0] in _ITSELF or not citations.is_inside(path):
            return False
        whole = os.path.join(self.top, path)
        try:
            mode = os.stat(whole).st_mode
            return (stat.S_ISREG(mode) or stat.S_ISDIR(mode)) and _is_below(os.path.realpath(whole), self.top)
        except (OSError, ValueError):
            return False

    def ask(self, paths: Iterable[str], *, seconds: float) -> None:
        """Ask git which of these paths it tracks, which are new, and where it tracks files of the same names."""
        paths = list(dict.fromkeys(paths))
        if not self.is_git or not paths:
            return
        stamp = git.index_stamp(self.top)
        known = self._cached(stamp)
        if missing := [path for path in paths if path not in known]:
            words = [word for path in missing for word in (_literal(path), _of_end(os.path.basename(path), "icase,"))]
            answer = git.listed(self.top, "-t", "--cached", "--", *words, seconds=seconds)
            if answer is not None:
                for path in missing:  # keep git's first entry for the path or a file below it, and files of its name
                    below = [entry for entry in answer if f"{entry[2:]}/".startswith(f"{path}/")][:1]
                    known[path] = below + [entry for entry in answer if _is_named(entry[2:], path)][:_MOST_NAMED]
                self._keep(stamp, known)
        self._tracked |= {path: known[path] for path in paths if path in known}
        nested: dict[str, list[str]] = {}
        for path in paths:
            if not self._is_tracked(path) and self.is_there(path):
                whole = os.path.join(self.top, path)
                nested.setdefault(_repository(os.path.dirname(whole)) or self.top, []).append(whole)
        for top, files_in in nested.items():
            options = ("--others", "--exclude-standard", *(() if top == self.top else ("--cached",)), "--")
            words = [_literal(os.path.relpath(whole, top)) for whole in files_in]
            answer = git.listed(top, *options, *words, seconds=seconds) or []
            self._new |= {os.path.relpath(os.path.join(top, one), self.top) for one in answer}

    def elsewhere(self, words: Sequence[str], *, seconds: float) -> dict[str, str]:
        """Return, for each word, the tracked file whose path ends in the word, if exactly one such file exists."""
        if not self.is_git or not words:
            return {}
        answer = git.listed(self.top, "--cached", "--", *map(_of_end, words), seconds=seconds) or []
        out = {}
        for word in words:
            places = [path for path in answer if f"/{path}".endswith(f"/{word}")]
            if len(places) == 1 and citations.is_path(places[0]) and self.is_there(places[0]):
                out[word] = places[0]
        return out

    def moved_to(self, path: str) -> str | None:
        """Return the only other tracked file that has the same name as the file at `path`, or None."""
        others = {entry[2:] for entry in self._tracked.get(path, ()) if _is_named(entry[2:], path)} - {path}
        left = [other for other in others if self.is_there(other) or f"S {other}" in self._tracked[path]]
        respelled = [other for other in left if other.casefold() == path.casefold()]
        if len(respelled) == 1:  # a rename that changes only the case
            return respelled[0]
        return left[0] if len(left) == 1 and len(others) < _MOST_NAMED else None

    def is_older(self, path: str, than: float) -> bool:
        """Return whether a file was last changed or moved (its ctime) before `than`, in epoch seconds."""
        try:
            return os.stat(os.path.join(self.top, path)).st_ctime < than
        except OSError:
            return False

    def is_left_out(self, path: str) -> bool:
        """Return whether git knows a path, but the path is missing due to a sparse checkout or an empty submodule."""
        left_out = [entry[2:] for entry in self._tracked.get(path, ()) if entry.startswith("S ")]
        if any(entry == path or not _is_named(entry, path) for entry in left_out):
            return True
        folder = os.path.dirname(os.path.join(self.top, path))
        folder = next(filter(os.path.isdir, parents(folder)), self.top)
        try:
            if not self.is_git or folder == self.top or os.listdir(folder):
                return False
            modules = files.load(os.path.join(self.top, ".gitmodules"), 0, MAX_BYTES).decode("utf-8", "replace")
        except (OSError, StoreError):
            return False
        below = os.path.relpath(folder, self.top)
        return any(line.partition("=")[2].strip() == below for line in modules.split("\n") if "path" in line)

    def is_ignored(self, path: str) -> bool:
        """Return whether git could ignore a path: git neither tracks it nor lists it as new."""
        if not self.is_git or self._is_tracked(path):
            return False
        return not any(f"{other}/".startswith(f"{path}/") for other in self._new)

    def _is_tracked(self, path: str) -> bool:
        return any(f"{one[2:]}/".startswith(f"{path}/") for entries in self._tracked.values() for one in entries)

    def content(self, path: str) -> bytes | None:
        """Return a text file's bytes. None if it is binary, must not be opened, cannot be read or exceeds a limit."""
        whole = os.path.realpath(os.path.join(self.top, path))
        is_named = citations.is_safe_to_open(path) and citations.is_safe_to_open(os.path.relpath(whole, self.top))
        if not is_named or not _is_below(whole, self.top) or self._read > _MOST_READ or self.is_ignored(path):
            return None
        if whole != os.path.join(self.top, path) and self.is_git:
            self.ask([os.path.relpath(whole, self.top)], seconds=_CHECK_SECONDS)
            if self.is_ignored(os.path.relpath(whole, self.top)):
                return None
        try:
            if os.lstat(whole).st_size > MAX_BYTES:
                return None
            data = files.load(whole, 0, MAX_BYTES + 1)
        except (OSError, StoreError):
            return None
        self._read += len(data)
        return None if len(data) > MAX_BYTES or b"\0" in data[:_BINARY] else data

    def _cached(self, stamp: str) -> dict[str, list[str]]:
        with contextlib.suppress(OSError, ValueError, StoreError, TypeError, AttributeError, KeyError):
            known = json_text.loads(files.load(self._layout.cited, 0, 1 << 20))
            if stamp and known["top"] == self.top and known["stamp"] == stamp:
                return {str(path): [str(entry) for entry in entries] for path, entries in known["tracked"].items()}
        return {}

    def _keep(self, stamp: str, tracked: dict[str, list[str]]) -> None:
        if stamp and len(tracked) <= _MOST_CACHED and files.status(self._layout.cache_directory):
            data = {"top": self.top, "stamp": stamp, "tracked": tracked}
            with contextlib.suppress(OSError, StoreError, ValueError):
                disk.replace(self._layout.cited, json_text.dumps(data).encode(), self._layout.mode)


def _is_named(other: str, path: str) -> bool:
    return os.path.basename(other).casefold() == os.path.basename(path).casefold()


def _literal(path: str) -> str:
    return f":(top,literal){path}"


def _of_end(word: str, more: str = "") -> str:
    escaped = "".join(f"\\{char}" if char in "*?[]\\" else char for char in word)
    return f":(top,{more}glob)**/{escaped}"


def _repository(folder: str) -> str | None:
    return next(filter(repository_top, parents(folder)), None)


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(top.rstrip(os.sep) + os.sep)
