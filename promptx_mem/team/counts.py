"""What an exchange did, and what it did not take."""

from typing import NamedTuple


class Refusal(NamedTuple):
    """A record that was not taken, and why; `role` put it there."""

    role: str
    id: str
    why: str


class Counts:
    """What an exchange did."""

    def __init__(self) -> None:
        self.pushed = self.pulled = self.destroyed = self.waiting = self.remaining = 0
        self.refused: list[Refusal] = []
        self.held: list[Refusal] = []
