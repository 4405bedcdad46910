"""Comparison of a failed call's error with memories: rare words, Chinese phrases, quoted messages, missing things."""

import re
from collections.abc import Iterable
from functools import lru_cache

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
_ERROR_WORD = r"(?:[a-z]|_(?<!__))[a-z0-9_.\-]*[a-z0-9]|(?!20[1-3]\d(?!\d))\d{4,}(?![a-z\d])"  # not a year
_FOLDERS = r"(?<![\w.@~+/\\-])(?:[\w.@~+-]*+[/\\])+(?=\w)"
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
"""Lines that report progress: in a trace, passed tests, `…` at the end, INFO, `Compiling x`, a command with options."""

_TROUBLES = (
    "error fail n't cannot unable missing denied refus mismatch invalid unsupported abort unknown unexpected exceed "
    "time conflict fatal must 错 失败 被 无法 不 没 缺 超"
)
_TROUBLE = (*_TROUBLES.split(), " no ", " not ", " none ", " too ", "due to")


_SOURCE = r"(?m)^([^\S\n]*File \".*\n)[^\S\n]+.*\n?|^[^\S\n]{0,9}(?:>[^\S\n]{0,9})?\d+ {0,9}\|.*\n?"
_SOURCE_OF_PYTEST = r"(?m)^(?:>|    ).*\n?"
"""Lines of source code in a trace of Python, in a frame with line numbers, and in a report of pytest."""


def error_lines(output: str) -> str:
    """Return a failed call's output without source code and reports of progress that name no failure."""
    output = re.sub("(?i)segmentation fault", r"\g<0> (segfault)", re.sub(_SOURCE, r"\1", output))
    if "\nE   " in output:
        output = re.sub(_SOURCE_OF_PYTEST, "", output)
    return "\n".join(line for line in output.split("\n") if not re.match(_PROGRESS, line) or _is_trouble(line))


def _is_trouble(text: str) -> bool:
    """Return whether a text contains a word about failure."""
    said = f" {text.lower()} "
    return any(word in said for word in _TROUBLE)


class Failure:
    """The lines of an error, split for comparisons with many memories."""

    __slots__ = ("han", "lines", "sequence", "text", "tokens", "whole")

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.tokens = _tokens(text)
        self.sequence = " ".join(re.findall(r"\w+", text.lower()))
        self.han = "" if text.isascii() else re.sub(_IN_HAN, "", text)
        self.whole = "".join(filter(str.isalnum, text.lower()))

    def shares(self, text: str, size: int) -> set[tuple[str, ...]]:
        """Return the phrases of `size` words that are also in a text, without those that contain `_NOISE`."""
        return {*filter(_NOISE.isdisjoint, _phrases(self.text, size) & _phrases(text, size))}

    def shares_han(self, clause: str, is_named: bool) -> bool:
        """Return whether the error has a Chinese phrase of a clause: four characters, of which two are rare.

        Most of the clause's rare characters, at least four, are also enough. If the memory names the program, any seven
        characters in a row are enough.
        """
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
        """Return whether the error contains all words of a message in order. False if it has fewer than `least` words.

        At each of the first two ellipses of a message, the error can have up to 8 other words.
        """
        split = re.split(r"…|\.\.\.|\bxxx\b", message, maxsplit=2)  # many would take exponential time
        parts = [" ".join(re.findall(r"\w+", part.lower())) for part in split]
        form = r"(?: \w+){0,8} ".join(filter(None, parts))
        count = len(" ".join(parts).split())
        return count >= least and re.search(rf"(?<!\w){form}(?!\w)", self.sequence) is not None

    def resembles(self, message: str) -> bool:
        """Return whether the error has at least _SAME_ERROR of a message's words by weight."""
        weights = {word: _weight(word) for word in _tokens(message)}
        found = [
            size for word, size in weights.items() if word in self.tokens or (len(word) > 7 and word in self.whole)
        ]
        return sum(found) >= _SAME_ERROR * sum(weights.values())  # `NameNode` can be "name node" in the error

    def lacks(self, described: str, shared: list[str]) -> bool | None:
        """Return whether the error is about a thing that a memory calls missing or needed. None if it is undecided.

        False if it names none of the missing things. Words in their names are removed from `shared`.
        """
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
    """Return the weight of a word: 4 for each digit of a number, 6 for Chinese, 1 for a usual word, else its length."""
    if word.isdigit():
        return 4 * len(word)
    return 6 if not word.isascii() else 1 if word in _USUAL else len(word)


