"""Personal data in texts: email addresses, and numbers of telephones, cards, accounts and identity documents."""

import datetime as dt
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from promptx_mem.data import word_lists

_WORD = r"(?:(?i:[\s:：#=]|number|no\.?|nr\.?|is|was|card|id)|是|为|号码?|證|证|本){0,8}?\s{0,2}"
_END = r"(?![0-9A-Za-z])"
_MOD97 = 97


def _digits(number: str) -> list[int]:
    return [int(digit) for digit in number if digit.isdigit()]


def _weighted(digits: Iterable[int], weights: Iterable[int]) -> int:
    """Return the sum of digits, each multiplied by its weight."""
    return sum(digit * weight for digit, weight in zip(digits, weights, strict=False))


def _iban(number: str) -> bool:
    """Check an IBAN (ISO 13616): its length, and mod 97 after the first four characters are moved to the end."""
    plain = re.sub(r"[ -]", "", number)
    return 15 <= len(plain) <= 34 and int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % _MOD97 == 1


def _luhn(number: str) -> bool:
    digits = _digits(number)
    return (sum(digits[-1::-2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])) % 10 == 0


def _cpf(number: str) -> bool:
    digits = _digits(number)
    sums = {size: _weighted(digits, range(size + 1, 1, -1)) for size in (9, 10)}
    return len(set(digits)) > 1 and all(total * 10 % 11 % 10 == digits[size] for size, total in sums.items())


def _korean(number: str) -> bool:
    digits = _digits(number)
    total = _weighted(digits, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5))
    return 1 <= digits[2] * 10 + digits[3] <= 12 and (11 - total % 11) % 10 == digits[12]


def _resident(number: str) -> bool:
    """Check a PRC resident identity number (GB 11643): its date of birth and its check digit (mod 11-2)."""
    number = re.sub("[ -]", "", number).upper()
    try:
        dt.date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = _weighted(map(int, number[:17]), (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2))
    return "10X98765432"[total % 11] == number[17]


def _taiwan(number: str) -> bool:
    code = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(number[0]) + 10
    digits = [code // 10, code % 10, *_digits(number)]
    return _weighted(digits, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1)) % 10 == 0


def _hong_kong(number: str) -> bool:
    """Check a Hong Kong identity number: mod 11 over eight characters. A missing first letter counts as 36."""
    *places, check = [int(place, 36) for place in re.sub("[()]", "", number)]
    return (_weighted([36] * (8 - len(places)) + places, range(9, 1, -1)) + check) % 11 == 0


def _named_phone(number: str) -> bool:
    """Check the number of digits of a telephone number after a word such as "phone": 7 to 13."""
    return 7 <= sum(map(number.count, "0123456789")) <= 13


def _card(number: str) -> bool:
    digits = re.sub(r"[ -]", "", number)
    # A date of expiry can follow a grouped number. Then the first sixteen digits are the number.
    return any(
        # an identity number of Gansu begins with 62, as UnionPay's cards do
        re.fullmatch(_ISSUERS, some) and _luhn(some) and not (re.fullmatch(_RESIDENT, some) and _resident(some))
        for some in ({digits, digits[:16]} if number[9] in " -" else {digits})
    )


_Check = Callable[[str], bool]
_CHECKS: dict[str, _Check] = {"any": bool, "iban": _iban, "luhn": _luhn, "cpf": _cpf, "korean": _korean}
Row = tuple[str, Iterable[str], str, _Check]

KINDS = ("phone", "email", "id_card", "bank_card", "passport", "iban", "ssn")

_WIDE = {wide: chr(wide - 0xFEE0) for wide in range(ord("０"), ord("ｚ") + 1) if chr(wide).isalnum()} | {
    ord(wide): narrow for wide, narrow in zip("＋－＠．（）　\u00a0\u2011\u2013", "+-@.()  --", strict=True)
}

# Characters that cannot be next to a number. With such a neighbour, the number is part of a longer token (an id, a
# decimal, a version).
_BEFORE = r"(?<![0-9A-Za-z_+])(?<![0-9A-Za-z_][.-])"
_AFTER = r"(?![0-9A-Za-z_]|[.-][0-9A-Za-z])"

_NUMBER = r"[0-9](?:[ ().-]{0,2}[0-9]){7}|[A-Z][0-9]{6}"
"""A fast first test: `_spans` tries rows without marks only if this expression matches."""
_FEW = 5
"""A text with at most this many digits contains no match of _NUMBER."""

