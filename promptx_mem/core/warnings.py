"""Warnings in memories: the parts of a text that forbid something, and the commands and files that they forbid.

A warning names a program with its subcommand and flags, and perhaps a target: an environment, a branch, a path or
another name. It does not forbid a command with a different target.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from promptx_mem.core.acts import WARNED, WRITTEN, base, is_assignment, names_of, pair, run

_LEADING = frozenset({
    "python", "python3", "node", "bash", "sh", "docker", "npm", "pnpm", "yarn", "bun", "gh", "aws", "gcloud", "az",
    "kubectl", "git", "systemctl", "deno", "php", "rails", "cargo", "helm", "brew", "apt", "apt-get", "pip", "prisma",
    "alembic", "django-admin", "mix", "heroku", "fly", "flyctl", "vercel", "supabase",
})  # fmt: skip
"""Programs that a warning forbids only together with a subcommand."""

_PREPOSITIONS = (
    "on in to for with against from at into over via inside outside within onto toward towards under through below "
    "beneath hit"
)
_OTHER_WORDS = (
    "a an the this that these your our my any all during before after without by again directly manually here there "
    "unless until when while and or if because since as it is are be was not ever anymore except but instead than of "
    "once locally yourself anything anywhere twice must should can will would has have command commands alone between"
)
_PLACED = frozenset(_PREPOSITIONS.split())
_PROSE = _PLACED.union(_OTHER_WORDS.split())
_RUNS = frozenset({"run", "use", "call", "execute", "start", "running", "using", "invoke"})
_ROOT = frozenset({"sudo", "doas"})
_SHOWS = frozenset({
    "help", "--help", "-help", "--dry-run", "--dryrun", "--simulate", "--version", "--list", "--list-hosts",
    "--list-tasks", "--check", "--diff", "--show", "--status", "--noop", "--syntax-check", "--continue", "--abort",
    "--skip", "--quit", "list", "ls", "show", "status", "view", "describe", "get", "info", "log", "diff",
})  # fmt: skip
"""Arguments with which a command only shows something, or continues or ends an earlier command."""

_SAME = (
    ("prod", "production", "prd", "live", "生产", "线上", "正式"), ("main", "master", "trunk", "主分支"),
    ("staging", "stage", "stg", "预发"), ("dev", "development", "develop", "开发"), ("release",),
    ("test", "testing", "qa", "uat", "测试"), ("local", "localhost", "sandbox", "preview", "demo"),
    ("feature", "feat", "fix", "hotfix"),
)  # fmt: skip
"""Environments and branches: each group lists the names of one of them."""
_WHICH = {word: number for number, same in enumerate(_SAME) for word in same}

_NEVER = (
    r"\b(?:never|do not|don['’]?t|must not|mustn['’]?t)\b(?! (?:forget|hesitate|need|have to|mind|worry|require))"
    r"|不要(?![忘紧求])|禁止|切勿"
)
_CLAUSES = (
    r"(?i)[;；。！？!\n，]|,(?=[\s\u3400-\u9fff])|\.(?=\s|$)|\bbut\b|\binstead\b|(?<=`) (?:always )?use (?=`)"
    r"|\brather\b|而是|改用|请用"
)
_PRONOUN = r"(?i)\b(?:it|them|this|these|those|that)(?: file| folder| directory)?s?\W*$"
"""The end of a clause with a pronoun for the files that the clause before names."""

_CIRCUMSTANCE = r"(?i)\b(?:before|after|until|while|when|because|since)\b"
_RUNNING = (
    rf"(?:{_NEVER}) (?:\w+ly |ever )?(?:run|use|call|execute|invoke|start|rm|mv|cp|chmod|git|rsync|docker|psql)\b"
    r"|执行|运行|使用|调用|跑"
)
_WITHOUT = r"(?i)\bwithout\b|\bunless\b|\bexcept\b|除非|除了"
_LACKING = r"不[带加] ?(-\S+) ?的?"
_ARGUMENT = (
    r"(?i)^ (?:an? |the )?(?:[\w'’]+ ){0,2}(?:name|argument|path|filter|package|file|target|plan|version|tag)s?\b"
)
_BARE = (
    r"(?i)\bbare\b|\b(?:whole|entire|full) (?:suite|project|repo\w*|workspace|tree|folder|directory|set)\b|全量|整个"
)
"""A clause that forbids a command only if nothing limits it."""

_SYSTEM = r"(?i)\bsystem(?:'s|-wide)?\b|\bglobal(?:ly)?\b|系统|全局"
_ISOLATED = r"venv|virtualenv|/envs?/|activate$|^conda$|^--user$|^--prefix"
"""Words of a command that installs into an environment of its own, not into the system's."""

