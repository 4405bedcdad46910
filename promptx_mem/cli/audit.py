"""Shows every attempt to store something, newest first. --verify checks the store, --allow unblocks a session.

--undo prints the commands that undo a session's writes.

--given [SESSION] shows the memories that hooks injected, by which hook, and why.
"""

from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.cli.progress import progress
from promptx_mem.cli.terminal import word
from promptx_mem.core.text import PROSE, format_score, plural, printable
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.audit_log import DEFAULT_COUNT, Allowed, Attempted, Audit, Filters, Finding, Injection


def command(
    whose: Annotated[
        str | None, Argument("With --given: only memories injected in this session.", metavar="[SESSION]")
    ] = None,
    injected: Annotated[bool, Option("Show the memories that hooks injected.", "--given")] = False,
    verdict: Annotated[
        str | None, Option("Only records with this verdict: stored, repeated, refused….", metavar="WORD")
    ] = None,
    since: Annotated[str | None, Option("Only records since this time: 7d, yesterday, 上周….", metavar="DATE")] = None,
    violations: Annotated[bool, Option("Only refusals that count as violations.")] = False,
    count: Annotated[int | None, Option("At most INT records (default 20).", "-n")] = None,
    undo: Annotated[bool, Option("Print the commands that undo all writes of this session, or of --session.")] = False,
    verify: Annotated[bool, Option("Check the whole store. Exit status 1 if it has problems.")] = False,
    secrets: Annotated[bool, Option("With --verify: also look for stored credentials.")] = False,
    allow: Annotated[str | None, Option("Unblock this session.", metavar="SESSION")] = None,
    common: Common = NONE_GIVEN,
) -> Result[Audit]:
    most = DEFAULT_COUNT if count is None else count
    filters = bool(common.session or verdict or since or violations or count is not None)
    if undo:
        if injected or verify or violations or allow is not None or verdict or since or count is not None:
            raise UsageError("--undo can only be combined with --session", hint="promptx-mem audit --undo")
        return common.memory(is_session=False).undo(common.session)._replace(cut="undo")
    if injected or whose is not None:
        if not injected or verify or violations or allow is not None or verdict or since:
            raise UsageError(
                "--given can only be combined with a session's name and -n", hint="promptx-mem audit --given [SESSION]"
            )
        result = common.memory(is_session=False).audit(Filters(whose or common.session, count=most, injected=True))
        return result._replace(cut="" if count else "handouts")
    if secrets and not verify:
        raise UsageError("--secrets needs --verify", hint="promptx-mem audit --verify --secrets")
    if verify + (allow is not None) + filters > 1:
        raise UsageError(
            "--verify, --allow and the filters of the log cannot be combined",
            hint="promptx-mem audit --help",
        )
    memory = common.memory(is_session=False)
    if allow is not None:
        return memory.allow(allow)
    if verify:
        with progress(show=not common.json) as report:
            return memory.audit_verify(report, secrets=secrets)._replace(cut="problems")
    with progress(show=not common.json):
        return memory.audit(Filters(common.session, verdict, since, violations, most))._replace(
            cut="" if count else "records"
        )


def as_text(data: Audit) -> str:
    return "".join(line + "\n" for line in _lines(data))


def _lines(data: Audit) -> list[str]:
    if data["problems"] is not None:
        return _problems(data, data["problems"])
    if data["allowed"] is not None:
        return _allowed(data["allowed"])
    if data["undo"] is not None:
        steps = [f"{step['command']}  # {printable(step['text'])}" for step in data["undo"]]
        return steps or ["the session has no writes to undo"]
    if data["handouts"] is not None:
        return _injected(data, data["handouts"])
    return _log(data)


def _injected(data: Audit, injected: list[Injection]) -> list[str]:
    if not injected:
        return ["no memories were injected"]
    named = len({item["session"] for item in injected}) > 1
    return [*(_injection(item, named=named) for item in injected), *_older(data)]


