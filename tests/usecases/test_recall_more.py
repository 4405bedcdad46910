"""recall: how many more there are, and what it says of a store that is not there or not understood."""

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.api import Cues, Memory, Recall, complete, layout, run
from tests.inside import cli_recall as command_line
from tests.usecases.recall_store import NOW, entry, event, reopened, store

MANY = [entry(f"fact number {n}", 1 + n % 3, tags=("odd" if n % 2 else "even",), type="user") for n in range(41)]
ENDED = entry("what has ended", 1, tags=("odd",), type="user")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return store(tmp_path, [*MANY, ENDED], [event("forgotten", ENDED.id, 0.5)])


@pytest.mark.parametrize(
    ("cues", "count", "more"),
    [
        ({}, 10, 31),
        ({"count": 40}, 40, 1),
        ({"count": 41}, 41, 0),
        ({"tags": ("odd",)}, 10, 10),
        ({"type": "user", "count": 1}, 1, 40),
        ({"type": "project"}, 0, 0),
        ({"archived": True}, 10, 32),
        ({"dates": ("2026-11-19",)}, 14, 0),
        ({"dates": ("2026-11-19",), "count": 4}, 4, 10),
        ({"until": "2026-11-18"}, 10, 17),
        ({"text": "fact"}, 10, None),
        ({"text": "fact", "count": 42}, 41, 0),
        ({"text": "nowhere"}, 0, 0),
        ({"topics": ("a",)}, 0, None),
    ],
)
def test_more(memory: Memory, cues: dict[str, Any], count: int, more: int | None) -> None:
    data = complete(Recall, memory.recall(Cues(**cues)).data)
    assert (data["count"], data["more"]) == (count, more)


def test_places_that_facts_leave_go_to_conversations(tmp_path: Path) -> None:
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


def test_more_at_an_earlier_moment(memory: Memory) -> None:
    assert memory.recall(Cues(as_of="2026-11-18")).data["more"] == 17


def test_what_a_budget_leaves_out_is_among_more(memory: Memory) -> None:
    data = complete(Recall, memory.recall(Cues(budget=400)).data)
    assert data["left_out"] > 0
    assert data["count"] + (data["more"] or 0) == 41
    assert "more: -n" not in command_line.as_text({**data, "format": "rich"})


@pytest.mark.parametrize(
    ("cues", "last"),
    [({}, "31 more: -n 50\n"), ({"count": 39}, "2 more: -n 50\n"), ({"count": 30, "tags": ("odd",)}, None)],
)
def test_a_terminal_says_how_many_more(memory: Memory, cues: dict[str, Any], last: str | None) -> None:
    data = complete(Recall, memory.recall(Cues(**cues)).data)
    drawn = command_line.as_text({**data, "format": "rich"})
    assert drawn.endswith(last) if last else "more:" not in drawn
    assert "more" not in command_line.as_text({**data, "format": "text"})


@pytest.mark.parametrize("cues", [Cues(), Cues(text="fact"), Cues(tags=("odd",))])
def test_n_may_be_as_large_as_one_likes(memory: Memory, cues: Cues) -> None:
    cues = cues._replace(touch=False)
    every = memory.recall(cues._replace(count=41)).data
    assert every["count"] in (41, 20)
    for count in (5_000, 100_000, 10**30):
        data = memory.recall(cues._replace(count=count)).data
        assert (data["count"], data["left_out"], data["more"] or 0) == (every["count"], 0, 0)
        assert data["memories"] == every["memories"]