_TOKENS = r"`([^`\n]+)`|([A-Za-z0-9_.@~+/:=*\-]+)"
_CHINESE_RUNS = ("执行", "运行", "使用", "调用", "用", "跑")
_CHINESE_PLACE = "[在对到向往给把将][^\\s,，]{0,6}$"
_CHINESE_OR = frozenset(("和", "或", "、", "或者", "以及"))
_FOLDER = re.compile(r"(?i)\s*(?:目录|文件夹|folder\b|directory\b|dir\b)")
_NOUN = re.compile(
    r"(?i)(?<![-\w])(?:port|topic|bucket|branch|tag|database|table|namespace|schema|cluster|workspace|queue|index) $"
)
"""Nouns before the name of a target, as in "branch release"."""

_NOUN_AFTER = re.compile(r"\s?(?:标签|分支|数据库|库|表|命名空间|集群)")
_VERBS = r"\b(?:DROP|TRUNCATE|DELETE|UPDATE|INSERT|ALTER|OPTIMIZE|VACUUM|REINDEX|FLUSHALL|FLUSHDB)\b(?: [A-Z]{3,}\b)*"
"""Verbs of databases. A command without a verb that a clause names is not forbidden."""

_LEVELS = frozenset({"aws", "gcloud", "az", "gsutil", "doctl", "gh", "flyctl"})
"""Programs whose subcommands consist of several words."""

_DRY = {"rsync": "n", "git clean": "n", "apt-get": "s", "make": "n"}
"""Short flags with which a command only shows its effect."""

_PLAIN = re.compile(
    r"(?i)(?:pre|post|non|re|co|un|long|short|read|write|built|third|high|low|open|self|old|new)-[a-z]+$"
)


class Command(NamedTuple):
    """A command that will run. `words`: from the program on; `line`: all words; `place`: its folder in the project."""

    words: list[str]
    line: list[str]
    place: str = ""


def clauses(text: str) -> list[str]:
    """Return the parts of a text that forbid something."""
    out: list[str] = []
    before = ""
    for part in filter(None, re.split(_CLAUSES, text)):
        if out and re.match(rf"\s*(?:{_WITHOUT[4:]})", part, re.IGNORECASE):
            out[-1] += f" {part}"
            continue
        if never := re.search(_NEVER, part, re.IGNORECASE):
            clause = part[: never.end()] + re.split(_CIRCUMSTANCE, part[never.end() :])[0]
            refers = re.search(_PRONOUN, clause) or not re.search("[A-Za-z]{2}", clause)
            files = [word for word in before.split() if "/" in word or "." in word.strip(".,")] if refers else []
            out.append(" ".join([clause, *files]))
        before = part
    return out


def keys(clauses: Iterable[str]) -> set[str]:
    """Return the keys for finding the commands, files and folders that clauses could forbid (see core/acts)."""
    found: set[str] = set()
    for clause in clauses:
        found |= {WRITTEN + name for path, _ in _files(clause) for name in names_of(path)[-1:]}
        for phrase in _phrases(clause):
            for words in (phrase, *run(phrase)[:1]):
                found |= {WARNED + base(words[0]).lower()} if len(words) == 1 else set()
                for at, word in enumerate(words):
                    subcommands, _ = _subcommands(words[at + 1 :])
                    found |= {WARNED + pair(word, subcommand) for subcommand in subcommands}
                    if not subcommands and word not in _LEADING and word.lower() not in _PROSE:
                        found.add(WARNED + base(word).lower())
    return found


def _phrases(clause: str) -> list[list[str]]:
    """Return the sequences of words in a clause that could be a command. Text in backticks is one sequence."""
    out: list[list[str]] = [[]]
    last = 0
    for match in re.finditer(_TOKENS, clause):
        gap = clause[last : match.start()].strip()
        last = match.end()
        if match[1] is not None:
            out += [match[1].split(), []]
            continue
        if gap in _CHINESE_OR:
            out[-1].append("or")
        elif gap:
            out.append(["run"] if gap.endswith(_CHINESE_RUNS) else [])
        out[-1].append(match[2].rstrip(".:"))
    return [words for words in out if words]


