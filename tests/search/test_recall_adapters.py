"""The adapters of the recall benchmark read the published forms, and the long ones are asked for by their words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.recall import adapters, data
from benchmarks.recall.__main__ import quality, searches, silence

if TYPE_CHECKING:
    from pathlib import Path

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!"},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Hello"},
            ],
            "session_2_date_time": "10:02 am on 25 June, 2023",
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "I moved."}],
        },
        "observation": {
            "session_1_observation": {"Bob": [["Bob met Ann.", ["D1:1", "D1:2"]]]},
            "session_2_observation": {"Ann": [["Ann moved.", "D2:1"], ["Ann has a home.", "D2:1"]]},
        },
        "qa": [
            {"question": "Who moved?", "answer": "Ann", "evidence": ["D2:1", "D9:9"]},
            {"question": "Adversarial?", "adversarial_answer": "x", "evidence": ["D1:1"]},
            {"question": "Both?", "answer": "y", "evidence": ["D1:1", "D1:2", "D2:1"]},
        ],
    }
]
BEAM = [
    {
        "id": 7,
        "chat": [
            [
                {"id": 0, "role": "user", "content": "a", "time_anchor": "March-03-2024"},
                {"id": 1, "role": "assistant", "content": "b"},
            ]
        ],
        "probing_questions": {
            "abstention": [{"question": "?", "source_chat_ids": []}],
            "update": [{"question": "what?", "source_chat_ids": {"old": [0], "new": [1, 99]}}],
        },
    }
]
BELIEF = {
    "user_id": "test-user",
    "type": "preference",
    "canonical_name": "linting_biome",
    "aliases": ["Biome"],
    "content": "Lints with Biome.",
    "scope": ["domain:code"],
    "pinned": False,
    "superseded_by": None,
    "resolved_at": None,
    "created_at": "2026-07-01T00:00:00Z",
}
PRECISION = [
    [
        {**BELIEF, "_id": "b1"},
        {**BELIEF, "_id": "old", "superseded_by": "b1"},
        {**BELIEF, "_id": "pinned", "pinned": True},
        {**BELIEF, "_id": "other", "user_id": "other-user"},
        {**BELIEF, "_id": "writing", "scope": ["domain:writing"]},
        {**BELIEF, "_id": "asked", "type": "open_question"},
        {**BELIEF, "_id": "settled", "resolved_at": "2026-08-01T00:00:00Z"},
    ],
    [
        {
            "scope": ["domain:code"],
            "query": "biome?",
            "expect": {"relevantBeliefs": {"shouldOnlyInclude": ["b1"]}},
        },
        {"scope": ["domain:code"], "query": "stack?", "expect": {"relevantBeliefs": {"shouldOnlyInclude": []}}},
        {"scope": ["domain:code"], "query": " ", "expect": {"relevantBeliefs": {"shouldOnlyInclude": []}}},
        {"scope": ["domain:hobby"], "query": "coins", "expect": {"relevantBeliefs": {"shouldOnlyInclude": []}}},
        {"scope": ["domain:code"], "query": "free", "expect": {"pinnedFacts": {"mustInclude": ["pinned"]}}},
    ],
]
LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question": "When?",
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "u"}, {"role": "assistant", "content": "v", "has_answer": True}]
        ],
    }
]


@pytest.mark.parametrize(
    ("form", "raw", "memories", "evidence"),
    [
        (
            "locomo-turns",
            LOCOMO,
            [("D1:1", "2023-05-08"), ("D1:2", "2023-05-08"), ("D2:1", "2023-06-25")],
            [[["D2:1"]], [["D1:1"], ["D1:2"], ["D2:1"]]],
        ),
        (
            "locomo-sessions",
            LOCOMO,
            [("session_1", "2023-05-08"), ("session_2", "2023-06-25")],
            [[["session_2"]], [["session_1"], ["session_2"]]],
        ),
        (
            "locomo-facts",
            LOCOMO,
            [("session_1:Bob:0", "2023-05-08"), ("session_2:Ann:0", "2023-06-25"), ("session_2:Ann:1", "2023-06-25")],
            [
                [["session_2:Ann:0", "session_2:Ann:1"]],
                [["session_1:Bob:0"], ["session_1:Bob:0"], ["session_2:Ann:0", "session_2:Ann:1"]],
            ],
        ),
        ("beam", BEAM, [("0", "2024-03-03"), ("1", "2024-03-03")], [[["0"], ["1"]]]),
        ("longmemeval", LONGMEMEVAL, [("s1:0", "2023-05-20"), ("s1:1", "2023-05-20")], [[["s1:1"]]]),
    ],
)
def test_a_published_form(
    form: str, raw: Any, memories: list[tuple[str, str]], evidence: list[list[list[str]]], tmp_path: Path
) -> None:
    lines = adapters.FORMS[form](json.loads(json.dumps(raw)))
    assert [(one["id"], one["date"]) for one in lines[0]] == memories
    assert [one["evidence"] for one in lines[1]] == evidence
    adapters.write(form, lines, tmp_path)
    (read,) = data.load(tmp_path)
    assert [one.id for store in read.stores.values() for one in store] == [ident for ident, _ in memories]
    assert [[sorted(unit) for unit in one.evidence] for one in read.questions] == evidence


def test_long_ones_are_asked_for_by_five_words_of_a_sentence() -> None:
    text = "Short one. " + "alpha bravo charlie delta echoes foxtrot golfing hotels. " * 60
    memories = [data.Memory("1", text, None), data.Memory("2", "alpha bravo", None)]
    (found,) = data.long_ones([data.DataSet("set", {"s": memories}, [])])
    (question,) = found.questions
    assert question.evidence == (frozenset(["1"]),)
    assert len(question.text.split()) == 5
    assert set(question.text.split()) <= set(text.replace(".", "").split())


def test_precisionmembench_asks_for_beliefs_and_for_silence(tmp_path: Path) -> None:
    adapters.write("precisionmembench", adapters.precisionmembench(PRECISION), tmp_path)
    (read,) = data.load(tmp_path)
    (memory,) = read.stores["domain:code"]
    assert (memory.id, memory.day) == ("b1", "2026-07-01")
    assert memory.words == "Lints with Biome. linting biome Biome"
    assert [(one.text, one.evidence) for one in read.questions] == [("biome?", (frozenset(["b1"]),))]
    assert [one.text for one in read.silent] == ["stack?"]
    assert _figures(read, []) == [0.0, 100.0]
    assert _figures(read, [0]) == [100.0, 0.0]


def _figures(read: data.DataSet, found: list[int]) -> list[float]:
    """Precision and silence of a ranker that answers the same to all."""
    made = searches(lambda _memories: lambda _query, _limit: found, read)
    return [quality(made, read)[-1], silence(made, read)]
