"""What must hold after every step."""

import re
from collections.abc import Iterable
from typing import Any

from tests.api import Cues, fold_all, layout, lives, unit_of
from tests.inside import conversations, sources
from tests.machine.steps import Steps


def check(steps: Steps) -> None:
    """Ask everything in every way, and compare it with the model."""
    living = steps.living()
    _shown(steps, living)
    _words(steps, living)
    _files_alone(steps, living)
    _verified(steps)
    _index(steps, living)
    if not steps.went_back:
        _reviews(steps, living)
    unit = conversations.read(layout.at(str(steps.root)), unit_of("test"))
    assert len(unit.messages) == steps.model.messages, "messages were lost"
    assert sorted(unit.waiting()) == list(
        range(steps.model.messages - len(steps.model.said) + 1, steps.model.messages + 1)
    )


def _shown(steps: Steps, living: dict[str, Any]) -> None:
    """Recall without a cue shows what lives, each once, and nothing else."""
    found = steps.memory().recall(Cues(count=1000, touch=False)).data["memories"]
    differ = {one["id"] for one in found} ^ living.keys()
    assert not differ, [steps.model.memories.get(ident) for ident in differ]
    assert len(found) == len(living)
    for one in found:
        told, life = living[one["id"]]
        wanted = (told.text, told.all_tags(), life.score, life.category)
        assert (one["text"], set(one["tags"]), one["score"], one["category"]) == wanted, (one, told)
        assert abs(one["importance"] - life.worth(steps.time)) < 0.001, (one, told, life)


def _words(steps: Steps, living: dict[str, Any]) -> None:
    """A word of each finds it, or nothing where it has ended.

    An episode whose time is over comes after what lives, but before what hardly matches.
    """
    over = steps.model.over(steps.time, steps.seen)
    cues = {ident: re.findall("w[0-9a-f]{10}", told.text)[0] for ident, told in steps.model.memories.items()}
    for some in batched(cues.items(), 8):
        found = (
            steps.memory().recall(Cues(text=" ".join(cue for _, cue in some), count=1000, touch=False)).data["memories"]
        )
        # What was said and has no episode yet is no memory of the model.
        shown = [one["id"] for one in found if not one["id"].startswith("u_")]
        assert {ident for ident, _ in some if ident in living or ident in over} <= set(shown)
        assert set(shown) <= living.keys() | over
        for weak in (False, True):
            alike = [one["id"] for one in found if one["id"] in shown and one["weak"] is weak]
            assert alike == sorted(alike, key=over.__contains__)


def batched(items: Iterable[tuple[str, str]], size: int) -> list[list[tuple[str, str]]]:
    listed = list(items)
    return [listed[start : start + size] for start in range(0, len(listed), size)]


def _files_alone(steps: Steps, living: dict[str, Any]) -> None:
    everything = sources.read(layout.at(str(steps.root)))
    states = fold_all((line.entry for line in everything.lines), everything.events)
    found = {ident for ident, state in states.items() if lives(state, steps.time)}
    assert found == living.keys(), found ^ living.keys()


def _verified(steps: Steps) -> None:
    """No complaint, but of lines that somebody has deleted, and of an index that nobody has refreshed since."""
    expected = {"vanished"} if steps.model.gone else set()
    if steps.index_from is None:
        expected.add("index")
    if steps.merged:
        expected.add("purged")  # what came back: the next decay destroys it again
    problems = steps.memory().audit_verify().data["problems"] or []
    unexpected = [one for one in problems if one["check"] not in expected]
    assert unexpected == [], unexpected
    assert {one["where"] for one in problems if one["check"] == "vanished"} <= steps.model.gone.keys()


def _index(steps: Steps, living: dict[str, Any]) -> None:
    path = steps.root / "MEMORY.md"
    if steps.index_from == steps.time and path.exists():
        assert set(re.findall(r"\((m_[0-9a-z]{10})\)", path.read_text("utf-8"))) <= living.keys()


def _reviews(steps: Steps, living: dict[str, Any]) -> None:
    """Fading below 0.5, promotion from 2.5 on."""
    wanted = {}
    for ident, (_, life) in living.items():
        if life.category not in ("core", "system", "episode"):
            if life.worth(steps.time) < 0.5:
                wanted[ident] = "fading"
            elif life.asked:
                wanted[ident] = "promotion"
    data = steps.memory().reviews().data
    found = {one["id"]: one["review"] for one in data["reviews"] if one["review"] != "summary"}
    assert found.items() <= wanted.items()
    assert data["more"] or found == wanted