def _older(data: Audit) -> list[str]:
    return (
        [f"… {data['left_out']} older ones; to show them: -n {data['count'] + data['left_out']}"]
        if data["left_out"]
        else []
    )


def _injection(item: Injection, *, named: bool) -> str:
    at = word(item["at"])[:19].replace("T", " ")
    facts = [
        f"{word(item['hook']):<6}",
        f"{word(item['why']):<8}",
        word(item["id"]) if item["id"] else "",
        printable(item["words"] or ""),
        word(item["session"]) if named else "",
    ]
    return f"{PROSE}{at}  {'  '.join(fact for fact in facts if fact)}".rstrip()


def _log(data: Audit) -> list[str]:
    if not data["records"]:
        return [_nothing(data)]
    sessions = {word(record["session"]) for record in data["records"]}
    width = max(len(word(record["verdict"])) for record in data["records"])
    out: list[str] = []
    for record in data["records"]:
        out += [_record(record, width, named=len(sessions) > 1), *_written(record)]
    return [*out, *_older(data), *_blocked(data)]


def _record(record: Attempted, width: int, *, named: bool) -> str:
    at, verdict = word(record["at"])[:19].replace("T", " "), word(record["verdict"])
    facts = [
        f"score {format_score(record['score'])}" if record["score"] is not None else "",
        word(record["id"]) if record["id"] else "",
        printable(record["words"] or ""),
        word(record["why"]) if record["why"] else "",
        word(record["tool"]) if record["tool"] else "",
        word(record["file"]) if record["file"] else "",
        f"{record['count']} memories" if record["count"] else "",
        f"{record['length']} characters" if record["length"] else "",
        {"none": "score without --dims or --reason", "explicit": "--explicit"}.get(str(record["basis"]), ""),
        f"thresholds {sum(record['adjustments']):+g}" if record["adjustments"] else "",
        word(record["session"]) if named or record["basis"] == "explicit" else "",
    ]
    mark = "🚫" if record["violation"] else "  "
    line = f"{at}  {mark} {verdict:<{width}}  {word(record['command']):<8}  {'  '.join(f for f in facts if f)}"
    return PROSE + line.rstrip()


def _written(record: Attempted) -> list[str]:
    lines = [printable(line) for line in record["lines"]]
    lines += [f"instead: {printable(record['advice'])}"] if record["advice"] else []
    return [f"{PROSE}      {line}" for text in lines for line in text.split("\n")]


def _nothing(data: Audit) -> str:
    if not data["total"]:
        return "the log is empty"
    verdicts = ", ".join(f"{word(name)} {count}" for name, count in data["verdicts"].items())
    return f"none of the {data['total']} records matches (all verdicts: {verdicts})"


def _blocked(data: Audit) -> list[str]:
    from promptx_mem.core.shell import quote

    return [
        f"blocked session: {word(name)}; to unblock it: promptx-mem audit --allow {quote(name)}"
        for name in data["blocked"]
    ]


def _allowed(allowed: Allowed) -> list[str]:
    state = "is unblocked" if allowed["was_blocked"] else "was not blocked"
    return [f"session {word(allowed['session'])} {state}; its {allowed['violations']} violations no longer count"]


def _problems(data: Audit, problems: list[Finding]) -> list[str]:
    out = [f"note: {printable(note)}" for note in data["notes"]]
    for problem in problems:
        out.append(f"{PROSE}✗ {printable(problem['where'])}  {printable(problem['what'])}")
        command = f": {problem['command']}" if problem["command"] else ""
        out.append(f"  → {printable(problem['mend'])}{command}")
    checked = data["checked"]
    sum_of = ", ".join(
        [
            plural(checked["memories"], "active memory", "active memories"),
            plural(checked["lines"], "line"),
            plural(checked["events"], "event"),
            *([f"{plural(checked['archives'], 'file')} in archive/"] if checked["archives"] else []),
        ]
    )
    if not problems:
        return [*out, f"✓ no problems found: {sum_of}"]
    return [*out, f"{plural(len(problems), 'problem')} found ({sum_of})"]
