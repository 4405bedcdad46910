"""Citations: collected when a memory is stored, checked in the caller's working tree when it is shown."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core import citations as grammar
from promptx_mem.core.line import parse_line
from promptx_mem.core.prompt_block import block
from promptx_mem.errors import Refused, UsageError
from promptx_mem.mcp_server import answers
from promptx_mem.usecases import citations
from promptx_mem.usecases.recall import Cues
from tests.api import Options, Wants
from tests.git import git
from tests.inside import cli_review
from tests.tables import rows
from tests.world import World

AUTH = "class AuthClient:\n    def refresh_token(self): ...\n"


class Project(World):
    """A repository with a store; `write` and `commit` change it."""

    def __init__(self, top: Path) -> None:
        super().__init__(top / ".memory")
        self.top = top
        top.mkdir(parents=True)
        git(top, "init", "-q")

    def write(self, path: str, text: str = "x = 1\n") -> "Project":
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_text(text)
        return self

    def commit(self) -> "Project":
        git(self.top, "add", "-A", ":!.memory")
        git(self.top, "commit", "-qm", "x", "--allow-empty")
        return self

    def cites(self, text: str = "") -> list[dict[str, Any]]:
        (memory,) = self.memory.recall(Cues(text=text, touch=False)).data["memories"]
        return [dict(cite) for cite in memory["cites"]]

    def states(self) -> list[str]:
        return [cite["state"] for cite in self.cites()]

    def failures(self) -> list[str]:
        (memory,) = self.memory.recall(Cues(touch=False)).data["memories"]
        return grammar.failures(memory)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(citations, "_CHECK_SECONDS", 5.0)  # the machine may be busy
    made = Project(tmp_path / "app")
    monkeypatch.chdir(made.top)
    return made.write("src/auth.py", AUTH).commit()


def test_remember_writes_paths_names_and_commit_into_the_line(project: Project) -> None:
    project.remember("src/auth.py: `refresh_token()` of AuthClient needs other_name, see docs/gone.md")
    line = parse_line(project.read("declarative.md").strip().split("\n")[-1])
    assert line is not None
    assert not line.problems
    assert line.entry.cites == ("src/auth.py: refresh_token AuthClient",)
    assert line.entry.cited_at == git(project.top, "rev-parse", "HEAD")[:12]


@pytest.mark.parametrize(("text", "paths"), rows(__file__, "cited_paths.jsonl"))
def test_existing_paths_in_a_text_become_citations(project: Project, text: str, paths: list[str]) -> None:
    named = ("src/my file.py", "app/[id]/page.tsx", "Makefile", "docs/设计.md", "配置.yaml", "docs/it's.md")
    for path in (*named, "docs/cafe\u0301.md", "../outside.py"):
        project.write(path)
    project.commit().remember(text)
    assert [cite["path"] for cite in project.cites()] == paths


def test_every_command_reports_a_failed_citation(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ident = project.remember("src/auth.py: AuthClient needs a lock")["id"]
    assert project.states() == ["ok"]
    with pytest.raises(Refused, match="no pending review"):
        project.memory.review(ident, "keep")
    project.write("src/auth.py", "class Other: ...\n")
    assert project.failures() == ["src/auth.py no longer contains AuthClient"]
    (project.top / "src/auth.py").unlink()
    assert project.failures() == ["not in this working tree: src/auth.py"]
    data = project.memory.recall(Cues(touch=False)).data
    assert "<warning>not in this working tree: src/auth.py</warning>" in block(data)
    assert answers.memory(data["memories"][0])["warnings"] == ["not in this working tree: src/auth.py"]
    assert [(item["review"], item["problems"]) for item in project.memory.reviews().data["reviews"]] == [
        ("citation", project.failures())
    ]
    monkeypatch.setattr("promptx_mem.cli.terminal.chosen", lambda *_: "skip")
    cli_review._ask(project.memory, lambda _: project.memory)
    assert "not in this working tree: src/auth.py\n  to correct it: " in capsys.readouterr().out
    notes = project.memory.audit_verify().data["notes"] or []
    assert any(ident in note and "--update" in note for note in notes)
    prompt = project.memory.reviews(as_prompt=True).data["prompt"]
    assert '"not in this working tree: src/auth.py"' in prompt
    assert f"--update {ident}" in prompt
    project.memory.answer_reviews([{"id": ident, "decision": "keep"}])
    assert project.later(days=40).memory.reviews().data["reviews"] == []
    assert project.failures() == ["not in this working tree: src/auth.py"]


def test_a_contradiction_and_a_failed_citation_are_reviewed_separately(project: Project) -> None:
    project.remember("src/auth.py: sessions last 30 minutes")
    project.later(hours=1).remember("src/auth.py: sessions last 60 minutes")
    (project.top / "src/auth.py").unlink()
    newer, older = (item["id"] for item in project.memory.recall(Cues(touch=False)).data["memories"])

    def asked() -> list[tuple[str, str]]:
        return [(item["id"], item["review"]) for item in project.memory.reviews().data["reviews"]]

    assert asked() == [(older, "contradiction"), (older, "citation"), (newer, "citation")]
    project.memory.review(older, "keep")
    assert asked() == [(older, "contradiction"), (newer, "citation")]
    project.memory.review(older, "newer")
    assert asked() == [(newer, "citation")]


def test_a_memory_with_a_failed_citation_ranks_below_a_similar_one(project: Project) -> None:
    project.write("src/cache.py").commit()
    project.remember("the session lock lives in src/auth.py")
    project.remember("the session lock lives in src/cache.py")
    for gone, first in (("src/auth.py", "cache"), ("src/cache.py", "auth")):
        (project.top / gone).rename(project.top / "aside")
        assert first in project.recall("session lock lives")[0]
        (project.top / "aside").rename(project.top / gone)


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (lambda p: git(p.top, "mv", "src/auth.py", "src/login.py"), "not in this working tree"),
        (lambda p: git(p.top, "mv", "src/auth.py", "auth.py"), "moved to auth.py"),
        (lambda p: git(p.top, "mv", "src/auth.py", "src/Auth.py"), "moved to src/Auth.py"),
        (
            lambda p: (p.write("api/auth.py").commit(), git(p.top, "mv", "src/auth.py", "src/Auth.py")),
            "moved to src/Auth.py",
        ),
        (
            lambda p: (
                git(p.top, "mv", "src/auth.py", "src/Auth.py"),
                p.commit(),
                git(p.top, "sparse-checkout", "set", "docs"),
            ),
            "not checked",
        ),
        (lambda p: git(p.top, "sparse-checkout", "set", "docs"), "not checked"),
        (lambda p: (git(p.top, "switch", "-qc", "other"), p.write("src/auth.py", AUTH + "y = 2\n").commit()), "ok"),
        (lambda p: git(p.top, "rm", "-q", "--cached", "src/auth.py"), "ok"),
    ],
    ids=["renamed", "moved", "case", "case, two files", "case and sparse", "sparse", "branch", "untracked"],
)
def test_citations_show_the_state_of_a_file(project: Project, change: Callable[[Project], object], state: str) -> None:
    project.write("docs/a.md").commit().remember("src/auth.py: AuthClient needs a lock")
    change(project)
    assert project.states() == [state]


@pytest.mark.parametrize(
    "path",
    [".env.local", "config/server.pem", "my.key", "keys/id_rsa", ".vscode/settings.json", "ignored.txt", "big.txt"],
)
def test_unsafe_ignored_and_big_files_give_no_names(
    project: Project, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write(".gitignore", "ignored.txt\n").write(path, "my_name\n" * (200_000 if path == "big.txt" else 1))
    opened: list[str] = []
    real = os.open

    def recording(name: Any, *more: Any, **named: Any) -> int:
        opened.append(str(name))
        return real(name, *more, **named)

    monkeypatch.setattr(os, "open", recording)
    project.commit().remember(f"{path} has my_name")
    assert all(not cite["names"] for cite in project.cites())
    read = os.path.getsize(project.top / path) > citations.MAX_BYTES
    assert read or not any(name.endswith(path) for name in opened)


def test_links_and_pipes_are_not_cited_and_binary_files_have_no_names(project: Project) -> None:
    (project.top / "out.py").symlink_to("/etc/hosts")
    os.mkfifo(project.top / "pipe.py")
    project.write("binary.py", "a\0b my_name").commit()
    project.remember("out.py pipe.py binary.py my_name")
    assert [(cite["path"], cite["names"]) for cite in project.cites()] == [("binary.py", [])]


def test_no_program_of_the_repository_runs(project: Project, tmp_path: Path) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {ran}\n")
    program.chmod(0o755)
    project.write(".gitattributes", "* filter=evil diff=evil\n")
    project.remember("src/auth.py: AuthClient needs a lock")
    names = ("core.fsmonitor", "core.pager", "core.sshCommand", "core.editor", "alias.ls-files", "pager.ls-files")
    evil = ("filter.evil.clean", "filter.evil.process", "diff.external", "diff.evil.textconv", "diff.evil.command")
    for name in (*names, *evil):
        git(project.top, "config", name, str(program))
    git(project.top, "config", "core.hooksPath", str(tmp_path))
    program.with_name("post-index-change").symlink_to(program)
    ran.unlink(missing_ok=True)
    (project.top / "src/auth.py").unlink()
    assert project.states() == ["not in this working tree"]
    project.write("src/new.py", AUTH).later(days=1).remember("src/new.py: AuthClient again")
    assert not ran.exists()


def test_citations_of_a_memory_from_a_clone_are_not_checked(project: Project) -> None:
    project.remember("src/auth.py: AuthClient needs a lock")
    (memory,) = project.memory.recall(Cues(touch=False)).data["memories"]
    memory["origin"], memory["cites"] = "clone", grammar.read(["src/auth.py: AuthClient"])
    citations.check(project.memory.context, [memory])
    assert "state" not in memory["cites"][0]


def test_invalid_citations_of_a_line_are_ignored() -> None:
    values = ["../x.py", "/etc/passwd", "", "a" * 301, "src/a.py: b c", "x\u202ey", "C:\\x"]
    assert grammar.read(values) == [{"path": "src/a.py", "names": ["b", "c"]}]
    assert len(grammar.read(f"{number}.py" for number in range(10_000))) == 20


def test_cite_adds_a_citation_of_a_project_file(project: Project) -> None:
    project.remember("AuthClient needs a lock", cite=("src/auth.py",))
    assert project.cites() == [{"path": "src/auth.py", "names": ["AuthClient"], "state": "ok"}]
    for path in ("../app2", "/etc/hosts", "src/none.py", ".git/config", "a\0b"):
        with pytest.raises(UsageError):
            project.remember("another fact", cite=(path,))


def test_exports_contain_cited_paths_and_names_but_no_state(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.remember("src/auth.py: AuthClient needs a lock")
    (memory,) = project.memory.export(Wants(form="json")).data["memories"]
    assert memory["cites"] == [{"path": "src/auth.py", "names": ["AuthClient"]}]
    bundle = project.memory.export(Wants(form="bundle")).data["text"]
    other = Project(tmp_path / "other")
    (tmp_path / "b.jsonl").write_text(bundle)
    monkeypatch.chdir(other.top)
    other.memory.import_files(Options((str(tmp_path / "b.jsonl"),)))
    line = parse_line(next(raw for raw in other.read("declarative.md").split("\n") if "AuthClient" in raw))
    assert line is not None
    assert line.entry.cites == ("src/auth.py: AuthClient",)
    assert '"state"' not in bundle


def test_update_collects_citations_again_even_for_the_same_text(project: Project) -> None:
    ident = project.remember("AuthClient needs a lock", cite=("src/auth.py",))["id"]
    git(project.top, "mv", "src/auth.py", "src/login.py")
    assert project.states() == ["not in this working tree"]
    project.later(days=1).remember("AuthClient needs a lock", update=ident, cite=("src/login.py",))
    assert project.cites() == [{"path": "src/login.py", "names": ["AuthClient"], "state": "ok"}]
    project.later(days=1).remember("src/login.py: AuthClient needs two locks", update=ident)
    assert project.states() == ["ok"]


def test_huge_files_and_folders_are_not_checked_and_pipes_are_missing(project: Project) -> None:
    project.remember("src/auth.py: AuthClient needs a lock")
    os.truncate(project.top / "src/auth.py", 2 << 30)
    assert project.states() == ["not checked"]
    (project.top / "src/auth.py").unlink()
    os.mkfifo(project.top / "src/auth.py")
    assert project.states() == ["not in this working tree"]
    (project.top / "src/auth.py").unlink()
    (project.top / "src/auth.py").mkdir()
    assert project.states() == ["not checked"]


def test_citations_survive_missing_paths_patterns_and_a_moved_project(project: Project) -> None:
    many = " ".join(f"no/{number}.py" for number in range(700))
    project.remember(f"src/auth.py: `A.*t(` and `AuthClient` need a lock, unlike {many}")
    assert [(cite["path"], cite["names"]) for cite in project.cites()] == [("src/auth.py", ["AuthClient"])]
    project.top = project.top.rename(project.top.with_name("moved"))
    project.root = project.top / ".memory"
    os.chdir(project.top)
    assert project.states() == ["ok"]
