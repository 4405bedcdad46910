"""Every command that a transcript prints is run in bash in a copy of the store at that time: none is refused.

A usage line, with `<…>` for a missing value, is not a command.
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
_MARKED_AS_YOURS, _IMPORTED = (
    "imported earlier are now marked as yours",
    re.compile(r"^(?:imported|would import) [1-9]", re.MULTILINE),
)
_FIELD = re.compile(r'"(?:command|hint|replace|mend)": ("(?:[^"\\]|\\.)*")')


def pasted(steps: list[Step]) -> list[list[str]]:
    """Return the commands to run after each step: not again after a step with a usage error, which changes nothing."""
    out: list[list[str]] = []
    run: set[str] = set()
    for step in steps:
        run = run if step.output[-1:] == ["[2]"] else set()
        out.append([command for command in dict.fromkeys(printed(step)) if command not in run])
        run.update(out[-1])
    return out


def printed(step: Step) -> list[str]:
    """Return the commands in the output of a step: at the start of a line, after an arrow or a colon, or in JSON."""
    lines = [line.removeprefix("!").strip() for line in step.output]
    fields = [json.loads(text) for line in lines if line.startswith("{") for text in _FIELD.findall(line)]
    texts = [line for line in lines if not line.startswith("{")] + [
        part for text in fields for part in text.split("\n")
    ]
    return [match[1] for text in texts if (match := _PRINTED.search(text))]


def _script(steps: list[Step], folder: Path) -> str:
    """Return a script that runs the steps, and after each its printed commands, in copies of the directory."""
    work, copy = shlex.quote(str(folder / "here")), shlex.quote(str(folder / "copy"))
    out = []
    for number, (step, commands) in enumerate(zip(steps, pasted(steps), strict=True)):
        out.append(f"{{ {step.command}\n}} >/dev/null 2>&1 </dev/null")
        out += [f"rm -rf {copy}; cp -a {work} {copy}"] if commands else []
        for place, command in enumerate(commands):
            said = folder / f"{number}.{place}"
            out.append(
                f"( {command}\n) >{said}.out 2>&1 </dev/null\necho $? >{said}.rc\n"
                f"find {work} -mindepth 1 ! -type d -delete; cp -a {copy}/. {work}/"  # the directories are kept
            )
    return "\n".join(out)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "file", [file for file in FILES if any(map(printed, transcript.parse(file.read_text("utf-8"))))]
)
def test_printed_commands_are_accepted_when_pasted(file: Path, tmp_path: Path) -> None:
    steps = transcript.parse(file.read_text("utf-8"))
    for name in ("home", "here"):
        (tmp_path / name).mkdir()
    environment = transcript.environment(tmp_path / "home")
    subprocess.run(
        ["bash", "-c", _script(steps, tmp_path)], cwd=tmp_path / "here", env=environment, check=False, timeout=300
    )
    wrong = []
    for number, commands in enumerate(pasted(steps)):
        for place, command in enumerate(commands):
            status = int((tmp_path / f"{number}.{place}.rc").read_text())
            output = (tmp_path / f"{number}.{place}.out").read_text()
            # An import exits with 1 if some items are refused, and imports the others.
            refused = status in REFUSED and not (_MARKED_AS_YOURS in output or _IMPORTED.search(output))
            if _FOR_A_PERSON in output and command.partition(" --memory-dir ")[0] in output:
                continue  # tests/test_needs_person.py runs these in a terminal
            if refused or status > 5:
                wrong.append(f"{command}\n  {status}: {output}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("shell", [shells.param(name) for name in shells.SHELLS if name != "bash"])
def test_other_shells_parse_printed_commands_as_bash_does(shell: str, tmp_path: Path) -> None:
    steps = (step for file in FILES for step in transcript.parse(file.read_text("utf-8")))
    commands = [*dict.fromkeys(command for step in steps for command in printed(step))]
    assert len(commands) > 50
    (tmp_path / "FILE").write_text("what is piped in")
    in_bash, in_shell = (shells.calls(name, commands, tmp_path) for name in ("bash", shell))
    assert [
        pair for pair in zip(commands, in_bash, in_shell, strict=True) if pair[1] != pair[2] or pair[1] is None
    ] == []
