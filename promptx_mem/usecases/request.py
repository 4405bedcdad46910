"""From words to one proposal: text, tags, score and duration, or a usage error that names the missing part."""

import re

from promptx_mem.core import labels, scoring, times
from promptx_mem.core import request as near_misses
from promptx_mem.core.entry import FIELDS, LONG, LONGEST_ALIAS, MEDIUM, MOST_ALIASES, SHORT, clean_aliases
from promptx_mem.core.labels import NOTE, normalise_tag, unique
from promptx_mem.core.request import Request
from promptx_mem.core.shell import TEXT, USAGE, quote
from promptx_mem.core.syntax import Parsed, bad_duration, is_token, parse_argument, parse_score
from promptx_mem.core.text import clean, decoded, format_score, is_printable, pattern, shorten, with_glyphs
from promptx_mem.errors import Refused, UsageError
from promptx_mem.record import Any, NamedTuple
from promptx_mem.store.config import Config


def spaced_tag_error(request: Request, score: float | None) -> UsageError | None:
    """Return the error for `'#two words'` at the end of a text, which more often means a tag than text."""
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
        hint=f"as one tag: {pasteable(whole)}",
    )


MISMATCH = 0.5
PRIVATE = 1.0
"""Added to both thresholds by personal data."""

REASON = "<why>"

_MARKER = r"(?:[-*+•·]|[0-9]{1,2}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=[^\s0-9])"
"""The marker of a list item, with a task's box."""

_TAG = "a tag is letters, digits and _ - . /, without spaces"
_SWALLOWED = "the shell drops an unquoted #tag and all after it"
GUIDE = "the questions behind a score: promptx-mem score --guide"


