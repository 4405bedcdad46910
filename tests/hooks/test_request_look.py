"""The first look at a message misses no request: whatever the patterns match holds one of its marks."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.hooks import first_look, prompt, requests
from tests.hooks import request_again, request_more, request_table

TABLES = (request_table, request_more, request_again)
PATTERNS = {
    "english": requests._EN,
    "chinese": requests._ZH,
    "object first": requests._TAKEN_ZH,
    "behind": requests._SUFFIX_ZH,
    "stress": requests._STRESS,
    "later": requests._LATER,
}


@pytest.mark.parametrize("name", PATTERNS)
@settings(max_examples=60)
@given(data=st.data())
def test_whatever_a_pattern_matches_holds_a_mark(name: str, data: st.DataObject) -> None:
    pattern = PATTERNS[name]
    text = data.draw(st.from_regex(re.compile(pattern.pattern, pattern.flags)))
    match = pattern.search(text)
    assert match is None or first_look.may_hold(match[0])


@pytest.mark.parametrize("table", TABLES)
def test_no_request_of_the_tables_is_missed(table: object) -> None:
    rows = [*table.ENGLISH, *table.CHINESE]  # type: ignore[attr-defined]
    missed = [message for message, *_ in rows if requests.read(message) and not first_look.may_hold(message)]
    assert len(rows) > 10
    assert not missed


@pytest.mark.parametrize(
    "message", ["記住我喜歡茶", "這很重要", "REMEMBER that I like tea", "ſave this for later: tea"]
)
def test_case_and_script_do_not_matter(message: str) -> None:
    assert first_look.may_hold(message)


def test_most_messages_load_no_pattern() -> None:
    messages = [
        "fix the failing test in parser.py",
        "why does the build hang?",
        "把登录页的按钮改成蓝色",
        "请解释这段代码",
    ]
    assert not any(map(first_look.may_hold, messages))


def test_the_hook_asks_the_patterns_only_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    monkeypatch.setattr(requests, "read", messages.append)
    prompt._requests("fix the failing test")
    prompt._requests("remember that I like tea")
    assert messages == ["remember that I like tea"]
