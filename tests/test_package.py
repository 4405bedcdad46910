"""Published files: a source archive with all that its tests need, a wheel, and the entry of the MCP registry."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import promptx_mem
from promptx_mem.places import OFF
from promptx_mem.store.layout import ENVIRONMENT

ROOT = Path(__file__).parents[1]
LIST = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
LARGEST_WHEEL = 965_600
"""Bytes; nearly all of it is Python code. Lower it when the package gets smaller."""
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_source_archive_includes_every_tracked_folder() -> None:
    included = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert included == sorted(included)
    assert not [name for name in included if not (ROOT / name).exists()]
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    top = {name.partition("/")[0] for name in tracked.split("\n") if name}
    assert top <= {*included, "pyproject.toml"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both archives, the wheel from the unpacked source archive as an installer does."""
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run([*build, "-t", "sdist"], cwd=ROOT, check=True, capture_output=True)
    [archive] = folder.glob("*.tar.gz")
    with tarfile.open(archive) as there:
        there.extractall(folder, filter="data")
    [unpacked] = (one for one in folder.iterdir() if one.is_dir())
    subprocess.run([*build, "-t", "wheel"], cwd=unpacked, check=True, capture_output=True)
    return folder


def _repository() -> set[str]:
    """Return the tracked files, and the new ones that are not ignored."""
    listed = subprocess.run([*LIST, "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("a source archive has no git history to compare with")
    return {name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.mark.thorough
def test_source_archive_has_the_files_of_the_repository(built: Path) -> None:
    [archive] = built.glob("*.tar.gz")
    with tarfile.open(archive) as there:
        names = {one.name.partition("/")[2] for one in there if one.isfile()}
    assert names == {*_repository(), "PKG-INFO"}


@pytest.mark.thorough
def test_wheel_has_only_the_package(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as there:
        names = {name for name in there.namelist() if ".dist-info/" not in name}
    assert names == {name for name in _repository() if name.startswith("promptx_mem/")}
    assert wheel.stat().st_size <= LARGEST_WHEEL


@pytest.mark.thorough
@pytest.mark.parametrize("compiled", [True, False])
def test_wheel_runs_without_the_repository(built: Path, compiled: bool, tmp_path: Path) -> None:
    """In a new environment with the dependencies of this one, with and without bytecode."""
    [wheel] = built.glob("*.whl")
    venv.create(tmp_path / "own", with_pip=False)
    python = tmp_path / "own" / "bin" / "python"
    installed = tmp_path / "installed"
    compile_option = "--compile" if compiled else "--no-compile"
    install = ["install", "-q", "--no-deps", "--no-index", "--target", str(installed), compile_option, str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *install], check=True, capture_output=True)
    assert bool(list(installed.rglob("*.pyc"))) == compiled
    own = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    path = f"{installed}:{Path(pytest.__file__).parents[1]}"
    run = subprocess.run(
        [python, "-m", "promptx_mem", "--version"],
        cwd=tmp_path, env={**own, "PYTHONPATH": path}, capture_output=True, text=True, check=True, timeout=20,
    )  # fmt: skip
    assert run.stdout == f"promptx-mem {promptx_mem.__version__}\n"


def test_registry_name_and_version_match_the_readme_and_package() -> None:
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    assert server["version"] == promptx_mem.__version__ == server["packages"][0]["version"]
    for page in ("README.md", "README.zh-CN.md"):
        assert re.findall(r"<!-- mcp-name: (\S+) -->", (ROOT / page).read_text("utf-8")) == [server["name"]]


def test_metadata_is_complete_for_a_package_registry() -> None:
    project = SETTINGS["project"]
    assert all((ROOT / name).is_file() for name in [project["readme"], *project["license-files"]])
    least = project["requires-python"].removeprefix(">=")
    assert f"Programming Language :: Python :: {least}" in project["classifiers"]
    assert project["classifiers"] == sorted(project["classifiers"])
    owner = json.loads((ROOT / "server.json").read_text("utf-8"))["name"].removeprefix("io.github.").split("/")[0]
    assert all(url.startswith(f"https://github.com/{owner}/") for url in project["urls"].values())
    assert {"Source", "Changelog", "Documentation"} <= {*project["urls"]}


def test_changelog_has_every_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = {folder.name for folder in (ROOT / "tests" / "released").iterdir() if folder.name[0].isdecimal()}
    assert released
    assert {promptx_mem.__version__, *released} <= set(re.findall(r"(?m)^## \[?([0-9.]+)\]?", changelog))


def test_no_page_installs_from_a_registry_before_publication() -> None:
    """The install commands of messages and pages must work from a clone."""
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "promptx_mem").rglob("*.py")]
    at_a_registry = re.compile(r"(?:pip|pipx|uv tool|uv pip) install (?:-\S+ )*['\"]?promptx-mem|uvx ['\"]?promptx-mem")
    named = [page.name for page in pages if at_a_registry.search(page.read_text("utf-8"))]
    assert set(named) <= {"CONTRIBUTING.md"}  # it lists the changes of a release


def test_registry_entry_runs_the_server_with_its_extra() -> None:
    server = json.loads((ROOT / "server.json").read_text("utf-8"))
    [package] = server["packages"]
    assert package["transport"] == {"type": "stdio"}
    runtime = [part for one in package["runtimeArguments"] for part in (one["name"], one["value"])]
    words = [
        package["runtimeHint"],
        *runtime,
        package["identifier"],
        *(one["value"] for one in package["packageArguments"]),
    ]
    assert words == ["uvx", "--with", "promptx-mem[mcp]", "promptx-mem", "mcp"]
    assert re.fullmatch(r"io\.github\.[\w-]+/promptx-mem", server["name"])
    assert package["registryType"] == "pypi"
    assert {one["name"] for one in package["environmentVariables"]} == {ENVIRONMENT, OFF}
    assert len(server["description"]) <= 100  # the limit of the registry
