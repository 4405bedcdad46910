"""A request to remember: its fields, the correction of unambiguous typing errors, and the verdict on its score."""

import re
import unicodedata

from promptx_mem.core import durations
from promptx_mem.core.labels import normalise_tag
from promptx_mem.core.syntax import Parsed, is_token, parse_argument, parse_score
from promptx_mem.core.text import format_score, pattern
from promptx_mem.record import NamedTuple


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
    """A judge proposed the fact, so a refusal does not count as a violation of the session."""

    by_default: bool = False
    """The program chose the score, because a person gave none."""

    @property
    def literal(self) -> bool:
        return bool(self.tags) or self.score is not None or self.duration is not None


_MARKER = r"(?:[-*+•·]|[0-9]{1,2}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=[^\s0-9])"
"""The marker of a list item, with an optional check box."""

WIDE = "\u3000"
"""The full-width space."""

_END = ",，;；。、"
_SEPARATORS = frozenset(",，;；、")
"""Characters that separate tokens like a space."""

_KEYS = ("score:", "评分:", "評分:", "duration:", "有效期:", "时长:", "时長:", "時长:", "時長:")
_SCORE = r"(?i)#?(?:score|评分|評分|分数|分數|rating)"
_DURATION = r"(?i)#?(?:duration|有效期|[时時][长長])"
_PERIOD = r"#?[时時][长長][:：=](.+)"
_TAG = r"(?i)(?:tags?|标签)"
_NUMBER = r"([0-9]{1,2}(?:\.[0-9]+)?)(?:分|/10)?"
"""Expression for the number of a score, such as 8, 8分 or 8/10."""

_MARK = ("#", "＃")
_MOST = 20
"""Maximum number of tokens, so that a long word is not read too often."""

_JOINED = (
    r"((?!.*://).*[\u2e80-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uffdc…—“”‘’])"
    r"([#＃](?![!-~]{0,40}[0-9][!-~]{0,40}$|(?:[A-Fa-f]{3}){1,2}$)[^#＃]+)"
)
"""A word that ends in a tag after a Chinese character. Colours (`#fff`) and numbers (`#12`, `#B2`) are text."""

_COLONS = str.maketrans("：=", "::")


def tidy(text: str) -> str:
    """Separate the tokens (tags, score, duration) at the end of a text by spaces only. Remove punctuation after them.

    Requests, directives and imported lists can have such separators. A line of a memory file cannot.
    """
    spaced = text.replace(WIDE, " ")
    if not _SEPARATORS.isdisjoint(text):
        spaced = "".join(" " if _is_separator(spaced, at) else char for at, char in enumerate(spaced))
    words = spaced.split(" ")
    end, tokens = len(words), list[str]()
    while end and ((token := token_of(words[end - 1])) or not words[end - 1].strip(_END)):
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
    return text[at] in _SEPARATORS and (after[:1] in _MARK or after.lower().translate(_COLONS).startswith(_KEYS))


def token_of(word: str) -> str:
    """Return a word as a token, without punctuation after it. Return '' if the word is not a token."""
    word = word.rstrip(_END)
    if word[:1] not in _MARK:
        word = word.rstrip(_END + ".!！")
    if ("长" in word or "長" in word) and (period := pattern(_PERIOD).fullmatch(word)):
        duration = durations.canonical(period[1])
        return "" if duration is None or durations.amount_seconds(duration) else f"duration:{duration}"
    return word if is_token(word) else ""


class Piece(NamedTuple):
    """The last words of a text that are meant as one token (a tag, score or duration).

    `words` is the number of words, `token` is the correct spelling. `bare`: without a colon, so the words count only
    after another token.
    """

    words: int
    token: str
    bare: bool = False


def near_miss(text: str, *, named: bool = False) -> Parsed | None:
    """Read misspelled tokens (tags, score, duration) at the end of a text as intended. None if there are none.

    A bare number or `score 8` counts only after another token. With `named` (for messages), `score 8` always counts.
    """
    text = tidy(text)
    words = text.split(" ")
    pieces: list[Piece] = []
    end = len(words)
    while end and (piece := _piece(words[:end])):
        pieces.append(piece)
        end -= piece.words
    while pieces and pieces[-1].bare and not (named and pieces[-1].words > 1):  # no token is before it
        end += pieces.pop().words
    body = tidy(" ".join(words[:end]).strip(" "))
    tokens = [piece.token for piece in reversed(pieces) if piece.token]
    whole = " ".join([body, *tokens])
    if not body or not tokens or whole == " ".join(text.split()):
        return None
    return None if parse_argument(whole).problems else parse_argument(whole, exact=True)


