"""Questions to git: whether it tracks a store, and which lines of the store's files it has added or removed."""

import contextlib
import os
from collections.abc import Collection, Iterator, Mapping

from promptx_mem.core.ids import short_hash
from promptx_mem.core.text import pattern
from promptx_mem.errors import StoreError
from promptx_mem.git_files import git_folder, head_log
from promptx_mem.places import is_trusted, stamp, state_folder, worktrees
from promptx_mem.store import disk, files
from promptx_mem.store.layout import Layout

_SECONDS = 5
_SHORT_TIMEOUT = 2
"""Time limit in seconds for an answer of git that is not essential."""

_MOST_LISTED, _MOST_REFS = 1 << 20, 1 << 20
_SHORT = 12
"""Number of characters to which a commit's hash is shortened."""

_MAX_BRANCHES = 50
_LOGGED, _AT_ONCE = 200, 10
_DAY = 86_400
_ENTRY = r"([0-9a-f]+) ([0-9a-f]+) .*> (\d+) [+-]\d+\t?(.*)"
_WRITES = ("commit", "am:")
"""Beginnings of texts in git's log of HEAD. They mark the commits in which a person could change the store."""

_AMENDS = "commit (amend)"
_OF_PERSON = ("commit:", "commit (initial)", _AMENDS)
"""Beginnings of texts about commits of a person, but not about merges."""

_NO_PROGRAMS = ("--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-mailmap", "--no-color")
"""Options that keep `git log` from running programs that the repository's configuration names."""

_GZIP = b"\x1f\x8b"
_K = r'"k":(\d{1,18})'
_AT = r'"at":"([^"]*)"'
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}  # fmt: skip


def tracks(root: str) -> bool | None:
    """Return whether git tracks any file of a store; None if git cannot answer.

    A link counts as tracked if git tracks the link or its target.
    """
    path = os.path.join(os.path.realpath(os.path.dirname(root)), os.path.basename(root))
    places = dict.fromkeys((path, os.path.realpath(root)))
    answers = {_tracks_now(top, place) for place in places for top in worktrees(place)}
    if True in answers:
        return True
    return None if None in answers else False


def _tracks_now(top: str, place: str) -> bool | None:
    """Return the answer of `tracks`. After the answer no, git is run again only if git's index has changed."""
    now, folder = index_stamp(top), state_folder()
    # The file stores the last stamp at which git tracked no file of the store.
    memory = folder and os.path.join(folder, "untracked", short_hash(os.fsencode(f"{top}\0{place}"), 10))
    if memory and _text(memory) == now:
        return False
    # Ignore case: on some file systems `.memory` opens `.Memory`.
    below = os.path.relpath(place, top)
    found = listed(top, "--", below if below == "." else f":(literal,icase){below}", seconds=_SECONDS)
    answer = None if found is None else bool(found)
    if memory and answer is False:
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(memory), mode=0o700, exist_ok=True)
            disk.replace(memory, now.encode(), 0o600)
    return answer


def index_stamp(top: str) -> str:
    """Return a text that changes whenever the index of a working tree changes, appears or disappears."""
    return stamp(os.path.join(git_folder(top), "index"))


def listed(top: str, *words: str, seconds: float) -> list[str] | None:
    """Return the file names that `git ls-files -z` prints, without the last ones if the output is too long.

    None on failure or after a timeout. Programs that the repository's configuration names are not run. Git is started
    by functions of `os`, since the import of subprocess takes longer than git.
    """
    git, repository = program(), os.path.join(top, ".git")
    if git is None or not _is_ours(repository):
        return None
    import select
    import signal
    import time

    # Name the repository and the working tree, since the configuration could point to another working tree. If the
    # repository is broken, git would use one in a parent folder.
    named = {"GIT_DIR": repository, "GIT_WORK_TREE": top, "GIT_ICASE_PATHSPECS": "0"}
    command = [git, "-C", top, "--no-pager", "-c", "core.fsmonitor=false", "ls-files", "-z", *words]
    out, end = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_DUP2, end, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    try:
        child = os.posix_spawn(git, command, environment() | named, file_actions=actions)
    except (OSError, ValueError):
        os.close(out)
        return None
    finally:
        os.close(end)
    poll, until, data, is_done = select.poll(), time.monotonic() + seconds, b"", False
    poll.register(out, select.POLLIN | select.POLLHUP)
    try:
        while not is_done and poll.poll(max(0, int((until - time.monotonic()) * 1_000))):
            chunk = os.read(out, 1 << 16)
            data += chunk
            is_done = not chunk or len(data) > _MOST_LISTED
            if not chunk:
                _, status = os.waitpid(child, 0)
                child = 0
                if status:
                    return None
        return os.fsdecode(data).split("\0")[:-1] if is_done else None
    finally:
        os.close(out)
        if child:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def head(top: str) -> str | None:
    """Return the short hash of a working tree's commit, read from git's own files; None if there is no commit."""
    folder = git_folder(top)
    commit = _text(os.path.join(folder, "HEAD"))
    if commit.startswith("ref: "):
        name = commit.removeprefix("ref: ")
        common = common_folder(top)
        commit = _text(os.path.join(common, name)) if ".." not in name else ""
        lines = _text(os.path.join(common, "packed-refs")).split("\n") if not commit else []
        commit = next((line.partition(" ")[0] for line in reversed(lines) if line.endswith(f" {name}")), commit)
    is_hash = len(commit) >= _SHORT and not commit.strip("0123456789abcdef")
    return commit[:_SHORT] if is_hash else None