class Proposal(NamedTuple):
    """The input of the gate. `basis` is `dims`, `reason`, `terminal` (a person's default score) or `none`.

    `defaults` names the values that a person left out: tag, score.
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

    Raises UsageError for a missing or wrong value, Refused if score and dimensions disagree.
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
    """Return the score of the dimensions. Raises Refused if another score is given."""
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
    """Return the shell command for a request with some fields changed (core/pasteable.py, loaded only here)."""
    from promptx_mem.core.pasteable import command

    return command(request, **changes)


def usage(request: Request) -> str:
    """Return the usage line of a request (core/pasteable.py)."""
    from promptx_mem.core.pasteable import usage

    return usage(request)


def completed(request: Request, config: Config, label: str = "for example", *, bare: bool = False) -> str:
    """Return a line with the command of a request, with the lowest accepted score if it has none.

    It is the usage line if more than a score is missing.
    """
    from promptx_mem.core import personal_data
    from promptx_mem.core.pasteable import completed, lowest_score

    is_strict = config.policy == "strict"
    least = scoring.STORE_AT if is_strict else scoring.REFUSE_BELOW
    if personal_data.personal_data(request.text):
        least += PRIVATE
    line = completed(request, label, lowest_score(request.text, least), bare=bare)
    needs_reason = is_strict and not (request.reason or request.dims or request.explicit)
    return usage(request._replace(reason=REASON)) if needs_reason else line


def _read_both_ways(request: Request, config: Config) -> str:
    """Return the line of `completed`; two if a word at the end may be a token or text."""
    line, other = completed(request, config), completed(request, config, bare=True)
    if line == other or request.literal or other.startswith("usage: "):
        return line
    words = shorten(near_misses.unsure(request.text), 40)
    return f"{line}\n{completed(request, config, f'if {words!r} is not text', bare=True)}"


def _words(request: Request, person: bool) -> tuple[str, tuple[str, ...], float | None, str | None]:
    request = request._replace(text=decoded(request.text), tags=tuple(map(decoded, request.tags)))
    if not request.literal:
        parsed = near_misses.read(request)
        if person and not request.update and not parsed.tags and (whole := near_misses.corrected(request.text)):
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
    duration = times.canonical(request.duration) if request.duration is not None else None
    if request.duration is not None and duration is None:
        raise UsageError(bad_duration(request.duration), hint=_without_wrong(request, score, None))
    return _without_marker(clean(request.text)), unique(tag for tag in tags if tag), score, duration


def _without_marker(text: str) -> str:
    """Return a text without the marker of a pasted list item, if it is a single item."""
    match = pattern(_MARKER).match(text)
    return text if match is None or pattern(f"\\n{_MARKER}").search(text) else text[match.end() :]


def _without_wrong(request: Request, score: float | None, duration: str | None) -> str:
    """Return the command with only these values, without the wrong one."""
    tokens = parse_argument(request.text)
    whole = request._replace(
        text=tokens.text,
        tags=unique((*request.tags, *tokens.tags)),
        score=None if score is None else format_score(score),
        duration=duration,
    )
    return completed(whole, Config())


def _split_tags(request: Request) -> str:
    """Return the command with each tag as its own option, if that was meant."""
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
    """Require a tag and a score; from a person, only that neither is misplaced."""
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
            f"a score is missing: how important is it, from 0 to 10?{_unsure(request)}",
            code="missing_score",
            hint=f"{_read_both_ways(request, config)}\n{GUIDE}",
        )
    is_judged = score is not None or request.explicit or near_misses.corrected(request.text)
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
    """Return the error for tokens that count as text: beside options, or in front of the text."""
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
            hint=completed(whole, config, "one way for all"),
        )
    words = request.text.split(" ")
    texts = [place for place, word in enumerate(words) if word and not is_token(word)] or [0]
    # In front of the text all tokens are meant; within it a #word may be a word, but a score is none.
    if not texts[0] and not any(map(_is_value, words[: texts[-1]])):
        return None
    if parse_argument(request.text).score is not None and any(map(_is_value, words[: texts[-1]])):
        return None  # if a score follows the text, an apparent one before it is text
    tokens = words[: texts[0]] or [word for word in words if is_token(word)]
    rest = words[texts[0] :] if texts[0] else [words[place] for place in texts]
    behind = request._replace(text=" ".join([*rest, *tokens]))
    return UsageError(
        "put tags and score after the text", code="tokens_first", hint=completed(behind, config, "in that order")
    )


def _no_tag(request: Request, score: float | None) -> UsageError | None:
    """Return the error for a word that was meant as a tag but is not one; the shell did not change it."""
    spaced = " #" in request.text or " ＃" in request.text
    if spaced and (error := spaced_tag_error(request, score)):
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
            f"a tag is missing: {shorten(tag, 40)} was read as text because words follow it; a tag has no spaces",
            code="missing_tag",
            hint=usage(request),
        )
    return None


def literal_tokens(request: Request) -> tuple[str, ...]:
    """Return a warning if the text ends in tokens that count as text because options are given."""
    argument = parse_argument(request.text) if request.literal else None
    if argument is None or not (argument.tags or argument.score is not None or argument.duration):
        return ()
    message = "the tokens at the end of the text are stored as text, since -t, --score or --duration is given"
    return (f"{message}: {shorten(request.text, 60)}",)


def _slashes(request: Request) -> tuple[str, ...]:
    """Return a warning if a topic has a slash and no arrow: it is one name, and may be meant as a path."""
    named = [("--topic", request.topic or ""), *(("--related", path) for path in request.related)]
    wrong = next(((name, path) for name, path in named if "/" in path and len(labels.read_path(path)) == 1), None)
    if wrong is None:
        return ()
    name, path = wrong
    meant = labels.format_path(labels.parse_path(path.replace("/", labels.SEPARATOR)))
    return (f"{name} {shorten(path, 40)} is one name; for a path: {name} {quote(shorten(meant, 80))}",)


def _check_aliases(request: Request) -> None:
    check_aliases(request.aka)
    if request.aka and request.split:
        raise UsageError(
            "--aka names one memory, and --split stores several",
            hint="with --split - each line may end in its own: <text> #<tag> score:8 --aka <words>",
        )


def check_aliases(aliases: tuple[str, ...]) -> None:
    """Raise UsageError for an alias without a letter, too long or unprintable, and for too many."""
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
            if labels.is_cut(path):
                raise UsageError(
                    f"--{field.name} {shorten(path, 40)!r} ends in -: the shell took an unquoted > as a redirection",
                    hint=f"quote it: --{field.name} 'project->partner'",
                )
            if not labels.parse_path(path):
                raise UsageError(
                    f"--{field.name} {shorten(path, 40)!r} is not a topic path",
                    hint=f"names joined by ->: --{field.name} 'project->memory'",
                )


_ITEM = r"(?:[-*+•]|\d{1,3}[.)、])\s+(?=\S)"
_AKA = r"(?<![ \t])[ \t]+--aka[ \t=]+"
"""Before each alias at the end of a line."""

MAX_PARTS = 200
SEVERAL = 3
"""The fewest list items, lines or clauses that count as separate facts."""

_LEAST = 4
"""The fewest characters of a line or clause that may be a fact."""
_WRAPPED = 60
"""The length from which a line may continue in the next."""
_CODE = re.compile(
    r"[{$`=\\<>|&]|\w\(|\s[~.]*/\w|://|^\s|^(?:at|File|def|if|for|else|return|import|class)\b|[,:\[]$", re.MULTILINE
)
_STOP = tuple(".!?;。！？；")


def parts(request: Request, config: Config, *, person: bool = False) -> list[Request]:
    """Return one request for each item.

    Tokens at the end of the whole apply to every item without its own. If a text ends with a newline, it is a list of
    lines, each with its own tokens and `--aka WORDS`; the last line's are only its own.
    """
    if request.text.endswith("\n"):
        return [_alone(request, item, config, person) for item in _few(_items(clean(request.text)))]
    if not request.literal:  # a token goes no further than its line
        request = request._replace(text=request.text.replace("\n", " \n"))
    whole = propose(request, config, person=person)
    score = None if whole.score is None or request.dims else format_score(whole.score)
    common = request._replace(
        split=False, tags=whole.tags, score=score, duration=whole.duration, by_default=whole.basis == "terminal"
    )
    return [common._replace(text=item) if request.literal else _own(common, item) for item in _few(_items(whole.text))]


def _few(items: list[str]) -> list[str]:
    """Return the items. Raises UsageError if they are too many for one call."""
    if len(items) > MAX_PARTS:
        raise UsageError(
            f"{len(items)} items are more than {MAX_PARTS} at once",
            hint="to import a file with one bullet per memory, usage: promptx-mem import <file>",
        )
    return items


def _alone(request: Request, item: str, config: Config, person: bool) -> Request:
    """Return the request of one line. Raises UsageError, which names the line, before anything is stored."""
    item, *aliases = re.split(_AKA, item)
    bare = request._replace(split=False, aka=tuple(alias.strip("'\"") for alias in aliases))
    part = bare._replace(text=item) if request.literal else _own(bare, item)
    try:
        propose(part, config, person=person)
    except UsageError as error:
        why = (
            "a tag or a score is missing in this line"
            if error.code in ("no_tokens", "missing_tag", "missing_score")
            else error.message
        )
        message = f"{shorten(item, 40)}: {why}; no item of the list was stored"
        raise UsageError(message, code=error.code, hint=error.hint) from None
    return part


def _own(common: Request, item: str) -> Request:
    own = near_misses.read(common._replace(text=item))
    if own.problems:
        alone = completed(common._replace(text=own.text, tags=own.tags or common.tags), Config(), "this item only")
        message = f"{shorten(item, 40)}: {'; '.join(own.problems)}; no item of the list was stored"
        raise UsageError(message, hint=f"correct it and give the whole list again\n{alone}")
    score = common.score if own.score is None else format_score(own.score)
    return common._replace(
        text=own.text, tags=own.tags or common.tags, score=score, duration=own.duration or common.duration
    )


def hint(request: Request, text: str) -> str:
    """Return a hint for a text with several facts; empty if it has one."""
    listed = re.search(rf"(?m)^{_ITEM}", text)
    items = [item for item in _items(text) if len(item) >= _LEAST]
    if len(items) < SEVERAL or request.update or not (listed or _clauses(text) or _are_facts(text)):
        return ""
    return (
        f"it contains {len(items)} facts; if each makes sense alone, store each by itself: "
        f"{pasteable(request, split=True)}"
    )


def may_be_compound(text: str) -> bool:
    """Return whether a text has enough lines, clauses or sentences to be looked at."""
    return any(
        sum(map(text.count, marks)) >= SEVERAL - 1 for marks in ("\n", ";；", "，", (", ",), "。！", (". ", "! "))
    )


def _clauses(text: str) -> list[str]:
    """Return the clauses or sentences of one line, if each is a fact; none if it looks like code."""
    if "\n" in text or _CODE.search(text):
        return []
    for ends, is_fact in _BETWEEN:
        clauses = [clause.strip() for clause in re.split(ends, text) if clause.strip()]
        if len(clauses) >= SEVERAL and all(map(is_fact, clauses)):
            return clauses
    return []


def _is_long(clause: str) -> bool:
    return len(clause) >= _LEAST


def _is_sentence(clause: str) -> bool:
    """Return whether a clause has as many words as a fact, and a verb."""
    return pattern(_VERB).search(clause) is not None and (not clause.isascii() or clause.count(" ") >= 2)


def _is_main_clause(clause: str) -> bool:
    """Return whether a clause makes sense alone: it begins with neither a conjunction nor its verb."""
    first = pattern(_VERB).match(clause) if clause[0].isascii() else None
    has_subject = first is None or pattern(_VERB).search(clause, first.end())
    return bool(has_subject) and _is_sentence(clause) and not pattern(_DEPENDENT).match(clause)


_VERB = (
    r"(?i)\b(?:is|are|was|were|has|have|had|does|do|must|should|can|will|may|uses?|runs?|lives?|likes?|prefers?|needs?"
    r"|works?|wants?|goes|go|gets?|makes?|takes?|starts?|ends?|deploys?|owns?|keeps?"
    r"|listens?|reads?|writes?|sends?|stores?|returns?|expects?|requires?|supports?|calls?|contains?|builds?|ships?"
    r"|speaks?|drinks?|eats?|hates?|loves?|knows?|means?|holds?|points?|costs?|meets?|comes?|leaves?|belongs?|never|always|\w{3,}ed)\b"
    r"|[是在有用要会住叫为由不喜需使运部必改从]"
)
_DEPENDENT = (
    r"(?i)(?:which|who|whose|that|because|since|but|so|if|when|where|while|although|as|then|after|before|unless)\b"
    r"|[但因所如而则然当虽否即于并]"
)
"""Words that begin a clause that makes no sense alone."""

_BETWEEN = (
    ("[；;]", _is_long),
    (r"(?<=[.!])\s+(?=[^\Wa-z])|(?<=[。！])", _is_sentence),
    (r"，|,\s+(?:and\s+)?", _is_main_clause),
)
"""Marks between the facts of one line, and the test that each piece must pass."""


def _are_facts(text: str) -> bool:
    """Return whether each line makes sense alone: no code, log or wrapped paragraph."""
    lines = [line.rstrip() for line in text.strip("\n").split("\n") if line.strip()]
    if _CODE.search(text.strip("\n")) or any(len(line) < _LEAST for line in lines):
        return False
    return all(len(line) < _WRAPPED or line.endswith(_STOP) for line in lines[:-1])


def _items(text: str) -> list[str]:
    """Return list items with their continuation lines, if there is a list; else lines, or clauses of a single line."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) == 1 and (clauses := _clauses(lines[0])):
        return clauses
    if not any(re.match(_ITEM, line) for line in lines):
        return [line.strip() for line in lines]
    items: list[list[str]] = []
    for line in lines:
        if match := re.match(_ITEM, line):
            items.append([line[match.end() :].strip()])
        elif items and line[:1] in " \t":
            items[-1].append(line.strip())
        else:
            items.append([line.strip()])
    return ["\n".join(item) for item in items]
