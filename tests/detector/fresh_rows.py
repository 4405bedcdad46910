"""A second table, written from providers' pages and daily life without knowledge of the patterns or the first table.

`<A20>` is replaced by 20 random letters and digits, so that no real key is stored here: A letters and digits, l lower
case and digits, u upper case and digits, L and U letters only, h hex, d digits, s base64, b base64 for addresses,
2 base32, 5 base58, p a password; <m5> and <J1> hide the marks of a private key and of a JWT from scanners.
"""

import random
import re
from pathlib import Path

_ALPHABETS = {
    "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "l": "abcdefghijklmnopqrstuvwxyz0123456789",
    "u": "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
    "h": "0123456789abcdef",
    "d": "0123456789",
    "b": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    "p": "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!%*+@",
    "2": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "s": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "L": "abcdefghijklmnopqrstuvwxyz",
    "U": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "m": "-",
    "J": "J",
    "5": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
}


def fill_in(rows: str) -> list[str]:
    """Return the lines of a table with the same random values each time."""
    chance = random.Random(20261122)

    def value(match: re.Match[str]) -> str:
        return "".join(chance.choice(_ALPHABETS[match[1]]) for _ in range(int(match[2])))

    lines = [line.replace("\\n", "\n") for line in rows.strip().split("\n")]
    return [re.sub(r"<([AluhdbpsLUmJ25])(\d+)>", value, line) for line in lines]


def table(name: str) -> list[str]:
    """Return the lines of a file in `rows` with random values."""
    return fill_in((Path(__file__).parent / "rows" / f"{name}.txt").read_text("utf-8"))


CREDENTIALS = table("fresh_credentials")

CHINESE = table("fresh_chinese")

PERSONAL = table("fresh_personal")

HARMLESS = table("fresh_harmless")


VENDOR_KEYS = table("today_first")

HARMLESS_KEYS = table("today_plain")

LATER_VENDOR_KEYS = table("today_later")

LATER_HARMLESS_KEYS = table("today_later_plain")
