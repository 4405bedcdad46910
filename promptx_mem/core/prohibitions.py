"""Prohibitions: the parts of a text that forbid something, completed with their commands or files.

A prohibition often names its command in the sentence before: "mvn deploy pushes snapshots. Never do it locally."
"""

import functools
import re
from collections.abc import Callable, Iterator

from promptx_mem.core.acts import ACTS, CHINESE_PLACES, CLIENTS, GROUP_OF, PARTS, with_aliases
from promptx_mem.data import traditional_characters

_PREPOSITIONS = (
    "on in to for with against from at into over via inside outside within onto toward towards under through below "
    "beneath hit"
)
_OTHER_WORDS = (
    "a an the this that these those them your our my any all during before after without by again directly manually "
    "here there unless until when while and or if because since as it is are be was not ever anymore except but "
    "instead than of once locally yourself things anything anywhere twice must should can will would has have alone "
    "between suite tool together you we they above beyond exceeding"
)
PLACED = frozenset(_PREPOSITIONS.split())
PROSE = PLACED.union(_OTHER_WORDS.split())
NEVER_WORDS = frozenset({"never", "not"})
RUNS = NEVER_WORDS | {"run", "use", "call", "execute", "start", "running", "using", "invoke"}
SKIPPED = frozenset(["the", "a", "full", "whole", "bare", "blanket", "plain", "npx", "bunx", "uvx"])
"""Words that can be between a verb of `RUNS` and the program, such as "the"."""

ELEVATED = frozenset({"sudo", "doas"})
"""Programs that give a command more rights. A prohibition that names one is only about commands with one."""


_ADVERBS = "[再直接随便手动工批量擅自私轻易去来]{0,6}"
_DO = "用|跑|执行|运行|调用|使用|带|加|改|删|修改|编辑|覆盖|动|碰|写|传|设|提交|推|合|部署|发布|重|安装|升级|清|停|回滚"
NEVER = (
    r"\b(?:(?<!was )(?<!were )(?<!has )(?<!have )never|do not|don['’]?t|must not|mustn['’]?t)\b"
    r"(?!-| (?:need|have to|require))"
    r"|不要(?![紧求])|禁止|禁用(?=[,，。;；]|$)|严禁|勿|不(?:允许|[准得许])(?![不确已])|[绝从永]不(?!要|[会是能可])|切忌"
    rf"|(?<![为以来能了])避免(?={_ADVERBS}(?:{_DO}|[在对把往]))"
    rf"|不(?:能|可以?|应该?|让)(?={_ADVERBS}(?:(?:[在对往向给把从]|为了)[^,，。；\n]{{1,24}}?)?(?:{_DO})| ?`| [a-z])"
    r"|(?<![特区级类识分个辨差性判鉴告送离])别(?![人的名处样称针])"
)
_JOB = r"(?:正在\S{1,3} ?)?`?(?:make|npm|pnpm|yarn|cargo|mvn|gradle|go|git|docker|terraform|py(?:thon|test))\b"
_NEGLECTS = (
    r"(?i)^\W*(?:(?:ever|just|be|get|feel|too) )*(?:forget|neglect|interrupt|blam|miss\b|worr|afraid|scared|lazy|panic"
    r"|trust|give up|surpris|guess|impatient|hesitat|mind\b|know\b|understand|expect|confus|mix up|wait\b|stop at\b"
    r"|rely\b|(?:skip|omit|ignor|[跳略]过|省略|忽[略视])"
    r"(?!.*(?:\b(?:with|using|via|by)\b|通过|[ `]-))"  # the means is forbidden, as in "skip tests with -DskipTests"
    rf"|(?:stop|kill|cancel|abort|pause) (?:the |a )?(?:running )?{_JOB}"
    r"|[再又总太要想去]*(?:[遗忘漏]|错过|中断|打断|担心|害?怕|[着心]?急|慌|偷懒|犹豫|在意|介意|理会"
    rf"|管(?!理)|等|混|以为|指望|奇怪|嫌|(?:停|终|中|取消|杀|关)[止掉]? ?{_JOB}))"
)
"""Verbs that, after "never", do not forbid their object: skip, forget, interrupt, worry about."""

_RULED = r"(?:we|you|they|i|it|and|or|so|but|to|must|please|should|can|may|agents?|bots?|teams?|developers?|one)"
_FACT = (
    rf"(?i)(?:^|\s)(?!{_RULED} )\S+[`\w)] (?:never (?:ever )?(?!aws|rails)(?:[a-z]+(?<![suia])s|had|once|failed|got)\b"
    r"|(?:(?:must|should) (?:not|never)|mustn['’]?t) "
    r"(?:take|show|report|print|contain|emit|drop below|exceed|fail|return|last|find|warn)\b)"
    r"|\b(?:i|we|they|he|she) never (?:[a-z]+ed|found|understood|saw|got|knew|had|came|took|did)\b"
    rf"|(?:{NEVER})[^\"'”’]*[\"'”’] ?(?:is|was|has|no|已).*(?:outdated|obsolete|longer|expired|wrong|过时|失效|作废)"
    rf"|(?:`[^`]* [^`]*`|(?<![\w./-])[a-z][\w-]* [a-z:-]+) ?[绝从永]不(?!{_ADVERBS}[用跑执运使调部发在])"
)
"""A fact, as in "`npm ci` never changes the lockfile". Its subject is a command, or it is about the past."""

_CLAUSES = (
    r"(?i)[;；。！？!\n，]|,(?=[\s\u3400-\u9fff]|[\w.-]+ ?[\u3400-\u9fff])|(?<=[^\s.])\.(?=\s|$)|\bbut\b"
    r"|(?<=`) (?=(?:always )?use `)|(?=\b(?:instead|rather)\b|而是|改用|请用)"
)
REDIRECT = r" [<>|] "
_ALLOWS = (
    r"(?i)^\s*run (?:\S+ )?\S+\s*$|(?<!-)\b(?:use|only|instead|rather|fine|ok(?:ay)?|allowed|enough)\b"
    r"|^\W*always (?:\w+ )?`?-|只|先(?!前|生)|(?<![共不])用(?!户|来)|[走加连放到] ?[`A-Za-z0-9-]|可以|交给|没问题"
)
"""Words of a clause that allows or recommends something else."""

