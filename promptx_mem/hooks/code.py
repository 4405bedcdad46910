"""Code that a command hands to an interpreter: which files of a store it would write, and with what text.

A name that was made from a store's path stands for that path; what is read from it does not. Loaded where there is
such code alone; nothing is run.
"""

from collections.abc import Callable

_METHODS = (
    ".write_text(", ".write_bytes(", ".unlink(", ".touch(", ".rename(", ".replace(", ".rmdir(", ".open(", ".truncate(",
    ".writelines(", ".write(",
)  # fmt: skip
_FUNCTIONS = (
    "writeFile(", "writeFileSync(", "appendFile(", "appendFileSync(", "createWriteStream(", "File.write(", "IO.write(",
    "truncate(", "truncateSync(", "os.remove(", "unlink(", "unlinkSync(", "rmtree(", "rmSync(", "rmdir(", "rename(",
    "renameSync(", "os.replace(", "open(", "fopen(", "file_put_contents(", "shutil.move(", "writeTextFile(",
    "writeTextFileSync(", "File.write!(", "spurt(", "removeSync(",
    "fileinput.input(", "FileInput(", "File.delete(", "FileUtils.rm", "Bun.write(", "rm_rf(", "rm(",
)  # fmt: skip
_COPIES = ("shutil.copy", "copyFile", "copyFileSync(", "copy(", "cp(", "os.link(", "symlink(")
_READS = (
    ".read(",
    "read_text(",
    "readFile",
    "readlines(",
    "listdir(",
    "exists(",
    "json.load",
    "len(",
    "file_get_contents",
)
_SHELLS = (
    "os.system(",
    "subprocess.",
    "execSync(",
    "exec(",
    "system(",
    "popen(",
    "spawnSync(",
    "spawn(",
    "execFileSync(",
    "execFile(",
    "shell_exec(",
    "passthru(",
    "do shell script",
)
_MODAL = ("open(", "fopen(", "fileinput.input(", "FileInput(")
_CHANGES = ("chdir(",)
_QUERIES = (".execute(", ".executescript(", ".executemany(", ".exec(", ".run(")
_CHANGE_VERBS = ("insert", "update", "delete", "drop", "alter", "create", "replace")
_MODES = (
    "w",
    "a",
    "x",
    "wb",
    "ab",
    "xb",
    "w+",
    "a+",
    "r+",
    "r+b",
    "rb+",
    "wt",
    "at",
    ">",
    ">>",
    "+<",
    "rw+",
    "c",
    "wb+",
)
_TEXT_CALLS = (
    "file_put_contents(",
    "writeTextFile(",
    "writeTextFileSync(",
    "puts ",
    "write(",
    "write_text(",
    "writeFile(",
    "writeFileSync(",
    "appendFile(",
    "appendFileSync(",
    "puts(",
    "print(",
)


class Finding:
    """A path that code would write, and the text where it can be told."""

    __slots__ = ("path", "text")

    def __init__(self, path: str, text: str | None) -> None:
        self.path = path
        self.text = text


def find(text: str, area: Callable[[str], str]) -> tuple[list[Finding], list[str]]:
    """Return what code writes in a store, and the shell commands in it. `area` says whether a path is of a store."""
    names: dict[str, str] = {}
    findings: list[Finding] = []
    commands: list[str] = []
    inside = ""

    def known(string: str) -> str:
        return area(string.lstrip("+<> "))  # perl says in the path how it is opened

    for statement in _statements(text):
        line = statement.replace("open my ", "open(my ")
        strings = _strings(line)
        path = next((string for string in strings if known(string)), "")
        name = "" if path else next((variable for variable in names if _holds(line, variable)), "")
        if any(call in line for call in _SHELLS):
            commands += [string for string in strings if " " in string] or [_called(line)]
        if any(call in line for call in _CHANGES) and (path or name):
            inside = path or names[name]
        subject = path or names.get(name, "")
        if path and " for " in line:  # a comprehension names what it goes through
            name = next((variable for variable in _variables(line) if variable.isidentifier()), "")
        if subject and _writes(line, path, name):
            findings.append(Finding(subject.lstrip("+<> "), _literal(line, strings, subject)))
        elif inside and not subject and _writes(line, next((s for s in strings if s[:1] not in ("", "/")), "\0"), "\0"):
            findings.append(Finding(inside, _literal(line, strings, subject)))
        if subject and not any(read in line for read in _READS):
            names.update((variable, subject) for variable in _variables(line))
    return findings, commands


def _called(line: str) -> str:
    """The command whose words a call is given one by one: `run(["rm", "-r", "x"])`."""
    call = next(call for call in _SHELLS if call in line)
    return " ".join(_strings(line.partition(call)[2]))