_MOBILE = r"(?:13[0-9]|14[5-9]|15[0-35-9]|16[2567]|17[0-8]|18[0-9]|19[0-35-9])"
_COUNTRY = (
    r"(?:7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
    r"|(?:2[1-69]|3[578]|42|5[09]|6[7-9]|8[0578]|9[679])[0-9])"
)
_PHONES = (
    _BEFORE + r"(?:\(?(?:\+|00)?86\)?[ -]?)?" + _MOBILE + r"[0-9]{8}" + _AFTER,
    # A further group of digits means a longer number, perhaps of a card.
    r"(?<![0-9][ -])"
    + _BEFORE
    + r"(?:\(?(?:\+|00)?86\)?[ -]?)?"
    + _MOBILE
    + r"[ -][0-9]{4}[ -]?[0-9]{4}(?![ -][0-9]{3})"
    + _AFTER,
    # Numbers with an area code, of the PRC, the United States, Britain and France.
    (
        r"(?<![0-9A-Za-z.-])(?:\(0[0-9]{2,3}\) ?|0(?:10|2[0-9]|[3-9][0-9]{2})[- ])[2-8][0-9]{6,7}"
        r"(?![0-9A-Za-z-]|[.:][0-9])"
    ),
    r"(?<![0-9A-Za-z.-])(?:\([2-9][0-9]{2}\) ?|[2-9][0-9]{2}-)[2-9][0-9]{2}-[0-9]{4}(?![0-9A-Za-z-]|[.:][0-9])",
    r"(?<![0-9A-Za-z.-])0(?:7[0-9]{3} [0-9]{6}|20 [0-9]{4} [0-9]{4}|[1-9](?: [0-9]{2}){4})(?![0-9A-Za-z-]| [0-9])",
    r"(?<![0-9A-Za-z_+])\+1[ .-]?\(?[2-9][0-9]{2}\)?[ .-]?[2-9][0-9]{2}[ .-]?[0-9]{4}" + _AFTER,
    # Nine to fifteen digits (E.164). A number with five zeros in a row is a quantity.
    r"(?<![0-9A-Za-z_+])\+(?![0-9]{0,14}00000)(?=(?:[0-9][ ()-]{0,2}){9,15}(?![0-9]))"
    + _COUNTRY
    + r"[ -]?(?:\([0-9]{1,4}\)[ -]?)?[0-9](?:[ -]?[0-9]){4,12}"
    + _AFTER,
)

_PHONE_MARKS = ("电话", "座机", "手机", "传真", "tel ", "tel.", "tel:", "phone", "mobile", "whatsapp", "cell ")
_NAMED_PHONE = (
    r"(?i:电话|座机|手机|传真|(?<![a-z])tel(?:ephone)?(?![a-z])|(?<![a-z])phone|mobile|whatsapp|cell)(?:号码?)?"
    r"(?i:[\s:：.是为]|number|no\.|is){0,6}(?!(?:19|20)[0-9]{2}[-/.年]?)"
    r"(\(?[0-9](?:[ ()/-]{0,2}[0-9]){6,14})(?![0-9A-Za-z]|[.:][0-9])"
)
_SPELT_EMAIL = r"(?<![0-9A-Za-z])[0-9A-Za-z._+-]{2,64} (?:at|\(at\)|\[at\]) [0-9A-Za-z-]{2,63} dot [a-z]{2,12}(?![a-z])"

_AT = (
    r"(?<=[0-9A-Za-z_+-])@((?:[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?\.)+([A-Za-z]{2,24}))"
    r"(?![0-9A-Za-z@_-])"
)
_LOCAL = r"(?:(?![\u2e80-\uffff])[\w.!#$%&'*+/=?^`{|}~-])+"
"""The part before an @, matched backwards, since a forward search would start again at each character."""
_LOOK_BACK = 256
"""Number of characters searched before an @. An address has at most 64 characters there; a URL can have more."""
_FILE_ENDINGS = frozenset({"css", "gif", "git", "gz", "jpeg", "jpg", "js", "json", "png", "svg", "tgz", "webp"})

_RESIDENT = (
    r"(?<![0-9A-Za-z_])((?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91)[0-9]{4}[ -]?"
    r"(?:18|19|20)[0-9]{6}[ -]?[0-9]{3}[0-9Xx])(?![0-9A-Za-z_])"
)
_TAIWAN = r"(?<![0-9A-Za-z_-])([A-Z][1289][0-9]{8})(?![0-9A-Za-z_-])"
_HONG_KONG = r"(?<![0-9A-Za-z_-])([A-Z]{1,2}[0-9]{6}\([0-9A]\))"

