"""Analysis of shell commands: programs, files and words, and keys for finding memories."""

TYPE_CHECKING = False  # the guard loads this module, and typing loads slowly
if TYPE_CHECKING:
    from collections.abc import Iterator

READ, NAMED, WARNED, WRITTEN, WORD = "read:", "name:", "warn:", "write:", "word:"
"""Prefixes of keys: a cited file or folder, a code name, a command with a warning, a file with a warning, a word."""

_WRAPPERS = frozenset({
    "sudo", "doas", "env", "time", "nohup", "nice", "exec", "command", "xargs", "npx", "bunx", "uvx", "builtin", "then",
    "do", "else", "if", "while", "!", "{", "(", "timeout", "watch", "stdbuf", "setsid", "fvm", "xcrun",
})  # fmt: skip
_VALUED = frozenset({
    ("sudo", "-u"), ("sudo", "-g"), ("doas", "-u"), ("nice", "-n"), ("env", "-u"), ("env", "-C"), ("xargs", "-n"),
    ("xargs", "-I"), ("xargs", "-P"), ("xargs", "-L"), ("xargs", "-d"), ("timeout", "-s"), ("timeout", "-k"),
    ("watch", "-n"), ("npx", "-p"), ("conda", "-n"), ("timeout", "--signal"), ("timeout", "--kill-after"),
    ("sudo", "--user"), ("sudo", "--group"), ("uv", "--with"), ("uv", "--python"), ("uv", "-p"), ("uv", "--project"),
})  # fmt: skip
"""Pairs of a program and an option with a value, as in `sudo -u root`."""

_INTERPRETERS = frozenset({
    "Rscript", "bash", "sh", "zsh", "torchrun", "python", "python3", "node", "ruby", "perl", "php", "deno", "source",
    ".",
})  # fmt: skip
_REMOTE = frozenset({"docker", "docker-compose", "podman", "kubectl", "ssh", "heroku", "vagrant", "oc", "nerdctl"})
"""Programs that run a command on another machine or in a container."""

_PAIRED = frozenset({
    ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("bundle", "exec"), ("npm", "exec"), ("pnpm", "exec"),
    ("pnpm", "dlx"), ("yarn", "dlx"), ("pdm", "run"), ("hatch", "run"), ("rye", "run"),
    ("dart", "run"), ("conda", "run"),
})  # fmt: skip
"""Pairs of words that precede the program to run, as in `uv run pytest`."""

_TASKS = ("manage.py", "artisan", "bin/console", "jupyter")
"""Scripts with subcommands. A text can name a subcommand without its script, as in "never flush"."""

_WRAPPER_SCRIPTS = {"gradlew": "gradle", "mvnw": "mvn", "pip3": "pip", "ossutil64": "ossutil", "apt-get": "apt"}
_SQL = "alter delete drop flushall flushdb insert keys msck optimize reindex truncate update vacuum"
_GIT = "cherry-pick commit merge pull push rebase reset stash tag"
PARTS = frozenset([*_SQL.split(), *_GIT.split()])
"""Verbs that name a command without its program, as in "never rebase main": of SQL, Redis and git."""

_ACTS = (
    "apply approve cancel cordon delete deploy deregister destroy disable drain enable erase evict export flash import "
    "install invalidate migrate patch pause post promote prune publish purge put reboot release remove renew rename "
    "resize restart restore resume revoke rollback rotate scale shutdown start stop suspend sync terminate uninstall "
    "unlock update upgrade upload"
)
ACTS = frozenset(_ACTS.split())
"""Verbs for actions of any program, as in "never restart nginx" and "do not delete namespaces"."""

_REMOVAL = ("delete", "remove")
_REMOVES, _GIT_REMOVES = frozenset([*_REMOVAL, "rm", "rb", "del"]), frozenset({"-d", "-D", "--delete"})
"""Words for a removal: verbs in memories (_REMOVAL), subcommands with the same meaning, and flags of git."""

CLIENTS = frozenset({
    "psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "cqlsh", "clickhouse-client", "beeline", "hive", "duckdb",
    "spark-sql", "snowsql", "sqlplus", "trino", "presto", "impala-shell", "bq", "mongosh", "mongo",
})  # fmt: skip

