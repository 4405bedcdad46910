"""A request to remember: its fields, the tokens at the end of its text, and the verdict on its score.

If the request is incomplete, core.pasteable also reads misspelled tokens.
"""

from promptx_mem.core.syntax import Parsed, is_token, parse_argument
from promptx_mem.core.text import format_score, pattern
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re


class Request(NamedTuple):
    """One call of `remember`. Tags, score and duration are read from `text` if no option sets any of them."""

    text: str
    tags: tuple[str, ...] = ()
    score: str | None = None
    duration: str | None = None
    explicit: bool = False
    dims: str | None = None
    profile: str | None = None
    topic: str | None = None
    related: tuple[str, ...] = ()
    aka: tuple[str, ...] = ()
    type: str | None = None
    category: str | None = None
    source: str | None = None
    verified: bool = False
    reason: str | None = None
    session: str | None = None
    update: str | None = None
    cite: tuple[str, ...] = ()
    user: bool = False
    split: bool = False
    allow_secret: bool = False
    dry_run: bool = False
    memory_dir: str | None = None
    proposed: bool = False
    """A judge proposed the text, so a refusal does not count as a violation of the session."""

    by_default: bool = False
    """The program chose the score, because a person gave none."""

    @property
    def literal(self) -> bool:
        return bool(self.tags) or self.score is not None or self.duration is not None


_MARKER = r"(?:[-*+•·]|[0-9]{1,2}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=[^\s0-9])"
"""The marker of a list item, with an optional check box."""

WIDE = "\u3000"
"""The full-width space."""

END = ",，;；。、"
"""Punctuation that can follow a token."""

_SEPARATORS = frozenset(",，;；、")
"""Characters that separate tokens like a space."""

_PERIOD = ("时长:", "时長:", "時长:", "時長:")
_KEYS = ("score:", "评分:", "評分:", "duration:", "有效期:", *_PERIOD)
MARK = ("#", "＃")
_MOST = 20
"""Maximum number of tokens if words are split, so that a long word is not searched too often."""

_JOINED = (
    r"((?!.*://).*[\u2e80-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffdc…—“”‘’])"
    r"([#＃](?![!-~]{0,40}[0-9][!-~]{0,40}$|(?:[A-Fa-f]{3}){1,2}$)[^#＃]+)"
)
"""A word that ends in a tag after a Chinese character. Colours (`#fff`) and numbers (`#12`, `#B2`) are text."""

_COLONS = str.maketrans("：=", "::")


def split_tokens(text: str) -> str:
    """Separate the tokens (tags, score, duration) at the end of a text by spaces only. Remove punctuation after them.

    Requests, directives and imported lists can have other separators. A line of a memory file cannot.
    """
    spaced = text.replace(WIDE, " ")
    if not _SEPARATORS.isdisjoint(text):
        spaced = "".join(" " if _is_separator(spaced, at) else char for at, char in enumerate(spaced))
    words = spaced.split(" ")
    end, tokens = len(words), list[str]()
    while end and ((token := token_of(words[end - 1])) or not words[end - 1].strip(END)):
        tokens.append(token)
        end -= 1
    while tokens and not tokens[-1]:  # punctuation before the tokens belongs to the text
        tokens.pop()
        end += 1
    # A tag can directly follow Chinese text: 标签#测试
    while end and len(tokens) < _MOST and (match := _joined(words[end - 1])) and (token := token_of(match[2])):
        words[end - 1] = match[1]
        tokens.append(token)
    if not tokens:
        return text
    return " ".join(filter(None, (text[: len(" ".join(words[:end]))], *reversed(tokens))))


def _joined(word: str) -> "re.Match[str] | None":
    return None if word.isascii() or "#" not in word.replace("＃", "#") else pattern(_JOINED).fullmatch(word)


def _is_separator(text: str, at: int) -> bool:
    """Return whether the character at this place is a separator directly before a token."""
    after = text[at + 1 : at + 10]
    return text[at] in _SEPARATORS and (after[:1] in MARK or after.lower().translate(_COLONS).startswith(_KEYS))


def token_of(word: str) -> str:
    """Return a word as a token, without punctuation after it; '' if it is not a token."""
    word = word.rstrip(END)
    if word[:1] not in MARK:
        word = word.rstrip(END + ".!！")
    key, period = word.removeprefix("#")[:3], word.removeprefix("#")[3:]
    if period and key.translate(_COLONS) in _PERIOD:
        from promptx_mem.core.durations import amount_seconds, canonical  # few texts name a duration

        duration = canonical(period)
        return "" if duration is None or amount_seconds(duration) else f"duration:{duration}"
    return word if is_token(word) else ""


def parse(request: Request) -> Parsed:
    """Parse a request's text. The marker of a single list item is removed."""
    parsed = parse_argument(split_tokens(request.text))
    parsed.text = without_marker(parsed.text.strip())
    return parsed


def is_complete(request: Request, parsed: Parsed) -> bool:
    """Return whether a parsed request has a tag, no problem, and a score, `dims` or `explicit`; or `update`."""
    is_judged = request.explicit or request.dims is not None or parsed.score is not None
    return bool(request.update or (parsed.tags and not parsed.problems and is_judged))


def without_marker(text: str) -> str:
    """Return a text without the marker of a list item, unless the text has several items."""
    marker = pattern(_MARKER).match(text) if text[:1] in "-*+•·0123456789" else None
    return text[marker.end() :] if marker and not pattern(f"\n{_MARKER}").search(text) else text


PROFILES = ("execution", "declarative")
EXPLICIT_MINIMUM = 8.0
STORE_AT, REFUSE_BELOW = 7.0, 5.0
MISMATCH = 0.5
PERSONAL = 1.0
"""Increase of both thresholds if the text contains personal data."""


class Verdict(NamedTuple):
    """The decision on a score. A score from `thresholds[0]` is stored; a score below `thresholds[1]` is refused."""

    stored: bool
    warned: bool
    violation: bool
    final_score: float
    thresholds: tuple[float, float]


def verdict(
    score: float | None, *, policy: str = "standard", explicit: bool = False, adjustment: float = 0.0
) -> Verdict:
    """Decide whether to store a text. `adjustment` is added to both thresholds. A missing score counts as 0.

    With `explicit`, it is always stored, with a score of at least 8. Between the thresholds, only `standard` stores.
    """
    final = max(score or 0.0, EXPLICIT_MINIMUM if explicit else 0.0)
    thresholds = (round(STORE_AT + adjustment, 1), round(REFUSE_BELOW + adjustment, 1))
    if explicit or final >= thresholds[0]:
        return Verdict(True, False, False, final, thresholds)
    middling = final >= thresholds[1]
    stored = middling and policy == "standard"
    return Verdict(stored, stored, not middling, final, thresholds)


def too_low(score: float, least: float, moved: str = "") -> str:
    """Return the message for a score below the threshold `least`. `moved`: why `least` has changed."""
    return f"score {format_score(score)} is below the minimum of {format_score(least)}{moved}"
