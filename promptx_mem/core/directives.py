"""Parser of a judge's answers: directives such as `[ADD] text`, and decisions on reviews (source 003)."""

import re

from promptx_mem.core.entry import SHORT
from promptx_mem.core.request import split_tokens
from promptx_mem.core.syntax import parse_argument
from promptx_mem.record import Literal, NamedTuple

NAMES = ("ADD", "UPDATE", "BOOST", "DELETE", "SKIP")

_WORDS = "|".join((*NAMES, "CORE", "FACT"))
_WIDE = re.compile(r"[【［〔][ *`]*((?i:" + _WORDS + r")(?: ?[:：][^\[\]【】［］〔〕]{0,80})?)[ *`]*[】］〕]")
_NAME = r"\[[ *`]*(?i:" + "|".join(NAMES) + r")\b"
_MARKER = re.compile(r"(?:[-*+•·>–—]|\(?\d{1,3}[.)、]|[(（]\d{1,3}[)）]|[①-⑳])[ \t]*")
_LABEL = re.compile(r"[^\[\]{}\n]{1,40}?(?:[:：]|->|→|=>)[ \t*`]*(?=" + _NAME + ")")
_WRAPPED = re.compile(r"[*_`\"'“「]{1,3}(?=" + _NAME + ")")
_CLOSING = re.compile(r"(\[[^\[\]]{1,80}\])[*_`]{1,3}(?=\s|$|\[|[^*_`])")
_NEXT = re.compile(r"[ \t;；|]*(?:[-*•][ \t]+)?(?=\[(?:ADD\]|(?:UPDATE|BOOST|DELETE)[:：]))")
_AFTER_BARE = re.compile(r"[ \t,，;；、|]*(?=\[(?i:" + "|".join(NAMES) + r")[\]:：])")
_NAMED = re.compile(_NAME + r"|^[ *`]*(?:" + "|".join(NAMES) + r")[\]:：]")


def directives(line: str) -> list[str]:
    """Return the directives in a line, each beginning with its bracket. If there are none, return the whole line."""
    text = _plain(line.strip())
    if not text.startswith("["):
        return [line]
    return _apart(text)


def is_named(line: str) -> bool:
    """Return whether a line contains the name of a directive in brackets, or begins with the name and a colon."""
    return _NAMED.search(_WIDE.sub(r"[\1]", line)) is not None


def _plain(text: str) -> str:
    """Remove list markers and labels before a directive, and Markdown marks around it."""
    if not is_named(text):
        return text
    text = _WIDE.sub(r"[\1]", text)
    before = None
    while before != text:
        before = text
        for pattern in (_MARKER, _LABEL, _WRAPPED):
            if (match := pattern.match(text)) and _NAMED.search(text, match.end()) is not None:
                rest = text[match.end() :]
                if pattern is _WRAPPED and rest.endswith(match[0][::-1]):
                    rest = rest.removesuffix(match[0][::-1])
                text = rest
    return _CLOSING.sub(r"\1", text, count=1)


def _apart(text: str) -> list[str]:
    """Split a line before each further directive.

    The text of a fact can contain brackets. So after a fact, only [ADD] and directives with an id are recognised.
    """
    is_fact = re.match(r"\[\s*(?:ADD|UPDATE)", text, re.IGNORECASE) is not None
    pattern = _NEXT if is_fact else _AFTER_BARE
    end = text.find("]") + 1
    match = pattern.search(text, end) if end else None
    if match is None or match.end() >= len(text):
        return [text]
    return [text[: match.start()].rstrip(), *_apart(text[match.end() :])]


Op = Literal["add", "update", "boost", "delete", "skip", "error", "ignored"]
Decision = Literal["promote", "keep", "delete", "both", "newer", "older"]
ReviewKind = Literal["promotion", "fading", "contradiction"]

ADD_SCORE = 7.0
ADD_TAG = "其他"
LAST_ROUND = 3

_DIRECTIVE = re.compile(r"\[([A-Za-z]+)(?:[:：]([^\]]*))?\](.*)", re.DOTALL)
_KIND = re.compile(r"\[(fact|core)\][ \t]*", re.IGNORECASE)
_ID = re.compile(r"[^\s\[\]]+")
DECISIONS: dict[str, Decision] = {
    "promote": "promote", "keep": "keep", "delete": "delete", "提升": "promote", "保留": "keep", "删除": "delete",
    "both": "both", "newer": "newer", "older": "older", "都保留": "both", "新": "newer", "旧": "older",
}  # fmt: skip
"""The decision that each English or Chinese word means."""

