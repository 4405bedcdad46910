"""What the programs that agents use would write, by their arguments: a table of the ones that write files."""

import os

from promptx_mem.hooks.words import Word

REMOVERS = ("rm", "unlink", "shred", "truncate", "mv")
EDITORS = ("tee", "sponge", "ed", "ex", "vi", "vim", "nano", "patch")
COPIERS = ("cp", "ln", "install", "rsync", "scp")

_WRAPPERS = ("sudo", "doas", "env", "command", "builtin", "exec", "nohup", "nice", "time", "timeout", "stdbuf", "xargs")
_VALUED = {
    "sudo": ("-u", "-g"),
    "env": ("-u",),
    "nice": ("-n",),
    "timeout": ("-k", "-s"),
    "xargs": ("-n", "-I", "-P", "-L", "-d", "-a"),
    "truncate": ("-s", "-r"),
    "shred": ("-n", "-s"),
    "cp": ("-t",),
    "mv": ("-t",),
    "install": ("-t", "-m", "-o", "-g"),
}
"""Options whose value is a word of its own, and no file that is written."""

_RUNNERS = {
    "uv": ("run",), "poetry": ("run",), "pipenv": ("run",), "pdm": ("run",), "hatch": ("run",), "rye": ("run",),
    "conda": ("run",), "mamba": ("run",), "pixi": ("run",), "bundle": ("exec",), "pyenv": ("exec",), "mise": ("exec",),
}  # fmt: skip
_RUNNER_VALUES = (
    "-n",
    "--name",
    "-p",
    "--python",
    "--with",
    "--project",
    "--directory",
    "--env-file",
    "--extra",
    "--group",
)
_OTHERS = ("promptx", "dpml-prompt", "promptx-cli")
_OUTPUTS = {"sort": ("-o", "--output"), "curl": ("-o", "--output"), "wget": ("-O", "-P")}
_SCRIPTS = ("-e", "-f", "--expression", "--file")
_WORDS = ("if", "then", "elif", "else", "do", "while", "until", "!", "{", "time")


def targets(name: str, arguments: list[Word]) -> list[Word]:
    """Return the arguments that a program would write; of a copy only what it is copied to."""
    plain = _plain(arguments, _VALUED.get(name, ()))
    if name in REMOVERS or name in EDITORS:
        return [*plain, *_option(arguments, "-t")]
    if name in COPIERS:
        return copied(arguments)[:1]
    if edits_in_place(name, arguments):
        return _edited(name, arguments)
    if name in _OUTPUTS:
        return [word for option in _OUTPUTS[name] for word in _option(arguments, option)]
    return _operands(name, arguments)


def copied(arguments: list[Word]) -> list[Word]:
    """Return the destination of a copy, then its sources; nothing where there is but one name."""
    plain, into = _plain(arguments, _VALUED["install"]), _option(arguments, "-t")
    if into:
        return [into[0], *plain]
    return [plain[-1], *plain[:-1]] if len(plain) > 1 else []


def _edited(name: str, arguments: list[Word]) -> list[Word]:
    if name != "sed":
        return _plain(arguments, tuple(w.text for w in arguments if w.text[:1] == "-" and w.text[-1:] == "e"))
    scripted = any(word.text.startswith(_SCRIPTS) for word in arguments)
    return _plain(arguments, _SCRIPTS)[0 if scripted else 1 :]


def _operands(name: str, arguments: list[Word]) -> list[Word]:
    words = [word.text for word in arguments]
    if name == "dd":
        return [Word(word.text[3:], sure=word.sure) for word in arguments if word.text.startswith("of=")]
    if name == "tar" and any("x" in word and word[:2] != "--" for word in words[:1]):
        return _option(arguments, "-C")
    if name == "git":
        return _git(arguments)
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
    return _find_targets(arguments, words) if name == "find" else []


def _git(arguments: list[Word]) -> list[Word]:
    """The files of the work tree that git would take out or overwrite."""
    name, rest = _subcommand(arguments)
    words = [word.text for word in rest]
    if name in ("rm", "mv"):
        return [] if "--cached" in words else _plain(rest, ())
    if name == "restore":
        staged = "--staged" in words or "-S" in words
        return [] if staged and not {"--worktree", "-W"} & set(words) else _plain(rest, ("-s", "--source"))
    if name == "checkout":
        return rest[words.index("--") + 1 :] if "--" in words else _plain(rest, ("-b", "-B"))
    return []


def subcommand(arguments: list[Word]) -> str:
    return _subcommand(arguments)[0]


def _subcommand(arguments: list[Word]) -> tuple[str, list[Word]]:
    """What git is to do, and the words behind it."""
    at = 0
    while at < len(arguments) and arguments[at].text.startswith("-"):
        at += 2 if arguments[at].text in ("-C", "-c", "--git-dir", "--work-tree") else 1
    return (arguments[at].text if at < len(arguments) else ""), arguments[at + 1 :]