def unsure(parsed: Parsed) -> str:
    """Return the last words of a text if they could mean a score or duration, such as `score 8`; else ''."""
    words = parsed.text.split(" ")
    piece = _piece(words)
    return " ".join(words[-piece.words :]) if piece is not None and piece.bare and piece.words < len(words) else ""


def read(request: Request, *, person: bool = False) -> Parsed:
    """Parse a request's text. If it is incomplete, also read misspelled tokens that have only one meaning.

    The marker of a single list item is removed. `person`: a person makes the request and is allowed to leave out the
    score.
    """
    parsed = parse_argument(tidy(request.text), exact=True)
    is_judged = request.explicit or request.dims is not None
    has_all = parsed.tags and not parsed.problems and (is_judged or parsed.score is not None)
    near = None if request.update or has_all else near_miss(request.text)
    if near and ((near.tags and (is_judged or near.score is not None)) or (person and not parsed.tags)):
        parsed = near
    parsed.text = without_marker(parsed.text.strip())
    return parsed


def without_marker(text: str) -> str:
    """Return a text without the marker of a list item, unless it has several items."""
    marker = pattern(_MARKER).match(text) if text[:1] in "-*+•·0123456789" else None
    return text[marker.end() :] if marker and not pattern(f"\n{_MARKER}").search(text) else text


def tag_of(word: str) -> str | None:
    """Return the tag in a word. White space after # is accepted. None if the tag is invalid."""
    return normalise_tag(word) or normalise_tag(re.sub(r"^[#＃\s]+", "", word))


def _piece(words: list[str]) -> Piece | None:
    """Return the token that the last words of a text are meant to be, or None."""
    last = words[-1].rstrip(_END) if words[-1] not in _MARK else words[-1]
    if not last:
        return Piece(1, "")
    if is_token(last):
        return Piece(1, last)
    if last[:1] in _MARK and len(tags := [tag for tag in re.split(r"[,，;；、#＃]+", last) if tag]) > 1:
        return Piece(1, " ".join(f"#{tag}" for tag in tags)) if all(map(normalise_tag, tags)) else None
    if len(words) > 1 and words[-2] in _MARK and (tag := normalise_tag(last)):
        return Piece(2, f"#{tag}")
    return _named(words, last) or _bare(last)


def _named(words: list[str], last: str) -> Piece | None:
    """Read a value after its name: `score: 8`, `score : 8`, `score :8`, `score 8`, `tag: x`."""
    for count in (1, 2, 3):
        name, colon, value = _unfolded(" ".join([*words[-count:-1], last])).partition(":")
        if len(words) < count or (not colon and count != 2):
            continue
        if not colon:
            name, _, value = name.partition(" ")
        name = name.strip()
        if not colon and re.fullmatch(_TAG, name):  # words of a text: "the tags here"
            continue
        if token := _token(name, value.strip()):
            return Piece(count, token, bare=not colon)
    return None


def _token(name: str, value: str) -> str:
    if re.fullmatch(_SCORE, name) and (number := re.fullmatch(_NUMBER, value)):
        return f"score:{number[1]}" if _is_score(number[1]) else ""
    if re.fullmatch(_DURATION, name) and durations.canonical(value):
        return f"duration:{value}"
    if re.fullmatch(_TAG, name) and (tag := tag_of(value)):
        return f"#{tag}"
    return ""


def _bare(last: str) -> Piece | None:
    word = _unfolded(last)
    if (number := re.fullmatch(_NUMBER, word)) and _is_score(number[1]):
        return Piece(1, f"score:{number[1]}", bare=True)
    is_duration = (word.isascii() or word in durations.NAMES) and durations.canonical(word)  # 一年 is a word of a text
    return Piece(1, f"duration:{word}", bare=True) if is_duration else None


def _unfolded(text: str) -> str:
    """Replace full-width characters by ASCII characters, and each `=` by a colon."""
    return unicodedata.normalize("NFKC", text).replace("=", ":")


def _is_score(text: str) -> bool:
    try:
        parse_score(text)
    except ValueError:
        return False
    return True


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
    """Decide whether to store a text. `adjustment` raises both thresholds.

    With `explicit`, it is always stored, with a score of at least 8. Otherwise it must have a score.
    """
    final = max(score or 0.0, EXPLICIT_MINIMUM if explicit else 0.0)
    thresholds = (round(STORE_AT + adjustment, 1), round(REFUSE_BELOW + adjustment, 1))
    if explicit or final >= thresholds[0]:
        return Verdict(True, False, False, final, thresholds)
    middling = final >= thresholds[1]
    stored = middling and policy == "standard"
    return Verdict(stored, stored, not middling, final, thresholds)


def too_low(score: float, least: float, moved: str = "") -> str:
    """Return the message for a score that is not stored. `moved` tells why the threshold `least` has changed."""
    return f"score {format_score(score)} is below {format_score(least)}{moved}: not worth remembering"
