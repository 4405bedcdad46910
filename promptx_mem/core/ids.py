"""Ids: the same text, stored on two hosts, is one memory."""

import re
import unicodedata
from collections.abc import Iterable

try:  # hashlib loads OpenSSL, which a hot command does not need
    from _blake2 import blake2b
except ImportError:  # pragma: no cover
    from hashlib import blake2b

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID = re.compile(r"m_[0-9a-hjkmnp-tv-z]{10}")
_FINAL = " .。!！．"
_IDEOGRAPH = "[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
PREFIX = re.compile(r"m_[0-9a-z]{0,10}")


def is_id(words: str) -> bool:
    """Return whether a text is an id or the beginning of one."""
    return len(words) > len("m_") and PREFIX.fullmatch(words.lower()) is not None


def normalise(text: str) -> str:
    """Return the normal form of a text, for its id: NFC, no white space at line ends, no blank lines at either end.

    Everything else is kept, also case: `API_URL` and `api_url` are two facts.
    """
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if "\n" not in text and "\r" not in text:
        return text.strip()
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip()


def same_fact(text: str) -> str:
    """Return a text without final punctuation, needless white space and initial capital.

    If two texts differ only in these, they are one fact. A final `?` makes a different fact.
    """
    text = normalise(text)
    text = text.rstrip(_FINAL) or text
    if "\n" not in text:
        text = re.sub("[ \t\xa0\u3000]+", " ", text)
        if not text.isascii():
            text = re.sub(f"(?<={_IDEOGRAPH}) | (?={_IDEOGRAPH})", "", text)
    return text[:1].lower() + text[1:]


def digest(data: bytes, size: int = 8) -> str:
    """Return a short hex BLAKE2b hash of `size` bytes."""
    return blake2b(data, digest_size=size).hexdigest()


def mark(text: str, tags: Iterable[str]) -> str:
    """Return a mark that changes with the memory."""
    return mark_of(f"{text}\0{' '.join(tags)}")


def mark_of(line: str) -> str:
    """Return a mark of a line."""
    return digest(line.encode("utf-8", "surrogatepass"), 4)


def make_id(text: str, salt: int = 0) -> str:
    """Return `m_` and 10 characters (Crockford base32, 50 bits) of a BLAKE2b hash of the normalised text."""
    data = normalise(text).encode("utf-8", "surrogatepass")
    if salt:
        data += b"\0%d" % salt
    number = int.from_bytes(blake2b(data, digest_size=7).digest(), "big") >> 6
    a = _ALPHABET
    # No loop, which takes four times as long: a rebuild computes the id of every memory.
    return (
        f"m_{a[number >> 45]}{a[number >> 40 & 31]}{a[number >> 35 & 31]}{a[number >> 30 & 31]}{a[number >> 25 & 31]}"
        f"{a[number >> 20 & 31]}{a[number >> 15 & 31]}{a[number >> 10 & 31]}{a[number >> 5 & 31]}{a[number & 31]}"
    )
