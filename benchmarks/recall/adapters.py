"""Convert files of published data to the format of `data`: `python -m benchmarks.recall.adapters`."""

from __future__ import annotations

import argparse
import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Lines = tuple[list[dict[str, Any]], list[dict[str, Any]]]
"""Memories and queries."""

_LOCOMO_TIME = "%I:%M %p on %d %B, %Y"
_LONGMEMEVAL_TIME = "%Y/%m/%d %H:%M"


def locomo(samples: Any) -> Lines:
    """Convert LoCoMo (locomo10.json): a memory per turn, a store per conversation, without adversarial questions."""
    memories, queries = [], []
    for sample in samples:
        store, talk = sample["sample_id"], sample["conversation"]
        known = set()
        for name in _sessions(talk):
            day = datetime.strptime(talk[f"{name}_date_time"], _LOCOMO_TIME).replace(tzinfo=UTC).date().isoformat()
            for turn in talk[name]:
                known.add(turn["dia_id"])
                text = f"{turn['speaker']}: {turn['text']}"
                memories.append({"store": store, "id": turn["dia_id"], "text": text, "date": day, "session": name})
        for question in sample["qa"]:
            units = [[ident] for ident in question.get("evidence", ()) if ident in known]
            if units and "answer" in question:
                queries.append({"store": store, "query": question["question"], "evidence": units})
    return memories, queries


def locomo_facts(samples: Any) -> Lines:
    """Convert LoCoMo, one memory per fact of its "observation". Any fact of a turn is evidence for that turn."""
    turns, queries = locomo(samples)
    days = {(turn["store"], turn["session"]): turn["date"] for turn in turns}
    memories: list[dict[str, Any]] = []
    facts: dict[tuple[str, str], list[str]] = {}
    for sample in samples:
        store = sample["sample_id"]
        for name in _sessions(sample["conversation"]):
            for speaker, noted in sample["observation"].get(f"{name}_observation", {}).items():
                for number, (text, source) in enumerate(noted):
                    ident = f"{name}:{speaker}:{number}"
                    memories.append({"store": store, "id": ident, "text": text, "date": days[store, name]})
                    for turn in _turns(source):
                        facts.setdefault((store, turn), []).append(ident)
    out = []
    for query in queries:
        units = [facts[query["store"], turn] for [turn] in query["evidence"] if (query["store"], turn) in facts]
        if units:
            out.append({**query, "evidence": units})
    return memories, out


def locomo_sessions(samples: Any) -> Lines:
    """Convert LoCoMo, one memory per session. The evidence is the sessions of the turns."""
    turns, queries = locomo(samples)
    memories: dict[tuple[str, str], dict[str, Any]] = {}
    session: dict[tuple[str, str], str] = {}
    for turn in turns:
        key = turn["store"], turn["session"]
        session[turn["store"], turn["id"]] = turn["session"]
        one = memories.setdefault(key, {**turn, "id": turn["session"], "text": ""})
        one["text"] += turn["text"] + "\n"
    for query in queries:
        names = dict.fromkeys(session[query["store"], ident] for unit in query["evidence"] for ident in unit)
        query["evidence"] = [[name] for name in names]
    return list(memories.values()), queries


def beam(chats: Any) -> Lines:
    """Convert BEAM: a list of chats, each {id, chat: [[{id, role, content, time_anchor}]], probing_questions: {kind:
    [{question, source_chat_ids}]}}. One memory per turn; questions without sources (abstention) are left out."""
    memories, queries = [], []
    for chat in chats:
        store, known, day = str(chat["id"]), set(), "2024-01-01"
        for number, batch in enumerate(chat["chat"]):
            for turn in batch:
                day = _day(turn.get("time_anchor")) or day
                known.add(str(turn["id"]))
                memories.append(
                    {
                        "store": store,
                        "id": str(turn["id"]),
                        "text": turn["content"],
                        "date": day,
                        "session": str(number),
                    }
                )
        for kind, questions in chat["probing_questions"].items():
            for question in questions:
                units = [[str(one)] for one in _flat(question.get("source_chat_ids")) if str(one) in known]
                if units:
                    queries.append({"store": store, "query": question["question"], "kind": kind, "evidence": units})
    return memories, queries


