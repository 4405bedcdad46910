"""The commands and files that the prohibitions in a memory forbid.

A prohibition names a program with its subcommand and flags, and perhaps a target: an environment, a branch, a path or
another name. It does not forbid a command with a different target.
"""

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from promptx_mem.core.acts import (
    ACTS,
    BY_HAND,
    CHINESE_PLACES,
    CLIENTS,
    ENVIRONMENTS,
    GROUP_OF,
    PARTS,
    WARNED,
    WRITES,
    WRITTEN,
    base,
    flag_key,
    is_assignment,
    names_of,
    pair,
    started_commands,
)
from promptx_mem.core.prohibitions import (
    ALTERNATIVE_MARK,
    DOES,
    ELEVATED,
    LEADING,
    LIMIT,
    NEVER_WORDS,
    NO_VALUES,
    OVERWRITES,
    PLACED,
    PROSE,
    REDIRECT,
    RUNS,
    SKIPPED,
    STATEMENT_MARK,
    STATES,
    TOKENS,
    WITHOUT,
    actions_of,
    files_of,
    kind_of,
    phrases_of,
)

_WHOLE = "$|here|anymore|or |in this"  # after a program whose commands are all forbidden: use yarn here
_OBJECTS = frozenset({"container", "service", "server", "daemon", "process", "unit", "timer", "instance", "app"})
_ARTICLES = SKIPPED | {"an", "any", "our", "your", "this", "these", "that", "all"}
_ROOT = frozenset({"xargs", "uv"})
_SHOWS = frozenset({
    "help", "--help", "-help", "--dry-run", "--dryrun", "--simulate", "--version", "--list", "--list-hosts",
    "--list-tasks", "--check", "--show", "--status", "--noop", "--describe", "--syntax-check", "--skip", "--continue",
    "--abort", "--quit", "--collect-only", "--plan", "list", "ls", "show", "status", "view", "describe", "get", "info",
    "log", "diff",
})  # fmt: skip
"""Arguments with which a command only shows something, or continues or ends an earlier command."""

_LACKING = r"不[带加] ?(-\S+|[A-Z][A-Z_]{2,}|sudo\b) ?的?"
_EITHER = r"(?<!\S)(`?)(-[\w-]+)\1(?: or | ?/ ?)\1(-[\w-]+)\1(?![\w`])"  # two forms of a flag
_ARGUMENT = (
    r"(?i)^ ?(?:包名|名字|参数|文件|路径|naming|giving|passing|(?:[\w'’]+ ){0,3}(?:name|argument|path|filter"
    r"|package|file|target|plan|version|tag|formula|gem|crate|module|project)s?\b(?! (?:has|(?:is|was) (?!given))))"
)
_BARE = (
    r"(?i)\b(?:bare|blanket)\b"
    r"|\b(?:whole|entire|full) (?:\w+ )?(?:suite|project|\w*repo\w*|workspace|tree|folder|directory|set)\b"
    r"|全量|整个|裸(?!仓)"
)
"""Words of a clause that forbids a command only without limiting arguments, such as "bare" or "full suite"."""

_STEMS = "(?:over-?|re-?)?writ|chang|updat|replac|creat|(?:re)?generat|plac|sav|restor|rearrang|past|merg"
_WHOLE_STEMS = (
    "patch|touch|(?:hand-?)?edit|append|insert|alter|add|put|fix|bump|dd|(?:re-?)?format|re-?order|sort|tweak"
)
_WRITE = rf"(?:(?:{_STEMS})(?:e|ed|ing|ten)|modif(?:y|ied|ying)|(?:{_WHOLE_STEMS}|refactor|mess|tamper)(?:t?ing|ed)?)\b"
_FILLED = r"(?:\W|ever\b|even\b|just\b|simply\b|\w{1,20}ly\b|be\b|get\b|run\b|hand\b|again\b){0,12}"
_WRITES_FILE = (
    rf"(?i)(?:^|\b(?:or|and|nor|to|by|be|on)\b|\b(?:let|have|allow) (?:\w+ ){{1,3}}?|/){_FILLED}{_WRITE}"
    r"|\b(?:changes|edits|modifications|updates|writes)\b|\bcopy\b(?: \w+){0,3} over\b|改(?!名)|写|编辑"
    r"|覆盖|替换|追加|更新|(?<![手自移启运])动(?!态)|添|加(?!载)|放|塞|碰|修|生成|填|插|调整"
)
_REMOVES_FILE = (
    r"(?i)\b(?:delet|remov|renam|mov(?:e|ing)|drop|rm\b|mv\b|unlink|eras|discard|wip(?:e|ing)|purg|trash|clean)|删|移|挪"
    r"|改名|重命名|清|丢|扔"
)
"""Actions that a clause forbids for its files: writing, and removing or renaming."""