WRITES = frozenset(
    {"rm", "mv", "cp", "tee", "truncate", "touch", "sed", "yq", "shred", "dd", "install", "ln", "unlink", "sponge"}
)
FINDS = frozenset({"find", "fd"})
_READS = FINDS | {
    "cat", "head", "tail", "sed", "grep", "egrep", "fgrep", "rg", "less", "more", "bat", "batcat", "nl", "awk",
    "ag", "ack", "tac", "diff", "jq", "yq", "perl", "vim", "xxd",
}  # fmt: skip
BY_HAND = WRITES | _READS | {"echo", "printf", "git", "curl", "wget"}
"""A warning not to change a file by hand applies only to these programs."""

_TASKLESS = _READS | {"git", "echo", "printf", "docker", "kubectl"}
_MANAGER_SUBCOMMANDS = frozenset(
    {"install", "i", "add", "remove", "rm", "link", "ln", "cp", "mv", "run", "exec", "dlx", "test", "x"}
)
"""Subcommands of package managers. Any other first word names a program of the project, as in `pnpm prisma`."""

_KNOWN = WRITES | _READS | CLIENTS | _INTERPRETERS | _REMOTE | {
    "systemctl", "service", "git", "make", "docker", "docker-compose", "kubectl", "helm", "npm", "pnpm", "yarn",
    "pip", "bundle", "rails", "composer", "crontab",
}  # fmt: skip
"""Programs at which the search for the program in a remote command ends."""

_GIT_WRITES = frozenset({"mv", "rm", "restore", "checkout", "clean"})
_GIT_READS = frozenset({"show", "diff", "blame", "grep", "log"})

_MAX_WORDS = 6


ENVIRONMENTS = (
    ("prod", "production", "prd", "live", "生产", "线上", "正式"), ("main", "master", "trunk", "主分支", "主干"),
    ("staging", "stage", "stg", "预发"), ("dev", "development", "develop", "开发"), ("release",),
    ("test", "testing", "qa", "uat", "测试"), ("local", "localhost", "sandbox", "preview", "demo"),
    ("feature", "feat", "fix", "hotfix"),
)  # fmt: skip
"""Names of environments and branches. All names in a group mean the same."""
GROUP_OF = {word: number for number, same in enumerate(ENVIRONMENTS) for word in same}

CHINESE_PLACES = r"生产|线上|正式|主分支|主干|预发|(?:开发|测试)(?=环境|分支|[库服机上]|$)"

_ALIASES = (
    ("docker-compose", "docker compose"), ("docker rmi", "docker image rm"),
    *((f"docker {verb}", f"docker container {verb}") for verb in ("rm", "stop", "kill", "restart", "run")),
    *((f"{name} install", f"{name} i") for name in ("npm", "pnpm", "bun")), ("npm ci", "npm clean-install"),
    *((f"{name} remove", f"{name} rm", f"{name} uninstall") for name in ("npm", "pnpm", "yarn", "bun", "brew")),
    ("helm uninstall", "helm delete"), ("terraform destroy", "terraform apply -destroy"),
    ("terraform taint", "terraform apply -replace"), ("conda env remove", "conda remove --all"),
    *((f"gsutil {verb}", f"gcloud storage {verb}") for verb in ("rm", "cp", "mv", "rsync")),
)  # fmt: skip
_KUBERNETES_KINDS = (
    ("namespace", "ns", "命名空间"), ("pod", "po"), ("service", "svc"), ("deployment", "deploy"), ("configmap", "cm"),
    ("persistentvolumeclaim", "pvc"), ("persistentvolume", "pv"), ("statefulset", "sts"), ("daemonset", "ds"),
    ("ingress", "ing"), ("replicaset", "rs"), ("cronjob", "cj"), ("serviceaccount", "sa"),
    ("customresourcedefinition", "crd"), ("horizontalpodautoscaler", "hpa"), ("networkpolicy", "netpol"),
)  # fmt: skip
_CLUSTER = r"kube|k8s|openshift|命名空间"
"""Names of the same command, names of the same kind of object in Kubernetes, and words of a text about Kubernetes."""


