"""Each memory is injected once per session, unless it changes or the session loses its context."""

import datetime
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core.slices import Message
from promptx_mem.hooks.hosts import MAX_CHARACTERS
from promptx_mem.hooks.session import GOES_ON
from promptx_mem.memory import Memory
from promptx_mem.store import hosts
from promptx_mem.usecases.audit_log import Filters
from tests.hooks.context import context
from tests.world import World

LONG = (
    "the deploy key lives in vault, and whoever needs it asks the people of operations, who answer within a day or two"
)
SHORT = "the release manager is Ana"


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path / ".memory")
    world.remember(LONG, "ops", score="9")
    world.remember(SHORT, "team", score="9")
    return world


def _prompt(prompt: str = "where does the deploy key live", session: str = "s1") -> str:
    return context("prompt", session=session, prompt=prompt)


def _start(source: str = "startup", **more: Any) -> str:
    return context("start", source=source, **more)


def test_memory_is_injected_once_per_session(world: World) -> None:
    assert LONG in _prompt()
    assert [_prompt() for _ in range(3)] == [""] * 3
    assert LONG in _prompt(session="s2")


def test_memory_shown_whole_in_the_index_is_not_injected_again(world: World) -> None:
    said = _start()
    assert SHORT in said
    assert LONG not in said
    assert _prompt("who is the release manager") == ""
    assert LONG in _prompt()


def test_changed_memory_is_injected_again(world: World) -> None:
    _start()
    _prompt()
    path = world.file("declarative.md")
    path.write_text(path.read_text().replace("a day or two", "an hour").replace("is Ana", "is Bo"))
    assert "within an hour" in _prompt()
    assert "is Bo" in _prompt("who is the release manager")
    assert _prompt() == ""


@pytest.mark.parametrize("source", ["compact", "clear", "startup", "resume", "fork"])
def test_memory_is_injected_again_only_after_a_session_lost_its_context(world: World, source: str) -> None:
    _prompt()
    _start(source)
    assert (LONG in _prompt()) is (source not in GOES_ON)


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_resumed_session_gets_the_index_only_if_its_context_lacks_it(world: World, host: str) -> None:
    """Gemini CLI drops the context of the start hook when it resumes a session; the others keep it."""

    def start(source: str) -> str:
        return context("start", host, source=source)

    _prompt()
    assert "has a memory" in start("resume")  # so far only the prompt hook added memories
    assert (start("resume") == "") is (host != "gemini")
    context("compact", trigger="auto")
    assert SHORT in start("resume")


def test_subagent_gets_a_shorter_index_that_is_not_recorded(world: World) -> None:
    for number in range(60):
        world.remember(f"fact number {number} of the house", "house", score="9")
    whole, part = _start(), context("start", hook_event_name="SubagentStart", agent_type="explore", agent_id="a1")
    assert 0 < len(part) < 2_500 < len(whole)
    assert "promptx-mem recall" in part
    notes = hosts.events(Memory.open().context.layout, "s1")
    assert [record.get("hook") for record in notes if record["e"] == "given"] == ["start"]


def test_injected_memories_are_recorded_by_hook_without_text(world: World) -> None:
    _start()
    _prompt()
    notes = [record for record in hosts.events(Memory.open().context.layout, "s1") if record["e"] == "given"]
    assert [record["hook"] for record in notes] == ["start", "prompt"]
    assert all(ident.startswith("m_") and len(mark) in (0, 8) for note in notes for ident, mark in note["ids"].items())
    assert "vault" not in json.dumps(notes)


def test_records_of_six_months_stay_below_half_a_megabyte(world: World) -> None:
    where, ids = Memory.open().context.layout, {f"m_{number:010}": "0a1b2c3d" for number in range(200)}
    now = datetime.datetime.now().astimezone() - datetime.timedelta(days=181)
    largest = 0
    for number in range(181 * 2):
        now += datetime.timedelta(hours=12)
        name = f"session {number}"
        for hook, some in (("start", ids), ("prompt", dict(list(ids.items())[:40]))):
            assert hosts.note(where, name, hosts.GIVEN, now, {"hook": hook, "ids": some})
        os.utime(str(hosts.path(where, name)), (now.timestamp(),) * 2)
        largest = max(largest, sum(entry.stat().st_size for entry in os.scandir(str(where.hosts))))
    assert largest <= 500_000
    names = [name for name, _ in hosts.sessions(where)]
    assert len(names) >= 40
    assert sorted(names) == sorted(f"session {number}" for number in range(362 - len(names), 362))


class TestWithoutAStore:
    """User-wide hooks in a folder that has no memory."""

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        return tmp_path

    def test_session_start_adds_one_line(self, place: Path) -> None:
        said = _start()
        assert said.count("\n") == 0
        assert "This project has no memories yet" in said
        assert len(said) < 200 < MAX_CHARACTERS
        assert list(place.iterdir()) == []

    def test_subagent_and_prompt_add_nothing(self, place: Path) -> None:
        assert context("start", hook_event_name="SubagentStart", agent_type="explore") == ""
        assert _prompt() == ""
        assert context("compact") == ""
        assert list(place.iterdir()) == []