_BY_HAND = r"(?i)\bby hand\b|\bmanual|\bhand-|手[改动工写]"
_AT_TOP = r"(?:\b[Rr]oot|\b[Tt]op-level|根目录[里下中]?面?的) ?`?([\w.-]*\w)"  # only in the root folder
_EXISTING = (
    r"(?i)\b(?:existing|already|old|released|merged|applied|committed|shipped|published)\b|\bonce (?:it|they|merged)\b"
    r"|\b(?:change|edit|modify|alter|touch|rename) an? |已|过的"
)
_TO_VALUE = r"(?i)^\W*[改换][成为回]|\b(?:change|switch|convert|turn) (?:it|them|this|that) (?:back )?(?:in)?to\b"
_CHINESE_PLACE = "[在对到向往给把将][^\\s,，]{0,6}$"
_NOUN = re.compile(
    r"(?i)(?<![-\w])(?<!\ba )(?<!\bany )(?:env|port|topic|bucket|branch|tag|database|table|namespace|ns|schema|folder"
    r"|cluster|workspace|queue|index|deployment|process|chart) $|命名空间 ?$"
)
"""Nouns before the name of a target, as in "branch release"."""

_THE_NOUN = re.compile(
    r"(?!(?:shared|whole|entire|current|default|local|remote|wrong|same|old|new|own|other|first|last|main)\b)[a-z]"
    r"[\w-]+ (?:bucket|branch|table|namespace|schema|queue|topic|index|deployment|process|chart|package|database"
    r"|stack)\b"
)
_NOUN_AFTER = re.compile(
    r"\s?(?:[上下][的面]|节点|机器|主机|标签|分支|环境|数据库|库|表|命名空间|集群|目录|文件夹|里的?文件)"
)
_MACHINE = (
    r"(?<![\w.-])([\w.-]{1,64}) ?(?:节点|机器|主机|服务器|(?:box|machine|node|host|server|runner)s?\b"
    r"|(?:(?<=[A-Z]{2} )|(?<=[A-Z]{2}))(?:集群|clusters?\b))"
)
_REMOTE = frozenset({"ssh", "scp", "rsync", "docker", "kubectl", "-h", "-H", "--host", "--context"})
"""The name of a machine in a clause, and words of commands that run on another machine or name one."""

_VERBS = r"\b(?:DROP|TRUNCATE|DELETE|UPDATE|INSERT|ALTER|OPTIMIZE|VACUUM|REINDEX|FLUSHALL|FLUSHDB)\b(?: [A-Z]{3,}\b)*"
_PLACES = {word: number for word, number in GROUP_OF.items() if word not in ENVIRONMENTS[-1]}
"""The groups of environments, without names of branches, which only git has."""

_STATEMENTS = frozenset({"drop", "truncate", "delete", "update", "insert", "alter"})
_LOWER_VERBS = rf"(?i)\b(?:{'|'.join(_STATEMENTS)})\b"
"""Verbs of databases. A clause with these verbs forbids only commands that contain one of them."""

_SPEAKING = frozenset({"git", "gh", "hg", "echo", "printf"})
"""Programs for which an argument with spaces is prose, such as a commit message."""

_RUNNERS = frozenset({
    "mvn", "gradle", "make", "ninja", "rake", "just", "task", "ant", "fastlane", "bazel", "sbt", "gulp", "tox", "nox",
})  # fmt: skip
"""Programs that run several tasks, in any order."""

_LEVELS = frozenset({"adb", "aws", "gcloud", "az", "gsutil", "doctl", "gh", "flyctl"})
"""Programs whose subcommands consist of several words."""

_DRY = {"rsync": "n", "git clean": "n", "tag": "l", "apt": "s", "make": "n"}
"""Short flags with which a command only shows its effect."""

_LONG = "all delete force in-place interactive recursive update upgrade volumes yes"
_SHORT = {f"--{word}": word[0] + word[0].upper() for word in _LONG.split()}
"""Long flags and their usual short forms."""
_WITH_FILE = frozenset({"helm", "kubectl", "docker", "docker-compose", "make", "ansible-playbook", "psql", "tail"})
"""Programs whose flag -f is not short for --force."""


class Command(NamedTuple):
    """A command that will run. `words`: from the program on; `line`: all words; `place`: its folder in the project."""

    words: list[str]
    line: list[str]
    place: str = ""


