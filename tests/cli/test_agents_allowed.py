"""Options that an agent's session may not use: its host may run our commands without asking the user."""

import os
from pathlib import Path

import pytest

from tests.cli import program
from tests.git import git

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    folder.mkdir()
    assert program.run("remember", "tea is liked", "#t", "score:8", cwd=folder).status == 0
    return folder


@pytest.mark.parametrize(
    "words",
    [("recall", "tea", "--judge"), ("recall", "tea", "--remote"), ("remember", "a fact", "#t", "score:8", "--allow-secret"),
     ("import", "x.md", "--allow-secret"), ("init", "--user")],
    ids=" ".join,
)  # fmt: skip
def test_agent_options_are_refused_unless_the_user_allows_them(words: tuple[str, ...], project: Path) -> None:
    (project / "x.md").write_text("- a fact\n")
    option = words[-1].removeprefix("--")
    refused = program.run(*words, cwd=project, env=AGENT)
    assert (refused.status, f"agents: {{allow: [{option}]}}" in refused.err) == (1, True), refused
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "promptx-mem" / "config.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"agents: {{allow: [{option}]}}\n")
    assert "not allowed" not in program.run(*words, cwd=project, env=AGENT).err
    path.write_text("agents: {allow: [everything]}\n")
    assert "agents.allow" in program.run(*words, cwd=project, env=AGENT).err


def test_options_are_accepted_when_claude_code_asks_for_them(project: Path) -> None:
    words = ("recall", "tea", "--judge")
    assert program.run("setup", "claude", "--yes", cwd=project).status == 0
    assert program.run(*words, cwd=project, env=AGENT).status == 0
    assert program.run(*words, cwd=project, env={"GEMINI_CLI": "1", "GEMINI_SESSION_ID": "g", **AGENT}).status == 1
    settings = project / ".claude" / "settings.local.json"
    settings.write_text(settings.read_text().replace("--judge", "--other"))
    assert program.run(*words, cwd=project, env=AGENT).status == 1


@pytest.mark.parametrize("option", ["--remove", "--conversations"])
def test_agent_cannot_remove_hooks_or_save_conversations(option: str, project: Path) -> None:
    words = ("setup", "claude", "--yes", option)
    assert program.run(*words[:3], cwd=project, env=AGENT).status == 0
    for more in ([], ["--diff"]):
        ran = program.run(*words, *more, cwd=project, env=AGENT)
        assert (ran.status, f"setup {option} needs a person" in ran.err) == (1, True), ran
    assert ": /" in program.run(*words, cwd=project).out


def test_agent_cannot_use_an_unknown_store_with_memory_dir(project: Path, tmp_path: Path) -> None:
    own, other, empty = str(project / ".memory"), tmp_path / "clone" / ".memory", tmp_path / "empty"
    assert program.run("recall", "tea", "--memory-dir", own, cwd=tmp_path, env=AGENT).status == 0
    other.mkdir(parents=True)
    empty.mkdir()
    (other / "declarative.md").write_text("- coffee #t score:8\n")
    for place in (other, empty, tmp_path / "missing"):
        for words in (("recall", "coffee"), ("remember", "a fact", "#t", "score:8")):
            ran = program.run(*words, "--memory-dir", str(place), cwd=project, env=AGENT)
            assert ran.status in (1, 3), ran
            assert "coffee" not in ran.out
    assert not (tmp_path / "missing").exists()
    assert list(empty.iterdir()) == []


def test_worktree_read_earlier_inherits_the_trust_of_the_main_one(project: Path, tmp_path: Path) -> None:
    git(project, "init", "-q")
    assert program.run("init", "--shared", cwd=project).status == 0
    git(project, "add", ".")
    git(project, "commit", "-qm", "x")
    git(project, "worktree", "add", "-q", str(tmp_path / "linked"))
    notes = Path(os.environ["XDG_STATE_HOME"]) / "promptx-mem" / "stores"
    kept = notes.read_bytes()
    notes.write_bytes(b"")
    assert "clone" in program.run("recall", "tea", "--json", cwd=tmp_path / "linked").out
    notes.write_bytes(kept + notes.read_bytes())
    assert "clone" not in program.run("recall", "tea", "--json", cwd=tmp_path / "linked").out
