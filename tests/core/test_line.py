"""A memory is one line of the file and is read back unchanged."""

import json
import re
from datetime import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from promptx_mem.core import document, syntax
from promptx_mem.core.entry import Entry
from promptx_mem.core.line import format_line, is_edited, parse_line
from promptx_mem.core.syntax import format_visible, is_token, parse_argument
from promptx_mem.core.text import clean, is_printable
from promptx_mem.core.times import is_time
from tests import strategies
from tests.tables import rows

AT = "2026-11-20T22:47:03+08:00"


def line_of(text: str, *tags: str) -> str:
    return format_line(Entry(text, tags or ("t",), 9.0, "长期", "m_7k2q9x4htb", AT))


def read_back(line: str) -> Entry:
    read = parse_line(line)
    assert read is not None
    assert read.problems == ()
    return read.entry


def test_line_has_the_documented_format() -> None:
    entry = Entry("用户ID: 12345", ("用户信息", "核心信息"), 9.0, "长期", "m_2t0fqcrhwt", AT)
    assert format_line(entry) == (
        f'- 用户ID: 12345 #用户信息 #核心信息 score:9 duration:长期 <!-- {{"id":"m_2t0fqcrhwt","at":"{AT}"}} -->'
    )


@given(strategies.entries())
def test_memory_is_one_printable_line_and_is_read_back(entry: Entry) -> None:
    line = format_line(entry)
    assert read_back(line) == entry
    assert is_printable(line)
    assert line.splitlines() == [line]
    line.encode("utf-8")
    found = document.read(f"# 陈述性记忆\n\n{line}\n".encode())
    assert [f.entry for f in found.bullets] == [entry]
    assert found.problems == ()


IDENTS = st.one_of(
    strategies.ids, st.sampled_from(["m_ilou00000", "m_0000000000\\n", 'm_00000"0000', "M_0000000000", ""])
)
MOMENTS = st.one_of(
    strategies.times,
    st.from_regex(
        r"\A[0-9]{4}-(0[0-9]|1[0-3])-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,7})?[Z+-][0-9:]{0,5}\Z"
    ),
    st.from_regex(
        r"\A(0000|0001|9999|2024|2025)-(01|02|12)-(01|28|29|31)T(00|23):(00|59):00(Z|[+-](00|14|23):(00|59))\Z"
    ),
    st.sampled_from(["２０２６-11-20T22:47:03Z", "2026-1१-20T22:47:03Z", '2026-11-20T22:47:03Z","v":"2', ""]),
)


@given(strategies.texts, strategies.tags, IDENTS, MOMENTS)
def test_comment_with_and_without_a_space_is_read_alike(text: str, tags: tuple[str, ...], ident: str, at: str) -> None:
    visible = format_visible(text, tags, 9.0, "长期")
    comment = f'"id":"{ident}","at":"{at}"}} -->'
    assert parse_line(f"- {visible} <!-- {{{comment}") == parse_line(f"- {visible} <!-- {{ {comment}")


@given(MOMENTS)
def test_is_time_accepts_only_valid_times(at: str) -> None:
    try:
        placed = datetime.fromisoformat(at).timestamp() is not None
    except (ValueError, OverflowError):
        placed = False
    rfc = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", at)
    assert is_time(at) == (placed and rfc is not None)


@given(
    st.one_of(
        st.text(max_size=12), st.sampled_from(["ſcore:9", "SCORE：9", "#评分:8", "＃tag", "有效期:长期", "Duration:2d"])
    )
)
def test_is_token_agrees_with_the_parser(word: str) -> None:
    assert is_token(word) == (syntax._read_token(word) is not None)


@example(line_of('a <!-- {"id":"m_0000000000","at":"2026-11-20T22:47:03+08:00"} --> b'))
@example(line_of("-->"))
@given(strategies.entries().map(format_line))
def test_no_prefix_of_a_line_is_parsed(line: str) -> None:
    assert all(parse_line(line[:cut]) is None for cut in range(len(line)))