def keys(clauses: Iterable[str]) -> set[str]:
    """Return the keys for finding the commands, files and folders that clauses could forbid (see core/acts)."""
    found: set[str] = set()
    for clause in clauses:
        for path, _ in files_of(clause):
            names = [name for name in names_of(path) if "*" not in name[1:]]
            names = ["*", *names] if re.search(_REMOVES_FILE, clause) else names[-1:]  # folders above, `rm -r *`
            found |= {WRITTEN + re.sub(r"^\*[^.]+(?=\.)", "*", name) for name in names}
        phrases = phrases_of(clause)
        named = {base(word).lower() for words in phrases for word in words} - PROSE - RUNS
        found |= {WARNED + pair(program, word) for program in named & LEADING for word in named}
        found |= {WARNED + word for word in named - LEADING}
        for phrase in phrases:
            found.update(WARNED + flag_key(word) for word in phrase if flag_key(word))
            for words in (phrase, *started_commands(phrase)[:1]):
                for at, word in enumerate(words):
                    subcommands, rest = _subcommands(words[at + 1 :], word)
                    found |= {WARNED + pair(word, subcommand) for subcommand in subcommands}
                    if word in LEADING and not subcommands and re.match(_WHOLE, " ".join(rest)):
                        found.add(WARNED + word)
    return found


def _subcommands(rest: list[str], program: str) -> tuple[list[str], list[str]]:
    """Return the subcommands after a program, several if joined by "or" or "and", and the words after them."""
    if rest[:1] == ["command"] or (rest[:1] == ["to"] and program in LEADING and not any(map(kind_of, rest[1:2]))):
        rest = rest[1:]  # the Rails command db:migrate; use git to push
    while program.lower() in PARTS | ACTS and rest[1:] and rest[0].lower() in _ARTICLES:
        rest = rest[1:]
    if not rest or (rest[0].lower() in PROSE and not (rest[0] == "all" and rest[1:] and rest[1][:1] == "-")):
        return [], rest
    found, rest = rest[:1], rest[1:]
    while len(rest) > 1 and rest[0].lower() in ("or", "and"):
        if rest[1] == program:
            return found, []
        found, rest = [*found, rest[1]], rest[2:]
    return found, rest


def forbids(clause: str, command: Command) -> bool:
    """Return whether a clause forbids a command: program, subcommand, flags and target must match."""
    clause, *instead = clause.split(ALTERNATIVE_MARK)
    clause, is_said, statement = clause.partition(STATEMENT_MARK)
    if is_said:
        is_other = _only_shows(command.words, statement) or _is_excepted(instead, command)
        return not is_other and _mentions(statement, clause, command)
    main, *exceptions = re.split(WITHOUT, clause)
    exceptions += re.findall(_LACKING, main)
    main = re.sub(_LACKING, " ", main)
    main = re.sub(_EITHER, lambda two: two[3] if _has(two[3], command.words) else two[2], main)
    modules = re.findall(r"(?<![\w.])(?:\w+\.){0,9}settings\.(?:prod|stag|live|dev|local|test|base)\w*", main)
    if not _has_rights(main, exceptions, command) or (modules and not any(modules[0] in one for one in command.line)):
        return False
    phrases = phrases_of(main)
    if _is_excepted([*exceptions, *instead], command) or (not exceptions and _is_limited(main, command)):
        return False
    if _only_shows(command.words, main) or not _is_complete(main, phrases, command):
        return False
    quoted = [
        [word.strip("'\"") for word in re.split(REDIRECT, part)[0].split()] for part in re.findall(r"`([^`\n]+)`", main)
    ]
    plain = phrases_of(re.sub(r"`[^`\n]+`", "，", main))
    named = [words for words in quoted if _is_quoted(words, command)]
    named += [words for phrase in plain for words in _named_words(phrase, command)]
    named += [found] if (found := _program_and_argument(main, command)) else []
    named += [found] if (found := _by_flag(phrases_of(main.replace("`", "")), command)) else []
    return any(_concerns(main, words, command) for words in named)


def _has_rights(clause: str, exceptions: list[str], command: Command) -> bool:
    """Return False if a clause is only about sudo and a command has none, or excepts sudo and the command has it."""
    is_elevated = not ELEVATED.isdisjoint(command.line)
    is_only, is_excepted = (
        not ELEVATED.isdisjoint(re.findall(r"[\w-]+", part)) for part in (clause, " ".join(exceptions))
    )
    return is_elevated if is_only else not (is_elevated and is_excepted)


