"""From typed words to one proposal: text, tags, score and duration, or a usage error that names what is missing."""

import re
from typing import Any, NamedTuple

from promptx_mem.core import durations, near_misses, paths, scoring
from promptx_mem.core.entry import FIELDS, LONG, LONGEST_ALIAS, MEDIUM, MOST_ALIASES, SHORT, clean_aliases
from promptx_mem.core.request import Request
from promptx_mem.core.shell import TEXT, USAGE, quote
from promptx_mem.core.syntax import bad_duration, is_token, parse_argument, parse_score
from promptx_mem.core.tags import NOTE, normalise_tag, unique
from promptx_mem.core.text import clean, decoded, format_score, is_printable, pattern, shorten, with_glyphs
from promptx_mem.errors import Refused, UsageError
from promptx_mem.store.config import Config

MISMATCH = 0.5
PRIVATE = 1.0
"""Added to both thresholds by personal data."""

REASON = "<why>"

_MARKER = r"(?:[-*+•·]|[0-9]{1,2}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=[^\s0-9])"
"""The marker of a list item, with the box of a task."""

_TAG = "a tag is letters, digits and _ - . /, without spaces"
_SWALLOWED = "the shell drops an unquoted #tag and all after it"
GUIDE = "the questions behind a score: promptx-mem score --guide"


class Proposal(NamedTuple):
    """What the gate is to judge. `basis` is `dims`, `reason`, `terminal` (a person's default score) or `none`.

    `defaults` names what a person left to the program: tag, score.
    """

    text: str
    tags: tuple[str, ...]
    score: float | None
    duration: str | None
    dims: tuple[float, ...] | None
    basis: str
    explicit: bool
    warnings: tuple[str, ...] = ()
    defaults: tuple[str, ...] = ()

    def final_duration(self, score: float) -> str:
        return self.duration or (LONG if score >= scoring.STORE_AT else SHORT)


def propose(request: Request, config: Config, *, person: bool = False) -> Proposal:
    """Read a request; a person may leave out tag and score.

    Raises UsageError for what is missing or wrong, Refused where score and dimensions disagree.
    """
    text, tags, score, duration = _words(request, person)
    tags = unique(config.aliases.get(tag, tag) for tag in map(with_glyphs, tags))
    dims = _dims(request.dims)
    if not text or text == TEXT:
        raise UsageError("there is no text to remember", code="no_text", hint=USAGE)
    evaluated = None if dims is None else _evaluated(request, config, dims, score)
    _check_choices(request)
    _check_aliases(request)
    score = evaluated if score is None else score
    defaults: tuple[str, ...] = ()
    if not request.update:
        if not tags and config.default_tag:
            tags = (config.default_tag,)
        if not tags or (score is None and not request.explicit):
            _check_complete(request, config, tags, score, person)
            defaults = (*(() if tags else ("tag",)), *(("score",) if score is None and not request.explicit else ()))
            tags = tags or (NOTE,)
    if "score" in defaults:
        score, duration = scoring.EXPLICIT_MINIMUM, duration or MEDIUM
    basis = "dims" if dims is not None else "reason" if request.reason else "none"
    if "score" in defaults or request.by_default:
        basis = "terminal"
    warnings = literal_tokens(request) + _slashes(request)
    if "score" in defaults and (unsure := _unsure(request)):
        warnings = (*warnings, unsure.removeprefix("; "))
    return Proposal(text, tags, score, duration, dims, basis, request.explicit, warnings, defaults)


def _evaluated(request: Request, config: Config, dims: tuple[float, ...], score: float | None) -> float:
    """Return the score of the dimensions. Raises Refused where a given score is another one."""
    try:
        evaluated = scoring.evaluate(dims, request.profile or config.profile, explicit=request.explicit).score
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
    return evaluated


def pasteable(request: Request, **changes: Any) -> str:
    """The shell command for a request with some fields changed (core/pasteable.py, loaded where it is needed)."""
    from promptx_mem.core.pasteable import command

    return command(request, **changes)


def usage(request: Request) -> str:
    """Return the usage line of a request (core/pasteable.py)."""
    from promptx_mem.core.pasteable import usage

    return usage(request)


