"""recall: cues widen, filters narrow, ended memories are hidden, near misses are named."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import Cues, Entry, Memory, UsageError, make_id
from tests.inside import parse_path
from tests.tables import rows
from tests.usecases.recall_store import NOW, ago, entry, event, found, reopened, store

TABLE = json.loads((Path(__file__).parents[1] / "conformance/topic_recall.json").read_text("utf-8"))

COFFEE = entry("用户喜欢喝咖啡", 3, tags=("偏好", "饮食"), type="user", session="s1")
TEA = entry("The user drinks green tea", 2, tags=("偏好",), score=9.0, category="core", verified=True)
DEPLOY = entry("deploy on Wednesday 周三部署", 1, tags=("项目",), topic="project->deploy", session="s2")
ALL = (COFFEE, TEA, DEPLOY)


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return store(tmp_path, ALL)


@pytest.mark.parametrize(
    ("text", "cues", "expected"),
    [
        ("咖啡", {}, [COFFEE]), ("", {}, [TEA, DEPLOY, COFFEE]), ("＃偏好 #饮食", {}, [COFFEE]),
        ("", {"tags": ("偏好",), "type": "user"}, [COFFEE]), ("", {"category": "core"}, [TEA]),
        ("", {"min_score": 8.5}, [TEA]), ("", {"session": "s2"}, [DEPLOY]), ("", {"since": "36h"}, [DEPLOY]),
        ("", {"until": ago(2.5)}, [COFFEE]), ("", {"dates": ("2026-11-18",)}, [TEA]), ("昨天", {}, [DEPLOY]),
        ("上周", {}, []), ("咖啡", {"topics": ("project－＞deploy",)}, [COFFEE, DEPLOY]),
        ("", {"topics": ("project->deploy",), "tags": ("偏好",)}, []), ("", {"tags": ("項目",)}, [DEPLOY]),
        ("", {"count": 1}, [TEA]), ("前天到昨天", {}, [TEA, DEPLOY]), ("2026-11-18..2026-11-20", {}, [TEA, DEPLOY]),
        ("-咖啡", {}, [TEA, DEPLOY]), ("-drinks -咖啡", {"dates": ("2026",)}, [DEPLOY]), ("", {"topics": ("project",)}, [DEPLOY]), ("green -tea", {"topics": ("project->deploy",)}, [DEPLOY]), ("green -周三", {"topics": ("project->deploy",)}, [TEA]), ("November", {}, ALL), ("since november", {}, ALL), ("before October", {}, []), ("until 11月18日", {}, [COFFEE, TEA]), ("自周三以来", {}, [TEA, DEPLOY]), ("昨天以前", {}, [COFFEE, TEA]), ("after the day before yesterday", {}, [DEPLOY]),
        ("11月16日到18日", {}, [COFFEE, TEA]), ("between November 16 and 2026-11-17", {}, [COFFEE]),
        ("from 2026-11-15 to 2026-12-19", {}, ALL), ("11月17日和11月30日之间", {}, ALL), ("Nov 18 to Jan 5", {}, [TEA, DEPLOY]),
        ("", {"dates": ("上周三到本周二",)}, [COFFEE]), ("", {"dates": ("2026-10到2026-12", "Q1")}, ALL), ("三天内", {}, ALL), ("2025年3月到11月", {}, []),
    ],
)  # fmt: skip
def test_cues_find_expected_memories(memory: Memory, text: str, cues: dict[str, Any], expected: list[Entry]) -> None:
    assert found(memory, text, **cues) == [one.text for one in expected]


def test_two_dates_that_are_no_range_are_searched_as_words(tmp_path: Path) -> None:
    memory = store(tmp_path, [entry("11月19日上线", 60), entry("noted between", 2.5), entry("noted at noon", 4)])
    for text in ("11月19日 11月16日", "from 2026-11-19 to 2026-11-16"):
        assert sorted(found(memory, text)) == ["11月19日上线", "noted at noon"]


@pytest.mark.parametrize(
    ("cues", "named"),
    [
        ({"dates": ("2026-13-45",)}, "2026-13-45"), ({"since": "someday"}, "someday"), ({"type": "person"}, "person"),
        ({"topics": ("->",)}, "->"), ({"count": 0}, "-n 0"), ({"budget": 3}, "--budget 3"),
        ({"min_score": float("nan")}, "nan"),
    ],
)  # fmt: skip
def test_an_invalid_cue_is_refused_and_named(memory: Memory, cues: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError) as caught:
        memory.recall(Cues(**cues))
    assert named in caught.value.message
    assert caught.value.hint


def test_a_date_without_memories_is_searched_as_words(tmp_path: Path) -> None:
    memory = store(tmp_path, [entry("面试定在 2026-11-05", 1), entry("room 5, 11 to 12, is for Nov"), COFFEE])
    assert found(memory, "2026-11-05") == found(memory, "Nov 5 to Nov 7") == ["面试定在 2026-11-05"]
    assert found(memory, "", dates=("2026-11-05",)) == []


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("11月19日", ["11月19日上线", "2025-11-19 签约"]), ("11月", ["11月19日上线"]), ("2026-11-19", ["11月19日上线"]),
        ("星期四", ["周四发版"]), ("Thursday", ["No deploys on Thursdays"]), ("Q4", ["the Q4 goals"]), ("昨天晚上", []),
    ],
)  # fmt: skip
def test_texts_with_the_date_follow_memories_recorded_on_it(tmp_path: Path, text: str, named: list[str]) -> None:
    texts = ("11月19日上线", "2025-11-19 签约", "十一个月", "周四发版", "No deploys on Thursdays", "the Q4 goals")
    memory = store(tmp_path, [entry("买了打印机", 1), *(entry(other, 60) for other in texts)])
    assert found(memory, text)[0] == "买了打印机"
    assert sorted(found(memory, text)[1:]) == sorted(named)


@pytest.mark.parametrize("text", ["每周三", "number 4242", "昨天的部署", "昨天下午茶"])
def test_a_text_that_is_not_exactly_a_date_is_searched_as_words(tmp_path: Path, text: str) -> None:
    memory = store(tmp_path, [entry(f"about {text} only", 30), entry("on a Wednesday", 2), entry("noted yesterday", 1)])
    assert found(memory, text)[0] == f"about {text} only"


@pytest.fixture(autouse=True)
def own_zone() -> Iterator[None]:
    """Reset the time zone after each test."""
    yield
    time.tzset()


@pytest.mark.parametrize(("date", "expected"), [("2026-03-28", "before"), ("2026-03-29", "after")])
def test_days_follow_daylight_saving_time_of_the_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, date: str, expected: str
) -> None:
    """The clocks of Berlin changed on 2026-03-29: that day began at 23:00 UTC, as seen from a summer of +02:00."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    fixed = NOW.replace(month=7).astimezone(timezone(timedelta(hours=2)))
    times = {"before": "2026-03-28T22:30:00+00:00", "after": "2026-03-28T23:30:00+00:00"}
    store(tmp_path, [entry(name, at=at, duration="永久") for name, at in times.items()])
    assert found(reopened(tmp_path, fixed), dates=(date,)) == [expected]


