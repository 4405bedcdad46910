"""The rule for a shell command: denied if it plainly writes to a store, or removes or resets a folder that holds one.

It knows few programs: those that write to the files they are given, those that remove, git, and those that run others.
What others change, the comparison after the call reports.
"""

import os

from promptx_mem.hooks.guard import place, shell
from promptx_mem.hooks.guard.place import Attempt
from promptx_mem.hooks.guard.shell import Command, Word

_RULES = {
    **dict.fromkeys(("cd", "chdir", "pushd", "popd"), "moved"),
    **dict.fromkeys(("tee", "truncate", "sponge", "Add-Content", "Set-Content", "Out-File"), "written"),
    **dict.fromkeys(("rm", "mv", "unlink", "shred", "rimraf", "Remove-Item", "Move-Item", "Rename-Item"), "removed"),
    **dict.fromkeys(("cp", "install", "ln", "rsync", "scp", "Copy-Item"), "copied"),
    **dict.fromkeys(("bash", "sh", "zsh", "dash", "ksh", "fish", "pwsh", "powershell", "eval"), "shell"),
    **dict.fromkeys(("python", "pypy", "node", "deno", "bun", "ruby", "perl", "php"), "code"),
    **dict.fromkeys(("sudo", "doas", "env", "timeout", "nice", "ionice", "nohup", "setsid", "stdbuf"), "wrapped"),
    **dict.fromkeys(("command", "builtin", "exec", "busybox", "flock", "su", "npx", "uv", "poetry"), "wrapped"),
    **dict.fromkeys(("sort", "dd", "curl", "wget"), "output"),
    "sed": "in_place", "gsed": "in_place", "xargs": "fed", "find": "search", "git": "git",
}  # fmt: skip
_KEYWORDS = ("if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "coproc")
_LOSSES = (
    "rmtree(", "remove_tree(", "rmSync(", "removeSync(", "rm_r", "fs.rm(", "Deno.remove(", "rm -", "'rm'",
    '"rm"', "mmap(",
)  # fmt: skip
"""Code that removes a folder, or that changes a file without a trace in its times."""

_OWN = ("promptx-mem", "promptx_mem")
_PROMPTX = ("dpml-prompt", "promptx", "promptx-cli", "promptx.js")
_RUNNERS = ("npx", "npm", "pnpm", "yarn", "bunx", "bun", "node", "deno")
_NOWHERE = "/dev/null"
"""Stands for a folder that is not known."""


def find(text: str, cwd: str, root: str | None) -> Attempt | None:
    """Return the first write to a store that a command line plainly makes."""
    return _Line(cwd, root).find(text)


class _Line:
    """Goes through the commands of a line in order, knowing the folder that each runs in."""

    def __init__(self, cwd: str, root: str | None, depth: int = 0) -> None:
        self.folder, self.root, self.depth = cwd, root, depth
        self.stack: list[str] = []
        self.pipe: list[Word] = []  # the words of this pipe
        self.found: list[Word] = []  # the folders that it searches
        self.flowing: Word | None = None  # what it prints

    def find(self, text: str) -> Attempt | None:
        outside: list[tuple[str, list[str]]] = []
        for item in shell.read(text) if self.depth < 8 else ():
            if item == "(":
                outside.append((self.folder, list(self.stack)))
            elif item == ")":
                self.folder, self.stack = outside.pop() if outside else (self.folder, self.stack)
            elif isinstance(item, Command) and (found := self._command(item)):
                return found
        return None

    def _command(self, command: Command) -> Attempt | None:
        if not command.piped:
            self.pipe, self.found, self.flowing = [], [], None
        name, words = _program(command.words)
        fed = command.fed or self.flowing
        passes = name == "tee" or (name == "cat" and not words)
        prints = shell.printed(name, words) if name in ("echo", "printf") else fed if passes else None
        for operator, word in command.redirects:
            if (operator[0] == ">" or operator == "<>") and (kind := self.area(word, exists=False)):
                out = Attempt(operator, word.text, kind)
                out.text = prints.text if operator == ">>" and prints is not None and prints.sure else ""
                return out
        if found := self._judge(name, words, fed):
            return found
        self.found += self._searched(words) if name == "find" else []
        self.pipe += words if name != "find" else []
        self.flowing = prints
        return None

    def area(self, word: Word, *, exists: bool = True) -> str:
        """Tell which part of a store a word leads to."""
        text = word.text
        if not text or text[0] == "-" or "\n" in text or ":" in text.partition("/")[0]:  # or of another machine
            return place.OUTSIDE
        exists = exists and self._is_known(word) and not (word.raw and "*" in text)
        return place.area(os.path.join(self.folder, os.path.expanduser(text)), self.root, exists=exists)

    def _is_known(self, word: Word) -> bool:
        return word.sure and not self.folder.startswith(_NOWHERE)

    def _judge(self, name: str, words: list[Word], fed: Word | None) -> Attempt | None:
        texts = [word.text for word in words]
        if name in _OWN or texts[:2] == ["-m", "promptx_mem"]:
            return None
        if call := _promptx([name, *texts]):
            out = Attempt(name)
            out.call = call if all(word.sure for word in words) else []
            return out
        rule = _RULES.get(name) or _RULES.get(name.rstrip("0123456789.")) or "unknown"
        found: Attempt | None = getattr(self, f"_{rule}")(name, words, fed)
        return found

    def _unknown(self, name: str, words: list[Word], _: Word | None) -> Attempt | None:
        """Judge the script of a shell that a program runs, whatever else that does."""
        for at, word in enumerate(words if name not in ("echo", "printf") else ()):
            if _RULES.get(os.path.basename(word.text)) == "shell":
                return self._shell(word.text, words[at + 1 :], None)
        return None

    def _first(self, name: str, words: list[Word]) -> Attempt | None:
        return next((Attempt(name, word.text, kind) for word in words if (kind := self.area(word))), None)

    def _written(self, name: str, words: list[Word], fed: Word | None) -> Attempt | None:
        found = self._first(name, words)
        if found and fed is not None and fed.sure and any(word.text in ("-a", "--append") for word in words):
            found.text = fed.text
        return found

    def _in_place(self, name: str, words: list[Word], _: Word | None) -> Attempt | None:
        flags = [word.text for word in words if word.text[:1] == "-"]
        writes = any(("i" in flag and flag[1] not in "-MIfe") or flag.startswith("--in-place") for flag in flags)
        return self._first(name, words) if writes else None

    def _output(self, name: str, words: list[Word], _: Word | None) -> Attempt | None:
        values = _values([word.text for word in words], "-o", "-O", "--output", "--output-document", "of")
        return self._first(name, [Word(value) for value in values])

    def _removed(self, name: str, words: list[Word], _: Word | None) -> Attempt | None:
        to = words[-1:] if name in ("mv", "git mv") else []
        goes = [
            word for word in words[: len(words) - len(to)] if not os.path.islink(os.path.join(self.folder, word.text))
        ]
        return self._first(name, [*goes, *to]) or self._above(name, goes)

    def _above(self, name: str, words: list[Word]) -> Attempt | None:
        """Find a folder, among the words, that holds a store."""
        for word in words:
            path = os.path.join(self.folder, os.path.expanduser(word.text))
            if word.text[:1] in ("-", "") or not self._is_known(word):
                continue
            folder, pattern = os.path.split(path)
            if word.raw and ("*" in pattern or "?" in pattern):
                seen = [one for one in _names(folder) if one[0] != "." or pattern[0] == "."]
                paths = [os.path.join(folder, one) for one in seen if place.glob(one, pattern)]
            else:
                paths = [path]
            if any(map(self._holds, paths)):
                return Attempt(name, word.text)
        return None

    def _holds(self, path: str) -> bool:
        """Return whether a folder has a store in it, in a folder below it, or above the one in use."""
        real = os.path.realpath(path)
        stores = (self.root, place.user_store_in_use())
        if any(store and os.path.realpath(store).startswith(os.path.join(real, "")) for store in stores):
            return True
        return any(os.path.isdir(os.path.join(real, one, place.DIRECTORY)) for one in (".", *_names(real)))

    def _copied(self, name: str, words: list[Word], _: Word | None) -> Attempt | None:
        """A copy writes to its last name, or into the folder of an option."""
        texts = [word.text for word in words]
        names = [word for word in words if word.text[:1] != "-"]
        last = [Word(value) for value in _values(texts, "-t")] if name == "cp" else []
        last = last or names[1:][-1:]
        spared = _values(texts, "--exclude", "--filter", "-f")
        spares = any(place.DIRECTORY in value or place.glob(place.DIRECTORY, value.strip("/")) for value in spared)
        found = self._first(name, last)
        if not found and name == "rsync" and not spares and any(text.startswith("--del") for text in texts):
            found = self._above(name, last)
        return found

    def _moved(self, name: str, words: list[Word], _: Word | None) -> None:
        """A command that changes the folder of those behind it."""
        word = next((word for word in words if word.text[:1] != "-"), Word("~"))
        if name == "popd" or [word.text for word in words] == ["-"]:
            self.folder = self.stack.pop() if self.stack else self.folder
            return
        self.stack.append(self.folder)
        path = os.path.join(self.folder, os.path.expanduser(word.text))
        if not word.sure:
            path = os.path.join(_NOWHERE, word.text.lstrip("/"))
        self.folder = path if path.startswith(_NOWHERE) else os.path.normpath(path)

    def _shell(self, name: str, words: list[Word], fed: Word | None) -> Attempt | None:
        texts = [word.text for word in words]
        scripts = [script for flag, script in zip(texts, texts[1:]) if flag[:1] == "-" and flag[-1:] in "cd"]  # noqa: B905, RUF007
        if name == "eval":
            scripts = [" ".join(texts)]
        elif fed is not None and not any(text[:1] != "-" for text in texts):
            scripts.append(fed.text)
        inner = _Line(self.folder, self.root, self.depth + 1)
        return next((found for script in scripts if (found := inner.find(script))), None)

    def _code(self, name: str, words: list[Word], fed: Word | None) -> Attempt | None:
        """Find code that removes a store by its name, or by a variable that was made of it."""
        if name in ("perl", "ruby") and (found := self._in_place(name, words, fed)):
            return found
        names = [place.DIRECTORY]
        text = "\n".join([*(word.text for word in words), fed.text if fed is not None else ""])
        for statement in text.replace(";", "\n").split("\n") if place.DIRECTORY in text else ():
            if not any(one in statement for one in names):
                continue
            if any(mark in statement for mark in _LOSSES):
                return Attempt(name, place.DIRECTORY)
            made = statement.partition("=")[0].strip().rpartition(" ")[2]
            if made.lstrip("$").isidentifier():
                names.append(f"({made}")
        return None

    def _wrapped(self, name: str, words: list[Word], fed: Word | None) -> Attempt | None:
        inner, rest = _inner(words)
        return self._judge(inner, rest, fed) if inner else self._shell(name, words, None)

    def _fed(self, _: str, words: list[Word], fed: Word | None) -> Attempt | None:
        """Judge what xargs runs, with each name of a store that it may be given."""
        pipe = [*self.pipe, *map(Word, fed.text.split() if fed is not None else ())]
        name, rest = _inner(words)
        texts = [word.text for word in words[: len(words) - len(rest)]]
        mark = next(iter(_values(texts, "-I")), "")
        for one in [*self.found, *(word for word in pipe if self.area(word))] or [Word("")]:
            given = [_filled(word, mark, one) for word in rest] if mark else [*rest, one]
            if name and (found := self._judge(name, given, None)):
                return found
        return None

    def _search(self, _: str, words: list[Word], __: Word | None) -> Attempt | None:
        """Judge what find does to the folders that it goes through, if it may come upon a store."""
        starts = self._searched(words)
        if starts and any(word.text == "-delete" for word in words):
            return self._removed("find -delete", starts, None)
        for at, word in enumerate(words):
            if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
                end = next((end for end in range(at, len(words)) if words[end].text in (";", "+")), len(words))
                for start in starts or [Word("")]:
                    name, rest = _program([_filled(word, "{}", start) for word in words[at + 1 : end]])
                    if found := self._judge(name, rest, None):
                        return found
        return None

    def _searched(self, words: list[Word]) -> list[Word]:
        """Return the folders in which find may come upon a store."""
        texts = [word.text for word in words]
        end = next((at for at, text in enumerate(texts) if text[:1] in ("-", "(", "!")), len(words))
        starts = words[:end] or [Word(".")]
        pruned = texts.index("-prune") if "-prune" in texts else 0
        wanted: list[bool] = []
        spared: list[bool] = []
        for at, text in enumerate(texts[:-1]):
            if text in ("-name", "-iname", "-path", "-ipath", "-wholename"):
                negated = at < pruned or {"!", "-not"} & set(texts[max(at - 2, 0) : at])
                (spared if negated else wanted).append(_meets(texts[at + 1]))
        if any(spared) or (wanted and not any(wanted)) or "-empty" in texts:
            return [word for word in starts if self.area(word)]
        return starts

    def _git(self, _: str, words: list[Word], __: Word | None) -> Attempt | None:
        look, at = _Line(self.folder, self.root, self.depth), 0
        while at < len(words) and words[at].text[:1] == "-":
            if words[at].text == "-C":
                look._moved("cd", words[at + 1 : at + 2], None)
            at += 2 if words[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
        what, rest = (words[at].text if at < len(words) else ""), words[at + 1 :]
        texts = [word.text for word in rest]
        if what in ("rm", "mv"):
            return None if {"--cached", "-n", "--dry-run"} & set(texts) else look._removed(f"git {what}", rest, None)
        if what == "clean":
            return look._cleaned(rest, texts)
        if what == "stash":
            return look._stashed(rest, texts)
        if what == "reset":
            return look._uncommitted("git reset", []) if "--hard" in texts else None
        staged = {"--staged", "-S"} & set(texts) and not {"--worktree", "-W"} & set(texts)
        if what not in ("restore", "checkout") or staged or {"-b", "-B"} & set(texts):
            return None
        names = rest[texts.index("--") + 1 :] if "--" in texts else rest
        names = [word for word in names if os.path.lexists(os.path.join(look.folder, word.text)) or look.area(word)]
        return look._uncommitted(f"git {what}", names) if names else None

    def _cleaned(self, rest: list[Word], texts: list[str]) -> Attempt | None:
        """Only what clears ignored files takes a private store along."""
        letters = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] not in ("--", "-e"))
        dry = "n" in letters or "--dry-run" in texts or not ("f" in letters or "--force" in texts)
        spared = any("mem" in value for value in _values(texts, "-e", "--exclude"))
        if dry or spared or not set("xX") & set(letters):
            return None
        return self._removed("git clean", [word for word in rest if word.text[:1] != "-"] or [Word(".")], None)

    def _stashed(self, rest: list[Word], texts: list[str]) -> Attempt | None:
        names = rest[texts.index("--") + 1 :] if "--" in texts else []
        if {"-a", "--all"} & set(texts):
            return self._removed("git stash", names or [Word(".")], None)
        stashes = not texts or texts[0] in ("push", "save") or texts[0][:1] == "-"
        return self._uncommitted("git stash", names) if stashes else None

    def _uncommitted(self, name: str, names: list[Word]) -> Attempt | None:
        """Find a store that git tracks and whose lines are not all committed, among what git would reset."""
        store = place.find(self.folder) or self.root
        if store is None or (names and not (self._first(name, names) or self._above(name, names))):
            return None
        from promptx_mem.store import git

        return Attempt(name, store) if git.has_uncommitted(store) else None