_HARM = r"(?i)\b(?:kill|broke|lost|los(?:es|ing)|wip(?:ed?|ing)|delet|crash|destroy|corrupt|brick|took down|hung|hangs)"
"""Words of damage. A clause about damage recommends only by _ALLOWS."""

_NOUN = "(?:file|folder|directory|bucket|dataset|table|flag|option|command|goal|task|target|script)s?"
_INNER = "enum|class|function|constant|field|method|variable|order|default|limit"
"""Nouns for a part of a file, as in "never reorder that enum"."""
_PRONOUN = (
    rf"(?i)\b(?:it|them|(?:this|these|those|that)(?: {_NOUN})?)\W*$|\b(?:it|they|this|that|these) must\b"
    rf"|(?:{NEVER}) (?:\S+ ){{1,6}}?(?:it|them|there|that)\b(?! (?:{_INNER})\b)"
    r"|[里上]面|它|其中|该(?! )|这[个条份]|(?<![\w`] )这种"
)
"""A pronoun for the files or the command in an earlier clause."""


_CHANGES = "patch|touch|edit|change|modify|write|overwrite|delete|remove"
_SINGLE = frozenset({
    "black", "prettier", "ruff", "eslint", "isort", "gofmt", "rustfmt", "jest", "vitest", "pytest", "sed", "rsync",
    "scp", "ssh", "curl", "wget", "jq",
})  # fmt: skip
"""Programs with one purpose. In "never format X with black", the verb is not a subcommand of black."""


def _with_program_first(match: re.Match[str]) -> str:
    """Return, for example, "never run PROGRAM VERB OBJECT" for "never VERB OBJECT with PROGRAM"."""
    never, verb, what, program = match.groups()
    if program == "curl" and (method := re.search(r"\b[A-Z]{3,}\b", f"{verb} {what}")):
        return f"{never} run curl on {what.replace(method[0], '')} {method[0]}"  # as in -X DELETE
    if what.strip().partition(" ")[0].lower() in PARTS:
        return f"{never} run {what}"
    is_alone = program in CLIENTS | _SINGLE or verb in program or " " in program
    if " " in program and re.fullmatch(r"[a-z][\w-]*[^\Ws]", what):
        return f"{never} run {program} {what}"
    what = re.sub(r"^[A-Z]\w+ (?=[a-z]+s\b)", "", what)  # as in "Kubernetes namespaces"
    return f"{never} run {program} on {what}" if is_alone else f"{never} run {program} {verb} {what}"


_USUAL = rf"(?:{'|'.join(PROSE)}|them)\b"
_OF_PROGRAM = rf"`?(?!{_USUAL})([a-z][\w-]+(?: (?!{_USUAL})(?:[a-z]|--?)[\w-]*){{0,3}})`?(?=\s*$| {_USUAL})"
_WITH_PROGRAM = (
    rf"(?i)({NEVER}) ((?!(?:{'|'.join(RUNS)})\b(?! it | them ))\w+) ((?!-)(?:(?!\b(?:because|since)\b).)+?) "
    rf"(?:with|using|via|through|in(?= psql| mysql)) {_OF_PROGRAM}"
)


BARE_FILE = r"[A-Z][A-Z_]{3,}|[A-Z][a-z]+file"  # a name without a suffix, such as LICENSE
_FILE_IN = rf"\b(the|edit|change|touch|modify) ([\w-]+\.\w+|{BARE_FILE}) (?:in|under) (?=\S*/)([\w./-]*[\w-])/?"
WORDS = (
    "never", "do not", "don't", "don’t", "dont", "must not", "mustn", " no ", "forbid", "prohibit", "banned", "no-go",
    "no-no", "off limits", "not allowed", "not permitted", "not to ", "禁", "勿", "不要", "不允许", "不准", "不得",
    "不许", "不能", "不可", "别", "別", "嚴", "絕", "許", "不应", "不让", "绝不", "从不", "永不", "避免", "切忌",
    "may not", "shall not", "should not", "shouldn", "nobody", "nothing", "hands off", "away from", "clear of",
    "alone", "avoid", "refrain", "not an option", "not something", "not done", "not run", "unchanged", "untouched",
    "保持", "只读", "read-only", " as is", " not ok", " not fine", "not acceptable",
)  # fmt: skip
"""Words of prohibition. They are searched for in a text in lower case that begins with a space."""

_FOLDER = (
    r"(?i)\b(?:the|our) (?!(?:whole|entire|same|current|parent|home|root|project|working|shared|target|output|other)\b)"
    r"`?([a-z][\w-]*)`? (?:directory|folder|dir)\b"
)
_DONE = r"(?!need|requir|support|confus|enough)(?:\w{2,}ed|\w+ten|run|sent|put|reset)"
_WHO = (
    r"(?:nobody|no one|(?:no|none of the) (?:agent|human|developer|person|bot|script|job|engineer|tool)s?) "
    r"(?:(?:may|should|must|can|is|to|allowed|ever|just) )*"
    r"(?!(?:ha[sd]|have|is|was|knows?|needs?|noticed|remembers?|wants?|uses|could|did|will|else)\b)"
)


