"""Hypothesis strategies: hostile texts, tags, and memories."""

import re
from datetime import datetime, timedelta, timezone

from hypothesis import strategies as st

from tests.api import Entry, make_id
from tests.inside import CATEGORIES, SOURCES, TYPES, normalise_tag

HOSTILE = (
    "\n", "\r", "\t", "\0", "\x0b", "\x0c", "\x1b[31m", "\x85", "\u2028", "\u2029", "\u202e", "\u200d", "\ufeff", "\\",
    "\\\\", "<br>", "<!--", "-->", "&lt;!--", "&", "<", ">", "#", "#tag", "##其他", "\\#x", "score:9", "score：9", "#评分:8",
    "duration:长期", "#有效期:短期", "#时间:2025/05/21 22:47", "--tags", "START", "- END", "- ", "* ", "```", " ", "  ", "　",
    '<!-- {"id":"m_0000000000"} -->', "2025/06/05 18:47", "用户", "偏好", "a", "é", "e\u0301", "🧠", "\U000e0041",
)  # fmt: skip

texts = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(HOSTILE), max_size=12).map("".join),
    st.lists(st.one_of(st.sampled_from(HOSTILE), st.text(max_size=4)), max_size=12).map(" ".join),
)
"""Any Unicode text without lone surrogates, which `clean` removes."""


def _tag(text: str) -> str:
    return normalise_tag(text) or "tag"


tags = st.lists(
    st.one_of(
        st.text(alphabet="abcXYZ019_-./", max_size=11).map("a".__add__),
        st.sampled_from(["用户信息", "核心信息", ".NET开发", "CI/CD", "v2.3.1", "한국어", "हिन्दी"]),
        st.text(min_size=1, max_size=8),
    ).map(_tag),
    max_size=4,
    unique=True,
).map(tuple)

scores = st.integers(0, 100).map(lambda tenths: tenths / 10)
durations = st.one_of(
    st.sampled_from(["短期", "中期", "长期", "永久", "36h", "30d", "2w", "2026-12-31"]),
    st.integers(1, 99_999).map(lambda n: f"{n}d"),
)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(datetime(1971, 1, 2), datetime(2100, 1, 1), timezones=offsets).map(  # noqa: DTZ001 - zones are drawn
    lambda at: at.isoformat(timespec="seconds")
)
weights = st.tuples(*[st.floats(0, 1)] * 3)
paths = st.sampled_from([None, "a", "project->partner->memory", "CI/CD->deploy", "主题->子题"])
ids = st.text(alphabet="0123456789abcdefghjkmnpqrstvwxyz", min_size=10, max_size=10).map("m_".__add__)


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    text = draw(texts)
    return Entry(
        text=text,
        tags=draw(tags),
        score=draw(scores),
        duration=draw(durations),
        id=draw(st.one_of(st.just(make_id(text)), ids)),
        at=draw(times),
        topic=draw(paths),
        aka=draw(st.lists(st.sampled_from(["a b", "单点登录", "<x>"]), max_size=3).map(tuple)),
        related=draw(st.lists(st.sampled_from(["r", "a->b", "<x>"]), max_size=2).map(tuple)),
        profile=draw(st.one_of(st.none(), weights)),
        category=draw(st.sampled_from(CATEGORIES)),
        type=draw(st.one_of(st.none(), st.sampled_from(TYPES))),
        source=draw(st.sampled_from(SOURCES)),
        verified=draw(st.booleans()),
        session=draw(st.one_of(st.none(), texts.filter(bool))),
        dims=draw(st.one_of(st.none(), st.tuples(*[st.floats(0, 10)] * 6))),
        reason=draw(st.one_of(st.none(), texts.filter(bool))),
        slice=draw(st.one_of(st.none(), texts.filter(bool))),
        supersedes=draw(st.one_of(st.none(), ids)),
        k=draw(st.one_of(st.none(), st.integers(1, 1 << 60))),
        salt=draw(st.integers(0, 3)),
    )


def without_item(text: str) -> str:
    """Return a text as `remember` stores it: without the marker of a single list item."""
    item = r"(?:[-*+•·]|[0-9]{1,2}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=[^\s0-9])"
    return text if re.search(f"\n{item}", text) else re.sub(f"^{item}", "", text)
