"""What programs run that run another one: in a container, on this machine by ssh, later or again, from a recipe.

Loaded for those alone. A container sees a store by the name it is mounted under, which is followed back.
"""

import re

from promptx_mem.hooks.programs import option, plain
from promptx_mem.hooks.words import Word

_CONTAINER_VALUES = (
    "-v", "--volume", "-w", "--workdir", "-e", "--env", "-u", "--user", "--name", "--network", "--net", "-p",
    "--publish", "--mount", "--entrypoint", "--env-file", "-h", "--hostname", "-l", "--label", "--platform", "--pull",
    "-m", "--memory", "--cpus", "--gpus", "--add-host", "--cap-add", "--cap-drop", "--device", "--tmpfs", "--ulimit",
    "--restart", "--shm-size", "--security-opt", "--ipc", "--pid", "--userns", "--cidfile", "--dns", "--group-add",
    "--index", "-f", "--file", "--project-name", "--profile", "--project-directory", "-n", "--namespace", "-c",
    "--container", "--context", "--kubeconfig", "--log-driver", "--volumes-from", "-H", "--host",
)  # fmt: skip
_SSH_VALUES = tuple("-" + letter for letter in "bcDEeFIiJLlmOopQRSWw")
_LOCAL = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104 - names of this machine
_TIMES = re.compile(r"[ \t]*(?:@[a-z]+[ \t]+|(?:[0-9*/,A-Za-z-]+[ \t]+){5})")
"""When a line of a crontab runs."""

_BOUNDS = (":::", "::::", ":::+", "::::+")


class Inner:
    """A command line, as words or as a script; `links` are the names under which it sees what lies elsewhere."""

    __slots__ = ("links", "script", "start", "words")

    def __init__(self, words: list[Word] | None = None, script: str = "") -> None:
        self.words = words or []
        self.script = script
        self.links: dict[str, str] = {}
        self.start = ""


def inner(name: str, arguments: list[Word], script: str) -> list[Inner]:
    """What a program of this table would run; `script` is what its stdin holds."""
    if name in ("flock", "script", "su", "runuser"):
        told = [*option(arguments, "-c"), *option(arguments, "--command")]
        return [Inner(script=word.text) for word in told[:1]] or [Inner(plain(arguments, ("-w", "-E", "-u"))[1:])]
    if name in ("make", "gmake", "just", "at", "batch"):
        return [Inner(script="\n".join(line.lstrip(" \t@-") for line in script.split("\n")))]
    if name == "crontab":
        return [Inner(script="\n".join(_behind_times(line) for line in script.split("\n")))]
    if name in ("watch", "parallel", "sem", "ssh", "tmux"):
        return [Inner(script=script) for script in _scripts(name, arguments)]
    return _contained(arguments, behind_dashes=name in ("kubectl", "oc"))


def _behind_times(line: str) -> str:
    """The command of a crontab's line."""
    times = _TIMES.match(line)
    return line[times.end() :] if times else line


def _scripts(name: str, arguments: list[Word]) -> list[str]:
    """The command lines among the arguments of a program that hands them to a shell."""
    if name == "tmux":
        return [word.text for word in arguments if " " in word.text]
    if name == "watch":
        return [_joined(_behind(arguments, ("-n", "--interval", "-q", "--equexit")))]
    if name == "ssh":
        host, *words = _behind(arguments, _SSH_VALUES) or [Word("")]
        return [_joined(words)] if host.text.rpartition("@")[2] in _LOCAL else []
    end = next((at for at, word in enumerate(arguments) if word.text in _BOUNDS), len(arguments))
    words = _behind(arguments[:end], ("-j", "-n", "-N", "-a", "-I", "--jobs", "-S", "--colsep", "-L", "-d"))
    return [_joined(words).replace("{}", "${}")]  # what stands for it is not known


def _contained(arguments: list[Word], *, behind_dashes: bool) -> list[Inner]:
    """What `docker run`, `docker compose exec`, `kubectl exec` and their kin run inside."""
    at = next((at for at, word in enumerate(arguments[:12]) if word.text in ("run", "exec")), -1)
    if at < 0:
        return []
    options = arguments[at + 1 :]
    image, *words = _behind(options, _CONTAINER_VALUES) or [Word("")]
    options = options[: options.index(image)] if image in options else options
    dashes = next((at for at, word in enumerate(words) if word.text == "--"), -1) if behind_dashes else -1
    words = words[dashes + 1 :]
    entry = option(options, "--entrypoint")
    out = Inner([*entry, *words])
    for source, target in _mounts(options):
        out.links[target.rstrip("/") or "/"] = source
    out.start = next((word.text for name in ("-w", "--workdir") for word in option(options, name)), "")
    return [out]


def _mounts(options: list[Word]) -> list[tuple[str, str]]:
    """The folders of this machine that a container may write, each with its name there."""
    out = []
    for word in [*option(options, "-v"), *option(options, "--volume")]:
        source, _, rest = word.text.partition(":")
        target, _, mode = rest.partition(":")
        if target.startswith("/") and "/" in source + "/" and "ro" not in mode.split(","):
            out.append((source, target))
    for word in option(options, "--mount"):
        fields = dict(field.partition("=")[::2] for field in word.text.split(","))
        source = fields.get("source", fields.get("src", ""))
        target = fields.get("target", fields.get("dst", fields.get("destination", "")))
        if source and target and not {"readonly", "ro"} & fields.keys():
            out.append((source, target))
    return out


def _behind(arguments: list[Word], valued: tuple[str, ...]) -> list[Word]:
    """The words from the first that is no option on."""
    at = 0
    while at < len(arguments) and arguments[at].text.startswith("-"):
        if arguments[at].text == "--":
            return arguments[at + 1 :]
        text = arguments[at].text
        bundled = text[1:2] != "-" and text[1:].isalpha() and len(text) < 5  # -itv FOLDER
        at += 2 if text in valued or (bundled and f"-{text[-1]}" in valued) else 1
    return arguments[at:]


def _joined(words: list[Word]) -> str:
    return " ".join(word.text for word in words)
