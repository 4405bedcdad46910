"""Request: one call of `remember`, before it is read. What prints a command makes it from one (core/pasteable)."""

from typing import NamedTuple


class Request(NamedTuple):
    """One call of `remember`. `text` is parsed for tokens unless tags, score or duration are given as options."""

    text: str
    tags: tuple[str, ...] = ()
    score: str | None = None
    duration: str | None = None
    explicit: bool = False
    dims: str | None = None
    profile: str | None = None
    topic: str | None = None
    related: tuple[str, ...] = ()
    aka: tuple[str, ...] = ()
    type: str | None = None
    category: str | None = None
    source: str | None = None
    verified: bool = False
    reason: str | None = None
    session: str | None = None
    update: str | None = None
    cite: tuple[str, ...] = ()
    user: bool = False
    split: bool = False
    allow_secret: bool = False
    dry_run: bool = False
    memory_dir: str | None = None
    proposed: bool = False
    """A judge proposes it: what the gate refuses is no violation of the session."""

    by_default: bool = False
    """The program chose the score for a person who gave none."""

    @property
    def literal(self) -> bool:
        return bool(self.tags) or self.score is not None or self.duration is not None
