"""Analysis of shell commands and errors: their programs, files and words, and the keys for finding related memories."""

TYPE_CHECKING = False  # the guard loads this module, and typing loads slowly
if TYPE_CHECKING:
    from collections.abc import Iterable

READ, NAMED, WARNED, WRITTEN, WORD = "read:", "name:", "warn:", "write:", "word:"
"""Prefixes of keys for: a cited file or folder, a code name, a command and a file with a warning, a word."""

_WRAPPERS = frozenset({
    "sudo", "doas", "env", "time", "nohup", "nice", "exec", "command", "xargs", "npx", "bunx", "uvx", "builtin", "then",
    "do", "else", "if", "while", "!", "{", "(", "timeout", "watch", "stdbuf", "setsid", "fvm", "xcrun",
})  # fmt: skip
_VALUED = frozenset({
    ("sudo", "-u"), ("sudo", "-g"), ("doas", "-u"), ("nice", "-n"), ("env", "-u"), ("env", "-C"), ("xargs", "-n"),
    ("xargs", "-I"), ("xargs", "-P"), ("xargs", "-L"), ("xargs", "-d"), ("timeout", "-s"), ("timeout", "-k"),
    ("watch", "-n"), ("npx", "-p"), ("conda", "-n"),
})  # fmt: skip
"""Pairs of a program and its option. A value follows the option."""

_INTERPRETERS = frozenset({
    "Rscript", "bash", "sh", "zsh", "torchrun", "python", "python3", "node", "ruby", "perl", "php", "deno", "source",
    ".",
})  # fmt: skip
_ELSEWHERE = frozenset({"docker", "docker-compose", "podman", "kubectl", "ssh", "heroku", "vagrant", "oc", "nerdctl"})
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
"""Verbs that name a command without its program, as in "never rebase main": statements of databases, and of git."""

_ACTS = (
    "apply approve cancel cordon delete deploy deregister destroy disable drain enable erase evict export flash import "
    "install invalidate migrate patch pause post promote prune publish purge put reboot release remove renew rename "
    "resize restart restore resume revoke rollback rotate scale shutdown start stop suspend sync terminate uninstall "
    "unlock update upgrade upload"
)
ACTS = frozenset(_ACTS.split())
"""Other verbs of this kind, of any program: "never restart nginx", "do not delete namespaces"."""

_REMOVAL = ("delete", "remove")
_REMOVES, _GIT_REMOVES = frozenset([*_REMOVAL, "rm", "rb", "del"]), frozenset({"-d", "-D", "--delete"})
"""Verbs for a removal: those of texts, the subcommands that mean the same, and flags of git."""

CLIENTS = frozenset({
    "psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "cqlsh", "clickhouse-client", "beeline", "hive", "duckdb",
    "spark-sql", "snowsql", "sqlplus", "trino", "presto", "impala-shell", "bq", "mongosh", "mongo",
})  # fmt: skip

WRITES = frozenset(
    {"rm", "mv", "cp", "tee", "truncate", "touch", "sed", "yq", "shred", "dd", "install", "ln", "unlink", "sponge"}
)
FINDS = frozenset({"find", "fd"})
_READS = FINDS | {
    "cat", "head", "tail", "sed", "grep", "egrep", "fgrep", "rg", "less", "more", "bat", "batcat", "nl", "awk", "wc",
    "ag", "ack", "tac", "diff", "jq", "yq", "perl", "vim", "xxd",
}  # fmt: skip
BY_HAND = WRITES | _READS | {"echo", "printf", "git", "curl", "wget"}
"""Programs whose output in a file counts as written by hand."""

_TASKLESS = _READS | {"git", "echo", "printf", "docker", "kubectl"}
_OF_MANAGER = frozenset(
    {"install", "i", "add", "remove", "rm", "link", "ln", "cp", "mv", "run", "exec", "dlx", "test", "x"}
)
"""Subcommands of package managers. Any other first word names a program of the project, as in `pnpm prisma`."""

_KNOWN = WRITES | _READS | CLIENTS | _INTERPRETERS | _ELSEWHERE | {
    "sudo", "systemctl", "service", "git", "make", "docker", "docker-compose", "kubectl", "helm", "npm", "pnpm", "yarn",
    "pip", "bundle", "rails", "composer", "crontab",
}  # fmt: skip
"""Programs that end the search for a program in a remote command. Only sudo does not end it."""

_GIT_WRITES = frozenset({"mv", "rm", "restore", "checkout"})
_GIT_READS = frozenset({"show", "diff", "blame", "grep", "log"})

