"""Warnings in memories: the parts of a text that forbid something, and the commands and files that they forbid.

A warning names a program with its subcommand and flags, and perhaps a target: an environment, a branch, a path or
another name. It does not forbid a command with a different target.
"""

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from promptx_mem.core.acts import CLIENTS, PARTS, WARNED, WRITES, WRITTEN, base, is_assignment, names_of, pair, run

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
    "once locally yourself anything anywhere twice must should can will would has have alone between suite tool"
)
_PLACED = frozenset(_PREPOSITIONS.split())
_PROSE = _PLACED.union(_OTHER_WORDS.split())
_NEVER_WORDS = frozenset({"never", "not"})
_RUNS = _NEVER_WORDS | {"run", "use", "call", "execute", "start", "running", "using", "invoke"}
_SKIPPED = frozenset(["the", "a", "full", "whole", "bare", "plain", "npx", "bunx", "uvx", "sudo"])
"""Words between a verb of `_RUNS` and the program."""

_WHOLE = "$|here|anymore|or |in this"  # after a program all of whose commands are forbidden: use yarn here
_ROOT = frozenset({"sudo", "doas", "xargs", "uv"})
_SHOWS = frozenset({
    "help", "--help", "-help", "--dry-run", "--dryrun", "--simulate", "--version", "--list", "--list-hosts",
    "--list-tasks", "--check", "--show", "--status", "--noop", "--describe", "--syntax-check", "--skip", "--continue",
    "--abort", "--quit", "--collect-only", "list", "ls", "show", "status", "view", "describe", "get", "info",
    "log", "diff",
})  # fmt: skip
"""Arguments with which a command only shows something, continues or ends an earlier command, or stashes."""

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
    r"|不要(?![忘紧求])|禁止|切勿|严禁|请勿|千万别"
)
_CLAUSES = (
    r"(?i)[;；。！？!\n，]|,(?=[\s\u3400-\u9fff]|[\w.-]+ ?[\u3400-\u9fff])|(?<=[^\s.])\.(?=\s|$)|\bbut\b"
    r"|(?<=`) (?=(?:always )?use `)|(?=\b(?:instead|rather)\b|而是|改用|请用)"
)
_REDIRECT = r" [<>|] "
_ALLOWS = (
    r"(?i)\b(?:use|only|instead|rather|fine|ok(?:ay)?|allowed)\b"
    r"|只|(?<![共不])用(?!户|来)|[走加连放到] ?[`A-Za-z0-9-]|可以|交给|没问题"
)
"""Words of a part that allows or recommends something else."""

_PRONOUN = (
    r"(?i)\b(?:it|them|this|these|those|that)(?: file| folder| directory)?s?\W*$"
    rf"|(?:{_NEVER}) (?:\w+ ){{1,3}}?(?:it|them|there)\b"
)
"""A pronoun for the files or the command that the clause before names."""


def _with_program_first(match: re.Match[str]) -> str:
    """Return "never run PROGRAM VERB OBJECT" for "never VERB OBJECT with PROGRAM"."""
    never, verb, what, program = match.groups()
    if program in CLIENTS and verb.lower() in PARTS:
        return f"{never} run {verb} {what}"
    is_alone = program in CLIENTS or verb in program
    return f"{never} run {program} on {what}" if is_alone else f"{never} run {program} {verb} {what}"


_WITH_PROGRAM = (
    f"(?i)({_NEVER}) ((?!(?:{'|'.join(_RUNS)})\\b)\\w+) ((?!-).+?) (?:with|using|via|in(?= psql| mysql)) "
    f"`?([a-z][\\w-]+)`?(?=$| (?:{'|'.join(_PROSE)})\\b)"
)
_BARE_FILE = r"[A-Z][A-Z_]{3,}|[A-Z][a-z]+file"  # a name without a suffix, as LICENSE and Makefile
_FILE_IN = rf"\b(the|edit|change|touch|modify) ([\w-]+\.\w+|{_BARE_FILE}) (?:in|under) (?=\S*/)([\w./-]*[\w-])/?"
_REWORDED: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"(?i)\bforce[- ]push(?:ing)?\b", "git push --force"),
    (r"强推", "git push --force "),
    (r"用 ?`?([a-z][\w-]+)`? ?(?:跑|执行|运行) ?(?=[A-Za-z])", r"执行 \1 "),
    (r"(?i)^(.*?)\bmust (?:not|never) be (?:used|run|called|executed|invoked)\b(?: ?:.*)?", r"never run \1"),
    (_WITH_PROGRAM, _with_program_first),
    (r"(?i)\b(do|must)n['’]t\b", r"\1 not"),
    (_FILE_IN, r"\1 \3/\2"),
)
"""Other wordings of a prohibition, and the usual wording: "never run", the program, the rest."""