def test_audit_shows_session_hook_and_reason_of_injected_memories(world: World) -> None:
    assert LONG in _prompt(session="s2")
    _start()
    _prompt("where does the deploy key live")
    for number in range(11):
        _prompt(f"message {number}", session="s3")

    def injected(session: str | None = None) -> list[tuple[str, str, str, str | None]]:
        items = world.memory.audit(Filters(session, count=100, injected=True)).data["handouts"] or []
        return [(item["session"], item["hook"], item["why"], item["words"]) for item in items]

    short = LONG[:39] + "…"
    assert ("s1", "start", "index", SHORT) in injected("s1")
    assert ("s1", "start", "index", short) in injected("s1"), "also a memory that the index shows shortened"
    assert ("s1", "prompt", "words", short) in injected("s1")
    assert injected("s2") == [("s2", "prompt", "words", short)]
    assert ("s3", "prompt", "question", None) in injected()
    assert {name for name, *_ in injected()} == {"s1", "s2", "s3"}
    assert "no session is named" in world.memory.audit(Filters("nobody", injected=True)).warnings[0]
    assert world.memory.audit(Filters(count=1, injected=True)).data["left_out"] == len(injected()) - 1


class TestClonedStore:
    """The line that hooks add about a store that came with a clone."""

    LINE = "init --trust"

    @pytest.fixture(autouse=True)
    def _clone(self, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        assert world
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        monkeypatch.setattr("promptx_mem.store.trust._kind", lambda _: "seen")

    def test_line_is_added_once_per_session(self) -> None:
        assert self.LINE in _start()
        assert [_prompt(), _prompt("and who is the release manager")] == ["", ""]
        assert self.LINE in _prompt(session="s2")
        assert _prompt(session="s2") == ""

    def test_hooks_write_nothing_to_a_cloned_store(self, tmp_path: Path) -> None:
        _start()
        _prompt()
        assert not (tmp_path / ".memory" / ".hosts").exists()

    def test_line_is_repeated_if_it_cannot_be_recorded(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
        assert self.LINE in _prompt()
        assert self.LINE in _prompt()


def test_question_about_the_last_conversation_gets_its_messages(world: World) -> None:
    assert _prompt("What did we talk about last time?", session="s4") == "", "there is no conversation yet"
    world.time = datetime.datetime.now(datetime.UTC) - datetime.timedelta(hours=3)
    for session, words in (("s0", "shall we go to Graz?"), ("s1", "now for the herons, 前天说的")):
        world.session = session
        world.memory.converse((Message("user", words), Message("assistant", "Yes.")))
        world.later(hours=1.5)
    for prompt in ("What did we talk about last time?", "上次我们聊了什么？"):
        answer = _prompt(prompt)
        assert "Graz" in answer
        assert "herons" not in answer, "the current session is not the last conversation"
        shutil.rmtree(world.file(".hosts"))
    for number, prompt in enumerate(("我们最近聊了什么", "What have we done recently?", "我们最近做了什么")):
        assert "herons" in _prompt(prompt, session=f"new {number}")
    for prompt in ("what did you just say?", "tell me what you said", "let us talk of herons", "前天我们说了什么"):
        assert "herons" not in _prompt(prompt, session="s3")


RULES = (
    "Always squash commits before you merge a branch",
    "提交之前务必运行格式化工具",
    "The user prefers short answers about finance",
)


@pytest.mark.parametrize(
    ("prompt", "number"),
    [
        ("can you merge the release for the people of operations and tell me who the manager is", 0),
        ("那个新的格式化配置应该放在哪个目录里", 1),
        ("what did finance say to the people in operations about the deploy key in vault", 2),
    ],
)
def test_rule_is_injected_if_it_shares_one_word_with_a_prompt(world: World, prompt: str, number: int) -> None:
    for rule in RULES:
        world.remember(rule, "rules")
    said = _prompt(prompt)
    assert [rule in said for rule in RULES] == [number == place for place in range(3)]


@pytest.mark.parametrize(
    "prompt", ["write a poem about the sea", "make it always shorter", "继续", "以后再说吧", "explain how waves form"]
)
def test_rule_is_not_injected_without_a_shared_word(world: World, prompt: str) -> None:
    for rule in (*RULES, "Always explain a formula with an example"):
        world.remember(rule, "rules")
    assert _prompt(prompt) == ""


def test_one_shared_word_is_not_enough_if_there_are_many_rules(world: World) -> None:
    for number in range(21):
        world.remember(f"Always tell team {number} of a new key", "rules")
    assert "Always tell" not in _prompt("is there a key for the letter box, or did somebody lose it")
    world.memory.forget(world.remember("Always tell team 0 of a new key")["id"])
    assert "Always tell" in _prompt("is there a key for the letter box, or did somebody lose it")


def test_prompt_gets_the_memories_whose_names_it_contains(world: World) -> None:
    world.remember("Orders are kept in Postgres, a replica serves the reports", "data")
    world.remember("The mailer retries an order three times", "mail")
    world.remember("CI runs on Woodpecker", "ci")
    world.remember("Attachments are stored in one bucket for each tenant", "files", aka=("object store",))
    said = _prompt("the Woodpceker job copies the orders table from Postgres to the object store")
    assert [word in said for word in ("Postgres", "Woodpecker", "bucket", "mailer")] == [True, True, True, False]


@pytest.mark.parametrize("prompt", ["the weather is nice today, I will go out for lunch", "今天天气很好，我很开心"])
def test_word_today_in_a_prompt_injects_no_memory_of_today(world: World, prompt: str) -> None:
    world.time = datetime.datetime.now().astimezone()
    world.remember("the printer is out of paper", "office")
    assert _prompt(prompt) == ""


def test_weekday_in_a_prompt_does_not_select_memories_by_date(world: World) -> None:
    world.time = datetime.datetime.now().astimezone() - datetime.timedelta(days=1)
    world.remember("the printer is out of paper", "office")
    assert _prompt(f"不要在周{'一二三四五六日'[world.time.weekday()]}发版") == ""
    assert _prompt(f"is lunch cheaper on {world.time:%A}?") == ""
    assert "printer" in _prompt("昨天记了什么")
