"""import asks whose notes they are: a person once, an agent never, a script by --yes; without an answer nothing is own."""

from pathlib import Path

import pytest

from tests import terminal
from tests.cli.program import environment, run
from tests.git import git

QUESTION = "Are these your own notes? [y/N]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with notes, a bundle that ends and replaces memories of ours, and a store that has those."""
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    for place in (ours, theirs):
        place.mkdir()
        for text in ("never deploy on Fridays", "we use npm"):
            assert run("remember", text, "#t", "score:8", cwd=place, env=homes(tmp_path)).status == 0
    (ident, second) = ids(theirs)
    assert run("forget", ident, cwd=theirs, env=homes(tmp_path)).status == 0
    assert (
        run("remember", "we use pnpm", "#t", "score:9", "--update", second, cwd=theirs, env=homes(tmp_path)).status == 0
    )
    assert run("export", "-o", str(ours / "bundle.jsonl"), cwd=theirs, env=homes(tmp_path)).status == 0
    (ours / "notes.md").write_text("# Rules\n\nprose\n\n- use tabs #style\n")
    return ours


def homes(place: Path) -> dict[str, str]:
    return {"HOME": f"{place}-home", "XDG_STATE_HOME": f"{place}-home/state", "XDG_CONFIG_HOME": f"{place}-home/config"}


def ids(place: Path) -> list[str]:
    found = run("recall", "--json", "-n", "50", cwd=place, env=homes(place.parent)).object["memories"]
    return [one["id"] for one in sorted(found, key=lambda one: one["text"])]


def shown(place: Path) -> dict[str, str]:
    found = run("recall", "--json", "-n", "50", "--no-touch", cwd=place, env=homes(place.parent)).object["memories"]
    return {one["text"]: one["origin"] for one in found}


def at_terminal(place: Path, *arguments: str, answers: str = "", env: dict[str, str] | None = None) -> tuple[int, str]:
    whole = environment(place) | homes(place.parent) | (env or {})
    return terminal.run(list(arguments), place, answers, whole)


OURS = {"never deploy on Fridays": "own", "we use npm": "own"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("answer", "origin"), [("y\n", "own"), ("n\n", "import"), ("\n", "import")])
def test_a_person_is_asked_once(answer: str, origin: str, folder: Path) -> None:
    status, text = at_terminal(folder, "import", "notes.md", answers=answer)
    assert (status, text.count(QUESTION)) == (0, 1)
    assert shown(folder) == {**OURS, "use tabs": origin}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("more", [["--dry-run"], ["--mine"], ["--yes"], ["--json"]])
def test_who_has_answered_already_is_not_asked(more: list[str], folder: Path) -> None:
    status, text = at_terminal(folder, "import", "notes.md", *more)
    assert (status, QUESTION in text) == (0, False)
    assert shown(folder).get("use tabs") == {"--mine": "own", "--dry-run": None}.get(more[0], "import")


def test_neither_an_agent_nor_a_script_is_asked(folder: Path) -> None:
    assert QUESTION not in at_terminal(folder, "import", "notes.md", env={"CLAUDECODE": "1"})[1]
    done = run("import", "notes.md", cwd=folder, env=homes(folder.parent))
    assert QUESTION not in done.out + done.err
    assert shown(folder)["use tabs"] == "import"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", ["notes.md", "bundle.jsonl", "../theirs/.memory"])
def test_an_agent_s_session_cannot_use_mine(path: str, folder: Path) -> None:
    before = shown(folder)
    for variable in ("CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"):
        for more in ([], ["--yes"]):
            done = run("import", "--mine", *more, path, cwd=folder, env=homes(folder.parent) | {variable: "1"})
            assert done.status == 1
            assert "an agent's session cannot import with --mine" in done.err
        status, text = at_terminal(folder, "import", "--mine", path, answers="ours\n", env={variable: "1"})
        assert (status, "Type ours" in text) == (1, False)
    assert shown(folder) == before


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", ["notes.md", "bundle.jsonl", "../theirs/.memory"])
def test_a_script_confirms_with_yes(path: str, folder: Path) -> None:
    before = shown(folder)
    done = run("import", "--mine", path, cwd=folder, env=homes(folder.parent))
    assert done.status == 1
    command = f"promptx-mem import --mine --yes {path}"
    assert command in done.err
    assert shown(folder) == before
    assert run(*command.split()[1:], cwd=folder, env=homes(folder.parent)).status == 0
    assert shown(folder) == ({**OURS, "use tabs": "own"} if path == "notes.md" else {"we use pnpm": "own"})


@pytest.mark.parametrize("path", ["bundle.jsonl", "../theirs/.memory"])
def test_a_person_types_the_store_s_name_before_a_merge(path: str, folder: Path) -> None:
    for answer, more in (("\n", []), ("y\n", []), ("theirs\n", ["--yes"])):
        status, text = at_terminal(folder, "import", "--mine", *more, path, answers=answer)
        assert (status, "Type ours to go on" in text) == (1, True)
        assert shown(folder) == OURS
    status, _ = at_terminal(folder, "import", "--mine", path, answers="ours\n")
    assert (status, shown(folder)) == (0, {"we use pnpm": "own"})


@pytest.mark.parametrize("path", ["bundle.jsonl", "../theirs/.memory"])
def test_without_mine_a_store_s_events_touch_nothing(path: str, folder: Path) -> None:
    for answers in ("", "y\n"):
        status, text = at_terminal(folder, "import", path, answers=answers)
        assert (status, QUESTION in text) == (0, False)
        assert shown(folder) == {**OURS, "we use pnpm": "import"}
    (folder.parent / "new").mkdir()
    assert run("import", f"../ours/{path}", cwd=folder.parent / "new", env=homes(folder.parent)).status == 0
    assert shown(folder.parent / "new") == {"we use pnpm": "import"}


def test_for_a_file_of_an_untrusted_repository_nobody_is_asked(folder: Path) -> None:
    origin = folder.parent / "origin"
    origin.mkdir()
    git(origin, "init")
    (origin / "notes.md").write_text("- use tabs #style\n")
    (origin / "deep").mkdir()
    (origin / "deep" / "more.md").write_text("- use spaces #style\n")
    git(origin, "add", ".")
    git(origin, "commit", "-m", "x")
    clone = folder.parent / "clone"
    git(folder.parent, "clone", str(origin), str(clone))
    (clone / "mine.md").write_text("- my own #style\n")
    for path in ("notes.md", "deep", ".", "deep/../notes.md", str(clone / "notes.md")):
        assert QUESTION not in at_terminal(folder, "import", str(clone / path), answers="y\n")[1]
    assert shown(folder) == {**OURS, "use tabs": "import", "use spaces": "import", "my own": "import"}
    assert QUESTION in at_terminal(folder, "import", str(clone / "mine.md"), answers="y\n")[1]
    (folder / "link.md").symlink_to(clone / "notes.md")
    assert QUESTION not in at_terminal(folder, "import", "link.md", answers="y\n")[1]


def test_for_a_file_of_one_s_own_repository_a_person_is_asked(folder: Path) -> None:
    git(folder, "init")
    git(folder, "add", "notes.md")
    git(folder, "commit", "-m", "x")
    status, text = at_terminal(folder, "import", "notes.md", answers="y\n")
    assert (status, QUESTION in text, shown(folder)["use tabs"]) == (0, True, "own")
