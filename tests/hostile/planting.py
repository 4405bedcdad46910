"""Stores with planted links, pipes and files, the files outside a store, and the commands to run there."""

import contextlib
import gzip
import json
import os
import socket
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.api import Message, Request, layout
from tests.faults import scenes
from tests.hostile import inside

SECRET = "beyond-the-store"
"""Text of every file outside the store. No file name contains it."""

KNOWN = "m_0000000000"
AT = "2026-01-01T00:00:00+00:00"
LINE = f'- {SECRET} #t score:9 duration:永久 <!-- {{"id":"{KNOWN}","at":"{AT}"}} -->\n'
EVENT = json.dumps({"k": 1, "host": "h", "at": AT, "e": "forgotten", "id": KNOWN, "reason": SECRET}) + "\n"
SAID = json.dumps({"m": 1, "role": "user", "text": SECRET, "at": AT}) + "\n"
INDEX = f"# Memory index\n<!-- as of {AT}: 1 of 1 -->\n\n- {SECRET} ({KNOWN})\n"
FILES = {
    "lines.md": LINE, "events.jsonl": EVENT, "said.jsonl": SAID, "index.md": INDEX, "key.yaml": f"{SECRET}: 1\n",
    "recalled": f"2026-01-01 {KNOWN} {SECRET}\n", "folder/u_1.jsonl": SAID, "folder/declarative.md": LINE,
    "folder/20260101-a.md.gz": LINE, "folder/20260101-b.jsonl.gz": EVENT, "folder/lost-c.md.gz": LINE,
    "folder/conversations/u_1.jsonl.gz": SAID, "folder/.x.tmp": SECRET, "folder/cache.db": SECRET,
    "folder/cache.db.aa": SECRET, "folder/settings.json": "{}", "folder/settings.local.json": "{}",
}  # fmt: skip

ROOT = (*layout.FILES, *layout.FOLDERS)
BELOW = (
    "archive/conversations", "archive/20260101-x.md.gz", "archive/20260101-x.jsonl.gz", "archive/lost-x.md.gz",
    "archive/conversations/u_1.jsonl.gz", "conversations/u_1.jsonl", "conversations/u_2.jsonl", ".recalled.7.old",
    ".declarative.md.5.00000000.old", ".journal.jsonl.5.00000000.old", ".x.0123.tmp", "conversations/.x.tmp",
)  # fmt: skip
KINDS = ("file link", "folder link", "link to nothing", "loop", "pipe", "socket", "folder", "device")


def create_outside(top: Path) -> Path:
    """Create the files that no command may change or show."""
    for name, text in FILES.items():
        place = top / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        os.utime(place, (0, 0))
        place.chmod(0o640)
    return top


def snapshot(top: Path) -> dict[str, object]:
    """Return everything that a command could change in a folder: names, bytes, modes, times."""
    found: dict[str, object] = {}
    for path in (top, *top.rglob("*")):
        now = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(now.st_mode) else None
        found[str(path)] = (now.st_mode, now.st_size, now.st_mtime_ns, now.st_nlink, content)
    return found


def store(root: Path) -> list[str]:
    """Create a store with memories, messages, an archive and a log. Return the ids of its memories."""
    memory = scenes.memory_at(root, scenes.START)
    memory.remember(Request(text="用户喜欢喝绿茶", tags=("t",), score="9"))
    memory.remember(Request(text="a meeting in room three", tags=("t",), score="8", duration="1d"))
    memory.remember(Request(text="deploys run on Fridays", tags=("u",), score="8"))
    memory.converse([Message("user", f"said {number}") for number in range(3)])
    scenes.compact(scenes.memory_at(root))
    memory.context.store.write(lambda writer: writer.note([{"at": AT, "s": "s", "cmd": "decay"}], scenes.LATER))
    return [state.entry.id for state in scenes.states(root).values()]


