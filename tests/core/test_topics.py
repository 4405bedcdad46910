"""Topic cues: the tables of design 004, and properties of paths, collection and the printed tree."""

import json
from collections.abc import Sequence
from pathlib import Path as File
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import topics
from promptx_mem.core.entry import FIELDS
from promptx_mem.core.line import parse_line
from promptx_mem.core.topics import (
    DEFAULT_PROFILE,
    Binding,
    Path,
    Profile,
    candidate_score,
    collect,
    parse_path,
    total,
    tree,
)

TABLE = json.loads((File(__file__).parents[1] / "conformance/topic_recall.json").read_text("utf-8"))
DAY = 86400.0
_read = next(field.read for field in FIELDS if field.name == "profile")
HOSTILE = st.text(st.sampled_from("ab ->[]{}\u3000\u200b\n\x00项目\u202e\t"), max_size=30)


class Memories:
    """Bindings in memory."""

    def __init__(self, *bindings: Binding) -> None:
        self.bindings = bindings

    def lookup(self, path: Path, newest: int | None) -> Sequence[Binding]:
        found = sorted((b for b in self.bindings if b.path == path), key=lambda b: (-b.at, b.id))
        return found[:newest]

    def exists(self, path: Path) -> bool:
        known = [p for b in self.bindings for p in (b.path, *b.related)]
        return any(p[: len(path)] == path for p in known)

    def find(self, path: str, day: float, limit: int = 5) -> list[str]:
        hits = collect(parse_path(path), self.lookup, self.exists, day * DAY, limit)
        return [hit.binding.id for hit in hits]


def binding(row: dict[str, Any]) -> Binding:
    related = tuple(parse_path(path) for path in row.get("related", ()))
    profile = Profile(*row["profile"]) if "profile" in row else DEFAULT_PROFILE
    return Binding(row["id"], parse_path(row["topic"]), row["day"] * DAY, related, profile)


@pytest.mark.parametrize("row", TABLE["scores"], ids=str)
def test_candidate_score_depends_on_source_age_and_profile(row: dict[str, Any]) -> None:
    score = candidate_score(row["source"], row["age_days"], Profile(*_read(row["profile"])))
    assert total(score) == pytest.approx(row["score"], abs=1e-9)


@pytest.mark.parametrize(("age", "expected"), TABLE["recency"])
def test_recency_depends_on_age(age: float, expected: float) -> None:
    assert topics.recency(age) == expected


@pytest.mark.parametrize(("text", "parts"), TABLE["paths"])
def test_path_is_parsed(text: str, parts: list[str]) -> None:
    assert parse_path(text) == tuple(parts)


@pytest.mark.parametrize("row", TABLE["collect"], ids=lambda row: row["name"])
def test_memories_of_a_topic_are_collected(row: dict[str, Any]) -> None:
    memories = Memories(*map(binding, row["memories"]))
    assert memories.find(row["query"], row["now_day"]) == row["expect"]


@pytest.mark.parametrize("row", TABLE["omission"], ids=lambda row: str(row["messages"]))
def test_excerpt_leaves_out_messages(row: dict[str, Any]) -> None:
    assert topics.excerpt(row["messages"], None) == (row["shown"], row["left_out"])


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a[1][2] {slices: 3}", ("a",)), ("[draft]", ()), ("a [x] b", ("a [x] b",)), ("a]", ("a]",)),
        ("a[b]]", ("a[b]]",)), ("a\x00b\u202e", ("a\ufffdb\ufffd",)), ("\u3000项目\u3000->记忆", ("项目", "记忆")),
    ],
)  # fmt: skip
def test_unusual_paths_are_parsed(text: str, parts: Path) -> None:
    assert parse_path(text) == parts


def test_a_profile_in_a_line_is_clamped() -> None:
    read = parse_line('- x #t score:8 <!-- {"id":"m_0000000001","profile":[1.5,-1,"x"]} -->')
    assert read is not None
    assert read.entry.profile == (1.0, 0.0, 0.0)


def test_score_shows_every_term() -> None:
    score = candidate_score("RELATED", 5, Profile(0.2, 0.9, 0.4))
    assert list(score) == [f"topic {name}" for name in ("RELATED", "recency", "activation", "independence", "relation")]
    assert list(score.values()) == pytest.approx([0.65, 0.15, 0.10, 0.12, 0.18])


def test_memory_found_twice_keeps_its_best_source() -> None:
    loop = Binding("x", ("a",), DAY, related=(("a",), ("b",), ("b",)))
    other = Binding("y", ("b",), DAY, related=(("a",),))
    hits = collect(("a",), Memories(loop, other).lookup, lambda _: True, DAY, 5)
    assert [(hit.binding.id, next(iter(hit.parts))) for hit in hits] == [("x", "topic PRIMARY"), ("y", "topic RELATED")]


def test_related_path_without_memories_finds_its_parent() -> None:
    memories = Memories(Binding("x", ("a",), 0, related=(("t", "new"),)), Binding("p", ("t",), 0))
    assert memories.find("t->new", 1) == ["p"]


def test_topics_are_printed_with_counts() -> None:
    printed = tree({("work", "db"): 2, ("work", "api", "auth"): 1, ("home",): 3, ("x", "y", "z"): 1, (): 9})
    expected = ["home [3]", "work->api->auth [1]", "work->db [2]", "x->y->z [1]"]
    assert printed.splitlines() == expected
    assert tree({}) == ""


@given(st.lists(HOSTILE, max_size=12))
def test_printed_topics_are_parsed_to_the_same_paths(texts: list[str]) -> None:
    paths = {parse_path(text) for text in texts} - {()}
    lines = tree(dict.fromkeys(paths, 1)).split("\n")[:-1]
    assert {parse_path(line) for line in lines if line.endswith("[1]")} == paths
    assert all(line.isprintable() or "\u3000" in line for line in lines)
