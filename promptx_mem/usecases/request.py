"""From what was typed to one proposal: text, tags, score and duration, or a usage error that says what is missing."""

import re
from typing import Any, NamedTuple

from promptx_mem.core import durations, near_misses, paths, scoring
from promptx_mem.core.entry import FIELDS, LONG, SHORT
from promptx_mem.core.request import Request
from promptx_mem.core.shell import DURATION, EXAMPLE, SCORE, TAG, TEXT
from promptx_mem.core.syntax import bad_duration, is_token, parse_argument
from promptx_mem.core.tags import normalise_tag, unique
from promptx_mem.core.text import clean, decoded, format_score, shorten, with_glyphs
from promptx_mem.errors import Refused, UsageError
from promptx_mem.store.config import Config

MISMATCH = 0.5
EXAMPLE_SCORE, EXAMPLE_DURATION = SCORE, DURATION
"""What stands in a shown command where the caller gave nothing: placeholders, which are refused."""

_TAG = "a tag is letters, digits and _ - . /, without spaces"
GUIDE = "the questions behind a score: promptx-mem score --guide"


class Proposal(NamedTuple):
    """What the gate is to judge. `basis` is `dims`, `reason` or `none`."""

    text: str
    tags: tuple[str, ...]
    score: float | None
    duration: str | None
    dims: tuple[float, ...] | None
    basis: str
    explicit: bool
    warnings: tuple[str, ...] = ()

    def final_duration(self, score: float) -> str:
        return self.duration or (LONG if score >= scoring.STORE_AT else SHORT)


def propose(request: Request, config: Config) -> Proposal:
    """Read a request. Raises UsageError for what is missing or wrong, Refused where score and dimensions disagree."""
    text, tags, score, duration = _words(request)
    tags = unique(config.aliases.get(tag, tag) for tag in map(with_glyphs, tags))
    dims = _dims(request.dims)
    if not text:
        raise UsageError(
            "there is no text to remember",
            code="no_text",
            hint=f"for example: {EXAMPLE}",
        )
    if text == TEXT:
        raise UsageError(
            f"{TEXT} stands for the fact, which only you can know: nothing was stored",
            code="no_text",
            hint="the same command with the fact in its place, in one sentence that stands alone",
        )
    evaluated = None
    if dims is not None:
        profile = request.profile or config.profile
        try:
            evaluated = scoring.evaluate(dims, profile, explicit=request.explicit).score
        except ValueError as error:
            raise UsageError(str(error), hint=GUIDE) from None
        if score is not None and abs(score - evaluated) > MISMATCH + 1e-9:
            raise Refused(
                f"the score does not match its basis (评分与依据不符): score {format_score(score)} is given, "
                f"but the dimensions give {format_score(evaluated)}",
                code="score_mismatch",
                hint=f"without the score: {pasteable(near_misses.with_tokens(request), score=None)}\n"
                "the questions behind the dimensions: promptx-mem score --guide",
            )
    _check_choices(request)
    score = evaluated if score is None else score
    if not request.update:
        tags = _complete(request, config, tags, score)
    basis = "dims" if dims is not None else "reason" if request.reason else "none"
    return Proposal(text, tags, score, duration, dims, basis, request.explicit, literal_tokens(request))


def pasteable(request: Request, **changes: Any) -> str:
    """The shell command for a request with some fields changed (core/pasteable.py, loaded where it is needed)."""
    from promptx_mem.core.pasteable import command

    return command(request, **changes)


def _whole(request: Request) -> str:
    """The command with placeholders for what is missing."""
    from promptx_mem.core.pasteable import completed

    return completed(request)


def _completed(request: Request) -> str:
    """The command with placeholders for what is missing; two where a word at the end may be a token or text."""
    from promptx_mem.core.pasteable import completed

    command, alternative = completed(request), completed(request, bare=True)
    words = shorten(near_misses.unsure(request.text), 40)
    return (
        command if command == alternative or request.literal else f"{command}\nif {words!r} is no text: {alternative}"
    )