_TRIED = 6


def run(command: list[str]) -> list[list[str]]:
    """Return the words of a simple command without wrappers such as sudo, and the words of each command that it starts.

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
    if out[0][0].startswith("python") and command[1:2] == ["-m"]:
        out += [command[2:], [f"{command[2]}.py", *command[3:]]] if command[2:] else []
    if out[0][0] in _INTERPRETERS:
        options = [n for n, word in enumerate(command) if word in ("-d", "-c") and out[0][0] == "php"]  # with values
        script = next((n for n, word in enumerate(command) if n and word[:1] != "-" and n - 1 not in options), 0)
        is_file = script and " " not in command[script] and any(char in command[script] for char in "./")
        out += [[base(command[script]), *command[script + 1 :]]] if is_file else []
    if out[0][0] == "ansible-playbook":
        out += [[base(word), *command[1:]] for word in command[1:] if word.endswith((".yml", ".yaml"))]
    out += [[stem, *words[1:]] for words in out for stem in _stems(words[0])]
    out += [
        command[n:]
        for n, word in enumerate(command[:_TRIED])
        if n and ((out[0][0] not in _TASKLESS and _is_task(word)) or command[n - 1] in _TASKS or word in _TASKS)
    ]
    if out[0][0] in _ELSEWHERE:
        out += _elsewhere(command)
    elif out[0][0] in ("npm", "pnpm", "yarn", "bun") and "exec" in command[2:_TRIED]:
        out += [command[command.index("exec") + 1 :]]
    elif out[0][0] in ("pnpm", "yarn", "bun") and command[1:2] and command[1] not in _OF_MANAGER:
        out += [command[1:]]
    return [words for words in out if words]


def _elsewhere(command: list[str]) -> list[list[str]]:
    """Return each part of a command that could be the command for another machine or a container."""
    at = next((n for n, word in enumerate(command) if word in ("exec", "run", "--", "ssh")), len(command))
    words = [n for n in range(at + 1, len(command)) if command[n][:1] != "-"][:_TRIED]
    out: list[list[str]] = []
    if command[1:2] == ["run"]:  # an image can be named after its program
        images = [n for n in words[:3] if command[n - 1][:1] != "-"]
        out = [[base(command[n].partition(":")[0]), *command[n + 1 :]] for n in images]
    inner = words[1:] if words[1:] and command[0] != "heroku" else words
    last = next((n for n in inner if command[n] in _KNOWN and command[n] != "sudo"), len(command))
    tried = [n for n in inner if n < last and " " not in command[n]]
    out += [command[n:] for n in tried] + [[base(command[n]), *command[n + 1 :]] for n in tried if "bin/" in command[n]]
    return out + run(command[last:])  # only one, so that nesting cannot multiply


def _stems(program: str) -> list[str]:
    """Return the name without `.sh` or `.py`, since texts often omit it; an empty list if there is no such suffix."""
    stem, dot, suffix = program.rpartition(".")
    return [stem] if stem and dot and suffix in ("sh", "py") else []


def _is_task(word: str) -> bool:
    """Return whether an argument looks like a task: lower-case words joined by colons, as in `db:migrate`."""
    return word.count(":") > 0 and word.replace(":", "").replace("-", "").replace("_", "").isalpha() and word.islower()


def base(word: str) -> str:
    """Return a program's name without folder and version; for a wrapper script, the name of the program that it runs.

    For example, `./mvnw` and `/usr/bin/mvn` give `mvn`.
    """
    name = word.rstrip("/").rpartition("/")[2] or word
    name = name.partition("@")[0] or name  # without the version after a package's name
    return _WRAPPER_SCRIPTS.get(name, name)


def parts(command: list[str]) -> list[list[str]]:
    """Return the commands that begin with a verb of `PARTS` or `ACTS` inside a command.

    The first are commands of git or of a database client. The others have all other words after the verb.
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
            for n, word in enumerate(words[:_TRIED])
            if n and word.lower() in PARTS
        ]
    found = [[words[0].lower(), *words[1:]] for words in found if words[0].lower() in PARTS]
    if command[0] in CLIENTS | _INTERPRETERS:  # code such as db.dropDatabase()
        code = " ".join(word for word in command[1:] if "(" in word).replace(";", " ").split()
        names = [word.partition("(")[0] for word in code if "(" in word][:_TRIED]
        found += [[name, *command[1:]] for name in names if name.replace(".", "").replace(":", "").isalnum()]
    if command[0] == "curl":  # the method of a request
        command = [word.removeprefix("-X").lower() if word.removeprefix("-X").isupper() else word for word in command]
    for n, word in enumerate(command[:_TRIED] if command[0] not in _TASKLESS or command[0] in _ELSEWHERE else ()):
        names = word.replace(":", "-").removeprefix("--").split("-") if "/" not in word and "@" not in word else []
        if n and (verb := next((name for name in names if name in ACTS or word in _REMOVES), "")):
            rest = [*filter(verb.__ne__, names), *command[1:n], *command[n + 1 :]]
            return [*found, *([one, *rest] for one in (_REMOVAL if verb in _REMOVES else (verb,)))]
    if command[0] == "git" and not _GIT_REMOVES.isdisjoint(command):
        found += [[one, *command[1:]] for one in _REMOVAL]
    return found