def _base(verb: str) -> str:
    """Return the base form of a verb: run for "running" and "runs", delete for "deleting"."""
    verb = verb.lower()
    if not verb.endswith("ing"):
        return re.sub(r"(?<=sh|ch|ss)es$|(?<!s)s$", "", verb)
    stem = verb[:-3]
    if re.search(r"([bdgmnprt])\1$", stem):
        return stem[:-1]
    is_short = re.search(r"(?:[^aeiou]|qu|^)[aeiou][^aeiouwxy]$|[^aeiou][gv]$|[bd]l$", stem)
    return f"{stem}e" if is_short and not re.search(r"(?:(?<!wr)it|er|en|(?<!st)or)$", stem) else stem


def _usual_subject(match: re.Match[str]) -> str:
    """Return "never run X" for "X is forbidden", "never touch X" for a file X, "never delete x" for "deleting x …"."""
    whole, done = match[1].strip(), match[2] or ""
    subject = whole.rpartition(": ")[2] if re.search(rf"{NEVER}|{_STATED}", whole, re.IGNORECASE) else whole
    first, _, rest = subject.partition(" ")
    if re.search("(?<!th)ing$", first, re.IGNORECASE) and rest:
        return f"never {_base(first)} {rest} "
    is_file = re.fullmatch(rf"(?:the )?(?:{_NOUN} )?`?[\w./*-]*(?:[\w*-]/[\w.*/-]*|\.\w+)`?", subject) is not None
    if participle := re.search(r"be (?!used|called|executed|invoked|played|triggered|started)((\w+)ed)$", done):
        is_file |= re.search(r"[./]\w", subject) is not None
        if is_file:
            return match[0].replace(done, f"must never be {participle[1]}")
        return f"never {_base(f'{participle[2]}ing')} {subject or 'it'} "
    is_file |= re.match(r"for (?:\w+ )?(?:chang|edit)", match.string[match.end() :].lstrip()) is not None
    return f"never {'touch' if is_file and not re.search(_AS_COMMAND, done) else 'run'} {subject} "


_AS_COMMAND = r"\b(?:used|run|called|executed|invoked|started)\b"
_FORBIDDEN = (
    r"(?i)^(?:[^\w-]|-(?![\w-])|(?:so|and|thus|therefore|hence|which|it|they|this|that) )*(?:.*\bthat )?(.*?)\b"
    r"((?:(?:is|are) )?not to be \w+|(?:is|are) (?:not|never) (?:an option|ok(?:ay)?|fine|acceptable)"
    r"|(?:is|are) (?:a no-?go|a no-no|off limits)"
    r"|(?:is|are) (?:not something (?:you|we|agents) (?:should )?|something (?:you|we|agents) (?:do not|never) )\w+"
    r"|(?:is|are) (?:not|never) (?:done|run|used) (?:locally|here|manually|by (?:hand|agents))"
    r"|(?:(?:is|are) )?(?:strictly |absolutely )?(?:forbidden|prohibited|banned|not (?:allowed|permitted))"
    r"|must (?:not|never) be (?:used|run|called|executed|invoked|played|triggered|started|\w+ed)"
    r"|(?:is|are) never (?:to be )?(?:used|run|called|executed|invoked|started))\b(?: ?:.*)?"
)
_VERBS = {
    "重启": "restart", "部署": "deploy", "发布": "publish", "升级": "upgrade", "更新": "update", "安装": "install",
    "卸载": "uninstall", "回滚": "rollback", "重置": "reset", "推送": "push", "推": "push", "提交": "commit",
    "合并": "merge", "停止": "stop", "停掉": "stop", "启动": "start", "扩容": "scale",
    "缩容": "scale", "迁移": "migrate", "上传": "upload", "删除": "delete", "删掉": "delete",
    "删": "delete",
}  # fmt: skip
"""Chinese verbs, and the subcommands that they name."""

LEADING = frozenset({
    "python", "python3", "node", "bash", "sh", "docker", "npm", "pnpm", "yarn", "bun", "gh", "aws", "gcloud", "az",
    "kubectl", "git", "systemctl", "deno", "php", "rails", "cargo", "helm", "brew", "apt", "apt-get", "pip", "prisma",
    "alembic", "django-admin", "mix", "heroku", "fly", "flyctl", "vercel", "supabase",
})  # fmt: skip
"""Programs that a prohibition rarely forbids without a subcommand."""


def _with_english_verb(match: re.Match[str]) -> str:
    """Return "不要 never restart nginx" for "不要重启 nginx", and "用 npm never update" for "用 npm 更新依赖"."""
    before, verb = match.groups()
    program = re.search(r"[用跑行] ?`?([A-Za-z][\w.-]*)", before)
    is_manager = program and program[1] in LEADING and before.strip("` ").endswith(program[1])
    if re.search("[ `]-|[把将]", before) or (program and not is_manager):
        return match[0]  # the clause names its command
    return f"{before} {_VERBS[verb]} or add " if program and verb == "安装" else f"{before} never {_VERBS[verb]} "


