"""Shows every attempt to store something, newest first. --verify checks the store, --allow unblocks a session.

--undo prints the commands that undo a session's writes, except aliases.

--given [SESSION] shows the memories that hooks injected, by which hook, and why.
"""

from promptx_mem.cli.folding import aligned
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option, Word
from promptx_mem.cli.output import local
from promptx_mem.cli.terminal import cell, progress
from promptx_mem.core.shell import quote
from promptx_mem.core.text import NO_COMMAND, format_score, plural, printable
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.audit_log import DEFAULT_COUNT, Attempted, Audit, Filters, Finding, Injection

_WITH = {"--undo": ("--session",), "--given": ("--session", "-n"), "--verify": (), "--allow": ()}
"""Options that select an action, and the options that can be combined with each."""


def command(
    whose: Annotated[
        Word, Argument("With --given: only memories injected in this session.", metavar="[SESSION]")
    ] = None,
    injected: Annotated[bool, Option("Show the memories that hooks injected.", "--given")] = False,
    verdict: Annotated[
        Word, Option("Only records with this verdict: stored, repeated, refused….", metavar="WORD")
    ] = None,
    since: Annotated[Word, Option("Only records since this time: 7d, yesterday, 上周….", metavar="DATE")] = None,
    violations: Annotated[bool, Option("Only refusals that count as violations.")] = False,
    count: Annotated[int | None, Option("At most INT records (default 20).", "-n")] = None,
    undo: Annotated[bool, Option("Print the commands that undo the writes of this session or --session.")] = False,
    verify: Annotated[bool, Option("Check the whole store. Exit status 1 if it has problems.")] = False,
    secrets: Annotated[bool, Option("With --verify: also look for stored credentials.")] = False,
    allow: Annotated[Word, Option("Unblock this session.", metavar="SESSION")] = None,
    common: Common = NONE_GIVEN,
) -> Result[Audit]:
    options = {
        "--undo": undo, "--given": injected, "--verify": verify, "--allow": allow is not None, "--verdict": verdict,
        "--since": since, "--violations": violations, "-n": count is not None, "--session": common.session,
    }  # fmt: skip
    act, *others = [name for name, value in options.items() if value] or [""]
    if wrong := [name for name in others if act in _WITH and name not in _WITH[act]]:
        raise UsageError(f"{act} cannot be combined with {' and '.join(wrong)}", hint="promptx-mem audit --help")
    if whose is not None and not injected:
        raise UsageError("a session's name needs --given", hint=f"promptx-mem audit --given {quote(whose)}")
    if secrets and not verify:
        raise UsageError("--secrets needs --verify", hint="promptx-mem audit --verify --secrets")
    most = DEFAULT_COUNT if count is None else count
    memory = common.memory(is_session=False)
    if undo:
        return memory.undo(common.session)._replace(cut="undo")
    if injected:
        result = memory.audit(Filters(whose or common.session, count=most, injected=True))
        return result._replace(cut="" if count else "handouts")
    if allow is not None:
        return memory.allow(allow)
    with progress(show=not common.json) as report:
        if verify:
            return memory.audit_verify(report, secrets=secrets)._replace(cut="problems")
        result = memory.audit(Filters(common.session, verdict, since, violations, most))
        return result._replace(cut="" if count else "records")


def as_text(data: Audit) -> str:
    return "".join(line + "\n" for line in _lines(data))


def _lines(data: Audit) -> list[str]:
    if data["problems"] is not None:
        return _problems(data, data["problems"])
    if (allowed := data["allowed"]) is not None:
        state = "is unblocked" if allowed["was_blocked"] else "was not blocked"
        number = allowed["violations"]
        return [local(f"session {cell(allowed['session'])} {state}; its {number} violations no longer count")]
    if data["undo"] is not None:
        return [f"{step['command']}  # {printable(step['text'])}" for step in data["undo"]]
    shown = data["records"] if data["handouts"] is None else data["handouts"]
    if not shown:
        if data["handouts"] is not None:
            return [local("no memories were injected")]
        return [local(f"none of the {data['total']} records matches" if data["total"] else "the log is empty")]
    is_named = len({item["session"] for item in shown}) > 1
    if data["handouts"] is not None:
        lines = [f"{NO_COMMAND}{line}" for line in aligned([_injection(item, is_named) for item in data["handouts"]])]
    else:
        heads = aligned([_record(record, is_named) for record in data["records"]])
        lines = [
            line
            for head, record in zip(heads, data["records"], strict=True)
            for line in (f"{NO_COMMAND}{head}", *_below(record))
        ]
    left = data["left_out"]
    lines += [local(f"… {left} older ones; to show them: -n {data['count'] + left}")] if left else []
    way = "to unblock it: promptx-mem audit --allow"
    return lines + [local(f"blocked session: {cell(name)}; {way} {quote(name)}") for name in data["blocked"]]


def _injection(item: Injection, is_named: bool) -> list[str]:
    whose = cell(item["session"]) if is_named else ""
    facts = [_word(item["id"]), printable(item["words"] or ""), whose]
    return [_time(item["at"]), local(cell(item["hook"])), local(cell(item["why"])), _joined(facts)]


def _time(at: str | None) -> str:
    return cell(at)[:19].replace("T", " ")


def _word(value: str | None) -> str:
    return cell(value) if value else ""


def _joined(facts: list[str]) -> str:
    return "  ".join(filter(None, facts))


def _record(record: Attempted, is_named: bool) -> list[str]:
    facts = [
        local(f"score {format_score(record['score'])}") if record["score"] is not None else "",
        _word(record["id"]),
        printable(record["words"] or ""),
        *map(_word, (record["why"], record["tool"], record["file"])),
        local(plural(record["count"], "memory", "memories")) if record["count"] else "",
        local(f"{record['length']} characters") if record["length"] else "",
        {"none": local("no --dims or --reason"), "explicit": "--explicit"}.get(str(record["basis"]), ""),
        local(f"thresholds {sum(record['adjustments']):+g}") if record["adjustments"] else "",
        cell(record["session"]) if is_named or record["basis"] == "explicit" else "",
    ]
    verdict = f"{'🚫' if record['violation'] else '  '} {local(cell(record['verdict']))}"
    return [_time(record["at"]), verdict, cell(record["command"]), _joined(facts)]


def _below(record: Attempted) -> list[str]:
    written = [printable(line) for line in record["lines"]]
    written += [local(f"instead: {printable(record['advice'])}")] if record["advice"] else []
    return [f"{NO_COMMAND}      {line}" for text in written for line in text.split("\n")]


def _problems(data: Audit, problems: list[Finding]) -> list[str]:
    out = [local(f"note: {printable(note)}") for note in data["notes"]]
    for problem in problems:
        out.append(f"{NO_COMMAND}✗ {printable(problem['where'])}  {local(printable(problem['what']))}")
        command = f": {problem['command']}" if problem["command"] else ""
        out.append(local(f"  → {printable(problem['mend'])}{command}"))
    checked = data["checked"]
    counts = [plural(checked["memories"], "active memory", "active memories"), plural(checked["lines"], "line")]
    counts += [plural(checked["events"], "event")]
    counts += [f"{plural(checked['archives'], 'file')} in archive/"] if checked["archives"] else []
    sum_of = ", ".join(counts)
    found = f"{plural(data['count'], 'problem')} found ({sum_of})" if problems else f"✓ no problems found in {sum_of}"
    return [*out, local(found)]
