"""Workflows, issue forms and release notes match the repository."""

import runpy
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
NOTES = runpy.run_path(str(ROOT / ".ci" / "release_notes.py"))


def _load(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def test_matrix_has_every_declared_python() -> None:
    matrix = _load(GITHUB / "workflows" / "tests.yml")["jobs"]["default"]["strategy"]["matrix"]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert all(f'"Programming Language :: Python :: {version}"' in project for version in matrix["python"])
    assert project.count('"Programming Language :: Python :: 3.') == len(matrix["python"])
    assert {one.partition("-")[0] for one in matrix["os"]} == {"ubuntu", "macos"}


def test_default_and_release_jobs_run_the_command_of_the_readme() -> None:
    steps = _load(GITHUB / "workflows" / "tests.yml")["jobs"]["default"]["steps"]
    command = (ROOT / "README.md").read_text("utf-8").partition("<!-- test-command -->")[2].split("```")[1]
    assert (command := command.removeprefix("bash\n").strip()) in [step.get("run") for step in steps]
    released = _load(GITHUB / "workflows" / "release.yml")["jobs"]["build"]["steps"]
    of_the_archive = next(step["run"] for step in released if step.get("name") == "Run the tests of the source archive")
    assert command in of_the_archive.splitlines()


def test_workflows_and_issue_forms_match_their_schemas() -> None:
    check = pytest.importorskip("check_jsonschema", reason="needs check-jsonschema: pip install -e '.[dev]'")
    kinds = {"workflows/*.yml": "workflows", "ISSUE_TEMPLATE/[!c]*.yml": "issue-forms"}
    kinds |= {"ISSUE_TEMPLATE/config.yml": "issue-config"}
    for pattern, kind in kinds.items():
        files = [str(file) for file in sorted(GITHUB.glob(pattern))]
        assert files
        with pytest.raises(SystemExit) as ended:
            check.main(["-qq", "--builtin-schema", f"vendor.github-{kind}", *files])
        assert ended.value.code == 0, files


def test_only_the_publish_job_has_write_permissions() -> None:
    for file in (GITHUB / "workflows").glob("*.yml"):
        workflow = _load(file)
        assert workflow["permissions"] == {"contents": "read"}
        granted = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
        assert granted in ({}, {"publish": {"contents": "write", "id-token": "write"}})


def test_release_notes_are_the_section_of_the_version() -> None:
    changelog = "# Changelog\n\n## [Unreleased]\n\n- c\n\n## [1.2.0] - 2026-01-02\n\n- b\n\n## 1.2\n\n- a\n"
    assert NOTES["excerpt"](changelog, "1.2.0") == "- b\n"
    assert NOTES["excerpt"](changelog, "1.2") == "- a\n"
    for missing in ("1", "1.2.0.1", "2.0"):
        with pytest.raises(ValueError, match="no entries"):
            NOTES["excerpt"](changelog, missing)
