"""The vectors of the extra `meaning` in a process that answers many calls."""

import contextlib
import time

from promptx_mem.errors import UsageError
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.search import vectors
from promptx_mem.usecases.recall.answer import fill_vectors

if TYPE_CHECKING:
    from promptx_mem.search.vectors import Encode, Vector
    from promptx_mem.usecases.context import Context

STEP = 0.01
"""Seconds of work on vectors between two calls, which the last text of them exceeds by at most as much."""


class Meaning:
    """Computes the missing vectors between calls. `is_installed`: whether the extra is there."""

    def __init__(self) -> None:
        self.is_installed = vectors.is_installed()
        self.encode: Encode | None = None
        self._texts: list[str] = []
        self._tried: set[str] = set()
        """Texts that were computed: where no vector can be stored, they are not again."""
        self._computed: list[Vector] = []

    def load(self) -> None:
        """Load the encoder and use it once, which takes a second or two; without it `encode` stays None."""
        with contextlib.suppress(UsageError, OSError):
            encode = vectors.encoder()
            encode([""])
            self.encode = encode

    @property
    def is_loaded(self) -> bool:
        return self.encode is not None

    def step(self, context: "Context") -> bool:
        """Look for texts without a vector, or compute some; return whether there is more to do."""
        if self.encode is None:
            return False
        if not self._texts:
            self._texts = [text for text in fill_vectors(context, self._computed) if text not in self._tried]
            self._computed = []
            self._tried.update(self._texts)
        end = time.monotonic() + STEP
        while self._texts and time.monotonic() < end:
            self._computed.append(vectors.vector_of(self._texts.pop(), self.encode))
        return bool(self._computed)
