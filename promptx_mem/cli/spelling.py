"""Options that were misspelled, or that other programs call otherwise: which are meant."""

import re

_TOKENS = {"-t": "#", "--tag": "#", "--score": "score:", "--duration": "duration:"}
"""Options that may stand behind the text as well, there as tokens."""
_MEANT = {
    "-n": ("limit", "limt", "max", "top", "top-k", "k", "num", "number", "count", "size", "results", "max-results"),
    "--tag": ("label", "labels", "tags", "keyword", "keywords"),
    "--score": ("importance", "rating", "priority", "weight", "rank", "s"),
    "--min-score": ("min-importance", "minimum-score", "threshold", "score"),
    "--duration": ("ttl", "expires", "expire", "expiry", "lifetime", "keep", "valid", "d"),
    "--since": ("from", "after", "start"),
    "--until": ("to", "before", "end"),
    "--date": ("day", "on", "when"),
    "--format": ("output", "o", "as"),
    "--memory-dir": ("store", "dir", "directory", "root"),
    "--update": ("replace", "supersede", "supersedes", "id"),
    "--explicit": ("force",),
    "--dry-run": ("dry", "simulate", "n"),
    "--yes": ("y", "force"),
    "--mine": ("own",),
    "--output": ("out", "file", "o"),
}
"""What other programs call the same option; the first that a command has is meant."""
_PLACED = frozenset(
    {"text", "content", "fact", "memory", "message", "body", "query", "q", "cue", "search", "id", "path", "file"}
)
"""Options of other programs for what stands here without one."""

DASHED = re.compile(r"-[^\s=]*\s")


def respelled(wrong: str, arguments: list[str], index: int, takes_value: dict[str, bool]) -> list[str]:
    """The line with this and every further misspelled option put right; empty where the first is like none."""
    line = respelled_word(wrong, arguments, takes_value)
    for word in line[index + 1 : line.index("--") if "--" in line else None]:
        if word.startswith("-") and not is_assigned(word, takes_value) and word not in takes_value:
            line = respelled_word(word, line, takes_value) or line
    return one_form(line, index) if line and line[index] == "remember" else line


def one_form(words: list[str], index: int) -> list[str]:
    """A line of `remember` whose one option of _TOKENS is a token like those beside it."""
    from promptx_mem.core.syntax import is_token, parse_argument

    places = [place for place, word in enumerate(words) if word.partition("=")[0] in _TOKENS]
    if len(places) != 1 or not any(map(is_token, words[index + 1 :])):
        return words
    place = places[0]
    name, assigned, value = words[place].partition("=")
    behind = place + (1 if assigned else 2)
    rest = [*words[:place], *words[behind:]]
    argument = parse_argument(" ".join(rest[index + 1 :]))
    twice = (name == "--score" and argument.score is not None) or (
        name == "--duration" and argument.duration is not None
    )
    return rest if twice else [*rest, _TOKENS[name] + (value if assigned else "".join(words[place + 1 : behind]))]


def respelled_word(wrong: str, arguments: list[str], takes_value: dict[str, bool]) -> list[str]:
    """The line with a misspelled option put right; empty where none is like it."""
    import difflib

    stem = wrong.partition("=")[0]
    place = next((place for place, word in enumerate(arguments) if word.partition("=")[0] == stem), len(arguments))
    if place == len(arguments) or (stem.startswith("--") and stem in takes_value):
        return []
    name, assigned, value = arguments[place].partition("=")
    bare = name.lstrip("-").lower().replace("_", "-")
    if spelling := next((option for option, names in _MEANT.items() if bare in names and option in takes_value), ""):
        instead = [spelling, value] if assigned else [spelling]
    elif bare in _PLACED:
        instead = [value] if assigned else []
        return [*arguments[:place], *instead, *arguments[place + 1 :]]
    elif name.startswith("--"):
        near = difflib.get_close_matches(name, takes_value, 1, 0.82)
        instead = [near[0] + assigned + value] if near else []
    else:
        instead = [name, value] if assigned and takes_value.get(name) else []
    return [*arguments[:place], *instead, *arguments[place + 1 :]] if instead else []


def is_assigned(word: str, takes_value: dict[str, bool]) -> bool:
    """Whether a word is an option with its value: `--name=value`, `-n5`."""
    if word.startswith("--"):
        return re.split(r"[\s=]", word, maxsplit=1)[0] in takes_value and not DASHED.match(word)
    return word[:2] in takes_value and word[2:].isdecimal()
