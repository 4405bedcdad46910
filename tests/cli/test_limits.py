"""Each limit of the gate."""

import datetime
import os
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.usecases.context import MOMENT
from tests.api import Cues, Entry, Memory, PromptxMemError, Refused, Remember, Request, Result, format_line, make_id
from tests.inside import WAIT_SECONDS, Lock, audit, creation, disk, hosts, location, objects, store
from tests.world import World

ZONE = datetime.timezone(datetime.timedelta(hours=8))
NOON = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=ZONE)


@pytest.fixture
def clock(world: World) -> World:
    """A clock that the test sets."""
    world.time = NOON
    return world


@pytest.fixture
def memory(tmp_path: Path, clock: World) -> Memory:
    return _memory(tmp_path, clock)


def _memory(folder: Path, clock: World, session: str = "mine") -> Memory:
    return Memory(location.locate(str(folder / ".memory")).layout, session, lambda: clock.time)


def _remember(memory: Memory, text: str, **options: Any) -> Result[Remember]:
    return memory.remember(Request(text=text, **options))


def _refused(memory: Memory, text: str, **options: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        _remember(memory, text, **options)
    return caught.value


def _log(memory: Memory) -> list[audit.Record]:
    return objects(audit.read(memory.context.layout))


def _violate(memory: Memory, times: int) -> list[Refused]:
    return [_refused(memory, f"small talk, part {number} #talk score:2") for number in range(times)]


def test_third_violation_blocks_the_session(memory: Memory) -> None:
    first, second, third = _violate(memory, 3)
    assert [error.data["violations"] for error in (first, second, third)] == [1, 2, 3]
    assert "violation 1 of 3" in first.hint
    assert "promptx-mem remember 'small talk, part 1' '#talk' score:2 --explicit" in second.hint
    assert "promptx-mem audit --allow mine" in third.hint
    blocked = _refused(memory, "a precious fact #fact score:10")
    assert blocked.code == "session_blocked"
    assert "promptx-mem remember 'a precious fact' '#fact' score:10 --explicit" in blocked.hint
    assert [record.get("x") for record in _log(memory)] == [1, 1, 1, None]


def test_agent_cannot_lift_its_own_block(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    _violate(memory, 3)
    with monkeypatch.context() as agent:
        agent.setenv("CLAUDECODE", "1")
        with pytest.raises(Refused) as caught:
            memory.allow("mine")
    assert "in a terminal: promptx-mem audit --allow mine" in caught.value.hint
    hosts.note(memory.context.layout, "mine", "start", memory.context.now(), {})
    with pytest.raises(Refused):
        memory.allow("mine")
    assert _refused(memory, "still blocked #fact score:9").code == "session_blocked"


@pytest.mark.parametrize(("idle", "free"), [({"hours": 4}, False), ({"hours": 4, "seconds": 1}, True)])
def test_four_idle_hours_end_a_session_and_its_block(
    memory: Memory, clock: World, idle: dict[str, float], free: bool
) -> None:
    _violate(memory, 3)
    clock.later(**idle)
    if free:
        assert _remember(memory, "a precious fact #fact score:9").data["verdict"] == "stored"
        assert _violate(memory, 1)[0].data["violations"] == 1
    else:
        assert _refused(memory, "a precious fact #fact score:9").code == "session_blocked"


def test_usage_errors_are_not_violations(memory: Memory) -> None:
    for text in ("no tokens", "no score #tag", "bad score #tag score:99", ""):
        with pytest.raises(PromptxMemError):
            _remember(memory, text)
    assert not os.path.exists(memory.context.layout.audit)


def _record_scorings(memory: Memory, count: int) -> None:
    memory.context.store.write(
        lambda writer: writer.note(
            [{"at": memory.context.now().isoformat(timespec="seconds"), "s": "other", "cmd": "remember", "n": count}],
            memory.context.now(),
        )
    )


def test_scoring_number_1001_of_a_day_is_refused_unless_explicit(memory: Memory, clock: World) -> None:
    _record_scorings(memory, 999)
    assert _remember(memory, "the thousandth #fact score:9").data["verdict"] == "stored"
    for options in ({}, {"dry_run": True}):
        error = _refused(memory, "one too many #fact score:9", **options)
        assert error.code == "daily_limit"
        assert "2026-11-21 00:00" in error.hint
    assert _remember(memory, "asked for by the user #fact", explicit=True).data["verdict"] == "stored"
    with pytest.raises(Refused, match="1000"):
        memory.score("9,9,9,9,9,9", None)
    clock.later(hours=12)
    assert _remember(memory, "the first of the next day #fact score:9").data["verdict"] == "stored"
    assert _log(memory)[-1]["n"] == 1


def test_every_scoring_counts_toward_the_daily_limit(memory: Memory) -> None:
    _remember(memory, "a fact #fact score:9")
    _violate(memory, 1)
    memory.score("9,9,9,9,9,9", None)
    _refused(memory, "a mismatch #fact score:9", dims="1,1,1,5,1,1")
    assert [record["n"] for record in _log(memory)] == [1, 2, 3, 4]
    assert "a fact" not in Path(memory.context.layout.audit).read_text(encoding="utf-8")


def test_score_needs_no_access_to_the_lock(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    _remember(memory, "a fact #fact score:9")
    store, where, waits = memory.context.store, memory.context.layout, list[float | None]()
    real = store.write

    def write(work: Any, wait: float | None = None) -> Any:
        waits.append(wait)
        return real(work, wait)

    monkeypatch.setattr(store, "write", write)
    with Lock(where.lock, 0o600).hold():
        assert memory.score("9,9,9,9,9,9", None).data["score"] == 9
    os.remove(where.lock)
    os.mkdir(where.lock)
    assert memory.score("9,9,9,9,9,9", None).data["score"] == 9
    assert (waits, MOMENT < WAIT_SECONDS) == ([MOMENT, MOMENT], True)
    assert [record["n"] for record in _log(memory)] == [1]
    os.rmdir(where.lock)
    _record_scorings(memory, 1000)
    with Lock(where.lock, 0o600).hold(), pytest.raises(Refused, match="1000"):
        memory.score("9,9,9,9,9,9", None)


def _fill(memory: Memory, size: int, *, ended: int = 0) -> list[Entry]:
    """Write a store of about `size` bytes; the first `ended` memories have expired."""
    memory.context.store.layout = creation.create(memory.context.layout)
    body = "，".join(["这是很长的一条记忆"] * 100)
    entries: list[Entry] = []
    lines: list[str] = []
    total = 0
    while total < size:
        text = f"{len(entries)} {body}"
        duration = "1h" if len(entries) < ended else "长期"
        at = (NOON - datetime.timedelta(days=2)).isoformat(timespec="seconds")
        entry = Entry(text=text, id=make_id(text), tags=("fill",), score=8.0, duration=duration, at=at)
        entries.append(entry)
        lines.append(format_line(entry) + "\n")
        total += len(lines[-1].encode())
    Path(memory.context.layout.declarative).write_text("".join(lines), encoding="utf-8")
    return entries


@pytest.mark.thorough
def test_full_store_refuses_memories_and_keeps_its_bytes(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_BYTES", 3_000_000)
    _fill(memory, store.MAX_BYTES)
    before = Path(memory.context.layout.declarative).read_bytes()
    error = _refused(memory, "one more #fact score:9")
    assert error.code == "store_full"
    assert "promptx-mem decay --compact" in error.hint
    assert _refused(memory, "one more #fact", explicit=True).code == "store_full"
    assert Path(memory.context.layout.declarative).read_bytes() == before


@pytest.mark.thorough
def test_full_store_with_ended_memories_is_compacted(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MAX_BYTES", 3_000_000)
    entries = _fill(memory, store.MAX_BYTES, ended=400)
    assert _remember(memory, "one more #fact score:9").data["verdict"] == "stored"
    text = Path(memory.context.layout.declarative).read_text(encoding="utf-8")
    assert entries[399].id not in text
    assert entries[400].id in text
    assert disk.names(memory.context.layout.archive)
    assert memory.context.store.size() < store.MAX_BYTES
    found = memory.recall(Cues(text="one more", count=1))
    assert [item["text"] for item in found.data["memories"]] == ["one more"]


def test_text_that_is_too_long_is_refused(memory: Memory) -> None:
    error = _refused(memory, "长" * 10_001, tags=("long",), score="9")
    assert error.code == "too_long"
    assert "the same command with --split" in error.hint
    assert not os.path.exists(memory.context.layout.declarative)


def test_refused_credential_is_in_no_file(memory: Memory) -> None:
    text = "数据库密码：Tr0ub4dor&3x #login score:9"
    for options in ({}, {"explicit": True}):
        assert _refused(memory, text, **options).code == "credential"
    for folder, _, names in os.walk(memory.context.layout.root):
        for name in names:
            assert b"Tr0ub4dor" not in Path(folder, name).read_bytes(), name
    assert not [record for record in _log(memory) if "x" in record], "it is not a violation"
    assert _remember(memory, text, allow_secret=True).data["verdict"] == "stored"


PHONE = "call 13912345678 after six"


@pytest.mark.parametrize(
    ("score", "outcome"), [("8", "stored"), ("7.9", "warned"), ("6", "warned"), ("5.9", "score_too_low")]
)
def test_personal_data_raises_both_thresholds_by_one(memory: Memory, score: str, outcome: str) -> None:
    text = f"{PHONE} #contact score:{score}"
    if outcome == "score_too_low":
        error = _refused(memory, text)
        assert error.code == outcome
        assert error.data["thresholds"] == [8.0, 6.0]
        return
    result = _remember(memory, text)
    assert result.data["thresholds"] == [8.0, 6.0]
    assert [item["by"] for item in result.data["adjustments"]] == [1.0]
    assert any("is below the recommended" in warning for warning in result.warnings) is (outcome == "warned")


RELATED = "the deployment of the shop runs on Fridays at noon"


@pytest.mark.parametrize(("older", "by"), [("8", -0.5), ("7.9", None)])
def test_related_memory_with_score_8_lowers_both_thresholds(memory: Memory, older: str, by: float | None) -> None:
    _remember(memory, f"{RELATED} #deploy score:{older}")
    result = _remember(memory, f"{RELATED.replace('noon', 'one')} #deploy score:6.5")
    assert result.data["thresholds"] == ([6.5, 4.5] if by else [7.0, 5.0])
    assert [item["by"] for item in result.data["adjustments"]] == ([by] if by else [])
    assert _log(memory)[-1]["adjust"] == ([by] if by else [])


@pytest.mark.usefixtures("person")
def test_memory_that_is_hardly_credible_needs_an_explicit_instruction(memory: Memory) -> None:
    dims = "9,9,9,2.9,9,9"
    assert _refused(memory, "the moon is made of cheese #moon", dims=dims).code == "not_credible"
    _remember(memory, "the moon is made of cheese #moon", dims=dims, explicit=True, verified=True)
    assert memory.recall(Cues(text="cheese")).data["memories"][0]["verified"] is False
    assert _remember(memory, "the moon is far away #moon", dims="9,9,9,3,9,9").data["verdict"] == "stored"


@pytest.mark.parametrize(("share", "warned"), [(0.88, False), (0.92, True)])
def test_store_that_is_90_percent_full_prints_a_warning(
    memory: Memory, share: float, warned: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAX_BYTES", "WARN_BYTES", "COMPACT_BYTES"):  # a smaller store is written faster
        monkeypatch.setattr(store, name, getattr(store, name) // 20)
    _fill(memory, int(store.MAX_BYTES * share))
    result = _remember(memory, "one more #fact score:9")
    assert any("% full" in warning for warning in result.warnings) is warned


def test_text_that_was_not_credible_is_refused_without_dimensions_too(memory: Memory) -> None:
    with pytest.raises(Refused, match="credib"):
        memory.remember(Request("the moon is cheese", tags=("a",), dims="9,9,9,2,9,9"))
    for _ in range(2):
        with pytest.raises(Refused, match="not credible"):
            memory.remember(Request("the moon is cheese", tags=("a",), score="8"))
    assert memory.remember(Request("the moon is cheese", tags=("a",), explicit=True)).data["verdict"] == "stored"
