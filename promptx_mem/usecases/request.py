"""The parser of requests to remember: returns a proposal, or raises a UsageError."""

from promptx_mem.core import request as requests
from promptx_mem.core.entry import FIELDS, LONGEST_ALIAS, MEDIUM, MOST_ALIASES, clean_aliases
from promptx_mem.core.labels import NOTE, tag_of, unique
from promptx_mem.core.request import Request
from promptx_mem.core.syntax import Parsed, bad_duration, parse_argument, parse_score
from promptx_mem.core.text import clean, decoded, is_printable, shorten, without_hidden_selectors
from promptx_mem.errors import UsageError
from promptx_mem.record import NamedTuple
from promptx_mem.store.config import Config


class Proposal(NamedTuple):
    """The input of the gate. `basis` is `dims`, `reason`, `terminal` (a person's default score) or `none`.

    `defaults` names the values that a person omitted: tag, score.
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


def propose(request: Request, config: Config, *, person: bool = False) -> Proposal:
    """Parse a request. A person or an update can omit tag and score.

    Raises UsageError for a missing or invalid value, and Refused if score and dimensions disagree.
    """
    request = request if request.literal else request._replace(text=requests.split_tokens(request.text))
    is_strict = config.policy == "strict"
    text, tags, score, duration = _words(request, person=person, is_strict=is_strict)
    tags = unique(config.aliases.get(tag, tag) for tag in map(without_hidden_selectors, tags))
    _demand_text(text)
    dims = None
    if request.dims is not None:
        from promptx_mem.usecases.score import agreed

        dims, evaluated = agreed(request, request.dims, config, score)
        score = evaluated if score is None else score
    _check_choices(request)
    check_aliases(request.aka)
    missing: tuple[str, ...] = ()
    if not request.update:
        tags = tags or ((config.default_tag,) if config.default_tag else ())
        missing = ("tag",) * (not tags) + ("score",) * (score is None and not request.explicit)
    warnings: tuple[str, ...] = ()
    if missing:
        from promptx_mem.usecases import advice

        error = advice.missing_token(request, has_tag=bool(tags), score=score, person=person, is_strict=is_strict)
        if error is not None:
            raise error
        tags = tags or (NOTE,)
        if "score" in missing:
            score, duration = requests.EXPLICIT_MINIMUM, duration or MEDIUM
            warnings = tuple(filter(None, (advice.unsure(parse_argument(request.text)),)))
    last = text.rpartition(" ")[2]
    if not (duration or warnings or last.isascii() or last == text):
        from promptx_mem.core.durations import NAMES

        if last in NAMES:
            warnings = (f"{last} at the end is text; for a duration: duration:{last}",)
    basis = "dims" if dims is not None else "reason" if request.reason else "none"
    if "score" in missing or request.by_default:
        basis = "terminal"
    return Proposal(text, tags, score, duration, dims, basis, request.explicit, warnings, missing)


def _demand_text(text: str) -> None:
    if text[:1] in ("", "<"):  # it is missing, or could be the placeholder of a usage line
        from promptx_mem.core.shell import TEXT, USAGE

        if text in ("", TEXT):
            raise UsageError("there is no text to remember", code="no_text", hint=USAGE)


def _words(request: Request, *, person: bool, is_strict: bool) -> tuple[str, tuple[str, ...], float | None, str | None]:
    """Return text, tags, score and duration. Raises UsageError for an invalid value."""
    request = request._replace(text=decoded(request.text), tags=tuple(map(decoded, request.tags)))
    parsed = _literal(request, is_strict=is_strict) if request.literal else requests.parse(request)
    if not (request.literal or requests.is_complete(request, parsed)):
        from promptx_mem.core.pasteable import read

        parsed = read(request, person=person)
    if parsed.problems:
        from promptx_mem.usecases import advice

        raise advice.invalid(request, "; ".join(parsed.problems), parsed.score, parsed.duration, is_strict=is_strict)
    return clean(parsed.text), parsed.tags, parsed.score, parsed.duration


def _literal(request: Request, *, is_strict: bool) -> Parsed:
    tags: list[str] = []
    for name in request.tags:
        tag = tag_of(name)
        if tag is None:
            from promptx_mem.usecases import advice

            raise advice.not_a_tag(request, name, is_strict=is_strict)
        tags.append(tag)
    score, duration = None, None
    problems: tuple[str, ...] = ()
    if request.score is not None:
        try:
            score = parse_score(request.score)
        except ValueError as error:
            return Parsed(request.text, duration=request.duration, problems=(str(error),))
    if request.duration is not None:
        from promptx_mem.core.durations import canonical

        duration = canonical(request.duration)
        problems = () if duration else (bad_duration(request.duration),)
    return Parsed(request.text, unique(tags), score, duration, problems)


def check_aliases(aliases: tuple[str, ...]) -> None:
    """Raise UsageError if there are too many aliases, or if one is too long, unprintable or without letter or digit."""
    cleaned = clean_aliases(aliases)
    if len(cleaned) > MOST_ALIASES:
        raise UsageError(f"{len(cleaned)} aliases are too many", hint=f"give at most {MOST_ALIASES}")
    for alias in cleaned:
        if len(alias) > LONGEST_ALIAS or not any(map(str.isalnum, alias)) or not is_printable(alias):
            raise UsageError(
                f"--aka {shorten(alias, 40)!r} is not an alias",
                hint=f"an alias has at most {LONGEST_ALIAS} characters; give only words that somebody could search for",
            )


def _check_choices(request: Request) -> None:
    if request.profile is not None and request.dims is None:
        from promptx_mem.core.shell import GUIDE

        raise UsageError("--profile needs --dims", hint=GUIDE)
    allowed = {field.name: field.choices for field in FIELDS if field.choices} | {"profile": requests.PROFILES}
    for name, choices in allowed.items():
        value = getattr(request, name)
        if value is not None and value not in choices:
            raise UsageError(f"--{name} {shorten(value, 40)!r} is not known", hint=f"allowed: {', '.join(choices)}")
    for field in FIELDS:
        value = getattr(request, field.name) if field.is_path else None
        for path in (value,) if isinstance(value, str) else value or ():
            from promptx_mem.core.topics import demand_path

            demand_path(field.name, path)