_CARD = (
    _BEFORE
    + r"([2-6][0-9]{3}([ -])[0-9]{4}\2[0-9]{4}\2[0-9]{4}(?:\2?[0-9]{1,3})?"
    + r"|3[0-9]{3}[ -][0-9]{6}[ -][0-9]{4,5}|[2-6][0-9]{5}[ -][0-9]{10,13}|[2-6][0-9]{13,18})"
    + r"(?![0-9A-Za-z_]|[.][0-9]|-[A-Za-z])"
)
_ISSUERS = (
    r"4(?:[0-9]{15}|[0-9]{18})"  # Visa; its old numbers of 13 digits are left out, since they look like EAN codes
    r"|5[1-5][0-9]{14}|(?:222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}"  # Mastercard
    r"|220[0-4][0-9]{12}"  # Mir
    r"|3[47][0-9]{13}"  # American Express
    r"|3(?:0[0-5]|[689][0-9])[0-9]{11}"  # Diners Club
    r"|35(?:2[89]|[3-8][0-9])[0-9]{12,15}"  # JCB
    r"|(?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12,15}"  # Discover
    r"|62[0-9]{14,17}"  # UnionPay
)


@cache
def rows() -> list[Row]:
    """Return rows: kind, marks (case-folded), expression, check. The check gets the first group, or the whole match.

    A row with marks applies to texts that contain a mark. A row without marks applies to texts with _NUMBER.
    """
    found: list[Row] = []
    for row in word_lists("core/personal_data.txt")["identity numbers"].splitlines():
        kind, check, marks, form = row.split(" | ", 3)
        form = form.replace("{WORD}", _WORD).replace("{END}", _END)
        found.append((kind, marks.split("|") if marks else (), form, _CHECKS[check]))
    found += [("phone", (), phone, bool) for phone in _PHONES]
    found += [("phone", _PHONE_MARKS, _NAMED_PHONE, _named_phone), ("email", (" dot ",), _SPELT_EMAIL, bool)]
    found += [("id_card", (), _RESIDENT, _resident), ("id_card", (), _TAIWAN, _taiwan)]
    return [*found, ("id_card", (), _HONG_KONG, _hong_kong), ("bank_card", (), _CARD, _card)]


Span = tuple[int, int, str]
"""Start, end (exclusive) and kind of personal data."""


def personal_data(text: str) -> tuple[str, ...]:
    """Return the kinds of personal data in `text`, in the order of KINDS.

    A check digit must be correct, except after a word such as "passport" (a passport, an Aadhaar or DNI). A telephone
    number or SSN counts by its format.
    """
    kinds = {kind for _, _, kind in _spans(text)}
    return tuple(kind for kind in KINDS if kind in kinds)


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """Replace personal data by its kind in brackets, such as `[phone]`. Return the text and the kinds.

    If the result would still contain personal data, the returned text is only the list of kinds.
    """
    out, kinds, end = [], set(), 0
    for start, stop, kind in sorted(_spans(text), key=lambda span: (span[0], -span[1])):
        kinds.add(kind)
        if start >= end:
            out += [text[end:start], f"[{kind}]"]
        end = max(end, stop)
    if not kinds:
        return text, ()
    rest = "".join([*out, text[end:]])
    kinds.update(remainder := personal_data(rest))
    named = tuple(kind for kind in KINDS if kind in kinds)
    return " ".join(f"[{kind}]" for kind in named) if remainder else rest, named


def _spans(text: str) -> Iterator[Span]:
    """Yield start, end and kind of all personal data in a text. Ranges can overlap."""
    if not text.isascii():
        text = text.translate(_WIDE)  # each character becomes one character, so positions stay the same
    folded = text.casefold()
    has_number = sum(map(text.count, "0123456789")) > _FEW and re.search(_NUMBER, text) is not None
    for kind, marks, form, check in rows():
        if any(mark in folded for mark in marks) or (has_number and not marks):
            group = min(re.compile(form).groups, 1)
            yield from ((*match.span(group), kind) for match in re.finditer(form, text) if check(match[group]))
    if "@" in text:
        yield from ((*place, "email") for place in _emails(text))


def _emails(text: str) -> Iterator[tuple[int, int]]:
    for match in re.finditer(_AT, text):
        domain, ending = match.groups()
        if ending.lower() in _FILE_ENDINGS or re.match(r"[0-9]+\.[0-9]+\.[0-9]", domain):
            continue  # icon@2x.png, react@18.0.0-rc.next
        local = re.split(r"\s", text[max(0, match.start() - _LOOK_BACK) : match.start()])[-1]
        remote = local.endswith("git") and text[match.end() : match.end() + 1] in (":", "/")
        if "://" not in local and not remote:
            own = re.match(_LOCAL, local[::-1])
            yield match.start() - len(own[0] if own else local), match.end()
