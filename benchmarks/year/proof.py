"""Checks after half a year: MEMORY.md, the start of a session, and questions to `recall` and `hook prompt`."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.year.person import Fact, Person

FIRST, CONTEXT, BEST = 60, 30, 5
"""Numbers of checked lines of MEMORY.md, memories without a query, and results of a question."""

SHARE = 0.85
"""Share of the questions that must be answered."""

ASKED_NOTES = 7
"""Step between the notes of the project that are asked for."""

OLD = 45
"""Days after which all unused remarks must have faded."""


def lines(root: Path) -> list[str]:
    """Return the memories that MEMORY.md shows."""
    return [line for line in (root / "MEMORY.md").read_text("utf-8").splitlines() if line.startswith("- ")]


def check(root: Path, person: Person, facts: Sequence[Fact], days: int) -> dict[str, Any]:
    """Return the results of all checks. Each command runs in its own process."""
    start = _hook(root, "start", {"source": "startup"})  # summarizes idle conversations
    index = lines(root)
    identity = [fact for fact in facts if fact in person.identity]
    used, unused = person.small
    context = [one["text"] for one in _recall(root, "-n", str(CONTEXT), "--no-touch")]
    talks = [number for number, line in enumerate(index, 1) if _is_conversation(line)]
    everything = [one["text"] for one in _recall(root, "-n", "5000", "--no-touch")]
    return {
        "identity": len(identity),
        "identity_in_index": sum(_place(index, fact.text) <= FIRST for fact in identity),
        "context": len(context),
        "identity_in_context": sum(fact.text in context for fact in identity),
        "identity_in_start": sum(fact.text[:40] in start for fact in identity),
        "worst_place": max((_place(index, fact.text) for fact in identity), default=0),
        "index": len(index),
        "talks_in_index": len(talks),
        "talks_in_context": sum(text.startswith("[20") for text in context),
        "corrected": sum(new in facts for _, new in person.corrected),
        "older_above": (older_above := _older_above(root, person, facts)),
        "newer_first": not older_above,
        "newest_talks": _shows_newest_conversations(root, index),
        "used_lives": used in everything,
        "unused_lives": unused in everything,
        "look_alike": len(alike := [text for text in everything if text.startswith(person.remarks)]),
        "oldest_look_alike": max((days - int(text.rpartition("第")[2].rstrip("天")) for text in alike), default=0),
        "episodes": sum(text.startswith("[20") for text in everything),
        "questions": _questions(root, person, facts, days),
    }


def failures(result: dict[str, Any], *, judge: bool) -> list[str]:
    """Return the failed checks in words. Memories that a judge keeps do not fade."""
    least = round(result["identity"] * 10 / 12)
    share = max(3, result["index"] // 10)
    asked = sum(one["asked"] for one in result["questions"].values())
    answered = sum(one["answered"] for one in result["questions"].values())
    checks = {
        "the first 60 lines state who the user is": result["identity_in_index"] == result["identity"],
        "a recall without a cue states who the user is": result["identity_in_context"] >= least,
        "conversations take at most a tenth of MEMORY.md": 3 <= result["talks_in_index"] <= share,
        "the newest three conversations are shown": result["newest_talks"],
        "corrections rank above the corrected facts": result["newer_first"],
        "passing remarks fade": judge or result["oldest_look_alike"] <= OLD,
        "a fact that is recalled every second day stays active": result["used_lives"] and not result["unused_lives"],
        "there are active conversations": result["episodes"] > 0,
        "enough questions are answered": answered >= SHARE * asked,
    }
    return [f"does not hold: {name}" for name, holds in checks.items() if not holds]


def _questions(root: Path, person: Person, facts: Sequence[Fact], days: int) -> dict[str, dict[str, Any]]:
    """Return how many questions of each kind `recall` and `hook prompt` answer in the first five results."""
    kinds: dict[str, list[tuple[str, str]]] = {
        "identity": [(fact.question, fact.answer) for fact in facts if fact in person.identity],
        "corrected": [(new.question, new.answer) for _, new in person.corrected if new in facts],
        "decisions": [(fact.question, fact.answer) for fact in facts if fact in person.decisions],
        "notes of the project": [(fact.question, fact.answer) for fact in facts if fact.how == "note"][::ASKED_NOTES],
        "said by the assistant": [(one.question, one.answer) for one in person.planted if one.day <= days],
        "last week about": [(one.question, one.answer) for one in person.lately],
    }
    out = {}
    for kind, pairs in kinds.items():
        shown = [
            (question, answer, texts(_recall(root, question, "-n", str(BEST), "--no-touch")))
            for question, answer in pairs
        ]
        missed = [question for question, answer, found in shown if not any(answer in text for text in found[:BEST])]
        first = sum(answer in text for _, answer, found in shown for text in found[:1])
        out[kind] = {"asked": len(pairs), "answered": len(pairs) - len(missed), "missed": missed, "first": first}
        if kind in ("identity", "decisions"):
            blocks = [(question, answer, _hook(root, "prompt", {"prompt": question})) for question, answer in pairs]
            missed = [question for question, answer, block in blocks if answer not in block]
            unrelated = [question for question, answer, block in blocks if "m_" in block and answer not in block]
            out[f"{kind}, by hook prompt"] = {
                "asked": len(pairs),
                "answered": len(pairs) - len(missed),
                "missed": missed,
                "unrelated": len(unrelated),
            }
    return out


def _older_above(root: Path, person: Person, facts: Sequence[Fact]) -> int:
    """Count the corrections that are below the value they correct, or missing."""
    count = 0
    for old, new in person.corrected:
        if new in facts:
            found = [one["text"] for one in _recall(root, new.question, "-n", "10", "--no-touch")]
            count += _place(found, new.text) >= _place(found, old.text)
    return count


def _shows_newest_conversations(root: Path, index: Sequence[str]) -> bool:
    """Return whether MEMORY.md shows the three conversations that ended last."""
    ids = [one["id"] for one in sorted(_recall(root, "--category", "episode", "-n", "5000", "--no-touch"), key=_date)]
    return all(any(ident in line for line in index) for ident in ids[-3:])


def _date(memory: Any) -> str:
    return str(memory["at"])


def texts(memories: list[Any]) -> list[str]:
    """Return the text of each memory and, of a conversation, its messages."""
    return [
        " ".join([one["text"], *(turn["text"] for turn in (one["slice"] or {"messages": []})["messages"])])
        for one in memories
    ]


def _place(texts: Sequence[str], text: str) -> int:
    return next((number for number, line in enumerate(texts, 1) if text[:40] in line), len(texts) + 1_000)


def _is_conversation(line: str) -> bool:
    return "#对话" in line


def _run(root: Path, words: Sequence[str], stdin: str = "") -> str:
    environment = {**os.environ, "PROMPTX_MEM_DIR": str(root)}
    environment.pop("PROMPTX_MEM_SESSION", None)
    environment["PROMPTX_MEM_USER_DIR"] = str(root.parent / "nobody")
    command = [sys.executable, "-m", "promptx_mem", *words]
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def _recall(root: Path, *words: str) -> list[Any]:
    memories: list[Any] = json.loads(_run(root, ["recall", "--json", *words]))["memories"]
    return memories


def _hook(root: Path, action: str, event: dict[str, str]) -> str:
    """Return the answer of a hook."""
    fields = {"session_id": f"{action} {len(event)} {event.get('prompt', '')}", "cwd": str(root.parent), **event}
    answer = _run(root, ["hook", action], json.dumps(fields))
    return json.dumps(json.loads(answer), ensure_ascii=False) if answer.strip() else ""