_CLAUSE_REPLACEMENTS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (_FOLDER, r"\1/"),
    (r"(?i)\bforce[- ]push(?:ing|es)?\b|强推", "git push --force* "),
    (r"(?i)\b(do|must)n['’]t\b", r"\1 not"),
    (rf"(?i)\b(?:may|shall|should) ?n(?:o|['’])t(?= (?:ever )?be {_DONE}\b)", "must not"),
    (r"(?i)\b(you|we|one|agents?|developers?|they) (?:may|shall|should) ?n(?:o|['’])t\b", r"\1 must not"),
    (r"(?:不要|禁止|严禁|切勿|不(?:允许|[得能准许])|别)(?:漏掉?|少了?|忘记?了?加?|省略) ?(-\S+)", r"禁止不带 \1"),
    (rf"(?i)\b{_WHO}(\w+)", lambda match: f"never {_base(match[1])}"),
    (
        rf"(?i)\b(?:nothing|no files?) (?:in|under|below|inside|of|within) (\S+) (?:\w+ ){{1,3}}({_DONE})\b",
        r"never be \2 in \1/",
    ),
    (r"(?i)\b(?:keep your )?(?:hands off|(?:stay|keep) (?:away|clear) (?:from|of))( )", "never touch "),
    (r"(?i)^\s*avoid (?=`|[a-z]+ (?:[a-z]+ )?--?[a-z])", "never run "),
    (r"(?i)(?<!to )\b(?:avoid|refrain from) (\w+ing)\b", lambda match: f"never {_base(match[1])}"),
    (r"(?i)\bno (?:\w+ )?(?:changes|edits|modifications) (?:to|in|under) ", "never change "),
    (
        r"(?i)\b(never|do not|must not) \w+ (`?-[\w=-]+`?) when (?:(?:you|we) )?(?:run(?:ning)? )?`?([a-z][\w-]+)`?",
        r"\1 run \3 \2",
    ),
    (_FORBIDDEN, _usual_subject),
    (
        rf"({NEVER})[把将] ?`?([A-Za-z.][\w./*-]*?)`? ?(?:文件|分支|服务)? ?({'|'.join(_VERBS)})(?:[到进回入至]了?)?",
        lambda match: f"{match[1]} never {_VERBS[match[3]]} {match[2]} 到",
    ),
    (
        rf"((?:{NEVER})[^，。；;]{{0,30}}?)({'|'.join(_VERBS)})(?! ?[到了]? ?`?[\w.*-]*[./])(?:代码|依赖|数据|操作)?",
        _with_english_verb,
    ),
    (r"(?i)\bunder no circumstances (?:(?:should|may) (?:you|we|agents) )?", "never "),
    (_WITH_PROGRAM, _with_program_first),
    (_FILE_IN, r"\1 \3/\2"),
)
"""Other wordings of a prohibition, and the usual wording: "never run", the program, the arguments."""

_CIRCUMSTANCE = (
    r"(?i)\b(?:before|after|until|while|when|because|since)\b(?! running)"
    r"|(?<=[^\s勿要止])[:：](?=[\u3400-\u9fff])|(?<=[`\w])：(?=[a-z]\w+ ?[\u3400-\u9fff])|(?<=`) ?[:—–] "
    r"| [—–-] (?=\w)|(?-i:: (?=[A-Z]\w+ (?:[A-Z]\w* )?[a-z]+s\b))"
    r"|(?:: |[—–(] ?)(?=(?:it|its|the|an?|this|that|these|they|we|our|all|last|one)\b)"
)
"""The beginning of a circumstance or a reason."""

WITHOUT = (
    r"(?i)\bwithout\b|\bwith no\b|\bunless\b|\bexcept\b|\bwith the exception of\b|\bapart from\b"
    r"|\bother than\b|\boutside\b(?= (?:of )?(?:the )?[-`\w])"
    r"|不带(?=[\u3400-\u9fff])|[(（](?=[^()（）]*除外)|除非|除了|只能|只允许"
)
STATEMENT_MARK = "\x01"
"""Separates a prohibition that names no command from an earlier statement that can name the command."""

ALTERNATIVE_MARK = "\x02"
"""Separates a prohibition from the alternatives named later in the text."""

_SUCH_AS = r"例如|比如|尤其|特别是|such as|for example|especially|above all|in particular|e\.g\."
TOKENS = r"`([^`\n]+)`|([A-Za-z0-9_.@~+/:=*\-]+)"
_EVERY = "/..."  # in Go, all packages, as in ./...
_CHINESE_RUNS = ("执行", "运行", "使用", "调用", "用", "跑", "敲", "调")
_FORBIDDEN_TO = rf"[里中上]?(?:{NEVER})[再直接随便手动工]*(?:执行|运行|用|跑|写|带|加)?"
_PLAIN = (
    r"k8s|s3|ec2|e2e|i18n|(?:pre|post|non|re|co|un|long|short|read|write|built|third|high|low|open|self|old|new)-[a-z]+"
    r"|\w+-(?:managed|based|owned|only|wide|level|backed|side|time|free|safe|specific|related|generated)"
)
DOES = frozenset({
    "do", "skip", "add", "pass", "set", "give", "put", "try", "append", "include", "configure", "build", "compile",
    "flash",
})  # fmt: skip
_VERB = (
    rf"(?i)^\s*(?:(?:ever|even|just|again)\s+)?(?:{'|'.join((*RUNS, *DOES))}|{_CHANGES}"
    r"|[再直接随便手动工]*(?:执行|运行|使用|调用|用|跑|加|带))(?![\w-])"
)
"""A verb after "never" that does not name a command or file, such as "run" or "edit"."""

EDITS = rf"(?i)(?<!-)\b(?:{_CHANGES}|overwrit|alter|commit|hand-?edit)|[改写删]|(?<![手自])动|编辑"
_PLURALS = "instances|pods|secrets|images|volumes|networks|services|nodes|users|tags|keys|clusters|packages|tests|jobs"
STATES = (
    rf"(?!(?:this|always|status|logs|{_PLURALS})$)[a-z]{{3,}}s|[a-z]{{3,}}ed|(?!apply|reply|supply)[a-z]{{3,}}ly"
    r"|is|are|was|were|will|would|can|cannot|may|must|should|has|have|had|do|did|also|only|goes|went|made|took|hid|kept"
    r"|lost|broke|cost|left|wrote|rewrote|overwrote|ate|blew|brought|hung|threw|ran|gave|got|sent|when|while|because|since|and|as|so|that|which|from"
)
"""Words that end the command at the start of a statement. In "mvn deploy pushes …", `pushes` ends `mvn deploy`."""

_LISTED = rf"(?:{'|'.join(ACTS)}|up|down|edit|replace|create|init|build|reset|drop)\b"
_OR = r"(?:, ?(?:or )?| or |、|/| ?(?:和|或者?|以及) ?)"