def _is_item(text: str) -> bool:
    """Whether a text that is put behind another one is a line of its own."""
    return text.removeprefix("\\n").startswith("- ")


def redirected(text: str) -> list[str]:
    """Files that an awk program writes: `print > "file"`."""
    strings = _strings(text)
    return [string for string in strings if text.partition('"' + string)[0].rstrip()[-1:] == ">"]


def _statements(text: str) -> list[str]:
    """Lines and what `;` separates, as far as it stands in no string."""
    out, start, quote, at = [], 0, "", 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "'\"`":
            quote = char
        elif char in ";\n":
            out.append(text[start:at])
            start = at + 1
        at += 1
    return [*out, text[start:]]


def _strings(line: str) -> list[str]:
    """The quoted strings of a statement, in order."""
    out, at = [], 0
    while at < len(line):
        quote = line[at]
        at += 1
        if quote in "'\"`":
            end = at
            while end < len(line) and line[end] != quote:
                end += 2 if line[end] == "\\" else 1
            out.append(line[at:end])
            at = end + 1
    return out


def _holds(line: str, name: str) -> bool:
    at = line.find(name)
    while at >= 0:
        around = line[at - 1 : at] + line[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char == "_" for char in around):
            return True
        at = line.find(name, at + 1)
    return False


def _variables(line: str) -> list[str]:
    """Names that a statement gives to what it makes: `name = …`, `with … as name:`, `for name in …`."""
    out = []
    target, equals, _ = line.partition("=")
    word = target.strip().removeprefix("const ").removeprefix("let ").removeprefix("var ").strip().lstrip("$")
    if equals and word.isidentifier():
        out.append(word)
    words = line.replace(":", " ").replace("|", " ").replace(")", " ) ").split()
    pairs = zip(words, words[1:], strict=False)  # noqa: RUF007 - the guard loads no itertools
    out += [after for before, after in pairs if before.lstrip("([{") in ("as", "for") and after.isidentifier()]
    return out


def _writes(line: str, path: str, name: str) -> bool:
    """Whether a statement has a call that writes the path, or what is called `name`."""

    def about(part: str) -> bool:
        return bool(path and path in part) or bool(name and _holds(part, name))

    if any(append in line for append in ("append=TRUE", "append = TRUE")) and about(line):  # R
        return True
    for call in _QUERIES:
        before, match, behind = line.partition(call)
        if match and about(before) and "".join(_strings(behind)[:1]).lower().startswith(_CHANGE_VERBS):
            return True
    for call in _METHODS:
        before, match, behind = line.partition(call)
        if match and about(before) and (call != ".open(" or _is_mode(behind)) and not _is_text(call, behind):
            return True
    for call in (*_FUNCTIONS, *_COPIES):
        _, match, behind = line.partition(call)
        if match and about(_target(call, behind)) and (call not in _MODAL or _is_mode(behind)):
            return True
    return False


def _target(call: str, behind: str) -> str:
    """The part of a call's arguments that names what it writes."""
    if call in _COPIES:
        return behind.partition(",")[2].rpartition(",")[2]
    if call == "open(":
        return behind.partition(")")[0]
    return behind if "rename" in call or "move" in call or call == "os.replace(" else _first(behind)


def _is_text(call: str, behind: str) -> bool:
    """Whether `.replace(` is a text's own: two strings, which no rename of a path takes."""
    return call == ".replace(" and len(_strings(behind.partition(")")[0])) > 1


def _first(arguments: str) -> str:
    """The first argument of a call, with what is nested in it."""
    depth = 0
    for at, char in enumerate(arguments):
        depth += char in "([{"
        depth -= char in ")]}"
        if depth < 0 or (char == "," and not depth):
            return arguments[:at]
    return arguments


def _is_mode(arguments: str) -> bool:
    return "inplace" in arguments or any(text in _MODES or text[:1] == ">" for text in _strings(arguments))


def _literal(line: str, strings: list[str], path: str) -> str | None:
    """The one literal text that a statement writes; None where it is put together, or there is none."""
    call = next((call for call in _TEXT_CALLS if call in line), "")
    behind = line.rpartition(call)[2] if call else ""
    texts = [
        string
        for string in _strings(behind)
        if string != path and string not in _MODES and string.lower() not in ("utf-8", "utf8")
    ]
    if len(texts) != 1 or not texts[0] or len(strings) > 6 or "%" in behind or "${" in behind:
        return None
    before, _, after = behind.partition(texts[0])
    before = before.rstrip("'\"`")
    if "+" in after or ("+" in before and not _is_item(texts[0])):
        return None
    if before[-1:] in ("f", "F") or "#{" in texts[0]:
        return None
    return texts[0].replace("\\n", "\n").replace("\\t", "\t").replace("\\'", "'").replace('\\"', '"')
