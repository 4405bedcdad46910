"""`abbreviations` in a file of settings: words that mean the same to the user, as `recall` looks for them."""

from typing import TYPE_CHECKING, Any

from promptx_mem.core.text import clean

if TYPE_CHECKING:
    from promptx_mem.store.yaml_file import YamlFile

KEY, FORMER = "abbreviations", "aliases"
"""Files of the second edition have the former."""

MOST_WORDS, MOST_SPELLINGS, LONGEST = 200, 10, 60
"""Words that may have others, how many each, and how many characters one has: each is looked for in each question."""

_ALLOWED = (
    f"a mapping of at most {MOST_WORDS} words, word: what it stands for, or a list of at most {MOST_SPELLINGS}, "
    f"each of 1 to {LONGEST} characters"
)


def read(file: "YamlFile") -> tuple[tuple[str, ...], ...]:
    """Return groups of spellings that mean the same; none where the key is not there. Raises ConfigError."""
    value = file.values.get(KEY, file.values.get(FORMER))
    if value is None:
        return ()
    if not isinstance(value, dict) or len(value) > MOST_WORDS:
        count = f" has {len(value)} words" if isinstance(value, dict) else f": {value!r}"
        raise file.wrong(f"{KEY}{count}", _ALLOWED)
    return tuple((_spelling(file, word, KEY), *_others(file, word, others)) for word, others in value.items())


def _others(file: "YamlFile", word: Any, others: Any) -> tuple[str, ...]:
    every = others if isinstance(others, list) else [others]
    if not 1 <= len(every) <= MOST_SPELLINGS:
        raise file.wrong(f"{KEY}.{word} has {len(every)} spellings", _ALLOWED)
    return tuple(_spelling(file, other, f"{KEY}.{word}") for other in every)


def _spelling(file: "YamlFile", value: Any, where: str) -> str:
    text = " ".join(clean(str(value)).split()) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not (1 <= len(text) <= LONGEST and any(map(str.isalnum, text))):
        raise file.wrong(f"{where}: {value!r}", _ALLOWED)
    return text