@pytest.mark.parametrize("command", ["recall", "recall x", "recall --as-of 7d", "audit", "status", "tags", "review"])
def test_a_store_that_was_named_and_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    """An option that names none is an error; a variable may be set for a store that is made later."""
    monkeypatch.chdir(tmp_path)
    words = command.split()
    assert run([*words, "--memory-dir", "none"]) == 3
    assert capfd.readouterr() == ("", "promptx-mem: there is no store at ./none\n  → name another --memory-dir\n")
    monkeypatch.setenv("PROMPTX_MEM_DIR", "none")
    assert run(words) == 0
    assert capfd.readouterr() == ("", "there is no store at ./none\n")
    assert run([*words, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["warnings"] == ["there is no store at ./none"]
    assert not os.path.lexists("none")


def test_a_prompt_gets_its_block_where_there_is_no_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PROMPTX_MEM_DIR", "none")
    assert run(["recall", "--format", "context"]) == 0
    out, err = capfd.readouterr()
    assert out.startswith('<activated_memory_slices count="0">')
    assert err == "warning: there is no store at ./none\n"


def test_a_store_that_nobody_named_is_an_empty_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["recall"]) == 0
    out, err = capfd.readouterr()
    assert (out, err[:20]) == ("", "the memory is empty\n")
    (tmp_path / "there").mkdir()
    assert run(["recall", "--memory-dir", "there"]) == 0
    out, err = capfd.readouterr()
    assert (out, err[:20]) == ("", "the memory is empty\n")
    assert Memory(layout.at(str(tmp_path / "none")), "test", clock=lambda: NOW).recall(Cues()).warnings == ()


@pytest.mark.parametrize(
    ("many", "said"),
    [
        (1, "1 place in the store is not understood and stays as it is"),
        (2, "2 places in the store are not understood and stay as they are"),
    ],
)
def test_places_that_are_not_understood_are_counted(tmp_path: Path, many: int, said: str) -> None:
    store(tmp_path, [entry("a fact")])
    with (tmp_path / ".memory/journal.jsonl").open("a") as file:
        file.write("junk\n" * many)
    assert reopened(tmp_path).recall(Cues()).warnings == (f"{said}; promptx-mem audit --verify",)


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        (["deploys", "-mondays"], "promptx-mem recall -- deploys -mondays"),
        (["-mondays", "deploys", "-n", "3"], "promptx-mem recall -n 3 -- -mondays deploys"),
        (["it's $HOME", "-mondays"], "promptx-mem recall -- 'it'\"'\"'s $HOME' -mondays"),
        (["-mondays", "--", "--type", "-n"], "promptx-mem recall -- -mondays --type -n"),
    ],
)
def test_a_word_that_must_not_be_there_is_no_option(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], given: list[str], hint: str
) -> None:
    monkeypatch.chdir(Path(memory.context.layout.root).parent)
    assert run(["recall", *given]) == 2
    assert capfd.readouterr().err.endswith(f"goes after --: {hint}\n")
    assert run(shlex.split(hint)[1:]) == 0


TREE = [entry("a", topic="project->deploy"), entry("b", topic="project->plan->next", type="user")]
LAST = entry("c", topic="former->work")


@pytest.mark.parametrize(
    ("cues", "miss"),
    [
        ({"topics": ("project",)}, "below project there is 'project->deploy', 'project->plan->next'"),
        ({"topics": ("Project",)}, "there is no topic Project; there is 'project->deploy', 'project->plan->next'"),
        ({"topics": ("plan",)}, "there is no topic plan; there is 'project->plan->next'"),
        ({"topics": ("project",), "type": "user"}, "below project there is 'project->plan->next'"),
        ({"topics": ("formr->work",)}, "there is no topic formr->work"),
        ({"topics": ("former",)}, "no memory has the topic former"),
        ({"topics": ("former->work",)}, f"{LAST.id} (c) matches, but has ended (forgotten); --archived shows it"),
        ({"topics": ("project->deploy",), "type": "user"}, "1 memory matches the topic, but not the filters"),
        ({"topics": ("zzz",)}, "there is no topic zzz"),
    ],
)
def test_a_topic_that_finds_nothing_names_one_that_does(tmp_path: Path, cues: dict[str, Any], miss: str) -> None:
    data = store(tmp_path, [*TREE, LAST], [event("forgotten", LAST.id, 0.05)]).recall(Cues(**cues)).data
    assert (data["count"], data["near_misses"]) == (0, [miss])
