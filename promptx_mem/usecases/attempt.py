"""One text on its way to being remembered: what was asked, and what there is to say of it."""

from typing import TYPE_CHECKING, TypedDict

from promptx_mem.core.durations import canonical
from promptx_mem.core.text import format_score
from promptx_mem.errors import PromptxMemError
from promptx_mem.places import named_duration
from promptx_mem.result import Failure
from promptx_mem.store.append import LockLostError

if TYPE_CHECKING:
    from promptx_mem.core.journal import Event
    from promptx_mem.core.request import Request
    from promptx_mem.core.state import State
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.credential_check import Holding
    from promptx_mem.usecases.request import Proposal


class Adjustment(TypedDict):
    """Why the thresholds were moved, and by how much."""

    why: str
    by: float


class Similar(TypedDict):
    """A memory like the text; `replace` is the command that lets the text take its place."""

    id: str
    similarity: float
    text: str
    replace: str


class Conflict(TypedDict):
    """A memory that the text may replace: `reason` names what differs, `command` replaces it."""

    id: str
    text: str
    reason: str
    command: str


class Alike(TypedDict):
    """A memory that may say the same, or the opposite: the texts have that much in common (0-1)."""

    id: str
    similarity: float
    at: str
    text: str
    origin: str


class Remember(TypedDict, total=False):
    """What remember and edit answer; with --split everything but the store stands in `items`."""

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
    conflicts: list[Conflict]
    similar: list[Similar]
    alike: list[Alike]
    superseded: str | None
    defaults: list[str]
    change: str | None
    violations: int | None
    dry_run: bool
    items: list["Item"] | None


class Item(Remember, total=False):
    """One part of a text that was split."""

    error: Failure | None


class Attempt:
    """What was asked of remember, and what the gate makes of it."""

    def __init__(
        self, request: "Request", proposal: "Proposal", data: Remember, secrets: tuple["Holding", ...] = ()
    ) -> None:
        self.request = request
        self.proposal = proposal
        self.data = data
        self.secrets = secrets
        self.warnings: list[str] = []
        self.adjustments: list[Adjustment] = []
        self.target: State | None = None
        self.same: State | None = None
        self.variant: State | None = None
        """The same fact with another final mark, white space or first capital."""
        self.middling = ""

    def not_taken(self, verdict: str) -> list[str]:
        """What was given along with a known text, and does not change it."""
        names = ("type", "category", "source", "reason", "verified")
        options = [f"--{name}" for name in names if getattr(self.request, name)]
        if verdict != "repeated" or not options:
            return []
        return [f"it is known already: {', '.join(options)} changed nothing; edit its line in declarative.md for that"]

    def kept(self, now: "State") -> tuple[str, ...]:
        """What a repeat left as it was though another was given (it only raises), or made last longer."""
        before, asked = self.same, self.proposal
        if before is None or self.data["verdict"] != "repeated":
            return ()
        duration = asked.duration and canonical(asked.duration)
        kept = [f"score {format_score(now.score)}"] if asked.score is not None and asked.score < now.score else []
        kept += [named_duration(now.duration)] if duration and duration != now.duration else []
        if kept:
            return (f"it keeps {' and '.join(kept)}: the same text with --update {now.entry.id} sets them anew",)
        return (
            (f"it was {named_duration(before.duration)}, and is {named_duration(now.duration)} now",)
            if before.duration != now.duration
            else ()
        )


def beside(writer: "Writer", events: "list[Event]") -> list[str]:
    """Append what goes with a line that is on the disk already; where that fails, only this has not happened."""
    try:
        writer.add_events(events)
    except (OSError, PromptxMemError, LockLostError) as error:
        reason = getattr(error, "strerror", None) or str(error) or "the store is busy"
        return [f"it is stored; only what goes with it could not be noted in journal.jsonl: {reason}"]
    return []
