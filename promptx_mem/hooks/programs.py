"""What the programs that agents use would write, by their arguments: a table of the ones that write files."""

import os

from promptx_mem.hooks.words import Word

REMOVERS = ("rm", "unlink", "shred", "truncate", "mv")
EDITORS = (
    "tee", "sponge", "ed", "ex", "vi", "vim", "nvim", "nano", "pico", "emacs", "emacsclient", "micro", "kak", "hx",
    "patch", "dos2unix", "unix2dos",
)  # fmt: skip
"""Programs for a terminal; a window that opens is there for a person, who may write by hand."""

SHELLS = ("bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "pwsh", "powershell")
READERS = (*SHELLS, "eval", "source", ".")
RUNNERS = (
    "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc", "ssh", "flock", "script", "su",
    "runuser", "watch", "parallel", "sem", "make", "gmake", "just", "at", "batch", "crontab", "tmux",
)  # fmt: skip
"""What these run is read by runners."""
DATABASES = ("sqlite3", "sqlite", "sqlcipher", "litecli", "duckdb")
RARE = (
    "find", "tar", "bsdtar", "unzip", "zip", "7z", "7za", "7zz", "unrar", "cpio", "split", "csplit", "gzip", "gunzip",
    "bzip2", "bunzip2", "xz", "unxz", "docker", "podman", "kubectl", "oc", "aws", "gsutil", "rclone",
)  # fmt: skip
"""What these write is read by outputs."""
CODE = (
    "python",
    "pypy",
    "node",
    "ruby",
    "perl",
    "deno",
    "bun",
    "php",
    "lua",
    "Rscript",
    "tsx",
    "ts-node",
    "osascript",
    "ipython",
    "julia",
    "elixir",
    "groovy",
    "raku",
)
FLAGS = ("-c", "-e", "-r", "-p", "--eval", "eval")
COPIERS = ("cp", "ln", "install", "rsync", "scp")

_WRAPPERS = (
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "time", "timeout", "stdbuf", "xargs",
    "busybox", "toybox", "setsid", "ionice", "npx", "bunx", "pnpx", "uvx", "gtimeout", "chrt", "taskset", "unbuffer",
    "chronic", "strace", "pkexec", "systemd-run", "firejail", "dbus-run-session", "xvfb-run",
)  # fmt: skip
_VALUED = {
    "sudo": ("-u", "-g", "-h", "-p", "-D", "--chdir"),
    "env": ("-u", "-C", "--chdir"),
    "nice": ("-n",),
    "timeout": ("-k", "-s"),
    "npx": ("-p", "--package"),
    "uvx": ("--from", "--with", "-p", "--python"),
    "ionice": ("-c", "-n"),
    "strace": ("-o", "-e", "-p", "-s"),
    "systemd-run": ("-p", "-u", "-E", "--unit"),
    "xargs": ("-n", "-I", "-P", "-L", "-d", "-a"),
    "truncate": ("-s", "-r"),
    "shred": ("-n", "-s"),
    "cp": ("-t",),
    "mv": ("-t",),
    "install": ("-t", "-m", "-o", "-g"),
}
"""Options whose value is a word of its own, and no file that is written."""

_FOLDERS = {"env": ("-C", "--chdir"), "sudo": ("-D", "--chdir")}

PATCHES = ("apply_patch", "applypatch", "patch")
_RUNNERS = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "pdm": ("run",), "hatch": ("run",), "rye": ("run",),
    "pipx": ("run",), "pnpm": ("dlx", "exec"), "yarn": ("dlx", "exec"), "npm": ("exec",), "bun": ("x",),
    "conda": ("run",), "mamba": ("run",), "pixi": ("run",), "bundle": ("exec",), "pyenv": ("exec",), "mise": ("exec",),
}  # fmt: skip
_RUNNER_VALUES = (
    "-n", "--name", "-p", "--python", "--with", "--project", "--directory", "--env-file", "--extra", "--group",
    "--spec",
)  # fmt: skip
_OTHERS = ("promptx", "dpml-prompt", "promptx-cli", "promptx.js")
_OUTPUTS = {
    "sort": ("-o", "--output"), "curl": ("-o", "--output", "--output-dir"), "wget": ("-O", "-P", "--output-document"),
    "aria2c": ("-o", "-d"), "http": ("-o",),
}  # fmt: skip
_SCRIPTS = ("-e", "-f", "--expression", "--file")
_IN_PLACE = ("--in-place", "--inplace", "--write", "--fix")
"""What formatters and the like call it: any program's files are written then."""
_WORDS = ("if", "then", "elif", "else", "do", "while", "until", "!", "{", "time")