def plant(kind: str, place: Path, top: Path, target: str) -> None:
    """Put a link, pipe, socket, device or folder at a path of a store, if its parent is still a folder."""
    if place.parent.is_symlink() or place.parent.parent.is_symlink():
        return
    with contextlib.suppress(FileExistsError, NotADirectoryError):
        place.parent.mkdir(parents=True, exist_ok=True)
    if place.parent.is_symlink() or not place.parent.is_dir():
        return
    if place.is_dir() and not place.is_symlink():
        place.rename(place.parent / f"moved-{os.urandom(4).hex()}")
    place.unlink(missing_ok=True)
    _make(kind, place, top, target)


def _make(kind: str, place: Path, top: Path, target: str) -> None:
    if kind == "file link":
        place.symlink_to(top / target)
    elif kind == "folder link":
        place.symlink_to(top / "folder", target_is_directory=True)
    elif kind == "link to nothing":
        place.symlink_to(top / "nothing")
    elif kind == "loop":
        place.symlink_to(place.name)
    elif kind == "folder":
        (place / "x.jsonl").mkdir(parents=True)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as end:
            before = os.getcwd()
            os.chdir(place.parent)  # the path of a socket is limited to 108 bytes
            end.bind(place.name)
            os.chdir(before)
    elif kind == "device":
        try:
            os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        except OSError:  # only root may, and not everywhere
            os.mkfifo(place)
    else:
        os.mkfifo(place)


@dataclass(frozen=True)
class Command:
    """A command line. `{id}` is the id of a memory, `{file}` a file to import. `writes`: it must be refused."""

    words: tuple[str, ...]
    stdin: str = ""
    writes: bool = False


def _event(name: str) -> str:
    event = {"hook_event_name": name, "session_id": "s", "prompt": "绿茶 deploys meeting", "transcript_path": ""}
    return json.dumps(event)


DENIED = json.dumps({
    "hook_event_name": "PreToolUse", "tool_name": "Write", "session_id": "s",
    "tool_input": {"file_path": ".memory/declarative.md", "content": "- x #t score:8"},
})  # fmt: skip
COMMANDS = (
    Command(("remember", "another fact", "#t", "score:9"), writes=True),
    Command(("remember", "用户喜欢喝绿茶", "#v", "score:9"), writes=True),
    Command(("recall",)),
    Command(("recall", "绿茶 said", "--json", "--archived")),
    Command(("show", "{id}")),
    Command(("recall", "--format", "context")),
    Command(("index",), writes=True),
    Command(("index", "--check")),
    Command(("tags",)),
    Command(("decay",), writes=True),
    Command(("decay", "--compact"), writes=True),
    Command(("decay", "--dry-run")),
    Command(("boost", "{id}"), writes=True),
    Command(("forget", "{id}"), writes=True),
    Command(("restore", "{id}"), writes=True),
    Command(("forget", "{id}", "--purge"), writes=True),
    Command(("review", "--list")),
    Command(("audit",)),
    Command(("status",)),
    Command(("audit", "--verify")),
    Command(("converse",), '{"role":"user","text":"hello"}\n', writes=True),
    Command(("converse", "--show")),
    Command(("monitor",), "boost {id}\n"),
    Command(("import", "{file}"), writes=True),
    Command(("init",)),
    Command(("init", "--shared")),
    Command(("hook", "prompt"), _event("UserPromptSubmit")),
    Command(("hook", "start"), _event("SessionStart")),
    Command(("hook", "stop"), _event("Stop")),
    Command(("guard",), DENIED),
)


def run(command: Command, ident: str, file: Path) -> inside.Ran:
    """Run a command in the working directory."""
    words = [word.replace("{id}", ident).replace("{file}", str(file)) for word in command.words]
    stdin = command.stdin.replace("{id}", ident).encode()
    with tempfile.TemporaryFile() as file_of_stdin:  # the guard reads the descriptor itself
        file_of_stdin.write(stdin)
        file_of_stdin.seek(0)
        saved = os.dup(0)
        os.dup2(file_of_stdin.fileno(), 0)
        try:
            return inside.run(*words, stdin=stdin, env={"PROMPTX_MEM_SESSION": "s"})
        finally:
            os.dup2(saved, 0)
            os.close(saved)
