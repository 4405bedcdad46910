"""Result: what a command has to say, before anyone decides how to show it."""

from dataclasses import dataclass, field
from typing import Any

VERSION = 1

FIELDS: dict[str, dict[str, Any]] = {
    "remember": {
        "store": None,
        "verdict": None,
        "id": None,
        "text": None,
        "score": None,
        "duration": None,
        "tags": [],
        "adjustments": [],
        "similar": [],
        "dry_run": False,
        "items": None,
    },
    "recall": {"store": None, "count": 0, "total": 0, "left_out": 0, "memories": [], "near_misses": [], "cues": []},
    "score": {"score": None, "profile": None, "explicit": False, "terms": [], "verdict": None, "guide": None},
    "import": {"store": None, "taken": 0, "known": 0, "left": 0, "dry_run": False, "items": []},
    "init": {"store": None, "created": False, "shared": False},
}
"""The keys of each command's JSON object, with what they hold when the command fails."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a command did. `data` holds keys of FIELDS[command]; `exit_status` 0, or 1 where a check found something."""

    command: str
    data: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    exit_status: int = 0

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