def common_folder(top: str) -> str:
    """Return the git folder that a working tree shares with its linked worktrees."""
    folder = git_folder(top)
    return os.path.normpath(os.path.join(folder, _text(os.path.join(folder, "commondir")) or "."))


def _text(path: str) -> str:
    try:
        return files.load(path, 0, _MOST_REFS).decode("utf-8", "replace").strip()
    except (OSError, StoreError):
        return ""


def environment() -> dict[str, str]:
    """Return the environment for git, without variables set by a parent git process."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def top_of(folder: str) -> str | None:
    """Return the top of the git working tree that contains a folder; None if there is none."""
    return next(worktrees(folder), None)


def _is_ours(repository: str) -> bool:
    try:
        return is_trusted(os.stat(repository))
    except OSError:
        return False


def program() -> str | None:
    """Return the path of git, or None. Relative folders in PATH are ignored, since they could be in a repository."""
    places = (os.path.join(folder, "git") for folder in os.environ.get("PATH", "").split(os.pathsep))
    return next((git for git in places if os.path.isabs(git) and os.path.isfile(git)), None)


def lines_in_other_commits(layout: Layout, path: str) -> dict[bytes, str]:
    """Return the lines of a store's file, also archived ones, that another commit has but HEAD's file lacks.

    Each value describes where the line is: a branch, a tag, a stash, or a commit that no branch has. Empty if there is
    no repository, or git cannot be run.
    """
    top = top_of(layout.root)
    return {} if top is None else _lines_elsewhere(top, _relative(top, path))


def removed_by_git(layout: Layout, path: str, missing: Collection[str]) -> set[str]:
    """Return those of the `missing` lines of a store's file that git removed.

    They are in another commit, but not in HEAD: those of `lines_in_other_commits`; and, if HEAD has the store, those
    written before git's last reset, merge or switch that any recent commit has.
    """
    top = top_of(layout.root) if missing else None
    if top is None:
        return set()
    named = _relative(top, path)
    there = set(_lines_elsewhere(top, named))
    moved = _last_move_time(top)
    times = ((raw.encode(), _write_time(raw)) for raw in missing)
    old = {raw: time for raw, time in times if raw not in there and time <= moved}
    if old and _run(top, "rev-parse", "--verify", "--quiet", f"HEAD:{os.path.dirname(named)}"):
        (head,) = _blobs(top, ["HEAD"], named)
        there |= _committed(top, named, old.keys() - set(head.split(b"\n")), min(old.values()) - _DAY)
    return {raw for raw in missing if raw.encode() in there}


def _committed(top: str, named: str, lines: Collection[bytes], since: float) -> set[bytes]:
    """Return those of the lines that are in one of the newest _LOGGED commits after `since` (epoch seconds)."""
    options = ("--all", "--reflog", "--full-history", f"--since={max(0, int(since))}", f"--max-count={_LOGGED}")
    commits = _run(top, "rev-list", *options, "--", f":(literal){named}").decode("ascii", "replace").split()
    rest = set(lines)
    while rest and commits:  # a few at once, since the whole history of a large file would fill the memory
        rest -= {line for blob in _blobs(top, commits[:_AT_ONCE], named) for line in blob.split(b"\n")}
        del commits[:_AT_ONCE]
    return set(lines) - rest


def stash_log(layout: Layout) -> str:
    """Return the path of git's log of stashes, which changes with every stash; empty if there is no repository."""
    top = top_of(layout.root)
    return "" if top is None else os.path.join(common_folder(top), "logs", "refs", "stash")


