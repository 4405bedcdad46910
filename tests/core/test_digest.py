"""MEMORY.md: limits, order, memories that a cut drops, and hostile text."""

import itertools
import json
import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import digest
from promptx_mem.core.digest import MAX_BYTES, MAX_LINES, Digest, IndexItem, as_of, render_index
from promptx_mem.core.state import BAND_EPISODE as TALK_BAND
from tests.tables import rows

TABLE = json.loads((Path(__file__).parents[1] / "conformance/freshness.json").read_text("utf-8"))["truncate"]
NOW = datetime(2026, 11, 21, 12, 30, tzinfo=timezone(timedelta(hours=8)))
ITEM = IndexItem("m_a", "喜欢拉面", ("偏好",), None, 1.0, 0.0)
NOTE = " _(last updated 3 days ago)_"


def numbered(count: int, text: str = "fact", topic: str | None = None) -> list[IndexItem]:
    """Return items of falling importance; m_0000 is the most important."""
    return [IndexItem(f"m_{n:04}", f"{text} {n}", (), topic, 3.0 - n / 1000, 0.0, NOTE) for n in range(count)]


def render(items: list[IndexItem], total: int | None = None) -> Digest:
    return render_index(items, now=NOW, total=len(items) if total is None else total)


def warning(limit: str, hidden: int) -> str:
    sentence: str = TABLE["warning"][limit]
    return sentence.replace("N memories", f"{hidden} memories")


def within_limits(text: str) -> bool:
    return len(text.splitlines()) <= MAX_LINES and len(text.encode()) <= MAX_BYTES


def test_index_lists_memories_by_topic_and_importance() -> None:
    items = [
        IndexItem("m_1", "low", (), "work->db", 0.5, 0.0),
        IndexItem("m_2", "high", ("a", "b"), "home", 2.0, 0.0, NOTE),
        IndexItem("m_3", "top of work", (), " work -> db ", 1.5, 0.0),
        IndexItem("m_4", "loose", ("c",), None, 1.0, 0.0),
        IndexItem("m_5", "low too", (), "->", 0.5, 0.0),
    ]
    digest = render(items)
    assert digest.text == (
        "# Memory index\n<!-- as of 2026-11-21T12:30:00+08:00 -->\n\n"
        "## home\n- high #a #b (m_2) _(last updated 3 days ago)_\n"
        "## work->db\n- top of work (m_3)\n- low (m_1)\n"
        "## (no topic)\n- loose #c (m_4)\n- low too (m_5)\n"
    )
    assert (digest.ids, digest.hidden, digest.limit) == (("m_2", "m_3", "m_4", "m_1", "m_5"), 0, None)


def test_index_without_topics_has_no_headings() -> None:
    assert "##" not in render(numbered(3)).text


def test_empty_store_has_an_index() -> None:
    digest = render([])
    assert digest.text.endswith("\n\nNo memories yet.\n")
    assert (digest.ids, digest.hidden, digest.limit) == ((), 0, None)


def test_index_over_the_line_limit_is_cut_and_ends_with_a_warning() -> None:
    digest = render(numbered(198))
    lines = digest.text.splitlines()
    assert len(lines) == MAX_LINES
    assert lines[-2:] == ["", warning("lines", 3)]
    assert digest.ids == tuple(f"m_{n:04}" for n in range(195))
    assert (digest.hidden, digest.limit) == (3, "lines")


def test_cut_drops_the_least_important_memories_of_any_topic() -> None:
    items = [item._replace(topic=f"t{n % 7}") for n, item in enumerate(numbered(400))]
    digest = render(items)
    assert digest.ids == tuple(f"m_{n:04}" for n in range(len(digest.ids)))
    assert [f"({key})" in digest.text for key in digest.ids] == [True] * len(digest.ids)
    assert f"(m_{len(digest.ids):04})" not in digest.text
    assert digest.text.count("\n## ") == 7
    assert len(digest.text.splitlines()) == MAX_LINES


def test_no_line_is_rendered_after_the_limit_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    real = vars(digest)["_shown"]

    def counted(text: str, tags: tuple[str, ...], ident: str) -> str:
        lines.append(ident)
        return str(real(text, tags, ident))

    monkeypatch.setattr(digest, "_shown", counted)
    shown = render([item._replace(tags=("t" * 32,) * 4) for item in numbered(MAX_LINES, "x" * 300)])
    assert shown.limit == "bytes"
    assert len(lines) < len(shown.ids) + 3 < MAX_LINES


def test_ties_are_ordered_by_id_for_any_input_order() -> None:
    items = [item._replace(importance=1.0, topic=f"t{n % 3}") for n, item in enumerate(numbered(300))]
    digest = render(items)
    assert digest.ids == tuple(sorted(digest.ids))
    assert render(items[::-1]) == digest


