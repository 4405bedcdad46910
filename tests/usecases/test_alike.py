"""Hints about a stored text: similar memories, several facts in one text, and ambiguous scores."""

import subprocess
from pathlib import Path

import pytest

from promptx_mem.errors import UsageError
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import propose
from tests.api import Cues, Memory, Request
from tests.inside import app

NIGHT = "the backup runs every night at two"
SEVERAL_FACTS = (
    "- uses npm\n- uses jest\n- uses eslint",
    "我喜欢喝茶；我住在柏林；我的猫叫咪咪",
    "the default is score:3; the other default is #none; the last is score:3",
)
ONE_FACT = (
    "Ann, Bob, Eve and Tom own billing, search, mail and chat",
    "for (i = 0; i < 3; i++) run(i);",
    "tea; coffee",
    "first line\nsecond line",
)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Memory:
    monkeypatch.setenv("PROMPTX_MEM_SESSION", "alike")
    monkeypatch.chdir(tmp_path)
    return Memory.open(str(tmp_path / ".memory"))


def test_similar_memories_are_shown_with_id_date_and_first_words(
    memory: Memory, capsys: pytest.CaptureFixture[str]
) -> None:
    stored = memory.remember(Request(NIGHT, tags=("ops",), score="9")).data["id"]
    memory.remember(Request("bananas are yellow", tags=("ops",), score="9"))
    data = memory.remember(Request("the backup runs each morning at nine", tags=("ops",), score="8")).data
    (alike,) = data["alike"]
    assert (alike["id"], alike["text"], alike["origin"], data["similar"]) == (stored, NIGHT, "own", [])
    assert 0.3 <= alike["similarity"] < 0.5
    assert data["adjustments"] == []  # similar, but not related: the threshold stays
    assert app.run(["remember", "the backup that runs every night is encrypted", "#ops", "score:8"]) == 0
    assert f"similar to {stored} {alike['at'][:10]} {NIGHT}\n" in capsys.readouterr().out


@pytest.mark.parametrize("text", SEVERAL_FACTS)
def test_several_facts_give_a_hint_whose_command_stores_each(memory: Memory, text: str) -> None:
    result = memory.remember(Request(text, tags=("a",), score="8"))
    (hint,) = [warning for warning in result.warnings if "each separately" in warning]
    command = hint.partition("each separately: ")[2]
    words = subprocess.run(
        ["bash", "-c", f"promptx-mem() {{ printf '%s\\0' \"$@\"; }}; {command}"], capture_output=True, check=True
    ).stdout.decode()
    assert app.run(words.split("\0")[:-1]) == 0
    texts = [one["text"] for one in memory.recall(Cues(count=20, touch=False)).data["memories"]]
    parts = [one for one in texts if one != text]
    assert len(parts) >= 3
    assert all(part in text for part in parts)


@pytest.mark.parametrize("text", ONE_FACT)
def test_one_fact_gives_no_hint_about_several_facts(memory: Memory, text: str) -> None:
    warnings = memory.remember(Request(text, tags=("a",), score="8")).warnings
    assert not [warning for warning in warnings if "each separately" in warning]


def test_changing_a_superseded_memory_names_its_successor(
    memory: Memory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    old = memory.remember(Request("port is 5432", tags=("db",), score="8")).data["id"]
    new = memory.remember(Request("port is 5433", update=old)).data["id"]
    monkeypatch.setattr("promptx_mem.session.is_person", lambda: True)
    for command in ("boost", "verify", "edit"):
        assert app.run([command, old]) == 1
        assert f"for that one: promptx-mem {command} {new}\n" in capsys.readouterr().err
    assert app.run(["remember", "port is 5434", "--update", old]) == 1
    assert f"--update {new}\n" in capsys.readouterr().err
    assert app.run(["forget", old]) == 0  # it has ended already
    assert f"{new} replaced it; to remove {new} too: promptx-mem forget {new}" in capsys.readouterr().out


UNAMBIGUOUS = (
    ("tea #a score: 8", ("a",), 8.0, None), ("tea #a score : 8.5", ("a",), 8.5, None), ("tea #a 8", ("a",), 8.0, None),
    ("tea # 运动 score:8", ("运动",), 8.0, None), ("tea #a 8分", ("a",), 8.0, None), ("tea #a score:８", ("a",), 8.0, None),
    ("tea #a,#b score:8", ("a", "b"), 8.0, None), ("tea tags: a score: 8", ("a",), 8.0, None),
    ("tea #a score:8 duration:6mo", ("a",), 8.0, "180d"), ("tea #a score:8 duration: 30d", ("a",), 8.0, "30d"),
)  # fmt: skip

AMBIGUOUS = (
    ("喜欢茶 评分 8", "'评分 8' at the end is text", "usage: promptx-mem remember '喜欢茶' '#<tag>' score:8"),
    ("room 8 #a", "'8' at the end is text", "remember 'room 8' '#a' score:5"),
)


@pytest.mark.parametrize(("text", "tags", "score", "duration"), UNAMBIGUOUS)
def test_unambiguous_tags_scores_and_durations_are_read_from_a_text(
    text: str, tags: tuple[str, ...], score: float, duration: str | None
) -> None:
    proposal = propose(Request(text), Config())
    assert (proposal.text, proposal.tags, proposal.score, proposal.duration) == ("tea", tags, score, duration)


@pytest.mark.parametrize(("text", "message", "command"), AMBIGUOUS)
def test_an_ambiguous_score_is_refused_with_the_right_command(text: str, message: str, command: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        propose(Request(text), Config())
    assert command in raised.value.hint