def _with_program_each(match: re.Match[str]) -> str:
    """Return "`kubectl apply` or `kubectl edit`" for "`kubectl apply` or `edit`"."""
    quote, program, first, others = match.groups()
    names = [name for name in re.split(f"{_OR}`?|`", others) if name]
    if any(name.partition(" ")[0] in {program, *LEADING} for name in names):
        return match[0]
    return " or ".join(f"{quote}{program} {name}{quote}" for name in (first, *names))


_STATED = r"\b(?:is|are|was|were|has|have|comes?|gets?)\b|[由是从会有]|根据|来自"
_PLACE = "|".join(word for word in GROUP_OF if word.isascii())
_TEXT_REPLACEMENTS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\bout of\b", "from"),
    (r"\| sudo\b", "|"),
    (r"(?i)\bpipe (?:the output of )?`?([a-z][\w-]*)`? (?:in)?to (?:a |prod )?`?(\w+?)`?(?:ell)?\b", r"run `\1 | \2`"),
    (r"[把将] ?`?([a-z]+)`? ?的?(?:输出|内容|结果)?[直接]*(?:管道|pipe|传)[给到进] ?`?([a-z]+)`?", r"执行 `\1 | \2`"),
    (
        r"(?i)\b(?:must|should) (?:stay|remain|be (?:left|kept)) (?:un(?:changed|touched)|as (?:is|it is|they are)\b)",
        "must not be changed",
    ),
    (
        r"(?i)(?<!\S)((?=\S{0,99}[/.]\w)\S{1,99}) (?:is|are|stays?|remains?|must be) (?:[\w-]{1,20} ){0,4}?read-only\b",
        r"\1 must not be changed",
    ),
    (r"[都是为设成保持]{0,3}只读(?:(?![\u3400-\u9fff])|的|目录|文件)", "保持不变"),
    (r"(?<=[\w/`]) ?(?:里?面?的?(?:内容|文件|目录|代码))? ?(?:必须|务必|应当?|要)?保持(?:原样|不变)", " 不要修改"),
    (r"(?i)\b((?:never|not|n['’]t) [a-z]+), ([a-z]+),? or (?=[a-z]+ )", r"\1 or \2 or "),
    (r"(?i),? and (?=off limits)", "; it is "),
    (r"(?i)\bansible playbook (?=\S+\.ya?ml)", "ansible-playbook "),
    (r"[，,] ?(?:或者?|以及|or) ?(?=`|[a-z][\w.-]+ (?:[a-z]+ )?-|[a-z][\w.-]+ [\w:.-]+(?:[，。；]|$))", " or "),
    (r"(?i)\b(?:agreed|decided|asked|told|careful) not to (?!be\b)", "that we never "),
    (r"(?:[，,] ?|在)?没有 ?(-\S+) ?(?:\S{,6}的情况下|就?会|时|(?=不要|禁止))", r"不带 \1 的"),
    (r"(?<![\w*./])`?(\.(?:\w+\.)*[a-z]\w+)`?(?= ?(?:结尾|后缀|files?\b)|,? (?:under|in|below) [\w./-]+ )", r"*\1"),
    (r"(\*\.[\w.]+) (?:files )?(?:under|in|inside|below) (?:the )?([\w.-]+(?:/[\w.-]+)*)/?", r"\2/\1"),
    (r"(?i)\b(?:run|apply|execute|running|applying|executing) (?:\w+ )?migrations?\b", "migrate"),
    (rf"({NEVER})(?:直接|擅自|私自|随便|随意|轻易)+ ?(?=`|[a-z])", r"\1 "),
    (rf"(`)([a-z][\w-]+) ([a-z][\w -]+)`((?:{_OR}`[a-z]\w+(?: [\w=-]+)*`)+)", _with_program_each),
    (rf"()\b(docker compose|[a-z][\w-]+) ({_LISTED})((?:{_OR}{_LISTED})+)(?! (?:the|any?|our) )", _with_program_each),
    (r"`([A-Za-z][\w.:]*)\([^()`\n]*\)`", r"`\1`"),
    (r"[:：](?=禁止|严禁|切勿|不要|不准)", "；"),
    (r"\b(?!(?:the|a|an|this|that|any)\b)([a-z][\w-]+) (?:flag|option|switch) (?=`?--?[a-z])", r"\1 "),
    (r"\b([a-z][\w-]+) 里面?的? ?(?=(?:DROP|DELETE|TRUNCATE|OPTIMIZE|ALTER|UPDATE|INSERT)\b)", r"\1 "),
    (r"\b([A-Za-z][\w-]+)['’]s (?=--?[a-z])", lambda match: f"{match[1].lower()} "),
)
"""Unusual wordings anywhere in a text, and the usual wordings."""

_PART = r"(?:(?!目录|文件夹|[里下中]的|[里下][面边])[\w.+-]){1,60}"
_CHINESE_PATH = (
    rf"(?=[\w./+-]{{0,99}}[\u3400-\u9fff])\.{{0,2}}/?(?:{_PART}/){{0,9}}"
    rf"(?:{_PART}\.[a-zA-Z][a-zA-Z0-9]{{0,7}}(?![a-zA-Z0-9_/])|{_PART}/(?![\w.])|(?<=/){_PART}(?= ?(?:目录|文件夹)))"
)
_BEFORE_PATH = (
    rf"((?:{NEVER}){_ADVERBS}[把往对到在]?(?:修改|编辑|删除|覆盖|移动|写[入到]?|改动?|[动碰删])?|[、和或])"
    rf"(?={_CHINESE_PATH})"
)
"""A path with Chinese characters (a file with a suffix, or a folder), and the text before such a path."""

_LONGEST, _MOST = 2_000, 4
"""Limits of the search: characters of a text, and clauses before a prohibition."""

_FORMERLY = r"(?i)以前|之前|过去|曾|\b(?:used to|previously|earlier|formerly|once)\b"
_NOW = r"(?i)\W*(?:but |and |但是?)?(?:now\b|现在)"
"""Words of a former prohibition, and the beginning of a clause that lifts it."""

