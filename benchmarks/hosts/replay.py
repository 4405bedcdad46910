"""Tasks played twice in a real host, with and without a memory: questions asked, mistakes made, tokens.

The model is a script. It asks the user for a fact unless the fact's memory is in its context, runs a dangerous command
and drops it if it is denied, and repeats a failing command unless the remedy is injected with the error. So the figures
show whether the host passes the memories on in time, not how a real model uses them.
"""

import argparse
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.hosts.__main__ import HOSTS, Run, of_kind
from benchmarks.hosts.model import SIDE, SIDE_TOOLS, Json, Model
from promptx_mem.core.prompt_block import tokens

TASKS, TRIES = 20, 3
"""Number of tasks, and of tries of a failing command without a remedy."""


class Agent(Model):
    """The scripted model of one task."""

    def __init__(self, run: Run, number: int) -> None:
        super().__init__([])
        self.run = run
        self.facts = of_kind("task")[number]["text"]
        self.warning = [case for case in of_kind("warning") if "command" in case][number]
        self.remedy = of_kind("remedy")[number]
        self.counts: Counter[str] = Counter()

    def _step(self, tools: int, messages: list[Any]) -> tuple[Json, int]:
        if tools <= SIDE_TOOLS:
            return {"text": json.dumps(SIDE)}, 0
        self.requests.append(messages)
        return self._next(json.dumps(messages, ensure_ascii=False)), len(self.requests)

    def _next(self, context: str) -> Json:
        number = len(self.requests)
        if number == 1:
            self.counts["questions"] = int(not self._has(self.facts, context))
            return self.run.host.shell(self.warning["command"])
        if number == 2:
            self.counts["mistakes"] = int("A memory warns" not in context)
        elif self._has(self.remedy["text"], context) or number == 2 + TRIES:
            self.counts["failed calls"] = number - 2
            self.counts["tokens"] = tokens(context)
            return {"text": "done"}
        return self.run.host.shell(self.remedy["command"])

    def _has(self, text: str, context: str) -> bool:
        return text in self.run.ids and self.run.ids[text] in context


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hosts.replay", description=__doc__)
    parser.add_argument("host", nargs="?", default="claude", choices=HOSTS)
    parser.add_argument("--programs", type=Path, required=True, help="the folder with the hosts' programs")
    given = parser.parse_args()
    print("| | questions | mistakes | failed calls | tokens of the last requests |\n|---|---|---|---|---|")
    for name in ("with", "without"):
        total: Counter[str] = Counter()
        with tempfile.TemporaryDirectory(prefix="promptx-mem-replay-") as folder:
            run = Run(given.host, Path(folder), given.programs.resolve())
            run.prepare(remembers=name == "with")
            for number in range(TASKS):
                agent = Agent(run, number)
                run.play_with(agent, of_kind("task")[number]["task"])
                total.update(agent.counts)
        print(
            f"| {name} | {' | '.join(str(total[key]) for key in ('questions', 'mistakes', 'failed calls', 'tokens'))} |"
        )


if __name__ == "__main__":
    main()