def started_commands(command: list[str]) -> list[list[str]]:
    """Return a simple command without wrappers such as sudo, and each command that it could start, as lists of words.

    For example, `python -m pytest` gives the words of python and of pytest.
    """
    while command and (command[0] in _WRAPPERS or is_assignment(command[0]) or tuple(command[:2]) in _PAIRED):
        name, command = command[0], command[2:] if tuple(command[:2]) in _PAIRED else command[1:]
        while command and command[0].startswith("-"):
            command = command[2:] if (name, command[0]) in _VALUED else command[1:]
        command = command[1:] if name == "timeout" else command
    if not command:
        return []
    out = [[base(command[0]), *command[1:]]]
    is_python = out[0][0].startswith("python")
    if is_python and command[1:2] == ["-m"]:
        out += [command[2:], [f"{command[2]}.py", *command[3:]]] if command[2:] else []
    if (is_python or out[0][0] in _INTERPRETERS) and command[1:2] != ["-n"]:  # `bash -n` reads it
        options = [n for n, word in enumerate(command) if word in ("-d", "-c") and out[0][0] == "php"]  # with values
        script = next((n for n, word in enumerate(command) if n and word[:1] != "-" and n - 1 not in options), 0)
        is_file = script and " " not in command[script] and any(char in command[script] for char in "./")
        out += [[base(command[script]), *command[script + 1 :]]] if is_file else []
    if out[0][0] == "ansible-playbook":
        out += [[base(word), *command[1:]] for word in command[1:] if word.endswith((".yml", ".yaml"))]
    stems = [(words[0].removesuffix(".py").removesuffix(".sh"), words) for words in out]
    out += [[stem, *words[1:]] for stem, words in stems if stem not in ("", words[0])]
    out += [
        command[n:]
        for n, word in enumerate(command[:_MAX_WORDS])
        if n and ((out[0][0] not in _TASKLESS and _is_task(word)) or command[n - 1] in _TASKS or word in _TASKS)
    ]
    if out[0][0] in _REMOTE:
        out += _on_remote(command)
    elif out[0][0] in ("npm", "pnpm", "yarn", "bun") and "exec" in command[2:_MAX_WORDS]:
        out += [command[command.index("exec") + 1 :]]
    elif out[0][0] in ("pnpm", "yarn", "bun") and command[1:2] and command[1] not in _MANAGER_SUBCOMMANDS:
        out += [command[1:]]
    return [words for words in out if words]


def _on_remote(command: list[str]) -> list[list[str]]:
    """Return each part of a command that could be the command for another machine or a container."""
    at = next((n for n, word in enumerate(command) if word in ("exec", "run", "--", "ssh")), len(command))
    words = [n for n in range(at + 1, len(command)) if command[n][:1] != "-"][:_MAX_WORDS]
    out: list[list[str]] = []
    if command[1:2] == ["run"]:  # an image can be named after its program
        images = [n for n in words[:3] if command[n - 1][:1] != "-"]
        out = [[base(command[n].partition(":")[0]), *command[n + 1 :]] for n in images]
    inner = words[1:] if words[1:] and command[0] != "heroku" else words
    last = next((n for n in inner if command[n] in _KNOWN), len(command))
    tried = [n for n in inner if n < last and " " not in command[n]]
    out += [command[n:] for n in tried] + [[base(command[n]), *command[n + 1 :]] for n in tried if "bin/" in command[n]]
    return out + started_commands(command[last:])  # one call: nested commands cannot multiply


def _is_task(word: str) -> bool:
    """Return whether an argument looks like a task: lower-case words joined by colons, as in `db:migrate`."""
    return word.count(":") > 0 and word.replace(":", "").replace("-", "").replace("_", "").isalpha() and word.islower()


def base(word: str) -> str:
    """Return a program's usual name without folder and `@version`: `./mvnw` and `/usr/bin/mvn` give `mvn`."""
    name = word.rstrip("/").rpartition("/")[2] or word
    name = name.partition("@")[0] or name
    return _WRAPPER_SCRIPTS.get(name, name)


