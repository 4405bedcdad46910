"""The look: what a store's files were before a tool call, so that whatever else changed them shows after it.

It lies outside the project, in the guard's folder of the store, as lines: `at NAME IDENTITY` is the last state that is
accounted for, `kept NAME IDENTITY` of which state there is a copy, `watch NAME PATH` which settings are compared too,
`session NAME SECONDS` when a session began, `head SIZE` how long git's log of HEAD was, and `open SESSION CALL SECONDS
ALONE` a call under way. The copies of a store's files lie in its own `.cache`: no text of a memory leaves the project.
Every byte of them is flipped, so that a command which replaces a word in all files below a folder does not change them
too.

The common call writes a line and takes it out again. All of it fails nothing: a store that cannot be looked at is not
compared.
"""

import os
import time

from promptx_mem.places import SETTINGS, guard_folder, head_log, settings_file, worktrees
from promptx_mem.store import acknowledged
from promptx_mem.store.acknowledged import COPY, FILES, MISSING, identity

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TYPE_CHECKING = False  # typing would cost more than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable

NAME = ".look"
ROOT = "."
"""Stands for the directory of the store itself."""

USER_SETTINGS = "user-settings"
HOST = "host:"
"""Begins the name of a host's file of settings."""

CALL_SECONDS = 3_600
"""A call without an end is over by then."""

SESSION_SECONDS = 7 * 86_400
_MAX_BYTES = 1 << 18
_MAXCOPY = 1 << 26
_FLIPPED = bytes(255 - byte for byte in range(256))
_TRIES, _PAUSE = 40, 0.005
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)


class Call:
    """A call under way. `alone`: no other session has had one open meanwhile."""

    __slots__ = ("alone", "at", "name", "session")

    def __init__(self, session: str, name: str, at: float, *, alone: bool = True) -> None:
        self.session = session
        self.name = name
        self.at = at
        self.alone = alone


class Look:
    """What is known of a store and the settings beside it."""

    def __init__(self, root: str, folder: str) -> None:
        self.root = root
        self.folder = folder
        self.at: dict[str, str] = {}
        self.kept: dict[str, str] = {}
        self.watched: dict[str, str] = {}
        self.sessions: dict[str, float] = {}
        self.calls: list[Call] = []
        self.head = 0
        """Bytes of git's log of HEAD in the state that is accounted for."""
        self.began = 0.0
        """When the first call began that the comparison is about, epoch seconds."""

    def path(self, name: str) -> str:
        """Return the path of a file that is compared."""
        return self.watched.get(name) or os.path.join(self.root, name)

    def copy(self, name: str) -> str:
        """Return the path of the copy of a file."""
        folder = self.folder if name in self.watched else os.path.join(self.root, ".cache")
        return os.path.join(folder, COPY + name.replace("/", "-"))

    def now(self) -> dict[str, str]:
        """Return the identity of each file, and of the store's directory."""
        try:
            status = os.stat(self.root)
            found = {ROOT: f"{status.st_dev}.{status.st_ino}"}
        except OSError:
            found = {ROOT: MISSING}
        return found | {name: identity(self.path(name)) for name in (*FILES, *self.watched)}

    def note_head(self) -> None:
        """Note how long git's log of HEAD is, so that what git does from now on is known."""
        top = next(worktrees(self.root), None)
        try:
            self.head = os.path.getsize(head_log(top)) if top else 0
        except OSError:
            self.head = 0

    def accept(self, now: dict[str, str]) -> None:
        """Take a state as the one that is accounted for, with copies of the files that have changed."""
        self.note_head()
        changed = [name for name in (*FILES, *self.watched) if self.kept.get(name, "").partition("/")[0] != now[name]]
        for name in changed:
            self.kept.pop(name, None)
            if now[name] != MISSING and self._keep(name) and identity(self.path(name)) == now[name]:
                self.kept[name] = f"{now[name]}/{identity(self.copy(name))}"
        self.at = now

    def earlier(self, name: str) -> bytes | None:
        """Return the bytes of a file in the state that is accounted for; None if they are not known."""
        at = self.at.get(name, MISSING)
        if at == MISSING:
            return b""
        if self.kept.get(name) != f"{at}/{identity(self.copy(name))}":
            return None
        try:
            with open(self.copy(name), "rb") as file:
                return file.read().translate(_FLIPPED)
        except OSError:
            return None

    def _keep(self, name: str) -> bool:
        if name in self.watched:
            from promptx_mem.hooks.guard.entries import own_entries

            return _write(self.copy(name), own_entries(self.path(name)))
        folder = os.path.dirname(self.copy(name))
        try:
            status = os.lstat(folder)
            if os.path.islink(folder) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
                return False
            with open(self.path(name), "rb") as file:
                data = file.read(_MAXCOPY + 1)
        except OSError:
            return False
        return len(data) <= _MAXCOPY and _write(self.copy(name), data)

    def steps(self) -> "tuple[dict[tuple[str, str], str], dict[str, set[str]]]":
        """Return what our own commands have recorded since the look was taken."""
        return acknowledged.read(os.path.join(self.folder, acknowledged.LOG))

    def is_own(self, now: dict[str, str]) -> bool:
        """Return whether our own commands lead from the state that is accounted for to this one."""
        steps, _ = self.steps()
        return all(acknowledged.leads(steps, name, self.at.get(name, MISSING), now[name]) for name in now)


def watch(root: str, session: str, settings: dict[str, str]) -> None:
    """Begin a session: compare these files of settings, by name, with the store from now on."""
    with _Locked(root, create=True) as look:
        if look is None:
            return
        look.sessions.setdefault(session, time.time())
        own = os.environ.get(SETTINGS) or settings_file() or ""
        found = {**look.watched, USER_SETTINGS: own, **settings}
        look.watched = {name: path for name, path in found.items() if path and "\n" not in path}
        if not look.calls:
            look.accept(look.now())