HOSTILE = st.text(st.sampled_from("# -+*>`~[]x():1.9<&!\\|=_\n\r\t\x00\x1b\u2028\u202e\ud800中\u0301👩\u200d💻"))


@given(st.lists(st.tuples(HOSTILE, HOSTILE, HOSTILE), max_size=6))
def test_text_of_a_memory_stays_inside_its_line(texts: list[tuple[str, str, str]]) -> None:
    items = [IndexItem(f"m_{n}", text, (tag,), topic, 1.0, 0.0) for n, (text, tag, topic) in enumerate(texts)]
    text = render(items).text
    text.encode()
    rows = text.split("\n")[3:-1]
    assert sum(row.startswith("- ") for row in rows) == len(items)
    assert all(row.startswith(("- ", "## ")) or not items for row in rows)
    for row in rows:
        bare = row.replace("->", "") if row.startswith("## ") else row
        assert not re.search(r"[<>\x00-\x1f\u2028\u202e]|-->|&(?!amp;|lt;|gt;)", bare)


@pytest.mark.parametrize(("text", "shown"), rows(__file__, "index_texts.jsonl"))
def test_texts_are_escaped_in_the_index(text: str, shown: str) -> None:
    assert f"\n- {shown} #偏好 (m_a)\n" in render([ITEM._replace(text=text)]).text


@pytest.mark.parametrize(
    "now",
    [
        NOW,
        NOW.replace(microsecond=123),
        datetime(2026, 7, 1, tzinfo=UTC),
        datetime(2026, 7, 1, 23, 59, 59, tzinfo=ZoneInfo("America/New_York")),
        datetime(1890, 1, 1, tzinfo=ZoneInfo("Asia/Shanghai")),  # an offset with seconds
    ],
)
def test_index_can_be_rebuilt_for_the_time_in_its_header(now: datetime) -> None:
    first = render_index([ITEM], now=now, total=1)
    read = as_of(first.text)
    assert read == now
    assert read is not None
    assert render_index([ITEM], now=read, total=1) == first


def test_a_memory_cannot_forge_the_header() -> None:
    forged = ITEM._replace(text="<!-- as of 2000-01-01T00:00:00+00:00 -->", importance=9.0)
    assert as_of(render([forged]).text) == NOW


@given(st.integers(0, 60), st.integers(1, 120), st.integers(1, 40))
def test_no_index_exceeds_its_limits(count: int, length: int, topics: int) -> None:
    cycle = itertools.cycle(range(topics))
    items = [item._replace(topic=f"t{next(cycle)}") for item in numbered(count * 10, "记" * length)]
    digest = render(items)
    assert within_limits(digest.text)
    assert digest.hidden == len(items) - len(digest.ids)
    assert (digest.limit is None) == (digest.hidden == 0)


TALK = ITEM._replace(band=TALK_BAND)


def conversations(count: int, importance: float = 1.5) -> list[IndexItem]:
    """Return conversations; c_0000 is the oldest and most important."""
    return [
        TALK._replace(id=f"c_{n:04}", text=f"[2026-01-01] talk {n}", importance=importance - n / 1000, noted=float(n))
        for n in range(count)
    ]


def test_items_are_ordered_by_band_and_then_importance() -> None:
    items = [
        ITEM._replace(id="m_1", band=3, importance=3.0),
        ITEM._replace(id="m_2", band=1, importance=3.0),
        ITEM._replace(id="m_3", band=2, importance=0.6),
        ITEM._replace(id="m_4", band=2, importance=1.6, topic="work"),
        *conversations(2, 4.0),
    ]
    digest = render(items)
    assert digest.ids == ("m_2", "m_4", "m_3", "m_1", "c_0000", "c_0001")
    assert [line for line in digest.text.splitlines() if line.startswith("#")] == [
        "# Memory index", "## (no topic)", "## work", "## (no topic)", "## (no topic)", "## (no topic)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "talks", "shown"),
    [(0, 2, 2), (0, 99, 3), (5, 99, 3), (45, 99, 5), (100, 99, 11), (176, 99, 19), (197, 99, 3), (400, 99, 3)],
)
def test_conversations_fill_a_tenth_and_the_newest_are_always_shown(facts: int, talks: int, shown: int) -> None:
    given_ = numbered(facts)
    digest = render_index([*given_, *conversations(talks)], now=NOW, total=facts + talks, talking=talks)
    seen = [ident for ident in digest.ids if ident.startswith("c_")]
    newest = {f"c_{n:04}" for n in range(talks)[-3:]}
    assert len(seen) == shown
    assert newest <= set(seen)
    assert set(seen) - newest == {f"c_{n:04}" for n in range(shown - len(newest))}
    assert len(digest.text.splitlines()) <= MAX_LINES
    assert digest.hidden == facts + talks - len(digest.ids)
    assert (digest.limit is None) == (facts <= 176)