def inner(command: list[str]) -> str:
    """Return the command line inside a command, as in `sh -c LINE` or `ssh host LINE`. Empty if there is none."""
    if command[0] in _ELSEWHERE and " " in command[-1]:
        return command[-1]
    is_shell = command[0] in ("bash", "sh", "zsh")
    at = next((n for n, word in enumerate(command) if word[:1] == "-" and word.endswith("c")), 0) if is_shell else 0
    return command[at + 1] if 0 < at < len(command) - 1 else ""


def is_assignment(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.replace("_", "a").isalnum() and not name[:1].isdigit()


def written(command: list[str]) -> list[str]:
    """Return the arguments of a simple command that are paths which the command writes."""
    if command[0] == "git" and command[1:2] and command[1] in _GIT_WRITES:
        names = command[command.index("--") + 1 :] if "--" in command else command[2:]
        if command[1] == "restore" and "--staged" in command and "--worktree" not in command:
            return []
        is_file = command[1] != "checkout" or "--" in command
        return [word for word in names if word[:1] != "-" and (is_file or word.rpartition(".")[2].isalpha())]
    flagged = [command[n] for n in range(1, len(command)) if command[n - 1] in ("-o", "-out", "--output")]
    outputs = [word for word in flagged if "." in word or "/" in word]
    if outputs and command[0] not in WRITES:
        return outputs
    if command[0] == "perl" and any(word[:1] == "-" and "i" in word[1:4] for word in command[1:3]):
        return [word for word in command[2:] if "/" in word or "." in word][-1:]
    if command[0] not in WRITES or (command[0] in ("sed", "yq") and not any(word.startswith("-i") for word in command)):
        return command[1:2] if command[0] == "find" and "-delete" in command else []
    names = [word for word in command[1:] if not word.startswith("-")]
    return names[-1:] if command[0] in ("cp", "install", "ln") else names


def removed(command: list[str]) -> list[str]:
    """Return the arguments of a simple command that are paths which the command removes or renames."""
    program = command[1] if command[0] == "git" and command[1:2] else command[0]
    names = written(command) if program in ("rm", "mv", "unlink", "shred", "find") else []
    return names[:-1] if program == "mv" else names


def read(command: list[str]) -> list[str]:
    """Return the arguments of a simple command that could be files to read or terms to search for."""
    words = [word for word in command[1:] if word[:1] != "-"]
    if command[0] == "git" and words[:1] and words[0] in _GIT_READS:
        return [word.rpartition(":")[2] for word in words[1:]]
    return words if command[0] in _READS else []


def searched(pattern: str) -> list[str]:
    """Return the code names in the pattern of a search command, also the parts of dotted names."""
    import re

    found = re.findall(r"[A-Za-z_$][\w$]{2,}(?:\.[\w$]+)*", pattern[:500].replace("\\b", " ").replace("\\", ""))
    return [*found, *(part for name in found if "." in name for part in name.split("."))]


def pairs(command: list[str]) -> list[str]:
    """Return the keys for finding warnings about a command: the program alone, and the program with each argument."""
    words = [part for word in command[1:12] for part in dict.fromkeys((word, word.rpartition(":")[2])) if part]
    flags = filter(None, map(flag_key, words))
    code = [word for word in command[1:12] if " " in word or "(" in word]
    for kept in ("_-:", "_-:."):
        words += ["".join(char if char.isalnum() or char in kept else " " for char in word) for word in code]
    words = [part for word in words for part in word.split()[:12]]
    return [command[0].lower(), *(pair(command[0], word) for word in words), *flags]


def flag_key(word: str) -> str:
    """Return the key of a flag that few programs have, as `--no-verify`, or of a variable; empty for others."""
    flag = word.partition("=")[0]
    is_variable = is_assignment(word) and flag.isupper() and "_" in flag
    return flag if (flag[:2] == "--" and "-" in flag[3:]) or (flag[:2] == "-D" and len(flag) > 5) or is_variable else ""


def pair(program: str, word: str) -> str:
    """Return the key of a program with an argument. All flags share one key, since their order and spelling differ."""
    word = word.partition("@")[0] or word
    return f"{base(program)} {'-' if word[:1] == '-' else word.rstrip('/').removesuffix('s')}".lower()


def names_of(path: str) -> list[str]:
    """Return the names for finding memories about a path: the names of the file and of its folders."""
    return [part.casefold() for part in path.split("/")[-8:] if part.strip(".")]


def patterns_of(path: str) -> list[str]:
    """Return the patterns for finding memories about a file, such as `*.min.js` and `*.js`."""
    name = path.rpartition("/")[2].casefold()
    return ["*" + name[at:] for at, char in enumerate(name) if char == "."]


_USUAL_WORDS = (
    "error errors failed failure exit code status line file files traceback most recent call last command found could "
    "cannot unable invalid unexpected expected returned process during handling above exception raise import from "
    "module line warning fatal usage help option options argument arguments value values none true false null "
    "usr lib home local site packages python node_modules test tests build running directory permission denied such "
    "with that this have been does what when where which there please check make sure output stdout stderr find exist "
    "exists doesn didn isn wasn were about after before also into from your their more than then only some missing "
    "modulenotfounderror importerror typeerror valueerror keyerror attributeerror runtimeerror assertionerror named "
    "install installed package main index utils conftest setup settings config models scripts again first because "
    "every these those still never always must http https update updated github linux "
    "version versions requirements package-lock pyproject server client database "
    "defined undefined declared resolve execute container daemon response start started java already valid latest "
    "cmake commit local limit wrong connection connect process memory open contain contains matching using available "
    "node maven localhost location pending assets couldn syntaxerror oserror docs base third_party "
    "errcode errmsg errno supported unsupported x86_64 amd64 arm64 aarch64"
)
_USUAL = frozenset(_USUAL_WORDS.split())
_NOISE = frozenset(("error", "errors", "failed", "failure", "warning", "fatal", "exception", "exit", "code"))
_LONGEST, _MOST_WORDS, _MOST_HAN = 60, 64, 48
_ERROR_WORD = r"(?:[a-z]|_(?<!__))[a-z0-9_.\-]*[a-z0-9]|(?!20[1-3]\d(?!\d))\d{4,}(?![a-z\d])"  # a year is no code
_LIBRARY = r"(?<!\S)-l[a-z][a-z0-9_]+"
"""Expression for a library that a linker is given, such as -lssl."""

_HAN = r"[^\W\x00-\xff]"  # Chinese, among others. An exact set would compile slowly
_USUAL_HAN = (
    "数据库|服务器|找不到|不存在|时候|失败|错误|出错|报错|异常|无法|没有|文件|目录|不能|"
    "不了|运行|执行|启动|服务|连接|数据|构建|编译|打包|安装|测试|部署|请求|接口|系统|"
    "程序|命令|项目|工程|模块|参数|配置|环境|使用|进行|需要|可能|因为|由于|导致|问题|"
    "用户|版本|加载|读取|写入|打开|路径|名称|检查|信息|任务|处理|操作|当前|正在|完成|"
    "停止|退出|中止|终止|无效|未知|已经|存在|提示|出现|显示|遇到|返回|如果|多半|一般|"
    "其实|或者|那个|这个|一个|本地|远程|机器|脚本|代码|更新|依赖|创建|生成|输出|输入|"
    "查看|设置|重新|的|了|是|在|和|或|就|被|把"
)

_PROGRESS = (
    r"\s*(?:at |File \"|-- |(?:ok|PASS|✓|✔|\?)\s)|.*\bPASSED\b|.*(?:\.\.\.|…)\s*$|.*\b(?:INFO|DEBUG|Info)\b"
    r"|.*\bEntering directory |\W*(?:\d[\d:.,TZ+\s-]*\W*)?[A-Za-z][a-z]+ing\b(?!.*\w: )"
    r"|[+$>\s]*[a-z][\w./+-]*(?: [^-\s]\S*){0,2} --?\w"
)
"""Lines that report progress: of traces, of passed tests, with an ellipsis, of a level, as `Compiling x`, or a command
with options."""

_TROUBLES = (
    "error fail n't cannot unable missing denied refus mismatch invalid unsupported abort unknown unexpected exceed "
    "time conflict fatal must 错 失败 被 无法 不 没 缺 超"
)
_TROUBLE = (*_TROUBLES.split(), " no ", " not ", " none ", " too ", "due to")


_SOURCE = r"(?m)^([^\S\n]*File \".*\n)[^\S\n]+.*\n?|^[^\S\n]{0,9}(?:>[^\S\n]{0,9})?\d+ {0,9}\|.*\n?"
_SOURCE_OF_PYTEST = r"(?m)^(?:>|    ).*\n?"
"""Lines of source code in a trace of Python, in a frame with line numbers, and in a report of pytest."""


def troubles(output: str) -> str:
    """Return the lines of a failed call's output without source code and without those that report progress."""
    import re

    output = re.sub(_SOURCE, r"\1", output)
    if "\nE   " in output:
        output = re.sub(_SOURCE_OF_PYTEST, "", output)
    return "\n".join(line for line in output.split("\n") if not re.match(_PROGRESS, line) or _is_trouble(line))


def _is_trouble(text: str) -> bool:
    """Return whether a text contains a word about failure, or a code such as `OUT_OF_CORES`."""
    said = f" {text.lower()} "
    return any(word in said for word in _TROUBLE) or any("_" in word and word.isupper() for word in text.split())


class Failure:
    """The lines of an error, split for comparisons with many memories."""

    __slots__ = ("_phrases", "han", "lines", "sequence", "text", "tokens", "whole")

    def __init__(self, text: str) -> None:
        import re

        self.text = text
        self.lines = text.split("\n")
        self.tokens = _tokens(text)
        self.sequence = " ".join(re.findall(r"\w+", text.lower()))
        self.han = "" if text.isascii() else re.sub(_IN_HAN, "", text)
        self.whole = "".join(filter(str.isalnum, text.lower()))
        self._phrases: dict[int, set[tuple[str, ...]]] = {}

    def shares(self, text: str, size: int) -> "set[tuple[str, ...]]":
        """Return the phrases of `size` words that are also in a text, without those that contain `_NOISE`."""
        if size not in self._phrases:
            self._phrases[size] = _phrases(self.text, size)
        return {*filter(_NOISE.isdisjoint, self._phrases[size] & _phrases(text, size))}

    def shares_han(self, clause: str, is_named: bool) -> bool:
        """Return whether the error has a Chinese phrase of a clause: four characters, or half of its rare characters.

        Two characters must be rare. If the memory names the program, seven usual characters are also enough.
        """
        import re

        shared = total = 0
        for run in _han_runs(re.sub(_IN_HAN, "", clause)) if self.han else ():
            total += _count_rare(run)
            at = 0
            while at < len(run) - 1:
                size = 1
                while at + size < len(run) and run[at : at + size + 1] in self.han:
                    size += 1
                rare = _count_rare(run[at : at + size]) if size > 1 else 0
                named = run[at : at + size].replace("失败", "")  # `烧录失败` is only the name of an action
                if (len(named) > 3 and rare > 1) or (is_named and size > 6):
                    return True
                shared += rare
                at += size
        return shared > 3 and shared * 2 > total

    def contains(self, message: str, least: int) -> bool:
        """Return whether the error contains the words of a message, at least `least`, in their order.

        At each of the first two ellipses of a message, the error can have up to 8 other words.
        """
        import re

        split = re.split(r"…|\.\.\.|\bxxx\b", message, maxsplit=2)  # with many, the search would take exponential time
        parts = [" ".join(re.findall(r"\w+", part.lower())) for part in split]
        form = r"(?: \w+){0,8} ".join(filter(None, parts))
        count = len(" ".join(parts).split())
        return count >= least and re.search(rf"(?<!\w){form}(?!\w)", self.sequence) is not None

    def resembles(self, message: str) -> bool:
        """Return whether the error has most of a message's words, weighted by their length."""
        weights = {word: _weight(word) for word in _tokens(message)}
        found = [
            size for word, size in weights.items() if word in self.tokens or (len(word) > 7 and word in self.whole)
        ]
        return sum(found) >= _SAME_ERROR * sum(weights.values())  # `NameNode` can be "name node" in the error

    def lacks(self, described: str, shared: list[str]) -> bool | None:
        """Return whether the error is about a thing that is missing by a memory's words. None if it is undecided.

        False if the error does not contain its name. A name that it contains is removed from `shared`.
        """
        import re

        found = [match.groups() for match in re.finditer(_MISSING, described)]
        missing = [name for *names, _ in found for name in names if name and name.lower() not in _USUAL]
        places: list[int] = []
        for name in [*missing, *(name for *_, name in found if name)]:
            form = re.escape(name).replace(r"\.\.\.", r"\S*")
            at = [n for n, line in enumerate(self.lines) if re.search(rf"(?i)(?<![a-z0-9]){form}(?![a-z])", line)]
            is_word = name.isalpha() and name.islower() and f"`{name}`" not in described
            before = 0 if is_word else 2  # a list of missing files can have a heading
            reason = _ABSENT if name in missing else "(?i)need|requir|install"
            is_rare = name.lower() in shared or not is_word
            if is_rare and any(re.search(reason, "\n".join(self.lines[max(0, n - before) : n + 1])) for n in at):
                return True
            if name in missing:
                places += at
                shared[:] = [word for word in shared if word not in name.lower()]
        return False if missing and not places else None


def _weight(word: str) -> int:
    """Return the weight of a word in a message. Numbers and Chinese weigh more, usual words little."""
    if word.isdigit():
        return 4 * len(word)
    return 6 if not word.isascii() else 1 if word in _USUAL else len(word)


def _tokens(text: str) -> set[str]:
    """Return the words of a text and the pairs of Chinese characters."""
    import re

    words = re.findall(r"[a-z0-9_]+", text.lower())
    return {*words}.union(() if text.isascii() else re.findall(f"(?=({_HAN}{{2}}))", text)) - {"xxx"}


def _phrases(text: str, size: int) -> "set[tuple[str, ...]]":
    import re

    words = [_stem(word) for word in re.findall(r"[a-z0-9](?:[\w.-]*[a-z0-9])?", text.lower(), re.ASCII)]
    return {*zip(*(words[at:] for at in range(size)), strict=False)}


def _stem(word: str) -> str:
    return word.removesuffix("s").removesuffix("e").removesuffix("ed").removesuffix("ing")


def rare_words(text: str) -> list[str]:
    """Return the rare words of an error, for finding a memory with a remedy. The last word comes first.

    There are at most 64 words, and at most 64 pairs of Chinese characters.
    """
    import re

    found: list[str] = re.findall(r"(?i)\b(?:code|status|exit|http|error|errno|signal)\W{1,3}(\d{3})\b", text)
    found += re.findall(r"\b([45]\d\d)(?= [A-Z][a-z])", text)
    found += re.findall(_LIBRARY, text.lower())
    for word in re.findall(_ERROR_WORD, text.lower()):
        tidy = word.strip("._-")
        parts = tidy.split(".")
        names = parts if len(parts[-1]) > 5 else parts[1:]  # the last is a suffix
        found += [tidy, *(name for part in names for name in part.split("-") if len(name) > 5)]
        found += parts[:1] if parts[1:2] == ["so"] else []
    words = list(dict.fromkeys(word for word in reversed(found) if _may_be_rare(word)))[:_MOST_WORDS]
    return words + _han_pairs(text)[-_MOST_WORDS:]


def words_of(text: str) -> set[str]:
    """Return the words of a memory by which it could match an error."""
    import re

    words = set(re.findall(rf"{_ERROR_WORD}|(?<![\d.])\d{{3}}(?![\d.])", text.lower()))
    words |= {part for word in words for part in re.split(r"[.\-]", word)}
    return {*filter(_may_be_rare, words), *re.findall(_LIBRARY, text.lower())}


def keys_of(text: str) -> set[str]:
    """Return the words of a memory and its first pairs of Chinese characters, for the index."""
    return words_of(text).union(_han_pairs(text[:_MOST_HAN]))


def _han_pairs(text: str) -> list[str]:
    """Return the pairs of consecutive Chinese characters that belong to no usual word."""
    import re

    runs = [part for run in _han_runs(text) for part in re.split(_USUAL_HAN, run)]
    return list(dict.fromkeys(run[at : at + 2] for run in runs for at in range(len(run) - 1)))


def _han_runs(text: str) -> list[str]:
    import re

    return [] if text.isascii() else [run for run in re.findall(f"{_HAN}{{2,}}", text) if run > "\u2e80"]


def _may_be_rare(word: str) -> bool:
    stem, _, suffix = word.rpartition(".")
    is_usual = word in _USUAL or (stem in _USUAL and len(suffix) < 5 and suffix != "h")  # `main.py` is in most traces
    return (3 if word.isdigit() else 4) <= len(word) <= _LONGEST and not is_usual


def are_about(
    shared: list[str], error: Failure, text: str, programs: "Iterable[str]" = (), said: "Iterable[str]" = ()
) -> bool:
    """Return whether a memory shares enough with an error: an error code, two other words, or a phrase.

    `shared` are the rare words of both. A shared word counts only in the memory's first two clauses, since the rest is
    the remedy. It is also enough if the error has all rare words of the first clause, except words of the command,
    `said`. A phrase is three consecutive words, at least one of them in `shared`. If the memory names one of
    `programs` (those of the failed command), a phrase can also be two consecutive words, both in `shared`. An error
    that the memory quotes must match.
    """
    import re

    text = text.partition(">")[2] or text  # without the opening tag, whose attributes are quoted
    parts = re.split(_REMEDY, text)
    while len(parts) > 2 and _is_label(parts[0], programs):
        del parts[0]
    evidence = [*shared]
    certain = _matches_message(text, parts[0], error, evidence)
    if certain is None:
        certain = error.lacks(" | ".join([parts[0], *_messages(text)]), evidence)
    if certain is not None:
        return certain
    is_named = not {*re.findall(r"[a-z0-9-]+", text.lower())}.isdisjoint(programs)
    problem = words_of(parts[0]).difference(programs, said)
    evidence = [*words_of(" ".join(parts[:2])).intersection(evidence)]
    stems, pairs = {*map(_stem, evidence)}, {*_han_pairs(" ".join(parts[:2]))}
    least = 7 if len(re.findall(_HAN, parts[0])) > 6 else 0  # in Chinese, a short word can be the name of a program
    return (
        any(error.shares_han(part, is_named) for part in parts[:2])
        or (len("".join(problem)) > least and problem.issubset(evidence))
        or len([word for word in evidence if len(word) > 4]) + (not pairs.isdisjoint(shared)) > 1
        or any(_is_code_in(word, error.text, text) for word in evidence)
        or any(
            len(stems.intersection(phrase)) > 3 - size
            for size in ((3, 2) if is_named else (3,))
            for phrase in error.shares(text, size)
        )
    )


def _matches_message(text: str, problem: str, error: Failure, shared: list[str]) -> bool | None:
    """Return whether an error matches the memory's messages, else the error name in its first clause, `problem`.

    None if it is undecided.
    """
    import re

    messages = _messages(text)
    if any(error.contains(message, 2 if _tokens(message).intersection(shared) else 3) for message in messages):
        return True
    if messages:
        return None if any(map(error.resembles, messages)) else False
    codes = [match[0] for match in re.finditer(_ERROR_NAME, text) if not match[1]]
    if any(code in error.text for code in codes if "_" in code or code[-1].isdigit()):
        return True
    match = re.search(_ERROR_NAME, problem)
    return False if match and (match[1] or match[0]).rpartition("::")[2] not in error.text else None


_LONGEST_LABEL = 12
_HOSTS = (".com", ".io", ".org", ".net", ".cn", ".dev")


def _is_label(clause: str, programs: "Iterable[str]") -> bool:
    """Return whether a clause is only a name and usual words, as in "helm: upgrade failed" or "Redis 启动失败"."""
    words = keys_of(clause).difference(programs)
    is_name = clause.strip().isalpha() and clause.islower() if clause.isascii() else len(words) == 1
    return len(clause) <= _LONGEST_LABEL and (not words or is_name)


def _count_rare(run: str) -> int:
    import re

    return len(re.sub(_USUAL_HAN, "", run))


_OPENED, _CLOSED = r"(?:[ \"'`]|“|‘|「)*", r"(?:[ \"'`]|”|’|」)*"
_IN_HAN = rf"已|了|(?<={_HAN}){_OPENED}[A-Za-z0-9_./\\-]*{_CLOSED}(?={_HAN})"
"""Particles, and a name between Chinese characters."""

_FIND = "(?:find|locate|load|open|resolve)"
_NAME = "[A-Za-z0-9_@/+-][A-Za-z0-9_@./+-]{0,60}[A-Za-z0-9_]"
_MISSING = (
    rf"(?:缺少?|缺失|找不到|没有?找到|(?:can't|cannot|could not|couldn't|unable to|fails? to) {_FIND}"
    r"|\black(?:s|ing)?\b|\bmiss(?:es|ing)\b)"
    r"(?: (?:the|an?|any|its|file|dependency|module|package|library|command|header|plugin|program|alias)\b)*+"
    rf"(?:{_HAN}){{0,4}}{_OPENED}({_NAME})"
    rf"|({_NAME}){_CLOSED}:?{_CLOSED}(?:(?:is |are |was )?(?:missing|not (?:found|installed))|cannot (?:be found|open)"
    rf"|no such file|不存在|没装|未安装|不是内部|找不到(?!{_HAN}*{_OPENED}[A-Za-z0-9]))"
    rf"|(?:asks? for|wants?|needs?|requires?)(?! to\b)(?: (?:the|an?)\b)? ({_NAME})"
)
"""The name of a missing thing, as the object or the subject, and the name of a needed thing."""

_ABSENT = (
    r"(?i)not? (?:\w+ ){0,2}(?:found|such|installed|specified|set|exist|module)|cannot|missing|must install|needed"
    rf"|(?:not |n't |failed to )(?:exist|{_FIND})|unknown|ENOENT|找不到|没有|不存在|缺|未安装|不是内部"
)

_REMEDY = (
    r"[，。；：:;—→]|(?<!\.)\.(?=\s)|,(?![\s\d])|\b(?:because|until|unless|since|means|is a sign)\b"
    r"|是因为|说明|意味着|表示"
)
"""The end of the part of a memory that describes the error."""

_ENGLISH = r"[A-Za-z](?:[ !#-+\--:<-\xff]|…|’|;(?= \w)){4,90}"
_REPORTED = rf"(?:报|提示|出现|显示|遇到)[ :：]*({_ENGLISH})(?:或者? ?({_ENGLISH}))?"
"""The text of an error in a memory after a Chinese word of reporting, or two alternatives."""

_QUOTED = (
    r"(?<![\w=])(?:'(?=[^'\n]{0,90} )((?:[^'\n]|(?<=\w)'(?=\w)){6,90}?)'(?!\w)|\"(?=[^\"\n]{0,90} )([^\"\n]{6,90})\")"
    r"|“([^”\n]{4,90})”|「([^」\n]{4,90})」|[(（](?=[^)）\n]{0,90} )((?:[^)）\n\"](?!，)){6,90})[)）]"
)
_ERROR_NAME = (
    r"\b(?:ERR_\w+|E[A-Z]{4,}|[A-Z]\w+::[A-Z]\w+|[A-Z]\w*(?:Error|Exception)|[A-Z]{2,}-?\d{3,}"
    r"|(?i:http|status|code|error)[ =:](\d{3,5}))\b"
)
_SAME_ERROR = 0.65
"""An error with at least this share of the words of a quoted error counts as that error."""


def _messages(text: str) -> list[str]:
    """Return the errors that a memory quotes, reports or adds in brackets. Quotations in the remedy are left out."""
    import re

    found: list[str] = []
    for match in [*re.finditer(_QUOTED, text), *re.finditer(_REPORTED, text)]:
        before = text[: match.start()]
        if (found or not _is_trouble(match[0])) and (";" in before or "；" in before):
            continue
        if match[0][0] in "(（" and (not _is_trouble(match[0][1:-1]) or re.search(_ERROR_NAME, before)):
            continue
        least = 3 if match.re.pattern == _REPORTED or re.search(r"。|\.\s", before) else 2
        found += [one for one in match.groups() if one and ("_" in one or len(_tokens(one)) >= least)]
    return found


def _is_code_in(word: str, error: str, text: str) -> bool:
    """Return whether a word with digits or signs, or one spelled as in a memory's text, is a code in an error.

    Such a spelling is `EPipe`, or `EPIPE` with no other word in capitals next to it.
    """
    import re

    paths = re.findall(rf"[\w./-]+/{re.escape(word)}", text.lower())
    if paths and not any(path in error.lower() for path in paths):
        return False  # a file of the same name in another folder
    if not word.isalpha():
        return not (word.endswith(_HOSTS) or (re.fullmatch(r"[a-z]+\d\d?", word) and word in text))  # as `psycopg2`
    at = error.lower().find(word)
    found = error[at : at + len(word)]
    if len(found) < 5 or found not in text:
        return False
    if not found.isupper():
        return any(char.isupper() for char in found[1:])
    return not re.search(rf"[A-Z]{{2,}} {re.escape(found)}\b|\b{re.escape(found)} [A-Z]{{2,}}", error)
