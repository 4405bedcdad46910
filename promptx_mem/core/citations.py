"""Citations: project files that a memory names, each with code names from the memory (docs/file-format.md)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from promptx_mem.core.entry import Cite
from promptx_mem.core.text import is_printable, pattern
from promptx_mem.record import Any

MAX_PATHS, MAX_NAMES = 20, 8
MAX_TRIED = 200
"""Maximum number of possible paths and of code names in a text."""

MAX_PATH, MAX_NAME = 300, 80
OK, UNKNOWN, GONE = "ok", "not checked", "not in this working tree"
MOVED, WITHOUT = "moved to ", "no longer contains "
"""Beginnings of a citation's state: the file was moved, or the file no longer contains a name."""

_SEPARATOR = ": "
_ASCII_RUN = r"[A-Za-z0-9_.@~+\-][A-Za-z0-9_.@~+/\-]*"
_IN_CHINESE = r"(?a:([^\x00-\x7f].{0,120}?\.[A-Za-z]\w{0,11})(?![\w./\-]))"
"""A file with the Chinese words before it, which are written without spaces, as in 改端口要改配置.yaml里的值."""

_MOST_STARTS = 20
_BETWEEN = r"[\s\"'`<>|*,;，。；、：（）《》“”‘’「」【】！？]+|\]\("
_AFTER_FILE = r"(?a:(\.\w{1,9}|file)(?:::?|[#@(])[A-Za-z_$][\w$.:]*\)?$)"
"""A name after a file, as in `src/auth.py::refresh_token` and `src/auth.py#refresh_token`."""

_PLACE = r"(?:[:#]L?\d+(?:[-:,]L?\d+)*|:)$"
_QUOTED = r"`([^`\n]{1,300})`"
_WORD = r"(?a:[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*)"
_CALL = r"\([^()`]*\)$"
_KNOWN = frozenset({
    "makefile", "gnumakefile", "dockerfile", "containerfile", "license", "licence", "copying", "notice", "readme",
    "changelog", "contributing", "jenkinsfile", "procfile", "gemfile", "rakefile", "vagrantfile", "justfile",
    "brewfile", "codeowners", "pipfile", "podfile", "fastfile", "build", "workspace",
})  # fmt: skip
"""Common names of files that have no extension."""

_PRODUCTS = frozenset({
    "github", "gitlab", "javascript", "typescript", "postgresql", "mysql", "mongodb", "graphql", "openai", "youtube",
    "linkedin", "devops", "macos", "ios", "nodejs", "webassembly", "bitbucket", "stackoverflow", "jetbrains", "vscode",
})  # fmt: skip
"""Product names that look like code."""

_USUAL = frozenset({
    "__init__", "index", "main", "mod", "lib", "readme", "conftest", "package", "makefile", "dockerfile", "config",
    "setup", "utils", "types", "test", "tests", "license", "changelog", "settings", "constants", "cargo", "go", "src",
})  # fmt: skip
"""Common file names. If a citation has no code names, a file of this name in another folder is not the cited file."""


def paths(text: str) -> list[str]:
    """Return words of a text that could be paths, first those in backticks. The caller checks if they exist."""
    found: dict[str, None] = {}
    for quoted in pattern(_QUOTED).findall(text):
        found |= {_tidy(quoted): None} if quoted[-1:] != ":" else {}  # `docs:` is a label
    words = re.split(_BETWEEN, text)
    words += [word for word in re.split(_BETWEEN.replace("'", ""), text) if "'" in word]  # as in `it's.md`
    for word in map(_tidy, words):
        found |= dict.fromkeys(filter(_is_like_path, [word] if word.isascii() else [word, *_in_chinese(word)]))
    return [path for path in found if is_path(path)][:MAX_TRIED]


def is_path(path: str) -> bool:
    """Return whether a text can be a cited path: 1-300 printable characters, without ": ", not `.`, `..` or `/`."""
    return 0 < len(path) <= MAX_PATH and is_printable(path) and _SEPARATOR not in path and path not in (".", "..", "/")


def names(text: str, without: Iterable[str] = ()) -> list[str]:
    """Return the code names in a text, except products and those that are part of a path in `without`."""
    named = {part for path in without for part in (path, *re.split(r"[/.]", path), path.rpartition("/")[2])}
    quoted = {re.sub(_CALL, "", word).strip() for word in pattern(_QUOTED).findall(text)}
    quoted = {word for word in quoted if re.fullmatch(_WORD, word)}
    found: dict[str, None] = {}
    for word in pattern(_WORD).findall(text):
        is_name = word in quoted or is_code(word)
        if is_name and word not in named and len(word) <= MAX_NAME and word.lower() not in _PRODUCTS:
            found[word] = None
    return list(found)[:MAX_TRIED]


