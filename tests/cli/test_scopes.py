"""The store that each command reads and changes: in a project and outside, with both stores, one or none."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli import program
from tests.tables import rows

HERE, MINE = "the project deploys from main", "the user likes green tea"


class Row(NamedTuple):
    """A command with both stores: the texts in its output, and the store that it changes, if any."""

    words: tuple[str, ...]
    says: tuple[str, ...]
    changes: str


ROWS = [Row(tuple(words), tuple(texts), store) for words, texts, store in rows(__file__, "scopes.jsonl")]


class Home:
    def __init__(self, root: Path) -> None:
        self.root, self.project = root, root / "work"
        self.env = {"HOME": str(root / "home")}
        self.user = root / "home/.memory"

    def run(self, *words: str, cwd: Path | None = None) -> program.Ran:
        """Run a command as a person, who types the name of the user store if asked."""
        return program.run(*words, cwd=cwd or self.project, env=self.env, stdin="user\n", person=True)

    def stores(self) -> dict[str, bytes]:
        """Return the bytes of the memories and events of each store."""
        places = {"project": self.project / ".memory", "user": self.user}
        return {
            name: b"".join(
                path.read_bytes() for path in map(place.joinpath, ("declarative.md", "journal.jsonl")) if path.exists()
            )
            for name, place in places.items()
        }


@pytest.fixture
def home(quick: Path) -> Home:
    for folder in ("work/.git", "home"):
        (quick / folder).mkdir(parents=True)
    return Home(quick)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Both stores, for copies; not in a repository, where a copy would not be trusted."""
    home = Home(tmp_path_factory.mktemp("made"))
    for folder in (home.project, home.user):
        folder.mkdir(parents=True)
    (home.project / "old.md").write_text("- an old fact #old #评分:9 #有效期:长期\n", encoding="utf-8")
    (home.user / "declarative.md").write_text(f"- {MINE} #t score:8\n", encoding="utf-8")
    here = home.run("remember", HERE, "-t", "t", "--score", "8", "--memory-dir", ".memory", "--json").object["id"]
    mine = home.run("recall", "green", "--scope", "user", "--json").object["memories"][0]["id"]
    home.run("boost", mine)  # the first command that writes adopts hand-written lines
    home.run("index", "--scope", "user")
    return home.root, {"here": here, "mine": mine}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: " ".join(row.words))
def test_command_uses_the_expected_stores(row: Row, stores: tuple[Path, dict[str, str]], quick: Path) -> None:
    home = Home(program.own_copy(stores[0], quick / "copy"))
    before = home.stores()
    ran = home.run(*(word.format(**stores[1]) for word in row.words))
    assert ran.status == 0, ran
    if row.says:
        assert [text in ran.out for text in (HERE, MINE)] == [text in row.says for text in (HERE, MINE)], ran.out
    changed = {name for name, data in home.stores().items() if data != before[name]}
    assert changed == {row.changes} - {""}


def test_commands_work_with_one_store_or_none(home: Home) -> None:
    outside = home.root / "outside"
    outside.mkdir()
    assert home.run("recall").err.startswith("the memory is empty")
    home.run("remember", MINE, "-t", "t", "--score", "8", "--user", cwd=outside)
    assert not (home.project / ".memory").exists()
    assert MINE in home.run("recall", cwd=outside).out
    assert MINE in home.run("recall").out
    assert home.run("remember", HERE, "-t", "t", "--score", "8").status == 0
    assert home.run("remember", "outside fact", "-t", "t", "--score", "8", cwd=outside).status == 0
    assert "outside fact" not in (home.user / "declarative.md").read_text("utf-8")
    assert "outside fact" in (outside / ".memory" / "declarative.md").read_text("utf-8")
    assert HERE not in home.run("recall", cwd=outside).out


def test_user_store_works_in_the_home_directory_and_through_a_link(home: Home) -> None:
    """The user store is not a project store: writing to it needs `--user`. A link of the user is followed."""
    place = home.root / "elsewhere"
    place.mkdir()
    home.user.parent.mkdir(exist_ok=True)
    home.user.symlink_to(place)
    refused = home.run("remember", HERE, "-t", "t", "--score", "8", cwd=home.user.parent)
    assert (refused.status, "--user" in refused.err) == (2, True)
    assert home.run("remember", MINE, "-t", "t", "--score", "8", "--user", cwd=home.user.parent).status == 0
    assert MINE in (place / "declarative.md").read_text("utf-8")
    for words in (("recall", "--no-touch"), ("export", "--format", "markdown"), ("audit",), ("index", "--check")):
        assert home.run(*words, cwd=home.user.parent).status == 0, words
    assert home.user.is_symlink()


def test_stores_of_another_user_are_read_only_by_memory_dir(home: Home) -> None:
    """Without --memory-dir they are refused."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to be another user")
    assert home.run("remember", HERE, "-t", "t", "--score", "8").status == 0
    assert home.run("remember", MINE, "-t", "t", "--score", "8", "--user", cwd=home.project).status == 0
    for store in (home.project / ".memory", home.user):
        for path in (store, *store.rglob("*")):
            os.chown(path, 65534, 65534)
    ran = home.run("recall", "--no-touch")
    assert (ran.status, "another user" in ran.err) == (3, True)
    ran = home.run("recall", "--no-touch", "--scope", "user")
    assert (ran.status, "another user" in ran.err) == (3, True)
    assert HERE in home.run("recall", "--no-touch", "--memory-dir", str(home.project / ".memory")).out