def longmemeval(items: Any) -> Lines:
    """Convert LongMemEval (longmemeval_s.json): a store per question, a memory per turn; evidence has `has_answer`."""
    memories, queries = [], []
    for item in items:
        store, units = item["question_id"], []
        sessions = zip(item["haystack_session_ids"], item["haystack_dates"], item["haystack_sessions"], strict=True)
        for name, date, turns in sessions:
            day = datetime.strptime(re.sub(r" \([A-Za-z]+\)", "", date), _LONGMEMEVAL_TIME).replace(tzinfo=UTC).date()
            for number, turn in enumerate(turns):
                ident = f"{name}:{number}"
                line = {"store": store, "id": ident, "text": turn["content"], "date": day.isoformat(), "session": name}
                memories.append(line)
                if turn.get("has_answer"):
                    units.append([ident])
        if units:
            queries.append({"store": store, "query": item["question"], "evidence": units})
    return memories, queries


def precisionmembench(files: Any) -> Lines:
    """Convert PrecisionMemBench (beliefs.seed.json, retrieval.cases.json): one store per scope. A case without evidence
    must get no result. Pinned beliefs, questions and the user's own beliefs are left out: they are not searched for."""
    beliefs, cases = files
    scopes = list(dict.fromkeys(tuple(case["scope"]) for case in cases))
    memories = [
        {
            "store": " ".join(scope),
            "id": one["_id"],
            "text": one["content"],
            "date": one["created_at"][:10],
            "aka": [one["canonical_name"].replace("_", " "), *one["aliases"]],
        }
        for scope in scopes
        for one in beliefs
        if one["user_id"] == "test-user" and one["type"] != "open_question" and not one["pinned"]
        if not one["superseded_by"] and not one["resolved_at"] and {*scope}.intersection(one["scope"])
    ]
    filled = {one["store"] for one in memories}
    queries = []
    for case in cases:
        only = case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude")
        store = " ".join(case["scope"])
        if only is not None and store in filled and case["query"].strip() and "budget" not in case:
            queries.append({"store": store, "query": case["query"], "evidence": [[ident] for ident in only]})
    return memories, queries


FORMS: dict[str, Callable[[Any], Lines]] = {
    "locomo-facts": locomo_facts,
    "locomo-turns": locomo,
    "locomo-sessions": locomo_sessions,
    "beam": beam,
    "longmemeval": longmemeval,
    "precisionmembench": precisionmembench,
}


def write(name: str, lines: Lines, folder: Path) -> None:
    """Write both files of a data set."""
    folder.mkdir(parents=True, exist_ok=True)
    for part, rows in zip(("memories", "queries"), lines, strict=True):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.{part}.jsonl").write_text(text, "utf-8")


def _sessions(talk: dict[str, Any]) -> Iterator[str]:
    names = [name for name in talk if re.fullmatch(r"session_[0-9]+", name)]
    yield from sorted(names, key=lambda name: int(name.partition("_")[2]))


def _turns(source: str | list[str]) -> list[str]:
    return re.findall(r"D\d+:\d+", source if isinstance(source, str) else " ".join(source))


def _day(anchor: str | None) -> str | None:
    for form in ("%B-%d-%Y", "%Y-%m-%d"):
        try:
            return datetime.strptime(anchor or "", form).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    return None


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _flat(one)
    elif value is not None:
        yield value


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall.adapters", description=__doc__)
    parser.add_argument("form", choices=FORMS)
    parser.add_argument("file", type=Path, nargs="+", help="the published file, or files")
    parser.add_argument("folder", type=Path, help="where the two files go")
    options = parser.parse_args()
    raw = [json.loads(file.read_text("utf-8")) for file in options.file]
    write(options.form, FORMS[options.form](raw if len(raw) > 1 else raw[0]), options.folder)


if __name__ == "__main__":
    main()
