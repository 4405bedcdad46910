"""audit: the log newest first; lifting a block; rotation that forgets no violation of today."""

import datetime
import json
from typing import Any

import pytest

from tests.api import Filters, Refused
from tests.inside import audit as log
from tests.inside import violations
from tests.world import START, World

pytestmark = pytest.mark.usefixtures("agent_stores")


def violate(world: World, times: int = 1) -> None:
    for number in range(times):
        with pytest.raises(Refused):
            world.remember(f"poor {number}", score="2")


def test_an_attempt_is_listed_newest_first_with_the_words_of_what_was_stored(world: World) -> None:
    ident = world.remember("the secret garden")["id"]
    violate(world.later(hours=1))
    data = world.memory.audit(Filters()).data
    refused, stored = data["records"]
    assert (refused["verdict"], refused["why"], refused["violation"]) == ("refused", "score_too_low", True)
    assert (stored["verdict"], stored["length"], stored["basis"]) == ("stored", 17, "none")
    assert stored["at"] == START.isoformat()
    assert refused.keys() == stored.keys()
    assert (refused["words"], stored["words"]) == (None, "the secret garden")
    assert "garden" not in (world.root / "audit.jsonl").read_text("utf-8")
    assert "poor" not in json.dumps(data)
    world.memory.forget(ident, purge=True)
    assert "garden" not in json.dumps(world.memory.audit(Filters()).data)


def test_allow_lifts_the_block_of_one_session(world: World) -> None:
    violate(world, 3)
    with pytest.raises(Refused, match="blocked"):
        world.remember("a good fact")
    assert world.memory.audit(Filters()).data["blocked"] == ["test"]
    world.session = "a person"
    allowed = world.later(seconds=1).memory.allow("test").data["allowed"]
    assert allowed == {"session": "test", "violations": 3, "was_blocked": True}
    world.session = "test"
    assert world.later(seconds=1).remember("a good fact")["verdict"] == "stored"
    assert world.memory.audit(Filters()).data["blocked"] == []
    violate(world, 3)
    with pytest.raises(Refused, match="blocked"):
        world.remember("another good fact")


def record(at: datetime.datetime, **more: Any) -> bytes:
    return violations.encode({"at": at.isoformat(timespec="seconds"), "s": "test", "pad": "x" * 200, **more})


@pytest.mark.parametrize(("others", "under"), [(1_500, True), (4_500, False)])
def test_rotation_keeps_the_violations_of_today(world: World, others: int, under: bool) -> None:
    """Also where today alone is more than the limit."""
    world.remember("one")
    yesterday = b"".join(record(world.time - datetime.timedelta(days=1, minutes=m)) for m in range(3_000, 0, -1))
    today = b"".join(record(world.time - datetime.timedelta(minutes=m), x=1) for m in (9, 6, 3))
    world.file("audit.jsonl").write_bytes(yesterday + today + b"".join(record(world.time) for _ in range(others)))
    with pytest.raises(Refused, match="blocked"):
        world.remember("two")
    data = world.read_bytes("audit.jsonl")
    assert (len(data) < log.MAX_BYTES) == under
    assert violations.count(data, ["test"], world.time) == 3
    assert len(log.records(data)) >= others + 4


def test_rotation_lets_go_what_is_older_than_30_days(world: World) -> None:
    world.remember("one")
    days = (40, 31, 29, 1)
    world.file("audit.jsonl").write_bytes(b"".join(record(world.time - datetime.timedelta(days=d)) for d in days))
    log.rotate(world.memory.context.layout, world.time)
    assert len(log.records(world.read_bytes("audit.jsonl"))) == 2