def completed(request: Request, config: Config, label: str = "for example", *, bare: bool = False) -> str:
    """Return a line with the command of a request, with the lowest score that the store accepts where it has none.

    It is the usage line where that needs more than a score.
    """
    from promptx_mem.core import privacy
    from promptx_mem.core.pasteable import completed, lowest_score

    is_strict = config.policy == "strict"
    least = scoring.STORE_AT if is_strict else scoring.REFUSE_BELOW
    if privacy.personal_data(request.text):
        least += PRIVATE
    line = completed(request, label, lowest_score(request.text, least), bare=bare)
    needs_reason = is_strict and not (request.reason or request.dims or request.explicit)
    return usage(request._replace(reason=REASON)) if needs_reason else line


def _read_both_ways(request: Request, config: Config) -> str:
    """Return the line of `completed`; two where a word at the end may be a token or text."""
    line, other = completed(request, config), completed(request, config, bare=True)
    if line == other or request.literal or other.startswith("usage: "):
        return line
    words = shorten(near_misses.unsure(request.text), 40)
    return f"{line}\n{completed(request, config, f'if {words!r} is not text', bare=True)}"


def _words(request: Request, person: bool) -> tuple[str, tuple[str, ...], float | None, str | None]:
    request = request._replace(text=decoded(request.text), tags=tuple(map(decoded, request.tags)))
    if not request.literal:
        parsed = near_misses.read(request)
        if person and not request.update and not parsed.tags and (whole := near_misses.mended(request.text)):
            parsed = parse_argument(whole)
        if parsed.problems:
            raise UsageError("; ".join(parsed.problems), hint=_without_wrong(request, parsed.score, parsed.duration))
        return _without_marker(clean(parsed.text)), parsed.tags, parsed.score, parsed.duration
    tags = [normalise_tag(tag) or near_misses.tag_of(tag) for tag in request.tags]
    for name, tag in zip(request.tags, tags, strict=True):
        if tag is None:
            raise UsageError(f"{shorten(name, 40)!r} is not a tag: {_TAG}", hint=_split_tags(request))
    try:
        score = parse_score(request.score) if request.score is not None else None
    except ValueError as error:
        raise UsageError(str(error), hint=_without_wrong(request, None, request.duration)) from None
    duration = durations.canonical(request.duration) if request.duration is not None else None
    if request.duration is not None and duration is None:
        raise UsageError(bad_duration(request.duration), hint=_without_wrong(request, score, None))
    return _without_marker(clean(request.text)), unique(tag for tag in tags if tag), score, duration


def _without_marker(text: str) -> str:
    """Return a text without the marker of a pasted list item, if it is only one item."""
    match = pattern(_MARKER).match(text)
    return text if match is None or pattern(f"\\n{_MARKER}").search(text) else text[match.end() :]


def _without_wrong(request: Request, score: float | None, duration: str | None) -> str:
    """Return the command with these values only: a wrong one is left out."""
    tokens = parse_argument(request.text)
    whole = request._replace(
        text=tokens.text,
        tags=unique((*request.tags, *tokens.tags)),
        score=None if score is None else format_score(score),
        duration=duration,
    )
    return completed(whole, Config())


def _split_tags(request: Request) -> str:
    """Return the command with each tag given by itself, where that is what was meant."""
    pieces = unique(piece for tag in request.tags for piece in re.split(r"[\s,;，、；#＃]+", tag) if piece)
    tags = tuple(piece for piece in pieces if normalise_tag(piece) is not None)
    return completed(request._replace(tags=tags), Config())


