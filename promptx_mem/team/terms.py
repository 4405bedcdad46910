"""A space's terms as numbers: what the derived table holds in place of words."""

from hashlib import blake2b
from struct import Struct

_SIGNED = Struct(">q")


class Terms:
    """The numbers of one space: the same word is another number in another, so that one index serves all."""

    def __init__(self, space: str) -> None:
        self._begin = blake2b(space.encode() + b"\0", digest_size=8)
        self._numbers: dict[str, int] = {}

    def number(self, term: str) -> int:
        """Return 64 bits of a hash of the space and a term, as PostgreSQL holds them."""
        number = self._numbers.get(term)
        if number is None:
            hashed = self._begin.copy()
            hashed.update(term.encode("utf-8", "surrogatepass"))
            number = self._numbers[term] = _SIGNED.unpack(hashed.digest())[0]
        return number