def _words(request: Request) -> tuple[str, tuple[str, ...], float | None, str | None]:
    request = request._replace(text=decoded(request.text), tags=tuple(map(decoded, request.tags)))
    if not request.literal:
        parsed = near_misses.read(request)
        if parsed.problems:
            bad = any(problem.startswith("duration") for problem in parsed.problems)
            mended = _mended(request, parsed.score, EXAMPLE_DURATION if bad else parsed.duration)
            raise UsageError("; ".join(parsed.problems), hint=mended)
        return clean(parsed.text), parsed.tags, parsed.score, parsed.duration
    tags = [normalise_tag(tag) or near_misses.tag_of(tag) for tag in request.tags]
    for name, tag in zip(request.tags, tags, strict=True):
        if tag is None:
            raise UsageError(f"{shorten(name, 40)!r} is not a tag: {_TAG}", hint=_split_tags(request))
    try:
        score = scoring.parse_score(request.score) if request.score is not None else None
    except ValueError as error:
        raise UsageError(str(error), hint=_mended(request, None, request.duration)) from None
    duration = durations.canonical(request.duration) if request.duration is not None else None
    if request.duration is not None and duration is None:
        raise UsageError(bad_duration(request.duration), hint=_mended(request, score, EXAMPLE_DURATION))
    return clean(request.text), unique(tag for tag in tags if tag), score, duration


def _mended(request: Request, score: float | None, duration: str | None) -> str:
    """The command with a good value in the place of a wrong one, and what else it would be refused for."""
    figure = EXAMPLE_SCORE if score is None else format_score(score)
    tokens = parse_argument(request.text)
    tags = unique((*request.tags, *tokens.tags)) or (() if request.update else (TAG,))
    text = tokens.text or TEXT
    whole = request._replace(text=text, tags=tags, score=figure, duration=duration)
    return f"for example: {pasteable(whole)}"


def _split_tags(request: Request) -> str:
    """The command with each tag given alone, where that is what was meant."""
    pieces = unique(piece for tag in request.tags for piece in re.split(r"[\s,;，、；#＃]+", tag) if piece)
    tags = tuple(piece for piece in pieces if normalise_tag(piece) is not None)
    judged = request.score is not None or request.explicit or request.dims is not None
    score = request.score if judged else EXAMPLE_SCORE
    return f"for example: {pasteable(request, tags=tags or (TAG,), score=score)}"


