"""Compare the program of this checkout with that of a commit: the same calls must have the same answers.

    python -m benchmarks.frozen main~1

For a change that moves code without a change of behaviour. It compares the output of all transcripts, the guard's answer
to every call of its tables, the results of recall for our small set of questions, the bundle of that store, and the
modules that frequent commands load: the number of ours, and the names of others. The cases are those of this checkout.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.recall.data import small
from tests.cli import transcript
from tests.hooks.guard_calls import CALLS

ROOT = Path(__file__).parents[1]
HOT = (
    ("recall", "tea"), ("remember", "we deploy on Fridays", "#t", "score:8"), ("hook", "prompt", "claude"), ("hook", "guard"),
)  # fmt: skip


_VARYING = re.compile(r'\\?"(?:k|host|sha256)\\?":\\?"?\w+')
"""Values of a bundle that depend on the time and the machine, and its checksum."""


class Program:
    """The program of one checkout, with its own folders."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.tree, self.folder, self.project = tree, folder, folder / "project"
        self.project.mkdir(parents=True)

    def environment(self, home: Path) -> dict[str, str]:
        home.mkdir(exist_ok=True)
        return _environment(home) | {"PYTHONPATH": str(self.tree)}

    def run(self, *words: str, given: str = "", options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *options, "-m", "promptx_mem", *words],
            cwd=self.project, env=self.environment(self.folder / "home"), input=given, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def output(self, *words: str, given: str = "") -> str:
        done = self.run(*words, given=given)
        return "\n".join([f"[{done.returncode}]", *transcript.masked(done.stdout + done.stderr, self.folder)])

    def answers(self) -> dict[str, str]:
        """Return the compared outputs by call."""
        lines = [
            f"- {str(one.day).replace('-', '/')} 12:00 {one.text} ##其他 #评分:8 #有效期:永久\n"
            for one in small().stores[""]
        ]
        self.run("remember", "we drink tea at four", "#tea", "score:9")
        with (self.project / ".memory/declarative.md").open("a", encoding="utf-8") as file:
            file.writelines(lines)
        out = {one.text: self.output("recall", one.text, "--json", "--no-touch") for one in small().questions}
        out["bundle"] = _VARYING.sub("", self.output("export", "--format", "bundle"))
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            events = [self.event(tool, given) for _, tool, given in CALLS]
            out |= zip(events, pool.map(lambda event: self.output("hook", "guard", given=event), events), strict=True)
        with mock.patch.object(transcript, "environment", self.environment):
            out |= {file.stem: self.transcript(file) for file in sorted((ROOT / "tests/cli").glob("*.console"))}
        return out | {" ".join(words): self.loaded(*words) for words in HOT}

    def event(self, tool: str, given: dict[str, Any]) -> str:
        event = {
            "session_id": "s",
            "cwd": "{root}",
            "hook_event_name": "PreToolUse",
            "tool_name": tool,
            "tool_input": given,
        }
        return json.dumps(event).replace("{root}", str(self.project))

    def transcript(self, file: Path) -> str:
        place = self.folder / file.stem
        place.mkdir()
        return transcript.unparse(transcript.run(transcript.parse(file.read_text("utf-8")), place))

    def loaded(self, *words: str) -> str:
        """Return the number of our modules that a command loads, and the names of all others."""
        told = self.run(*words, given="{}", options=("-X", "importtime")).stderr.splitlines()
        names = {line.rpartition("|")[2].strip() for line in told if line.startswith("import time:")}
        others = sorted(name for name in names if not name.startswith("promptx_mem"))
        return "\n".join([f"{len(names) - len(others)} of ours", *others])


_environment = transcript.environment


def main(commit: str) -> int:
    """Print the differences. Return 1 if there are any."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        archive = subprocess.run(["git", "archive", commit, "promptx_mem"], cwd=ROOT, check=True, capture_output=True)
        (place / "tree").mkdir()
        subprocess.run(["tar", "-x", "-C", str(place / "tree")], input=archive.stdout, check=True)
        then, now = (Program(tree, place / name) for tree, name in ((place / "tree", "then"), (ROOT, "here")))
        before = {call.replace(str(then.project), ""): output for call, output in then.answers().items()}
        after = {call.replace(str(now.project), ""): output for call, output in now.answers().items()}
    changed = [call for call, output in after.items() if before[call] != output]
    for call in changed:
        old, new = before[call].splitlines(), after[call].splitlines()
        print(
            f"\n{call}",
            *(f"- {line}" for line in old if line not in new),
            *(f"+ {line}" for line in new if line not in old),
            sep="\n",
        )
    print(f"{len(after)} answers, {len(changed)} differ")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
