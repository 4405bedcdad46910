"""The gate: the checks that decide whether a text is stored, and with which score."""

from promptx_mem import session
from promptx_mem.core import credentials
from promptx_mem.core import request as scoring
from promptx_mem.core.entry import FIELDS, LONG, SHORT, Entry
from promptx_mem.core.ids import make_id, normalise
from promptx_mem.core.request import Request
from promptx_mem.core.state import OWN, State, is_unscored, lives
from promptx_mem.core.text import HALF_WIDTH, format_score, shorten
from promptx_mem.errors import Refused
from promptx_mem.record import TYPE_CHECKING, Any, TypedDict
from promptx_mem.result import Failure
from promptx_mem.search import memories
from promptx_mem.search.cache import is_any_contradicted
from promptx_mem.search.memories import difference
from promptx_mem.usecases.lookup import Lookup
from promptx_mem.usecases.request import Proposal, propose

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


class Adjustment(TypedDict):
    """A change of the score thresholds: its reason (`why`) and its amount (`by`)."""

    why: str
    by: float


class Near(TypedDict, total=False):
    """A memory like the new text, with a `similarity` from 0 to 1, or one that the text could replace.

    `reason` names the difference. `replace` and `command` are the command that replaces the memory with the text.
    """

    id: str
    text: str
    similarity: float
    at: str
    origin: str
    reason: str
    replace: str
    command: str


class Remember(TypedDict, total=False):
    """The answer of remember and edit. With --split, `items` has the result for each part of the text."""

    store: str
    scope: str
    made_store: str | None
    verdict: str
    id: str
    text: str
    score: float | None
    duration: str
    tags: list[str]
    adjustments: list[Adjustment]
    thresholds: list[float] | None
    conflicts: list[Near]
    similar: list[Near]
    alike: list[Near]
    superseded: str | None
    defaults: list[str]
    change: str | None
    violations: int | None
    dry_run: bool
    items: list["Item"] | None


class Item(Remember, total=False):
    """The result for one part of a text that was split."""

    error: Failure | None


class Attempt:
    """A request to remember, and the results of checking it."""

    proposal: Proposal
    secrets: tuple[str, ...]
    """Descriptions of the parts of the request that contain a credential."""

    data: Remember

    def __init__(self, context: "Context", request: Request) -> None:
        self.context, self.request = context, request
        self.person, self.now = session.is_person(), context.now()
        self.warnings: list[str] = []
        self.adjustments: list[Adjustment] = []
        self.target: State | None = None
        self.same: State | None = None
        self.variant: State | None = None
        """An active memory whose text is the same fact (`_same_fact`), for example without the final punctuation."""
        self.corrected: dict[str, str] = {}
        """Ids, with reasons, of newer memories that contradict the superseded memory and the new text."""
        self.middling, self.heir = "", ""
        """A warning about a middling score; the id of the active memory that an old text, stored again, replaces."""

    def read(self) -> "Attempt":
        """Read the request and look for credentials. Raises the errors of `propose`.

        The search for credentials is slow, so `remember` calls this method before taking the lock.
        """
        request = self.request
        self.proposal = proposal = propose(request, self.context.config, person=self.person)
        self.secrets = ()
        if not request.allow_secret and len(proposal.text) <= MAX_LENGTH:
            parts: list[tuple[str, str | None]] = [("the text", proposal.text)]
            parts += [*(("a tag", tag) for tag in proposal.tags), ("--topic", request.topic)]
            parts += [("--related", path) for path in request.related]
            parts += [*(("--aka", alias) for alias in request.aka), ("--reason", request.reason)]
            self.secrets = credentials.credentials_in(parts)
        self.data = {
            "store": self.context.layout.display(),
            "scope": self.context.scope,
            "text": "" if self.secrets else proposal.text,
            "tags": [] if self.secrets else list(proposal.tags),
            "score": proposal.score,
            "dry_run": request.dry_run,
        }
        return self

    def command(self, **changes: Any) -> str:
        """Return the shell command of the request, with `changes` to its fields."""
        from promptx_mem.core.pasteable import command

        return command(self.request, **changes)

    def replacement(self, ident: str) -> str:
        """Return the shell command that stores the text, with the same score, instead of another memory."""
        proposal = self.proposal
        score = {"score": format_score(proposal.score)} if "score" in proposal.defaults and proposal.score else {}
        dry = {"dry_run": False} if self.request.dry_run else {}
        return self.command(update=ident, **score, **dry)

    def refuse(self, error: Refused) -> None:
        """Add the data of this attempt to the error that refuses it."""
        error.data = {**self.data, **error.data, "verdict": "refused", "adjustments": self.adjustments}


