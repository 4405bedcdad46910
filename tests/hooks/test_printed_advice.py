"""Commands that the guard prints, run as printed: each changes the intended store and no other."""

from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Memory, layout
from tests.hooks.rounds import SESSION, Call, Row, bash
from tests.hooks.test_rounds import TEXTS, Round, World, template, world

__all__ = ["template", "world"]

M = ".memory/declarative.md"


def _patch(old: str, new: str = "") -> dict[str, Any]:
    lines = [f"-{old}", *([f"+{new}"] if new else [])]
    return {"command": "\n".join(["*** Begin Patch", f"*** Update File: {M}", "@@", *lines, "*** End Patch"])}


def _edit(path: str, old: str, new: str) -> Call:
    return Call("Edit", {"file_path": path, "old_string": old, "new_string": new})


_REDIS = "- We use Redis for jobs #jobs score:8"
_OFFICE = TEXTS[0][0]
_CALLS = [
    (bash(f"echo '{_REDIS}' >> {M}"), "private", "+ We use Redis for jobs"),
    (bash(f"echo '{_REDIS}' >> ../{M}", cwd="src"), "private", "+ We use Redis for jobs"),
    (bash(f"cat >> {M} <<'E'\n{_REDIS}\nE"), "private", "+ We use Redis for jobs"),
    (bash(f"cd ../team && echo '{_REDIS}' >> {M}"), "team", "+ We use Redis for jobs"),
    (bash(f"echo '{_REDIS}' >> {{root}}/../team/{M}", cwd="../empty"), "team", "+ We use Redis for jobs"),
    (bash(f"echo '{_REDIS}' >> ~/{M}"), "home", "+ We use Redis for jobs"),
    (bash(f"echo '{_REDIS}' >> ~/{M}", cwd="../empty"), "home", "+ We use Redis for jobs"),
    (Call("mcp__promptx__remember", {"content": "喜欢蓝色", "tags": "偏好 颜色"}), "private", "+ 喜欢蓝色 #偏好 #颜色"),
    (_edit(f"{{root}}/{M}", "Berlin", "Bonn"), "private", "+ The office is in Bonn #office"),
    (_edit(f"{{root}}/{M}", _OFFICE, "Ann's office: `x` $(y) in Bonn"), "private", "+ Ann's office: `x` $(y) in Bonn"),
    (_edit(f"{{home}}/{M}", "short answers", "long answers"), "home", "+ Ann prefers long answers"),
    (_edit(f"{{root}}/{M}", "{line}\n", ""), "private", f"- {_OFFICE}"),
    (_edit(f"{{home}}/{M}", "{mine}\n", ""), "home", "- Ann prefers short answers"),
    (Call("apply_patch", _patch("{line}")), "private", f"- {_OFFICE}"),
    (Call("apply_patch", _patch("{line}", "- The office is in Rome #office")), "private", "+ The office is in Rome"),
]


def _active(world: World, place: str) -> list[str]:
    """Return the active memories of a store, each as its text and tags."""
    root = world.base / place
    if not (root / ".memory").exists():
        return []
    found = Memory(layout.at(str(root / ".memory")), "t").recall(Cues(count=50, touch=False)).data["memories"]
    return [" ".join([one["text"], *(f"#{tag}" for tag in one["tags"])]) for one in found]


@pytest.mark.parametrize(("call", "place", "effect"), _CALLS, ids=[str(Row(call)) for call, *_ in _CALLS])
def test_printed_command_changes_only_the_intended_store(world: World, call: Call, place: str, effect: str) -> None:
    (world.base / "empty").mkdir()
    played = Round(world, Row(call))
    played._words["{mine}"] = next(line for line in (world.home / M).read_text().splitlines() if "Ann" in line)
    before = {name: _active(world, name) for name in ("home", "private", "team", "empty")}
    command = _printed(world, played, call)
    if command.endswith(" --user"):  # an agent may store only requested texts there
        assert "If the user asked for this, run:" in played.told
        done = world.run(command, played.root / call.cwd)
        assert b"in the user store, an agent can store or change a memory only if the user asked" in done.stderr
        return
    first = "If the user asked for this, run:" if command.endswith(" --scope user") else "Run this instead:"
    assert first in played.told
    done = world.run(command, played.root / call.cwd, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID=SESSION)
    assert done.returncode == 0, (command, done.stderr)
    after = {name: _active(world, name) for name in before}
    assert [name for name in before if before[name] != after[name]] == [place]
    sign, _, text = effect.partition(" ")
    came, went = set(after[place]) - set(before[place]), set(before[place]) - set(after[place])
    assert any(one.startswith(text) for one in (came if sign == "+" else went)), (came, went)
    assert len(came) == (sign == "+")
    assert len(went) <= 1


def _printed(world: World, played: Round, call: Call) -> str:
    """Return the command of the denial."""
    answers: list[dict[str, Any]] = []
    asked = world.guard

    def listening(event: dict[str, Any], cwd: Path) -> dict[str, Any]:
        answers.append(asked(event, cwd))
        return answers[-1]

    world.guard = listening  # type: ignore[method-assign]
    assert played._open(call) is None
    played.told = str(answers[0]["permissionDecisionReason"])
    return played.told.partition(":\n  ")[2].partition("\n")[0]
