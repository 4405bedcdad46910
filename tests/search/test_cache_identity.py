"""A cache in the user's folder is used only for the store that it was built for."""

import shutil
from pathlib import Path

import pytest

from tests.cli import program

SECRET = "the codename of the project is heron"
OTHER = "the other project uses sqlite"


@pytest.fixture
def caches(tmp_path: Path) -> Path:
    return tmp_path / "caches"


def run(folder: Path, caches: Path, *words: str) -> program.Ran:
    return program.run(*words, cwd=folder, env={"XDG_CACHE_HOME": str(caches)})


def fill(folder: Path, caches: Path, text: str) -> Path:
    """Make a store with one memory in a folder and return the store."""
    folder.mkdir()
    assert run(folder, caches, "remember", text, "#t", "score:9").status == 0
    return folder / ".memory"


def replace(store: Path, by: Path) -> None:
    """Replace the files of a store by another store's tracked files; the directory keeps its inode."""
    inode = store.stat().st_ino
    for entry in store.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    for name in ("declarative.md", "journal.jsonl", ".gitignore", ".gitattributes"):
        if (by / name).exists():
            shutil.copy(by / name, store / name)
    assert store.stat().st_ino == inode


@pytest.mark.parametrize(("opened", "later"), [(0o770, 0o770), (0o2775, 0o2775), (0o770, 0o700)])
def test_one_projects_memories_never_appear_in_another(opened: int, later: int, tmp_path: Path, caches: Path) -> None:
    store = fill(tmp_path / "w", caches, SECRET)
    store.chmod(opened)
    assert SECRET in run(tmp_path / "w", caches, "recall", "codename").out
    assert list((caches / "promptx-mem").glob("*.db")), "the cache is in the user's folder"
    replace(store, fill(tmp_path / "b", caches, OTHER))
    store.chmod(later)
    for words in (
        ("recall", "codename"),
        ("recall",),
        ("recall", "--archived", "codename"),
        ("remember", "x y", "#t", "score:8"),
    ):
        done = run(tmp_path / "w", caches, *words)
        assert SECRET not in done.out + done.err
    verified = run(tmp_path / "w", caches, "audit", "--verify")
    assert "restore" not in verified.out
    assert not list(store.glob("archive/lost-*"))
    assert OTHER in run(tmp_path / "w", caches, "recall", "sqlite").out


def test_restored_backup_shows_only_its_own_memories(tmp_path: Path, caches: Path) -> None:
    store = fill(tmp_path / "w", caches, SECRET)
    store.chmod(0o770)
    backup = tmp_path / "backup"
    shutil.copytree(store, backup)
    assert run(tmp_path / "w", caches, "remember", OTHER, "#t", "score:9").status == 0
    for entry in store.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(backup, store, dirs_exist_ok=True)  # with its mark
    (store / ".recent").unlink()
    assert OTHER not in run(tmp_path / "w", caches, "recall").out
    assert not list(store.glob("archive/lost-*"))
    assert SECRET in run(tmp_path / "w", caches, "recall", "codename").out


@pytest.mark.parametrize("way", ["another rebuild", "decay"])
def test_cache_of_a_deleted_store_is_removed(way: str, tmp_path: Path, caches: Path) -> None:
    stores = [fill(tmp_path / name, caches, f"a memory of {name}") for name in ("first", "second", "third")]
    for store in stores:
        store.chmod(0o770)
        run(store.parent, caches, "recall")
    folder = caches / "promptx-mem"
    assert len(list(folder.glob("*.path"))) == 3
    shutil.rmtree(stores[0].parent)
    if way == "another rebuild":
        (stores[1] / "declarative.md").write_text("- a line by hand\n", "utf-8")
        run(stores[1].parent, caches, "recall")
    else:
        run(stores[1].parent, caches, "decay")
    assert len(list(folder.glob("*.path"))) == 2
    assert len(list(folder.glob("*.db"))) == 2


def test_read_only_store_can_be_recalled_twice(tmp_path: Path, caches: Path) -> None:
    store = fill(tmp_path / "w", caches, SECRET)
    shutil.rmtree(store / ".cache", ignore_errors=True)
    (store / ".own").unlink()
    store.chmod(0o570)
    try:
        for _ in range(2):
            assert SECRET in run(tmp_path / "w", caches, "recall", "codename").out
    finally:
        store.chmod(0o770)