MAX_LENGTH = 10_000
LONG_LENGTH = 1_000
NEAR_FROM = 0.85
ALIKE_FROM = 0.3

RELATED_FROM, RELATED_SCORE = 0.5, 8.0
_EXPLICIT_HINTS = ("if the user has asked for it", "--explicit stores it anyway")
"""The beginning of the hint to use --explicit. The first text is for an agent, the second text for a person."""

MOST_CONFLICTS = 3
"""Maximum number of memories that an answer lists because the new text could replace them."""

MOST_ALIKE = 5
"""Maximum number of similar memories in an answer."""
_RELATED = -0.5
_FINAL = " .。!"
_SPACES = dict.fromkeys(map(ord, "\t\xa0\u3000"), " ")


def check_request(attempt: Attempt, lookup: Lookup) -> Entry:
    """Check a request. Return the memory to store, without its id. Raises Refused, and the errors of `by_id`."""
    context, request, proposal = attempt.context, attempt.request, attempt.proposal
    _check_content(attempt)
    if context.layout.is_user:
        from promptx_mem.usecases.stores import demand_request_to_store

        demand_request_to_store(context, request, proposal.text)
    score = proposal.score
    if request.update is not None:
        attempt.target = lookup.by_id(request.update)
        lookup.refuse_superseded(attempt.target, lambda heir: f"to supersede that one: {attempt.command(update=heir)}")
        if score is None and not proposal.explicit:
            score = attempt.target.score
    _find_similar(attempt, lookup)
    policy = context.config.policy
    by = round(sum(adjustment["by"] for adjustment in attempt.adjustments), 1)
    verdict = scoring.verdict(score, policy=policy, explicit=proposal.explicit, adjustment=by)
    attempt.data |= {"score": verdict.final_score, "thresholds": list(verdict.thresholds)}
    if not verdict.stored:
        moved = f" (the threshold was changed by {by:+g})" if by else ""
        raise Refused(
            scoring.too_low(verdict.final_score, verdict.thresholds[verdict.violation], moved),
            code="score_too_low" if verdict.violation else "below_strict",
            hint=f"{_EXPLICIT_HINTS[attempt.person]}: {attempt.command(explicit=True)}",
        )
    if policy == "strict" and proposal.basis == "none" and not proposal.explicit:
        from promptx_mem.core.pasteable import usage
        from promptx_mem.core.shell import GUIDE, REASON

        hint = f"{usage(request._replace(reason=REASON))}\n{GUIDE}"
        why = "a score needs --dims or --reason, because the setting `policy` is strict"
        raise Refused(why, code="no_basis", hint=hint)
    figure, store_at = map(format_score, (verdict.final_score, verdict.thresholds[0]))
    if verdict.warned:
        attempt.middling = f"score {figure} is below the recommended {store_at}"
    if proposal.explicit and score is not None and score < verdict.final_score:
        instead = f"the minimum for a user's request, instead of {format_score(score)}"
        attempt.warnings.append(f"stored with score {figure}, {instead}")
    return _entry(attempt, verdict.final_score)