def lines_changed_by_git(layout: Layout, path: str, size: int, since: float) -> tuple[set[bytes], set[bytes]]:
    """Return the lines of a file that git could have added, and that git removed; both empty if HEAD has not moved.

    `size` is the earlier size of git's log of HEAD. If the log is shorter now, its entries from the time `since` (epoch
    seconds) are read.

    Git could have added any line of HEAD, except those that a person's commit has, but none of its parents. A line that
    all parents have, but a person's commit does not, was not removed by git. Git cannot remove an uncommitted line.
    """
    top = top_of(layout.root)
    moves = [] if top is None else _moves(head_log(top), size, since)
    if top is None or not moves:
        return set(), set()
    new = list(dict.fromkeys(move[1] for move in moves))
    parents = {
        commit: ancestors
        for line in _run(top, "rev-list", "--no-walk", "--parents", *new).decode("ascii", "replace").split("\n")
        for commit, *ancestors in [line.split() or [""]]
    }
    refs = list(dict.fromkeys([moves[0][0], *new, *(one for commit in new for one in parents.get(commit, []))]))
    blobs = dict(zip(refs, (set(blob.split(b"\n")) for blob in _blobs(top, refs, _relative(top, path))), strict=True))
    first, last = blobs[moves[0][0]], blobs[moves[-1][1]]
    brought, taken = set(last), first - last
    for before, commit, _, what in moves:
        if what.startswith(_WRITES):
            earlier = [blobs[one] for one in parents.get(commit, [])]
            brought -= blobs[commit].difference(*earlier)
            of_all = blobs.get(before, set()) if what.startswith(_AMENDS) or not earlier else set.intersection(*earlier)
            taken -= of_all - blobs[commit]
    return brought, taken


def _moves(log: str, size: int, since: float) -> list[tuple[str, str, int, str]]:
    """Return HEAD's moves from git's log, the oldest first: the commits before and after, the time, and the text."""
    try:
        is_longer = os.path.getsize(log) >= size
        lines = files.load(log, size if is_longer else 0).decode("utf-8", "replace").split("\n")
    except (OSError, StoreError):
        return []
    found = [match.groups() for line in lines if (match := pattern(_ENTRY).match(line))]
    moves = [(before, after, int(at), what) for before, after, at, what in found if is_longer or int(at) >= int(since)]
    return moves[-_LOGGED:]


def commit_of(layout: Layout, ident: str) -> str:
    """Return hash and time of the commit that added a memory's line; empty if there is none, or if git is too slow.

    Programs that the repository's configuration names are not run: diff drivers, text conversion, signature checks.
    """
    top = top_of(layout.root)
    if top is None or not _is_ours(os.path.join(top, ".git")):
        return ""
    words = ("log", *_NO_PROGRAMS, "--format=%h %cI", f'-S"id":"{ident}"', "--")
    found = _run(top, *words, f":(literal){_relative(top, layout.declarative)}", seconds=_SHORT_TIMEOUT)
    return found.decode("ascii", "replace").strip().rpartition("\n")[2]


def has_uncommitted(store: str) -> bool:
    """Return whether a file of a store that git tracks has uncommitted changes."""
    return bool(_run(os.path.realpath(store), "status", "--porcelain", "-uno", "--", ".").strip())


def has_untracked(store: str) -> bool:
    """Return whether declarative.md or journal.jsonl is neither tracked nor ignored, so that `git clean` removes it."""
    words = ("--others", "--exclude-standard", "--", "declarative.md", "journal.jsonl")
    return bool(_run(os.path.realpath(store), "ls-files", *words))


def _relative(top: str, path: str) -> str:
    return os.path.relpath(os.path.realpath(path), os.path.realpath(top))


def _lines_elsewhere(top: str, named: str) -> dict[bytes, str]:
    from promptx_mem.store import archive

    folder = os.path.join(os.path.dirname(named), "archive")
    ending = archive.LINES if named.endswith(".md") else archive.EVENTS
    found = _places(top, named, folder)
    if not found:
        return {}
    places = {"HEAD": "", **found}
    entry = rf"(?s)\d+ ([^\0]+)\0(.{{{max(map(len, places)) // 2}}})"  # an entry of a git tree: mode, name, binary hash
    packed: dict[str, str] = {}
    for tree, place in _contents(top, {f"{ref}:{folder}": place for ref, place in places.items()}):
        for name, number in pattern(entry).findall(tree.decode("latin-1")):
            if name.endswith(ending):
                packed.setdefault(number.encode("latin-1").hex(), place)
    lines: dict[bytes, str] = {}
    for blob, place in _contents(top, {f"{ref}:{named}": place for ref, place in places.items()} | packed):
        text = archive.inflate(blob) if blob.startswith(_GZIP) else blob
        lines = dict.fromkeys(text.split(b"\n"), place) | lines
    return {line: place for line, place in lines.items() if line and place}


