"""Store files replaced by links, pipes, devices or folders: no other file is changed or shown."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import layout
from tests.hostile import inside, planting
from tests.hostile.planting import BELOW, COMMANDS, KINDS, ROOT, SECRET, Command

pytestmark = pytest.mark.usefixtures("person")

TARGETS = tuple(name for name in planting.FILES if "/" not in name)
RECALL = Command(("recall",))
PURGE = Command(("forget", "{id}", "--purge"))


@pytest.fixture
def project(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, with files outside it. A person answers each question with yes."""
    for name in ("confirmed", "typed_name"):
        monkeypatch.setattr(f"promptx_mem.cli.terminal.{name}", lambda *_, **__: True)
    folder = quick / "project"
    folder.mkdir()
    planting.create_outside(quick / "beyond")
    (quick / "theirs.md").write_text("- 2026/11/20 09:00 taken over #t #评分:8 #有效期:长期\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def tried(command: Command, project: Path, ident: str) -> inside.Ran:
    """Run a command. Check that it neither changes nor shows files outside the store."""
    top = project.parent / "beyond"
    before = planting.snapshot(top)
    ran = planting.run(command, ident, project.parent / "theirs.md")
    assert planting.snapshot(top) == before, command.words
    assert SECRET not in ran.out + ran.err, command.words
    return ran


def stored(root: Path) -> bytes:
    """Return all bytes of the store's files."""
    return b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file() and not path.is_symlink())


LINKS = {
    "declarative.md": "lines.md", "journal.jsonl": "events.jsonl", "audit.jsonl": "events.jsonl", "MEMORY.md": "index.md",
    "config.yaml": "key.yaml", ".recalled": "recalled", "archive/lost-x.md.gz": "folder/lost-c.md.gz",
    "archive/20260101-x.md.gz": "folder/20260101-a.md.gz", "archive/20260101-x.jsonl.gz": "folder/20260101-b.jsonl.gz",
    "conversations/u_1.jsonl": "said.jsonl", "archive/conversations/u_1.jsonl.gz": "folder/conversations/u_1.jsonl.gz",
    "archive": "folder", "conversations": "folder", ".cache": "folder", "archive/conversations": "folder/conversations",
    ".intent": "lines.md", ".lock": "lines.md", ".decay.lock": "lines.md", ".gitignore": "lines.md", ".gitattributes": "lines.md",
    ".cache/cache.db": "folder/cache.db", ".recalled.7.old": "recalled", ".declarative.md.5.00000000.old": "lines.md",
    "conversations/.x.tmp": "folder/.x.tmp",
}  # fmt: skip
WARNED = (*(set(LINKS) & set(ROOT)), "archive/20260101-x.md.gz", "archive/conversations", "conversations/u_1.jsonl")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("place", LINKS)
def test_commands_do_not_follow_a_link_in_the_store(place: str, project: Path) -> None:
    """The target has the format of the replaced file, so that its text would show."""
    root = project / ".memory"
    ident = planting.store(root)[0]
    planting.plant("file link", root / place, project.parent / "beyond", LINKS[place])
    link = os.readlink(root / place)
    for command in COMMANDS:
        ran = tried(command, project, ident)
        if command == RECALL:
            assert (ran.status, "绿茶" in ran.out) == (0, place != "declarative.md")
            assert place not in WARNED or place in ran.err
        if place in ROOT and command.writes:
            assert ran.status == 3, (command.words, ran)
            assert f"{place} is a symbolic link" in ran.err or command.words[0] == "import"
        if place in ROOT:
            assert os.readlink(root / place) == link
    assert SECRET.encode() not in stored(root)


@pytest.mark.parametrize("place", [place for place in LINKS if place in layout.FILES or place in layout.FOLDERS])
def test_printed_command_replaces_the_link_with_a_copy(place: str, project: Path) -> None:
    root = project / ".memory"
    planting.store(root)
    own = root.parent / "my own files"
    own.mkdir()
    (root / place).rename(own / "kept") if (root / place).exists() else (own / "kept").touch()
    (root / place).symlink_to(own / "kept")
    writing = Command(("remember", "another fact", "#t", "score:9"))
    ran = tried(writing, project, "")
    assert ran.status == 3
    command = ran.err.splitlines()[1].partition("with a copy: ")[2]
    subprocess.run(["sh", "-c", command], check=True, cwd=project)
    assert not (root / place).is_symlink()
    assert (own / "kept").exists()
    assert tried(writing, project, "").status == 0
    assert "绿茶" in tried(RECALL, project, "").out
    assert [path.name for path in root.iterdir() if path.name.endswith(".tmp")] == []


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", ["pipe", "socket", "folder", "device"])
@pytest.mark.parametrize("place", [name for name in ROOT if name != "declarative.md"])
def test_recall_works_if_a_store_file_is_of_another_kind(place: str, kind: str, project: Path) -> None:
    root = project / ".memory"
    planting.store(root)
    if kind == "folder" and place in layout.FOLDERS:
        kind = "pipe"
    planting.plant(kind, root / place, project.parent / "beyond", "")
    ran = tried(RECALL, project, "")
    assert (ran.status, "绿茶" in ran.out, place in ran.err) == (0, True, True)
    assert tried(next(one for one in COMMANDS if one.words == ("hook", "start")), project, "").status == 0
    assert tried(Command(("audit", "--verify")), project, "").status == 1