_PERSONS = frozenset({"you", "we", "i", "please", "just", "to", "so", "therefore", "thus"})
_OF_OTHERS = r"(?i)\W*only (?:the |our )?[\w -]{1,40}? (?:may|can|should|must|(?:is|are) allowed to)\b"
"""The beginning of a statement about other people, such as "Only the team may …"."""


def _is_chinese(text: str) -> bool:
    return re.search("[\u3400-\u9fff]", text) is not None


def clauses(text: str) -> list[str]:
    """Return the prohibitions in a text, each meaning with the exceptions and alternatives in later parts."""
    text = text[:_LONGEST]
    if not _may_forbid(text):
        return []
    out: list[list[str]] = []  # for each prohibition, the clauses that it can mean
    before: list[str] = []
    text = _with_quoted_paths(text)
    for form, usual in _TEXT_REPLACEMENTS:
        text = re.sub(form, usual, text)
    text = re.sub(
        rf"(?i)(\b(?:{STATES})\b[^:.;!?\n]{{0,200}}): (?=(?:never|do not|don['’]?t|must not)\b)", r"\1; ", text
    )
    for found in filter(None, re.split(_CLAUSES, text)):
        part = found
        if _may_forbid(found):
            part = functools.reduce(lambda words, form: re.sub(form[0], form[1], words), _CLAUSE_REPLACEMENTS, found)
        if out and re.match(rf"(?i)\s*(?:{WITHOUT[4:]}|{_SUCH_AS})", part):
            out[-1] = [f"{clause} {part}" for clause in out[-1]]
            continue
        if never := re.search(NEVER, part, re.IGNORECASE):
            if re.search(_NEGLECTS, part[never.end() :]) or re.search(_FACT, found):
                before.append(part)
                continue
            clause = part[: never.end()] + re.split(_CIRCUMSTANCE, part[never.end() :])[0]
            out.append(_completed(before, clause, never))
        elif out and re.match(_NOW, part) and re.search(_FORMERLY, before[-1]):
            out.pop()
        elif out and (re.search(_ALLOWS, part) or ("`" in part and not re.search(_HARM, part))):
            words = [] if re.match(_OF_OTHERS, part) else _arguments(part)
            out[-1] = [
                clause + "".join(f"{ALTERNATIVE_MARK}`{word}`" for word in words if word.lower() not in clause.lower())
                for clause in out[-1]
            ]
        before.append(part)
    found = [clause for meant in out for clause in meant]
    return [*found, *(other for clause in found for other in with_aliases(clause, text.lower()))]


def _with_quoted_paths(text: str) -> str:
    """Return a text with simplified characters, in which paths with Chinese characters are in backticks."""
    if not _is_chinese(text):
        return text
    text = re.sub(rf"(?<![\w./`])(?:{_CHINESE_PATH})", r"`\g<0>`", re.sub(_BEFORE_PATH, r"\1 ", text))
    parts = re.split("(`[^`\n]+`)", re.sub("``+", "`", text))
    return "".join(part if at % 2 else part.translate(traditional_characters()[1]) for at, part in enumerate(parts))


def _may_forbid(text: str) -> bool:
    lowered = f" {text.lower()}"
    return any(word in lowered for word in WORDS)


def _arguments(text: str) -> list[str]:
    """Return the flags, paths, environments and code names in a text; in Chinese, all Latin words."""
    places = re.findall(CHINESE_PLACES, text)
    words = (word.rstrip(".:") for word in _words(text))
    is_name = _is_chinese(text)
    named = re.findall(r"(?i)\bonly (?:in|into|on|to|for|from) (?:the )?`([\w.-]+)`", text)
    return [
        *places,
        *named,
        *(word for word in words if is_name or word[:1] == "-" or kind_of(word) or re.search(r"\d", word)),
    ]


def _words(text: str) -> list[str]:
    return [word for match in re.finditer(TOKENS, text) for word in (match[1] or match[2]).split()]


_MEANWHILE = "(?:时候?|期间|过程中|之?[前后])[，,]? ?$"
_REPEATS = "[用跑行做搞干试敲发推上合带加]|[这那]样|^的"
_REFERS = "[改写删换移挪清丢扔添加放碰修填插动]|编辑|覆盖|更新|生成|调整"
"""Words of a Chinese prohibition that can refer to an earlier command or file."""
_KEEPS = "[\u3400-\u9fff](?:留着|保留|放着|保持不变|照旧)[，,]? ?(?:就|先|都)?$"
"""The end of the text before a word of prohibition, if it names the object, as in `正式版留着别动`."""


