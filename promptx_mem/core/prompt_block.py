"""The block of memories in a prompt, and an estimate of tokens."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from promptx_mem.core.description import Activation, Description, Recall, Turn, references, warnings
from promptx_mem.core.state import OWN, USER
from promptx_mem.core.text import escape_markup, format_score, pattern, printable, printable_lines

_WORD, _HUMP = "[0-9A-Za-z]+", "[A-Z]?[a-z]+|[A-Z]+"
_LETTERS_PER_TOKEN, _CAPITALS_PER_TOKEN = 4, 2
_OTHER = "[^\x00-\x7f]"  # a set of many ranges takes a millisecond to compile
_DENSE_TOKENS = 1.25


def tokens(text: str) -> int:
    """Estimate the number of tokens of a text. Each part of `camelCase` is a word.

    A word of letters counts as one token for each 4 letters (capitals: 2), rounded up. In a word with digits, each
    character counts as one token. A punctuation mark counts as one token. A Chinese character or kana counts as 1.25
    tokens. A character of another script counts as one token for each UTF-8 byte. A single space belongs to the next
    word. One is added.
    """
    words = pattern(_WORD).findall(text)
    count = sum(map(_word, words))
    others = pattern(_OTHER).findall(text)
    rest = len(text) - sum(map(len, words)) - text.count(" ") - len(others)
    return int(count + rest + text.count("  ") + sum(map(_character, others))) + 1


@lru_cache(maxsize=8192)  # words recur
def _word(word: str) -> int:
    if not word.isalpha():
        return len(word)
    humps = [word] if word.islower() else pattern(_HUMP).findall(word)
    return sum(-(-len(hump) // (_CAPITALS_PER_TOKEN if hump.isupper() else _LETTERS_PER_TOKEN)) for hump in humps)


@lru_cache(maxsize=8192)
def _character(char: str) -> float:
    if "\u3041" <= char <= "\u3096" or "\u30a1" <= char <= "\u30fc" or "\u4e00" <= char <= "\u9fff":
        return _DENSE_TOKENS
    is_punctuation = "\u2010" <= char <= "\u2026" or "\u3001" <= char <= "\u301f" or "\uff01" <= char <= "\uff5e"
    return 1 if is_punctuation else len(char.encode("utf-8", "surrogatepass"))


BLOCK, END = "activated_memory_slices", "</memory>\n"


def block(data: Recall) -> str:
    """Render the memories that `recall` returned as one block for a prompt, even if there are none."""
    head = {"count": len(data["memories"]), "left_out": data["left_out"] or None, "as_of": data["as_of"]}
    return f"<{BLOCK}{_attributes(head)}>\n{''.join(map(of_memory, data['memories']))}</{BLOCK}>\n"


def escape(text: str) -> str:
    """Escape `&`, `<` and `>` in a text, and replace unprintable characters. Newlines are kept."""
    return escape_markup(printable_lines(text))


def _attributes(fields: Mapping[str, object]) -> str:
    attributes = {name: value for name, value in fields.items() if value is not None}
    texts = {name: escape(printable(str(value))).replace('"', "&quot;") for name, value in attributes.items()}
    return "".join(f' {name}="{text}"' for name, text in texts.items())


def of_memory(memory: Description, *, is_brief: bool = False) -> str:
    """Render one memory as an element of the block. `is_brief`: leave out source, score, tags, topic and type."""
    fields: dict[str, str | None] = {
        "id": memory["id"],
        "date": memory["at"][:10],
        "origin": memory["origin"] if memory["origin"] != OWN else None,
        "scope": memory["scope"] if memory["scope"] == USER else None,
        "unscored": "true" if memory["unscored"] else None,
        "source": memory["source"] if memory["origin"] == OWN else None,
        "score": format_score(memory["score"]),
        "tags": " ".join(memory["tags"]) or None,
        "topic": memory["topic"],
        "type": memory["type"],
        "category": memory["category"] if memory["category"] != "fact" else None,
        "verified": "true" if memory["verified"] else "false" if memory["unverified"] else None,
        "ended": memory["end"] if not memory["lives"] else None,
        "note": ", ".join(references(memory)) or None,
    }
    fields |= dict.fromkeys(("source", "score", "tags", "topic", "type")) if is_brief else {}
    note = f"<system-reminder>\n{memory['freshness']}\n</system-reminder>\n" if memory["freshness"] else ""
    part = _slice(memory["slice"]) if memory["slice"] else ""
    stale = of_warnings(warnings(memory))
    return f"<memory{_attributes(fields)}>\n{escape(memory['text'])}\n{stale}{part}{note}{END}"


def of_warnings(lines: Iterable[str]) -> str:
    """Render the warnings about a memory as `<warning>` elements."""
    return "".join(f"<warning>{escape(line)}</warning>\n" for line in lines)


def _slice(part: Activation) -> str:
    head = {"ref": part["ref"], "date": part["date"], "time": part["time"]}
    summary = f"<summary>{escape(part['summary'])}</summary>\n" if part["summary"] else ""
    return f"<slice{_attributes(head)}>\n{summary}{''.join(map(_message, items(part)))}</slice>\n"


def _message(item: Turn | int) -> str:
    if isinstance(item, int):
        return f'<left_out messages="{item}"/>\n'
    fields = {"role": item["role"], "at": item["at"]}
    return f"<message{_attributes(fields)}>{escape(item['text'])}</message>\n"


def items(part: Activation) -> Sequence[Turn | int]:
    """Return the shown messages of a slice in order and, in each gap, the number of omitted messages."""
    turns: list[Turn | int] = list(part["messages"])
    gaps: Sequence[int] = part["left_out"]
    if not turns:
        return gaps
    # the first 2, a gap, the middle 4, a gap, the last 2 (source 004)
    for place, missing in sorted(zip((2, 6), gaps, strict=False), reverse=True):
        turns.insert(place, missing)
    return [turn for turn in turns if turn != 0]