def _mentions(statement: str, clause: str, command: Command) -> bool:
    """Return whether a statement names a command: its program, then at least one of its arguments (none for a script).

    An argument that the command lacks must not follow.
    """
    excepted = re.split(WITHOUT, f"{clause} {statement}")[1:]
    exceptions = [word for part in excepted for words in phrases_of(part) for word in words[:6]]
    if any(word[:1] == "-" and _has(word, command.words) for word in exceptions):
        return False
    for words in phrases_of(re.split(WITHOUT, statement)[0].replace("`", "")):
        for at, word in enumerate(words[:-1]):
            if command.words[0] not in (base(word), base(word).lower() if not at else ""):
                continue
            end = at + 1
            plain = PROSE.difference(["all"])
            while end < len(words) and words[end].lower() not in plain and _has(words[end], command.words):
                end += 1
            after = words[end] if end < len(words) else "is"
            is_bare = words[at - 1 : at] in (["bare"], ["plain"]) or re.search(_BARE, clause)
            is_limited = any(other not in words for other in command.words[1:])
            is_end = after.lower() in plain or re.fullmatch(STATES, after) is not None
            is_given = all(_is_given(other, words[:at], command) for other in words[at:])
            is_script = "." in word and after in ("playbook", "script", "is")
            if (end > at + 1 or is_script) and (is_end or is_script) and is_given and not (is_bare and is_limited):
                return _concerns(f"{clause} {statement}", words[at:end], command)
    return False


def _is_complete(clause: str, phrases: list[list[str]], command: Command) -> bool:
    """Return whether a command has the flags, flag values, SQL verbs, file and pipe that a clause names."""
    files = re.findall(OVERWRITES, clause) + [f"|{program}" for program in re.findall(r" \| (?:ba)?([\w-]+)", clause)]
    if files and not any(word.endswith(file) for word in command.line for file in files):
        return False
    shown = " ".join(command.words).upper()
    verbs = re.findall(_VERBS, clause)
    verbs += re.findall(_LOWER_VERBS, clause) if command.words[0] in CLIENTS else []
    if verbs and not any(all(word in shown for word in verb.upper().split()) for verb in verbs):
        return False
    # as in 不要在 hive -e 里写 msck
    inside = phrases[-1][:2] if len(phrases) > 1 and re.search(r"里.{0,6}写", clause) else []
    if any(word.upper() not in shown for word in inside) or any(_has_other_value(words, command) for words in phrases):
        return False
    if any(_has_other_subcommand(words, command) for words in phrases) or not _exceeds(clause, command):
        return False
    return all(_is_given(word, words[:at], command) for words in phrases for at, word in enumerate(words))


def _exceeds(clause: str, command: Command) -> bool:
    """Return False if a clause limits a flag's number, as in `-j` above 8, and the command's number is not higher."""
    line = " ".join(command.words)
    for flag, most in re.findall(LIMIT, clause):
        number = re.search(rf"(?<!\S){re.escape(flag)}[ =]?(\d+)", line)
        if number and int(number[1]) <= int(most):
            return False
    return True


def _has_other_subcommand(words: list[str], command: Command) -> bool:
    """Return whether the subcommand after an option's value differs from a clause, as in `celery -A proj purge`."""
    triples = zip(command.words, command.words[1:], command.words[2:], strict=False)
    given = {(flag, value): word for flag, value, word in triples if flag[:1] == "-" and word.isalpha()}
    for at, word in enumerate(words[2:], 2):
        other = given.get((words[at - 2], words[at - 1]), word)
        if word.isalpha() and word.islower() and word not in PROSE | NO_VALUES and other != word:
            return True
    return False