def test_plain_file_in_place_of_a_folder_is_called_no_directory(project: Path) -> None:
    planting.store(project / ".memory")
    shutil.rmtree(project / ".memory/archive", ignore_errors=True)
    (project / ".memory/archive").touch()
    assert "archive is not a directory" in tried(RECALL, project, "").err


@pytest.mark.parametrize("place", ["conversations/u_9.jsonl", "archive/conversations", "archive/20260101-x.md.gz"])
def test_purge_is_refused_if_it_would_not_reach_every_file(place: str, project: Path) -> None:
    root = project / ".memory"
    idents = planting.store(root)
    planting.plant("file link", root / place, project.parent / "beyond", "said.jsonl")
    before = (root / "declarative.md").read_bytes()
    ran = tried(PURGE, project, idents[0])
    assert (ran.status, place in ran.err) == (3, True)
    assert (root / "declarative.md").read_bytes() == before


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: " ".join(one.words[:2]))
def test_symlinked_store_is_refused(command: Command, project: Path) -> None:
    planting.store(project.parent / "beyond" / "real")
    (project / ".memory").symlink_to(project.parent / "beyond" / "real")
    ran = tried(command, project, "m_0000000000")
    if command.words[0] == "hook":
        assert ran.status == 0
    elif command.words[0] != "guard":
        assert ran.status == 3
        assert "is a symbolic link" in ran.err + ran.out
        assert f"PROMPTX_MEM_DIR={shlex.quote(str(project / '.memory'))}" in ran.err + ran.out
    assert "绿茶" not in ran.out


def test_symlinked_store_is_used_if_its_path_is_given(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planting.store(project.parent / "real")
    (project / ".memory").symlink_to(project.parent / "real")
    assert "绿茶" in inside.run("recall", "--memory-dir", ".memory").out
    monkeypatch.setenv("PROMPTX_MEM_DIR", str(project / ".memory"))
    assert inside.run("remember", "another fact", "#t", "score:9").status == 0
    assert "another fact" in (project.parent / "real" / "declarative.md").read_text("utf-8")


@pytest.mark.parametrize("place", [".claude", ".claude/settings.local.json"])
def test_setup_refuses_symlinked_settings_of_a_project(place: str, project: Path) -> None:
    (project / ".git").mkdir()
    target = "folder" if place == ".claude" else "folder/settings.json"
    planting.plant("file link", project / place, project.parent / "beyond", target)
    for words in (("setup", "claude", "--yes"), ("setup",), ("setup", "--remove", "claude", "--yes")):
        ran = tried(Command(words), project, "")
        assert (ran.status, f"{place} is a symbolic link" in ran.err) == (3, True), ran


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from((*ROOT, *BELOW)),
        st.tuples(st.sampled_from(KINDS), st.sampled_from(TARGETS)),
        min_size=1,
        max_size=6,
    ),
    st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=6),
)
def test_files_outside_the_store_are_never_changed_or_shown(
    project: Path, planted: dict[str, tuple[str, str]], commands: list[Command]
) -> None:
    root = project / ".memory"
    if root.exists():
        root.rename(project / f"done-{os.urandom(4).hex()}")
    ident = planting.store(root)[0]
    for place, (kind, target) in planted.items():
        planting.plant(kind, root / place, project.parent / "beyond", target)
    for command in (*commands, RECALL):
        tried(command, project, ident)
    assert SECRET.encode() not in stored(root)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can switch to a user without access")
@pytest.mark.parametrize("kind", ["folder", "pipe"])
@pytest.mark.parametrize("place", [name for name in layout.FILES if name != "declarative.md"])
def test_recall_works_if_a_store_file_cannot_be_opened(place: str, kind: str, project: Path) -> None:
    root = project / ".memory"
    planting.store(root)
    planting.plant(kind, root / place, project.parent / "beyond", "")
    (root / place).chmod(0)
    for path in (project.parent, project, root, *(path for path in root.rglob("*") if path != root / place)):
        os.chown(path, 65534, 65534)
    os.chown(root / place, 65534, 65534)
    os.seteuid(65534)
    try:
        ran = planting.run(RECALL, "", project)
        writing = planting.run(Command(("remember", "another fact", "#t", "score:9")), "", project)
    finally:
        os.seteuid(0)
    assert (ran.status, "绿茶" in ran.out, place in ran.err) == (0, True, True), ran
    assert writing.status in (0, 2 if place == "config.yaml" else 3)
    assert writing.status == 0 or place in writing.err
