"""The rule for one simple command: denied where it names a store, unless it only reads.

It does not understand programs. A table says who reads; everybody else who is given a path in a store writes. What
this lets through, the comparison after the call sees.
"""

import os

from promptx_mem.hooks.guard import place, shell
from promptx_mem.hooks.guard.shell import Command, Word

_READERS = frozenset({
    "[", "[[", "ack", "ag", "awk", "b2sum", "base64", "basename", "bat", "batcat", "cat", "cd", "chdir", "cmp",
    "colordiff", "column", "comm", "cut", "cksum", "declare", "delta", "df", "diff", "dir", "dirname", "du", "echo",
    "egrep", "emacsclient", "exa", "export", "eza", "false", "fd", "fdfind", "fgrep", "file", "find", "fold", "for",
    "fx", "gawk", "gcat", "Get-ChildItem", "Get-Content", "ggrep", "git-lfs", "glow", "grep", "gsed", "hash", "head",
    "hexdump", "hexyl", "id", "iconv", "join", "jq", "less", "lf", "local", "look", "ls", "lsattr", "lsd", "lsof",
    "mawk", "md5sum", "mdcat", "mdless", "more", "nl", "od", "open", "paste", "pr", "printf", "pwd", "ranger",
    "readlink", "realpath", "readonly", "rg", "ripgrep", "sed", "Select-String", "sha1sum", "sha256sum", "sha512sum",
    "shasum", "shellcheck", "sleep", "sort", "source", "stat", "strings", "sum", "tac", "tail", "test", "tig",
    "mkdir", "chmod", "chown", "tree", "true", "type", "uniq", "view", "wait", "wc", "wdiff", "which", "xdg-open",
    "xxd", "yq", "zcat", "zgrep", "markdownlint", "inotifywait", "code", "cursor", "subl", "gedit", "kate",
    "mousepad", "gcut", "ghead", "gtail", "sqldiff", "uptime", "vale", "aspell",
})  # fmt: skip
_FLAGS = {
    "sed": ("-i", "--in-place"), "gsed": ("-i", "--in-place"), "sort": ("-o", "--output"), "yq": ("-i", "--inplace"),
    "awk": ("inplace",), "gawk": ("inplace",), "tree": ("-o",), "xxd": ("-r",), "iconv": ("-o", "--output"),
    "rg": ("--pre",), "less": ("-o", "-O"), "markdownlint": ("--fix", "-f"), "fd": ("-x", "-X", "--exec"),
}  # fmt: skip
"""The options with which a reader writes."""
_COPIERS = ("cp", "gcp", "rsync", "scp", "install", "ln", "ditto", "rclone", "Copy-Item", "aws", "gsutil", "split")
_REMOVERS = ("rm", "mv", "unlink", "shred", "rmdir", "trash", "trash-put", "gio", "rimraf", "Remove-Item", "Move-Item")
_ARCHIVERS = ("tar", "bsdtar", "gtar", "zip", "7z", "7za", "7zz", "gzip", "bzip2", "xz", "zstd")
_SHELLS = ("bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "pwsh", "powershell")
_CODE = ("python", "pypy", "node", "ruby", "perl", "deno", "bun", "php", "lua", "Rscript", "tsx", "osascript", "julia")
_WRAPPERS = frozenset({
    "sudo", "doas", "env", "timeout", "gtimeout", "nice", "ionice", "nohup", "setsid", "stdbuf", "time", "command",
    "builtin", "exec", "busybox", "toybox", "uv", "uvx", "poetry", "pipx", "conda", "mamba", "pdm", "hatch", "rye",
    "npx", "pnpm", "yarn", "bunx", "npm", "docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "ssh",
    "flock", "script", "watch", "parallel", "sem", "su", "runuser", "chroot", "unbuffer", "caffeinate", "strace",
    "ltrace", "xvfb-run", "direnv", "mise", "tmux", "screen",
})  # fmt: skip
_KEYWORDS = frozenset({
    "if", "then", "else", "elif", "do", "while", "until", "!", "{", "time", "coproc",
})  # fmt: skip
_ANYWHERE = (".unlink(", "rmtree(", "rmSync", "inplace=True", "rm_rf", "rm_r(")
_BEHIND = (
    "'r+b'", '"r+b"', "'rb+'", '"rb+"',
    "'w'", '"w"', "'a'", '"a"', "'w+'", '"w+"', "'a+'", '"a+"', "'r+'", '"r+"', "'wb'", '"wb"', "'ab'", '"ab"', "'x'",
    '"x"', ".write_text(", ".write_bytes(", ".touch(", ".rename(", "O_WRONLY", "O_RDWR",
)  # fmt: skip
"""They write to the file that is named before them."""
_AHEAD = (
    "writeFile", "appendFile", "writeTextFile", "Bun.write(", "createWriteStream(", "truncate", "unlink", "os.remove(",
    "File.write(", "file_put_contents(", "File.delete(", "FileUtils.rm", "removeSync(", "fs.rm(", "Deno.remove(",
    "os.removedirs(", "os.rmdir(", "touch(", "unlink ",
)  # fmt: skip
"""They write to their first argument."""
_MOVES = ("os.rename(", "os.replace(", "shutil.move(", "renameSync(", "fs.rename(", "rename(", '">', "'>")
_COPIES = ("copy(", "copyfile(", "copy2(", "copyFile(", "copyFileSync(", "copytree(", "symlink(", "File::Copy")
_RUNS = (
    "os.system(", "subprocess", "popen(", "child_process", "exec(", "execSync", "system(", "do shell script", "Popen(",
)  # fmt: skip
_GIT_READS = frozenset({
    "add", "annotate", "archive", "blame", "branch", "bundle", "cat-file", "check-attr", "check-ignore", "cherry",
    "commit", "config", "count-objects", "describe", "diff", "diff-files", "diff-index", "diff-tree", "difftool",
    "fetch", "for-each-ref", "format-patch", "fsck", "gc", "grep", "hash-object", "help", "init", "log", "ls-files",
    "ls-remote", "ls-tree", "merge", "merge-base", "name-rev", "notes", "push", "pull", "range-diff", "rebase",
    "reflog", "remote", "rev-list", "rev-parse", "shortlog", "show", "show-ref", "status", "switch", "tag",
    "update-index", "update-ref", "version", "whatchanged", "worktree", "submodule", "lfs", "bisect", "cherry-pick",
    "revert", "sparse-checkout",
})  # fmt: skip
_GIT_RESETS = ("clean", "stash", "reset", "restore", "checkout", "rm", "mv")
_OWN = ("promptx-mem", "promptx_mem")
_PROMPTX = ("dpml-prompt", "promptx", "promptx-cli", "promptx.js")


_WRITES = (">", "rm ", "sed -i", "tee", "mv ", "truncate")
"""What a script for a shell has that writes to the names it is given."""

_KINDS = {
    **dict.fromkeys(("cd", "chdir", "pushd", "popd"), "_moved"),
    **dict.fromkeys((*_SHELLS, "eval", "source", "."), "_shell"),
    **dict.fromkeys(_WRAPPERS, "_wrapped"),
    **dict.fromkeys(("crontab", "at", "batch"), "_timed"),
    **dict.fromkeys(("patch", "apply_patch"), "_patched"),
    **dict.fromkeys(("sqlite3", "sqlite", "sqlcipher", "duckdb"), "_queried"),
    **dict.fromkeys(_REMOVERS, "_removed"),
    **dict.fromkeys(_COPIERS, "_copied"),
    **dict.fromkeys(_ARCHIVERS, "_archived"),
    **dict.fromkeys(("vim", "vi", "nvim"), "_edited"),
    **dict.fromkeys(("curl", "wget"), "_loaded"),
    **dict.fromkeys(("sed", "gsed"), "_sed"),
    "dd": "_dd", "xargs": "_xargs", "find": "_find", "git": "_git", "tee": "_tee",
}  # fmt: skip
"""The rule for a program; without one it is `_plain`."""


class Finding:
    """A write that is to be denied. `text`: what it appends, where that is certain."""

    __slots__ = ("area", "call", "path", "text", "tool")

    def __init__(self, tool: str, path: str, area: str) -> None:
        self.tool, self.path, self.area = tool, path, area
        self.text: str | None = None
        self.call: list[str] = []


def find(text: str, cwd: str, root: str | None) -> Finding | None:
    """Return the first write to a store that a command line plainly makes."""
    return _Look(cwd, root).line(text)


class _Look:
    """Goes through the commands of a line in order, knowing the folder that each runs in."""

    def __init__(self, cwd: str, root: str | None, depth: int = 0) -> None:
        self.folder, self.root, self.depth = cwd, root, depth
        self.stack: list[str] = []
        self.named = False  # a command of this pipe names a store
        self.flowing: Word | None = None

    def line(self, text: str, variables: dict[str, Word] | None = None) -> Finding | None:
        if self.depth > 8:
            return None
        outside: list[tuple[str, list[str]]] = []
        for item in shell.read(text, variables):
            if item == "(":
                outside.append((self.folder, list(self.stack)))
            elif item == ")":
                self.folder, self.stack = outside.pop() if outside else (self.folder, self.stack)
            elif isinstance(item, Command):
                if not item.piped:
                    self.named, self.flowing = False, None
                if found := self.command(item):
                    return found
        return None

    def command(self, command: Command) -> Finding | None:
        name, words = _program(command.words)
        heard = self._output(command, name, words)
        found = self._redirects(command, heard) or self._judge(command, name, words)
        self.named = self.named or any(
            word.text in ("declarative.md", "journal.jsonl") or self.area(word) for word in command.words[1:]
        )
        self.flowing = heard
        return found

    def _redirects(self, command: Command, heard: Word | None) -> Finding | None:
        for redirect in command.redirects:
            writes = redirect.operator[0] == ">" or redirect.operator == "<>"
            if writes and (kind := self.area(redirect.word)):
                out = Finding(redirect.operator, redirect.word.text, kind)
                if redirect.operator == ">>" and heard is not None and heard.sure:
                    out.text = heard.text
                return out
        return None

    def _output(self, command: Command, name: str, words: list[Word]) -> Word | None:
        """What a command prints, where it is plain."""
        if name in ("echo", "printf"):
            sure = all(word.sure for word in words)
            rest = [word.text for word in words]
            if name == "printf":
                return Word(shell.printf(rest), sure=sure) if rest else None
            flags = ""
            while rest and rest[0][:1] == "-" and rest[0][1:] and not rest[0][1:].strip("neE"):
                flags += rest.pop(0)
            text = " ".join(rest)
            return Word(shell.unescape(text) if "e" in flags else text, sure=sure)
        if name in ("cat", "tee") and not [w for w in words if name == "cat" and w.text[:1] != "-"]:
            return next((r.body for r in command.redirects if r.body is not None), self.flowing)
        return None

    def area(self, word: Word, folder: str | None = None) -> str:
        """Tell which part of a store a word leads to; `--opt=PATH` and `of=PATH` too."""
        text = word.text
        if "=" in text and (text[:1] == "-" or text.split("=")[0].isalpha()):
            text = text.partition("=")[2]
        elif text[:1] == "-" and len(text) > 2 and text[1] != "-" and place.DIRECTORY in text:
            text = text[2:]
        if ":" in text.partition("/")[0]:  # of another machine
            return place.OUTSIDE
        if not text or text[:1] == "-" or len(text) > place.MAX_PATH or "\n" in text:
            return place.OUTSIDE
        if not word.raw and ("*" in text or "?" in text or "[" in text) and place.DIRECTORY not in text:
            return place.OUTSIDE
        whole = os.path.join(folder or self.folder, os.path.expanduser(text))
        kind = place.area(whole, self.root)
        plain = place.DIRECTORY in text or "/" in text or "." in text or "*" in text
        return kind if kind and ((plain and " " not in text) or os.path.lexists(whole)) else place.OUTSIDE

    def _first(self, name: str, words: list[Word], folder: str | None = None) -> Finding | None:
        for word in words:
            if kind := self.area(word, folder):
                return Finding(name, word.text, kind)
        return None

    def _judge(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        texts = [word.text for word in words]
        if not name or name in _OWN or (name.startswith("python") and texts[:2] == ["-m", "promptx_mem"]):
            return None
        if call := _promptx([name, *texts]):
            out = Finding(name, "", place.MEMORY_AREA)
            out.call = call if all(word.sure for word in words) else []
            return out
        kind = "_code" if name.rstrip("0123456789.") in _CODE else _KINDS.get(name, "_plain")
        found: Finding | None = getattr(self, kind)(command, name, words)
        return found

    def _plain(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        """A program without a rule of its own: given a path in a store it writes, unless it is a reader."""
        texts = [word.text for word in words]
        if name in _READERS and not _writing(name, texts):
            prints = name in ("awk", "gawk", "mawk") and any(">" in text and place.DIRECTORY in text for text in texts)
            return Finding(name, place.DIRECTORY, place.MEMORY_AREA) if prints else None
        return self._first(name, words)

    def _sed(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        texts = [word.text for word in words]
        if any(self.area(Word(text.rpartition("w ")[2])) for text in texts if "w " in text):
            return Finding(name, place.DIRECTORY, place.MEMORY_AREA)
        scripted = any(text in ("-e", "-f") or text[:3] == "--e" for text in texts)
        return self._plain(command, name, words if scripted else _without_first(words))

    def _tee(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        found = self._first(name, words)
        appends = bool({"-a", "--append"} & {word.text for word in words})
        if found and appends and self.flowing is not None and self.flowing.sure:
            found.text = self.flowing.text
        return found

    def _dd(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        return self._first(name, [word for word in words if word.text.startswith("of=")])

    def _edited(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        """An editor that may have been told to only show."""
        return None if {"-R", "-M"} & {word.text for word in words} else self._first(name, words)

    def _removed(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        return self._first(name, words) or self._above(name, words)

    def _loaded(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        """A download; `@PATH` is only read."""
        return self._first(name, [word for word in words if word.text[:1] != "@"])

    def _timed(self, command: Command, _: str, __: list[Word]) -> Finding | None:
        """Commands for later."""
        lines = [line for line in "\n".join(self._fed(command)).split("\n") if line.strip()]
        return self._again("\n".join(line.split(None, 5)[-1] if line[:1] in "0123456789*" else line for line in lines))

    def _patched(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        text = "\n".join([*self._fed(command), *(word.text for word in words)])
        if path := shell.patched(text, lambda path: self.area(Word(path))):
            return Finding(name, path, self.area(Word(path)))
        return self._first(name, words)

    def _queried(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        """A database; also of the cache, from which memories are shown."""
        texts = [word.text for word in words]
        said = " ".join([*self._fed(command), *texts]).lower()
        if ".output" in said or ".once" in said:
            return self._first(name, [Word(text) for text in said.split()])
        if "-readonly" in texts or not any(verb in said for verb in ("delete ", "update ", "insert ", "drop ")):
            return None
        return self._first(name, [Word(text.replace(f"{place.CACHE}/", "")) for text in texts if " " not in text])

    def _moved(self, _: Command, name: str, words: list[Word]) -> None:
        """A command that changes the folder of those behind it."""
        texts = [word.text for word in words]
        names = [text for text in texts if text[:1] != "-"]
        if name == "popd" or texts[:1] == ["-"]:
            self.folder = self.stack.pop() if self.stack else self.folder
            return
        self.stack.append(self.folder)
        self.folder = os.path.join(self.folder, os.path.expanduser(names[0] if names else "~"))
        if not os.path.isabs(names[0] if names else "~"):
            self.folder = os.path.normpath(self.folder)

    def _again(self, text: str, folder: str | None = None) -> Finding | None:
        inner = _Look(folder or self.folder, self.root, self.depth + 1)
        inner.named, inner.flowing = self.named, self.flowing
        return inner.line(text)

    def _fed(self, command: Command) -> list[str]:
        """Return what is known of a command's stdin."""
        bodies = [r.body.text for r in command.redirects if r.body is not None]
        return bodies or ([self.flowing.text] if self.flowing is not None else [])

    def _shell(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        if name == "eval":
            return self._again(" ".join(word.text for word in words))
        bodies = [r.body.text for r in command.redirects if r.body is not None]
        for flag, script in zip(words, words[1:]):  # noqa: B905, RUF007 - the guard loads no itertools
            if flag.text[:1] == "-" and flag.text.endswith(("c", "-Command")):
                bodies.append(script.text)
        if not words and self.flowing is not None:
            bodies.append(self.flowing.text)
        return next((found for body in bodies if (found := self._again(body))), None)

    def _code(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        texts = [r.body.text for r in command.redirects if r.body is not None]
        texts += [word.text for word in words if "(" in word.text or " " in word.text]
        if self.flowing is not None and all(word.text == "-" for word in words):
            texts.append(self.flowing.text)
        flags = [word.text for word in words if word.text[:1] == "-" and word.text[1:2] not in ("-", "M", "I")]
        if name in ("perl", "ruby") and any("i" in flag.partition("e")[0] for flag in flags):
            codes = [word for flag, word in zip(words, words[1:]) if flag.text[-1:] == "e"]  # noqa: B905, RUF007
            return self._first(name, [word for word in words if word not in codes])
        names = [place.DIRECTORY, *([self.root] if self.root else [])]
        if place.area(self.folder, self.root):
            names += place.FILES
        for text in texts:
            if found := self._statements(name, text, list(names)):
                return found
        return None

    def _statements(self, name: str, text: str, names: list[str]) -> Finding | None:
        """Look for a statement that writes to a file of a store, or to a name that was made from its path."""
        if not any(one in text for one in names):
            return None
        for statement in text.replace(";", "\n").split("\n"):
            if not any(_position(statement, one) >= 0 for one in names):
                continue
            if _writes_in(statement, names):
                return Finding(name, place.DIRECTORY, place.MEMORY_AREA)
            if found := self._run_in(statement):
                return found
            if "chdir(" in statement:
                names += place.FILES
            made, equals, value = statement.partition("=")
            made = made.strip(" \t$").rpartition(" ")[2].lstrip("$")
            if equals and made.isidentifier() and "read" not in value and "open(" not in value:
                names.append(made)
        return None

    def _run_in(self, statement: str) -> Finding | None:
        """Judge the shell commands that a statement runs."""
        if not any(mark in statement for mark in _RUNS):
            return None
        quote = "'" if statement.count("'") >= statement.count('"') else '"'
        scripts = [script.strip("\"'") for script in statement.split(quote)[1::2]]
        # A list of words is a command, too.
        return next((found for script in (*scripts, " ".join(scripts)) if (found := self._again(script))), None)

    def _xargs(self, command: Command, _: str, words: list[Word]) -> Finding | None:
        name, inner = _known(words)
        if not name:
            return None
        outer = Command(piped=False)
        outer.words, outer.redirects = [Word(name), *inner], command.redirects
        if found := self._judge(outer, name, inner):
            return found
        texts = [word.text for word in inner]
        reads = (name in _READERS and not _writing(name, texts)) or name in ("cp", "git", "tar", "zip")
        if name in _SHELLS:
            script = next((text for text in texts if " " in text), "")
            reads = not any(mark in script for mark in _WRITES)
        if self.named and not reads:
            return Finding(f"xargs {name}", place.DIRECTORY, place.MEMORY_AREA)
        return None

    def _find(self, _: Command, __: str, words: list[Word]) -> Finding | None:
        texts = [word.text for word in words]
        name = "find -delete" if "-delete" in texts else _runs_of_find(words)
        if not name:
            return None
        end = next((at for at, text in enumerate(texts) if text[:1] in ("-", "(", "!")), len(words))
        starts = words[:end] or [Word(".")]
        if found := self._first(name, starts):
            return found
        spares = "-prune" in texts or "!" in texts or "-not" in texts
        named = any(place.DIRECTORY in text for text in texts)
        patterns = [texts[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-name", "-iname")]
        files = (*place.FILES, place.CONFIG, place.DIRECTORY)
        if named and spares:
            return None
        if not named and patterns and not any(place.glob(file, pattern) for file in files for pattern in patterns):
            return None
        return self._above(name, starts)

    def _above(self, name: str, words: list[Word]) -> Finding | None:
        """Find a folder, among the words, that holds a store."""
        for word in words:
            if word.text[:1] == "-" and len(word.text) > 1:
                continue
            path = os.path.normpath(os.path.join(self.folder, os.path.expanduser(word.text)))
            paths = [path]
            if word.raw and ("*" in word.text or "?" in word.text):
                folder, pattern = os.path.split(path)
                try:
                    names = os.listdir(folder)
                except OSError:
                    names = []
                paths = [os.path.join(folder, one) for one in names if one[:1] != "." and place.glob(one, pattern)]
            for one in paths:
                if self._holds(one):
                    return Finding(name, word.text, place.MEMORY_AREA)
        return None

    def _holds(self, path: str) -> bool:
        real = os.path.realpath(path)
        above = real.rstrip(os.sep) + os.sep
        stores = [os.path.realpath(store) for store in (self.root,) if store]
        return os.path.isdir(os.path.join(real, place.DIRECTORY)) or any(s.startswith(above) for s in stores)

    def _copied(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        """A copy writes to its last name, or into the folder of an option."""
        texts = [word.text for word in words]
        for at, text in enumerate(texts):
            if text in ("-t", "--target-directory"):
                return self._first(name, words[at + 1 : at + 2])
            if text.startswith("--target-directory="):
                return self._first(name, [words[at]])
        names = [word for word in words if word.text[:1] != "-"]
        if len(names) < 2:
            return None
        if name == "rsync" and "--remove-source-files" in texts:
            return self._first(name, names)
        found = self._first(name, names[-1:]) or self._into(name, names)
        if not found and name == "rsync" and any(text.startswith("--del") for text in texts):
            found = self._above(name, names[-1:])
        return found

    def _into(self, name: str, names: list[Word]) -> Finding | None:
        """Find a copy whose source has the name of a store in the folder that it is copied to."""
        last = os.path.join(self.folder, os.path.expanduser(names[-1].text))
        if not os.path.isdir(last) or name in ("ln", "rsync"):
            return None
        for word in names[:-1]:
            inner = Word(os.path.join(last, os.path.basename(word.text.rstrip("/"))), raw=word.raw)
            is_same = os.path.realpath(inner.text) == os.path.realpath(os.path.join(self.folder, word.text))
            if not is_same and os.path.basename(inner.text) not in (".", "..") and self.area(inner):
                return Finding(name, inner.text, place.MEMORY_AREA)
        return None

    def _archived(self, _: Command, name: str, words: list[Word]) -> Finding | None:
        texts = [word.text for word in words]
        if name in ("gzip", "bzip2", "xz", "zstd"):
            return None if {"-c", "-k", "-l", "-t", "--keep", "--stdout"} & set(texts) else self._first(name, words)
        if name == "zip":
            moves = any(text in ("-m", "--move") for text in texts)
            names = [word for word in words if word.text[:1] != "-"]
            return self._first(name, names if moves else names[:1])
        letters = texts[0].lstrip("-") if texts and texts[0][:2] != "--" else ""
        extracts = "x" in letters or "--extract" in texts
        if extracts:
            return self._first(name, words)
        if "--remove-files" in texts:
            return self._first(name, words)
        for at, text in enumerate(texts[:-1]):
            if "f" in text.lstrip("-")[:6] and (text[:1] == "-" or at == 0):
                return self._first(name, [words[at + 1]])
        return None

    def _git(self, command: Command, _: str, words: list[Word]) -> Finding | None:
        folder, at = self.folder, 0
        while at < len(words) and words[at].text[:1] == "-":
            if words[at].text == "-C" and at + 1 < len(words):
                folder = os.path.join(folder, os.path.expanduser(words[at + 1].text))
            at += 2 if words[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
        what, rest = (words[at].text if at < len(words) else ""), words[at + 1 :]
        look = _Look(folder, self.root, self.depth)
        look.flowing = self.flowing
        name, texts = f"git {what}", [word.text for word in rest]
        if what in ("apply", "am"):
            return look._patched(command, name, rest)
        if what in _GIT_RESETS:
            found: Finding | None = getattr(look, f"_git_{what}")(name, rest, texts)
            return found
        if what not in _GIT_READS:
            return look._first(name, rest)
        outs = [Word(text.partition("=")[2]) for text in texts if text.startswith("--output=")]
        outs += [rest[at + 1] for at, text in enumerate(texts[:-1]) if text in ("-o", "--output")]
        return look._first(name, outs) if what in ("diff", "log", "show", "archive", "format-patch") else None

    def _git_clean(self, name: str, rest: list[Word], texts: list[str]) -> Finding | None:
        """Only what clears ignored files takes a private store along."""
        letters = "".join(text[1:] for text in texts if text[:1] == "-" and text[:2] != "--")
        spared = [text for at, text in enumerate(texts) if at and texts[at - 1] in ("-e", "--exclude")]
        spared += [text for text in texts if text.startswith(("-e", "--exclude="))]
        dry = "n" in letters or "--dry-run" in texts or not ("f" in letters or "--force" in texts)
        if dry or not set("xX") & set(letters) or any("mem" in text for text in spared):
            return None
        names = [word for word in rest if word.text[:1] != "-"] or [Word(".")]
        return self._first(name, names) or self._above(name, names)

    def _git_stash(self, name: str, rest: list[Word], texts: list[str]) -> Finding | None:
        names = rest[texts.index("--") + 1 :] if "--" in texts else []
        if {"-a", "--all"} & set(texts):
            return self._first(name, names or [Word(".")]) or self._above(name, names or [Word(".")])
        return (
            self._uncommitted(name, names)
            if not texts or texts[0] in ("push", "save") or texts[0][0:1] == "-"
            else None
        )

    def _git_reset(self, name: str, _: list[Word], texts: list[str]) -> Finding | None:
        return self._uncommitted(name, []) if "--hard" in texts else None

    def _git_restore(self, name: str, rest: list[Word], texts: list[str]) -> Finding | None:
        only_index = {"--staged", "-S"} & set(texts) and not {"--worktree", "-W"} & set(texts)
        return None if only_index else self._git_checkout(name, rest, texts)

    def _git_checkout(self, name: str, rest: list[Word], texts: list[str]) -> Finding | None:
        if {"-b", "-B"} & set(texts):
            return None
        names = rest[texts.index("--") + 1 :] if "--" in texts else [w for w in rest if w.text[:1] != "-"]
        names = [w for w in names if self.area(w) or os.path.lexists(os.path.join(self.folder, w.text))]
        return self._uncommitted(name, names) if names else None

    def _git_rm(self, name: str, rest: list[Word], texts: list[str]) -> Finding | None:
        if {"--cached", "-n", "--dry-run"} & set(texts):
            return None
        return self._first(name, rest) or self._above(name, rest)

    _git_mv = _git_rm

    def _uncommitted(self, name: str, names: list[Word]) -> Finding | None:
        """Find a store that git tracks and whose lines are not all committed, among what git would reset."""
        if names and not (self._first(name, names) or self._above(name, names)):
            return None
        if names and (found := self._first(name, names)):
            return found
        store = place.find(self.folder) or self.root
        if store is None:
            return None
        from promptx_mem.store import git

        return Finding(name, store, place.MEMORY_AREA) if git.has_uncommitted(store) else None

    def _wrapped(self, command: Command, name: str, words: list[Word]) -> Finding | None:
        texts, folder = [word.text for word in words], self.folder
        for at, text in enumerate(texts):
            if text in ("-C", "-D", "--chdir", "-w", "--directory") and at + 1 < len(texts) and name != "docker":
                folder = os.path.join(folder, texts[at + 1])
            elif text.startswith(("--chdir=", "--directory=")):
                folder = os.path.join(folder, text.partition("=")[2])
        inner, rest = _known(words)
        if name in ("docker", "podman", "nerdctl") and inner and texts[0] != "cp" and ":ro" not in " ".join(texts):
            mounts = [text.partition("source=")[2].partition(",")[0] or text.partition(":")[0] for text in texts]
            script = next((word.text for word in rest if " " in word.text), "") if inner in _SHELLS else inner
            if any(self.area(Word(path)) for path in mounts if "/" in path) and (
                inner not in (*_READERS, *_SHELLS) or any(mark in script for mark in (">", "rm ", "sed -i", "tee"))
            ):
                return Finding(name, place.DIRECTORY, place.MEMORY_AREA)
        look = _Look(folder, self.root, self.depth + 1)
        look.named, look.flowing = self.named, self.flowing
        if inner:
            outer = Command(piped=False)
            outer.words, outer.redirects = [Word(inner), *rest], command.redirects
            return look._judge(outer, inner, rest)
        for word in words:
            if " " in word.text and (found := look._again(word.text)):
                return found
        if name in ("docker", "podman", "kubectl", "ssh", "script"):
            return None
        return look._first(name, words)


def _runs_of_find(words: list[Word]) -> str:
    """Name the writer that find runs for what it finds; empty where it runs none."""
    for at, word in enumerate(words):
        if word.text in ("-exec", "-execdir", "-ok", "-okdir"):
            program, inner = _program(words[at + 1 :])
            of = [word.text for word in inner]
            if program in _SHELLS:
                script = next((word for word in of if " " in word), "")
                reads = not any(mark in script for mark in _WRITES)
            else:
                reads = program in (*_OWN, "cp", "git") or (program in _READERS and not _writing(program, of))
            if not reads:
                return f"find -exec {program}"
    return ""


def _program(words: list[Word]) -> tuple[str, list[Word]]:
    """Return the program of a simple command and its arguments, without assignments and keywords."""
    at = 0
    while at < len(words) and (words[at].text in _KEYWORDS or _assigns(words[at].text)):
        at += 1
    if at == len(words):
        return "", []
    return os.path.basename(words[at].text), words[at + 1 :]


def _assigns(text: str) -> bool:
    name, equals, _ = text.partition("=")
    return bool(equals) and name.rstrip("+").isidentifier()


def _known(words: list[Word]) -> tuple[str, list[Word]]:
    """Return the first program, among the words of a wrapper, that the tables know, with its arguments."""
    for at, word in enumerate(words):
        name = os.path.basename(word.text)
        if word.text in ("exec", "run", "time", "command", "test") and at == 0:
            continue
        if (
            name in _READERS
            or name in _COPIERS
            or name in _REMOVERS
            or name in _ARCHIVERS
            or name in _SHELLS
            or (
                name in _WRAPPERS
                or name.rstrip("0123456789.") in _CODE
                or name in ("git", "xargs", "eval", *_OWN)
                or name.partition("@")[0] in _PROMPTX
                or name in ("tee", "truncate", "dd", "patch", "sponge", "ed", "ex", "vim", "nano")
            )
        ):
            return name, words[at + 1 :]
    return "", []


def _writes_in(statement: str, names: list[str]) -> bool:
    """Whether a statement that has one of the names gives it to a call that writes."""
    places = [at for one in names if (at := _position(statement, one)) >= 0]
    first, last = min(places), max(*places, *(statement.rfind(one) for one in names))
    for mark in (*_ANYWHERE, *_BEHIND, *_AHEAD, *_MOVES, *_COPIES):
        if (at := statement.find(mark)) < 0 or (mark[0] in "\"'" and "open" not in statement):
            continue
        comma = statement.find(",", at)
        if (
            mark in _ANYWHERE
            or (mark in _BEHIND and first < at)
            or (mark in _AHEAD and last > at and (comma < 0 or any(at < one < comma for one in (first, last))))
            or (mark in _MOVES and last > at)
            or (mark in _COPIES and at < comma < last and not at < first < comma)
        ):
            return True
    return False


def _position(statement: str, name: str) -> int:
    """Where a statement has a path, or a variable as a word of its own; -1 where it has not."""
    at = statement.find(name)
    if name.isidentifier():
        while at >= 0 and (
            statement[at - 1 : at].isidentifier() or statement[at + len(name) : at + len(name) + 1].isidentifier()
        ):
            at = statement.find(name, at + 1)
    return at


def _without_first(words: list[Word]) -> list[Word]:
    first = next((at for at, word in enumerate(words) if word.text[:1] != "-"), len(words))
    return words[:first] + words[first + 1 :]


def _writing(name: str, texts: list[str]) -> bool:
    """Whether a reader is given an option with which it writes."""
    for flag in _FLAGS.get(name, ()):
        for text in texts:
            if text == flag or (flag[:2] == "--" and text.startswith(flag + "=")):
                return True
            if len(flag) == 2 and text[:1] == "-" and text[1:2] not in ("-", "") and flag[1] in text.partition(".")[0]:
                return True
    return False


def _promptx(texts: list[str]) -> list[str]:
    """Return the arguments of PromptX's own `remember`, with the word itself."""
    for at, text in enumerate(texts):
        name = os.path.basename(text).partition("@")[0]
        if name in _PROMPTX or (name == "cli" and "promptx" in text):
            return texts[at + 1 :] if texts[at + 1 : at + 2] == ["remember"] else []
    return []
