"""Every attempt, newest first; or --stats, or --verify for the whole store, or --allow to lift a block."""

from typing import TYPE_CHECKING, Annotated

from promptx_mem.cli.options import Json, MemoryDir, Option, Scope
from promptx_mem.cli.progress import progress
from promptx_mem.core.syntax import format_score
from promptx_mem.core.text import plural, printable, shorten
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.audit_log import DEFAULT_COUNT, Allowed, Attempted, Audit, Filters, Finding, Stats

if TYPE_CHECKING:
    from rich.console import Console

BAR = 30
_WIDEST = 24
_STYLES = {"stored": "green", "repeated": "cyan", "restored": "cyan", "refused": "red", "denied": "red"}
Line = tuple[str, list[tuple[str, str]]]
"""A line, and which parts of it are coloured how."""


def command(
    session: Annotated[str | None, Option("--session", metavar="NAME", help="Only of this session.")] = None,
    verdict: Annotated[
        str | None, Option(metavar="WORD", help="Only with this verdict: stored, repeated, refused….")
    ] = None,
    since: Annotated[str | None, Option(metavar="DATE", help="Only from then on: 7d, yesterday, 上周….")] = None,
    violations: Annotated[bool, Option("--violations", help="Only what broke the rules.")] = False,
    count: Annotated[int, Option("-n", help="How many at most.")] = DEFAULT_COUNT,
    stats: Annotated[bool, Option("--stats", help="Count days, verdicts and scores; show the limits.")] = False,
    verify: Annotated[bool, Option("--verify", help="Check the whole store; exit 1 if something is wrong.")] = False,
    allow: Annotated[str | None, Option(metavar="SESSION", help="Lift the block of this session.")] = None,
    scope: Scope = None,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result[Audit]:
    filters = bool(session or verdict or since or violations or count != DEFAULT_COUNT)
    if stats + verify + (allow is not None) + filters > 1:
        raise UsageError(
            "--stats, --verify, --allow and the filters of the log do not go together",
            hint="promptx-mem audit --help",
        )
    memory = Memory.open(memory_dir, scope=scope)
    if allow is not None:
        return memory.allow(allow)
    if stats:
        return memory.audit_stats()
    if verify:
        with progress(show=not json) as report:
            return memory.audit_verify(report)
    return memory.audit(Filters(session, verdict, since, violations, count))


def as_text(data: Audit) -> str:
    return "".join(line + "\n" for line, _ in _lines(data))


def draw(data: Audit, console: "Console") -> None:
    from rich.text import Text

    for line, marks in _lines(data):
        text = Text(line, no_wrap=False)
        for part, style in marks:
            at = line.find(part) if part else -1
            if at >= 0:
                text.stylize(style, at, at + len(part))
        console.print(text, soft_wrap=True)


def _lines(data: Audit) -> list[Line]:
    if data["problems"] is not None:
        return _problems(data, data["problems"])
    if data["stats"] is not None:
        return _stats(data["stats"]) + _blocked(data)
    if data["allowed"] is not None:
        return _allowed(data["allowed"])
    return _log(data)


def _log(data: Audit) -> list[Line]:
    if not data["records"]:
        return [(_nothing(data), [])]
    sessions = {_word(record["session"]) for record in data["records"]}
    width = max(len(_word(record["verdict"])) for record in data["records"])
    out = [_record(record, width, named=len(sessions) > 1) for record in data["records"]]
    if data["left_out"]:
        out.append((f"… {data['left_out']} older ones: -n {data['count'] + data['left_out']}", [("…", "dim")]))
    return out + _blocked(data)


def _record(record: Attempted, width: int, *, named: bool) -> Line:
    at, verdict = _word(record["at"])[:19].replace("T", " "), _word(record["verdict"])
    facts = [
        f"score {format_score(record['score'])}" if record["score"] is not None else "",
        _word(record["id"]) if record["id"] else "",
        _word(record["why"]) if record["why"] else "",
        f"{record['count']} memories" if record["count"] else "",
        f"{record['length']} characters" if record["length"] else "",
        {"none": "no basis", "explicit": "--explicit"}.get(str(record["basis"]), ""),
        f"thresholds {sum(record['adjustments']):+g}" if record["adjustments"] else "",
        _word(record["session"]) if named or record["basis"] == "explicit" else "",
    ]
    mark = "🚫" if record["violation"] else "  "
    line = f"{at}  {mark} {verdict:<{width}}  {_word(record['command']):<8}  {'  '.join(f for f in facts if f)}"
    return line.rstrip(), [(at, "dim"), (verdict, _STYLES.get(verdict, "default"))]


def _nothing(data: Audit) -> str:
    if not data["total"]:
        return "nothing has happened yet"
    verdicts = ", ".join(f"{_word(name)} {count}" for name, count in data["verdicts"].items())
    return f"none of {data['total']} records is like that (verdicts: {verdicts})"


def _blocked(data: Audit) -> list[Line]:
    from promptx_mem.core.shell import quote

    return [
        (f"blocked: {_word(name)}; to lift it: promptx-mem audit --allow {quote(name)}", [("blocked", "red")])
        for name in data["blocked"]
    ]


def _allowed(allowed: Allowed) -> list[Line]:
    name = _word(allowed["session"])
    if allowed["was_blocked"]:
        return [(f"{name} may store again; its {allowed['violations']} violations do not count any more", [])]
    return [(f"{name} was not blocked; its {allowed['violations']} violations do not count any more", [])]


def _stats(stats: Stats) -> list[Line]:
    out: list[Line] = []
    days = [
        (day["day"], day["attempts"], f"{day['violations']} 🚫" if day["violations"] else "") for day in stats["days"]
    ]
    out += _bars("attempts a day", days, "cyan")
    verdicts = [(_word(name), count, "") for name, count in stats["verdicts"].items()]
    out += _bars("verdicts", verdicts, "green") if verdicts else []
    stored, refused = stats["scores"]["stored"], stats["scores"]["refused"]
    if any(stored) or any(refused):
        scores = [
            (
                f"{low}" if low == len(stored) - 1 else f"{low}-{low}.9",
                stored[low] + refused[low],
                _refused(refused[low]),
            )
            for low in range(len(stored))
        ]
        out += _bars("scores", scores, "magenta")
    out.append(("limits", [("limits", "bold")]))
    width = max(len(_word(limit["name"])) for limit in stats["limits"])
    for limit in stats["limits"]:
        share = limit["used"] / limit["limit"]
        filled = min(round(share * BAR), BAR) or (1 if limit["used"] else 0)
        bar = "█" * filled
        style = "red" if share >= 1 else "yellow" if share >= 0.9 else "green"
        amount = f"{_amount(limit['used'], limit['unit'])} of {_amount(limit['limit'], limit['unit'])}"
        line = f"  {_word(limit['name']):<{width}}  {bar}{'·' * (BAR - filled)}  {share:4.0%}  {amount}"
        out.append((line, [(bar, style), ("·" * (BAR - filled), "dim")]))
    return out


def _bars(title: str, rows: list[tuple[str, int, str]], style: str) -> list[Line]:
    most = max((count for _, count, _ in rows), default=0) or 1
    width = max(len(name) for name, _, _ in rows)
    digits = len(str(most))
    out: list[Line] = [(title, [(title, "bold")])]
    for name, count, note in rows:
        bar = "█" * (round(count / most * BAR) or (1 if count else 0))
        out.append(
            (f"  {name:<{width}}  {count:>{digits}}  {bar}{'  ' + note if note else ''}".rstrip(), [(bar, style)])
        )
    return [*out, ("", [])]


def _refused(count: int) -> str:
    return f"{count} refused" if count else ""


def _amount(number: int, unit: str) -> str:
    if unit != "bytes":
        return f"{number:,}"
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.1f} KB"


def _problems(data: Audit, problems: list[Finding]) -> list[Line]:
    out: list[Line] = [(f"note: {printable(note)}", [("note:", "dim")]) for note in data["notes"]]
    for problem in problems:
        where = printable(problem["where"])
        out.append((f"✗ {where}  {printable(problem['what'])}", [("✗", "red"), (where, "bold")]))
        command = f": {problem['command']}" if problem["command"] else ""
        out.append((f"  → {printable(problem['mend'])}{command}", [(problem["command"], "cyan")]))
    checked = data["checked"]
    sum_of = ", ".join(
        [
            plural(checked["memories"], "living memory", "living memories"),
            plural(checked["lines"], "line"),
            plural(checked["events"], "event"),
            *([f"{plural(checked['archives'], 'file')} in archive/"] if checked["archives"] else []),
        ]
    )
    if not problems:
        return [*out, (f"✓ nothing is wrong: {sum_of}", [("✓", "green")])]
    return [*out, (f"{plural(len(problems), 'thing is', 'things are')} wrong ({sum_of})", [])]


def _word(value: object) -> str:
    return "–" if value is None else shorten(str(value), _WIDEST)
