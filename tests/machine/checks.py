"""Checks after every step."""

import re
from collections.abc import Iterable
from typing import Any

from tests.api import Cues, fold_all, layout, lives, unit_of
from tests.inside import conversations, sources
from tests.machine.steps import Steps


def check(steps: Steps) -> None:
    """Compare all output of the program with the model."""
    active = steps.active()
    _shown(steps, active)
    _words(steps, active)
    _files_alone(steps, active)
    _verified(steps)
    _index(steps, active)
    if not steps.went_back:
        _reviews(steps, active)
    unit = conversations.read(layout.at(str(steps.root)), unit_of("test"))
    assert len(unit.messages) == steps.model.messages, "messages were lost"
    assert sorted(unit.waiting()) == list(
        range(steps.model.messages - len(steps.model.open_messages) + 1, steps.model.messages + 1)
    )


def _shown(steps: Steps, active: dict[str, Any]) -> None:
    """Check that recall without a query shows exactly the active memories, each once."""
    found = steps.memory().recall(Cues(count=1000, touch=False)).data["memories"]
    differ = {one["id"] for one in found} ^ active.keys()
    assert not differ, [steps.model.memories.get(ident) for ident in differ]
    assert len(found) == len(active)
    for one in found:
        memory, life = active[one["id"]]
        wanted = (memory.text, memory.all_tags(), life.score, life.category)
        assert (one["text"], set(one["tags"]), one["score"], one["category"]) == wanted, (one, memory)
        assert abs(one["importance"] - life.importance_at(steps.time)) < 0.001, (one, memory, life)


def _words(steps: Steps, active: dict[str, Any]) -> None:
    """Check that a word of each memory finds it, unless it has ended.

    Expired episodes rank after active memories, but before weak matches.
    """
    expired = steps.model.expired(steps.time, steps.seen)
    cues = {ident: re.findall("w[0-9a-f]{10}", memory.text)[0] for ident, memory in steps.model.memories.items()}
    for some in batched(cues.items(), 8):
        found = (
            steps.memory().recall(Cues(text=" ".join(cue for _, cue in some), count=1000, touch=False)).data["memories"]
        )
        # Messages without an episode are not in the model.
        shown = [one["id"] for one in found if not one["id"].startswith("u_")]
        assert {ident for ident, _ in some if ident in active or ident in expired} <= set(shown)
        assert set(shown) <= active.keys() | expired
        for weak in (False, True):
            alike = [one["id"] for one in found if one["id"] in shown and one["weak"] is weak]
            assert alike == sorted(alike, key=expired.__contains__)


def batched(items: Iterable[tuple[str, str]], size: int) -> list[list[tuple[str, str]]]:
    listed = list(items)
    return [listed[start : start + size] for start in range(0, len(listed), size)]


def _files_alone(steps: Steps, active: dict[str, Any]) -> None:
    everything = sources.read(layout.at(str(steps.root)))
    states = fold_all((line.entry for line in everything.lines), everything.events)
    found = {ident for ident, state in states.items() if lives(state, steps.time)}
    assert found == active.keys(), found ^ active.keys()


def _verified(steps: Steps) -> None:
    """Check that only deleted lines and an outdated index are reported as problems."""
    expected = {"vanished"} if steps.model.gone else set()
    if steps.index_from is None:
        expected.add("index")
    if steps.merged:
        expected.add("purged")  # a merge restored them; the next decay destroys them again
    problems = steps.memory().audit_verify().data["problems"] or []
    unexpected = [one for one in problems if one["check"] not in expected]
    assert unexpected == [], unexpected
    assert {one["where"] for one in problems if one["check"] == "vanished"} <= steps.model.gone.keys()


def _index(steps: Steps, active: dict[str, Any]) -> None:
    path = steps.root / "MEMORY.md"
    if steps.index_from == steps.time and path.exists():
        assert set(re.findall(r"\((m_[0-9a-z]{10})\)", path.read_text("utf-8"))) <= active.keys()


def _reviews(steps: Steps, active: dict[str, Any]) -> None:
    """Check the reviews: fading below 0.5, promotion at 2.5 or higher."""
    wanted = {}
    for ident, (_, life) in active.items():
        if life.category not in ("core", "system", "episode"):
            if life.importance_at(steps.time) < 0.5:
                wanted[ident] = "fading"
            elif life.pending:
                wanted[ident] = "promotion"
    data = steps.memory().reviews().data
    found = {one["id"]: one["review"] for one in data["reviews"] if one["review"] != "summary"}
    assert found.items() <= wanted.items()
    assert data["more"] or found == wanted