def _subcommands(rest: list[str]) -> tuple[list[str], list[str]]:
    """Return the subcommands after a program, several if joined by "or" or "and", and the words after them."""
    if rest[:1] == ["to"] and not any(map(_kind, rest[1:2])):
        rest = rest[1:]  # use git to push
    if not rest or rest[0].lower() in _PROSE:
        return [], rest
    found, rest = rest[:1], rest[1:]
    while len(rest) > 1 and rest[0].lower() in ("or", "and"):
        found, rest = [*found, rest[1]], rest[2:]
    return found, rest


def forbids(clauses: Iterable[str], command: Command) -> bool:
    """Return whether a clause forbids a command: program, subcommand, flags and target must match."""
    return any(_forbids(clause, command) for clause in clauses)


def _forbids(clause: str, command: Command) -> bool:
    main, *exceptions = re.split(_WITHOUT, clause)
    exceptions += re.findall(_LACKING, main)
    main = re.sub(_LACKING, " ", main)
    if command.words[0] == "dd":  # it only reads this file
        words, line = ([word for word in some if word[:3] != "if="] for some in (command.words, command.line))
        command = command._replace(words=words, line=line)
    if _is_excepted(exceptions, command) or _only_shows(command.words, main) or _is_limited(main, command):
        return False
    written = " ".join(command.words).upper()
    if not all(word in written for verb in re.findall(_VERBS, main) for word in verb.split()):
        return False
    if not all(_is_given(word, words[:at], command) for words in _phrases(main) for at, word in enumerate(words)):
        return False
    quoted = [part.split() for part in re.findall(r"`([^`\n]+)`", main)]
    plain = _phrases(re.sub(r"`[^`\n]+`", "，", main))
    named = [words for words in quoted if _is_quoted(words, command)]
    named += [words for phrase in plain for words in _named(phrase, command)]
    if named:
        return any(_concerns(main, words, command) for words in named)
    program = command.words[0]
    is_named = program not in _LEADING and any(
        program == base(word).lower() and not _subcommands(words[at + 1 :])[0]
        for words in plain
        for at, word in enumerate(words)
    )
    return (
        is_named
        and any(_kind(one) and _hits(one, command, []) for one in _targets(main, [program]))
        and (_concerns(main, [program], command))
    )