def _dims(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return scoring.parse_dims(text)
    except ValueError as error:
        raise UsageError(str(error), hint=GUIDE) from None


def _complete(request: Request, config: Config, tags: tuple[str, ...], score: float | None) -> tuple[str, ...]:
    """Demand a tag and a score; say so in a way that helps where bash has swallowed them."""
    if not tags and config.default_tag:
        tags = (config.default_tag,)
    if (not tags or (score is None and not request.explicit)) and (mixed := _misplaced(request)):
        raise mixed
    if not tags and (wrong := _no_tag(request, score)):
        raise wrong
    if not tags and score is None and not request.explicit:
        raise _only_text(request)
    if not tags:
        raise UsageError(
            "a tag is missing (bash takes an unquoted one for a comment)",
            code="missing_tag",
            hint=f"with quotes: {_completed(request)}",
        )
    if score is None and not request.explicit:
        raise UsageError(
            f"a score is missing: from 0 to 10, how much is it worth to remember this?{_unsure(request)}",
            code="missing_score",
            hint=f"for example: {_completed(request)}\n{GUIDE}",
        )
    return tags


def _unsure(request: Request) -> str:
    words = near_misses.unsure(request.text)
    return (
        f" ({shorten(words, 40)!r} at the end is text here: a score is score:8, a duration duration:30d)"
        if words
        else ""
    )


def _only_text(request: Request) -> UsageError:
    """The error for a text without tag and score: what has become of them."""
    arrived = "only the text arrived, no tag and no score"
    if {"-t", "--tag", "--score"} & set(request.text.split(" ")):
        return UsageError(
            f"{arrived}: behind -- and inside quotes an option is text",
            code="no_tokens",
            hint=f"options go before --, for example: promptx-mem remember -t '{TAG}' --score '{SCORE}' -- '{TEXT}'",
        )
    if near_misses.mended(request.text):
        return UsageError(
            "a tag is missing (bash takes an unquoted one for a comment)",
            code="missing_tag",
            hint=f"with quotes: {_completed(request)}",
        )
    return UsageError(
        f"{arrived}: an unquoted #tag begins a comment in bash, so nothing behind it reaches the program"
        f"{_unsure(request)}",
        code="no_tokens",
        hint=f"with quotes: {_completed(request)}",
    )


def _is_value(word: str) -> bool:
    read_back = parse_argument(word)
    return read_back.score is not None or read_back.duration is not None


def _misplaced(request: Request) -> UsageError | None:
    """The error for tokens that stand where they are text: beside options, or in front of the text."""
    if request.literal:
        argument = parse_argument(request.text)
        if argument.text == request.text or not argument.text:
            return None
        score = request.score if request.score is not None or argument.score is None else format_score(argument.score)
        tags = unique((*request.tags, *argument.tags))
        whole = request._replace(
            text=argument.text, tags=tags, score=score, duration=request.duration or argument.duration
        )
        return UsageError(
            "with -t, --score or --duration the text is taken as it stands, tokens at its end too",
            code="mixed_forms",
            hint=f"one form for all: {_completed(whole)}",
        )
    words = request.text.split(" ")
    texts = [place for place, word in enumerate(words) if word and not is_token(word)] or [0]
    # In front of the text all tokens are meant; within it a #word may be a word, but a score is none.
    if not texts[0] and not any(map(_is_value, words[: texts[-1]])):
        return None
    if parse_argument(request.text).score is not None and any(map(_is_value, words[: texts[-1]])):
        return None  # with a score behind the text, what is like one before it is text
    tokens = words[: texts[0]] or [word for word in words if is_token(word)]
    rest = words[texts[0] :] if texts[0] else [words[place] for place in texts]
    behind = request._replace(text=" ".join([*rest, *tokens]))
    return UsageError(
        "tags and score stand behind the text", code="tokens_first", hint=f"in that order: {_whole(behind)}"
    )


def _no_tag(request: Request, score: float | None) -> UsageError | None:
    """The error for a word that was meant for a tag and is none; bash had no part in that."""
    if " #" in request.text or " ＃" in request.text:
        from promptx_mem.usecases import spaced_tag

        if error := spaced_tag.error(request, score):
            return error
    if request.literal:
        return None
    parsed = parse_argument(request.text)
    *words, last = parsed.text.split(" ")
    tag = next((word for word in reversed(words) if word[:1] in ("#", "＃") and normalise_tag(word)), "")
    figure = EXAMPLE_SCORE if score is None else format_score(score)
    if words and last[:1] in ("#", "＃") and normalise_tag(last) is None:
        rest = parse_argument(" ".join(words))
        whole = request._replace(text=rest.text, tags=(*rest.tags, last), score=figure, duration=parsed.duration)
        why = f"{shorten(last, 40)!r} is not a tag: {_TAG}"
        return UsageError(why, code="missing_tag", hint=_split_tags(whole))
    if tag and score is not None:
        return UsageError(
            f"a tag is missing: {shorten(tag, 40)} is text, since words stand behind it, and a tag has no spaces",
            code="missing_tag",
            hint=f"behind the text: {pasteable(request, tags=(TAG,))}",
        )
    return None


def literal_tokens(request: Request) -> tuple[str, ...]:
    """A warning where the text ends in tokens that are text, since options are given."""
    argument = parse_argument(request.text) if request.literal else None
    if argument is None or not (argument.tags or argument.score is not None or argument.duration):
        return ()
    message = "the tokens at the end of the text are stored as text, since -t, --score or --duration is given"
    return (f"{message}: {shorten(request.text, 60)}",)


def _check_choices(request: Request) -> None:
    allowed = {field.name: field.choices for field in FIELDS if field.choices} | {"profile": scoring.PROFILES}
    for name, choices in allowed.items():
        value = getattr(request, name)
        if value is not None and value not in choices:
            raise UsageError(f"--{name} {shorten(value, 40)!r} is not known", hint=f"allowed: {', '.join(choices)}")
    for field in FIELDS:
        value = getattr(request, field.name) if field.is_path else None
        for path in (value,) if isinstance(value, str) else value or ():
            if not paths.parse_path(path):
                raise UsageError(
                    f"--{field.name} {shorten(path, 40)!r} is not a topic path",
                    hint=f"names joined by ->: --{field.name} 'project->memory'",
                )
