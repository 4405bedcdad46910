"""Result: what a command has to say, before anyone decides how to show it."""

from typing import Any, NamedTuple

VERSION = 1

REMEMBER: dict[str, Any] = {
    "store": None,
    "verdict": None,
    "id": None,
    "text": None,
    "score": None,
    "duration": None,
    "tags": [],
    "adjustments": [],
    "thresholds": None,
    "similar": [],
    "superseded": None,
    "violations": None,
    "dry_run": False,
    "items": None,
}

CHANGE: dict[str, Any] = {
    "store": None,
    "id": None,
    "text": None,
    "note": None,
    "lives": None,
    "end": None,
    "importance_before": None,
    "importance": None,
    "verified": None,
}

FIELDS: dict[str, dict[str, Any]] = {
    "help": {"text": None},
    "version": {"text": None},
    "remember": REMEMBER,
    "recall": {
        "store": None,
        "count": 0,
        "total": 0,
        "left_out": 0,
        "more": 0,
        "dropped": 0,
        "budget": None,
        "as_of": None,
        "format": None,
        "cues": [],
        "memories": [],
        "near_misses": [],
    },
    "score": {
        "score": None,
        "final_score": None,
        "profile": None,
        "explicit": False,
        "terms": [],
        "divisor": None,
        "bonus": None,
        "verdict": None,
        "warned": False,
        "guide": None,
    },
    "boost": CHANGE,
    "verify": CHANGE,
    "restore": CHANGE,
    "forget": {**CHANGE, "files": []},
    "edit": REMEMBER,
    "review": {
        "store": None,
        "count": 0,
        "reviews": [],
        "id": None,
        "text": None,
        "note": None,
        "as_prompt": False,
        "review": None,
        "decision": None,
        "lives": None,
        "category": None,
        "importance": None,
    },
    "converse": {
        "store": None,
        "session": None,
        "unit": None,
        "added": 0,
        "known": 0,
        "waiting": 0,
        "rolled": [],
        "messages": None,
    },
    "monitor": {"store": None, "items": [], "done": 0, "skipped": 0, "ignored": 0, "failed": 0, "prompt": None},
    "decay": {
        "store": None,
        "done": [],
        "running": False,
        "dry_run": False,
        "now": None,
        "plan": [],
        "archiving": False,
        "due": [],
        "size": None,
        "reviews": 0,
        "schedule": None,
    },
    "index": {
        "store": None,
        "shown": 0,
        "total": 0,
        "limit": None,
        "written": False,
        "current": None,
        "difference": None,
        "as_of": None,
        "topics": None,
    },
    "audit": {
        "store": None,
        "count": 0,
        "total": 0,
        "left_out": 0,
        "records": [],
        "verdicts": {},
        "blocked": [],
        "stats": None,
        "problems": None,
        "notes": [],
        "checked": {},
        "allowed": None,
    },
    "import": {"store": None, "taken": 0, "known": 0, "left": 0, "dry_run": False, "items": []},
    "guard": {"answer": None},
    "hook": {
        "action": None,
        "answer": None,
        "host": None,
        "scope": None,
        "path": None,
        "diff": None,
        "changed": False,
        "written": False,
        "entries": [],
    },
    "mcp": {},
    "init": {"store": None, "created": False, "shared": False, "opened": False, "agent": None},
}
"""The keys of each command's JSON object, with what they hold when the command fails."""


class Result(NamedTuple):
    """What a command did. `data` holds keys of FIELDS[command]; `exit_status` 0, or 1 where a check found something.

    `instead`, which is one of the warnings, is all that a person is shown of it where it is not empty.
    """

    command: str
    data: dict[str, Any]
    warnings: tuple[str, ...] = ()
    exit_status: int = 0
    instead: str = ""

    def envelope(self) -> dict[str, Any]:
        """The JSON object: the same keys for a command whether it succeeds or fails."""
        return {
            "v": VERSION,
            "command": self.command,
            "ok": self.exit_status == 0,
            "exit": self.exit_status,
            **FIELDS.get(self.command, {}),
            **self.data,
            "warnings": list(self.warnings),
            "error": None,
        }


def failure(command: str, exit_status: int, code: str, message: str, hint: str, data: dict[str, Any]) -> dict[str, Any]:
    """The JSON object of a command that failed."""
    return {
        **Result(command, data, exit_status=exit_status).envelope(),
        "error": {"code": code, "message": message, "hint": hint},
    }
