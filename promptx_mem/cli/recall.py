"""CUES are words in Chinese or English, '#tags', or only a date (昨天) or range (May 3 to May 5). `-`: read from stdin.

Words and --topic add results; every other option filters them. A result must contain "a phrase" exactly, and must not
contain -word.

A date among other words (昨天 咖啡, coffee last week) ranks memories of that time higher. --date filters.
"""

import sys
from contextlib import nullcontext

from promptx_mem.cli import output
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option, Word, Words
from promptx_mem.cli.output import local
from promptx_mem.core.description import Description, Recall, references, warnings
from promptx_mem.core.state import OWN, USER
from promptx_mem.core.text import format_score, printable
from promptx_mem.daily import EverydayMemory
from promptx_mem.errors import UsageError
from promptx_mem.record import TYPE_CHECKING, Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.recall.question import Cues, with_context

if TYPE_CHECKING:
    from rich.console import Console


FORMATS = ("rich", "text", "json", "context")


def command(
    text: Annotated[Words, Argument("Query: words, '#tags' or a date.", metavar="[CUES]...")] = (),
    or_: Annotated[Words, Option("An alternative query, for example a translation; repeatable.", metavar="QUERY")] = (),
    topic: Annotated[Words, Option("A topic path to search; repeatable.", metavar="A->B")] = (),
    date: Annotated[Words, Option("Only from this day or period: 2026-01-03, 上周; repeatable.", metavar="DATE")] = (),
    tag: Annotated[Words, Option("Only memories with this tag; repeatable.", "--tag", "-t")] = (),
    type_: Annotated[Word, Option("user, feedback, project or reference.")] = None,
    category: Annotated[Word, Option("fact, core, episode or system.")] = None,
    min_score: Annotated[float | None, Option("Only memories with at least this score.")] = None,
    since: Annotated[Word, Option("Created since: 7d, 2026-01-03.", metavar="DATE")] = None,
    until: Annotated[Word, Option("Created up to this time.", metavar="DATE")] = None,
    archived: Annotated[bool, Option("Include ended and archived memories.")] = False,
    as_of: Annotated[Word, Option("Show the memories as they were at this time.", metavar="TIME")] = None,
    count: Annotated[
        int | None, Option("At most INT memories (default 10; 5 for a topic, all for a date).", "-n")
    ] = None,
    budget: Annotated[int | None, Option("Maximum number of tokens in the output.", metavar="TOKENS")] = None,
    format_: Annotated[Word, Option("rich (on a terminal), text, json, or context (for a prompt).")] = None,
    no_touch: Annotated[bool, Option("Do not count the memories as used.")] = False,
    judge: Annotated[bool, Option("Let the judge (a model) drop results that do not help.")] = False,
    explain: Annotated[bool, Option("Show how each result is ranked.")] = False,
    meaning: Annotated[bool, Option("Also find memories of similar meaning; needs promptx-mem[meaning].")] = False,
    remote: Annotated[bool, Option("Search the team's memories on the server.")] = False,
    exit_status: Annotated[bool, Option("Exit with status 4 if nothing is found.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Recall]:
    for option in ["--judge"] * judge + ["--remote"] * remote:
        from promptx_mem.cli import usage

        usage.demand_allowed(option)
    if format_ is not None and format_ not in FORMATS:
        raise UsageError(f"--format {format_[:40]!r} is not known", hint=f"allowed: {', '.join(FORMATS)}")
    if common.json and format_ not in (None, "json"):
        raise UsageError(f"--json and --format {format_} contradict each other", hint="give one of them")
    form = "json" if common.json else format_
    query = " ".join(text)
    if query == "-":
        from promptx_mem.cli.terminal import read_question

        query = read_question()
    cues = Cues(
        text=query,
        otherwise=or_,
        topics=topic,
        dates=date,
        tags=tag,
        type=type_,
        category=category,
        session=common.session,
        min_score=min_score,
        since=since,
        until=until,
        as_of=as_of,
        archived=archived,
        count=count,
        budget=budget,
        touch=not no_touch,
        explain=explain,
        judge=judge,
        meaning=meaning,
    )
    cues = with_context(cues) if form == "context" else cues._replace(form=_json if form == "json" else _text)
    shows = form != "json" and sys.stderr is not None and sys.stderr.isatty()
    if shows:
        from promptx_mem.cli.terminal import progress
    with progress(show=True) if shows else nullcontext() as report:
        scope = "project" if remote and not (common.memory_dir or common.scope) else None
        memory = common.opened(EverydayMemory, scope=scope, is_session=False)
        if remote:
            from promptx_mem.team.postgres import connect
            from promptx_mem.team.remote import ask

            result = ask(memory.context, cues, connect)
        else:
            result = memory.recall(cues, report)
    result = result._replace(data={**result.data, "format": form})
    # a prompt always gets a block, even without memories
    result = result._replace(instead="") if form == "context" else without_matches(result)
    # a prompt, or one memory requested by its id, is never shortened
    is_whole = form == "context" or any("events" in memory for memory in result.data["memories"])
    if count is None and budget is None and not date and not is_whole:
        result = result._replace(cut="memories")
    return result._replace(exit_status=4) if exit_status and not result.data["count"] else result


def without_matches(result: Result[Recall]) -> Result[Recall]:
    """Return the result. If nothing was found, set its `instead` to a message, which is printed on stderr."""
    data = result.data
    if result.instead or data["memories"] or data["left_out"]:
        return result
    from promptx_mem.cli.details import nothing

    return result._replace(instead="\n".join(nothing(data)))


def _json(result: Result[Recall]) -> str:
    return output.encode(result._replace(data={**result.data, "format": "json"}).envelope(Recall))


def _text(result: Result[Recall]) -> str:
    return as_text({**result.data, "format": "text"})


def as_text(data: Recall) -> str:
    """Return the answer in its format. A line of `text` has a memory's id, day, score, text, tags, unusual values."""
    if data["format"] == "context":
        from promptx_mem.core.prompt_block import block

        return block(data)
    if data["format"] == "rich":
        from rich.console import Console

        console = Console(highlight=False, markup=False, emoji=False, color_system=None)
        with console.capture() as capture:
            draw(data, console)
        return capture.get()
    return "".join(map(_line, data["memories"])) + "".join(f"({line})\n" for line in _notes(data))


def draw(data: Recall, console: "Console") -> None:
    """Draw on a terminal. The formats text and context have no colours."""
    if data["format"] in ("text", "context"):
        console.out(as_text(data), end="", highlight=False)
        return
    from promptx_mem.cli import details

    marks = [_unusual(memory, "possibly outdated") for memory in data["memories"]]
    details.draw(data, console, marks, _notes(data))


def _line(memory: Description) -> str:
    words = printable(memory["text"].replace("\n", " ⏎ "))
    tags = "".join(f" #{tag}" for tag in memory["tags"])
    unusual = _unusual(memory, f"{memory['age']} old, possibly outdated")
    rest = f"  [{'; '.join(unusual)}]" if unusual else ""
    head = f"{memory['id']}  {memory['at'][:10]}  {format_score(memory['score'])}  {words}{tags}{rest}\n"
    if memory["slice"] is None and "events" not in memory and "why" not in memory:
        return head
    from promptx_mem.cli.details import more_about

    return head + "".join(f"    {line}\n" for line in more_about(memory))


def _unusual(memory: Description, stale: str) -> list[str]:
    """Return the unusual values and the warnings of a memory; `stale` if the memory is stale."""
    topic = printable(memory["topic"] or "")
    marks = (
        ("user", memory["scope"] == USER),
        (f"origin: {memory['origin']}", memory["origin"] != OWN),
        (memory["category"], memory["category"] != "fact"),
        ("unscored", memory["unscored"]),
        ("stored while the machine's clock was behind", memory["behind"]),
        (topic, topic),
        ("verified", memory["verified"]),
        ("unverified", memory["unverified"] and not memory["verified"]),
        ("weak", memory.get("weak")),
        *((one, True) for one in references(memory)),
        (f"superseded by {', '.join(memory['superseded_by'])}", memory["superseded_by"]),
        (f"ended: {memory['end']}", not memory["lives"] and not memory["superseded_by"]),
        (f"supersedes {memory['supersedes']}", memory["supersedes"]),
        *((printable(one), True) for one in warnings(memory)),
        (stale, memory["freshness"] and memory["lives"]),
    )
    return [mark if mark == topic else local(mark) for mark, applies in marks if applies]


def _notes(data: Recall) -> list[str]:
    left = data["left_out"]
    notes = [f"{left} more results do not fit into {data['budget']} tokens"] if left else []
    return list(map(local, [*notes, data["hint"]] if data["hint"] else notes))
