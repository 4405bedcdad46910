"""What is published: a source archive that holds all that its tests need, and a name that the MCP registry finds."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import promptx_mem

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_the_source_archive_holds_everything() -> None:
    included = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert included == sorted(included)
    assert not [name for name in included if not (ROOT / name).exists()]
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    top = {name.partition("/")[0] for name in tracked.split("\n") if name}
    assert top <= {*included, "pyproject.toml"}


def test_the_registry_finds_the_server() -> None:
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert server["version"] == promptx_mem.__version__ == server["packages"][0]["version"]
    for page in ("README.md", "README.zh-CN.md"):
        assert re.findall(r"<!-- mcp-name: (\S+) -->", (ROOT / page).read_text("utf-8")) == [server["name"]]


def test_the_metadata_says_what_a_registry_shows() -> None:
    project = SETTINGS["project"]
    assert all((ROOT / name).is_file() for name in [project["readme"], *project["license-files"]])
    least = project["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {least}" in project["classifiers"]
    assert project["classifiers"] == sorted(project["classifiers"])
    owner = json.loads((ROOT / "server.json").read_text("utf-8"))["name"].removeprefix("io.github.").split("/")[0]
    assert all(url.startswith(f"https://github.com/{owner}/") for url in project["urls"].values())
    assert {"Source", "Changelog", "Documentation"} <= {*project["urls"]}


def test_the_changelog_has_every_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = {folder.name for folder in (ROOT / "tests" / "released").iterdir() if folder.name[0].isdecimal()}
    assert released
    assert {promptx_mem.__version__, *released} <= set(re.findall(r"(?m)^## \[?([0-9.]+)\]?", changelog))


def test_until_it_is_published_nobody_is_sent_to_a_registry() -> None:
    """What a message or a page tells to install must work from a clone."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "promptx_mem").rglob("*.py")]
    at_a_registry = re.compile(r"(?:pip|pipx|uv tool|uv pip) install (?:-\S+ )*['\"]?promptx-mem|uvx ['\"]?promptx-mem")
    named = [page.name for page in pages if at_a_registry.search(page.read_text("utf-8"))]
    assert set(named) <= {"CONTRIBUTING.md"}  # what a release changes
