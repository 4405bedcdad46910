"""Random parts of made-up credentials, drawn from a seed, so that no line of these tests looks like one to a scanner."""

import random
import string

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = LOWER + UPPER + DIGITS
URL_SAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
HEX = DIGITS + "abcdef"
BASE32 = UPPER + "234567"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

_SOURCE = random.Random(13)


def draw(alphabet: str, length: int) -> str:
    """A word of so many characters, the same in every run; it begins and ends in no sign."""
    body = "".join(_SOURCE.choice(alphabet) for _ in range(length))
    ends = [letter for letter in alphabet if letter.isalnum()]
    return _SOURCE.choice(ends) + body[1:-1] + _SOURCE.choice(ends) if length > 1 else body


def alnum(length: int) -> str:
    return draw(ALNUM, length)


def hexa(length: int) -> str:
    return draw(HEX, length)


def safe(length: int) -> str:
    return draw(URL_SAFE, length)


def base64(length: int) -> str:
    return draw(BASE64, length)


def word() -> str:
    """A password: a few letters and digits."""
    return draw(LOWER, 5) + draw(DIGITS, 3)