_CIRCUMSTANCE = (
    r"(?i)\b(?:before|after|until|while|when|because|since)\b(?! running)"
    r"|(?<=`) ?[:—–] |[:—–] ?(?=(?:it|its|the|an?|this|that|these|they|we|our|all|last|one)\b)"
)
"""The beginning of a circumstance or a reason."""

_RUNNING = (
    rf"(?:{_NEVER})[用再]? ?(?:\w+ly |ever )?(?:run|use|call|execute|invoke|start|rm|mv|cp|chmod|rsync|psql"
    rf"|{'|'.join(_LEADING)})\b|执行|运行|使用|调用|跑"
)
_WITHOUT = (
    r"(?i)\bwithout\b|\bwith no\b|\bunless\b|\bexcept\b"
    r"|不带(?=[包参文路名])|除非|除了|只能|只允许"
)
_SUCH_AS = r"例如|比如|尤其|特别是|such as|for example|especially|above all|in particular|e\.g\."
_LACKING = r"不[带加] ?(-\S+) ?的?"
_ARGUMENT = (
    r"(?i)^ (?:naming|giving|passing|(?:an? |the )?(?:[\w'’]+ ){0,2}"
    r"(?:name|argument|path|filter|package|file|target|plan|version|tag)s?)\b|^ ?(?:包名|名字|参数|文件|路径)"
)
_BARE = (
    r"(?i)\bbare\b|\b(?:whole|entire|full) (?:\w+ )?(?:suite|project|repo\w*|workspace|tree|folder|directory|set)\b"
    r"|全量|整个"
)
"""A clause that forbids a command only if nothing limits it."""

_SYSTEM = r"(?i)\bsystem(?:'s|-wide)?\b|\bbase\b|\bglobal(?:ly)?\b|系统|全局"
_ISOLATED = r"venv|virtualenv|/envs?/|activate$|^conda$|^--user$|^--prefix"
"""Words of a command that installs into an environment of its own, not into the system's."""

_EXISTING = r"(?i)\bexisting\b|\balready\b|\bold\b|已"
_TOKENS = r"`([^`\n]+)`|([A-Za-z0-9_.@~+/:=*\-]+)"
_CHINESE_RUNS = ("执行", "运行", "使用", "调用", "用", "跑")
_CHINESE_PLACE = "[在对到向往给把将][^\\s,，]{0,6}$"
_FOLDER = re.compile(r"(?i)\s*(?:目录|文件夹|folder\b|directory\b|dir\b)")
_NOUN = re.compile(
    r"(?i)(?<![-\w])(?<!\ba )(?<!\bany )(?:port|topic|bucket|branch|tag|database|table|namespace|schema|folder"
    r"|cluster|workspace|queue|index|deployment|process|chart) $"
)
"""Nouns before the name of a target, as in "branch release"."""

_THE_NOUN = re.compile(
    r"(?!(?:shared|whole|entire|current|default|local|remote|wrong|same|old|new|own|other|first|last|main)\b)[a-z]"
    r"[\w-]+ (?:bucket|branch|table|namespace|schema|queue|topic|index|deployment|process|chart|package|database"
    r"|stack)\b"
)
_NOUN_AFTER = re.compile(r"\s?(?:标签|分支|数据库|库|表|命名空间|集群|目录|文件夹|里的?文件)")
_VERBS = r"\b(?:DROP|TRUNCATE|DELETE|UPDATE|INSERT|ALTER|OPTIMIZE|VACUUM|REINDEX|FLUSHALL|FLUSHDB)\b(?: [A-Z]{3,}\b)*"
"""Verbs of databases. A command without a verb that a clause names is not forbidden."""

_LEVELS = frozenset({"aws", "gcloud", "az", "gsutil", "doctl", "gh", "flyctl"})
"""Programs whose subcommands consist of several words."""

_DRY = {"rsync": "n", "git clean": "n", "apt-get": "s", "make": "n"}
"""Short flags with which a command only shows its effect."""

