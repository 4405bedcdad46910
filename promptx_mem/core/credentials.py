"""Search for credentials in texts.

First the text is searched for marks, such as "key" or "://", and for a long run of letters and digits. The tables of
credentials are loaded only for a text with a mark or a long run; most texts have neither.
"""

import unicodedata
from collections.abc import Iterable
from functools import cache
from itertools import islice

from promptx_mem.core.text import DIGITS, LETTERS, is_plain, keeping, pattern, runs
from promptx_mem.data import word_lists
from promptx_mem.errors import Refused

CODE = "credential"
"""Error code of a text that is refused because of a credential."""

MARKS = (  # noqa: SIM905 - one string is easier to read than eighty
    "key|token|secret|pass|pwd|pw|psw|psk|cred|code|number|otp|pin|cvv|cvc|2fa|mfa|seed|bearer|basic |cookie"
    "|_auth|authorization|ssws|sessid|sessdata|sessionid|connect.sid|login|log in|log-in|sign in|sign-in|signin"
    "|curl|http|wget|lftp|mysql|maria|mongo|sqlcmd|redis-cli|redisc|ldap|zip|7z|mosquitto|openssl|ngrok|net use"
    "|smbclient|rpcclient|mount|sudo -s|://|:543|:643|:*:|sig=|q~|a3-|$2|$1$|$5$|$6$|$y$|$gy$|$7$|$apr1$|$argon2|pbkdf2_sha"
    '|sha}|sha256}|sha512}|"auth"|密|口令|权码|權碼|证码|證碼|校验码|动态码|提取码|解压码|访问码|恢复码|备用码|备份码|安全码|通行码|登录码|解锁码|秘钥|私钥|私鑰|令牌|凭证'
    "|凭据|助记词|助記詞|flyv1|vault|登录"
).split("|")
"""Case-folded strings. A row of the tables can match only a text with a mark or a long run of letters and digits."""

_LONG_RUN, _IN_RUN = 20, keeping(f"{DIGITS}{LETTERS}{LETTERS.upper()}_+/=.~%:-")
"""Minimum length of a long run, and its characters."""

_SEED_LENGTH, _SEED_MOST = 12, 48
"""Minimum and maximum number of words in a seed phrase. The maximum allows for two phrases in a row."""
_WORD_LENGTHS = range(3, 9)
_INVISIBLE = (
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_PICTURE = r"data:[\w/+.-]{1,80};base64,[0-9A-Za-z+/=]+"
_CROSSES = "[xX]{6,}"
_SAMPLE = (
    r"(?i:://(?:user(?:name)?|usr|my_?user|<[^>\s]{0,30}>)?:(?:password|passwd"
    r"|my_?password|your_?password|p(?:ass)?w)@"
    r"|://(?:([a-z]{2,20}):\1|user(?:name)?:pass|root:(?:password|example)|"
    r"[a-z]{2,20}:password)@(?=localhost|127\.|\[::1|(?:[a-z-]{1,40}\.)?example\.))"
)
"""Expression for logins that are only examples (`user:password@`) or only local (`root:password@localhost`)."""


def find_credentials(text: str) -> tuple[str, ...]:
    """Return the sorted kinds of credentials in a text, never the credentials themselves.

    The function needs no network, writes nothing and keeps no state, so several threads can call it.
    """
    text = plain(text)
    found = {"Seed Phrase"} if _has_seed_phrase(text) else set()
    if may_hold(text):
        from promptx_mem.core.credential_forms import by_context, kinds

        found.update(kinds(text, joined(text)))
        if not found:
            found.update(islice(by_context(text), 1))
    return tuple(sorted(found))


def credentials_in(parts: Iterable[tuple[str, str | None]]) -> tuple[str, ...]:
    """Return a message for each text with a credential. `parts` are names and texts. No message shows a credential."""
    found = ((place, find_credentials(text)) for place, text in parts if text)
    return tuple(f"{place} contains a credential ({', '.join(kinds)})" for place, kinds in found if kinds)


def demand_no_credential(place: str, text: str | None) -> None:
    """Raise Refused if a text contains a credential. `place` is the name of the text in the message."""
    for found in credentials_in([(place, text)]):
        raise Refused(
            f"{found}, and memories are stored as plain text; nothing was changed",
            code=CODE,
            hint=f"remove the credential from {place}, or omit {place}",
        )


def plain(text: str) -> str:
    """Convert a text to half-width characters, and remove invisible characters, embedded images and sample logins."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = text if is_plain(text) else pattern(_INVISIBLE).sub("", text)
        text = text.replace("密 码", "密码").replace("口 令", "口令")
    if ";base64," in text:
        text = pattern(_PICTURE).sub("", text)
    if "xxxxxx" in text.casefold():
        text = pattern(_CROSSES).sub("x", text)
    if "://" in text and "@" in text:
        text = pattern(_SAMPLE).sub("://", text)
    return text


def joined(text: str) -> str:
    """Return a text with its lines joined, so that a vendor's key is found even if it was split across lines."""
    return "".join(line.strip().removesuffix("\\") for line in text.split("\n")) if "\n" in text else text


def may_hold(text: str) -> bool:
    """Return whether a text (from `plain`) has a mark or a long run of letters and digits. If not, no row matches."""
    folded = text.casefold()  # not `lower()`, since `re` also treats ſ as s
    if any(mark in folded for mark in MARKS):
        return True
    return any(len(run) >= _LONG_RUN for run in runs(joined(text), _IN_RUN))


def _has_seed_phrase(text: str) -> bool:
    """Return whether a text has a row of 12 to 48 seed words, not more. Numbers and punctuation are ignored."""
    pieces = text.replace(",", " ").casefold().split() if len(text) >= _SEED_LENGTH * 4 else []
    words = [piece.strip(".,;:()[]{}\"'`0123456789、，。：；“”|*-") for piece in pieces]
    row = 0
    for word in [*filter(None, words), ""] if len(words) >= _SEED_LENGTH else ():
        if len(word) in _WORD_LENGTHS and f"{len(word)}{word[:4]}" in _seed_words():
            row += 1
        elif _SEED_LENGTH <= row <= _SEED_MOST:
            return True
        else:
            row = 0
    return False


@cache
def _seed_words() -> frozenset[str]:
    """Return length and first four letters of the English words (BIP 39) in seed phrases of cryptocurrency wallets.

    A line of the file has a length, then two first letters with all next letters of the words of this length.
    """
    found: set[str] = set()
    for size, *groups in map(str.split, word_lists("core/seed_words.txt")["seed words"].splitlines()):
        step = min(int(size) - 2, 2)
        found |= {size + group[:2] + group[at : at + step] for group in groups for at in range(2, len(group), step)}
    return frozenset(found)