def _tokens(text: str) -> set[str]:
    """Return the words of a text and the pairs of Chinese characters."""
    words = re.findall(r"[a-z0-9_]+", text.lower())
    return {*words}.union(() if text.isascii() else re.findall(f"(?=({_HAN}{{2}}))", text)) - {"xxx"}


@lru_cache(maxsize=8)  # the error is compared with many memories
def _phrases(text: str, size: int) -> set[tuple[str, ...]]:
    words = [_stem(word) for word in re.findall(r"[a-z0-9](?:[\w.-]*[a-z0-9])?", text.lower(), re.ASCII)]
    return {*zip(*(words[at:] for at in range(size)), strict=False)}


def _stem(word: str) -> str:
    return word.removesuffix("s").removesuffix("e").removesuffix("ed").removesuffix("ing")


def rare_words(text: str) -> list[str]:
    """Return the rare words of an error, for finding a memory with a remedy.

    First come the last 64 words, in reverse, then the last 64 pairs of Chinese characters.
    """
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
    words = set(re.findall(rf"{_ERROR_WORD}|(?<![\d.])\d{{3}}(?![\d.])", text.lower()))
    words |= {part for word in words for part in re.split(r"[.\-]", word)}
    return {*filter(_may_be_rare, words), *re.findall(_LIBRARY, text.lower())}


def index_keys(text: str) -> set[str]:
    """Return the words of a memory, and the Chinese pairs in its first 48 characters, for the index."""
    return words_of(text).union(_han_pairs(text[:_MOST_HAN]))


def _han_pairs(text: str) -> list[str]:
    """Return the pairs of consecutive Chinese characters that belong to no usual word."""
    runs = [part for run in _han_runs(text) for part in re.split(_USUAL_HAN, run)]
    return list(dict.fromkeys(run[at : at + 2] for run in runs for at in range(len(run) - 1)))


def _han_runs(text: str) -> list[str]:
    return [] if text.isascii() else [run for run in re.findall(f"{_HAN}{{2,}}", text) if run > "\u2e80"]


def _may_be_rare(word: str) -> bool:
    stem, _, suffix = word.rpartition(".")
    is_usual = word in _USUAL or (stem in _USUAL and len(suffix) < 5 and suffix != "h")  # `main.py` is in most traces
    return (3 if word.isdigit() else 4) <= len(word) <= _LONGEST and not is_usual


def is_relevant(shared: list[str], error: Failure, text: str, programs: Iterable[str], said: Iterable[str]) -> bool:
    """Return whether a memory shares enough with an error: an error code, two words over 4 letters, or a phrase.

    `shared` are the rare words of both. A shared word counts only in the memory's first two clauses, since the rest is
    the remedy. It is also enough if the error has all rare words of the first clause, except words of the command,
    `said`. A phrase is three consecutive words, at least one of them in `shared`. If the memory names one of
    `programs` (those of the failed command), a phrase can also be two consecutive words, both in `shared`. An error
    that the memory quotes must match.
    """
    text = text.partition(">")[2] or text  # without the opening tag
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
    describes = bool(_messages(text)) or re.search(_DESCRIBES, text) is not None
    is_of_code = re.search(_OF_CODE, parts[0]) is not None
    if is_of_code or not describes:  # many memories name folders
        rest = re.sub(_FOLDERS, " ", error.text).lower()
        evidence = [word for word in evidence if word in rest]
    codes = [word for word in evidence if _is_code_in(word, error.text, text)]
    if is_of_code and not describes:
        return any("." in word for word in codes)  # a file of the memory
    return (
        any(error.shares_han(part, is_named) for part in parts[:2])
        or (len("".join(problem)) > _SHORT and problem.issubset(evidence) and (describes or len(problem) > 1))
        or len([word for word in evidence if len(word) > 4]) + (not pairs.isdisjoint(shared)) > 1
        or any(describes or not re.fullmatch(r"[a-z]+|\d+|utf-8", word) for word in codes)
        or (is_named and any(re.search(_LONG_NAME.format(word), parts[0].lower()) for word in evidence))
        or any(
            len(stems.intersection(phrase)) > 3 - size
            for size in ((3, 2) if is_named else (3,))
            for phrase in error.shares(text, size)
        )
    )