def _only_shows(words: list[str], clause: str) -> bool:
    shown = [word for word in words[1:] if word[:1] == "-"] + [word for word in words[1:] if word[:1] != "-"][:3]
    found = {word.partition("=")[0] for word in shown} & _SHOWS | {*words[-1:]} & {"-h"}
    if any(not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", clause) for word in found):
        return True
    dry = next((_DRY[name] for name in (words[0], " ".join(words[:2]), "".join(words[1:2])) if name in _DRY), "")
    return bool(dry) and any(word[:1] == "-" != word[1:2] and dry in word for word in words)


def _is_given(word: str, before: list[str], command: Command) -> bool:
    """Return whether a command contains `word`, which is a flag or an assignment in a clause.

    Return True if `word` is neither.
    """
    if is_assignment(word):
        return word in command.line
    is_flag = len(word) > 1 and word[:1] == "-" and word.strip("-")[:1].isalpha()
    is_suffix = before[-1:] in (["the"], ["in"]) and word[:2] != "--"  # as in "the -sys crates"
    return not is_flag or is_suffix or _has(word, command.line)


def _has_other_value(words: list[str], command: Command) -> bool:
    """Return whether a flag has different values in a phrase and in a command, such as `-n auto` and `-n 2`."""
    for flag, value in itertools.pairwise(words):
        is_value = flag[:1] == "-" and "=" not in flag and value.replace("-", "").isalnum()
        is_value &= value.lower() not in PROSE and (len(flag) == 2 or (value == words[-1] and value not in NO_VALUES))
        others = (other for one, other in itertools.pairwise(command.words) if one == flag)
        if is_value and not any(word.startswith(value) for word in command.words) and any(others):
            return True
    return False


def _is_limited(clause: str, command: Command) -> bool:
    """Return whether a command has arguments that exempt it from a clause about a bare command."""
    named = {"", "test", "tests", *(word.strip("./") for word in clause.replace("`", " ").split())}
    arguments = [word.strip("./") for word in command.words[1:] if word[:1] != "-"]
    return "." not in command.words and not named.issuperset(arguments) and re.search(_BARE, clause) is not None


def _is_excepted(exceptions: list[str], command: Command) -> bool:
    flags = [word for part in exceptions for phrase in phrases_of(part) for word in phrase if word[:1] == "-"]
    targets = [target for part in exceptions if part.lstrip(" `")[:1] != "-" for target in _targets(part, [])]
    is_limited = sum(word[:1] != "-" for word in command.words) > 2
    if is_limited and any(re.search(_ARGUMENT, part) for part in exceptions):
        return True
    shown = re.findall(r"[^\W\d_]+", " ".join(command.words).casefold())
    is_hit = any(target.casefold() in shown or _hits(target, command, [], is_within=True) for target in targets)
    given = {frozenset(word) for word in command.words}  # a cluster such as -fd does not except -fdx
    return is_hit or any(
        frozenset(word) in given if re.fullmatch(r"-\w{2,4}", word) else _has(word, command.words) for word in flags
    )


def _is_quoted(words: list[str], command: Command) -> bool:
    """Return whether a command has all words from the backticks in a clause, apart from placeholders."""
    needed = [word for word in words if word in _ROOT or is_assignment(word)]
    for found in started_commands(words) if command.words[0] not in ACTS else [words][: len(words) - 1]:
        given = [word for word in found if word[:1] not in ("<", "[", "…", "{", "$") and word not in ("...", "*")]
        if given and given[0].lower() == command.words[0].lower():
            is_given = all(_has(word, command.words) for word in given[1:])
            return is_given and all(word in command.line for word in needed)
    return False


def _named_words(words: list[str], command: Command) -> Iterator[list[str]]:
    """Yield the words that name a command in a phrase: program, subcommand, flags; [] if a target is also needed."""
    program = command.words[0]
    for at, word in enumerate(words):
        is_script = (word[:1] in "./" and word[-1:].isalnum()) or word.endswith((".sh", ".py", ".js", ".rb"))
        is_script = is_script or "bin/" in word
        if (
            program not in (base(word), base(word).lower())
            or word.lower() in RUNS
            or not _is_program(words, at)
            or ("/" in word and not is_script)
            or not any(map(str.isalnum, program))
        ):
            continue
        if not all(other in command.line for other in words[:at] if other in _ROOT):
            continue
        subcommands, rest = _subcommands(words[at + 1 :], word)
        if not subcommands:
            earlier = words[: at - 2] if words[at - 1 : at] in (["or"], ["and"]) else words[:at]
            verb = next((other.lower() for other in reversed(earlier) if other.lower() not in SKIPPED), "")
            is_plain = any(other[:1] == "-" for other in words) or verb not in NEVER_WORDS
            is_plain = is_plain or (verb == words[at - 1].lower() and program not in PARTS | _ENGLISH)
            is_plain = (is_plain or program.startswith("flush")) and program not in ACTS
            if verb in RUNS and is_plain:
                yield [word]
            elif verb in RUNS or word.isupper() or program not in LEADING | PARTS | ACTS:
                yield []  # forbidden with a target of the clause only
            continue
        stop = next((n for n, other in enumerate(rest) if other.lower() in PROSE | NEVER_WORDS | {"runs"}), len(rest))
        if program == "kubectl" and rest[stop:] and rest[stop].lower() in ("a", "an"):
            rest, stop = [*rest[:stop], *rest[stop + 1 :]], stop + 1  # the kind of object
        stop += rest[stop:] == ["all"]
        first = next((other for other in rest[:stop] if other[:1] != "-"), "")
        level = r"-.*|[a-z]+(-[a-z]+)*" if program in _LEVELS else "-.*"
        plain = [] if kind_of(first) or re.match(r"--|-\w{5}", subcommands[0]) or first == "*" else [first]
        needed = [other for other in rest[:stop] if other in plain or re.fullmatch(level, other)]
        needed = [other for other in needed if other not in RUNS and not (word in ACTS and other in _OBJECTS)]
        for subcommand in subcommands:
            is_target = kind_of(subcommand) in ("path", "place") and subcommand not in command.words
            is_given = is_target or _has_subcommand(subcommand, command.words)
            wanted = [other for other in needed if other != first] if is_target else needed
            if is_given and all(_has(other, command.words, is_short=other == first) for other in wanted):
                yield [] if is_target else [word, *subcommands, *needed]


def _program_and_argument(clause: str, command: Command) -> list[str]:
    """Return the command's program and its subcommand or flag, if both are anywhere in a clause, in any order."""
    program = command.words[0].lower()
    if program in ACTS | PARTS | RUNS | _ENGLISH | {"git"}:
        return []
    pairs = [pair for pair in itertools.pairwise(command.words[:6]) if re.fullmatch(r"[a-z][a-z_-]+", pair[1])]
    first = [word for before, word in sorted(pairs, key=lambda pair: pair[0][:1] == "-")][:1]  # values of flags last
    first = first if (PROSE | RUNS).isdisjoint(first) else []
    for phrase in (words := phrases_of(clause.replace("`", ""))):
        for at, word in enumerate(phrase):
            after = "".join(phrase[at + 1 : at + 2]).lower() or "on"
            if after[-1:] == "s" and "-" in [other[:1] for other in phrase[at + 2 : at + 4]]:
                continue  # an object, as in "update jest snapshots with -u"
            is_subcommand = word.islower() and after[:1] != "-" and after not in (PROSE | RUNS) - {"all", "run"}
            if base(word).lower() == program and phrase[max(at - 1, 0)].lower() in first:
                return [program, *first]
            if base(word).lower() == program and (is_subcommand or not _is_program(phrase, at)):
                return []
    given = {base(word).lower() for phrase in words for word in phrase}
    if program in given:
        is_name = any(base(word) == program.title() for phrase in words for word in phrase)  # as in "Docker images"
        found = [word for word in first if word in given and not (is_name or kind_of(word))]
        flags = [word for phrase in words for word in phrase if word[:1] == "-" and _has(word, command.words)]
        return [program, *(found or flags)[:1]] if found or flags else []
    return []


def _by_flag(phrases: list[list[str]], command: Command) -> list[str]:
    """Return the command's program and flag or variable, if a phrase forbids this and names no program: `--no-verify`.

    A topic can precede the phrase, as in "CMake: never set …".
    """
    for words in phrases[: 1 + (len(phrases[:1]) == 1 and len(phrases[0]) == 1)]:
        at = next((at for at, word in enumerate(words) if word[:1] == "-" or is_assignment(word)), len(words))
        usual = PROSE | RUNS | DOES
        is_given = words[at:] and flag_key(words[at]) and _has(words[at], ["", *command.line])
        if is_given and all(word.lower() in usual or _has(word, command.words, is_short=True) for word in words[:at]):
            return [command.words[0], words[at]]
    return []


def _has_subcommand(subcommand: str, words: list[str]) -> bool:
    """Return whether a command has a subcommand, directly after the program and its flags.

    `git worktree add` is not `git add`. For some, such as `_RUNNERS`, any position counts.
    """
    if words[0] not in _RUNNERS | ACTS | _STATEMENTS and re.fullmatch("[a-z]+(?:-[a-z]+)*", subcommand):
        for before, word in itertools.pairwise(words):
            if _has(subcommand, [words[0], word], is_short=words[0] in PARTS):
                return True
            if before[:1] != "-" != word[:1]:
                return False
    return _has(subcommand, words, is_short=words[0] in PARTS | ACTS)


_ENGLISH = frozenset({
    "make", "find", "sort", "test", "watch", "cut", "join", "split", "time", "kill", "sleep", "touch", "install",
    "write", "wait", "fold", "look", "type", "set", "go", "just", "task", "play", "stop", "open", "code", "host",
    "date", "link", "patch", "strip", "view", "script", "service", "deploy", "build", "format", "lint", "release",
    "publish",
})  # fmt: skip
"""Programs whose names are English verbs: "never make assumptions"."""


def _is_program(words: list[str], at: int) -> bool:
    """Return False for `rm` in `aws s3 rm`, which is a subcommand, and for "make" in "to make a test pass"."""
    is_verb = words[at].lower() not in PARTS | ACTS and words[at + 1 : at + 2] in (["a"], ["an"], ["the"], ["it"])
    before = words[at - 1].lower() if at else "or"
    is_inner = words[at] in WRITES | ACTS and re.fullmatch(r"[a-z-]+(?<!ly)", before) is not None
    is_inner &= before not in PROSE | RUNS | SKIPPED | {"ever", "just"}
    return not is_verb and not is_inner and _LEVELS.isdisjoint(words[:at])


def _has(word: str, words: list[str], *, is_short: bool = False) -> bool:
    """Return whether a command has an argument or another form of it, as `--force` for `-f` and `pods` for `pod`."""
    word, arguments = word.removeprefix("./").rstrip("/"), words[1:]
    if word[:1] != "-":
        word, arguments = word.casefold(), [argument.casefold() for argument in arguments]
    stem = re.escape(word.removesuffix("s") if is_short else word).replace(r"\*", ".*")
    form = rf"(?:.*/)?{stem}[a-z]{{,3}}(?:[@./].*)?" if is_short and "." not in word else stem
    for argument in (argument.removeprefix("./").rstrip("/") for argument in arguments):
        is_task_or_value = argument.endswith(f":{word}") or argument.startswith((f"{word}=", f"{word}:", f"{word},"))
        is_task_or_value |= words[0] not in _SPEAKING and _is_in_code(word, argument)
        if is_task_or_value or re.fullmatch(form, argument):
            return True
    if (word in ("--force", "--force*", "-f") and "push" in words) or (word == "--no-verify" and "commit" in words):
        other = r"\+\w|-\w*f" if "push" in words else "-n$"
        if any(re.match(other, argument) for argument in arguments):
            return True
    clusters = [argument for argument in arguments if re.fullmatch(r"-\w{1,5}", argument)]
    short = {char for argument in clusters for char in argument[1:]}
    short -= set() if _WITH_FILE.isdisjoint(words) else {"f"}
    if word[:1] == "-" != word[1:2] and len(word) <= 5 and word[1:].isalpha():
        return set(word[1:]) <= short.union(*(_SHORT.get(argument, "") for argument in arguments))
    return not short.isdisjoint(_SHORT.get(word, ""))


def _is_in_code(word: str, argument: str) -> bool:
    """Return whether an argument contains a word and is a line of code or SQL."""
    is_line = " " in argument and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", argument)
    return bool(is_line) or ("(" in argument and word in argument)


def _concerns(clause: str, named: list[str], command: Command) -> bool:
    """Return whether a command has a clause's target, or at least no other target.

    `named`: the words that name the command. If empty, a target is required.
    """
    hits: dict[str, list[bool | None]] = {}
    is_remote = not _REMOTE.isdisjoint(command.line) or any("@" in word or "://" in word for word in command.line)
    machines = re.findall(_MACHINE, clause)
    for target in _targets(clause, named or command.words[:1]):
        is_machine, start = target in machines, f"{target.casefold()}-"  # as gpu-node-07
        if is_remote or not is_machine:  # a local command does not name its machine
            is_hit = is_machine and any(word.casefold().startswith(start) for word in command.words)
            hits.setdefault(kind_of(target), []).append(is_hit or _hits(target, command, named))
    is_enough = named or any(True in some for some in hits.values())
    return bool(is_enough) and all(True in some or False not in some for some in hits.values())


def _targets(clause: str, named: list[str]) -> list[str]:
    """Return a clause's targets: environments, branches, paths and other names after a preposition or the command."""
    program = re.escape("".join(named[:1]))
    clause = re.sub(rf"\b(?:and|or) {program} [a-z:-]+", "", clause)  # as in "rails db:reset and rails db:drop"
    found: list[str] = re.findall(CHINESE_PLACES, clause)
    last, placed, follows = 0, 0, False
    for match in re.finditer(TOKENS, clause):
        gap = clause[last : match.start()].strip()
        last = match.end()
        is_placed = re.search(_CHINESE_PLACE, gap) is not None or re.match(r" ?上(?![线传])", clause[last:]) is not None
        placed = 4 if is_placed or not named else placed - 1
        is_quoted = bool(match[1]) and " " not in match[1]
        before = clause[: match.start()]
        is_named = not match[1] and bool(_NOUN.search(before) or _NOUN_AFTER.match(clause, last))
        is_named |= before.rstrip().endswith("把")
        is_named |= before.endswith(" the ") and bool(_THE_NOUN.match(clause, match.start()))
        for word in (part.rstrip(".:").strip("'\"") for part in (match[1] or match[2]).split()):
            if word.lower() in PROSE or word in named or base(word).lower() in named[:1]:
                placed = 5 if word.lower() in PLACED else placed
                follows = word in named or (follows and word.lower() in ("or", "and", "a", "an", "the", "any"))
            elif word and word[:1] != "-" and (is_named or ((placed > 0 or follows) and (is_quoted or kind_of(word)))):
                found.append(word)
    return found


def _hits(target: str, command: Command, named: list[str], *, is_within: bool = False) -> bool | None:
    """Return True if a command has the target, False if it has a different one, None if it has none.

    Return True also for a command about a folder that contains the target, unless `is_within`.
    """
    given = (command.line if command.words[0] in PARTS else command.words)[1:]
    words = (word.partition("=")[2] if word[:1] == "-" else word for word in given)
    others = [word for word in words if word and word not in named]
    kind = kind_of(target)
    if kind == "place":
        return _hits_place(target.lower(), command, others, named)
    if kind == "path" and not target.startswith("-"):
        return _hits_path(target.casefold(), command, others, is_within=is_within)
    if target[:1] == ":":
        return any(word.endswith(target) for word in command.words)
    name = target.casefold().removeprefix("./").strip("/").rstrip("*")
    separator = r"[=:,@/;\s]" if kind else r"[=:,@/;.\s]"
    parts = [part for word in (*command.line, command.place) for part in re.split(separator, word.casefold())]
    form = rf"(?<![\w-]){re.escape(name)}" + ("" if "*" in target else r"(?!\w|-[a-z])")
    if name in parts or (kind and any(re.search(form, word.casefold()) for word in command.line)):
        return True
    return False if others or (target.isupper() and "_" in target) else None


def _hits_place(target: str, command: Command, others: list[str], named: list[str]) -> bool | None:
    """Return True if a command has the environment or branch, False if it has a different one, None if it has none."""
    is_git = "git" in command.line
    groups = GROUP_OF if is_git else _PLACES
    if target not in groups:
        return None
    given = [word for word in command.line if not (is_git and " " in word)]
    given = [word.rpartition(":")[2] for word in given] if "push" in given else given
    which = {groups.get(word) for word in re.findall(r"[a-z]+", " ".join([*given, command.place]).lower())} - {None}
    if groups[target] in which.union(map(groups.get, named)):
        return True
    is_branch = is_git and (len(others) > 1 or not {"checkout", "switch"}.isdisjoint(command.line))
    return False if which or is_branch else None


def _hits_path(name: str, command: Command, others: list[str], *, is_within: bool) -> bool | None:
    """Return True if a command has the path `name`, a path below it or, unless `is_within`, a folder above it.

    Return False if the command has different paths or another folder, else None.
    """
    is_absolute, name = name[:1] == "/", name.partition("*")[0].removeprefix("./").removeprefix("~/").strip("/")
    images = [part for word in others if ":" in word for part in (word.partition(":")[0], word.partition(":")[2])]
    places = [_joined(command.place, word).casefold() for word in (*others, *images)]
    named_before = [word.casefold() for word in command.line if "/" in word]  # as the branch of a checkout
    is_above = not is_within and any(_is_below(name, place) for place in places if place or not is_absolute)
    if is_above or any(_is_below(place, name) for place in (*places, *named_before)):
        return True
    here = command.place.casefold()
    return False if places or not (_is_below(here, name) or _is_below(name, here)) else None


def _joined(folder: str, path: str) -> str:
    """Return the path of `path` inside `folder`, with `.` and `..` resolved."""
    out: list[str] = []
    for part in [*folder.split("/"), *path.split("/")]:
        out = out[:-1] if part == ".." else [*out, part] if part not in ("", ".") else out
    return "/".join(out)


def _is_below(path: str, folder: str) -> bool:
    return folder in ("", ".") or f"/{folder}/" in f"/{path}/"


def _is_inside(named: str, is_folder: bool, whole: str) -> bool:
    """Return whether the path `whole` ends with the path `named`, or is inside it if `named` is a folder."""
    form = re.escape(f"/{named.casefold()}").replace(r"\*", ".*")
    return re.search(f"{form}$", whole) is not None or (is_folder and f"/{named.casefold()}/" in whole)


def forbids_file(
    clauses: Iterable[str], path: str, *, is_new: bool = False, is_removed: bool = False, by: Iterable[str] = ()
) -> bool:
    """Return whether a clause forbids to write (or remove, if `is_removed`) a file: it names the file or its folders.

    A clause about a removal also forbids to remove a folder above. A clause about the existing files of a folder does
    not forbid to add a file. `by`: the command that writes the file. A clause that recommends this command allows its
    output. A clause about changes by hand allows a generator.
    """
    whole = f"/{path.casefold().strip('/')}"
    line = " ".join(by)
    for clause in clauses:
        actions = actions_of(clause)
        removes = is_removed and re.search(_REMOVES_FILE, actions) is not None
        if not (removes or re.search(_WRITES_FILE, actions)) or re.search(_TO_VALUE, actions):
            continue  # _TO_VALUE: perhaps of another file
        main, *instead = clause.split(ALTERNATIVE_MARK)
        excepted = re.split(WITHOUT, main)[1:]
        if any(_is_inside(named, is_folder, whole) for part in excepted for named, is_folder in files_of(f" {part}")):
            continue
        is_generator = line and line.split()[0] not in BY_HAND and re.search(_BY_HAND, main)
        if is_generator or any(word.strip("`./") in line for word in instead if line):
            continue
        tops = re.findall(_AT_TOP, main) if whole.count("/") > 1 else []
        for named, is_folder in files_of(clause):
            is_in = _is_inside(named, is_folder and not (is_new and re.search(_EXISTING, clause)), whole)
            is_above = removes and f"/{named.casefold()}/".startswith(f"{whole.removesuffix('/*').rstrip('/')}/")
            if named not in tops and (is_in or is_above):
                return True
    return False
