"""Bugs that hostile text has found, one test each."""

import gzip
from pathlib import Path

import pytest

from tests.api import UsageError
from tests.cli.program import run
from tests.inside import archive, unprintable
from tests.world import World

LONE = b"a\xffb".decode("utf-8", "surrogateescape")


def test_lone_surrogate_does_not_make_the_store_unusable(world: World) -> None:
    world.remember("a fact", reason=LONE)
    world.memory.forget(str(world.remember("another fact")["id"]), LONE)
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write(
            '- by hand #t <!-- {"id":"m_0000000000","at":"2026-01-01T00:00:00Z","reason":"\\udcff","topic":"\\uD83D\\uDE00"} -->\n'
        )
    assert set(world.recall()) == {"a fact", "by hand"}
    assert world.remember("one more")["verdict"] == "stored"
    with pytest.raises(UsageError):
        world.memory.restore(LONE)


def test_path_is_printed_without_unprintable_characters(tmp_path: Path) -> None:
    name = "a\x1b[2J\u202eb"
    for words in (("remember", "x", "#t", "score:9"), ("index",), ("audit", "--verify"), ("recall", "x")):
        ran = run(*words, "--memory-dir", name, cwd=tmp_path)
        assert not unprintable().search((ran.out + ran.err).replace("\n", ""))
    with (tmp_path / name / "declarative.md").open("a") as file:
        file.write("- x <!-- {broken} -->\n")
    ran = run("audit", "--verify", "--memory-dir", name, cwd=tmp_path)
    assert "./a\\0033[2J\\0342\\0200\\0256b/declarative.md" in ran.out


def test_schedule_refuses_a_path_with_a_line_break(tmp_path: Path) -> None:
    for name in ("a\n* * * * * b", "a b"):
        (tmp_path / name).mkdir()
    ran = run("decay", "--schedule", "--memory-dir", "a\n* * * * * b", cwd=tmp_path)
    assert (ran.status, ran.out) == (2, "")
    assert run("decay", "--schedule", "--memory-dir", "a b", cwd=tmp_path).status == 0


def test_reading_does_not_change_a_directory_that_is_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine").write_text("x", "utf-8")
    for words in (("recall",), ("recall", "x"), ("audit",), ("status",), ("tags",), ("review", "--list")):
        run(*words, "--memory-dir", "notes", cwd=tmp_path)
        assert [path.name for path in (tmp_path / "notes").iterdir()] == ["mine"], words


@pytest.mark.parametrize(
    "text",
    ['!!int ""', "!!bool x", "!!timestamp x", "policy: 0x" + "F" * 60_000, "[" * 20_000, "policy: " + "x" * 60_000],
)
def test_invalid_settings_give_a_short_warning_and_block_writing(text: str, world: World) -> None:
    world.remember("a fact")
    world.file("config.yaml").write_text(text, "utf-8")
    assert world.recall() == ["a fact"]
    (warning,) = world.memory.context.config_warnings()
    assert "config.yaml" in warning
    assert len(warning) < 600
    with pytest.raises(UsageError):
        world.remember("another")


def test_decompression_bomb_in_the_archive_is_not_unpacked(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_INFLATED", 100_000)
    world.remember("a fact")
    world.file("archive").mkdir()
    (world.file("archive") / "20260101-0000000000000000.md.gz").write_bytes(
        gzip.compress(b"- x #t\n" + b" " * 10_000_000)
    )
    (world.file("archive") / "20260102-0000000000000000.md.gz").write_bytes(gzip.compress(b"- y #t\n") * 100_000)
    assert "a fact" in world.recall()
    assert archive.read(world.memory.context.layout, "20260101-0000000000000000.md.gz") == b"- x #t\n"
    assert archive.read(world.memory.context.layout, "20260102-0000000000000000.md.gz").count(b"\n") < 1_000
