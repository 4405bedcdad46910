"""Errors for an invalid or refused request to remember, and for invalid ids. Loaded only if needed."""

import re

from promptx_mem import session
from promptx_mem.core import pasteable, personal_data
from promptx_mem.core import request as requests
from promptx_mem.core.labels import normalise_tag, unique
from promptx_mem.core.request import Request
from promptx_mem.core.shell import GUIDE, REASON, USAGE, join, quote
from promptx_mem.core.syntax import Parsed, bad_duration, parse_argument
from promptx_mem.core.text import format_score, shorten
from promptx_mem.errors import Refused, UsageError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.store import settings, violations
from promptx_mem.store.audit import Record

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context

_TAG = "a tag is letters, digits and _ - . /, without spaces"
_SWALLOWED = "the shell drops unquoted #tags"
_EXAMPLES, _WORDS = 5, 60


def completed(request: Request, label: str = "for example", *, is_strict: bool = False) -> str:
    """Return a line with a completed command. A missing score becomes the lowest accepted, for a decision at least 7.

    If the text, a tag or a required reason is missing, return the usage line instead.
    """
    least = requests.STORE_AT if is_strict else requests.REFUSE_BELOW
    if personal_data.personal_data(request.text):
        least += requests.PERSONAL
    whole = _with_basis(request, is_strict=is_strict)
    if whole is not request:
        return pasteable.usage(whole)
    return pasteable.completed(request, label, least)


def _with_basis(request: Request, *, is_strict: bool) -> Request:
    """Return a request, with a placeholder as its reason if a strict policy needs a reason."""
    is_lacking = is_strict and not (request.reason or request.dims or request.explicit)
    return request._replace(reason=REASON) if is_lacking else request


def invalid(
    request: Request, problem: str, score: float | None, duration: str | None, *, is_strict: bool
) -> UsageError:
    """Return the error for an invalid score or duration, with a corrected command or a usage line."""
    text, tags = request.text, request.tags
    if not (request.literal and tags):
        tokens = pasteable.near_miss(text) or parse_argument(requests.split_tokens(text))
        text, tags = tokens.text, unique((*tags, *tokens.tags))
    if bad_duration("")[-20:] in problem:
        whole = _with_basis(_changed(request, text, tags, score, "<30d>"), is_strict=is_strict)
        return UsageError(problem, hint=pasteable.usage(whole))
    whole = _changed(request, text, tags, score, duration)
    return UsageError(problem, hint=completed(whole, is_strict=is_strict))


def not_a_tag(request: Request, name: str, *, is_strict: bool) -> UsageError:
    """Return the error for an invalid tag. The command in its hint has the valid words of all tags."""
    pieces = unique(piece for tag in request.tags for piece in re.split(r"[\s,;，、；#＃]+", tag) if piece)
    tags = tuple(piece for piece in pieces if normalise_tag(piece) is not None)
    hint = completed(request._replace(tags=tags), is_strict=is_strict)
    return UsageError(f"{shorten(name, 40)!r} is not a tag: {_TAG}", hint=hint)


def mismatch(request: Request, score: float, evaluated: float) -> Refused:
    """Return the error for a score that differs too much from `evaluated`, the score computed from the dimensions."""
    return Refused(
        f"the score does not match its dimensions (评分与依据不符): score {format_score(score)} is given, "
        f"but --dims results in {format_score(evaluated)}",
        code="score_mismatch",
        hint=f"without --score: {pasteable.command(request, score=None)}\n"
        "the questions for each dimension: promptx-mem score --guide",
    )


def missing_token(
    request: Request, *, has_tag: bool, score: float | None, person: bool, is_strict: bool
) -> UsageError | None:
    """Return the error for a missing or misplaced tag or score. None for a person, unless one is misplaced."""
    argument = parse_argument(request.text)
    if misplaced := _misplaced(request, argument, is_strict=is_strict):
        return misplaced
    mark = next((word for word in reversed(request.text.split(" ")) if word[:1] in ("#", "＃")), "")
    if mark and not has_tag and score is not None and not request.literal:
        return _not_last(request, mark, is_strict=is_strict)
    is_judged = score is not None or request.explicit
    if not (has_tag or is_judged) and {"-t", "--tag", "--score"} & set(request.text.split(" ")):
        message = "an option after -- or inside quotes is text; put the option first"
        return UsageError(message, code="no_tokens", hint=USAGE)
    if person:
        return None
    line = completed(request, is_strict=is_strict)
    rest = f"; {text}" if (text := unsure(argument)) else ""
    if has_tag:
        message = f"a score is missing: how important is it, from 0 to 10?{rest}"
        return UsageError(message, code="missing_score", hint=f"{line}\n{GUIDE}")
    is_judged = is_judged or pasteable.near_miss(request.text) is not None
    missing = "a tag is missing" if is_judged else "a tag and a score are missing"
    code = "missing_tag" if is_judged else "no_tokens"
    return UsageError(f"{missing} ({_SWALLOWED}){rest}", code=code, hint=line)


def _not_last(request: Request, mark: str, *, is_strict: bool) -> UsageError:
    """Return the error for a `#` word that is not a tag or not at the end. For a tag, the hint puts tags last."""
    words = request.text.split(" ")
    tags = [word for word in words if word[:1] in requests.MARK and normalise_tag(word)]
    message, hint = f"{shorten(mark, 40)!r} is not a tag: {_TAG}; tags come last", ""
    if mark in tags:
        message = f"{shorten(mark, 40)!r} is inside the text: tags come last and have no spaces"
        behind = request._replace(text=" ".join([*(word for word in words if word not in tags), *tags]))
        hint = f"{completed(behind, 'if it is a tag', is_strict=is_strict)}\n"
    hint += pasteable.usage(_with_basis(request, is_strict=is_strict))
    return UsageError(message, code="missing_tag", hint=hint)


