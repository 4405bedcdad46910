"""The rule for shell commands: a command is denied if it plainly writes to a store, or removes or resets a store.

The rule covers few programs: git, programs that write or delete the files in their arguments, and programs that run
other programs. Of all others, it covers only options such as `-o`. Other changes are reported after the call.

The parser covers only the part of the shell's language that the rule needs, and never runs anything. A word with an
unknown value (an unset variable, a command's output) is not `sure`. A parser from a library would take too long to
import. To quote a command, use `core/shell`.
"""

import os

from promptx_mem.hooks import store_in_use, user_store_in_use
from promptx_mem.places import identity, parents, worktrees

DIRECTORY = ".memory"
CACHE = ".cache"
FILES = ("declarative.md", "MEMORY.md", "journal.jsonl", "audit.jsonl", "config.yaml")

MAX_PATH = 4096
"""Maximum length in characters of a word that is resolved as a path."""

_RULES = {
    **dict.fromkeys(("cd", "chdir", "pushd", "popd"), "moved"),
    **dict.fromkeys(("tee", "truncate", "sponge", "ed", "Add-Content", "Set-Content", "Out-File"), "first"),
    **dict.fromkeys(("rm", "mv", "unlink", "shred", "rimraf", "Remove-Item", "Move-Item", "Rename-Item"), "removed"),
    **dict.fromkeys(("cp", "install", "ln", "rsync", "scp", "Copy-Item"), "copied"),
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "eval"), "shell"),
    **dict.fromkeys(("sed", "gsed", "perl", "ruby", "patch", "gzip", "bzip2", "xz", "vim", "nvim", "ex"), "in_place"),
    "find": "search", "git": "git",
}  # fmt: skip
_RUNNERS = frozenset({
    "sudo", "doas", "env", "timeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "command", "builtin", "exec",
    "busybox", "flock", "su", "xargs", "strace", "docker", "docker-compose", "podman", "kubectl",
})  # fmt: skip
"""Programs that run another program, which is named in the arguments."""

_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"
_KEYWORDS = ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "coproc")
_PROMPTX = ("dpml-prompt", "promptx", "promptx-cli", "promptx.js")
_OF_NODE = ("npx", "npm", "pnpm", "yarn", "bunx", "bun", "node", "deno")
_TESTS = ("-name", "-iname", "-path", "-ipath", "-wholename")
_OF_RSYNC = ("--exclude", "--include", "--exclude-from", "--include-from", "--filter", "--rsh", "-e")
"""Options of rsync that are followed by a value."""

_NO_FILE = ("ls", "ls-files", "commit", "ps", "df", "test", "[")
_WILD = frozenset("*?[")
_NOWHERE = "/dev/null"
"""Placeholder for an unknown working directory."""

MAX_LENGTH = 100_000
"""Maximum number of characters of a command that are read, since the agent waits. A memory is always shorter."""

_MAX_DEPTH = 8
_OPERATORS = (">>", ">|", ">&", "<<<", "<<-", "<<", "<>", "<&")


class Attempt:
    """A denied write: the tool or program, the path of the destination, and the text to write.

    If the text is certain, one attribute contains it: `text` (to append) or `edit` (text before and after). `lines` are
    for the audit log. `is_lowest`: the command that the denial suggests has the lowest score of a stored memory.
    `removes`: the path is a folder that would be removed. `resets`: the path is a store whose uncommitted lines would
    be lost. `store` is the store that contains the path, `where` the options that select it if it is another one.
    """

    __slots__ = ("edit", "is_lowest", "lines", "path", "removes", "resets", "store", "tags", "text", "tool", "where")

    def __init__(self, tool: str, path: str = "") -> None:
        self.tool, self.path = tool, path
        self.text = self.store = ""
        self.where: list[str] = []
        self.tags: tuple[str, ...] = ()
        self.edit: tuple[str, str] | None = None
        self.lines: list[str] = []
        self.is_lowest = self.removes = self.resets = False


