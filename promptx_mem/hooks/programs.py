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
    return _others(name, arguments, plain)


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


def _others(name: str, arguments: list[Word], plain: list[Word]) -> list[Word]:
    words = [word.text for word in arguments]
    if name == "dd":
        return [Word(word.text[3:], sure=word.sure) for word in arguments if word.text.startswith("of=")]
    if name == "tar" and any("x" in word and word[:2] != "--" for word in words[:1]):
        return _option(arguments, "-C")
    if name == "git" and plain and plain[0].text in ("rm", "mv") and "--cached" not in words:
        return plain[1:]
    return _found(arguments, words) if name == "find" else []


def _found(arguments: list[Word], words: list[str]) -> list[Word]:
    runs = [words[i + 1] for i, w in enumerate(words[:-1]) if w in ("-exec", "-execdir", "-ok", "-okdir")]
    if "-delete" not in words and not any(os.path.basename(run) in (*REMOVERS, *EDITORS, "sed") for run in runs):
        return []
    if "sed" in runs and not any(word.startswith("-i") for word in words):
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
