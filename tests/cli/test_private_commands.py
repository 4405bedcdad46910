"""No command, with random options of those it declares, puts conversations into git, an export or a server.

The commands come from the program's table, so new commands are included.
"""

import shutil
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import COMMAND, Cues, Message, unit_of
from tests.hostile import inside
from tests.inside import COMMANDS, Argument, Option, declared, handler_of
from tests.world import World

WORDS = ("heron", "walnut", "pelican", "鸬鹚")
SHARING = {"--conversations"}
"""Options of `export` and `view` that include conversations."""

SERVERS = {"mcp"}
"""Commands that serve until their input ends; they have other tests."""

NOT_DRAWN = {"memory_dir", "session", "json"}


def leaked(data: bytes) -> list[str]:
    escaped = [(word, word.encode()) for word in WORDS] + [(word, word.encode("unicode-escape")) for word in WORDS]
    return [word for word, form in escaped if form in data]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A shared store in a repository: a fact, episodes, a forgotten one, and a current conversation."""
    place = tmp_path_factory.mktemp("private") / "repository"
    place.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(COMMAND, "")
        subprocess.run(["git", "init", "-q", place], check=True)
        world = World(place / ".memory")
        world.memory.init(shared=True)
        fact = world.remember("the office is in Berlin", "t", topic="a->b")["id"]
        for number, word in enumerate(WORDS):
            world.session = f"talk {number}"
            world.memory.converse([Message("user", f"we saw a {word}"), Message("assistant", "Indeed.")])
            world.later(hours=5)
        world.memory.converse([Message("user", "and a heron again")])
        ids = [one["id"] for one in world.memory.recall(Cues(category="episode", count=9)).data["memories"]]
        ids = [ident for ident in ids if ident.startswith("m_")]
        world.memory.forget(ids[1])
    return place, {"episode": ids[0], "ended": ids[1], "fact": fact, "unit": unit_of("talk 0")}


def parameters(name: str) -> list[tuple[str, Any, Argument | Option]]:
    """Return the parameters of a command: name, type, and argument or option."""
    return [one for one in declared(handler_of(name).command) if one[0] not in NOT_DRAWN]


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """A command with some of its parameters; ids are filled in later."""
    name = draw(st.sampled_from(sorted(set(COMMANDS) - SERVERS)))
    texts = ["{episode}", "{episode}", "{ended}", "{fact}", "{unit}", "2026-03-01", "keep", "user", "start", "out.txt"]
    texts += [
        "a new fact #t score:8",
        "bundle",
        "json",
        "markdown",
        "episode",
        "[BOOST:{episode}]",
        "[ADD] new #t score:8",
    ]
    words = [name]
    for parameter, kind, mark in parameters(name):
        if not draw(st.booleans()):
            continue
        if isinstance(mark, Argument):
            words.append(draw(st.sampled_from(texts)))
            continue
        option = mark.names_of(parameter)[0]
        if kind is bool:
            words.append(option)
        elif kind in (int, float, int | None, float | None):
            words += [option, draw(st.sampled_from(["1", "7", "500"]))]
        else:
            words += [option, draw(st.sampled_from(texts))]
    return words


def test_every_command_with_options_can_be_drawn() -> None:
    assert {name for name in COMMANDS if parameters(name)} >= set(COMMANDS) - {"guard", "mcp"}
    marks = [(key, mark) for name in COMMANDS for key, _, mark in parameters(name) if isinstance(mark, Option)]
    assert {name for key, mark in marks for name in mark.names_of(key)} >= SHARING


def test_conversations_are_not_tracked_exported_or_sent_by_default(
    template: tuple[Path, dict[str, str]], all_faults: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, names = template
    monkeypatch.setenv(COMMAND, "")
    monkeypatch.setenv("EDITOR", "true")

    @settings(max_examples=1_000 if all_faults else 40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(lines=st.lists(command_lines(), min_size=1, max_size=4))
    def check(lines: list[list[str]]) -> None:
        folder = Path(tempfile.mkdtemp())
        try:
            copy = shutil.copytree(place, folder / "repository", symlinks=True)
            monkeypatch.chdir(copy)
            for line in lines:
                words = [word.format(**names) for word in line]
                with mock.patch.object(socket.socket, "connect", side_effect=AssertionError("a server was called")):
                    ran = inside.run(*words, env={"HOME": str(folder / "home")})
                if words[0] in ("export", "hook") and not SHARING & set(words):
                    found = leaked(ran.out.encode())
                    assert found == [] or words[0] == "hook", words
            if any(SHARING & set(line) for line in lines):
                return
            subprocess.run(["git", "add", "-A"], cwd=copy, check=True)
            tracked = subprocess.run(["git", "ls-files", "-z"], cwd=copy, check=True, capture_output=True).stdout
            paths = [copy / name.decode() for name in tracked.split(b"\0") if name]
            assert {path.name: leaked(path.read_bytes()) for path in paths if leaked(path.read_bytes())} == {}, lines
        finally:
            monkeypatch.chdir(place)
            shutil.rmtree(folder)

    check()


@pytest.mark.parametrize("form", ["bundle", "json", "markdown", "promptx"])
def test_conversations_are_exported_only_on_request(
    template: tuple[Path, dict[str, str]], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(template[0])
    export = ("export", "--format", form)
    shown = inside.run(*export).out
    assert ("Berlin" in shown, leaked(shown.encode())) == (True, [])
    assert form != "bundle" or leaked(inside.run(*export, "--conversations").out.encode())