@given(strategies.texts.map(clean), strategies.tags, strategies.scores, strategies.durations)
def test_visible_part_gives_the_same_memory(text: str, tags: tuple[str, ...], score: float, duration: str) -> None:
    line = format_line(Entry(text, tags, score, duration, "m_7k2q9x4htb", AT))
    visible = line[2 : line.rindex(" <!-- {")]
    parsed = parse_argument(visible)
    assert (parsed.tags, parsed.score, parsed.duration, parsed.problems) == (tags, score, duration, ())
    if '"text":' not in line:  # the comment contains the text only if the visible line cannot
        assert parsed.text == text


@given(strategies.texts.filter(lambda t: is_printable(t.replace("\n", "")) and "<br>" not in t).map(clean))
def test_printable_text_is_not_repeated_in_the_comment(text: str) -> None:
    plain = "&lt;!--" not in text and text == text.strip(" ")
    assert ('"text":' in line_of(text)) is not plain


def test_a_hand_edit_of_the_visible_part_wins() -> None:
    line = line_of("tab\there")
    assert '"text":"tab\\there"' in line
    entry = read_back(line.replace("tab\ufffdhere", "space here"))
    assert entry.text == "space here"
    assert is_edited(entry)
    assert entry.id == "m_7k2q9x4htb"


@pytest.mark.parametrize(("text", "visible"), rows(__file__, "visible.jsonl"))
def test_texts_are_escaped_in_the_visible_part(text: str, visible: str) -> None:
    assert format_visible(text, ("t",), 9.0, "长期") == f"{visible} #t score:9 duration:长期"
    assert read_back(line_of(text)).text == text


@pytest.mark.parametrize(("change", "problem"), rows(__file__, "invalid_fields.jsonl"))
def test_invalid_value_in_a_comment_is_reported_and_the_text_is_read(change: dict[str, object], problem: str) -> None:
    comment = json.dumps({"id": "m_7k2q9x4htb", "at": AT} | change)
    read = parse_line(f"- fact #t score:9 duration:长期 <!-- {comment} -->")
    assert read is not None
    assert read.entry.text == "fact"
    assert read.problems == (problem,)


_OTHERS = ("", "{}", "[]", '{"id":1}', '{"id":"m_short"}', '{"id":"m_7k2q9x4hti"}', '{"id":"m_7k2q9x4htb"')


@pytest.mark.parametrize("comment", [*_OTHERS, "[" * 20_000, '{"id":' * 5_000])
def test_other_comments_are_not_parsed(comment: str) -> None:
    assert parse_line(f"- fact <!-- {comment} -->") is None


@pytest.mark.parametrize(
    "damage", [('"at"', '"at'), ("-->", "--"), ("-->", ""), ("} -->", ""), ("<!-- ", "<! "), ("-->", "--> ")]
)
def test_damaged_comment_does_not_hide_the_memory(damage: tuple[str, str]) -> None:
    found = document.read(line_of("fact").replace(*damage).encode())
    assert [(f.text, f.score) for f in found.bullets] == [("fact", 9)]
    assert [p.message for p in found.problems] == ["the comment of this line is damaged"]


def test_line_needs_an_id_and_a_time() -> None:
    entry = Entry("x", id="m_7k2q9x4htb", at=AT)
    for broken in (entry._replace(id=""), entry._replace(at=None)):
        with pytest.raises(ValueError, match="id and a time"):
            format_line(broken)


def test_undecoded_text_is_read_as_utf_8() -> None:
    """If the locale is not UTF-8, arguments arrive as surrogates, one per byte."""
    assert clean("用户 ☕".encode().decode("ascii", "surrogateescape")) == "用户 ☕"
    assert clean("\udcff bad") == "\ufffd bad"
    assert clean("\ud83d\ude00 \ud800") == "😀 \ufffd"


def test_huge_number_in_a_comment_invalidates_only_its_key() -> None:
    read = parse_line(f'- fact <!-- {{"id":"m_7k2q9x4htb","k":{"9" * 5_000}}} -->')
    assert read is not None
    assert (read.entry.id, read.entry.k) == ("m_7k2q9x4htb", None)
    assert read.problems[0] == "the field `k` is invalid and is ignored"