@pytest.mark.parametrize("row", TABLE["collect"], ids=lambda row: row["name"])
def test_topics_are_collected_from_a_store(tmp_path: Path, row: dict[str, Any]) -> None:
    begin = NOW.replace(year=2026, month=1, day=1)
    days = {one["id"]: begin + timedelta(days=one["day"]) for one in row["memories"]}
    entries = [
        entry(
            one["id"],
            at=days[one["id"]].isoformat(),
            duration="永久",
            topic=one["topic"],
            related=tuple(one.get("related", ())),
            profile=tuple(map(float, one["profile"])) if "profile" in one else None,
        )
        for one in row["memories"]
    ]
    store(tmp_path, entries)
    memory = reopened(tmp_path, begin + timedelta(days=row["now_day"]))
    assert found(memory, topics=(row["query"],)) == row["expect"]


def test_ended_memories_are_hidden_without_a_run_of_decay(tmp_path: Path) -> None:
    """The fold of events ends them."""
    faded = entry("faded", 400, score=2.0, duration="短期")
    expired = entry("expired", 3, duration="2d")
    episode = entry("episode", 15, category="episode", score=7.5)
    gone = entry("forgotten", 1)
    old, new = entry("old name", 5), entry("new name", 4, supersedes=make_id("old name"))
    lives = entry("lives", 1)
    memory = store(tmp_path, [faded, expired, episode, gone, old, new, lives], [event("forgotten", gone.id, 0.5)])
    hidden = {"faded", "expired", "forgotten", "old name"}
    assert set(found(memory)) == {"lives", "new name"}
    assert found(memory, "episode") == ["episode"]  # conversations are found as long as they are kept
    for text in hidden:
        assert text not in found(memory, text)
        assert text in found(memory, text, archived=True)
    earlier = reopened(tmp_path, NOW - timedelta(days=2))
    assert "expired" in found(earlier, "expired")


def test_as_of_answers_as_the_store_did_at_that_time(tmp_path: Path) -> None:
    old, new = (
        entry("the office is in 北京", 30),
        entry("the office is in 上海", 10, supersedes=make_id("the office is in 北京")),
    )
    brief = entry("office party", 30, duration="5d")
    memory = store(tmp_path, [old, new, brief], [event("forgotten", new.id, 5)])
    assert found(memory, "office") == []
    assert found(memory, "office", as_of="7d") == [new.text]
    assert found(memory, "office", as_of=ago(20)) == [old.text]
    assert set(found(memory, "office", as_of=ago(28))) == {old.text, brief.text}
    assert found(memory, "office", as_of=ago(31)) == []
    assert found(memory, "office", as_of="2026-10-21") == found(memory, "office", as_of=ago(29.6))
    result = memory.recall(Cues(text="office", as_of=ago(20)))
    assert result.data["as_of"]
    assert result.data["memories"][0]["age"] == "10 days"
    assert not (tmp_path / ".memory/.recalled").exists()