def targets(name: str, arguments: list[Word]) -> list[Word]:
    """Return the arguments that a program would write; of a copy only what it is copied to."""
    if name in REMOVERS or name in EDITORS:
        return [*plain(arguments, _VALUED.get(name, ())), *_into(arguments)]
    if name in COPIERS:
        return [word for word in copied(arguments)[:1] if not _is_remote(name, word.text)]
    if edits_in_place(name, arguments):
        return _edited(name, arguments)
    if name in _OUTPUTS:
        return [word for output in _OUTPUTS[name] for word in option(arguments, output)]
    return _operands(name, arguments)


def copied(arguments: list[Word]) -> list[Word]:
    """Return the destination of a copy, then its sources; nothing where there is but one name."""
    names, into = plain(arguments, _VALUED["install"]), _into(arguments)
    if into:
        return [into[0], *names]
    return [names[-1], *names[:-1]] if len(names) > 1 else []


def _is_remote(name: str, path: str) -> bool:
    return name in ("scp", "rsync") and ":" in path.partition("/")[0]


def _into(arguments: list[Word]) -> list[Word]:
    return [*option(arguments, "-t"), *option(arguments, "--target-directory")]


def _edited(name: str, arguments: list[Word]) -> list[Word]:
    if name != "sed":
        return plain(arguments, tuple(w.text for w in arguments if w.text[:1] == "-" and w.text[-1:] == "e"))
    scripted = any(word.text.startswith(_SCRIPTS) for word in arguments)
    return plain(arguments, _SCRIPTS)[0 if scripted else 1 :]


def _operands(name: str, arguments: list[Word]) -> list[Word]:
    words = [word.text for word in arguments]
    if name == "dd":
        return [Word(word.text[3:], sure=word.sure) for word in arguments if word.text.startswith("of=")]
    if name.lower() in (
        "add-content",
        "set-content",
        "out-file",
        "remove-item",
        "clear-content",
        "move-item",
        "new-item",
    ):
        return [word for word in arguments if not word.text.startswith("-")]
    written = name == "sd" or any(word in _IN_PLACE for word in words) or (name == "yq" and "-i" in words)
    return plain(arguments, ()) if written else []


def program(word: Word) -> str:
    """The name of a program; GNU's go by a `g` before it where others of that name are the system's."""
    name = os.path.basename(word.text)
    return name[1:] if name in ("gsed", "gawk", "gcp", "gmv", "grm", "gtee", "gdd", "gfind", "gtar", "gxargs") else name


def other_memory(words: list[Word]) -> bool:
    """Whether PromptX itself is run to remember something: `npx -y dpml-prompt@beta remember …`."""
    return _at_remember(words) > 0


def remembered(words: list[Word]) -> str | None:
    """The text that it was given."""
    texts = [word for word in words[_at_remember(words) + 1 :] if not word.text.startswith("-")]
    longest = max(texts, key=lambda word: len(word.text), default=None)
    return longest.text if longest is not None and longest.sure else None


def _at_remember(words: list[Word]) -> int:
    """The place of `remember` behind the program's name among the first words; 0 where it is another program."""
    for at, word in enumerate(words[:6]):
        name = word.text.lower().lstrip("@").partition("@")[0]
        if (name in _OTHERS or name.endswith(("/promptx", "/promptx.js")) or name == "promptx/cli") and at + 1 < len(
            words
        ):
            return at + 1 if words[at + 1].text in ("remember", "learn_memory") else 0
    return 0


def enters(words: list[Word]) -> bool:
    """Whether a command changes the folder of those behind it."""
    return program(words[0]) in ("cd", "pushd")


def folder(before: list[Word]) -> Word | None:
    """Where `env -C FOLDER` or `sudo -D FOLDER` runs a program; `before` are the words that stand before its name."""
    options: tuple[str, ...] = ()
    for word, value in zip(before, [*before[1:], None], strict=False):
        options = _FOLDERS.get(os.path.basename(word.text), options)
        if word.text in options:
            return value
        if options and word.text.startswith("--chdir="):
            return Word(word.text.partition("=")[2])
    return None