def begin(root: str, session: str, call: str) -> None:
    """Look before a call of a session."""
    with _Locked(root, create=True) as look:
        if look is None:
            return
        moment = time.time()
        _forget_old(look, moment)
        look.sessions.setdefault(session, moment)
        if own := os.environ.get(SETTINGS) or settings_file():
            look.watched.setdefault(USER_SETTINGS, own)
        now = look.now()
        if look.at != now and (not look.calls or (look.at.keys() == now.keys() and look.is_own(now))):
            look.accept(now)
        if not look.calls:
            look.note_head()
            _empty(os.path.join(look.folder, acknowledged.LOG))
        others = [other for other in look.calls if other.session != session]
        for other in others:
            other.alone = False
        look.calls.append(Call(session, call, moment, alone=not others))


def end(root: str, session: str, call: str, answer: "Callable[[Look, Call, dict[str, str]], str]") -> str:
    """Compare after a call: return what `answer` says of a change that is not our own, empty if there is none.

    `call` empty ends all calls of the session.
    """
    with _Locked(root, create=False) as look:
        if look is None:
            return ""
        mine = [one for one in look.calls if one.session == session and (not call or one.name in (call, "-"))]
        mine = mine if not call else mine[:1]
        look.began = min((one.at for one in look.calls), default=0.0)
        look.calls = [one for one in look.calls if one not in mine]
        now = look.now()
        if not mine or not look.at or now == look.at:
            return ""
        said = ""
        if look.at.keys() == now.keys() and not look.is_own(now):
            said = answer(look, mine[0], now)
            now = look.now()  # what the answer itself wrote is ours
        look.accept(now)
        return said


def known_root(cwd: str) -> str | None:
    """Return the path of a store that a guard has looked at, in this folder or above it, there or not."""
    folder = os.path.abspath(cwd)
    while True:
        candidate = os.path.join(folder, ".memory")
        place = guard_folder(candidate)
        if place is None:
            return None
        if os.path.exists(os.path.join(place, NAME)):
            return candidate
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _forget_old(look: Look, moment: float) -> None:
    look.calls = [call for call in look.calls if moment - call.at < CALL_SECONDS]
    look.sessions = {name: at for name, at in look.sessions.items() if moment - at < SESSION_SECONDS}


class _Locked:
    """The look of a store while no other hook has it; None where there is none, or it cannot be had in time."""

    def __init__(self, root: str, *, create: bool) -> None:
        self._root = root
        self._create = create
        self._fd = -1
        self._look: Look | None = None

    def __enter__(self) -> Look | None:
        folder = guard_folder(self._root, create=self._create)
        if folder is None or fcntl is None:
            return None
        try:
            if self._create:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            self._fd = os.open(os.path.join(folder, NAME), _FLAGS if self._create else _FLAGS & ~os.O_CREAT, 0o600)
        except OSError:
            return None
        if not _take(self._fd):
            return None
        self._look = _read(self._root, folder, os.pread(self._fd, _MAX_BYTES, 0))
        return self._look

    def __exit__(self, kind: object, *_: object) -> None:
        if self._fd < 0:
            return
        try:
            if self._look is not None and kind is None:
                data = _format(self._look)
                os.pwrite(self._fd, data, 0)
                os.ftruncate(self._fd, len(data))
        except OSError:
            return
        finally:
            os.close(self._fd)


def _take(fd: int) -> bool:
    for _ in range(_TRIES):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            time.sleep(_PAUSE)
        else:
            return True
    return False


def _read(root: str, folder: str, data: bytes) -> Look:
    look = Look(root, folder)
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        kind, _, rest = line.partition(" ")
        words = rest.split(" ")
        if kind == "watch":
            name, _, path = rest.partition(" ")
            look.watched[name] = path
        elif kind == "at" and len(words) == 2:
            look.at[words[0]] = words[1]
        elif kind == "kept" and len(words) == 2:
            look.kept[words[0]] = words[1]
        elif kind == "head":
            look.head = int(rest) if rest.isdecimal() and len(rest) < 16 else 0
        elif kind == "session" and len(words) == 2:
            look.sessions[words[0]] = _number(words[1])
        elif kind == "open" and len(words) == 4:
            look.calls.append(Call(words[0], words[1], _number(words[2]), alone=words[3] == "1"))
    return look


def _format(look: Look) -> bytes:
    lines = [f"at {name} {at}" for name, at in look.at.items()]
    lines += [f"kept {name} {at}" for name, at in look.kept.items()]
    lines += [f"watch {name} {path}" for name, path in look.watched.items()]
    lines += [f"session {name} {at}" for name, at in look.sessions.items()]
    lines.append(f"head {look.head}")
    lines += [f"open {call.session} {call.name} {call.at} {int(call.alone)}" for call in look.calls]
    return "\n".join([*lines, ""]).encode("utf-8", "surrogateescape")


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return 0.0


def word(text: object) -> str:
    """Return a session's or a call's name as one word of the look."""
    if not isinstance(text, str):
        return "-"
    kept = "".join(char for char in text if char.isascii() and char.isprintable() and char != " ")
    return kept[:120] or "-"


def _write(path: str, data: bytes) -> bool:
    new = f"{path}.{os.getpid()}.new"
    try:
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with open(fd, "wb") as file:
            file.write(data.translate(_FLIPPED))
        os.replace(new, path)
    except OSError:
        return False
    return True


def _empty(path: str) -> None:
    try:
        if os.path.getsize(path):
            os.truncate(path, 0)
    except OSError:
        return