def _values(texts: list[str], *options: str) -> list[str]:
    """Return the values of some options, as the next word or in the same one."""
    out = []
    for at, text in enumerate(texts):
        for option in options:
            if text == option:
                out += texts[at + 1 : at + 2]
            elif text.startswith(option if len(option) == 2 else option + "="):
                out.append(text[len(option) :].removeprefix("="))
    return out


def _filled(word: Word, mark: str, one: Word) -> Word:
    return Word(word.text.replace(mark, one.text), sure=one.sure, raw=one.raw) if mark in word.text else word


def _meets(pattern: str) -> bool:
    """Return whether a pattern of find takes in a store or one of its files."""
    store = f"./{place.DIRECTORY}"
    paths = (place.DIRECTORY, store, *place.FILES, *(f"{store}/{name}" for name in place.FILES))
    return place.DIRECTORY in pattern or any(place.glob(path, pattern) for path in paths)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def _program(words: list[Word]) -> tuple[str, list[Word]]:
    """Return the program of a simple command and its arguments, without assignments and keywords."""
    at = 0
    while at < len(words) and (words[at].text in _KEYWORDS or _assigns(words[at].text)):
        at += 1
    return (os.path.basename(words[at].text), words[at + 1 :]) if at < len(words) else ("", [])


def _assigns(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.rstrip("+").isidentifier()


def _inner(words: list[Word]) -> tuple[str, list[Word]]:
    """Return the program that another one runs, with its arguments; empty if no rule knows it."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        name = os.path.basename(text)
        if name in _RULES or name.rstrip("0123456789.") in _RULES or name.partition("@")[0] in (*_PROMPTX, *_OWN):
            return name, words[at + 1 :]
        is_option = text[:1] in ("-", *"0123456789") or (at and texts[at - 1][:1] == "-")
        if not (is_option or _assigns(text) or "/" in text or text in ("run", "exec")):
            break
    return "", []


def _promptx(texts: list[str]) -> list[str]:
    """Return the arguments of PromptX's own `remember`, with the word itself."""
    for at, text in enumerate(texts if texts[0] in _RUNNERS else texts[:1]):
        name = os.path.basename(text).partition("@")[0]
        if name in _PROMPTX or (name == "cli" and "promptx" in text):
            return texts[at + 1 :] if texts[at + 1 : at + 2] == ["remember"] else []
    return []