def _only_shows(words: list[str], clause: str) -> bool:
    shown = [word for word in words[1:] if word[:1] == "-"] + [word for word in words[1:] if word[:1] != "-"][:3]
    found = {word.partition("=")[0] for word in shown} & _SHOWS
    if any(not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", clause) for word in found):
        return True
    dry = _DRY.get(words[0], "") or _DRY.get(" ".join(words[:2]), "")
    return bool(dry) and any(word[:1] == "-" != word[1:2] and word[1:].isalpha() and dry in word for word in words)


def _is_given(word: str, before: list[str], command: Command) -> bool:
    """Return whether a command has a flag or an assignment of a clause; True for any other word."""
    if is_assignment(word):
        return word in command.line
    is_flag = len(word) > 1 and word[:1] == "-" and word.strip("-")[:1].isalpha()
    is_suffix = before[-1:] == ["the"] and word[:2] != "--"  # as in "the -sys crates"
    return not is_flag or is_suffix or _has(word, command.words) or _has(word, command.line)


def _is_limited(clause: str, command: Command) -> bool:
    """Return whether a clause is only about a bare command, or the system's packages, and the command is limited."""
    if re.search(_SYSTEM, clause) and any(re.search(_ISOLATED, word) for word in (*command.line, command.words[0])):
        return True
    arguments = [word for word in command.words[2:] if word[:1] != "-" and word not in clause.split()]
    return bool(arguments and re.search(_BARE, clause))


def _is_excepted(exceptions: list[str], command: Command) -> bool:
    flags = [word for part in exceptions for phrase in _phrases(part) for word in phrase if word[:1] == "-"]
    targets = [target for part in exceptions for target in _targets(part, [])]
    is_limited = sum(word[:1] != "-" for word in command.words) > 2
    if is_limited and any(re.search(_ARGUMENT, part) for part in exceptions):
        return True
    return any(_has(word, command.words) for word in flags) or any(_hits(target, command, []) for target in targets)


def _is_quoted(words: list[str], command: Command) -> bool:
    """Return whether a command has all the words of a command in backticks, apart from placeholders."""
    needed = [word for word in words if word in _ROOT or is_assignment(word)]
    for found in run(words):
        given = [word for word in found if word[:1] not in ("<", "[", "…", "{", "$") and word not in ("...", "*")]
        if given and given[0].lower() == command.words[0].lower():
            return all(_has(word, command.words) for word in given[1:]) and all(word in command.line for word in needed)
    return False


def _named(words: list[str], command: Command) -> Iterator[list[str]]:
    """Yield the words that name a command in a phrase: the program, its subcommand and flags."""
    program = command.words[0]
    for at, word in enumerate(words):
        if program not in (base(word), base(word).lower()):
            continue
        before = [other for other in words[:at] if other in _ROOT or is_assignment(other)]
        if not all(other in command.line for other in before):
            continue
        subcommands, rest = _subcommands(words[at + 1 :])
        if not subcommands:
            is_run = at and words[at - 1].lower() in _RUNS and program not in _LEADING
            if is_run or program.endswith((".sh", ".py", ".js", ".rb")):
                yield [word]
            continue
        stop = next((n for n, other in enumerate(rest) if other.lower() in _PROSE), len(rest))
        if program == "kubectl" and rest[stop:] and rest[stop].lower() in ("a", "an"):
            rest, stop = [*rest[:stop], *rest[stop + 1 :]], stop + 1  # the kind of object
        first = next((other for other in rest[:stop] if other[:1] != "-"), "")
        is_level = program in _LEVELS
        needed = [
            other
            for other in rest[:stop]
            if other[:1] == "-" or (is_level and _is_level(other)) or (other == first and not _kind(other))
        ]
        for subcommand in subcommands:
            is_target = _kind(subcommand) == "path" and subcommand not in command.words
            if (is_target or _has(subcommand, command.words)) and all(_has(other, command.words) for other in needed):
                yield [word, *([] if is_target else [subcommand]), *needed]


def _is_level(word: str) -> bool:
    """Return whether a word can be a subcommand, as "terminate-instances"."""
    return word.replace("-", "").isalpha() and word.islower()


def _has(word: str, words: list[str]) -> bool:
    """Return whether a command has an argument. Short flags match in any order, and `--force` also matches `-f`."""
    arguments = words[1:]
    if word.removeprefix("./").rstrip("/") in [argument.removeprefix("./").rstrip("/") for argument in arguments]:
        return True
    if any(argument.endswith(f":{word}") for argument in arguments):
        return True  # a task of a Gradle project
    if "*" in word:
        return any(_matches(word, argument) for argument in arguments)
    short = {char for argument in arguments if argument[:1] == "-" and argument[1:2] != "-" for char in argument[1:]}
    if word[:1] == "-" and any(argument.startswith(f"{word}=") for argument in arguments):
        return True
    if word[:1] == "-" != word[1:2] and len(word) <= 5 and word[1:].isalpha():
        long = {argument[2:3] for argument in arguments if argument in ("--force", "--recursive")}
        return set(word[1:]) <= short | long
    return word == "--force" and "f" in short


def _concerns(clause: str, named: list[str], command: Command) -> bool:
    """Return whether a command has a target that a clause names, or has no target that differs.

    `named` are the words of the clause that name the command.
    """
    hits: dict[str, list[bool | None]] = {}
    for target in _targets(clause, named):
        hits.setdefault(_kind(target), []).append(_hits(target, command, named))
    return all(True in some or False not in some for some in hits.values())


def _targets(clause: str, named: list[str]) -> list[str]:
    """Return the environments, branches, paths and other names in a clause that follow a preposition or the command."""
    found: list[str] = [word for same in _SAME for word in same if not word.isascii() and word in clause]
    last, placed, follows = 0, 0, False
    for match in re.finditer(_TOKENS, clause):
        gap = clause[last : match.start()].strip()
        last = match.end()
        is_placed = re.search(_CHINESE_PLACE, gap) is not None
        placed = 4 if is_placed or not (named or found) else placed - 1
        is_quoted = bool(match[1]) and " " not in match[1]
        is_named = not match[1] and bool(_NOUN.search(clause[: match.start()]) or _NOUN_AFTER.match(clause, last))
        for word in (part.rstrip(".:") for part in (match[1] or match[2]).split()):
            if word.lower() in _PROSE or word in named:
                placed = 5 if word.lower() in _PLACED else placed
                follows = word in named or (follows and word.lower() in ("or", "and", "a", "an", "the", "any"))
            elif not follows and _is_adjective(word, clause[: match.start()], clause[last:]):
                continue
            elif word[:1] != "-" and (is_named or ((placed > 0 or follows) and (is_quoted or _kind(word)))):
                found.append(word)
    return found


def _is_adjective(word: str, before: str, after: str) -> bool:
    """Return whether a word with a hyphen describes the plain word that follows, as in "the cutting-table PC"."""
    following = re.match(r" ([A-Za-z]+)", after)
    is_plain = before.endswith((" the ", " a ")) and "-" in word and word.replace("-", "").isalpha()
    return is_plain and following is not None and not _NOUN.search(f"{following[1]} ")


def _kind(word: str) -> str:
    """Return the kind of a target: "place" for an environment or branch, "path", "name"; empty for a plain word."""
    if word.lower() in _WHICH:
        return "place"
    if "/" in word and "://" not in word:
        return "path"
    is_code = any(char in "._:@=-" for char in word[1:-1]) or any(map(str.isdigit, word[1:]))
    return "name" if is_code and not word[:1].isdigit() and word[:1] != "-" and not _PLAIN.match(word) else ""


def _hits(target: str, command: Command, named: list[str]) -> bool | None:
    """Return True if a command has the target, False if it has a different one, None if it has none."""
    words = (word.partition("=")[2] if word[:1] == "-" else word for word in command.words[1:])
    others = [word for word in words if word and word not in named]
    kind = _kind(target)
    if kind == "place":
        shown = re.findall(r"[a-z]+", " ".join([*command.line, command.place]).lower())
        which = {_WHICH[word] for word in shown if word in _WHICH} - {_WHICH.get(word) for word in named}
        if _WHICH[target.lower()] in which:
            return True
        is_other = len(others) > 1 or not {"checkout", "switch"}.isdisjoint(command.line)
        is_branch = command.words[0] == "git" and target.lower() in _SAME[1] and is_other
        return False if which or (is_branch and "HEAD" not in others) else None
    name = target.casefold().removeprefix("./").rstrip("*").strip("/")
    if kind == "path" and not target.startswith("-"):
        places = [_joined(command.place, word).casefold() for word in others]
        if any(_is_below(place, name) or _is_below(name, place) for place in places):
            return True
        here = command.place.casefold()
        return False if places or not (_is_below(here, name) or _is_below(name, here)) else None
    parts = [part for word in (*command.line, command.place) for part in re.split(r"[=:,@/]", word.casefold())]
    form = rf"(?<![\w-]){re.escape(name)}" + ("" if "*" in target else r"(?!\w|-[a-z])")
    if name in parts or (kind and any(re.search(form, word.casefold()) for word in command.line)):
        return True
    return False if others or (target.isupper() and "_" in target) else None


def _matches(form: str, text: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, form.split("*"))), text) is not None