def cleaned(arguments: list[Word]) -> list[str] | None:
    """The paths that `git clean` would clear of ignored files too, as a private store is; None where it does not."""
    name, rest = _subcommand(arguments)
    words = [word.text for word in rest]
    letters = "".join(word[1:] for word in words if word[:1] == "-" and word[:2] != "--")
    left_out = any("mem" in word.text for word in [*_option(rest, "-e"), *_option(rest, "--exclude")])
    dry = left_out or "n" in letters or "--dry-run" in words
    forced = "f" in letters or "--force" in words
    if name != "clean" or dry or not forced or not set("xX") & set(letters):
        return None
    return [word.text for word in _plain(rest, ("-e", "--exclude"))]


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
        if (name in _OTHERS or name.endswith("/promptx") or name == "promptx/cli") and at + 1 < len(words):
            return at + 1 if words[at + 1].text in ("remember", "learn_memory") else 0
    return 0


def added(name: str, arguments: list[Word], body: Word | None) -> Word | None:
    """The text that an editor's script puts in: `sed '$a …'`, `ed` with its script; None where it cannot be told."""
    if name in ("ed", "ex") and body is not None:
        text = _inserted(body.text)
        return Word(text, sure=body.sure) if text else None
    if name != "sed":
        return None
    scripts = [word for word in arguments if not word.text.startswith("-")][:1] + _option(arguments, "-e")
    for script in scripts:
        whole = script.text.strip()
        rest = whole.lstrip("0123456789$").lstrip()
        if rest[:1] in ("a", "i", "c") and len(rest) < len(whole):
            text = rest[1:].lstrip().removeprefix("\\").lstrip("\n ")
            return Word(text, sure=script.sure) if text else None
    return None


def _inserted(script: str) -> str:
    """The lines that an `ed` script puts in: between `a`, `i` or `c` and a single dot."""
    out: list[str] = []
    taking = False
    for line in script.split("\n"):
        if taking:
            taking = line != "."
            out += [line] if taking else []
        else:
            order = line.strip()
            taking = order[-1:] in ("a", "i", "c") and not order[:-1].strip("0123456789$.,")
    return "\n".join(out)


def substitution(arguments: list[Word]) -> tuple[str, str | None, str] | None:
    """What `sed` replaces by what, or takes out with its line, where its one script says that in plain words."""
    scripts = _option(arguments, "-e") or [word for word in arguments if not word.text.startswith("-")][:1]
    if len(scripts) != 1 or not scripts[0].sure:
        return None
    script = scripts[0].text
    if script[:1] == "/" and script[-2:] == "/d" and _is_plain(script[1:-2]):
        return script[1:-2], None, "all"
    parts = script[2:].split(script[1:2]) if script[:1] == "s" and len(script) > 3 else []
    if len(parts) != 3 or parts[2] not in ("", "g") or not _is_plain(parts[0]) or set("\\&") & set(parts[1]):
        return None
    return parts[0], parts[1], "all" if parts[2] else "line"


def _is_plain(pattern: str) -> bool:
    return bool(pattern) and not set("\\^$*[]/") & set(pattern)


def acts(arguments: list[Word]) -> bool:
    """Whether `find` would change the files that it comes upon."""
    return bool(_find_targets(arguments, [word.text for word in arguments]))


def _find_targets(arguments: list[Word], words: list[str]) -> list[Word]:
    runs = [words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-exec", "-execdir", "-ok", "-okdir")]
    scripts = ("sh", "bash", "zsh", "python", "python3", "cp", "dd")
    if "-delete" not in words and not any(os.path.basename(r) in (*REMOVERS, *EDITORS, "sed", *scripts) for r in runs):
        return []
    if "sed" in runs and not any(word.startswith(("-i", "--in-place")) or word[:3] in ("-Ei", "-ni") for word in words):
        return []
    if any(run in scripts for run in runs) and not any(
        ">" in w or "rm " in w or "-i" in w or "tee" in w for w in words
    ):
        return []
    if any(word in ("-prune", "-not", "!") for word in words):  # what is named is left out
        first = next(i for i, word in enumerate([*words, "-"]) if word and word[:1] in "-(!")
        return arguments[:first]
    return [word for word in arguments if not word.text.startswith("-")]


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
            if name == "timeout":
                at += 1
        elif at + 1 < len(words) and words[at + 1].text in _RUNNERS.get(name, ()):
            at += 2
            while at < len(words) and words[at].text.startswith("-"):
                at += 2 if words[at].text in _RUNNER_VALUES else 1
        else:
            break
    return words[at:], through_xargs


def _plain(arguments: list[Word], valued: tuple[str, ...]) -> list[Word]:
    """Return the arguments that are no options, nor values of the options in `valued`."""
    plain = []
    skip = ended = False
    for word in arguments:
        if skip:
            skip = False
        elif ended or not word.text.startswith("-") or word.text == "-":
            plain.append(word)
        elif word.text == "--":
            ended = True
        else:
            skip = word.text in valued
    return plain


def _option(arguments: list[Word], name: str) -> list[Word]:
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
