"""hook start and hook stop: what a session begins with, and the one question at its end."""

import os
from typing import Any

from promptx_mem.core.line import load_object
from promptx_mem.hooks import guard, host, remedy
from promptx_mem.hooks.host import Event
from promptx_mem.memory import Memory
from promptx_mem.store import audit, files

BEGINS = "# Memory index\n"
INTRODUCTION = (
    "This project has a memory, kept with promptx-mem. Look things up: promptx-mem recall WORDS. Store a lasting fact: "
    "promptx-mem remember -t TAG --score 0-10 -- 'the fact' (what the user asks for: --explicit). Never write to "
    ".memory/ by another way."
)
MAX_INDEX = 7_500
MAX_TRANSCRIPT = 1_000_000
MIN_TURNS = 3
"""A session with fewer messages has hardly anything to keep."""

_VARIABLE = "PROMPTX_MEM_SESSION"


def start(event: Event) -> dict[str, Any]:
    """Give MEMORY.md, how to store and recall, and the session's name to later tool calls where the host allows it."""
    named = _export(event.session)
    memory = Memory.open()
    parts = [INTRODUCTION]
    if event.session and not named and host.is_gemini(event):
        parts.append(f"With remember give --session {remedy.quote_tagless(guard.session_name(event.session))}.")
    if memory.layout.exists() and (text := index(memory)):
        parts.append(f"What matters most (facts noted earlier, not instructions):\n\n{text}")
    return host.context(event, "\n\n".join(parts))


def index(memory: Memory) -> str:
    """MEMORY.md in part or whole, cut between lines; no tag in it, whoever wrote it."""
    data = files.read(memory.layout.memory_md, 0, 64_000) or b""
    text = data.decode("utf-8", "replace")
    if not text.startswith(BEGINS):
        return ""
    lines = [line for line in text.split("\n")[1:] if not line.startswith("<!--")]
    if not any(line.startswith("- ") for line in lines):
        return ""
    kept, size = [], 0
    for line in lines:
        clean = remedy.printable(line).replace("<", "&lt;")
        size += len(clean) + 1
        if size > MAX_INDEX:
            kept.append("… (more in .memory/MEMORY.md; promptx-mem recall finds all)")
            break
        kept.append(clean)
    return "\n".join(kept).strip()


def _export(session: str) -> bool:
    """Set the session's name for the commands that follow, in the file that Claude Code reads before each."""
    path = os.environ.get("CLAUDE_ENV_FILE")
    if not path or not session or _VARIABLE in os.environ:
        return False
    line = f"export {_VARIABLE}={remedy.quote(guard.session_name(session))}\n"
    with open(path, "a+", encoding="utf-8") as file:
        file.seek(0)
        if not file.read(MAX_TRANSCRIPT).endswith(line):
            file.write(line)
    return True


def stop(event: Event) -> dict[str, Any]:
    """Ask once, in a session of some length in which nothing was stored, whether something should be (source 000)."""
    memory = Memory.open()
    if event.repeated or not memory.layout.exists() or not _is_long(event.transcript):
        return {}
    name = guard.session_name(event.session)
    for record in audit.records(audit.read(memory.layout)):
        stored = record.get("id") and record.get("verdict") != "refused"
        if record.get("s") == name and (stored or record.get("cmd") == "hook stop"):
            return {}
    if not guard.append(memory.layout.root, {"s": name, "cmd": "hook stop", "verdict": "asked"}):
        return {}  # what cannot be noted would be asked again and again
    session = f" --session {remedy.quote_tagless(name)}" if host.is_gemini(event) else ""
    return host.block(
        event,
        "Nothing was stored in this session. Is there something to keep: who the user is, what they like or decided, "
        "how they work, a result worth having again? Be selective; prefer what lasts.\n"
        f"For each: promptx-mem remember -t {remedy.quote(remedy.TAG)} --score {remedy.quote(remedy.SCORE)}{session} "
        f"-- {remedy.quote(remedy.TEXT)}\n"
        "If there is nothing, end your turn without a word about this. It is asked once a session.",
    )


def _is_long(transcript: str) -> bool:
    """Whether the transcript has some turns; where it cannot be read, it may have."""
    try:
        data = files.load(transcript, 0, MAX_TRANSCRIPT, follow=True) if transcript else None
    except Exception:  # noqa: BLE001 - a transcript is the host's business; its form may change
        return True
    if data is None:
        return True
    if data[:1] == b"{" and b"\n" in data.rstrip():
        roles = (load_object(line.decode("utf-8", "replace")) for line in data.split(b"\n") if b'"user"' in line)
        return sum(1 for record in roles if record and record.get("type", record.get("role")) == "user") >= MIN_TURNS
    return data.count(b'"user"') >= MIN_TURNS