def _matches_message(text: str, problem: str, error: Failure, shared: list[str]) -> bool | None:
    """Return whether an error matches the memory's messages. None if it is undecided.

    Without messages, the error name in its first clause, `problem`, must match.
    """
    messages = _messages(text)
    if any(error.contains(message, 2 if _tokens(message).intersection(shared) else 3) for message in messages):
        return True
    if messages:
        return None if any(map(error.resembles, messages)) else False
    match = re.search(_ERROR_NAME, problem)
    return False if match and (match[1] or match[0]).rpartition("::")[2] not in error.text else None


_LONG_NAME = r"(?:^|报)\W*(?=[a-z]{{12}}){0}\b(?<!ion)(?<!ing)(?<!ies)(?<!nts)|\b(?=[a-z]{{12}}){0}\W*$"
"""A long name of an error at the beginning or the end of a clause, as in "unauthorized from ghcr.io"."""

_SHORT = 7
"""Maximum number of letters in a description that can be only a name."""

_LONGEST_LABEL = 12
_HOSTS = (".com", ".io", ".org", ".net", ".cn", ".dev")


def _is_label(clause: str, programs: Iterable[str]) -> bool:
    """Return whether a clause of up to 12 characters is only a name and usual words, as in "Redis 启动失败"."""
    words = index_keys(clause).difference(programs)
    is_name = clause.strip().isalpha() and clause.islower() if clause.isascii() else len(words) == 1
    return len(clause) <= _LONGEST_LABEL and (not words or is_name)


def _count_rare(run: str) -> int:
    return len(re.sub(_USUAL_HAN, "", run))


_OPENED, _CLOSED = r"(?:[ \"'`]|“|‘|「)*", r"(?:[ \"'`]|”|’|」)*"
_IN_HAN = rf"已|了|(?<={_HAN}){_OPENED}[A-Za-z0-9_./\\-]*{_CLOSED}(?={_HAN})"
"""Particles, and a name between Chinese characters."""