def patched(patch: str) -> "list[str]":
    """Return the files in a patch in Codex's format; none for another text."""
    lines = patch.split("\n") if patch.startswith("*** ") else []
    marks = (line.partition(": ") for line in lines if line.startswith("*** "))
    return [path.strip() for mark, _, path in marks if mark.endswith((" File", " to"))]


def is_inside(path: str, root: str | None, *, exists: bool = False) -> bool:
    """Return whether a write to an absolute path changes a store.

    The path is in a store if it is `root`, the user store or a directory named `.memory` (or `.mem*`), or is below one
    of these. Both the path of a link and its target are checked. With `exists`, only existing directories count.
    `.cache/` of a store never counts.
    """
    if "\0" in path or len(path) > MAX_PATH:
        return False
    path = path.encode("utf-8", "replace").decode()  # JSON can contain characters that no file name can contain
    stores = {identity(store) for store in (root, user_store_in_use()) if store} - {None}
    for one in (os.path.normpath(path), os.path.realpath(path)):
        below = ""
        for place in parents(one):
            name = os.path.basename(place)
            is_named = name == DIRECTORY or (name[:1] == "." and _WILD & {*name} and _matches(DIRECTORY, name))
            if name and ((is_named and (not exists or os.path.isdir(place))) or identity(place) in stores):
                if below != CACHE:
                    return True
                break
            below = name
    return False


def _matches(name: str, pattern: str) -> bool:
    """Return whether a pattern of a shell matches a name."""
    import fnmatch

    return fnmatch.fnmatchcase(name, pattern.replace("[^", "[!"))


class Word:
    """A word of a command line after expansion. `sure`: its expansion is certain."""

    __slots__ = ("sure", "text")

    def __init__(self, text: str, *, sure: bool = True) -> None:
        self.text, self.sure = text, sure