def is_code(word: str) -> bool:
    """Return whether a word is written like a name in code: CamelCase, snake_case, dotted."""
    if len(word) < 3 or word.startswith("$"):
        return False
    if "::" in word or "." in word:
        return all(len(part) > 1 for part in re.split(r"\.|::", word))
    if "_" in word.strip("_"):
        return True
    return any(word[at - 1].islower() and word[at].isupper() for at in range(1, len(word)))


def found_in(words: Iterable[str], data: bytes) -> list[str]:
    """Return the first 8 names that occur in a file. If a dotted name does not occur, try its parts that are code."""
    found: dict[str, None] = {}
    for word in words:
        if contains(data, word):
            found[word] = None
        elif "." in word or "::" in word:
            parts = re.split(r"\.|::", word)
            found |= dict.fromkeys(part for part in parts if is_code(part) and contains(data, part))
        if len(found) >= MAX_NAMES:
            break
    return list(found)[:MAX_NAMES]


def contains(data: bytes, name: str) -> bool:
    """Return whether a name occurs in a file as a separate word."""
    wanted = name.encode("utf-8", "surrogatepass")
    # few files contain the name, and a search for bytes is fast
    return wanted in data and re.search(rb"(?<!\w)%b(?!\w)" % re.escape(wanted), data) is not None


def written(path: str, found: Iterable[str]) -> str:
    """Return a citation as it is stored in a memory's line: the path, and the names found in the file."""
    return _SEPARATOR.join(filter(None, (path, " ".join(found))))


def read(values: Iterable[str]) -> list[Cite]:
    """Read up to 20 citations in a memory's line. Skip invalid ones, since anybody could have written the line."""
    out: list[Cite] = []
    for value in values:
        path, _, found = value.partition(_SEPARATOR)
        if is_path(path) and is_inside(path) and len(out) < MAX_PATHS:
            out.append({"path": path, "names": [name for name in found.split() if len(name) <= MAX_NAME][:MAX_NAMES]})
    return out


def is_inside(path: str) -> bool:
    """Return whether a path is relative, without `..` and backslashes."""
    return not path.startswith("/") and "\\" not in path and ".." not in path.split("/")


def is_safe_to_open(path: str) -> bool:
    """Return whether a file is safe to open: no key file, no dot file and no file in a dot folder (except .github)."""
    parts = path.lower().split("/")
    if any(part.startswith(".") and part not in (".github", ".") for part in parts):
        return False
    return not (parts[-1].endswith((".pem", ".key")) or parts[-1].startswith("id_"))


def is_common(path: str) -> bool:
    """Return whether a file has a name that is common in projects, such as `index.js`."""
    return path.rpartition("/")[2].partition(".")[0].lower() in _USUAL


def failures(memory: Mapping[str, Any]) -> list[str]:
    """Return a warning for each invalid citation: the file is gone, or no longer contains a cited name."""
    out = []
    for cite in memory.get("cites", ()):
        state = cite.get("state", "")
        if state == GONE:
            out.append(f"{GONE}: {cite['path']}")
        elif state.startswith(WITHOUT):
            out.append(f"{cite['path']} {state}")
    return out


def _in_chinese(word: str) -> list[str]:
    """Return the possible paths in a word that is not ASCII. Chinese words can precede and follow a path."""
    parts = [unicodedata.normalize("NFD", word), *map(_tidy, pattern(_ASCII_RUN).findall(word))]
    for part in pattern(_IN_CHINESE).findall(word):
        starts = [at for at in range(1, len(part)) if not part[at - 1 : at + 1].isascii()]
        parts += [part, *(part[at:] for at in starts[-_MOST_STARTS:])]
    return parts


def _tidy(word: str) -> str:
    """Return a word without the brackets, final punctuation, line number or name, `@` and `./` around a path."""
    word = word.strip().rstrip(".!?")
    for opening, closing in ("()", "[]", "{}"):
        if word.startswith(opening) and word.endswith(closing):
            word = word[1:-1]
        if word.count(opening) < word.count(closing):
            word = word.rstrip(closing)
        if word.count(closing) < word.count(opening):
            word = word.lstrip(opening)
    return re.sub(rf"^@?(?:\./)+|^@(?=\S+\.\w)|{_PLACE}", "", re.sub(_AFTER_FILE, r"\1", word))


def _is_like_path(word: str) -> bool:
    if "://" in word or word.startswith(("~", "-", "@")) or not word:
        return False
    name = word.rstrip("/").rpartition("/")[2]
    stem, dot, extension = name.rpartition(".")
    is_file = bool(dot and 0 < len(extension) <= 12 and extension[0].isalpha()) and (bool(stem) or len(extension) > 1)
    return "/" in word or is_file or name.lower() in _KNOWN
