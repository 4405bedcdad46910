"""Checks of a store after a storm."""

import json

from tests.api import Request, make_id
from tests.faults.scenes import states
from tests.faults.weather import EVERYTHING, Actor, Storm, check_recall, with_checksum


def check(storm: Storm) -> None:
    """Check that each acknowledged text is stored once and complete, and that the store is sound."""
    actor = Actor(storm)
    after = with_checksum("after the storm")
    actor.memory().remember(Request(text=after, tags=("t",), score="9"))
    storm.acknowledged.add(after)
    acknowledged = storm.acknowledged.read()
    found = {item["text"] for item in actor.memory().recall(EVERYTHING).data["memories"]}
    check_recall(acknowledged, storm.ended.read(), found)
    known = states(storm.root)
    data = (storm.root / "declarative.md").read_bytes()
    for text in acknowledged:
        assert data.count(f'"id":"{make_id(text)}"'.encode()) == 1, text
        assert known[text].entry.tags == ("t",)
    assert [path.name for path in storm.root.iterdir() if path.name.endswith(".old")] == []
    assert [line for line in (storm.root / "audit.jsonl").read_bytes().splitlines() if not _is_record(line)] == []
    problems = actor.memory().audit_verify().data["problems"] or []
    assert [problem for problem in problems if problem["where"] != "audit.jsonl"] == []


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False
