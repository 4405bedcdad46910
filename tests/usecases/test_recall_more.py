"""recall: the number of memories not shown, and messages about a missing store."""

import io
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Memory, Recall, complete, run
from tests.usecases.recall_store import entry, event, store

MANY = [entry(f"fact number {n}", 1 + n % 3, tags=("odd" if n % 2 else "even",), type="user") for n in range(41)]
ENDED = entry("what has ended", 1, tags=("odd",), type="user")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return store(tmp_path, [*MANY, ENDED], [event("forgotten", ENDED.id, 0.5)])


@pytest.mark.parametrize(
    ("cues", "count", "more"),
    [
        ({}, 10, 31),
        ({"count": 41}, 41, 0),
        ({"count": 40, "budget": 300}, 1, 1),
        ({"type": "user", "count": 1}, 1, 40),
        ({"archived": True}, 10, 32),
        ({"dates": ("2026-11-19",), "count": 4}, 4, 10),
        ({"text": "fact"}, 10, None),
        ({"topics": ("a",)}, 0, None),
    ],
)
def test_recall_counts_memories_not_shown(memory: Memory, cues: dict[str, Any], count: int, more: int | None) -> None:
    data = complete(Recall, memory.recall(Cues(**cues)).data)
    assert (data["count"], data["more"]) == (count, more)


def test_conversations_fill_the_places_that_facts_leave(tmp_path: Path) -> None:
    facts = [entry(f"fact number {n}", n) for n in range(8)]
    talks = [entry(f"[2026-11-1{n % 9}] talk {n}", n / 4, category="episode", duration="长期") for n in range(40)]
    memory = store(tmp_path, facts + talks)
    for count in (1, 10, 12, 30, 47, 48, 60):
        data = memory.recall(Cues(count=count)).data
        kinds = [one["category"] for one in data["memories"]]
        assert (data["count"], data["more"]) == (min(count, 48), max(48 - count, 0))
        assert kinds.count("fact") == min(8, count - {1: 0, 10: 3, 12: 4}.get(count, 0))


def test_facts_about_the_user_come_before_others(tmp_path: Path) -> None:
    about = [entry(f"the user's habit {n}", 170, score=7.0, type="user") for n in range(12)]
    others = [entry(f"fact number {n}", n, score=7.5, type="project") for n in range(60)]
    shown = [one["text"] for one in store(tmp_path, others + about).recall(Cues(count=30)).data["memories"]]
    assert {one.text for one in about} < set(shown)
    assert len(shown) == 30


@pytest.mark.parametrize("command", ["recall", "recall x", "recall --as-of 7d", "audit", "status", "tags", "review"])
def test_a_missing_store_is_an_error_only_if_named_by_an_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    """A variable may be set for a store that is created later."""
    monkeypatch.chdir(tmp_path)
    words = command.split()
    assert run([*words, "--memory-dir", "none"]) == 3
    message = "promptx-mem: there is no store at ./none\n  → give another folder with --memory-dir\n"
    assert capfd.readouterr() == ("", message)
    monkeypatch.setenv("PROMPTX_MEM_DIR", "none")
    assert run(words) == 0
    assert capfd.readouterr() == ("", "there is no store at ./none\n")
    assert run([*words, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["warnings"] == ["there is no store at ./none"]
    assert not os.path.lexists("none")


FACTS = [
    entry("We never deploy on Fridays after noon.", 30),
    entry("备份每天一点开始，保留三十五天。", 29),
    entry("Logs are kept for thirty days, then deleted.", 28),
    entry("The printer on the second floor is a Brother.", 27),
    entry("Logs are kept for fourteen days, then deleted.", 3),
    entry("The coffee machine was moved into the kitchen.", 2),
]


def test_the_best_of_alternative_queries_counts(tmp_path: Path) -> None:
    memory = store(tmp_path, FACTS)
    alone = memory.recall(Cues(text="哪天不允许上线")).data["memories"]
    both = memory.recall(Cues(text="哪天不允许上线", otherwise=("which day may we not deploy",))).data["memories"]
    assert FACTS[0].id not in [one["id"] for one in alone]
    assert both[0]["id"] == FACTS[0].id
    assert not both[0]["weak"]
    once = memory.recall(Cues(text="which day may we not deploy")).data["memories"][0]
    twice = memory.recall(Cues(text="which day may we not deploy", otherwise=("which day may we not deploy",)))
    assert twice.data["memories"][0]["relevance"] == once["relevance"]


def test_a_single_dash_reads_the_question_from_stdin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    store(tmp_path, [entry("用户喜欢喝咖啡", 1, duration="永久"), entry("tea\nand cake", 1, duration="永久")])
    monkeypatch.chdir(tmp_path)

    def recall(*words: str, data: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return (run(["recall", *words]), *capfd.readouterr())

    assert recall("-", data="咖啡\n".encode()) == recall("咖啡")
    status, _, err = recall("-", data=b" \n")
    assert (status, "nothing on stdin" in err) == (2, True)
    assert recall("cake", "-", data="咖啡\n".encode())[1] == recall("cake")[1]


def test_first_ten_results_do_not_depend_on_the_number_of_results(tmp_path: Path) -> None:
    some = random.Random(1)
    subjects, verbs = (
        ["deploy", "cache", "backup", "search", "invoice", "review"],
        ["needs", "uses", "avoids", "logs", "checks", "keeps"],
    )
    objects = ["tokens", "workers", "queues", "alerts", "mirrors", "shards", "tickets"]

    def text() -> str:
        subject, verb, place = some.choice(subjects), some.choice(verbs), some.choice(subjects)
        return f"The {subject} {verb} {some.choice(objects)} and {some.choice(objects)} in {place}"

    texts = dict.fromkeys(text() for _ in range(120))
    memory = store(tmp_path, [entry(one, days=n % 40, score=5 + n % 6) for n, one in enumerate(texts)])

    def found(query: str, count: int) -> list[str]:
        return [one["id"] for one in memory.recall(Cues(text=query, count=count)).data["memories"]]

    queries = [f"{subject} {one}" for subject in subjects for one in objects]
    assert [found(query, 30)[:10] for query in queries] == [found(query, 10) for query in queries]
