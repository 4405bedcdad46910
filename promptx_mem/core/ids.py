"""Ids of memories. They are hashes of the text, so the same text has the same id on every machine."""

import unicodedata
from collections.abc import Iterable

try:  # hashlib loads OpenSSL, which takes time and is not needed
    from _blake2 import blake2b
except ImportError:  # pragma: no cover
    from hashlib import blake2b

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_CHARACTERS = frozenset(_ALPHABET)
_SIZE = len("m_") + 10


def is_id(text: str) -> bool:
    """Return whether a text has the format of a memory's id."""
    return len(text) == _SIZE and text.startswith("m_") and _CHARACTERS.issuperset(text[2:])


def is_prefix(text: str) -> bool:
    """Return whether a text looks like the beginning of an id: `m_` and one to ten small letters or digits."""
    is_short = text.startswith("m_") and len(text) <= _SIZE
    return is_short and text.isascii() and text[2:].isalnum() and text == text.lower()


def normalise(text: str) -> str:
    """Convert a text to NFC, and remove white space at line ends and at both ends. Ids are made from the result.

    Everything else is kept, also case: `API_URL` and `api_url` are two facts.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if "\n" not in text:  # most texts; an index of a whole store calls this for each
        return text.strip()
    return "\n".join(line.rstrip() for line in text.split("\n")).strip()


def short_hash(data: bytes | str, size: int = 8) -> str:
    """Return the BLAKE2b hash of bytes or of a text in UTF-8, `size` bytes long, in hex."""
    data = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return blake2b(data, digest_size=size).hexdigest()


def text_mark(text: str, tags: Iterable[str]) -> str:
    """Return a short hash of a memory's text and tags, to detect changes."""
    return line_mark(f"{text}\0{' '.join(tags)}")


def line_mark(line: str) -> str:
    """Return a short hash of a line, to detect changes."""
    return short_hash(line, 4)


def make_id(text: str, salt: int = 0) -> str:
    """Return `m_` and 10 characters (Crockford base32, 50 bits) of a BLAKE2b hash of the normalised text and salt."""
    data = normalise(text).encode("utf-8", "surrogatepass")
    if salt:
        data += b"\0%d" % salt
    number = int.from_bytes(blake2b(data, digest_size=7).digest(), "big") >> 6
    a = _ALPHABET
    # A loop would take four times as long, and a rebuild computes the id of every memory.
    return (
        f"m_{a[number >> 45]}{a[number >> 40 & 31]}{a[number >> 35 & 31]}{a[number >> 30 & 31]}{a[number >> 25 & 31]}"
        f"{a[number >> 20 & 31]}{a[number >> 15 & 31]}{a[number >> 10 & 31]}{a[number >> 5 & 31]}{a[number & 31]}"
    )