def _completed(before: list[str], clause: str, never: re.Match[str]) -> list[str]:
    """Complete a prohibition that does not name its command, as in "run `make x` by hand? Never". Return any other.

    `before`: the earlier clauses. Return the prohibition with each command in the last 4, or with files. Also return
    the prohibition with each of the 4, after `STATEMENT_MARK`. Return [] if it is about another act.
    """
    if re.search(_KEEPS, clause[: never.start()]):
        return []
    commands = [command for part in reversed(before[-_MOST:]) for command in _commands_in(part)]
    rest = clause[never.end() :]
    if re.search(EDITS, clause) and not re.search(_PRONOUN, clause) and any("." in name for name, _ in files_of(rest)):
        return [clause]
    tail = re.sub(_VERB, "", rest)
    words = _words(tail)
    first = words[0].rstrip(".:").lower() if words else ""
    arguments = {part for command in commands for part in re.split(r"[\W_]+", command.partition(" ")[2])}
    known = {*PROSE, *RUNS, *NO_VALUES, *arguments, ""}
    is_own = any(word[:1] != "-" and word.lower() not in known for word in words)
    if _is_chinese(tail):
        is_own &= not re.search("(?:执行|运行|使用|调用|用|跑)$", tail)
        is_aside = re.search(_MEANWHILE, clause[: never.start()]) and not re.search(_REPEATS, rest)
        if not words and rest.strip() and (is_aside or not re.search(rf"{_REPEATS}|{_REFERS}", rest)):
            return []  # as in "git commit 时不要写英文"
    else:
        is_own &= first[:1] != "-" and first not in known
    is_own |= _is_chinese(clause) and bool(_commands_in(clause[: never.start()]))
    is_alone = not clause[: never.start()].strip(" ,:") and len(words) == 1 and first.isalpha()
    is_own &= not (is_alone or re.match(rf"\s*(?:\w+ )?(?:it|them|this|that|so)\b(?! (?:{_INNER})\b)", rest))
    if is_own and not re.search(_PRONOUN, clause):
        is_bare = _is_chinese(clause) and all(word.isalpha() and word.islower() for word in words)
        files = _files_in(before[-1:]) if is_bare else ""
        return [clause, *([f"{clause} on {files}"] if files else [])]
    said = [f"{clause}{STATEMENT_MARK}{part.strip()}" for part in before[-_MOST:]]
    files = _files_in(before) or (_names_in("".join(before[-1:])) if is_own else "")
    if not is_own and commands and not (files and re.search(EDITS, clause)):
        if first[:1] == "-":  # another flag of the command
            commands = [re.split(" `?-", command)[0].replace("`", "") for command in commands]
        if not re.search(EDITS, clause):
            return [*(f"{clause[: never.end()]} run {command} {tail}" for command in commands), *said]
        files = " ".join(f"/{word}" for word in commands[0].replace("`", "").split() if word.isidentifier())
    is_script = re.search(r"(?:执行|运行|调用|跑)$", clause) and re.search(r"\.(?:sh|py|js|rb)$", files)
    return [f"{clause} {'' if is_script else 'on '}{files}" if files else clause, *said]


def _commands_in(part: str) -> list[str]:
    """Return the commands that a statement names. Each command ends before the next verb."""
    part = re.sub(r" ?\([^()]*\)", "", part)
    if quoted := re.search(r"(?<!\b(?:on|in|of|to) )`[a-z./][^`]+`", part):
        bare = "bare " * (re.search(r"(?i)\bbare $", part[: quoted.start()]) is not None)
        return [bare + " ".join([quoted[0], *_up_to_verb(["", *part[quoted.end() :].split()])])]
    more: list[str] = []
    if _is_chinese(part):
        found, more = phrases_of(part), re.findall(CHINESE_PLACES, part)
        more += [f" 不带 {flag}" for flag in re.findall(r"(?:必须|一定要?|务必)[带加用]? ?(-[\w-]+)", part)]
        more += re.findall(r"不[带加指][^，。会将]*", part)
    else:
        found = [text.replace("`", "").split() for text in re.split(r":\s", part)]
    out: list[str] = []
    for words in found:
        while words and words[0].lower() in SKIPPED | RUNS | PROSE | _PERSONS:
            del words[0]
        named = words if _is_chinese(part) else _up_to_verb(words)
        if "".join(named[1:2]) in PLACED and "".join(named[2:3])[:1] != "-":
            named = named[: 1 if "-" in named[0] else 0]
        is_program = named and re.fullmatch(r"\.?/?[a-z][a-z0-9_/+.-]*|[A-Z][a-z]*[A-Z]\w*", named[0])
        is_alone = len(words) == 1 and "-" not in words[0] and not any(re.match(r"不[带加] ?-", one) for one in more)
        if is_program and not is_alone and kind_of(named[0]) != "path":
            is_exact = len(named) > 1 and not more and PROSE.difference(["all"]).isdisjoint(named)
            command = " ".join(named)
            out.append(f"`{command}`" if is_exact else " ".join([command, *more]))
    return out


def _up_to_verb(words: list[str]) -> list[str]:
    """Return the words of a statement before its verb."""
    for at, word in enumerate(words):
        if word in ("=", "->", "→", "-", "–", "—") or (at and (word == "command" or re.fullmatch(STATES, word))):
            return words[:at]
    return words


_PLACES = "bucket|table|topic|queue|database|cluster|namespace|index|volume|project|account|stack"


def _names_in(part: str) -> str:
    """Return, in backticks, the names before a statement's verb, such as RabbitMQ; in Chinese, all Latin words."""
    form = (
        r"[A-Za-z][\w-]+"
        if _is_chinese(part)
        else rf"\b[A-Z]?[a-z]+[A-Z]\w*|(?<=`)(?:{_PLACE})(?=`)|(?:{_PLACE})-[\w-]+|[\w-]+-(?:{_PLACE})\b"
    )
    subject = re.split(_STATED, part)[0]
    found = re.findall(form, subject) + re.findall(rf"\b(?:{_PLACES}) ([a-z]\w*-[\w-]+)", subject)
    return " ".join(f"`{word}`" for word in found)


def _files_in(before: list[str]) -> str:
    """Return, joined by spaces, the files and code names of the last clause in `before` that has any.

    If some are before its verb, only these.
    """
    for text in (part for whole in reversed(before[-_MOST:]) for part in (re.split(_STATED, whole)[0], whole)):
        found = [word for word in _words(text) if re.fullmatch(rf"(?=.*\w)[\w.-]*[/._:@=].*|{BARE_FILE}", word)]
        if found:
            return " ".join(found)
    return ""


_KIND = "[\u3400-\u9fff]{0,2}(?:脚本|命令|程序|任务|工具)$"
"""A noun between a Chinese verb of running and the command."""