class Command:
    """A simple command: words, and redirections (operator and word). `fed` is a here-document or here-string."""

    __slots__ = ("fed", "redirects", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[tuple[str, Word]] = []
        self.fed: Word | None = None


def read(text: str) -> list[Command | str]:
    """Split a command line into simple commands, in the order in which they run; `(` and `)` mark a subshell."""
    return _Reader(text[:MAX_LENGTH]).run()


class _Reader:
    """Parser of the text from offset `at`. In a substitution, it stops at the closing character."""

    def __init__(self, text: str, depth: int = 0, at: int = 0, closing: str = "") -> None:
        self.text, self.depth, self.at, self.closing = text, depth, at, closing
        self.level = 0
        self.items: list[Command | str] = []
        self.command = Command()
        self.word: Word | None = None
        self.operator = ""
        self.has_brace = False
        self.waiting: list[tuple[str, Word, Command]] = []
        self.values: dict[str, str] = {}
        """Values of variables that earlier commands set; empty if unknown. In a loop: a path in a store."""

    def run(self) -> list[Command | str]:
        while self.at < len(self.text):
            char = self._next()
            if char == self.closing and not self.level:
                break
            if char in " \t\r":
                self._end_word()
            elif char in "<>" and self.text[self.at : self.at + 1] == "(":  # <(…) and >(…) run a command
                self.at += 1
                self._substitution(")")
            elif char in "<>" or self.text[self.at - 1 : self.at + 1] == "&>":
                self._redirection()
            elif char in "\n;&|()":
                self._end_command()
                if char == "\n":
                    self._bodies()
                self.level += (char == "(") - (char == ")")
                self.items += [char] if char in "()" else []
            elif char == "#" and self.word is None:
                self._until("\n")
                self.at -= 1
            else:
                self._character(char)
        self._end_command()
        return self.items

    def _next(self) -> str:
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def _until(self, mark: str) -> str:
        start, end = self.at, self.text.find(mark, self.at)
        end = len(self.text) if end < 0 else end
        self.at = end + len(mark)
        return self.text[start:end]

    def _name(self, more: str) -> str:
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in more):
            self.at += 1
        return self.text[start : self.at]

    def _put(self, text: str, *, sure: bool = True) -> None:
        word = self.word or Word("")
        self.word = Word(word.text + text, sure=word.sure and sure)

    def _redirection(self) -> None:
        if self.word is not None and self.word.text.isdigit() and self.text[self.at - 2].isdigit():
            self.word = None  # it is the number of a descriptor
        self._end_word()
        rest = self.text[self.at - 1 : self.at + 2].lstrip("&")
        self.operator = next((operator for operator in _OPERATORS if rest.startswith(operator)), rest[:1])
        self.at += len(self.operator) - (self.text[self.at - 1] != "&")

    def _character(self, char: str, *, quoted: bool = False) -> None:
        if char == "\\":
            following = self._next()
            following = "\\" + following if quoted and following not in '$`"\\\n' else following
            if following != "\n":
                self._put(following)
        elif char in "$`":
            self._expansion(char)
        elif char == "'" and not quoted:
            self._put(self._until("'"))
        elif char == '"':
            self._put("")
            while self.at < len(self.text) and (char := self._next()) != '"':
                self._character(char, quoted=True)
        else:
            self.has_brace = self.has_brace or (char == "{" and not quoted)
            self._put(char + self._name("./_- " if quoted else "./_-"))

    def _expansion(self, char: str) -> None:
        following = self.text[self.at : self.at + 1]
        if char == "`" or following == "(":
            self.at += char != "`"
            self._substitution("`" if char == "`" else ")")
        elif following != "'":  # it is not $'…'
            name = self._until("}")[1:] if following == "{" else self._name("_")
            value = "." if name == "PWD" else os.environ.get(name, "" if name else char)
            value = self.values.get(name, value)
            self._put(value, sure=bool(value) and (name != "" or following in ("", " ", '"', "\n")))

    def _substitution(self, closing: str) -> None:
        """Parse the commands in `$(…)`. A parenthesis in a quote or here-document does not end the substitution."""
        self._put("", sure=False)
        inner = _Reader(self.text, self.depth + 1, self.at, closing)
        if self.depth < _MAX_DEPTH:
            self.items += ["(", *inner.run(), ")"]
        self.at = inner.at if self.depth < _MAX_DEPTH else len(self.text)

    def _end_word(self) -> None:
        word, operator = self.word, self.operator
        if word is None:
            return
        start, _, rest = word.text.partition("{")
        inside, end, tail = rest.partition("}")
        ones = inside.split(",") if self.has_brace and end else []
        self.word, self.operator, self.has_brace = None, "", False
        if operator in ("<<", "<<-"):
            self.waiting.append((operator, word, self.command))
        elif operator == "<<<":
            self.command.fed = word
        elif operator:
            self.command.redirects.append((operator, word))
        elif len(ones) > 1:
            self.command.words += [Word(start + one + tail, sure=False) for one in ones]
        else:
            self.command.words.append(word)

    def _end_command(self) -> None:
        self._end_word()
        self.operator = ""
        pairs = [(*word.text.partition("="), word.sure) for word in self.command.words]
        texts = [word.text for word in self.command.words]
        if texts[:1] + texts[2:3] == ["for", "in"]:
            self.values[texts[1]] = next((one for one in texts[3:] if DIRECTORY in one or one.endswith(FILES)), "")
        elif all(is_set and not name.strip(_NAME) for name, is_set, _, _ in pairs):
            self.values |= {name: value if sure else "" for name, _, value, sure in pairs}
        self.items += [self.command] if self.command.words or self.command.redirects else []
        self.command = Command()

    def _bodies(self) -> None:
        """Read the texts of the waiting here-documents."""
        for operator, end, command in self.waiting:
            lines: list[str] = []
            while self.at < len(self.text):
                line = self._until("\n")
                line = line.lstrip("\t") if operator == "<<-" else line
                if line == end.text:
                    break
                lines.append(line)
            body = "\n".join(lines)
            command.fed = Word(body, sure="$" not in body and "`" not in body and "\\" not in body)
        self.waiting = []


