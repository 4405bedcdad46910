"""Numbers of persons in many countries: by their check digits where they have some, else by the word before them."""

import re
from collections.abc import Callable, Iterator

_WORD = r"(?:(?i:[\s:：#=]|number|no\.?|nr\.?|is|was|card|id)|是|为|号码?|證|证|本){0,8}?\s{0,2}"
_END = r"(?![0-9A-Za-z])"
_MOD97 = 97
_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_VERHOEFF = (
    *("0123456789", "1234067895", "2340178956", "3401289567", "4012395678"),
    *("5987604321", "6598710432", "7659821043", "8765932104", "9876543210"),
)
_VERHOEFF_PLACES = (
    *("0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258"),
)


def _digits(number: str) -> list[int]:
    return [int(digit) for digit in number if digit.isdigit()]


def _iban(number: str) -> bool:
    """Check an IBAN (ISO 13616): mod 97 of its characters, the first four moved to the end."""
    plain = re.sub(r"[ -]", "", number)
    return 15 <= len(plain) <= 34 and int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % _MOD97 == 1


def _luhn(number: str) -> bool:
    digits = _digits(number)
    return (sum(digits[-1::-2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])) % 10 == 0


def _cpf(number: str) -> bool:
    digits = _digits(number)
    if len(set(digits)) == 1:
        return False
    return all(
        sum(digit * weight for digit, weight in zip(digits, range(size + 1, 1, -1), strict=False)) * 10 % 11 % 10
        == digits[size]
        for size in (9, 10)
    )


def _korean(number: str) -> bool:
    digits = _digits(number)
    total = sum(digit * weight for digit, weight in zip(digits, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5), strict=False))
    return 1 <= digits[2] * 10 + digits[3] <= 12 and (11 - total % 11) % 10 == digits[12]


def _spanish(number: str) -> bool:
    return _LETTERS[int("".join(map(str, _digits(number)))) % len(_LETTERS)] == number[-1]


def _aadhaar(number: str) -> bool:
    check = 0
    for place, digit in enumerate(reversed(_digits(number))):
        check = int(_VERHOEFF[check][int(_VERHOEFF_PLACES[place % 8][digit])])
    return check == 0


def _any(_: str) -> bool:
    return True


Row = tuple[str, tuple[str, ...], str, Callable[[str], bool]]
ROWS: tuple[Row, ...] = (
    ("iban", (), r"(?<![0-9A-Za-z])([A-Z]{2}[0-9]{2}(?:[ -]?[0-9A-Z]{4}){2,7}(?:[ -]?[0-9A-Z]{1,4})?)" + _END, _iban),
    ("ssn", (), r"(?<![0-9A-Za-z.-])((?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4})(?![0-9A-Za-z-])", _any),
    (
        "ssn",
        ("ssn", "social security"),
        r"(?i:ssn|social security)" + _WORD + r"([0-9]{3} ?[0-9]{2} ?[0-9]{4})" + _END,
        _any,
    ),
    (
        "passport",
        ("passport", "护照", "護照"),
        r"(?i:passport|护照|護照)" + _WORD + r"([A-Z]{0,2}[0-9]{6,9}|[0-9]{2}[A-Z]{2}[0-9]{5})" + _END,
        _any,
    ),
    (
        "id_card",
        ("身份证",),
        r"身份证" + _WORD + r"([1-9][0-9]{7}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3})" + _END,
        _any,
    ),
    (
        "id_card",
        ("军官证", "士兵证", "警官证", "通行证", "回乡证", "台胞证", "居住证"),
        r"(?:军官|士兵|警官|通行|回乡|台胞|居住)证" + _WORD + r"([^\s0-9]{0,4}?[A-Z]?[0-9]{6,10})",
        _any,
    ),
    (
        "id_card",
        ("澳门", "macau", "macao"),
        r"(?i:澳门|maca[uo])[^\n0-9]{0,16}([157]/?[0-9]{6}(?:/[0-9]|\([0-9]\)))",
        _any,
    ),
    (
        "id_card",
        ("驾照", "驾驶证", "licence", "license"),
        r"(?i:驾照|驾驶证|driv(?:er'?s?|ing) licen[cs]e)" + _WORD + r"((?=[A-Z-]{0,5}[0-9])[0-9A-Z]{7,18})" + _END,
        _any,
    ),
    (
        "id_card",
        ("insurance", "nino"),
        r"(?i:national insurance|nino)" + _WORD + r"([A-Z]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D])" + _END,
        _any,
    ),
    (
        "id_card",
        ("sin ", "sin:", "social insurance"),
        r"(?<![A-Za-z])(?:SIN|(?i:social insurance))" + _WORD + r"([0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3})" + _END,
        _luhn,
    ),
    (
        "id_card",
        ("aadhaar", "aadhar"),
        r"(?i:aadhaa?r)" + _WORD + r"([2-9][0-9]{3}[ -]?[0-9]{4}[ -]?[0-9]{4})" + _END,
        _aadhaar,
    ),
    ("id_card", ("pan ", "pan:"), r"(?<![A-Za-z])PAN" + _WORD + r"([A-Z]{5}[0-9]{4}[A-Z])" + _END, _any),
    ("id_card", (), r"(?<![0-9A-Za-z.])([0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})" + _END, _cpf),
    ("id_card", ("cpf",), r"(?i:cpf)" + _WORD + r"([0-9]{11})" + _END, _cpf),
    ("id_card", (), r"(?<![0-9A-Za-z-])([0-9]{6}-[1-4][0-9]{6})(?![0-9A-Za-z-])", _korean),
    (
        "id_card",
        ("my number", "mynumber", "マイナンバー", "个人番号", "個人番号"),
        r"(?i:my ?number|マイナンバー|[个個]人番号)[^\n0-9]{0,6}([0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4})" + _END,
        _any,
    ),
    ("id_card", ("dni", "nif"), r"(?i:dni|nif)" + _WORD + r"([0-9]{8}[ -]?[A-Z])" + _END, _spanish),
    (
        "id_card",
        ("codice fiscale",),
        r"(?i:codice fiscale)" + _WORD + r"([A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z])" + _END,
        _any,
    ),
)
"""Kind, marks (case-folded; without any, a text with a long number is looked at), expression with the number, check."""


def spans(text: str, *, numbers: bool) -> Iterator[tuple[int, int, str]]:
    """Where which kind lies in a half-width text; `numbers`: whether it holds eight digits or so in a row."""
    folded = text.casefold()
    for kind, marks, form, check in ROWS:
        marked = any(mark in folded for mark in marks) or (numbers and not marks)
        if marked:
            yield from ((*match.span(1), kind) for match in re.finditer(form, text) if check(match[1]))