def _dims(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        return scoring.parse_dims(text)
    except ValueError as error:
        raise UsageError(str(error), hint=GUIDE) from None


def _check_complete(request: Request, config: Config, tags: tuple[str, ...], score: float | None, person: bool) -> None:
    """Demand a tag and a score; of a person only that neither is in the wrong place."""
    if misplaced := _misplaced(request, config):
        raise misplaced
    if not tags and (wrong := _no_tag(request, score)):
        raise wrong
    if (
        not tags
        and score is None
        and not request.explicit
        and {"-t", "--tag", "--score"} & set(request.text.split(" "))
    ):
        raise UsageError(
            "an option after -- or inside quotes is text: put it before them",
            code="no_tokens",
            hint=USAGE,
        )
    if person:
        return
    if tags:
        raise UsageError(
            f"a score is missing: from 0 to 10, how much is it worth to remember this?{_unsure(request)}",
            code="missing_score",
            hint=f"{_read_both_ways(request, config)}\n{GUIDE}",
        )
    is_judged = score is not None or request.explicit or near_misses.mended(request.text)
    missing = "a tag is missing" if is_judged else "a tag and a score are missing"
    raise UsageError(
        f"{missing} ({_SWALLOWED}){_unsure(request)}",
        code="missing_tag" if is_judged else "no_tokens",
        hint=_read_both_ways(request, config),
    )


def _unsure(request: Request) -> str:
    words = near_misses.unsure(request.text)
    return f"; {shorten(words, 40)!r} at the end is text: a score is score:8, a duration duration:30d" if words else ""


def _is_value(word: str) -> bool:
    read_back = parse_argument(word)
    return read_back.score is not None or read_back.duration is not None


def _misplaced(request: Request, config: Config) -> UsageError | None:
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
            "with -t, --score or --duration the whole text is literal, tokens at its end too",
            code="mixed_forms",
            hint=completed(whole, config, "one form for all"),
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
        "put tags and score after the text", code="tokens_first", hint=completed(behind, config, "in that order")
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
    if words and last[:1] in ("#", "＃") and normalise_tag(last) is None:
        rest = parse_argument(" ".join(words))
        whole = request._replace(
            text=rest.text,
            tags=(*rest.tags, last),
            score=None if score is None else format_score(score),
            duration=parsed.duration,
        )
        why = f"{shorten(last, 40)!r} is not a tag: {_TAG}"
        return UsageError(why, code="missing_tag", hint=_split_tags(whole))
    if tag and score is not None:
        return UsageError(
            f"a tag is missing: {shorten(tag, 40)} is text, since words follow it, and a tag has no spaces",
            code="missing_tag",
            hint=usage(request),
        )
    return None


def literal_tokens(request: Request) -> tuple[str, ...]:
    """A warning where the text ends in tokens that are text, since options are given."""
    argument = parse_argument(request.text) if request.literal else None
    if argument is None or not (argument.tags or argument.score is not None or argument.duration):
        return ()
    message = "the tokens at the end of the text are stored as text, since -t, --score or --duration is given"
    return (f"{message}: {shorten(request.text, 60)}",)


def _slashes(request: Request) -> tuple[str, ...]:
    """Return a warning if a topic has a slash and no arrow: it is one name, and may be meant as a path."""
    named = [("--topic", request.topic or ""), *(("--related", path) for path in request.related)]
    wrong = next(((name, path) for name, path in named if "/" in path and len(paths.read_path(path)) == 1), None)
    if wrong is None:
        return ()
    name, path = wrong
    meant = paths.format_path(paths.parse_path(path.replace("/", paths.SEPARATOR)))
    return (f"{name} {shorten(path, 40)} is one name; for a path: {name} {quote(shorten(meant, 80))}",)


def _check_aliases(request: Request) -> None:
    check_aliases(request.aka)
    if request.aka and request.split:
        raise UsageError(
            "--aka names one memory, and --split stores several",
            hint="with --split - each line may end in its own: <text> #<tag> score:8 --aka <words>",
        )


def check_aliases(aliases: tuple[str, ...]) -> None:
    """Raise UsageError for an alias that has no letter, is too long or does not print, and for too many of them."""
    cleaned = clean_aliases(aliases)
    if len(cleaned) > MOST_ALIASES:
        raise UsageError(f"{len(cleaned)} aliases are too many", hint=f"at most {MOST_ALIASES}")
    for alias in cleaned:
        if len(alias) > LONGEST_ALIAS or not any(map(str.isalnum, alias)) or not is_printable(alias):
            raise UsageError(
                f"--aka {shorten(alias, 40)!r} is not an alias",
                hint=f"words of at most {LONGEST_ALIAS} characters, by which the memory may be asked for",
            )


def _check_choices(request: Request) -> None:
    allowed = {field.name: field.choices for field in FIELDS if field.choices} | {"profile": scoring.PROFILES}
    for name, choices in allowed.items():
        value = getattr(request, name)
        if value is not None and value not in choices:
            raise UsageError(f"--{name} {shorten(value, 40)!r} is not known", hint=f"allowed: {', '.join(choices)}")
    for field in FIELDS:
        value = getattr(request, field.name) if field.is_path else None
        for path in (value,) if isinstance(value, str) else value or ():
            if paths.is_cut(path):
                raise UsageError(
                    f"--{field.name} {shorten(path, 40)!r} ends in -: the shell took an unquoted > as a redirection",
                    hint=f"quote it: --{field.name} 'project->partner'",
                )
            if not paths.parse_path(path):
                raise UsageError(
                    f"--{field.name} {shorten(path, 40)!r} is not a topic path",
                    hint=f"names joined by ->: --{field.name} 'project->memory'",
                )