_LONG = "all delete force in-place interactive recursive update upgrade volumes yes"
_SHORT = {f"--{word}": word[0] + word[0].upper() for word in _LONG.split()}
"""Long flags and their usual short forms."""
_WITH_FILE = frozenset({"helm", "kubectl", "docker", "docker-compose", "make", "ansible-playbook", "psql", "tail"})
"""Programs whose flag -f is not short for --force."""
_PLAIN = r"(?:pre|post|non|re|co|un|long|short|read|write|built|third|high|low|open|self|old|new)-[a-z]+"


class Command(NamedTuple):
    """A command that will run. `words`: from the program on; `line`: all words; `place`: its folder in the project."""

    words: list[str]
    line: list[str]
    place: str = ""


def clauses(text: str) -> list[str]:
    """Return the parts of a text that forbid something, each with the exceptions that a later part allows."""
    out: list[str] = []
    before: list[str] = []
    if not re.search(_NEVER, text, re.IGNORECASE):
        return out
    for found in filter(None, re.split(_CLAUSES, text)):
        part = functools.reduce(lambda words, form: re.sub(form[0], form[1], words), _REWORDED, found)
        if out and re.match(rf"(?i)\s*(?:{_WITHOUT[4:]}|{_SUCH_AS})", part):
            out[-1] += f" {part}"
            continue
        if never := re.search(_NEVER, part, re.IGNORECASE):
            clause = part[: never.end()] + re.split(_CIRCUMSTANCE, part[never.end() :])[0]
            refers = re.search(_PRONOUN, clause) or not re.search("[A-Za-z]{2}", clause)
            out.append(f"{clause} {_subject(before, clause)}" if refers else clause)
        elif out and re.search(_ALLOWS, part) and not re.search(r"(?i)不[行可能]|\bnot\b|\bno\b", part):
            out[-1] += "".join(f" unless `{word}`" for word in _arguments(part) if word not in out[-1])
        before.append(part)
    return out


def _arguments(text: str) -> list[str]:
    """Return the flags, environments and names of code in a text."""
    places = [word for word in _WHICH if not word.isascii() and word in text]
    words = (word for match in re.finditer(_TOKENS, text) for word in (match[1] or match[2]).rstrip(".:").split())
    return [*places, *(word for word in words if word[:1] == "-" or _kind(word) or any(map(str.isdigit, word)))]


def _subject(before: list[str], clause: str) -> str:
    """Return the command or the files that a clause without names of its own forbids, from the clauses before."""
    if re.search(r"(?i)\b(?:run|use|call|execute|invoke|do (?:it|this|that|so))\b|[执运]行|用|跑", clause):
        subjects = (words for part in reversed(before) if (words := part.split()) and words[0].lower() not in _PROSE)
        return " ".join(next(subjects, ""))
    words = [word for match in re.finditer(_TOKENS, "".join(before[-1:])) for word in (match[1] or match[2]).split()]
    return " ".join(word for word in words if "/" in word or "." in word.strip(".,") or re.fullmatch(_BARE_FILE, word))


def keys(clauses: Iterable[str]) -> set[str]:
    """Return the keys for finding the commands, files and folders that clauses could forbid (see core/acts)."""
    found: set[str] = set()
    for clause in clauses:
        found |= {WRITTEN + name for path, _ in _files(clause) for name in names_of(path)[-1:]}
        for phrase in _phrases(clause):
            for words in (phrase, *run(phrase)[:1]):
                found |= {WARNED + base(words[0]).lower()} if len(words) == 1 else set()
                for at, word in enumerate(words):
                    subcommands, rest = _subcommands(words[at + 1 :])
                    found |= {WARNED + pair(word, subcommand) for subcommand in subcommands}
                    is_alone = word.lower() in PARTS or (not subcommands and word.lower() not in _PROSE)
                    if is_alone and (word not in _LEADING or re.match(_WHOLE, " ".join(rest))):
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
            out += [re.split(_REDIRECT, match[1])[0].split(), []]
            continue
        if gap in ("和", "或", "、", "或者", "以及"):
            out[-1].append("or")
        elif gap and gap != "的":
            out.append(["run"] if gap.endswith(_CHINESE_RUNS) else [])
        out[-1].append(match[2].rstrip(".:") or match[2])
    return [words for words in out if words]


