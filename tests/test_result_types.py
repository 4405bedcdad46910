"""mypy finds a misspelt key wherever a result is made or read, and a result's blanks follow from its type."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

import pytest

from tests.api import Result, complete
from tests.inside import COMMANDS, failure

PACKAGE = Path(__file__).parents[1] / "promptx_mem"
READERS = sorted(f"cli/{command.file or name}.py" for name, command in COMMANDS.items())
OTHERS = (
    "mcp_server/words.py",
    "mcp_server/tools.py",
    "hooks/prompt.py",
    "core/context.py",
    "judge/prompts.py",
    "usecases/monitor.py",
)
_READ = re.compile(r"""(?:data|item|memory|record|limit|message)\[["'](\w+)["']\]""")


class Inner(TypedDict):
    """A part of a payload."""

    text: str


class Payload(TypedDict, total=False):
    """One key of every kind."""

    text: str
    flag: bool
    number: int
    share: float
    parts: list[Inner]
    counts: dict[str, int]
    inner: Inner
    maybe: Inner | None
    many: Annotated[int | None, 0]
    extra: NotRequired[int]


BLANK: dict[str, object] = {
    "text": None, "flag": False, "number": 0, "share": None, "parts": [], "counts": {}, "inner": {}, "maybe": None,
    "many": 0, "extra": 0,
}  # fmt: skip


def test_every_key_is_there_in_the_order_of_the_type() -> None:
    whole = complete(Payload, {"number": 3, "text": "x"})
    assert whole == {**BLANK, "number": 3, "text": "x"}
    assert list(whole) == list(BLANK)
    assert complete(Payload, {})["parts"] is not complete(Payload, {})["parts"]


def test_a_failure_has_the_keys_of_a_success() -> None:
    good = Result("x", Payload(number=3)).envelope(Payload)
    bad = failure("x", Payload, {"number": 3}, 2, {"code": "c", "message": "m", "hint": ""})
    assert list(good) == list(bad)
    assert (good["ok"], bad["ok"], bad["exit"], bad["number"], bad["error"]["code"]) == (True, False, 2, 3, "c")  # type: ignore[index] # it is one


@pytest.fixture(scope="module")
def misspelt(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, int], str]:
    """A copy of the package with a key misspelt in every file of READERS and OTHERS: the lines, and what mypy says."""
    pytest.importorskip("mypy", reason="needs mypy: pip install -e '.[dev]'")
    root = tmp_path_factory.mktemp("misspelt")
    shutil.copytree(PACKAGE, root / "promptx_mem", ignore=shutil.ignore_patterns("__pycache__"))
    wrong = {}
    for name in (*READERS, *OTHERS):
        path = root / "promptx_mem" / name
        text = path.read_text("utf-8")
        if match := _READ.search(text):
            path.write_text(text[: match.end(1)] + "x" + text[match.end(1) :], "utf-8")
            wrong[name] = text.count("\n", 0, match.start()) + 1
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-version=3.11", "--ignore-missing-imports"]
    done = subprocess.run(
        [*mypy, "--cache-dir", str(root / "cache"), "-p", "promptx_mem"],
        cwd=root, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    return wrong, done.stdout


@pytest.mark.thorough
def test_mypy_finds_a_misspelt_key_in_every_reader(misspelt: tuple[dict[str, int], str]) -> None:
    wrong, said = misspelt
    # mcp has nothing to say; list and show draw as recall does
    assert {*READERS, *OTHERS[:2], "hooks/prompt.py", "core/context.py"} - wrong.keys() <= {
        "cli/mcp.py",
        "cli/edit.py",
        "cli/list.py",
        "cli/show.py",
    }
    unseen = [
        name
        for name, line in wrong.items()
        if not re.search(rf"(?m)^promptx_mem/{name}:{line}: error: .*has no key", said)
    ]
    assert not unseen, f"{unseen}\n{said}"
