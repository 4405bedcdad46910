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
from promptx_mem.places import SETTINGS, above, guard_folder, head_log, settings_file, worktrees
from promptx_mem.processes import is_running
from promptx_mem.store import acknowledged
from promptx_mem.store.acknowledged import COPY, FILES, MISSING, identity

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TYPE_CHECKING = False  # importing typing would take longer than everything else
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = ".look"
NAMELESS = "-"
"""Placeholder for the missing name of a session or a call."""

ROOT = "."
"""Name of the store's directory among the names of files."""

USER_SETTINGS = "user-settings"
HOST = "host:"
"""Prefix of the names that represent a host's settings files."""

CALL_SECONDS = 3_600
"""Seconds after which a call without a report from the host is forgotten."""

OPEN_SECONDS = 600
"""Seconds after which such a call no longer counts as open, for example because the user has interrupted it."""

SESSION_SECONDS = 7 * 86_400
_MAX_BYTES = 1 << 18
_MAX_COPY = 1 << 26
_TRIES, _PAUSE = 40, 0.005
_PARTS = ("at", "kept", "watched", "sessions")
_NO_LINK = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


class Call:
    """A tool call that has begun. `alone`: no other session has had a call open at the same time.

    `host` is the process of the call's host (see `processes.note_host`).
    """

    __slots__ = ("alone", "at", "host", "name", "session")

    def __init__(self, session: str, name: str, at: float, alone: bool, host: str = "") -> None:
        self.session, self.name, self.at, self.alone, self.host = session, name, at, alone, host

    def is_open(self, moment: float, session: str) -> bool:
        """Return whether the call can still be running, while a call of `session` begins."""
        is_recent = moment - self.at < OPEN_SECONDS
        return is_recent and (self.session == session or not self.host or is_running(self.host))


class Look:
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
            calls = [
                Call(session, name, float(at), bool(alone), *host) for session, name, at, alone, *host in known["calls"]
            ]
            self.at, self.kept, self.watched, self.sessions = (dict(known[name]) for name in _PARTS)
            self.head, self.calls = int(known["head"]), calls
        except (OSError, ValueError, TypeError, KeyError, RecursionError):  # there is no state yet, or it is damaged
            return

    def __enter__(self) -> "Look":  # noqa: PYI034 - typing is not loaded
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        calls = [[call.session, call.name, call.at, call.alone, call.host] for call in self.calls]
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
            name: identity(self.path(name)) for name in (*FILES, *self.watched)
        }

    def note_head(self) -> None:
        """Record the size of git's log of HEAD. Entries beyond this size show later changes by git."""
        top = next(worktrees(self.root), None)
        try:
            self.head = os.path.getsize(head_log(top)) if top else 0
        except OSError:
            self.head = 0

    def accept(self, now: dict[str, str]) -> None:
        """Accept a state for later comparisons, and copy the files that have changed."""
        self.note_head()
        for name in (*FILES, *self.watched):
            if self.kept.get(name, "").partition("/")[0] != now[name]:
                self.kept[name] = self._keep(name, now[name])
        self.at = now

    def earlier(self, name: str) -> bytes | None:
        """Return the bytes that a file had in the last accepted state; None if they are unknown."""
        at = self.at.get(name, MISSING)
        if at == MISSING:
            return b""
        return load(self.copy(name)) if self.kept.get(name) == f"{at}/{identity(self.copy(name))}" else None

    def content(self, name: str) -> bytes | None:
        """Return the compared bytes of a file: for settings, the guarded part. Return None if it cannot be read."""
        if name not in self.watched:
            return load(self.path(name))
        from promptx_mem.hooks.entries import own_entries

        return own_entries(load(self.path(name)) or b"", is_yaml=name == USER_SETTINGS)

    def _keep(self, name: str, at: str) -> str:
        """Copy a file with the identity `at`; remove the copy if the file is gone or too long.

        Return the state of the copy; empty if there is none.
        """
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
        return f"{at}/{identity(copy)}" if identity(self.path(name)) == at else ""

    def is_own(self, now: dict[str, str]) -> bool:
        """Return whether promptx-mem has made all changes from the last accepted state to the state `now`."""
        steps, _ = acknowledged.read(self.log)
        return all(acknowledged.leads(steps, name, self.at.get(name, MISSING), now[name]) for name in now)


def load(path: str) -> bytes | None:
    """Return the bytes of a file; None if it cannot be read, or is a pipe or a device."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except OSError:
        return None


def begin(root: str, session: str, call: str = "", host: str = "", settings: "dict[str, str] | None" = None) -> None:
    """Record the state before a call, or at a session's start (without `call`).

    `settings` are the paths of further files to compare, by name.
    """
    look = _open(root, create=True)
    if look is None:
        return
    with look:
        moment = time.time()
        look.calls = [call for call in look.calls if moment - call.at < CALL_SECONDS]
        look.sessions = {name: at for name, at in look.sessions.items() if moment - at < SESSION_SECONDS}
        look.sessions.setdefault(session, moment)
        look.watched |= {name: path for name, path in (settings or {}).items() if path}
        if own := os.environ.get(SETTINGS) or settings_file():
            look.watched[USER_SETTINGS] = own
        now = look.now()
        opened = [call for call in look.calls if call.is_open(moment, session)]
        if look.at != now and (not opened or (look.at.keys() == now.keys() and look.is_own(now))):
            look.accept(now)
        if not opened:
            look.note_head()
            if os.path.exists(look.log):
                os.truncate(look.log, 0)
        if call:
            others = [other for other in opened if other.session != session]
            for other in others:
                other.alone = False
            look.calls.append(Call(session, call, moment, not others, host))


def end(root: str, session: object, call: str, answer: "Callable[[Look, Call, dict[str, str]], str]") -> str:
    """Compare the files after a call. Return a report of changes by other programs; empty if there are none.

    An empty `call` ends all calls of the session. `answer` reads the changes and returns the report.
    """
    look = _open(root, create=False)
    if look is None:
        return ""
    with look:
        mine = [one for one in look.calls if one.session == named(session)]
        if call:
            mine = [one for one in mine if one.name in (named(call), NAMELESS)][:1]
        look.began = min((one.at for one in look.calls), default=0.0)
        look.calls = [one for one in look.calls if one not in mine]
        now, said = look.now(), ""
        if not mine or not look.at or now == look.at:
            return ""
        if look.at.keys() == now.keys() and not look.is_own(now):
            said = answer(look, mine[0], now)
            now = look.now()  # includes the changes that `answer` has made
        look.accept(now)
        return said


def known_root(cwd: str) -> str | None:
    """Return the path of a recorded store in this folder or a parent, even if the store is gone."""
    for candidate, _ in above(os.path.abspath(cwd)):
        folder = guard_folder(candidate) if candidate else None
        if folder is None or os.path.exists(os.path.join(folder, NAME)):
            return candidate if folder else None
    return None


def named(text: object) -> str:
    """Return the name by which the look records a session or a call."""
    return text[:120] if isinstance(text, str) and text else NAMELESS


def _open(root: str, *, create: bool) -> Look | None:
    """Open and lock the look of a store. Return None if there is no look, or if it stays locked for too long."""
    folder = guard_folder(root, create=create)
    if folder is None or fcntl is None:
        return None
    try:
        if create:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        fd = os.open(os.path.join(folder, NAME), os.O_RDWR | _NO_LINK | (os.O_CREAT if create else 0), 0o600)
    except OSError:
        return None
    for _ in range(_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_PAUSE)
        else:
            return Look(root, folder, fd)
    os.close(fd)
    return None
