"""Memories at tool calls in real hosts: those that reach the model, counted in the requests to a scripted model.

Needs the hosts' programs (README.md), no network and no login. Every run has a scratch home, project and store.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.hosts.model import Json, Model

CASES = [json.loads(line) for line in (Path(__file__).parent / "cases.jsonl").read_text("utf-8").splitlines()]
MINE = Path(sys.executable).parent
USUAL = frozenset({
    "awk", "base64", "basename", "bash", "cat", "cd", "chmod", "cp", "cut", "date", "df", "diff", "dirname", "do",
    "done", "du", "echo", "env", "file", "find", "for", "free", "git", "grep", "groups", "head", "hostname", "id",
    "ls", "md5sum", "mkdir", "node", "mv", "nice", "nl", "printf", "ps", "pwd", "rm", "sed", "seq", "sh", "sleep",
    "sort", "stat", "strings", "tail", "tar", "tee", "test", "time", "timeout", "touch", "tr", "true", "uname",
    "uniq", "uptime", "wc", "which", "whoami", "xargs",
})  # fmt: skip
"""Programs that really run. All others print the output of a case, or `ok`."""

SCORES = {"lesson": "7", "warning": "8", "remedy": "7", "fact": "6"}
PER_SESSION, LONG, SHORT = 2, 40, 30
"""Number of lessons, warnings and remedies per session, and calls of the first five sessions and of the others.

More memories would exceed the 600 tokens that the calls of a session may add.
"""

STEP = tuple[Json, str, str]
"""A step of the model, the kind of the call, and the memory that must come with its result."""


def of_kind(kind: str) -> list[Json]:
    return [case for case in CASES if case["kind"] == kind]


class Host:
    """A host's program, the tools that it offers, and how it is started."""

    port = 1
    tasks_at_once = 0

    def __init__(self, folder: Path, programs: Path) -> None:
        self.home, self.top, self.stubs = folder / "home", folder / "shop", folder / "bin"
        path = os.pathsep.join(map(str, (self.stubs, MINE, programs, "/usr/local/bin", "/usr/bin", "/bin")))
        self.variables = {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}

    def shell(self, command: str) -> Json:
        raise NotImplementedError

    def read(self, path: str, number: int) -> Json:
        """Return a call that reads a file, by the shell in a third of the cases."""
        name, folder = os.path.basename(path), os.path.dirname(path) or "."
        forms = [f"cat {path}", f"grep -n e {path}; true", f"(cd {folder} && cat {name})", f"sed -n '1,80p' {path}"]
        return self.shell(forms[number % len(forms)])

    def edit(self, path: str, line: str) -> Json:
        """Return a call that adds a line after the first of a file; without a line it writes a new file."""
        raise NotImplementedError

    def task(self, task: str) -> list[Json]:
        """Return the steps that start a subagent and let it end."""
        raise NotImplementedError

    def settings(self) -> None:
        """Write the settings that a run needs."""

    def start(self) -> tuple[list[str], dict[str, str]]:
        """Return the host's command and its variables."""
        raise NotImplementedError


class Claude(Host):
    tasks_at_once = 5

    def shell(self, command: str) -> Json:
        return {"tool": "Bash", "input": {"command": command, "description": "x"}}

    def read(self, path: str, number: int) -> Json:
        own = {"tool": "Read", "input": {"file_path": str(self.top / path)}}
        return super().read(path, number // 3) if number % 3 == 2 else own

    def edit(self, path: str, line: str) -> Json:
        place = {"file_path": str(self.top / path)}
        if not line:
            return {"tool": "Write", "input": {**place, "content": "x\n"}}
        return {"tool": "Edit", "input": {**place, "old_string": line, "new_string": f"{line}\n# edited"}}

    def task(self, task: str) -> list[Json]:
        call = {"description": "x", "prompt": task, "subagent_type": "general-purpose"}
        return [{"tool": "Agent", "input": call}, {"text": "done"}]

    def start(self) -> tuple[list[str], dict[str, str]]:
        place = {"ANTHROPIC_BASE_URL": f"http://127.0.0.1:{self.port}", "ANTHROPIC_API_KEY": "sk-ant-test"}
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "IS_SANDBOX": "1"}
        return ["claude", "-p", "go on", "--dangerously-skip-permissions"], place | quiet


