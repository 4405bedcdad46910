"""The recipes of CONTRIBUTING.md work: their code is added to a copy of the package and run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
_LINE = re.compile(r"<!-- line: (\S+) after `([^\n]+)` -->\n```\w+\n(.*?)```", re.DOTALL)
_BLOCK = re.compile(r"<!-- (new|method|row): (\S+) -->\n```python\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the command of the recipe."""
    root = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "promptx_mem", root / "promptx_mem", ignore=shutil.ignore_patterns("__pycache__"))
    blocks = _BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert len({path for _, path, _ in blocks}) == len(blocks) == 5
    for kind, name, code in blocks:
        path = root / name
        before = "" if kind == "new" else path.read_text("utf-8")
        assert path.exists() == (kind != "new")
        path.write_text(_added(kind, before, code), "utf-8")
    return root


def _added(kind: str, before: str, code: str) -> str:
    if kind == "new":
        return code
    if kind == "row":
        head, end, rest = before.partition("\n}\n")
        return f"{head}\n{code.rstrip()}{end}{rest}"
    place = before.index("    def show(")
    typed = before[:place] + code + "\n" + before[place:]
    return typed.replace(
        "if TYPE_CHECKING:\n", "if TYPE_CHECKING:\n    from promptx_mem.usecases.size import Size\n", 1
    )


def _run(tree: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": f"{folder}-home", "LC_ALL": "C.UTF-8", "PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, "-m", "promptx_mem", *arguments],
        cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_command_of_the_recipe_works(tree: Path, tmp_path: Path) -> None:
    stored = _run(tree, tmp_path, "remember", "the user likes tea", "#tea", "score:8")
    assert stored.returncode == 0, stored
    size = json.loads(_run(tree, tmp_path, "decay", "--dry-run", "--json").stdout)["size"]
    shown = _run(tree, tmp_path, "size")
    assert (shown.stdout, shown.stderr) == (f"./.memory takes {size} bytes\n", "")
    answer = json.loads(_run(tree, tmp_path, "size", "--json").stdout)
    assert (answer["command"], answer["store"], answer["bytes"]) == ("size", "./.memory", size)


def test_command_of_the_recipe_has_help_and_json_keys(tree: Path, tmp_path: Path) -> None:
    assert "  size      Show the size of the store.\n" in _run(tree, tmp_path, "--help").stdout
    assert "Everything counts but the archive" in _run(tree, tmp_path, "size", "--help").stdout
    failed = json.loads(_run(tree, tmp_path, "size", "--nosuch", "--json").stdout)
    assert (failed["exit"], failed["store"], failed["bytes"]) == (2, None, 0)


@pytest.fixture(scope="module")
def with_field(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the field of the recipe."""
    root = tmp_path_factory.mktemp("field")
    for folder in ("promptx_mem", "docs"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    lines = _LINE.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
    assert len({path for path, _, _ in lines}) == 6
    for name, anchor, code in lines:
        path = root / name
        text = path.read_text("utf-8")
        assert text.count(anchor + "\n") >= 1, anchor
        path.write_text(text.replace(anchor + "\n", anchor + "\n" + code, 1), "utf-8")
    return root


@pytest.mark.thorough
def test_field_of_the_recipe_is_stored_and_recalled(with_field: Path, tmp_path: Path) -> None:
    arguments = ("-t", "tea", "--place", " Hamburg ")
    stored = json.loads(
        _run(with_field, tmp_path, "remember", "likes tea", "--score", "8", *arguments, "--json").stdout
    )
    assert '"place":"Hamburg"' in (tmp_path / ".memory" / "declarative.md").read_text("utf-8")
    corrected = _run(with_field, tmp_path, "remember", "likes green tea", "--update", stored["id"], "--json")
    assert corrected.returncode == 0, corrected
    (memory,) = json.loads(_run(with_field, tmp_path, "recall", "tea", "--json").stdout)["memories"]
    assert (memory["text"], memory["place"]) == ("likes green tea", "Hamburg")
    assert list(memory).index("place") == list(memory).index("topic") + 1
    refused = _run(with_field, tmp_path, "remember", "no score", *arguments)
    assert refused.returncode == 2
    assert "--place ' Hamburg '" in refused.stderr


def test_format_of_the_recipe_is_imported(tree: Path, with_field: Path, tmp_path: Path) -> None:
    name = Path("promptx_mem", "importers", "keep.py")
    (with_field / name).write_bytes((tree / name).read_bytes())
    note = {"title": "Tea", "textContent": "green, no sugar", "labels": [{"name": "drinks"}],
            "userEditedTimestampUsec": 1736209412345678}  # fmt: skip
    (tmp_path / "note.json").write_text(json.dumps(note), "utf-8")
    taken = json.loads(_run(with_field, tmp_path, "import", "note.json", "--json").stdout)
    assert [(one["form"], one["taken"]) for one in taken["files"]] == [("google-keep", 1)]
    (memory,) = json.loads(_run(with_field, tmp_path, "recall", "--json").stdout)["memories"]
    assert (memory["text"], memory["tags"], memory["at"][:10]) == ("Tea\ngreen, no sugar", ["drinks"], "2025-01-07")
