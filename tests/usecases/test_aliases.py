"""Aliases: other words by which a memory is found."""

import json
import os
import shutil
from pathlib import Path

import pytest

from promptx_mem.core.entry import Entry
from promptx_mem.core.line import format_line, parse_line
from promptx_mem.core.request import Request
from promptx_mem.errors import Refused, UsageError
from promptx_mem.hooks import run
from promptx_mem.search.candidates import Corpus, corpus
from promptx_mem.search.finder import Finder
from promptx_mem.search.query import Criteria
from promptx_mem.usecases.export import Wants
from promptx_mem.usecases.intake import Options
from promptx_mem.usecases.recall import Cues
from tests.world import World, every_byte

LOGIN = "Login goes through Keycloak"
AKA = ("single sign-on", "单点登录")
OTHERS = ("The printer is in room 4", "Backups run at night", "Ana leads the release")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    world = World(tmp_path / ".memory")
    for text in OTHERS:
        world.remember(text)
    return world


def ident(world: World, text: str = LOGIN) -> str:
    return next(item["id"] for item in world.memory.recall(Cues(text=text)).data["memories"] if item["text"] == text)


def aliases(world: World, text: str = LOGIN) -> tuple[str, ...]:
    return tuple(world.memory.show(ident(world, text)).data["memories"][0]["aka"])  # type: ignore[typeddict-item]


def injected(prompt: str) -> str:
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": os.getcwd(), "prompt": prompt}
    return str(run.reply("prompt", json.dumps(event).encode(), "claude").get("hookSpecificOutput", {}))


def test_a_memory_is_found_by_its_aliases(world: World) -> None:
    world.remember(LOGIN, aka=AKA)
    assert world.recall("how does single sign-on work?")[0] == LOGIN
    assert world.recall("单点登录用什么")[0] == LOGIN
    why = world.memory.recall(Cues(text="单点登录 Keycloak", explain=True)).data["memories"][0]["why"]
    assert {"alias 登录", "word keycloak"} <= why.keys()
    assert LOGIN in injected("how do I set up 单点登录 here?")


@pytest.mark.parametrize("value", [["x" * 61], ["a"] * 9, "a", [1], [""], {"a": 1}])
def test_invalid_aliases_of_a_line_are_ignored_and_reported(value: object) -> None:
    raw = format_line(Entry("x", id="m_0123456789", at="2026-01-01T00:00:00+00:00", aka=("a",)))
    line = parse_line(raw.replace('["a"]', json.dumps(value)))
    assert line is not None
    assert line.entry.aka == ()
    assert line.problems == ("the field `aka` is invalid and is ignored",)


@pytest.mark.parametrize(
    "aka", [("x" * 61,), tuple(f"w{n}" for n in range(9)), ("a\x1bb",), ("a\u202eb",), ("...",)], ids=repr
)
def test_an_invalid_alias_is_refused(world: World, aka: tuple[str, ...]) -> None:
    before = world.read("declarative.md")
    with pytest.raises(UsageError, match="alias"):
        world.remember(LOGIN, aka=aka)
    assert world.read("declarative.md") == before


def test_aliases_are_checked_for_credentials_and_personal_data(world: World) -> None:
    with pytest.raises(Refused, match="--aka contains a credential"):
        world.remember(LOGIN, aka=("AKIAIOSFODNN7EXAMPLE",))
    plain = world.remember("Ask the landlord about the heating", score="7")
    private = world.remember("Ask the caretaker about the lift", score="7", aka=("+1 415 555 2671",))
    assert not plain["adjustments"]
    assert "personal data" in private["adjustments"][0]["why"]
    world.remember(LOGIN)
    with pytest.raises(Refused, match="--aka contains a credential"):
        world.memory.edit(ident(world), ("AKIAIOSFODNN7EXAMPLE",))


def test_edit_changes_aliases_but_not_importance(world: World) -> None:
    world.remember(LOGIN, aka=("old words",))
    world.later(days=3).memory.boost(ident(world))
    before = world.importance(LOGIN)
    world.memory.edit(ident(world), AKA)
    assert (aliases(world), world.importance(LOGIN)) == (AKA, before)
    assert world.recall("单点登录")[0] == LOGIN
    assert LOGIN not in world.recall("old words")
    world.later(days=1).memory.edit(ident(world), ("",))
    assert aliases(world) == ()
    assert LOGIN not in world.recall("单点登录")


def test_a_successor_inherits_aliases_unless_it_has_its_own(world: World) -> None:
    world.remember(LOGIN, aka=AKA)
    world.later(days=1).remember("Login goes through Authentik", update=ident(world))
    assert aliases(world, "Login goes through Authentik") == AKA
    world.later(days=1).remember(
        "Login goes through Zitadel", update=ident(world, "Login goes through Authentik"), aka=("SSO",)
    )
    assert aliases(world, "Login goes through Zitadel") == ("SSO",)


def test_a_purge_destroys_aliases(world: World, person: None) -> None:
    world.remember(LOGIN, aka=("keepsake words",))
    world.memory.edit(ident(world), ("treasured words",))
    world.memory.forget(ident(world), purge=True)
    assert b"words" not in every_byte(world.root)
    world.later(days=1).remember(LOGIN)
    assert aliases(world) == ()