def _subcommands(rest: list[str]) -> tuple[list[str], list[str]]:
    """Return the subcommands after a program, several if joined by "or" or "and", and the words after them."""
    if rest[:1] == ["command"] or (rest[:1] == ["to"] and not any(map(_kind, rest[1:2]))):
        rest = rest[1:]  # the Rails command db:migrate; use git to push
    rest = [word for word in rest if word != "..."]
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
    if _is_excepted(exceptions, command) or _only_shows(command.words, main) or _is_limited(main, command):
        return False
    written = " ".join(command.words).upper()
    if not all(word in written for verb in re.findall(_VERBS, main) for word in verb.split()):
        return False
    if any(_has_other_value(words, command) for words in _phrases(main)):
        return False
    if not all(_is_given(word, words[:at], command) for words in _phrases(main) for at, word in enumerate(words)):
        return False
    quoted = [re.split(_REDIRECT, part)[0].split() for part in re.findall(r"`([^`\n]+)`", main)]
    plain = _phrases(re.sub(r"`[^`\n]+`", "，", main))
    named = [words for words in quoted if _is_quoted(words, command)]
    named += [words for phrase in plain for words in _named(phrase, command)]
    if command.words[0] in CLIENTS and not main.isascii() and not main.rstrip("` ").endswith(command.words[0]):
        named = [[] if words == command.words[:1] else words for words in named]  # 用 psql 建索引
    if any(words[0][:1] == "-" for words in plain):  # a flag that any command of the program can have
        named = [words or command.words[:1] for words in named]
    return any(_concerns(main, words, command) for words in named)


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


def _has_other_value(words: list[str], command: Command) -> bool:
    """Return whether a command has a flag with another value than in a clause, as `-n 2` instead of `-n auto`."""
    for flag, value in itertools.pairwise(words):
        is_value = len(flag) == 2 and flag[:1] == "-" and value.isalnum() and value.lower() not in _PROSE
        others = (other for one, other in itertools.pairwise(command.words) if one == flag and other[:1] != "-")
        if is_value and value not in command.words and any(others):
            return True
    return False


def _is_limited(clause: str, command: Command) -> bool:
    """Return whether a clause is only about a bare command, or the system's packages, and the command is limited."""
    if re.search(_SYSTEM, clause) and any(re.search(_ISOLATED, word) for word in (*command.line, command.words[0])):
        return True
    named = [".", *clause.replace("`", " ").split()]
    arguments = [word for word in command.words[1:] if word[:1] != "-"]
    is_whole = any("/" in word and word in named for word in arguments)
    is_limit = any(word not in named and word.strip("./") not in ("test", "tests") for word in arguments)
    return not is_whole and is_limit and bool(re.search(_BARE, clause))


def _is_excepted(exceptions: list[str], command: Command) -> bool:
    flags = [word for part in exceptions for phrase in _phrases(part) for word in phrase if word[:1] == "-"]
    targets = [target for part in exceptions for target in _targets(part, [])]
    is_limited = sum(word[:1] != "-" for word in command.words) > 2
    if is_limited and any(re.search(_ARGUMENT, part) for part in exceptions):
        return True
    shown = re.findall(r"[^\W\d_]+", " ".join(command.words).casefold())
    is_hit = any(target.casefold() in shown or _hits(target, command, []) for target in targets)
    return is_hit or any(_has(word, command.words) for word in flags)


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
        if program not in (base(word), base(word).lower()) or not _is_program(words, at):
            continue
        before = [other for other in words[:at] if other in _ROOT or is_assignment(other)]
        if not all(other in command.line for other in before):
            continue
        subcommands, rest = _subcommands(words[at + 1 :])
        if not subcommands:
            earlier = words[: at - 2] if words[at - 1 : at] in (["or"], ["and"]) else words[:at]
            verb = next((other.lower() for other in reversed(earlier) if other.lower() not in _SKIPPED), "")
            is_run = verb in _RUNS and (program not in _LEADING or re.match(_WHOLE, " ".join(rest)) is not None)
            is_plain = any(other[:1] == "-" for other in words) or (program not in PARTS and verb not in _NEVER_WORDS)
            is_plain = is_plain or program.startswith("flush")
            is_script = "/" in word or program.endswith((".sh", ".py", ".js", ".rb"))
            if is_script or (is_run and is_plain):
                yield [word]
            elif is_run or program not in _LEADING | PARTS:
                yield []  # forbidden with a target of the clause only
            continue
        stop = next((n for n, other in enumerate(rest) if other.lower() in _PROSE), len(rest))
        if program == "kubectl" and rest[stop:] and rest[stop].lower() in ("a", "an"):
            rest, stop = [*rest[:stop], *rest[stop + 1 :]], stop + 1  # the kind of object
        stop += rest[stop:] == ["all"]
        first = next((other for other in rest[:stop] if other[:1] != "-" or other[:2] == "--"), "")
        level = r"-.*|[a-z]+(-[a-z]+)*" if program in _LEVELS else "-.*"
        plain = [] if _kind(first) else [first]
        needed = [other for other in rest[:stop] if other in plain or re.fullmatch(level, other)]
        for subcommand in subcommands:
            is_target = (
                _kind(subcommand) in ("path", "place" if program in PARTS else "path")
                and subcommand not in command.words
            )
            is_given = is_target or _has_subcommand(subcommand, command.words)
            if is_given and all(_has(other, command.words, is_short=other == first) for other in needed):
                yield [] if is_target and program in PARTS else [word, *([] if is_target else [subcommand]), *needed]