def _joined(folder: str, path: str) -> str:
    """Return the path of `path` inside `folder`, with `.` and `..` resolved."""
    out: list[str] = []
    for part in [*folder.split("/"), *path.split("/")]:
        out = out[:-1] if part == ".." else [*out, part] if part not in ("", ".") else out
    return "/".join(out)


def _is_below(path: str, folder: str) -> bool:
    return folder in ("", ".") or f"/{folder}/" in f"/{path}/"


def _files(clause: str) -> Iterator[tuple[str, bool]]:
    """Yield each path that a clause forbids to write, and whether it is a folder."""
    runs = re.search(_RUNNING, clause, re.IGNORECASE) is not None
    has_file = False
    for match in re.finditer(_TOKENS, re.split(_WITHOUT, clause)[0]):
        words = (match[1] or match[2]).split()
        if has_file and re.search(r"(?i)\b(?:in|under|inside|of) $", clause[: match.start()]):
            continue  # the folder of the file before
        folder = _FOLDER.match(clause, match.end()) if len(words) == 1 else None
        if folder and re.match("[里中下内]的 ?[`A-Za-z0-9_]", clause[folder.end() :]):
            continue  # the folder of the file that follows
        is_named = bool(folder)
        for word in words:
            path = word.rstrip(".:").removeprefix("./")
            bare = path.rstrip("*").strip("/") if path.endswith(("/", "/*", "/**")) else path.lstrip("/")
            if bare and ("/" in path or "." in bare.strip(".") or is_named):
                has_file = has_file or "." in bare.strip(".")
                is_folder = is_named or path.endswith(("/", "*")) or "." not in bare.rpartition("/")[2]
                if not (runs and (is_folder or len(words) > 1)):  # the folder or argument of a command
                    yield bare, is_folder


def forbids_file(clauses: Iterable[str], written: str) -> bool:
    """Return whether a clause forbids to write a file: it names the file, or a folder that contains it."""
    whole = f"/{written.casefold().strip('/')}"
    for clause in clauses:
        for path, is_folder in _files(clause):
            name = path.casefold()
            if whole.endswith(f"/{name}") or (is_folder and f"/{name}/" in whole):
                return True
            if "*" in name and _matches(f"*/{name}", whole):
                return True
    return False
