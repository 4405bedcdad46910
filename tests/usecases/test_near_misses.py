"""Tokens that are nearly right: read where they can only mean one thing, else named; what is printed stores no rubbish."""

import pytest

from promptx_mem.core.request import Request
from promptx_mem.errors import UsageError
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import propose

READ = (
    ("tea #a score: 8", ("a",), 8.0, None),
    ("tea #a score : 8.5", ("a",), 8.5, None),
    ("tea # 运动 score:8", ("运动",), 8.0, None),
    ("tea #a 8", ("a",), 8.0, None),
    ("tea #a 8分", ("a",), 8.0, None),
    ("tea #a score:８", ("a",), 8.0, None),
    ("tea #a,#b score:8", ("a", "b"), 8.0, None),
    ("tea tags: a score: 8", ("a",), 8.0, None),
    ("tea #a score:8 duration:6mo", ("a",), 8.0, "180d"),
    ("tea #a score:8 duration: 30d", ("a",), 8.0, "30d"),
)

NAMED = (
    ("喜欢茶 评分 8", "'评分 8' at the end is text", "usage: promptx-mem remember '喜欢茶' '#<tag>' score:8"),
    ("room 8 #a", "'8' at the end is text", "remember 'room 8' '#a' score:5"),
    ("room 8 #a", "'8' at the end is text", "if '8' is not text: promptx-mem remember room '#a' score:8"),
)


@pytest.mark.parametrize(("text", "tags", "score", "duration"), READ)
def test_what_can_only_mean_one_thing_is_read(
    text: str, tags: tuple[str, ...], score: float, duration: str | None
) -> None:
    proposal = propose(Request(text), Config())
    assert (proposal.text, proposal.tags, proposal.score, proposal.duration) == ("tea", tags, score, duration)


@pytest.mark.parametrize(("text", "message", "command"), NAMED)
def test_what_may_be_text_is_named(text: str, message: str, command: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        propose(Request(text), Config())
    assert command in raised.value.hint
