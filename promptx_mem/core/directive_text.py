"""The directives in a line as models write them: markers, bold, ticks and labels off, several on one line apart."""

import re

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
    """Return the directives of a line, each beginning at its bracket; the line itself where there is none."""
    text = _plain(line.strip())
    if not text.startswith("["):
        return [line]
    return _apart(text)


def is_named(line: str) -> bool:
    """Whether a line holds the name of a directive in brackets, or begins with one as a label."""
    return _NAMED.search(_WIDE.sub(r"[\1]", line)) is not None


def _plain(text: str) -> str:
    """Take off what stands before the bracket, and what is wrapped around it or the whole line."""
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
    """Split before a further directive: in a fact's text only where it has an id, or adds."""
    is_fact = re.match(r"\[\s*(?:ADD|UPDATE)", text, re.IGNORECASE) is not None
    pattern = _NEXT if is_fact else _AFTER_BARE
    end = text.find("]") + 1
    match = pattern.search(text, end) if end else None
    if match is None or match.end() >= len(text):
        return [text]
    return [text[: match.start()].rstrip(), *_apart(text[match.end() :])]