def _has_subcommand(subcommand: str, words: list[str]) -> bool:
    """Return whether a command has a subcommand. For git it is the first word: `git worktree add` is not `git add`."""
    if words[0] == "git" and subcommand.isalpha():
        given = (word for before, word in itertools.pairwise(words) if word[:1] != "-" and before not in ("-C", "-c"))
        return next(given, "").startswith(subcommand)
    return _has(subcommand, words, is_short=words[0] in PARTS)


def _is_program(words: list[str], at: int) -> bool:
    """Return False for `rm` in `aws s3 rm`, which is a subcommand, and for "make" in "to make a test pass"."""
    is_verb = words[at].lower() not in PARTS and words[at + 1 : at + 2] in (["a"], ["an"], ["the"], ["it"])
    outer = _LEADING | _LEVELS if words[at] in WRITES else _LEVELS
    return not is_verb and outer.isdisjoint(words[:at])


def _has(word: str, words: list[str], *, is_short: bool = False) -> bool:
    """Return whether a command has an argument, or a longer form, as `--force` for `-f` and `pods` for `pod`."""
    word, arguments = word.removeprefix("./").rstrip("/"), words[1:]
    if word[:1] != "-":
        word, arguments = word.casefold(), [argument.casefold() for argument in arguments]
    form = (
        rf"{re.escape(word.removesuffix('s'))}[a-z]{{,3}}(?:[@.].*)?"
        if is_short
        else re.escape(word).replace(r"\*", ".*")
    )
    for argument in (argument.removeprefix("./").rstrip("/") for argument in arguments):
        is_task_or_value = argument.endswith(f":{word}") or argument.startswith(f"{word}=")
        if is_task_or_value or re.fullmatch(form, argument):
            return True
    short = {char for argument in arguments if argument[:1] == "-" != argument[1:2] for char in argument[1:]}
    short -= set() if _WITH_FILE.isdisjoint(words) else {"f"}
    if word[:1] == "-" != word[1:2] and len(word) <= 5 and word[1:].isalpha():
        return set(word[1:]) <= short.union(*(_SHORT.get(argument, "") for argument in arguments))
    return not short.isdisjoint(_SHORT.get(word, ""))


def _concerns(clause: str, named: list[str], command: Command) -> bool:
    """Return whether a command, which the words `named` name, has a clause's target, or has no target that differs."""
    hits: dict[str, list[bool | None]] = {}
    for target in _targets(clause, named or command.words[:1]):
        hits.setdefault(_kind(target), []).append(_hits(target, command, named))
    is_enough = named or any(True in some for some in hits.values())
    return bool(is_enough) and all(True in some or False not in some for some in hits.values())


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
        before = clause[: match.start()]
        is_named = not match[1] and bool(_NOUN.search(before) or _NOUN_AFTER.match(clause, last))
        is_named |= before.rstrip().endswith("把")
        is_named |= before.endswith(" the ") and bool(_THE_NOUN.match(clause, match.start()))
        for word in (part.rstrip(".:") for part in (match[1] or match[2]).split()):
            if word.lower() in _PROSE or word in named:
                placed = 5 if word.lower() in _PLACED else placed
                follows = word in named or (follows and word.lower() in ("or", "and", "a", "an", "the", "any"))
            elif word[:1] != "-" and (is_named or ((placed > 0 or follows) and (is_quoted or _kind(word)))):
                found.append(word)
    return found


