"""What is said where something was not taken, not found or not meant: true, once, and with the way out."""

from pathlib import Path

import pytest

from tests.api import Cues, Request, UsageError
from tests.inside import Config, app, mended, parts
from tests.usecases.recall_store import entry, event
from tests.usecases.test_two_stores import stored, two
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / ".memory")


def near(project: Path, user: Path, cues: Cues) -> list[str]:
    data = two(project, user).recall(cues).data
    assert not data["memories"]
    return data["near_misses"]


def test_near_misses_of_two_stores_do_not_contradict_each_other(tmp_path: Path) -> None:
    project = stored(tmp_path / "p", entry("postgres", 1, topic="项目->数据库", tags=("db",)))
    user = stored(tmp_path / "u", entry("tea", 1, tags=("preference",)))
    assert near(project, user, Cues(topics=("项目",))) == ["below 项目 there is '项目->数据库'"]
    assert near(project, user, Cues(tags=("preferences",))) == ["no memory has #preferences; there is '#preference'"]
    assert near(project, user, Cues(tags=("nope",))) == ["no memory has #nope"]
    assert near(project, user, Cues(topics=("nowhere",))) == ["there is no topic nowhere"]


def test_what_has_ended_and_does_not_match_is_no_near_miss(tmp_path: Path) -> None:
    gone = entry("the cat sat", 5)
    project = stored(tmp_path / "p", entry("tea", 1))
    user = stored(tmp_path / "u", gone, events=(event("forgotten", gone.id, 1),))
    assert near(project, user, Cues(text="zebra")) == []
    assert near(project, user, Cues(text="zebra", type="user")) == []
    assert "has ended" in near(project, user, Cues(text="cat"))[0]


def test_a_repeat_says_what_it_kept_and_what_it_made_longer(world: World) -> None:
    world.remember("uv installs packages", "pkg", score="9", duration="长期")
    later = world.later(1).memory

    def again(score: str, duration: str | None) -> tuple[str, ...]:
        return later.remember(Request("uv installs packages", tags=("pkg",), score=score, duration=duration)).warnings

    ident = later.recall(Cues(text="uv")).data["memories"][0]["id"]
    anew = f"the same text with --update {ident} sets them anew"
    assert again("9", "短期") == (f"it keeps long: {anew}",)
    assert again("8", "短期") == (f"it keeps score 9 and long: {anew}",)
    assert again("9", "永久") == ("it was long, and is permanent now",)
    assert again("9", None) == again("9", "永久") == ()


def test_a_list_of_lines_lends_no_tokens() -> None:
    with pytest.raises(UsageError, match=r"^alpha fact: a tag or a score is missing in this line; nothing of the list"):
        parts(Request("alpha fact\nbeta fact #b score:9\n", split=True), Config())
    one, two = parts(Request("alpha #a score:8\nbeta #b score:9 30d\n", split=True), Config())
    assert (one.text, one.tags, one.score, one.duration) == ("alpha", ("a",), "8", None)
    assert (two.text, two.tags, two.score) == ("beta", ("b",), "9")
    common = parts(Request("alpha\nbeta #b score:9", split=True), Config())
    assert [(part.text, part.tags, part.score) for part in common] == [("alpha", ("b",), "9"), ("beta", ("b",), "9")]


@pytest.mark.parametrize("text", ["user_stor: false\n", "[\n", "- x\nuser_stor: 1\n", "just words\n"])
def test_settings_of_ones_own_that_are_wrong_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    settings = tmp_path / "own.yaml"
    settings.write_text(text, "utf-8")
    monkeypatch.setenv("PROMPTX_MEM_USER_DIR", str(tmp_path / "user"))
    assert app.run(["init", "--user"]) == 0
    (tmp_path / "p").mkdir()
    monkeypatch.chdir(tmp_path / "p")
    assert app.run(["init"]) == 0
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(settings))
    capsys.readouterr()
    assert app.run(["recall", "tea"]) == 0
    assert "own.yaml" in capsys.readouterr().err


def test_who_stores_in_the_user_store_is_told_that_every_project_is_given_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PROMPTX_MEM_USER_DIR", str(tmp_path / "user"))
    assert app.run(["init", "--user"]) == 0
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path / "folder")
    capsys.readouterr()
    assert app.run(["remember", "client Acme pays late", "#client", "score:8", "--user"]) == 0
    assert f"in {tmp_path / 'user'}, your own store for every project" in capsys.readouterr().out
    assert app.run(["remember", "client Acme pays late", "#client", "score:8"]) == 0  # outside every repository
    assert "your own store" not in capsys.readouterr().out


def test_bytes_that_are_no_text_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = str(tmp_path / ".memory")
    words = b"caf\xe9".decode("utf-8", "surrogateescape")
    assert app.run(["remember", words, "#t", "score:8", "--memory-dir", place]) == 0
    assert "not UTF-8" in capsys.readouterr().err
    assert app.run(["remember", "café", "#t", "score:8", "--memory-dir", place]) == 0
    assert "UTF-8" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["forget", "u_abcdefgh"], "promptx-mem forget --conversation u_abcdefgh"),
        (["recall", "tea", "--score", "8"], "promptx-mem recall tea --min-score 8"),
    ],
)
def test_the_way_out_is_a_command(
    world: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], hint: str
) -> None:
    world.remember("tea")
    monkeypatch.chdir(world.memory.context.layout.root)
    assert app.run(words) == 2
    assert hint in capsys.readouterr().err


def test_what_must_not_be_there_alone_is_said_to_be_looked_for(world: World) -> None:
    world.remember("the cat sat")
    assert "-cat leaves something out beside other words" in world.memory.recall(Cues(text="-cat")).warnings[0]
    assert world.memory.recall(Cues(text="sat -dog")).warnings == ()


def test_a_word_that_names_a_token_is_a_word_of_a_text() -> None:
    assert mended("no tags here", named=True) is None
    assert mended("tea tags: here score: 8") == "tea #here score:8"