class Gemini(Host):
    def shell(self, command: str) -> Json:
        return {"tool": "run_shell_command", "input": {"command": command, "description": "x"}}

    def read(self, path: str, number: int) -> Json:
        own = {"tool": "read_file", "input": {"file_path": [path, str(self.top / path)][number % 2]}}
        return super().read(path, number // 3) if number % 3 == 2 else own

    def edit(self, path: str, line: str) -> Json:
        place = {"file_path": str(self.top / path)}
        if not line:
            return {"tool": "write_file", "input": {**place, "content": "x\n"}}
        change = {"instruction": "x", "old_string": line, "new_string": f"{line}\n# edited"}
        return {"tool": "replace", "input": {**place, **change}}

    def settings(self) -> None:
        folder = self.home / ".gemini"
        folder.mkdir(exist_ok=True)
        if not (folder / "settings.json").exists():
            (folder / "settings.json").write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')

    def start(self) -> tuple[list[str], dict[str, str]]:
        place = {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{self.port}"}
        return ["gemini", "--yolo", "-m", "gemini-2.5-pro", "-p", "go on"], place | {
            "GEMINI_CLI_TRUST_WORKSPACE": "true"
        }


class Codex(Host):
    tasks_at_once = 1

    def shell(self, command: str) -> Json:
        return {"tool": "exec_command", "input": {"cmd": command}}

    def edit(self, path: str, line: str) -> Json:
        change = f"*** Update File: {path}\n@@\n {line}\n+# edited" if line else f"*** Add File: {path}\n+x"
        return self.shell(f"apply_patch <<'EOF'\n*** Begin Patch\n{change}\n*** End Patch\nEOF")

    def task(self, task: str) -> list[Json]:
        call = {"tool": "spawn_agent", "input": {"message": task, "agent_type": "default"}, "space": "multi_agent_v1"}
        return [call, self.shell("sleep 2")]  # the subagent runs at the same time

    def settings(self) -> None:
        (self.home / ".codex").mkdir(exist_ok=True)
        file = self.home / ".codex/config.toml"
        kept = file.read_text() if file.exists() else (
            'model = "m"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\n'
            'base_url = ""\nwire_api = "responses"\nenv_key = "X_KEY"\n'
        )  # fmt: skip
        file.write_text(re.sub('base_url = ".*"', f'base_url = "http://127.0.0.1:{self.port}/v1"', kept))

    def start(self) -> tuple[list[str], dict[str, str]]:
        more = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--sandbox", "danger-full-access"]
        return ["codex", "exec", *more, "go on"], {"X_KEY": "x"}


HOSTS: dict[str, type[Host]] = {"claude": Claude, "gemini": Gemini, "codex": Codex}


class Run:
    """A host with its project and store."""

    def __init__(self, name: str, folder: Path, programs: Path) -> None:
        self.name, self.host = name, HOSTS[name](folder, programs)
        self.ids: dict[str, str] = {}
        self.files = {case["path"]: case["content"] for case in of_kind("file")}
        self.counts: Counter[str] = Counter()
        self.wrong: list[tuple[str, ...]] = []

    def call(self, *words: str) -> str:
        done = subprocess.run(
            words, cwd=self.host.top, env=self.host.variables, capture_output=True, text=True, check=True
        )
        return done.stdout

    def prepare(self, *, remembers: bool = True) -> None:
        """Create the project, its store, and programs that print a case's output or `ok`."""
        for place in (self.host.home, self.host.top, self.host.stubs):
            place.mkdir(parents=True)
        for path, content in self.files.items():
            (self.host.top / path).parent.mkdir(parents=True, exist_ok=True)
            (self.host.top / path).write_text(content)
        self._stubs()
        profile = f"export PATH={self.host.variables['PATH']}\n"  # a login shell may reset it
        (self.host.home / ".bash_profile").write_text(profile)
        self.call("git", "init", "-q", "-b", "main")
        for case in CASES if remembers else ():
            if score := SCORES.get(case["kind"]):
                said = self.call(
                    "promptx-mem", "remember", case["text"], "-t", case["kind"], "--score", score, "--json"
                )
                self.ids[case["text"]] = re.findall(r"m_[0-9a-z]{10}", said)[0]
        self.call("git", "add", "-A")
        self.call("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")
        self.host.settings()
        if remembers:
            print(self.call("promptx-mem", "setup", self.name, "--yes"), end="")

    def _stubs(self) -> None:
        failing = {case["command"]: case["output"] for case in CASES if "output" in case}
        cases = "".join(f"  {_quoted(line)}) echo {_quoted(text)}; exit 1;;\n" for line, text in failing.items())
        table = self.host.stubs / ".table"
        table.write_text(f'case "$1" in\n{cases}  *) echo "$1: ok";;\nesac\n')
        lines = [case[key] for case in CASES for key in ("command", "similar") if key in case]
        words = {word for line in lines for part in re.split("&&|[|;(]", line) for word in part.split()[:3]}
        for name in words:
            if re.fullmatch(r"[a-z][a-z0-9_-]+", name) and (name not in USUAL):
                self._stub(self.host.stubs / name, f'exec sh {table} "{name} $*"\n')
        self._stub(self.host.top / "gradlew", f'exec sh {table} "./gradlew $*"\n')
        merges = f'case "$*" in merge*) exec sh {table} "git $*";; esac\n'
        self._stub(self.host.stubs / "git", f'{merges}exec {shutil.which("git")} "$@"\n')

    @staticmethod
    def _stub(file: Path, text: str) -> None:
        file.write_text(f"#!/bin/sh\n{text}")
        file.chmod(0o755)

    def session(self, number: int, calls: int) -> list[STEP]:
        """Return the steps of a session: its cases between ordinary calls."""
        start = number * PER_SESSION
        lessons, warnings, remedies = (
            of_kind(kind)[start : start + PER_SESSION] for kind in ("lesson", "warning", "remedy")
        )
        ordinary = [case["command"] for case in of_kind("ordinary")]
        at = number * 61 % len(ordinary)
        rest = iter(ordinary[at:] + ordinary[:at])
        out: list[STEP] = []

        def fill(count: int) -> None:
            out.extend(
                (self.host.shell(command), "ordinary", "") for _, command in zip(range(count), rest, strict=False)
            )

        room = max(2, calls // 8)
        for at, (lesson, remedy) in enumerate(zip(lessons, remedies, strict=True)):
            fill(room)
            out.append((self.host.read(lesson["file"], start + at), "lesson", self.ids[lesson["text"]]))
            out.append((self.host.edit(lesson["file"], self._first(lesson["file"])), "ordinary", ""))
            fill(room)
            out.append((self.host.shell(remedy["command"]), "remedy", self.ids[remedy["text"]]))
            errors = of_kind("error")
            out.append((self.host.shell(errors[(start + at) % len(errors)]["command"]), "other error", ""))
        for case in warnings:
            out.append((self.host.shell(case["similar"]), "similar", ""))
            step = self.host.shell(case["command"]) if "command" in case else self._write(case["file"])
            out.append((step, "warning", self.ids[case["text"]]))
            out.append((step, "second call", ""))
        fill(calls - len(out))
        return out

    def _first(self, path: str) -> str:
        return str(self.files.get(path, "")).partition("\n")[0]

    def _write(self, path: str) -> Json:
        return self.host.shell(f"sed -i '$a -- x' {path}") if path in self.files else self.host.edit(path, "")

    def play(self, steps: list[Json]) -> list[list[Any]]:
        """Return the messages of each request while the host plays steps."""
        return self.play_with(Model([*steps, {"text": "done"}]), "go on")

    def play_with(self, scripted: Model, prompt: str) -> list[list[Any]]:
        """Return the messages of each request while the host works on a prompt."""
        with scripted as model:
            self.host.port = model.port
            self.host.settings()
            command, variables = self.host.start()
            subprocess.run(
                [prompt if word == "go on" else word for word in command], cwd=self.host.top, env=self.host.variables | variables,
                stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=1_800,
            )  # fmt: skip
        if not model.requests:
            raise RuntimeError(f"{self.name} sent no request: {command}")
        return model.requests

    def count(self, number: int, calls: int) -> None:
        """Count a session's cases in its requests."""
        steps = self.session(number, calls)
        requests = self.play([step for step, _, _ in steps])
        for (step, kind, wanted), before, after in zip(steps, requests, requests[1:], strict=False):
            new = json.dumps(after[len(before) :], ensure_ascii=False)
            got = re.findall(r"m_[0-9a-z]{10}", new)
            good = wanted in got and (kind != "warning" or "A memory warns" in new) if wanted else not got
            self.counts.update({kind: 1, f"{kind}, good": int(good), "calls": 1})
            self.counts["unrelated"] += len({*got} - {wanted})
            if not good:
                self.wrong.append((kind, json.dumps(step), wanted, *got))

    def count_tasks(self) -> None:
        """Count the subagents whose first message has the memory for their task."""
        tasks, size = of_kind("task"), self.host.tasks_at_once
        for at in range(0, len(tasks) if size else 0, size or 1):
            some = tasks[at : at + size]
            requests = self.play([step for case in some for step in self.host.task(case["task"])])
            for case in some:
                texts = [json.dumps(messages, ensure_ascii=False) for messages in requests]
                own = next(
                    (
                        text
                        for text in texts
                        if case["task"] in text and "spawn_agent" not in text and '"Agent"' not in text
                    ),
                    "",
                )
                blocks = re.findall("<activated_memory_slices.*?</activated_memory_slices>", own, re.DOTALL)
                got = {*re.findall(r"m_[0-9a-z]{10}", "".join(blocks))}
                wanted, others = self._of_task(case), {ident for one in some for ident in self._of_task(one)}
                kind = "task" if "text" in case else "task without"
                good = bool(own) and (self.ids[case["text"]] in got if "text" in case else got <= wanted)
                self.counts.update({kind: 1, f"{kind}, good": int(good)})
                self.counts.update(
                    {"task, unrelated": len(got - others), "task, of others": len(got & others - wanted)}
                )
                if not good or got - wanted:
                    self.wrong.append((kind, case["task"], *blocks))

    def _of_task(self, case: Json) -> set[str]:
        """Return the memories that are about a task."""
        return {self.ids[text] for text in (case.get("text", ""), *case.get("also", ())) if text}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hosts", description=__doc__)
    parser.add_argument("hosts", nargs="*", default=list(HOSTS), metavar="HOST", help=", ".join(HOSTS))
    parser.add_argument("--programs", type=Path, required=True, help="the folder with the hosts' programs")
    parser.add_argument("--sessions", type=int, default=20, help="at most 20")
    parser.add_argument("--calls", type=int, default=LONG, help="calls of the first five sessions")
    parser.add_argument("--json", type=Path, help="the file for the results; other hosts in it are kept")
    given = parser.parse_args()
    results = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    for name in given.hosts:
        with tempfile.TemporaryDirectory(prefix="promptx-mem-hosts-") as folder:
            run = Run(name, Path(folder), given.programs.resolve())
            run.prepare()
            for number in range(given.sessions):
                run.count(number, given.calls if number < 5 else SHORT)
                print(name, number, dict(run.counts), flush=True)
            run.count_tasks()
            version = run.call(run.host.start()[0][0], "--version").strip()
        results[name] = {
            "version": version,
            "date": str(datetime.datetime.now().astimezone().date()),
            "counts": dict(run.counts),
        }
        print(json.dumps(results[name], indent=1), *run.wrong, sep="\n", flush=True)
        if given.json:
            given.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
