"""The *look*: the state of a store's files before a tool call. After the call, it shows changes by other programs.

It is a JSON object outside the project, in the guard's folder for the store. `at` is the last accepted state of the
files. `kept` is the state of their copies in the same folder. `watched` are settings files that are also compared. A
store that cannot be read is not compared.
"""

import os
import stat
import time

from promptx_mem import places
from promptx_mem.core import json_text
from promptx_mem.places import MISSING, stamp, worktrees
from promptx_mem.store import acknowledged
from promptx_mem.store.acknowledged import COPY, FILES

ROOT = "."
"""Name of the store's directory among the names of files."""

USER_SETTINGS = "user-settings"
HOST = "host:"
"""Prefix of the names that represent a host's settings files."""

OPEN_SECONDS = 600
"""Seconds after which a call without a report from the host (if interrupted, for example) is no longer open."""

CALL_SECONDS = 3_600
"""Seconds after which a call without a report from the host is forgotten."""

SESSION_SECONDS = 7 * 86_400
_MAX_BYTES = 1 << 18
_MAX_COPY = 1 << 26
_PARTS = ("at", "kept", "watched", "sessions")
_NO_LINK = os.O_CLOEXEC | os.O_NOFOLLOW


class Call:
    """A tool call that has begun. `alone`: no other session has had a call open at the same time."""

    __slots__ = ("alone", "at", "name", "session")

    def __init__(self, session: str, name: str, at: float, alone: bool) -> None:
        self.session, self.name, self.at, self.alone = session, name, at, alone


class Snapshot:
    """The last accepted state of a store and of settings files. It is locked, and written at the end of `with`."""

    def __init__(self, root: str, folder: str, fd: int) -> None:
        self.root, self.folder, self._fd = root, folder, fd
        self.log = os.path.join(folder, acknowledged.LOG)
        self.at: dict[str, str] = {}
        self.kept: dict[str, str] = {}
        self.watched: dict[str, str] = {}
        self.sessions: dict[str, float] = {}
        self.calls: list[Call] = []
        self.head = 0
        """Size in bytes of git's log of HEAD in the accepted state."""
        self.began = 0.0
        """Time at which the first open call began, in epoch seconds."""
        try:
            known = json_text.loads(os.pread(fd, _MAX_BYTES, 0) or b"{}")
            calls = [Call(session, name, float(at), bool(alone)) for session, name, at, alone, *_ in known["calls"]]
            self.at, self.kept, self.watched, self.sessions = (dict(known[name]) for name in _PARTS)
            self.head, self.calls = int(known["head"]), calls
        except (OSError, ValueError, TypeError, KeyError, RecursionError):  # there is no state yet, or it is damaged
            return

    def __enter__(self) -> "Snapshot":  # noqa: PYI034 - typing is not loaded
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        calls = [[call.session, call.name, call.at, call.alone] for call in self.calls]
        known = {name: getattr(self, name) for name in _PARTS}
        data = json_text.dumps({**known, "head": self.head, "calls": calls}).encode()
        try:
            if kind is None:
                os.pwrite(self._fd, data, 0)
                os.ftruncate(self._fd, len(data))
        except OSError:
            return
        finally:
            os.close(self._fd)

    def begin(self, session: str, call: str, settings: dict[str, str]) -> None:
        """Begin a call (if any). If no call is open, or only promptx-mem made changes, accept the present state."""
        moment = time.time()
        self.calls = [call for call in self.calls if moment - call.at < CALL_SECONDS]
        self.sessions = {name: at for name, at in self.sessions.items() if moment - at < SESSION_SECONDS}
        self.sessions.setdefault(session, moment)
        self.watched |= {name: path for name, path in settings.items() if path}
        if own := os.environ.get(places.SETTINGS) or places.settings_file():
            self.watched[USER_SETTINGS] = own
        now = self.now()
        opened = [call for call in self.calls if moment - call.at < OPEN_SECONDS]
        if self.at != now and (not opened or (self.at.keys() == now.keys() and self.is_own(now))):
            self.accept(now)
        if not opened:
            self.note_head()
            if os.path.exists(self.log):
                os.truncate(self.log, 0)
        if call:
            others = [other for other in opened if other.session != session]
            for other in others:
                other.alone = False
            self.calls.append(Call(session, call, moment, not others))

    def path(self, name: str) -> str:
        """Return the path of a file that is compared."""
        return self.watched.get(name) or os.path.join(self.root, name)

    def copy(self, name: str) -> str:
        """Return the path of the guard's copy of a file."""
        return os.path.join(self.folder, COPY + name.replace("/", "-"))

    def now(self) -> dict[str, str]:
        """Return the present identity of each compared file, and of the store's directory, by name."""
        place = places.identity(self.root)
        return {ROOT: "{}.{}".format(*place) if place else MISSING} | {
            name: stamp(self.path(name)) for name in (*FILES, *self.watched)
        }

    def note_head(self) -> None:
        """Record the size of git's log of HEAD. Entries beyond this size show later changes by git."""
        self.head = 0
        if top := next(worktrees(self.root), None):
            folder = os.path.join(top, ".git")
            if not os.path.isdir(folder):  # a linked worktree or a submodule
                from promptx_mem.git_files import git_folder

                folder = git_folder(top)
            try:
                self.head = os.path.getsize(os.path.join(folder, "logs", "HEAD"))
            except OSError:
                return

    def accept(self, now: dict[str, str]) -> None:
        """Accept a state for later comparisons, and copy the files that have changed."""
        self.note_head()
        for name in (*FILES, *self.watched):
            if self.kept.get(name, "").partition("/")[0] != now[name]:
                self.kept[name] = self._keep(name, now[name])
        self.at = now

    def earlier(self, name: str) -> bytes | None:
        """Return the bytes of a file in the last accepted state: empty if it was missing; None if unknown."""
        at = self.at.get(name, MISSING)
        if at == MISSING:
            return b""
        return load(self.copy(name)) if self.kept.get(name) == f"{at}/{stamp(self.copy(name))}" else None

    def content(self, name: str) -> bytes | None:
        """Return the compared bytes of a file; None if it cannot be read. For settings: the guarded part, or b''."""
        if name not in self.watched:
            return load(self.path(name))
        from promptx_mem.hooks.entries import own_entries

        return own_entries(load(self.path(name)) or b"", is_yaml=name == USER_SETTINGS)

    def _keep(self, name: str, at: str) -> str:
        """Copy a file with the identity `at`; remove the copy if the file is gone or too large.

        If the whole store is gone, keep the copy. Return the identities of the file and the copy; empty if the copy is
        not current.
        """
        if at == MISSING and not os.path.isdir(self.root):
            return self.kept.get(name, "")
        copy = self.copy(name)
        new = f"{copy}.{os.getpid()}.new"
        data = None if at == MISSING else self.content(name)
        try:
            if data is None or len(data) > _MAX_COPY:
                os.unlink(copy)
                return ""
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o600), "wb") as file:
                file.write(data)
            os.replace(new, copy)
        except OSError:
            return ""
        return f"{at}/{stamp(copy)}" if stamp(self.path(name)) == at else ""

    def is_own(self, now: dict[str, str]) -> bool:
        """Return whether promptx-mem has made all changes from the last accepted state to the state `now`."""
        steps, _ = acknowledged.read(self.log)
        return all(acknowledged.is_explained(steps, name, self.at.get(name, MISSING), now[name]) for name in now)


def load(path: str) -> bytes | None:
    """Return the bytes of a file; None if it cannot be read, or is a pipe or a device."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None
