"""Every command that a transcript prints is found, and run in bash in a store as it was then: none of them is refused.

A usage line, with `<…>` for a value that is missing, is no command.
"""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli import shells, transcript
from tests.cli.transcript import Step

FILES = sorted(Path(__file__).parent.glob("*.console"))
REFUSED = (1, 2)
_FOR_A_PERSON = "the user must run this in a terminal: "

_PRINTED = re.compile(r"(?:^|(?<!usage): |→ )\s*(promptx-mem .+)$")
_LIFTED, _TAKEN = "imported earlier are now marked as yours", re.compile(r"^imported [1-9]", re.MULTILINE)
_FIELD = re.compile(r'"(?:command|hint|replace|mend)": ("(?:[^"\\]|\\.)*")')


def printed(step: Step) -> list[str]:
    """The commands in what one step says: at the beginning of a line, behind an arrow or a colon, or in JSON."""
    lines = [line.removeprefix("!").strip() for line in step.output]
    fields = [json.loads(text) for line in lines if line.startswith("{") for text in _FIELD.findall(line)]
    texts = [line for line in lines if not line.startswith("{")] + [
        part for text in fields for part in text.split("\n")
    ]
    return [match[1] for text in texts if (match := _PRINTED.search(text))]


def _script(steps: list[Step], folder: Path) -> str:
    """Run the steps; after each, its printed commands, each in the directory as it was after the step."""
    work, copy = shlex.quote(str(folder / "here")), shlex.quote(str(folder / "copy"))
    out = []
    for number, step in enumerate(steps):
        out.append(f"{{ {step.command}\n}} >/dev/null 2>&1 </dev/null")
        for place, command in enumerate(printed(step)):
            said = folder / f"{number}.{place}"
            out.append(
                f"rm -rf {copy}; cp -a {work} {copy}\n"
                f"( {command}\n) >{said}.out 2>&1 </dev/null\necho $? >{said}.rc\n"
                f"find {work} -mindepth 1 ! -type d -delete; cp -a {copy}/. {work}/"  # the directories stay the same
            )
    return "\n".join(out)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "file", [file for file in FILES if any(map(printed, transcript.parse(file.read_text("utf-8"))))]
)
def test_what_is_printed_can_be_pasted(file: Path, tmp_path: Path) -> None:
    steps = transcript.parse(file.read_text("utf-8"))
    for name in ("home", "here"):
        (tmp_path / name).mkdir()
    environment = transcript.environment(tmp_path / "home")
    subprocess.run(
        ["bash", "-c", _script(steps, tmp_path)], cwd=tmp_path / "here", env=environment, check=False, timeout=300
    )
    wrong = []
    for number, step in enumerate(steps):
        for place, command in enumerate(printed(step)):
            status = int((tmp_path / f"{number}.{place}.rc").read_text())
            output = (tmp_path / f"{number}.{place}.out").read_text()
            # A file holds what is refused again and again: an import of it ends with 1, and has done what was promised.
            refused = status in REFUSED and not (_LIFTED in output or _TAKEN.search(output))
            if _FOR_A_PERSON in output and command.partition(" --memory-dir ")[0] in output:
                continue  # tests/test_needs_person.py runs these in a terminal
            if refused or status > 5:
                wrong.append(f"{command}\n  {status}: {output}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("shell", [shells.param(name) for name in shells.SHELLS if name != "bash"])
def test_other_shells_read_it_as_bash_does(shell: str, tmp_path: Path) -> None:
    steps = (step for file in FILES for step in transcript.parse(file.read_text("utf-8")))
    commands = [*dict.fromkeys(command for step in steps for command in printed(step))]
    assert len(commands) > 50
    (tmp_path / "FILE").write_text("what is piped in")
    in_bash, in_shell = (shells.calls(name, commands, tmp_path) for name in ("bash", shell))
    assert [
        pair for pair in zip(commands, in_bash, in_shell, strict=True) if pair[1] != pair[2] or pair[1] is None
    ] == []