def actions_in(command: list[str]) -> list[list[str]]:
    """Return the actions of a command. They begin with a verb of `PARTS` or `ACTS`, or a function's name.

    `git reset --hard` gives `reset --hard`; `docker rm` gives `delete` and `remove`.
    """
    if command[:2] == ["git", "add"]:
        found = [["commit", *(word for word in command[2:] if word[:1] != "-")]]
    elif command[0] in ("git", "redis-cli"):
        found = [command[n:] for n, word in enumerate(command) if word.lower() in PARTS][:1]
    else:
        texts = [word for word in command[1:] if " " in word] if command[0] in CLIENTS else []
        found = [words for text in texts for part in text.split(";") if (words := part.split())]
        found += [  # the action of ALTER TABLE x DROP PARTITION y
            [*words[n:], *words[1:n]]
            for words in found
            if words[0].lower() == "alter"
            for n, word in enumerate(words[:_MAX_WORDS])
            if n and word.lower() in PARTS
        ]
    found = [[words[0].lower(), *words[1:]] for words in found if words[0].lower() in PARTS]
    if command[0] in CLIENTS | _INTERPRETERS:  # code such as db.dropDatabase()
        code = " ".join(word for word in command[1:] if "(" in word).replace(";", " ").split()
        names = [word.partition("(")[0] for word in code if "(" in word][:_MAX_WORDS]
        found += [[name, *command[1:]] for name in names if name.replace(".", "").replace(":", "").isalnum()]
    if command[0] == "curl":  # the method of a request
        command = [word.removeprefix("-X").lower() if word.removeprefix("-X").isupper() else word for word in command]
    for n, word in enumerate(command[:_MAX_WORDS] if command[0] not in _TASKLESS or command[0] in _REMOTE else ()):
        names = word.replace(":", "-").removeprefix("--").split("-") if "/" not in word and "@" not in word else []
        if n and (verb := next((name for name in names if name in ACTS or word in _REMOVES), "")):
            rest = [*filter(verb.__ne__, names), *command[1:n], *command[n + 1 :]]
            return [*found, *([one, *rest] for one in (_REMOVAL if verb in _REMOVES else (verb,)))]
    if command[0] == "git" and not _GIT_REMOVES.isdisjoint(command):
        found += [[one, *command[1:]] for one in _REMOVAL]
    return found


def inner(command: list[str]) -> str:
    """Return the command line inside a command, as in `sh -c LINE` or `ssh host "ls -l"`. Empty if there is none."""
    if command[0] in _REMOTE and " " in command[-1]:
        return command[-1]
    is_shell = command[0] in ("bash", "sh", "zsh")
    flags = (n for n, word in enumerate(command) if word[:1] == "-" and word[:2] != "--" and word.endswith("c"))
    at = next(flags, 0) if is_shell else 0
    return command[at + 1] if 0 < at < len(command) - 1 else ""


def is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[:1].isdigit()


def written(command: list[str]) -> list[str]:
    """Return words of a simple command that can be paths it writes, moves or deletes."""
    if command[0] == "git" and command[1:2] and command[1] in _GIT_WRITES:
        names = command[command.index("--") + 1 :] if "--" in command else command[2:]
        flags = "".join(word for word in command[2:] if word[:1] == "-")
        if ("--staged" in flags and "--worktree" not in flags) or (command[1] == "clean" and "n" in flags):
            return []
        is_file = command[1] != "checkout" or "--" in command
        return [word for word in names if word[:1] != "-" and (is_file or word.rpartition(".")[2].isalpha())]
    flagged = [command[n] for n in range(1, len(command)) if command[n - 1] in ("-o", "-out", "--output")]
    outputs = [word for word in flagged if "." in word or "/" in word]
    if outputs and command[0] not in WRITES:
        return outputs
    if command[0] == "perl" and any(word[:1] == "-" and "i" in word[1:4] for word in command[1:3]):
        return [word for word in command[2:] if "/" in word or "." in word][-1:]
    if command[0] not in WRITES or (command[0] in ("sed", "yq") and not any(map(_is_in_place, command))):
        found = [command[n] for n in range(1, len(command)) if command[n - 1] in ("-name", "-iname")]
        return ["/".join(command[1:2] + found)] if command[0] == "find" and "-delete" in command else []
    names = [word for word in command[1:] if not word.startswith("-")]
    folder = [command[n] for n in range(1, len(command)) if command[n - 1] in ("-t", "--target-directory")]
    return (folder or names[-1:]) if command[0] in ("cp", "install", "ln") else names


def _is_in_place(word: str) -> bool:
    """Return whether a word is an option by which sed or yq changes the file: `-i`, `-Ei`, `--in-place`."""
    before, letter, _ = word.partition("i")
    is_short = letter and before[:1] == "-" and set(before[1:]) <= set("nrEsuz")
    return bool(is_short) or word.startswith(("--in-place", "--inplace"))