_FIND = "(?:find|locate|load|open|resolve)"
_NAMED = "[A-Za-z0-9_@/+-]"
_NAME = rf"{_NAMED}[A-Za-z0-9_@./+-]{{0,60}}[A-Za-z0-9_]"
_MISSING = (
    rf"(?:缺少?|缺失|找不到|没有?找到|(?:can't|cannot|could not|couldn't|unable to|fails? to) {_FIND}"
    r"|\black(?:s|ing)?\b|\bmiss(?:es|ing)\b)"
    r"(?: (?:the|an?|any|its|file|dependency|module|package|library|command|header|plugin|program|alias)\b)*+"
    rf"(?:{_HAN}){{0,4}}{_OPENED}({_NAME})"
    rf"|(?<!{_NAMED})({_NAME})(?!{_NAMED}){_CLOSED}:?{_CLOSED}"
    r"(?:(?:is |are |was )?(?:missing|not (?:found|installed))|cannot (?:be found|open)"
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
"""The end of a clause of a memory. The first clause describes the error."""

_ENGLISH = r"[A-Za-z](?:[ !#-+\--:<-\xff]|…|’|;(?= \w)){4,90}"
_REPORTED = rf"(?:报|提示|出现|显示|遇到)[ :：]*({_ENGLISH})(?:或者? ?({_ENGLISH}))?"
"""The text of an error, or two alternatives, after a Chinese word of reporting."""

_QUOTED = (
    r"(?<![\w=])(?:'(?=[^'\n]{0,90} )((?:[^'\n]|(?<=\w)'(?=\w)){6,90}?)'(?!\w)|\"(?=[^\"\n]{0,90} )([^\"\n]{6,90})\")"
    r"|“([^”\n]{4,90})”|「([^」\n]{4,90})」|[(（](?=[^)）\n]{0,90} )((?:[^)）\n\"](?!，)){6,90})[)）]"
    r"|`(?=[^`\n]{0,90} )([^`\n]{6,90})`"
)
_REPORTS = (
    r"(?i)(?:\b(?:with|says?|said|errors?|message|prints?|gives|shows?|complains?)|报错?|提示|出现|显示|遇到)[ :：]*$"
)
"""The words before the text of an error in backticks, which otherwise can be a command."""

_OF_CODE = r"(?i)[\w-]/[\w./-]+\.[a-z]{1,6}\b|^\W*(?:do not|don't|never|must not|不要|禁止|切勿|别)"
"""A path or a prohibition in the first clause: the memory is about these, unless it describes an error."""

_DESCRIBES = (
    r"(?i)fail|error|exception|crash|segfault|hang|hung|stuck|time[sd]? ?out|refus|denied|\bd(?:ies?|ied|ying)\b"
    r"|\bsays?\b|complain|throw|panic|kill|abort|cannot|can't|could(?: not|n't)|does(?: not|n't)|unable|conflict"
    r"|mismatch|warn|not found|no such|reject|\bexits?\b|finds no|runs? out|asks? for|\bwants?\b|answers|stops?\b|flak"
    r"|means|\bends? (?:in|with)\b|(?-i:\b(?:V?ERR_|E[A-Z]{4,}\b|SIG[A-Z]{3})|^\W*(?:[A-Z][a-z]+){3,}\b)"
    r"|失败|异常|遇到|超时|拒绝|找不到|提示|出现|显示|闪退|不了|不上|无法|冲突|溢出|返回|屏蔽|[报错崩卡缺挂断说超抛]"
)
"""Words of a memory that describes an error."""

_ERROR_NAME = (
    r"\b(?:ERR_\w+|E[A-Z]{4,}|[A-Z]\w+::[A-Z]\w+|[A-Z]\w*(?:Error|Exception)|[A-Z]{2,}-?\d{3,}"
    r"|(?i:http|status|code|error)[ =:](\d{3,5}))\b"
)
_SAME_ERROR = 0.65
"""An error with a smaller share of the words of a quoted error is another error."""


def _messages(text: str) -> list[str]:
    """Return the errors that a memory quotes, reports or adds in brackets. Quotations in the remedy are left out."""
    found: list[str] = []
    for match in [*re.finditer(_QUOTED, text), *re.finditer(_REPORTED, text)]:
        before = text[: match.start()]
        if (found or not _is_trouble(match[0])) and (";" in before or "；" in before):
            continue
        if match[0][0] == "`" and not re.search(_REPORTS, before):
            continue
        if match[0][0] in "(（" and (not _is_trouble(match[0][1:-1]) or re.search(_ERROR_NAME, before)):
            continue
        least = 3 if match.re.pattern == _REPORTED or re.search(r"。|\.\s", before) else 2
        found += [one for one in match.groups() if one and ("_" in one or len(_tokens(one)) >= least)]
    return found


def _is_code_in(word: str, error: str, text: str) -> bool:
    """Return whether a word of an error is a code: it has digits or signs, or is spelled as in a memory's text.

    Such a spelling is `EPipe`, or `EPIPE` with no other word in capitals next to it.
    """
    paths = re.findall(rf"[\w./-]+/{re.escape(word)}", text.lower())
    if paths and not any(path in error.lower() for path in paths):
        return False  # a file in another folder
    if not word.isalpha():
        return not (word.endswith(_HOSTS) or (re.fullmatch(r"[a-z]+\d\d?", word) and word in text))  # as `psycopg2`
    at = error.lower().find(word)
    found = error[at : at + len(word)]
    if len(found) < 5 or found not in text:
        return False
    if not found.isupper():
        return any(char.isupper() for char in found[1:])
    return not re.search(rf"[A-Z]{{2,}} {re.escape(found)}\b|\b{re.escape(found)} [A-Z]{{2,}}", error)