def unsure(argument: Parsed) -> str:
    """Return a note about words at the end of the text that could mean a score or duration. Empty if there are none."""
    if not (words := pasteable.possible_token(argument)):
        return ""
    return f"{shorten(words, 40)!r} at the end is text: write score:8 for a score, duration:30d for a duration"


def _changed(request: Request, text: str, tags: tuple[str, ...], score: float | None, duration: str | None) -> Request:
    given = None if score is None else format_score(score)
    return request._replace(text=text, tags=tags, score=given, duration=duration)


def _misplaced(request: Request, argument: Parsed, *, is_strict: bool) -> UsageError | None:
    """Return the error for tokens (#tag, score:8) that options or a wrong order make part of the text, else None."""
    if request.literal:
        if argument.text == request.text or not argument.text:
            return None
        tags, duration = unique((*request.tags, *argument.tags)), request.duration or argument.duration
        whole = _changed(request, argument.text, tags, argument.score, duration)
        if request.score is not None:
            whole = whole._replace(score=request.score)
        return UsageError(
            "with -t, --score or --duration, #tag and score:8 in the text are not read",
            code="mixed_forms",
            hint=completed(whole, "instead", is_strict=is_strict),
        )
    words = request.text.replace(requests.WIDE, " ").split(" ")
    texts = [place for place, word in enumerate(words) if word and not requests.token_of(word)] or [0]
    before = map(parse_argument, words[: texts[-1]])
    has_value = any(parsed.score is not None or parsed.duration is not None for parsed in before)
    # Tokens before the text are always meant as tokens. Within the text, a #word can be an ordinary word, but score:8
    # cannot, unless another score follows the text.
    if (not texts[0] and not has_value) or (has_value and argument.score is not None):
        return None
    tokens = words[: texts[0]] or [word for word in words if requests.token_of(word)]
    rest = words[texts[0] :] if texts[0] else [words[place] for place in texts]
    behind = request._replace(text=" ".join([*rest, *tokens]))
    hint = completed(behind, "in the right order", is_strict=is_strict)
    return UsageError("put tags and score after the text", code="tokens_first", hint=hint)


def refuse_blocked(context: "Context", count: int, request: Request | None) -> None:
    """Raise Refused if `count` violations block the session."""
    if count >= violations.MOST:
        name = session.violation_names(context.session)[0]
        way = f"if the user has asked for it: {pasteable.command(request, explicit=True)}\n" if request else ""
        raise Refused(
            f"this session ({name}) is blocked after {violations.MOST} violations: {violations.BLOCKED}",
            code="session_blocked",
            hint=f"{way}{_lift(name)}",
        )


def escalate(context: "Context", error: Refused, count: int, record: Record) -> None:
    """Add the number of violations to the error, and the session's names to the audit record.

    The third violation blocks the session, except for texts that the user asked for.
    """
    names = session.violation_names(context.session)
    if names != (context.session,):
        record["by"] = list(names)
    error.data = {**error.data, "violations": count}
    if count < violations.MOST:
        warning = f"violation {count} of {violations.MOST} in this session; after three, {violations.BLOCKED}"
    else:
        warning = f"violation {count}: session {names[0]} is blocked: {violations.BLOCKED}\n{_lift(names[0])}"
    error.hint = f"{error.hint}\n{warning}"


def _lift(name: str) -> str:
    idle = f"the block ends after {violations.IDLE_HOURS} hours without a command"
    return f"{idle}; a person can end it now: promptx-mem audit --allow {quote(name)}"


def refused_before(last: Record, request: Request) -> Refused:
    """Return the error for a text that was refused as not credible before."""
    return Refused(
        f"this text was refused as not credible ({str(last.get('at'))[:16]}); omitting --dims does not help",
        code="not_credible",
        hint="if the fact has been confirmed, give six new values with --dims; "
        f"if the user has asked for it, store it as unverified: {pasteable.command(request, explicit=True)}",
    )


def store_full(size: int, more: int) -> Refused:
    """Return the error for `more` bytes that do not fit into a store."""
    most, line = settings.most_bytes(), settings.size_instruction(size + more)
    hints = [f"to allow larger stores, which are slower: {line}"] if line else []
    if more <= most:
        hints += [
            "to make room, end some memories; usage: promptx-mem forget <id>",
            "then archive them: promptx-mem decay --compact",
            "to find lines that are far too long: promptx-mem audit --verify",
        ]
    return Refused(
        f"{more:,} bytes do not fit, so nothing was stored: the store has {size / 1e6:.1f} MB of {most / 1e6:.0f} MB, "
        "and has no more ended memories to archive",
        code="store_full",
        hint="\n".join(hints),
    )


def ambiguous(prefix: str, ids: list[str]) -> UsageError:
    """Return the error for a prefix of several ids, with their number and the command that lists the memories."""
    examples = ", ".join(ids[:_EXAMPLES])
    hint = f"type more characters of the id; to list these memories: promptx-mem recall {prefix} -n {len(ids)}"
    message = f"{len(ids)} ids begin with {prefix}: {examples}{', …' if len(ids) > _EXAMPLES else ''}"
    return UsageError(message, code="ambiguous", hint=hint)


def not_an_id(word: str) -> UsageError:
    """Return the error for a word that is not an id, with the command that searches memories for the word."""
    looks = "an id looks like m_7k2q9x4htb; a unique prefix is enough"
    words = join(["promptx-mem", "recall", *(["--"] if word.startswith("-") else []), shorten(word, _WORDS)])
    way = f"\nto find a memory by its words: {words}" if word.strip() else ""
    return UsageError(f"{shorten(word, 40)!r} is not an id", hint=f"{looks}{way}")