def removed(command: list[str]) -> list[str]:
    """Return the arguments of a simple command that are paths which the command removes or renames."""
    program = command[1] if command[0] == "git" and command[1:2] else command[0]
    names = written(command) if program in ("rm", "mv", "unlink", "shred", "find", "clean") else []
    return names[:-1] if program == "mv" else names


def read(command: list[str]) -> list[str]:
    """Return the arguments of a simple command that could be files to read or terms to search for."""
    words = [word for word in command[1:] if word[:1] != "-"]
    if command[0] == "git" and words[:1] and words[0] in _GIT_READS:
        return [word.rpartition(":")[2] for word in words[1:]]
    return words if command[0] in _READS else []


_BEGINNING = frozenset("$_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")


def searched(pattern: str) -> list[str]:
    """Return the code names in the pattern of a search command, also the parts of dotted names.

    A word of up to 5 small letters, such as `test`, is not a name.
    """
    text = pattern[:500].replace("\\b", " ").replace("\\", "")
    found: list[str] = []
    for run in "".join([char if char.isalnum() or char in "_$." else " " for char in text]).split():
        is_named = False
        for part in run.split("."):
            begin = next((at for at, char in enumerate(part) if char in _BEGINNING), len(part))
            if is_named and part:
                found[-1] += f".{part}"
            elif is_named := len(part) - begin > 2:
                found.append(part[begin:])
    parts = [*found, *(part for name in found if "." in name for part in name.split("."))]
    return [name for name in parts if len(name) > 5 or not (name.isalpha() and name.islower())]


def pairs(command: list[str]) -> list[str]:
    """Return keys for warnings about a command: program, program with each of the first 11 arguments, rare flags."""
    words = [part for word in command[1:12] for part in dict.fromkeys((word, word.rpartition(":")[2])) if part]
    flags = filter(None, map(flag_key, words))
    code = [word for word in command[1:12] if " " in word or "(" in word]
    for kept in ("_-:", "_-:."):
        words += ["".join(char if char.isalnum() or char in kept else " " for char in word) for word in code]
    words = [part for word in words for part in word.split()[:12]]
    return [command[0].lower(), *(pair(command[0], word) for word in words), *flags]


def flag_key(word: str) -> str:
    """Return a rare flag such as `--no-verify`, or a variable, without its value; empty for words such as `--force`."""
    flag = word.partition("=")[0]
    is_variable = is_assignment(word) and flag.isupper() and "_" in flag
    return flag if (flag[:2] == "--" and "-" in flag[3:]) or (flag[:2] == "-D" and len(flag) > 5) or is_variable else ""


def pair(program: str, word: str) -> str:
    """Return the key of a program with an argument. All flags share one key, since their order and spelling differ."""
    word = word.partition("@")[0] or word
    return f"{base(program)} {'-' if word[:1] == '-' else word.rstrip('/').removesuffix('s')}".lower()


def names_of(path: str) -> list[str]:
    """Return the names for finding memories about a path: of the file and its last 7 folders."""
    return [part.casefold() for part in path.split("/")[-8:] if part.strip(".")]


def patterns_of(path: str) -> list[str]:
    """Return the patterns for finding memories about a file, such as `*.min.js` and `*.js`."""
    name = path.rpartition("/")[2].casefold()
    return ["*" + name[at:] for at, char in enumerate(name) if char == "."]


def with_aliases(clause: str, text: str) -> "Iterator[str]":
    """Yield a clause with each other name of its command or kind of object. Skip a command with two names in `text`.

    `text` is in lower case. Kinds count only if it is about Kubernetes.
    """
    import re

    for same in (*_ALIASES, *(_KUBERNETES_KINDS if re.search(_CLUSTER, text) else ())):
        named = [name for name in same if name in text and re.search(_as_word(name), text)]
        for name in named if len(named) == 1 or same in _KUBERNETES_KINDS else ():
            if re.search(_as_word(name), clause.lower()):
                others = (other for other in same if other != name and other.isascii())
                yield from (re.sub(f"(?i){_as_word(name)}", f" {other} ", clause) for other in others)


def _as_word(name: str) -> str:
    return f" ?(?<![a-z0-9_-]){name}s?(?![a-z0-9_-]) ?"
