"""Tokens that are nearly right: read where they can only mean one thing, else named; what is printed stores no rubbish."""

import pytest

from promptx_mem.core.request import Request
from promptx_mem.core.shell import SCORE, TAG, TEXT
from promptx_mem.errors import Refused, UsageError
from promptx_mem.store.config import Config
from promptx_mem.usecases.request import propose

READ = (
    ("tea #a score: 8", ("a",), 8.0, None),
    ("tea score: 8 #a", ("a",), 8.0, None),
    ("tea #a score : 8.5", ("a",), 8.5, None),
    ("tea #a 评分： 8", ("a",), 8.0, None),
    ("tea # 运动 score:8", ("运动",), 8.0, None),
    ("tea #运动 评分 8", ("运动",), 8.0, None),
    ("tea #a score 8", ("a",), 8.0, None),
    ("tea #a 8", ("a",), 8.0, None),
    ("tea #a ８", ("a",), 8.0, None),
    ("tea #a 8分", ("a",), 8.0, None),
    ("tea #a score: 8/10", ("a",), 8.0, None),
    ("tea #a score:８", ("a",), 8.0, None),
    ("tea #a,#b score:8", ("a", "b"), 8.0, None),
    ("tea #a, score:8,", ("a",), 8.0, None),
    ("tea tags: a score: 8", ("a",), 8.0, None),
    ("tea #a score:8 1y", ("a",), 8.0, "365d"),
    ("tea #a score:8 duration:6mo", ("a",), 8.0, "180d"),
    ("tea #a score:8 duration：１y", ("a",), 8.0, "365d"),
    ("tea #a score:8 duration: 30d", ("a",), 8.0, "30d"),
)

NAMED = (
    ("tea score 8 #a", "'score 8' at the end is text", "remember tea '#a' score:8"),
    ("喜欢茶 评分 8", "'评分 8' at the end is text", "usage: promptx-mem remember '喜欢茶' '#<tag>' score:8"),
    ("room 8 #a", "'8' at the end is text", "remember 'room 8' '#a' score:5"),
    ("room 8 #a", "'8' at the end is text", "if '8' is not text: promptx-mem remember room '#a' score:8"),
    ("my lucky number is 8", "'8' at the end is text", "remember 'my lucky number is 8' '#<tag>' 'score:<0-10>'"),
    ("tea score: 8", "a tag is missing", "usage: promptx-mem remember tea '#<tag>' score:8"),
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


@pytest.mark.parametrize("text", ["room 8 #a score:9", "I say score: 8 often #a score:9", "C # #a score:9"])
def test_a_text_that_is_complete_is_left_alone(text: str) -> None:
    assert propose(Request(text), Config()).text == text.partition(" #a")[0]


@pytest.mark.parametrize(
    ("request_", "command"),
    [
        (Request("#x", score="-1"), "usage: promptx-mem remember '<text>' '#x' 'score:<0-10>'"),
        (Request("tea", tags=("#a",), score="x"), "promptx-mem remember tea '#a' score:5"),
        (Request("tea #x", score="9.5", dims="8,8,8,8,8,8"), "promptx-mem remember tea '#x' --dims 8,8,8,8,8,8"),
        (Request("the tea", tags=("!",), score="8"), "usage: promptx-mem remember 'the tea' '#<tag>' score:8"),
        (Request("tea #a score:8 duration:soon"), "promptx-mem remember tea '#a' score:8"),
    ],
)
def test_a_missing_value_is_shown_by_a_usage_line_but_a_score_by_the_lowest(request_: Request, command: str) -> None:
    with pytest.raises((UsageError, Refused)) as raised:
        propose(request_, Config())
    assert command in raised.value.hint


@pytest.mark.parametrize(
    "request_",
    [
        Request(TEXT, tags=("a",), score="8"),
        Request("tea", tags=(TAG,), score="8"),
        Request("tea", tags=("a",), score=SCORE),
    ],
)
def test_what_a_usage_line_shows_is_refused(request_: Request) -> None:
    with pytest.raises(UsageError):
        propose(request_, Config())


@pytest.mark.parametrize(
    ("request_", "one"),
    [
        (Request("tea #my tag score:8"), "tea '#my-tag' score:8"),
        (Request("tea #my tag", score="8"), "tea '#my-tag' score:8"),
        (Request("喜欢茶 #我的 标签", explicit=True), "'喜欢茶' '#我的-标签' --explicit"),
    ],
)
def test_a_tag_of_two_words_is_offered_as_one(request_: Request, one: str) -> None:
    with pytest.raises(UsageError, match="a tag has no spaces") as raised:
        propose(request_, Config())
    assert raised.value.hint == f"as one tag: promptx-mem remember {one}"