_ANSWER = re.compile(rf"\[({'|'.join(DECISIONS)})\]|\[SEARCH[:：]([^\[\]\n]{{1,200}})\]", re.IGNORECASE)
_OF_TWO = ("both", "newer", "older")
_SHOWN = 20


class Directive(NamedTuple):
    """One directive of a judge.

    `text` is the fact of an add or update. In other directives, `text` is the judge's remark. If `score` or `duration`
    of an update is None, the memory keeps the old value. `why` is the error of an invalid line, or the reason why a
    line is ignored. `category` is "core" for `[ADD][core]`, else None.
    """

    op: Op
    id: str | None = None
    text: str = ""
    tags: tuple[str, ...] = ()
    score: float | None = None
    duration: str | None = None
    why: str = ""
    category: str | None = None


class Answer(NamedTuple):
    """A judge's answer to a review: a decision or words to search for. If it has neither, the judge is asked again."""

    decision: Decision | None = None
    search: str | None = None


def parse_directive(line: str) -> Directive:
    """Read one directive: `[ADD] text #tag score:8`, `[UPDATE:id] text`, `[BOOST:id]`, `[DELETE:id]`, `[SKIP]`.

    An add without a tag gets the tag 其他. An add without a score gets score 7. An add with neither score nor duration
    gets the duration 短期, unless it is an `[ADD][core]`. Prose is ignored. Another name in capitals, such as
    `[OTHER]`, and an invalid directive are errors.
    """
    match = _DIRECTIVE.match(line.strip())
    if not match:
        if is_named(line):
            return _error("a directive must be at the beginning of the line: [ADD] text, [BOOST:id], [SKIP], …")
        return Directive("ignored", why="no directive" if line.strip() else "empty line")
    name, target, rest = match[1].upper(), match[2], match[3].strip()
    if name not in NAMES and not match[1].isupper() and not is_named(line):
        return Directive("ignored", why="no directive")
    key = target if target is None else target.strip()
    if why := _mistake(name, key):
        return _error(why)
    if name in ("ADD", "UPDATE"):
        return _fact(name, key, rest)
    return Directive("boost" if name == "BOOST" else "delete" if name == "DELETE" else "skip", key, rest)


def _mistake(name: str, key: str | None) -> str:
    """Return the mistake in the brackets of a directive, or ''."""
    if name not in NAMES:
        return f"[{name[:_SHOWN]}] is not a directive; use [ADD], [UPDATE:id], [BOOST:id], [DELETE:id] or [SKIP]"
    if name in ("ADD", "SKIP"):
        return "" if key is None else f"[{name}] cannot have an id"
    return "" if _ID.fullmatch(key or "") else f"[{name}] needs a memory's id: [{name}:m_…]"


def _fact(name: str, key: str | None, rest: str) -> Directive:
    kind = _KIND.match(rest) if name == "ADD" else None
    parsed = parse_argument(split_tokens(rest[kind.end() :] if kind else rest))
    if parsed.problems:
        return _error("; ".join(parsed.problems))
    if not parsed.text.strip():
        return _error(f"[{name}] needs a text after the bracket")
    text, tags, score, duration = parsed.text, parsed.tags, parsed.score, parsed.duration
    if name == "UPDATE":
        return Directive("update", key, text, tags, score, duration)
    is_core = kind is not None and kind[1].lower() == "core"
    if score is None:
        score, duration = ADD_SCORE, duration or (None if is_core else SHORT)
    return Directive("add", None, text, tags or (ADD_TAG,), score, duration, category="core" if is_core else None)


def _error(why: str) -> Directive:
    return Directive("error", why=why)


def parse_answer(text: str, *, round: int, review: ReviewKind = "promotion") -> Answer:  # noqa: A002 - the prompts' word
    """Read a judge's answer to a review in round 1, 2 or 3.

    A search takes precedence over a decision, except in round 3. The last of several decisions counts, since a model
    can change its mind. Round 3 without a decision counts as KEEP. In a review for fading, PROMOTE
    counts as KEEP. In a review of a contradiction, only BOTH, NEWER and OLDER count, and the default is BOTH.
    """
    decision: Decision | None = None
    search = None
    for match in _ANSWER.finditer(text):
        if match[2] is not None:
            search = search or match[2].strip()
        elif ((one := DECISIONS[match[1].lower()]) in _OF_TWO) == (review == "contradiction"):
            decision = one
    if search and round < LAST_ROUND:
        return Answer(search=search)
    if decision is not None:
        return Answer("keep" if decision == "promote" and review == "fading" else decision)
    kept: Decision = "both" if review == "contradiction" else "keep"
    return Answer(kept if round >= LAST_ROUND else None)