def _check_content(attempt: Attempt) -> None:
    """Refuse a text that is too long or has a credential. Without --explicit, check credibility and personal data."""
    request, proposal, text = attempt.request, attempt.proposal, attempt.proposal.text
    length = len(text)
    if length > MAX_LENGTH:
        apart = "" if request.update else f"to store each line separately: {attempt.command(split=True)}\nor "
        raise Refused(
            f"{length} characters are too long for a memory ({MAX_LENGTH})",
            code="too_long",
            hint=f"{apart}store a short fact that names the file with the whole text",
        )
    if length > LONG_LENGTH:
        advice = "" if request.update else "; --split stores each line separately"
        attempt.warnings.append(f"{length} characters are long for one memory{advice}")
    attempt.warnings += proposal.warnings
    if not request.proposed and (text.count("\n") >= 2 or text.count(";") + text.count("；") >= 2):
        from promptx_mem.usecases import split

        attempt.warnings += filter(None, [split.hint(request, text)])
    if attempt.secrets:
        raise Refused(
            f"{' and '.join(attempt.secrets)}; memories are stored as plain text",
            code=credentials.CODE,
            hint="instead, store where the credential is kept\nthe same command with --allow-secret stores it",
        )
    if proposal.explicit:
        return
    if not _is_credible(proposal):
        from promptx_mem.core.scoring import NOT_CREDIBLE

        raise Refused(
            NOT_CREDIBLE,
            code="not_credible",
            hint=f"if the user has asked for it, store it as unverified: {attempt.command(explicit=True)}",
        )
    every = "\n".join((text, *request.aka))
    # all personal data has one of these marks, or more than 3 digits
    if sum(map(str.isdigit, every)) > 3 or any(mark in every.casefold() for mark in ("@", "＠", "dot", "licen", "驾")):
        from promptx_mem.core.personal_data import personal_data

        if kinds := personal_data(every):
            attempt.adjustments.append({"why": f"personal data: {', '.join(kinds)}", "by": scoring.PERSONAL})


def _is_credible(proposal: Proposal) -> bool:
    if proposal.dims is None:
        return True
    from promptx_mem.core.scoring import is_credible

    return is_credible(proposal.dims)


def _find_similar(attempt: Attempt, lookup: Lookup) -> None:
    """Find similar memories and possible contradictions. A similar, valuable memory lowers the thresholds."""
    request, proposal, now = attempt.request, attempt.proposal, attempt.now.timestamp()
    own, target = make_id(proposal.text), attempt.target.entry.id if attempt.target else None
    about = (*request.aka, *_HOME_WORDS) if any(word in proposal.text for word in _MOVE_WORDS) else request.aka
    around = [
        (state, likeness)
        for state, likeness in memories.around(lookup.cache, proposal.text, about)
        if lives(state, now) and make_id(state.entry.text) != own and not is_unscored(state, now)
    ]
    if target is None:
        fact = _same_fact(proposal.text)
        same = (state for state, likeness in around if likeness == 1 and _same_fact(state.entry.text) == fact)
        attempt.variant = next(same, None)
        around = [(state, likeness) for state, likeness in around if state is not attempt.variant]
    others = [(state, likeness) for state, likeness in around if state.entry.id != target]
    attempt.data["conflicts"] = _conflicts(attempt, lookup, [state for state, _ in others])
    related = (state.entry for state, likeness in around if likeness >= RELATED_FROM and state.score >= RELATED_SCORE)
    if not proposal.explicit and (valuable := next(related, None)) is not None:
        why = f"related to a valuable memory, {valuable.id} {(valuable.at or '')[:10]} ({shorten(valuable.text, 40)})"
        attempt.adjustments.append({"why": why, "by": _RELATED})
    near: list[Near] = [
        {
            "id": state.entry.id,
            "similarity": round(likeness, 2),
            "at": state.entry.at or "",
            "text": shorten(state.entry.text, 60),
            "origin": attempt.context.origin.of(state.origin),
        }
        for state, likeness in others
        if likeness >= ALIKE_FROM
    ]
    attempt.data["alike"] = near[:MOST_ALIKE]
    similar: list[Near] = []
    for one in [one for one, (_, likeness) in zip(near, others, strict=False) if likeness >= NEAR_FROM]:
        replace = attempt.replacement(one["id"])
        similar.append({"id": one["id"], "similarity": one["similarity"], "text": one["text"], "replace": replace})
    attempt.data["similar"] = similar