def _places(top: str, *paths: str) -> dict[str, str]:
    """Return commits that can have lines that HEAD lacks, and their descriptions. Commits of branches come first."""
    most, branch = f"-{_MAX_BRANCHES}", "%(objectname) %(refname)"
    log = ("log", *_NO_PROGRAMS, "--full-history", most, "--format=%H %S", "^HEAD")
    below = ("--", *(f":(literal){path}" for path in paths))
    found = (
        _run(top, "for-each-ref", "--sort=-committerdate", f"--count={_MAX_BRANCHES}", f"--format={branch}"),
        _run(top, "stash", "list", most, "--format=%H refs/stash"),
        _run(top, *log, "--all", *below),
        _run(top, *log, "--reflog", "--not", "--all", *below),
    )
    places: dict[str, str] = {}
    of_head = head(top) or "HEAD"
    for line in b"".join(found).decode("utf-8", "replace").split("\n"):
        commit, _, ref = line.partition(" ")
        _, kind, name = (*ref.split("/", 2), "", "", "")[:3]
        what = {"heads": f"branch {name}", "remotes": f"branch {name}", "tags": f"tag {name}", "stash": "a stash"}
        if commit and not commit.startswith(of_head):
            places.setdefault(commit, what.get(kind, ref or f"commit {commit[:_SHORT]} (not on any branch)"))
    return places


def _contents(top: str, places: Mapping[str, str]) -> Iterator[tuple[bytes, str]]:
    """Yield each object's content once, with its first place. `places` maps names that git can resolve to places."""
    out = _run(top, "cat-file", "--batch-check=%(objectname)", given="".join(f"{name}\n" for name in places).encode())
    objects: dict[str, str] = {}
    for number, place in zip(out.decode("utf-8", "replace").split("\n"), places.values(), strict=False):
        if number.isalnum():
            objects.setdefault(number, place)
    rest = list(objects)
    while rest:  # a few at once, as in `_committed`
        yield from zip(_objects(top, rest[:_AT_ONCE]), map(objects.get, rest), strict=False)
        del rest[:_AT_ONCE]


def _blobs(top: str, refs: Collection[str], named: str) -> list[bytes]:
    """Return the file's content in each commit, empty where the file is missing."""
    return _objects(top, [f"{ref}:{named}" for ref in refs])


def _objects(top: str, names: Collection[str]) -> list[bytes]:
    """Return the content of each object, empty if it is missing. Git is run once."""
    out = _run(top, "cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode())
    contents: list[bytes] = []
    at = 0
    for _ in names:
        stop = out.find(b"\n", at)
        head = out[at:stop].rsplit(b" ", 2)
        is_found = stop >= 0 and len(head) == 3 and head[2].isdigit()
        size = int(head[2]) if is_found else -1
        contents.append(out[stop + 1 : stop + 1 + size] if is_found else b"")
        at = stop + 1 + size + 1 if stop >= 0 else len(out)
    return contents


def _last_move_time(top: str) -> float:
    """Return when git last moved HEAD, except by a person's commit, in epoch seconds; 0: never; infinity: no log."""
    moves = _moves(head_log(top), 0, 0)
    if not moves:
        return float("inf")
    return max((at + 1 for _, _, at, what in moves if not what.startswith(_OF_PERSON)), default=0.0)


def _write_time(raw: str) -> float:
    """Return when a line or event was written, in epoch seconds; 0 if it has no timestamp."""
    from promptx_mem.core.times import epoch, is_time

    if (match := pattern(_K).search(raw)) is not None:
        return int(match[1]) / 1e6
    return epoch(match[1]) if (match := pattern(_AT).search(raw)) is not None and is_time(match[1]) else 0.0


def _run(top: str, *words: str, given: bytes = b"", seconds: float = 2 * _SECONDS) -> bytes:
    """Run git without a pager or a file monitor. Return its output, empty after an error."""
    git = program()
    if git is None:
        return b""
    import subprocess

    try:
        process = subprocess.run(  # noqa: S603 - words of ours, paths after --, and names that git itself gave
            [git, "--no-pager", "-c", "core.fsmonitor=false", *words],
            cwd=top,
            env=environment(),
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return b""
    return process.stdout if process.returncode == 0 else b""