def unwrapped(words: list[Word]) -> tuple[list[Word], bool]:
    """Take away assignments, reserved words and programs that run another one; says whether one was xargs."""
    through_xargs = False
    at = 0
    while at < len(words):
        text = words[at].text
        name = os.path.basename(text)
        if text in _WORDS or (text.partition("=")[1] and text.partition("=")[0].isidentifier()):
            at += 1
        elif name in _WRAPPERS:
            through_xargs = through_xargs or name == "xargs"
            at += 1
            while at < len(words) and words[at].text.startswith("-"):
                at += 2 if words[at].text in _VALUED.get(name, ()) else 1
            if name in ("timeout", "gtimeout", "chrt", "taskset"):
                at += 1
        elif at + 1 < len(words) and words[at + 1].text in _RUNNERS.get(name, ()):
            at += 2
            while at < len(words) and words[at].text.startswith("-"):
                at += 2 if words[at].text in _RUNNER_VALUES else 1
        else:
            break
    return words[at:], through_xargs


def plain(arguments: list[Word], valued: tuple[str, ...]) -> list[Word]:
    """Return the arguments that are no options, nor values of the options in `valued`."""
    names = []
    skip = ended = False
    for word in arguments:
        if skip:
            skip = False
        elif ended or not word.text.startswith("-") or word.text == "-":
            names.append(word)
        elif word.text == "--":
            ended = True
        else:
            skip = word.text in valued
    return names


def option(arguments: list[Word], name: str) -> list[Word]:
    """Return the values given to an option, also as `--name=value` and `-nvalue`."""
    values = [arguments[i + 1] for i, word in enumerate(arguments[:-1]) if _gives(word.text, name)]
    for word in arguments:
        if name.startswith("--") and word.text.startswith(name + "="):
            values.append(Word(word.text[len(name) + 1 :], sure=word.sure))
        elif not name.startswith("--") and word.text.startswith(name) and len(word.text) > len(name):
            values.append(Word(word.text[len(name) :], sure=word.sure))
    return values


def _gives(word: str, name: str) -> bool:
    """Whether a word is an option, alone or at the end of a cluster: `-o`, `-so`."""
    return word == name or (len(name) == 2 and word[:1] == "-" and word[1:2] != "-" and word.endswith(name[1]))


def edits_in_place(name: str, arguments: list[Word]) -> bool:
    words = [word.text for word in arguments if word.text.startswith("-")]
    if name == "sed":
        return any(w.startswith("--in-place") or (w[1:2] != "-" and "i" in w[1:].partition(".")[0]) for w in words)
    if name in ("perl", "ruby"):
        return any(w[1:2] not in ("-", "M", "I") and "i" in w[1:].partition("e")[0].partition(".")[0] for w in words)
    return name in ("awk", "gawk") and "inplace" in [word.text for word in arguments]


def placeholder(words: list[Word]) -> str:
    """What stands for each name in the command that xargs runs."""
    return next((word.text for word in option(words, "-I")), "") or "{}"


def is_code(name: str, arguments: list[Word]) -> bool:
    """Whether a program is an interpreter that reads code rather than files."""
    return name.rstrip("0123456789.") in CODE and not edits_in_place(name, arguments)


def scripts(arguments: list[Word]) -> list[str]:
    """What a shell is given to run as a word: behind `-c`, `-lc`, PowerShell's `-Command`."""
    pairs = zip(arguments, arguments[1:], strict=False)  # noqa: RUF007 - the guard loads no itertools
    return [script.text for flag, script in pairs if flag.text[:1] == "-" and flag.text.endswith(("c", "-Command"))]


def writes_its_arguments(name: str, arguments: list[Word]) -> bool:
    """Whether a program that is handed names by xargs writes those files."""
    return name in (*REMOVERS, *EDITORS) or edits_in_place(name, arguments)


def inside(arguments: list[Word]) -> list[Word]:
    """A shell or an interpreter that a program is told to run with a script: `flock lock sh -c '…'`."""
    for at, word in enumerate(arguments[:-2]):
        name = os.path.basename(word.text).rstrip("0123456789.")
        if (name in SHELLS or name in CODE) and (arguments[at + 1].text in FLAGS or arguments[at + 1].text == "-lc"):
            return arguments[at:]
    return []