_MOVE_WORDS = ("moved to", "relocated to", "搬到", "搬去", "搬进")
_HOME_WORDS = ("live", "lives", "住在")
"""If a text contains a word of `_MOVE_WORDS`, these words are also searched for, to find the former home."""


def _conflicts(attempt: Attempt, lookup: Lookup, around: list[State]) -> list[Near]:
    """Return at most MOST_CONFLICTS contradicted memories: first those paired with the superseded one."""
    text, request, origin = attempt.proposal.text, attempt.request, attempt.context.origin
    found: list[tuple[Entry, str]] = []
    if attempt.target is not None and is_any_contradicted(lookup.cache):
        from promptx_mem.search.pairs import still_contradicted

        now = attempt.now.timestamp()
        found, attempt.corrected = still_contradicted(lookup.cache, attempt.target.entry, text, now)
    known = {*attempt.corrected, *(entry.id for entry, _ in found)}
    others = [state for state in around if origin.of(state.origin) == OWN and state.category != "episode"]
    for entry in [state.entry for state in others if state.entry.id not in known]:
        if why := difference(text, entry.text, (request.aka, entry.aka)):
            found.append((entry, why))
    if not found:
        return []
    from promptx_mem.search import pairs

    both, fact = pairs.answered(lookup.cache, make_id(text)), _same_fact(text)
    conflicts: list[Near] = []
    open_ones = [(entry, why) for entry, why in found if entry.id not in both and _same_fact(entry.text) != fact]
    for entry, why in open_ones[:MOST_CONFLICTS]:
        replace = attempt.replacement(entry.id)
        conflicts.append({"id": entry.id, "text": shorten(entry.text, 60), "reason": why, "command": replace})
    return conflicts


def _entry(attempt: Attempt, score: float) -> Entry:
    """Build the memory. Missing tags, duration and fields with `is_lent` come from the superseded memory."""
    request, proposal, target = attempt.request, attempt.proposal, attempt.target
    old = target.entry._replace(category=target.category) if target else None
    is_kept = target is not None and not is_unscored(target, attempt.now.timestamp())
    fields = {
        field.name: field.clean(getattr(request, field.name))
        or (getattr(old, field.name) if old and field.is_lent else field.default)
        for field in FIELDS
        if field.option
    }
    entry = Entry(
        text=proposal.text,
        tags=proposal.tags or (target.tags if target else ()),
        score=score,
        duration=proposal.duration
        or (target.duration if target and is_kept else LONG if score >= scoring.STORE_AT else SHORT),
        at=attempt.now.isoformat(timespec="seconds"),
        session=None if attempt.context.session.startswith("day:") else attempt.context.session,
        dims=proposal.dims,
        supersedes=old.id if old else None,
        topics=old.topics if old and not request.topic else (),
        **fields,
    )
    return entry._replace(verified=entry.verified and _is_credible(proposal))


def _same_fact(text: str) -> str:
    """Return a text without final punctuation and extra white space, in half width, and with a small first letter.

    Two texts with the same result are the same fact. A final `?` is kept, since it makes a different fact.
    """
    text = normalise(text).translate(HALF_WIDTH)
    text = text.rstrip(_FINAL) or text
    if "\n" not in text:
        first, *rest = filter(None, text.translate(_SPACES).split(" ")) if text else [""]
        text = first
        for part in rest:
            is_joined = text[-1] in ",;:!?)" or part[0] == "(" or _is_ideograph(text[-1]) or _is_ideograph(part[0])
            text += part if is_joined else " " + part
    return text[:1].lower() + text[1:]


def _is_ideograph(char: str) -> bool:
    return "\u3000" <= char <= "\u30ff" or "\u3400" <= char <= "\u9fff"
