"""A quoted tag of two words, `'#two words'`: the error, and the command that is meant."""

from promptx_mem.core.pasteable import command
from promptx_mem.core.request import Request
from promptx_mem.core.syntax import Parsed, parse_argument
from promptx_mem.core.tags import normalise_tag
from promptx_mem.core.text import format_score, shorten
from promptx_mem.errors import UsageError


def error(request: Request, score: float | None) -> UsageError | None:
    """The error for `'#two words'` at the end of a text, which is meant for one tag more often than for text."""
    parsed = Parsed(request.text) if request.literal else parse_argument(request.text)
    words = parsed.text.split(" ")
    if len(words) < 3 or words[-2][:1] not in ("#", "＃") or normalise_tag(words[-2]) is None or not words[-1]:
        return None
    tag = normalise_tag(f"{words[-2]}-{words[-1]}")
    judged = score is not None or request.explicit or request.dims is not None
    if tag is None or not judged:
        return None
    given = request.score if request.literal else None if parsed.score is None else format_score(parsed.score)
    whole = request._replace(text=" ".join(words[:-2]), tags=(tag,), score=given)
    whole = whole._replace(duration=request.duration or parsed.duration)
    return UsageError(
        f"a tag is missing: {shorten(' '.join(words[-2:]), 40)} is text, since a tag has no spaces",
        code="missing_tag",
        hint=f"as one tag: {command(whole)}",
    )
