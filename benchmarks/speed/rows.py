"""The rows of the table: every command that is measured, as a person or an agent's host calls it."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus
from benchmarks.speed.process import Command, environment
from promptx_mem.places import USER_STORE

FACTS = tuple(corpus.texts(2_000, seed=corpus.SEED + 1))
"""Texts that are stored during the measurement. No store contains them before."""

TWO = ", two stores"
_DIMS = "9,8,9,9,8,7"


@dataclass(frozen=True, slots=True)
class Row:
    """A command. `words` are its arguments for the n-th run; The output must contain `expects`.

    A row that `writes` has its own store. One that `needs` memories is blank for an empty store. One with `two` has
    a user store of the same size, too.
    """

    name: str
    words: Callable[[int], tuple[str, ...]]
    expects: str = ""
    event: dict[str, Any] | None = None
    writes: bool = False
    needs: bool = False
    module: bool = False
    two: bool = False

    def command(self, python: Path, folder: Path, run: int) -> Command:
        """Return the n-th run on the store in `folder`."""
        program = (str(python), "-m", "promptx_mem") if self.module else (str(python.with_name("promptx-mem")),)
        # A denied write is a violation; in a separate session it blocks no other row.
        session = "guarded" if self.event else "bench"
        stdin = json.dumps({"session_id": session, "cwd": str(folder), **self.event}).encode() if self.event else b""
        env = environment(folder, PROMPTX_MEM_SESSION=session)
        if self.two:
            env[USER_STORE] = str(of_user(folder) / ".memory")
        return Command((*program, *self.words(run)), folder, env, stdin)


def rows(day: str) -> list[Row]:
    """Return all rows. `day` is a day on which memories of the store were recorded."""
    return [*_hooks(), *_writing(), *_reading(day), *_others(), *_of_two([*_hooks(), *_writing(), *_reading(day)])]


def _hooks() -> list[Row]:
    def guard(name: str, tool: str, expects: str = "", **given: str) -> Row:
        event = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": given}
        return Row(f"guard: {name}", _fixed("guard"), expects, event, writes=bool(expects))

    prompt = {"hook_event_name": "UserPromptSubmit", "prompt": f"which {corpus.USUAL[0]} does the user like? 记住这个"}
    return [
        guard("a read", "Read", file_path=".memory/declarative.md"),
        guard("a shell command", "Bash", command="cd src && grep -rn memory . | head -5 > /tmp/found"),
        guard("a denied write", "Bash", "deny", command="echo '- x #a score:8' >> .memory/declarative.md"),
        Row("hook prompt", _fixed("hook", "prompt"), "remember", prompt),
    ]


def _writing() -> list[Row]:
    def remember(name: str, words: Callable[[str], tuple[str, ...]]) -> Row:
        return Row(name, lambda run: ("remember", *words(FACTS[run])), "m_", writes=True)

    known = next(corpus.texts(1))
    options = ("-t", "infra", "-t", "部署", "--score", "8", "--duration", "long", "--type", "project")
    more = ("--topic", "project->deploy->database", "--reason", "decided in the weekly meeting")
    return [
        remember("remember", lambda fact: (fact, "#infra", "#部署", "score:8", "duration:long")),
        remember("remember, options", lambda fact: (fact, *options, *more)),
        remember("remember --dims", lambda fact: (fact, "#infra", "--dims", _DIMS)),
        Row("remember, a duplicate", _fixed("remember", known, "#infra", "score:8"), "m_", writes=True, needs=True),
        Row("remember --dry-run", lambda run: ("remember", FACTS[run], "#infra", "score:8", "--dry-run"), "score 8"),
        Row("score", _fixed("score", _DIMS), "score 8.6"),
    ]


def _reading(day: str) -> list[Row]:
    def recall(name: str, *words: str, module: bool = False) -> Row:
        return Row(
            ("python -m promptx_mem recall " if module else "recall ") + name,
            _fixed("recall", *words),
            "m_",
            needs=True,
            module=module,
        )

    english, chinese = corpus.USUAL
    return [
        recall("an English word", english),
        recall("a Chinese word", chinese),
        recall("a common word", corpus.COMMON[0]),
        recall("a tag", f"#{corpus.TAGS[1]}"),
        recall("--topic", "--topic", corpus.TOPIC),
        recall("--date", "--date", day),
        recall("without a cue"),
        recall("an English word --json", english, "--json"),
        recall("a Chinese word --json", chinese, "--json"),
        recall("without a cue --json", "--json"),
        recall("an English word", english, module=True),
    ]


def _others() -> list[Row]:
    return [
        Row("index", _fixed("index"), writes=True),
        Row("decay, nothing to do", _fixed("decay"), writes=True),
        Row("audit", _fixed("audit")),
        Row("--help", _fixed("--help"), "Usage"),
    ]


def _of_two(every: list[Row]) -> list[Row]:
    """Return some of the rows again, with a user store and a project store."""
    names = ("hook prompt", "remember", "recall an English word", "recall a Chinese word", "recall without a cue")
    return [replace(row, name=row.name + TWO, two=True, needs=True) for row in every if row.name in names]


def of_user(folder: Path) -> Path:
    """Return the folder of the user store of a project."""
    return folder.with_name(folder.name + "-user")


def _fixed(*words: str) -> Callable[[int], tuple[str, ...]]:
    return lambda _: words