def phrases_of(clause: str) -> list[list[str]]:
    """Return sequences of words in a clause that could be a command: text in backticks, and others without sudo."""
    out: list[list[str]] = [[]]
    last = 0
    for match in re.finditer(TOKENS, clause):
        gap = clause[last : match.start()].strip()
        last = match.end()
        if match[1] is not None:
            out += [re.split(REDIRECT, match[1])[0].split(), []]
            continue
        if match[2] == "/":
            out[-1].append("or")
            continue
        if len(out[-1]) == 1 and out[-1][0].islower() and re.fullmatch(_FORBIDDEN_TO, gap):
            pass  # program before "never"
        elif gap and gap not in ("的", "带", "加", "带上", "加上", "加了", "带了"):
            out.append(
                ["run"]
                if re.sub(_KIND, "", gap).endswith(_CHINESE_RUNS)
                else ["never"]
                if re.search(f"(?:{NEVER})$", gap)
                else []
            )
        word = match[2]
        if word in ELEVATED:
            continue
        out[-1].append(word if word.endswith(_EVERY) else word.rstrip(".:") or word)
        if word.endswith(":"):
            out.append([])  # the end of a topic, or a reason follows
    return [words for words in out if words]


NO_VALUES = frozenset({"flag", "flags", "option", "options", "mode", "switch", "calls", "builds", "anymore", "yet"})


def kind_of(word: str) -> str:
    """Return the kind of a target: "place" for an environment or branch, "path", "name"; empty for a plain word."""
    if word.lower() in GROUP_OF:
        return "place"
    if word == "/" or word.endswith(_EVERY):
        return ""
    if "/" in word:
        return "path"
    is_code = (
        any(char in "._:@=-" for char in word[1:-1]) or re.fullmatch(":[a-z]+", word) or any(map(str.isdigit, word[1:]))
    )
    if re.fullmatch(r"\d+(?:\.\d+){3}", word):
        return "name"
    return "name" if is_code and not word[:1].isdigit() and not re.fullmatch(_PLAIN, word.lower()) else ""


_RUNNING = (
    rf"(?:{NEVER})[用再]? ?(?:\w+ly |ever )?(?:run|use|call|execute|invoke|start|rm|mv|cp|chmod|rsync|psql"
    rf"|{'|'.join(LEADING)})\b|执行|运行|使用|调用|跑"
)
OVERWRITES = r"(?:覆盖|写入|写到|输出到|>) ?`?([\w/-]{1,99}(?:\.[\w/-]{1,30}){1,5})"
LIMIT = r"(?i)(?<!\S)`?(--?[a-z][\w-]*)`?\D{0,9}?(?:超过|大于|高于|above|over|than|beyond|exceed(?:ing)?) ?`?(\d{1,9})"
"""A flag and the highest number that it can have, as in "-j above 8"."""
_PATH = rf"`|[\w*.-]{{1,60}}/|[\w*-]{{0,60}}\.\w|/\w|\b(?:{BARE_FILE})\b"
_NO_ACTION = r"(?i)\W|\b(?:do|that|so|it|this|on|ever)\b"
_FOLDER_AFTER = re.compile(
    r"(?i)\s*(?:目录|文件夹|folder\b|directory\b|dir\b|[里下中][面边]?的?(?:任何|所有|其他)?(?:内容|脚本|东西|\S{,4}(?:文件|码)))"
)
_INSIDE = re.compile(r"(?i)\b(?:any|every|some)?(?:thing|files?) (?:in|under|inside|below|within) (?:the )?$")
_OBJECT = re.compile(
    r"(?i)(?:\b(?:edit|touch|change|modify|alter|delete|remove|overwrite|patch|rename) (?:the |our )?(?:file |script )?"
    r"|(?:修改|编辑|改动?|[动碰删]|删除|覆盖)(?:文件|脚本)? ?)$"
)
"""The text around a plain word that is the name of a folder or file, as in "the docs folder"."""


def files_of(clause: str) -> Iterator[tuple[str, bool]]:
    """Yield each path in a clause, except arguments of commands and exceptions, and whether it is a folder."""
    runs = re.search(rf"{_RUNNING}|[\w`] --?[a-z]", clause, re.IGNORECASE) is not None
    overwritten = re.findall(OVERWRITES, clause)
    for match in re.finditer(TOKENS, re.split(WITHOUT, clause.split(ALTERNATIVE_MARK, maxsplit=1)[0])[0]):
        words = (match[1] or match[2]).split()
        folder = _FOLDER_AFTER.match(clause, match.end()) if len(words) == 1 else None
        before = clause[: match.start()]
        is_named = bool(folder or (match[2] and _INSIDE.search(before)))
        is_object = not runs and re.match(r"[a-z][\w-]+$", " ".join(words)) is not None and _OBJECT.search(before)
        for word in words:
            path = word.rstrip(".:").removeprefix("./")
            bare = path.rstrip("*").strip("/") if path.endswith(("/", "/*", "/**")) else path.lstrip("/")
            is_file = "." in bare.strip(".") or (not runs and re.fullmatch(f"{BARE_FILE}", path) is not None)
            if runs and path in overwritten:
                continue  # the output of a command
            if bare and ("/" in path or is_file or is_named or is_object):
                is_folder = (
                    is_named
                    or path.endswith(("/", "*"))
                    or not re.search(rf"\.(?!d$)[^/]*$|(^|/)({BARE_FILE})$|^[a-z]+$", bare)
                )
                if not (runs and (is_folder or len(words) > 1)):  # the folder or argument of a command
                    yield bare, is_folder


def actions_of(clause: str) -> str:
    """Return a clause's forbidden actions: its text up to the first path; in Chinese, without paths; if empty, all."""
    main = re.split(f"[{STATEMENT_MARK}{ALTERNATIVE_MARK}]", clause)[0]
    out: list[str] = []
    for part in re.split(f"(?i){NEVER}", main)[1:]:
        text = re.sub(_PATH, " ", part) if _is_chinese(part) else re.split(_PATH, part)[0]
        out.append(text if re.sub(_NO_ACTION, "", text) else main)
    return "\n".join(out)