@pytest.mark.parametrize("length", [12, 7])
def test_a_memory_is_shown_with_all_its_versions_oldest_first(tmp_path: Path, length: int) -> None:
    texts = ["lives in 北京", "lives in 上海", "lives in 深圳"]
    entries = [entry(texts[0], 30)]
    for number, text in enumerate(texts[1:], 1):
        entries.append(entry(text, 30 - number, supersedes=make_id(texts[number - 1])))
    memory = store(tmp_path, [*reversed(entries), entry("likes tea")])
    for start in entries:
        assert chain(memory, start.id[:length]) == (start.text, [text for text in texts if text != start.text])


def chain(memory: Memory, ident: str) -> tuple[str, list[str]]:
    """Return the text of a memory, and of those it replaced or was replaced by."""
    shown = cast("Any", memory.show(ident).data["memories"][0])
    return shown["text"], [one["text"] for one in shown["history"]]


@pytest.mark.parametrize(
    ("cues", "named"),
    [
        ({"tags": ("偏好们",)}, "#偏好"),
        ({"topics": ("Project->Deploy",)}, "project->deploy"),
        ({"text": "secret plan"}, "--archived"),
    ],
)
def test_an_empty_result_names_near_misses(tmp_path: Path, cues: dict[str, Any], named: str) -> None:
    gone = entry("secret plan", at="2026-10-01T12:00:00+08:00")
    memory = store(tmp_path, [*ALL, gone], [event("forgotten", gone.id, 1)])
    data = memory.recall(Cues(**cues)).data
    assert data["count"] == 0
    assert any(named in miss for miss in data["near_misses"]), data["near_misses"]


def test_a_living_memory_is_never_called_ended(tmp_path: Path) -> None:
    data = store(tmp_path, [entry("老王的生日是12月5日")]).recall(Cues(text="12月6日")).data
    assert (data["memories"], data["near_misses"]) == ([], [])


def test_a_purged_text_is_never_shown(tmp_path: Path) -> None:
    gone = entry("secret", 2)
    memory = store(tmp_path, [gone, COFFEE], [event("purged", gone.id, 1)])
    assert found(memory, "secret", archived=True) == []
    assert found(memory, gone.id) == []
    assert memory.recall(Cues(text="secret")).data["near_misses"] == []


HOSTILE = st.text(
    st.one_of(st.sampled_from("#\"'-*%()[]{}<>\\\0\n\u202e\ud800 咖啡AND:NEAR/2026昨天m_"), st.characters()),
    max_size=40,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(HOSTILE, HOSTILE)
def test_any_text_is_accepted_as_a_query(memory: Memory, text: str, other: str) -> None:
    topics = (other,) if parse_path(other.strip()) else ()
    try:
        result = memory.recall(Cues(text=text, topics=topics, session=other))
    except UsageError:  # a topic of punctuation only
        assert topics
        return
    assert result.data["count"] <= len(ALL)


@pytest.mark.parametrize(("text", "first"), rows(__file__, "words_with_a_date.jsonl"))
def test_a_date_next_to_words_ranks_its_memories_first(tmp_path: Path, text: str, first: str) -> None:
    """Memories of that date come first; others are still found."""
    notes = (("咖啡豆到了", 1), ("咖啡机坏了", 8), ("coffee with Ann", 1), ("coffee with Bob", 8))
    old = [entry("咖啡杯碎了", 40), entry("coffee with Dee", 40)]
    texts = found(store(tmp_path, [*(entry(note, days) for note, days in notes), *old]), text)
    assert texts[0] == first
    assert ("咖啡杯碎了" if "咖" in text else "coffee with Dee") in texts


@pytest.mark.parametrize(
    ("since", "until", "is_reversed"),
    [
        ("2026-05-01", "2026-04-30", True), ("2026-05", "2026-04", True), ("2026-05-01T00:00", "2026-04-30", True),
        ("2026-05-01", "2026-05-01", False), ("2026-05-01", "2026-05", False), ("7d", "7d", False),
        ("2026-05-01T10:00:00+00:00", "2026-05-01T10:00:00+00:00", False),
    ],
)  # fmt: skip
def test_reversed_limits_are_refused(since: str, until: str, is_reversed: bool, memory: Memory) -> None:
    cues = Cues(since=since, until=until)
    if is_reversed:
        with pytest.raises(UsageError, match="is later than --until"):
            memory.recall(cues)
    else:
        memory.recall(cues)