def test_imported_aliases_count_in_recall_but_not_in_hooks(world: World, tmp_path: Path) -> None:
    """Another person's file must not choose the prompts into which it is injected."""
    line = format_line(Entry(LOGIN, ("t",), 8.0, "长期", "m_0123456789", "2026-01-01T00:00:00+00:00", aka=AKA))
    (tmp_path / "theirs.md").write_text(f"{line}\n", encoding="utf-8")
    world.memory.import_files(Options(paths=(str(tmp_path / "theirs.md"),)))
    assert world.recall("单点登录")[0] == LOGIN
    assert LOGIN not in injected("how do I set up 单点登录 here?")
    assert LOGIN in injected("单点登录: how does Keycloak login work?")


def test_a_match_without_its_aliases_is_weighed_by_all_searched_stores(world: World) -> None:
    usual = "kiosk ramp wall door lamp shelf table carpet mirror window ladder bucket"
    world.remember(LOGIN, aka=("badge",))
    world.import_texts(*(f"{usual} {number}" for number in range(10, 40)))
    criteria = Criteria(world.time.timestamp(), words=f"login badge {usual}", scored=True)
    with world.memory.context.cache() as cache:
        finder = Finder(cache, criteria, own=False)
        finder.whole = [Corpus(10_000, corpus(finder.queries()[0], cache.db).counts)]
        assert [hit.weak for hit in finder.find(50, 0) if hit.state.entry.text == LOGIN] == [False]


def test_split_gives_each_line_its_own_aliases(world: World) -> None:
    text = f"{LOGIN} #auth score:8 --aka SSO --aka '单点登录'\nThe spare key is at reception #office score:7\n"
    world.remember(text, score=None, tags=(), split=True)
    assert aliases(world) == ("SSO", "单点登录")
    assert aliases(world, "The spare key is at reception") == ()


def test_a_review_asks_once_for_aliases_of_the_most_important_memories(world: World) -> None:
    world.remember(LOGIN, aka=AKA)
    prompt = world.memory.reviews(as_prompt=True).data["prompt"]
    assert "synonyms" in prompt
    assert all(text in prompt for text in OTHERS)
    assert LOGIN not in prompt
    assert world.memory.reviews(as_prompt=True).data["prompt"] == ""
    answers = [
        {"id": ident(world, OTHERS[0]), "aka": ["打印机", "laser"]},
        {"id": ident(world, OTHERS[1]), "aka": ["x" * 61]},
        {"id": ident(world, OTHERS[1]), "aka": ["x", None]},
        {"id": ident(world, OTHERS[0]), "aka": []},
        {"id": ident(world, OTHERS[0]), "aka": ["toner"]},
    ]
    answered = world.memory.answer_reviews(answers).data["answers"]
    assert [item["ok"] for item in answered] == [True, False, False, True, True]
    assert aliases(world, OTHERS[0]) == ("打印机", "laser", "toner")
    assert world.recall("打印机在哪里")[0] == OTHERS[0]
    world.remember("The lift stops at nine")
    again = world.memory.reviews(as_prompt=True).data["prompt"]
    assert "The lift stops" in again
    assert not any(text in again for text in OTHERS)


def test_remember_writes_cleaned_aliases_into_the_line(world: World) -> None:
    world.remember(LOGIN, aka=(*AKA, " single  sign-on\n"))
    entry = next(
        line.entry
        for raw in world.read("declarative.md").split("\n")
        if (line := parse_line(raw)) and line.entry.text == LOGIN
    )
    assert entry.aka == AKA
    assert aliases(world) == AKA


def test_storing_a_text_again_adds_its_aliases(world: World) -> None:
    world.remember(LOGIN, aka=AKA)
    world.later(days=1).remember(LOGIN, aka=("SSO", *AKA[:1]))
    assert aliases(world) == (*AKA, "SSO")
    many = tuple(f"w{number}" for number in range(8))
    result = world.later(days=1).memory.remember(Request(LOGIN, ("t",), "8", aka=many))
    assert aliases(world) == (*AKA, "SSO", *many[:5])
    assert any("at most 8 aliases: w5, w6, w7" in warning for warning in result.warnings)


def test_a_rebuilt_cache_contains_aliases(world: World) -> None:
    world.remember(LOGIN)
    world.memory.edit(ident(world), AKA)
    world.recall("x")
    shutil.rmtree(world.file(".cache"))
    assert world.recall("单点登录")[0] == LOGIN


@pytest.mark.parametrize("form", ["bundle", "json"])
def test_exports_contain_aliases(world: World, form: str, tmp_path: Path) -> None:
    world.remember(LOGIN, aka=AKA)
    result = world.memory.export(Wants(form=form))
    assert "单点登录" in json.dumps(result.data, ensure_ascii=False, default=str)


def test_the_command_of_a_refusal_contains_aliases(world: World) -> None:
    with pytest.raises(Refused) as caught:
        world.remember(LOGIN, score="3", aka=AKA)
    assert "--aka 'single sign-on' --aka '单点登录'" in caught.value.hint
