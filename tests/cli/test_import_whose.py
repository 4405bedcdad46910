"""import asks a person once whose notes they are, and never an agent or a script. Without an answer they are not own."""

from pathlib import Path

import pytest

from tests import terminal
from tests.cli.program import environment, run
from tests.git import git

QUESTION = "Are these your own notes? [y/N]"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with notes, a bundle that ends and replaces our memories, and the store it is from."""
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


def origins(place: Path) -> dict[str, str]:
    found = run("recall", "--json", "-n", "50", "--no-touch", cwd=place, env=homes(place.parent)).object["memories"]
    return {one["text"]: one["origin"] for one in found}


def at_terminal(place: Path, *arguments: str, answers: str = "", env: dict[str, str] | None = None) -> tuple[int, str]:
    whole = environment(place) | homes(place.parent) | (env or {})
    return terminal.run(list(arguments), place, answers, whole)


OURS = {"never deploy on Fridays": "own", "we use npm": "own"}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("answer", "origin"), [("y\n", "own"), ("n\n", "import"), ("\n", "import"), ("\4", None)])
def test_person_is_asked_once_whose_notes_they_are(answer: str, origin: str | None, folder: Path) -> None:
    status, text = at_terminal(folder, "import", "notes.md", answers=answer)
    assert (status, text.count(QUESTION), "accepted" in text) == (0 if origin else 130, 1, False)
    assert origins(folder) == OURS | ({"use tabs": origin} if origin else {})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("more", [["--dry-run"], ["--mine"], ["--yes"], ["--json"]])
def test_person_is_not_asked_if_an_option_answers(more: list[str], folder: Path) -> None:
    status, text = at_terminal(folder, "import", "notes.md", *more)
    assert (status, QUESTION in text) == (0, False)
    assert origins(folder).get("use tabs") == {"--mine": "own", "--dry-run": None}.get(more[0], "import")


def test_agents_and_scripts_are_not_asked(folder: Path) -> None:
    assert QUESTION not in at_terminal(folder, "import", "notes.md", env={"CLAUDECODE": "1"})[1]
    done = run("import", "notes.md", cwd=folder, env=homes(folder.parent))
    assert QUESTION not in done.out + done.err
    assert origins(folder)["use tabs"] == "import"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", ["notes.md", "bundle.jsonl", "../theirs/.memory"])
def test_agent_session_cannot_use_mine(path: str, folder: Path) -> None:
    before = origins(folder)
    for variable in ("CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"):
        for more in ([], ["--yes"]):
            done = run("import", "--mine", *more, path, cwd=folder, env=homes(folder.parent) | {variable: "1"})
            assert done.status == 1
            assert "an agent's session cannot import with --mine" in done.err
        status, text = at_terminal(folder, "import", "--mine", path, answers="ours\n", env={variable: "1"})
        assert (status, "Type ours" in text) == (1, False)
    assert origins(folder) == before


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", ["notes.md", "bundle.jsonl", "../theirs/.memory"])
def test_script_must_confirm_mine_with_yes(path: str, folder: Path) -> None:
    before = origins(folder)
    done = run("import", "--mine", path, cwd=folder, env=homes(folder.parent))
    assert done.status == 1
    command = f"promptx-mem import --mine --yes {path}"
    assert command in done.err
    assert origins(folder) == before
    assert run(*command.split()[1:], cwd=folder, env=homes(folder.parent)).status == 0
    assert origins(folder) == ({**OURS, "use tabs": "own"} if path == "notes.md" else {"we use pnpm": "own"})


@pytest.mark.parametrize("path", ["bundle.jsonl", "../theirs/.memory"])
def test_person_types_the_stores_name_before_a_merge(path: str, folder: Path) -> None:
    for answer, more in (("\n", []), ("y\n", []), ("theirs\n", ["--yes"])):
        status, text = at_terminal(folder, "import", "--mine", *more, path, answers=answer)
        assert (status, "To confirm, type ours:" in text) == (1, True)
        assert "This merge ends 2 and purges 0 of your memories" in text
        assert origins(folder) == OURS
    status, _ = at_terminal(folder, "import", "--mine", path, answers="ours\n")
    assert (status, origins(folder)) == (0, {"we use pnpm": "own"})


@pytest.mark.parametrize("path", ["bundle.jsonl", "../theirs/.memory"])
def test_events_of_a_store_imported_without_mine_change_no_memory(path: str, folder: Path) -> None:
    for answers in ("", "y\n"):
        status, text = at_terminal(folder, "import", path, answers=answers)
        assert (status, QUESTION in text) == (0, False)
        assert origins(folder) == {**OURS, "we use pnpm": "import"}
    (folder.parent / "new").mkdir()
    assert run("import", f"../ours/{path}", cwd=folder.parent / "new", env=homes(folder.parent)).status == 0
    assert origins(folder.parent / "new") == {"we use pnpm": "import"}


def test_person_is_not_asked_about_files_of_an_untrusted_repository(folder: Path) -> None:
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
    assert origins(folder) == {**OURS, "use tabs": "import", "use spaces": "import", "my own": "import"}
    assert QUESTION in at_terminal(folder, "import", str(clone / "mine.md"), answers="y\n")[1]
    (folder / "link.md").symlink_to(clone / "notes.md")
    assert QUESTION not in at_terminal(folder, "import", "link.md", answers="y\n")[1]


def test_person_is_asked_about_files_of_the_users_repository(folder: Path) -> None:
    git(folder, "init")
    git(folder, "add", "notes.md")
    git(folder, "commit", "-m", "x")
    status, text = at_terminal(folder, "import", "notes.md", answers="y\n")
    assert (status, QUESTION in text, origins(folder)["use tabs"]) == (0, True, "own")