class Line:
    """The rule for one command line. `folder` is the working directory of the command that is being checked."""

    def __init__(self, cwd: str, root: str | None, depth: int = 0) -> None:
        self.folder, self.root, self.depth = cwd, root, depth
        self.stack: list[str] = []
        self.has_dots = False

    def find(self, text: str) -> Attempt | None:
        """Return the first write to a store that a command line plainly makes; None if there is none."""
        outside: list[tuple[str, list[str]]] = []
        for item in read(text) if self.depth < 8 else ():
            if item == "(":
                outside.append((self.folder, list(self.stack)))
            elif item == ")":
                self.folder, self.stack = outside.pop() if outside else (self.folder, self.stack)
            elif isinstance(item, Command) and (found := self._command(item)):
                return found
        return None

    def _command(self, command: Command) -> Attempt | None:
        words = command.words
        while words and (words[0].text in _KEYWORDS or "=" in words[0].text.lstrip(_NAME)[:2]):
            words = words[1:]
        name = os.path.basename(words[0].text) if words else ""
        for operator, word in command.redirects:
            if (operator[0] == ">" or operator == "<>") and self._is_inside(word, exists=False):
                out = Attempt(operator, self._path(word) if self._is_known(word) else word.text)
                if operator == ">>" and self._is_known(word):
                    out.text = _printed(name, words[1:], command.fed)
                return out
        return self._judge(name, words[1:], command.fed)

    def _is_inside(self, word: Word, *, exists: bool = True) -> bool:
        text = word.text
        if not text or text[0] == "-" or "\n" in text or ":" in text.partition("/")[0]:  # not a path here
            return False
        return is_inside(self._path(word), self.root, exists=exists and self._is_known(word))

    def _expanded(self, words: list[Word]) -> list[Word]:
        """Replace each pattern by the paths that match it, if any, as a shell does. `**/` can also match nothing."""
        out: list[Word] = []
        for word in words:
            found: set[str] = set()
            if _WILD.intersection(word.text) and self._is_known(word):
                import glob

                pattern = os.path.expanduser(word.text).replace("[^", "[!")
                for one in {pattern, pattern.replace("**/", "")}:
                    found.update(glob.glob(one, root_dir=self.folder, include_hidden=self.has_dots))
            out += [Word(path) for path in sorted(found)] or [word]
        return out

    def _path(self, word: Word) -> str:
        return os.path.join(self.folder, os.path.expanduser(word.text))

    def _is_known(self, word: Word) -> bool:
        return word.sure and not self.folder.startswith(_NOWHERE)

    def _judge(self, name: str, words: list[Word], fed: Word | None) -> Attempt | None:
        texts = [word.text for word in words]
        if name in ("shopt", "setopt") and {"dotglob", "globdots", "GLOB_DOTS"} & {*texts}:
            self.has_dots = "-u" not in texts
        if _is_promptx([name, *texts]):
            return Attempt(name)
        if name in _RUNNERS:
            at = next((at for at, text in enumerate(texts) if os.path.basename(text) in _RULES), None)
            if at is not None:
                return self._judge(os.path.basename(texts[at]), words[at + 1 :], fed)
            return self._shell(name, words) or self._output(name, words)
        if (rule := _RULES.get(name, "")) == "shell":
            return self._shell(name, words, fed)
        found: Attempt | None = getattr(self, f"_{rule}")(name, words) if rule else None
        return found or (self._output(name, words) if rule in ("", "git") else None)

    def _first(self, name: str, words: list[Word], *, above: bool = False) -> Attempt | None:
        """Return the write to the first of `words` that is in a store or, with `above`, contains one; else None."""
        for word in self._expanded(words):
            if self._is_inside(word):
                return Attempt(name, word.text)
            is_folder = above and word.text[:1] not in ("-", "") and self._is_known(word)
            if is_folder and (store := self._held(self._path(word))):
                return Attempt(name, store.removeprefix(os.path.join(os.path.realpath(self.folder), "")))
        return None

    def _in_place(self, name: str, words: list[Word]) -> Attempt | None:
        flags = [word.text for word in words if word.text[:1] == "-"]
        writes = any(("i" in flag and flag[1] not in "-MIfe") or flag.startswith("--in-place") for flag in flags)
        if name in ("vim", "nvim", "ex"):
            writes = any(word.text.rpartition("|")[2].strip("+:!% ") in ("w", "wq", "x", "up", "wqa") for word in words)
        elif name in ("patch", "gzip", "bzip2", "xz"):
            writes = not {"--dry-run", "-o", "-c", "-k", "-l", "-t", "-dc", "--keep", "--stdout"}.intersection(flags)
        else:  # a script is not a file
            given = [flag.text[:1] == "-" and flag.text[1:2] != "i" and flag.text[-1] in "ef" for flag in words]
            scripts = [word for is_given, word in zip(given, words[1:], strict=False) if is_given]
            files = [word for word in words if word.text[:1] not in ("-", "") and word not in scripts]
            words = files if scripts else files[1:]
        return self._first(name, words) if writes else None

    def _output(self, name: str, words: list[Word]) -> Attempt | None:
        """Return the write to a file or folder that an option names, such as `-o FILE`."""
        texts = [name, *(word.text for word in words)]
        if any(text in _NO_FILE or text.endswith("grep") for text in texts):
            return None  # its option -o or --output names no file
        flags = ("-o", "-O", "--output", "-C" if name == "tar" and "x" in "".join(texts[1:2]) else "-o")
        named = [word for before, word in zip(texts, words, strict=False) if before in flags]
        named += [Word(text.partition("=")[2]) for text in texts if text.startswith(("--out", "of="))]
        return self._first(name, [word for word in named if "." in word.text])

    def _removed(self, name: str, words: list[Word]) -> Attempt | None:
        given = words[:-1] if name in ("mv", "git mv") else words
        goes = [word for word in self._expanded(given) if not os.path.islink(self._path(word))]
        if found := self._first(name, goes, above=True):
            found.removes = os.path.basename(found.path) not in FILES
        return found or self._first(name, words[len(given) :])

    def _held(self, path: str) -> str:
        """Return a store in use below a folder, or a `.memory` in the folder or a direct subfolder; else ''."""
        real = os.path.realpath(path)
        stores = [os.path.realpath(store) for store in (self.root, user_store_in_use()) if store]
        inside = (os.path.join(real, one, DIRECTORY) for one in ("", *next(os.walk(real), ("", ()))[1]))
        held = [store for store in stores if store.startswith(os.path.join(real, ""))]
        return held[0] if held else next(filter(os.path.isdir, inside), "")

    def _copied(self, name: str, words: list[Word]) -> Attempt | None:
        """Check a command that copies to its last argument, or into the folder after `-t`."""
        texts = [word.text for word in words]
        pairs = list(zip(["", *texts], words, strict=False))
        last = [word for before, word in pairs if before in ("-t", "--target-directory") and name[:1] in "cil"]
        last += [Word(text.partition("=")[2]) for text in texts if text.startswith("--target-directory=")]
        last = last or [word for before, word in pairs if word.text[:1] != "-" and before not in _OF_RSYNC][1:][-1:]
        deletes = name == "rsync" and any(text.startswith("--del") for text in texts)
        spared = (_matches(DIRECTORY, text.removeprefix("--exclude=").strip("/")) for text in texts)
        return self._first(name, last, above=deletes and not any(spared))

    def _moved(self, name: str, words: list[Word]) -> None:
        """Apply `cd` and similar commands: change the folder in which later commands run."""
        word = next((word for word in self._expanded(words) if word.text[:1] != "-"), Word("~"))
        if name == "popd" or [word.text for word in words] == ["-"]:
            self.folder = self.stack.pop() if self.stack else self.folder
            return
        self.stack.append(self.folder)
        path = self._path(word) if word.sure else os.path.join(_NOWHERE, word.text.lstrip("/"))
        self.folder = path if path.startswith(_NOWHERE) else os.path.normpath(path)

    def _shell(self, name: str, words: list[Word], fed: Word | None = None) -> Attempt | None:
        texts = [word.text for word in words]
        scripts = [script for flag, script in zip(texts, texts[1:]) if flag[:1] == "-" and flag[-1:] in "cd"]  # noqa: B905, RUF007
        if name == "eval":
            scripts = [" ".join(texts)]
        elif fed is not None and not any(text[:1] != "-" for text in texts):
            scripts.append(fed.text)
        return next(filter(None, map(Line(self.folder, self.root, self.depth + 1).find, scripts)), None)

    def _search(self, _: str, words: list[Word]) -> Attempt | None:
        """Check a `find` that deletes files or runs a program in folders that can contain a store."""
        texts = [word.text for word in words]
        end = next((at for at, text in enumerate(texts) if text[:1] in ("-", "(", "!")), len(words))
        starts = self._expanded(words[:end]) or [Word(".")]
        named = [at for at, text in enumerate(texts[:-1]) if text in _TESTS]
        spared = {"-prune", "-empty"} & set(texts) or any(texts[at - 1] in ("!", "-not") for at in named)
        wanted = [texts[at + 1].rstrip("/*").rpartition("/")[2] for at in named]  # names for which find looks
        meets = [not one or any(_matches(name, one) for name in (DIRECTORY, *FILES)) for one in wanted]
        if spared or (named and not any(meets)):
            starts = [word for word in starts if self._is_inside(word)]
        if starts and "-delete" in texts:
            return self._removed("find -delete", starts)
        at = next((at for at, text in enumerate(texts) if text in ("-exec", "-execdir", "-ok", "-okdir")), -2) + 1
        name = os.path.basename(texts[at]) if starts and 0 < at < len(texts) else ""
        is_flat = texts[texts.index("-maxdepth") + 1 :][:1] == ["1"] if "-maxdepth" in texts else False
        if _RULES.get(name) in ("first", "in_place") and not is_flat:
            starts = [*starts, *(Word(self._held(self._path(word))) for word in starts if self._is_known(word))]
        return self._judge(name, [*words[at + 1 :], *starts], None) if name else None

    def _git(self, _: str, words: list[Word]) -> Attempt | None:
        look, at = Line(self.folder, self.root, self.depth), 0
        while at < len(words) and words[at].text[:1] == "-":
            if words[at].text == "-C":
                look._moved("cd", words[at + 1 : at + 2])
            at += 2 if words[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
        what, texts = (words[at].text if at < len(words) else ""), [word.text for word in words[at + 1 :]]
        top = next(worktrees(look.folder), look.folder)
        rest = [Word(top + word.text[1:]) if word.text[:2] == ":/" else word for word in words[at + 1 :]]
        clusters = [text for text in texts if text[:1] == "-" and text[1:2] not in "-bBcCems"]
        flags = {*texts, *(text[:2] for text in texts), *(f"-{char}" for text in clusters for char in text[1:])}
        takes = [text[:1] == "-" and text.lstrip("-adfiknpquxX") in ("e", "m", "exclude", "message") for text in texts]
        plain = [word for took, word in zip([False, *takes], rest, strict=False) if not took and word.text[:1] != "-"]
        names = plain[1:] if what == "stash" and texts[:1] == ["push"] else []
        names = rest[texts.index("--") + 1 :] if "--" in texts else names
        if what in ("rm", "mv"):
            return None if {"--cached", "-n", "--dry-run"} & flags else look._removed(f"git {what}", rest)
        if what == "clean":
            values = [word.text.rpartition("=")[2].removeprefix("-e") for word in rest if word not in plain]
            return look._cleaned(plain, values, flags)
        is_all, is_more = {"-a", "--all"} & flags, {"-u", "--include-untracked"} & flags
        if what == "stash" and (is_all or (is_more and look._is_untracked())):
            return look._removed("git stash" if is_all else "git stash -u", names or [Word(".")])
        is_stashing = what == "stash" and (not texts or texts[0] in ("push", "save") or texts[0][:1] == "-")
        if is_stashing or (what == "reset" and "--hard" in texts):
            to = [] if is_stashing else [text for text in texts if text[:1] != "-" and text != "HEAD"]
            return look._uncommitted(" ".join(["git", what, *to]), names if is_stashing else [])
        return look._checked_out(what, names or rest, flags) if what in ("restore", "checkout", "switch") else None

    def _checked_out(self, what: str, names: list[Word], flags: set[str]) -> Attempt | None:
        """Check a `git checkout`, `git restore` or `git switch`. With `--force`, that of a branch is like a reset."""
        staged = {"--staged", "-S"} & flags and not {"--worktree", "-W"} & flags
        names = [word for word in self._expanded(names) if os.path.lexists(self._path(word)) or self._is_inside(word)]
        if {"-f", "--force", "--discard-changes"} & flags and (what == "switch" or not names):
            return self._uncommitted(f"git {what}", [])
        is_harmless = what == "switch" or staged or not names or {"-b", "-B"} & flags
        return None if is_harmless else self._uncommitted(f"git {what}", names)

    def _cleaned(self, names: list[Word], spared: list[str], flags: set[str]) -> Attempt | None:
        """Check a `git clean`. Git ignores a private store, so only `-x` and `-X` can remove that."""
        kind = "X" if "-X" in flags else "x" if "-x" in flags else ""
        is_dry = {"-n", "--dry-run"} & flags or not {"-f", "--force"} & flags
        if is_dry or not (kind or (("-d" in flags or names) and self._is_untracked())):
            return None
        spared = [word.text[2:] for word in names if word.text[:2] in (":!", ":^")] + spared * (kind != "X")
        names = [word for word in names if word.text[:1] != ":"]
        found = self._removed(f"git clean -fd{kind}", names or [Word(".")])
        name = os.path.basename(found.path.rstrip("/")) if found else ""
        last = (one.partition("/*")[0].strip("/").rpartition("/")[2] for one in spared)
        return None if any(_matches(name, one) for one in last) else found

    def _is_untracked(self) -> bool:
        """Return whether git neither tracks nor ignores the memories, as in a shared store before the first commit."""
        from promptx_mem.store import git

        store = store_in_use(self.folder) or self.root
        return store is not None and git.has_untracked(store)

    def _uncommitted(self, name: str, names: list[Word]) -> Attempt | None:
        """Return the write if a git command would reset a tracked store that has uncommitted lines; else None."""
        store = store_in_use(self.folder) or self.root
        if store is None or (names and not self._first(name, names, above=True)):
            return None
        from promptx_mem.store import git

        found = Attempt(name, store)
        found.resets = git.has_uncommitted(store)
        return found if found.resets else None


def _printed(name: str, words: list[Word], fed: Word | None) -> str:
    """Return the text that `cat`, `echo` or `printf` prints; empty if the text is not certain."""
    if name == "cat" and not words:
        return fed.text if fed is not None and fed.sure else ""
    if name == "printf":
        words = words[1:] if len(words) == 2 and words[0].text in ("%s", "%s\\n") else []
    expands = any(char in word.text for word in words for char in "*?[{~")  # quoted ones count too
    texts = [word.text for word in words if word.sure and not expands and name in ("echo", "printf")]
    return " ".join(texts) if len(texts) == len(words) and texts and texts[0] not in ("-n", "-e", "-ne", "-en") else ""


def _is_promptx(texts: list[str]) -> bool:
    """Return whether a command calls PromptX's `remember`."""
    for at, text in enumerate(texts if texts[0] in _OF_NODE else texts[:1]):
        name = os.path.basename(text).partition("@")[0]
        if name in _PROMPTX or (name == "cli" and "promptx" in text):
            return texts[at + 1 : at + 2] == ["remember"]
    return False
