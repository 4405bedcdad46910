"""From words to one proposal: text, tags, score and duration, or a usage error that names the missing part."""

import re

from promptx_mem.core import labels, scoring, times
from promptx_mem.core import request as near_misses
from promptx_mem.core.entry import FIELDS, LONG, LONGEST_ALIAS, MEDIUM, MOST_ALIASES, SHORT, clean_aliases
from promptx_mem.core.labels import NOTE, normalise_tag, unique
from promptx_mem.core.request import Request
from promptx_mem.core.shell import GUIDE, TEXT, USAGE, quote
from promptx_mem.core.syntax import Parsed, bad_duration, parse_argument, parse_score
from promptx_mem.core.text import clean, decoded, format_score, is_printable, pattern, shorten, with_glyphs
from promptx_mem.errors import UsageError
from promptx_mem.record import Any, NamedTuple
from promptx_mem.store.config import Config

_MARKER = r"(?:[-*+•·]|[0-9]{1,2}[.)、])[ \t]+(?:\[[ xX]\][ \t]+)?(?=[^\s0-9])"
"""The marker of a list item, with a task's box."""


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
    if not text or text == TEXT:
        raise UsageError("there is no text to remember", code="no_text", hint=USAGE)
    dims = None
    if request.dims is not None:
        dims, evaluated = _evaluated(request, request.dims, config, score)
        score = evaluated if score is None else score
    _check_choices(request)
    _check_aliases(request)
    missing: tuple[str, ...] = ()
    if not request.update:
        tags = tags or ((config.default_tag,) if config.default_tag else ())
        missing = ("tag",) * (not tags) + ("score",) * (score is None and not request.explicit)
    warnings = literal_tokens(request) + _slashes(request)
    if missing:
        from promptx_mem.usecases import advice

        is_strict = config.policy == "strict"
        error = advice.incomplete(request, has_tag=bool(tags), score=score, person=person, is_strict=is_strict)
        if error is not None:
            raise error
        tags = tags or (NOTE,)
        if "score" in missing:
            score, duration = scoring.EXPLICIT_MINIMUM, duration or MEDIUM
            warnings += tuple(filter(None, (advice.unsure(parse_argument(request.text)),)))
    basis = "dims" if dims is not None else "reason" if request.reason else "none"
    if "score" in missing or request.by_default:
        basis = "terminal"
    return Proposal(text, tags, score, duration, dims, basis, request.explicit, warnings, missing)


def _evaluated(request: Request, text: str, config: Config, score: float | None) -> tuple[tuple[float, ...], float]:
    """Return the dimensions and their score. Raises Refused if another score is given."""
    try:
        dims = scoring.parse_dims(text)
        evaluated = scoring.evaluate(dims, request.profile or config.profile, explicit=request.explicit).score
    except ValueError as error:
        raise UsageError(str(error), hint=GUIDE) from None
    if score is not None and abs(score - evaluated) > scoring.MISMATCH + 1e-9:
        from promptx_mem.usecases import advice

        raise advice.mismatch(request, score, evaluated)
    return dims, evaluated


def pasteable(request: Request, **changes: Any) -> str:
    """Return the shell command for a request with some fields changed (core/pasteable.py, loaded only here)."""
    from promptx_mem.core.pasteable import command

    return command(request, **changes)


def _words(request: Request, person: bool) -> tuple[str, tuple[str, ...], float | None, str | None]:
    """Return text, tags, score and duration. Raises UsageError for a wrong one."""
    request = request._replace(text=decoded(request.text), tags=tuple(map(decoded, request.tags)))
    parsed = _literal(request) if request.literal else near_misses.read(request, person=person)
    if parsed.problems:
        from promptx_mem.usecases import advice

        raise advice.wrong(request, "; ".join(parsed.problems), parsed.score, parsed.duration)
    text = clean(parsed.text)
    # A single item of a pasted list loses its marker.
    if (marker := pattern(_MARKER).match(text)) and not pattern(f"\n{_MARKER}").search(text):
        text = text[marker.end() :]
    return text, parsed.tags, parsed.score, parsed.duration


def _literal(request: Request) -> Parsed:
    """Read the options of a request whose text is literal."""
    tags: list[str] = []
    for name in request.tags:
        tag = normalise_tag(name) or near_misses.tag_of(name)
        if tag is None:
            from promptx_mem.usecases import advice

            raise advice.not_a_tag(request, name)
        tags.append(tag)
    score, duration = None, None
    problems: tuple[str, ...] = ()
    if request.score is not None:
        try:
            score = parse_score(request.score)
        except ValueError as error:
            return Parsed(request.text, duration=request.duration, problems=(str(error),))
    if request.duration is not None and (duration := times.canonical(request.duration)) is None:
        problems = (bad_duration(request.duration),)
    return Parsed(request.text, unique(tags), score, duration, problems)


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
        from promptx_mem.usecases import advice

        alone = advice.completed(common._replace(text=own.text, tags=own.tags or common.tags), "this item only")
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