def _kind(word: str) -> str:
    """Return the kind of a target: "place" for an environment or branch, "path", "name"; empty for a plain word."""
    if word.lower() in _WHICH:
        return "place"
    if "/" in word and "://" not in word:
        return "path"
    is_code = any(char in "._:@=-" for char in word[1:-1]) or any(map(str.isdigit, word[1:]))
    if re.fullmatch(r"\d+(?:\.\d+){3}", word):
        return "name"
    return "name" if is_code and not word[:1].isdigit() and word[:1] != "-" and not re.fullmatch(_PLAIN, word) else ""


def _hits(target: str, command: Command, named: list[str]) -> bool | None:
    """Return True if a command has the target, False if it has a different one, None if it has none."""
    given = (command.line if command.words[0] in PARTS else command.words)[1:]
    words = (word.partition("=")[2] if word[:1] == "-" else word for word in given)
    others = [word for word in words if word and word not in named]
    kind = _kind(target)
    if kind == "place":
        shown = re.findall(r"[a-z]+", " ".join([*command.line, command.place]).lower())
        which = {_WHICH[word] for word in shown if word in _WHICH} - {_WHICH.get(word) for word in named}
        if _WHICH[target.lower()] in which:
            return True
        is_other = len(others) > 1 or not {"checkout", "switch"}.isdisjoint(command.line)
        is_branch = "git" in command.line and target.lower() in _SAME[1] and is_other
        return False if which or (is_branch and "HEAD" not in others) else None
    name = target.casefold().removeprefix("./").rstrip("*").strip("/")
    if kind == "path" and not target.startswith("-"):
        places = [_joined(command.place, word).casefold() for word in others]
        named_before = [word.casefold() for word in command.line if "/" in word]  # as the branch of a checkout
        is_above = any(_is_below(name, place) for place in places)
        if is_above or any(_is_below(place, name) for place in (*places, *named_before)):
            return True
        here = command.place.casefold()
        return False if places or not (_is_below(here, name) or _is_below(name, here)) else None
    separator = r"[=:,@/;\s]" if kind else r"[=:,@/;.\s]"
    parts = [part for word in (*command.line, command.place) for part in re.split(separator, word.casefold())]
    form = rf"(?<![\w-]){re.escape(name)}" + ("" if "*" in target else r"(?!\w|-[a-z])")
    is_suffix = not kind and any(part.endswith(f"-{name}") for part in parts)  # acme-website for "website"
    if name in parts or is_suffix or (kind and any(re.search(form, word.casefold()) for word in command.line)):
        return True
    return False if others or (target.isupper() and "_" in target) else None


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
    runs = re.search(rf"{_RUNNING}|[\w`] --?[a-z]", clause, re.IGNORECASE) is not None
    has_file = False
    for match in re.finditer(_TOKENS, re.split(_WITHOUT, clause)[0]):
        words = (match[1] or match[2]).split()
        folder = _FOLDER.match(clause, match.end()) if len(words) == 1 else None
        if folder and re.match("[里中下内]的 ?[`A-Za-z0-9_]", clause[folder.end() :]):
            continue  # the folder of the file that follows
        is_named = bool(folder)
        for word in words:
            path = word.rstrip(".:").removeprefix("./")
            bare = path.rstrip("*").strip("/") if path.endswith(("/", "/*", "/**")) else path.lstrip("/")
            is_file = "." in bare.strip(".") or (not runs and re.fullmatch(f"{_BARE_FILE}", path) is not None)
            if bare and ("/" in path or is_file or is_named):
                has_file = has_file or is_file
                is_folder = (
                    is_named or path.endswith(("/", "*")) or not re.search(rf"\.[^/]*$|(^|/)({_BARE_FILE})$", bare)
                )
                if not (runs and (is_folder or len(words) > 1)):  # the folder or argument of a command
                    yield bare, is_folder


def forbids_file(clauses: Iterable[str], written: str, *, is_new: bool = False) -> bool:
    """Return whether a clause forbids to write a file: it names the file, or a folder that contains it.

    A clause about the existing files of a folder does not forbid to add one.
    """
    whole = f"/{written.casefold().strip('/')}"
    for clause in clauses:
        for path, is_folder in _files(clause):
            name = path.casefold()
            form = re.escape(f"/{name}").replace(r"\*", ".*")
            is_inside = is_folder and not (is_new and re.search(_EXISTING, clause))
            if re.search(f"{form}$", whole) or (is_inside and f"/{name}/" in whole):
                return True
    return False
