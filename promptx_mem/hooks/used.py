"""Proof of use: which memories that were given to a session are in the agent's answers and edits; counts only.

The transcript is read where it lies; nothing of it is kept.
"""

import os
import re
from typing import TYPE_CHECKING

from promptx_mem.hooks import handouts
from promptx_mem.store import hosts

if TYPE_CHECKING:
    from promptx_mem.hooks.host import Event
    from promptx_mem.memory import Memory

_TAIL = 1 << 18
_MOST = 20
_SHARE = 0.6
_LEAST = 3
"""So many words, and this part of them, must be there."""

_OF_AGENT = (b'"type":"assistant"', b'"role":"assistant"', b'"type":"gemini"', b'"role":"model"', b'"function_call"')
_WORD = r"[A-Za-z_][A-Za-z0-9_]{4,}|\d{3,}|[\u4e00-\u9fff]{2}"


def note(event: "Event", memory: "Memory") -> None:
    """Record which memories given since the last look were used. A session without a transcript has no record."""
    contexts = memory.context.both()
    place, now = contexts[0].layout, memory.context.now()
    if not event.session or not event.transcript or event.agent:
        return
    name = event.record(now)
    given = handouts.since(place, name, hosts.USED)[-_MOST:]
    if not given:
        return
    said = _said(event.transcript)
    used = [ident for ident in given if said and _is_used(memory, ident, said)]
    hosts.note(place, name, hosts.USED, now, {"ids": used})


def _said(transcript: str) -> str:
    """Return the lines of the agent at the end of a transcript."""
    try:
        with open(transcript, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read(_TAIL).split(b"\n")
    except (OSError, ValueError):
        return ""
    spaced = (line.replace(b'": "', b'":"') for line in lines)
    own = [line for line in spaced if any(mark in line for mark in _OF_AGENT)]
    return re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), b"\n".join(own).decode("utf-8", "replace"))


def _is_used(memory: "Memory", ident: str, said: str) -> bool:
    from promptx_mem.errors import PromptxMemError

    try:
        (found,) = memory.show(ident).data["memories"]
    except (PromptxMemError, ValueError):
        return False
    if any(cite["path"] in said for cite in found["cites"]):
        return True
    words = set(re.findall(_WORD, found["text"].lower()))
    lower = said.lower()
    shared = sum(word in lower for word in words)
    return shared >= _LEAST and shared >= _SHARE * len(words)
