"""CUES are words in Chinese or English and '#tags'; a text that is nothing but a date (昨天, 2026-01-03) is that date.

Words and --topic widen, everything else narrows. "a phrase" must stand there as it is, -word must not.

A date beside words (昨天 咖啡, coffee last week) is one of them: what was noted then ranks higher. --date narrows.
"""

from typing import Annotated

from promptx_mem.cli import output
from promptx_mem.cli.options import Argument, Json, MemoryDir, Option
from promptx_mem.cli.progress import progress
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.recall import Cues, with_context

FORMATS = ("rich", "text", "json", "context")


def command(
    text: Annotated[list[str] | None, Argument(metavar="[CUES]...", help="What to look for.")] = None,
    topic: Annotated[list[str] | None, Option(metavar="A->B", help="A topic path; repeatable.")] = None,
    date: Annotated[
        list[str] | None, Option(metavar="DATE", help="Noted then: 2026-01-03, yesterday, 上周; repeatable.")
    ] = None,
    tag: Annotated[list[str] | None, Option("--tag", "-t", help="Only with this tag; repeatable.")] = None,
    type_: Annotated[str | None, Option("--type", help="user, feedback, project or reference.")] = None,
    category: Annotated[str | None, Option(help="fact, core, episode or system.")] = None,
    min_score: Annotated[float | None, Option(help="Only from this score on.")] = None,
    since: Annotated[str | None, Option(metavar="DATE", help="Only noted from then on: 7d, 2026-01-03.")] = None,
    until: Annotated[str | None, Option(metavar="DATE", help="Only noted up to then.")] = None,
    session: Annotated[str | None, Option("--session", metavar="NAME", help="Only from this session.")] = None,
    archived: Annotated[bool, Option("--archived", help="Also what has ended or been archived.")] = False,
    as_of: Annotated[str | None, Option(metavar="TIME", help="What would have been found then.")] = None,
    history: Annotated[
        bool, Option("--history", help="CUES is an id or cue: with all that superseded it, oldest first.")
    ] = False,
    count: Annotated[
        int | None,
        Option("-n", help="How many at most; 10 unless given; 5 for a topic, all of a day for a date alone."),
    ] = None,
    budget: Annotated[int | None, Option(metavar="TOKENS", help="What the output may take in a prompt.")] = None,
    format_: Annotated[
        str | None, Option("--format", help="rich (on a terminal), text, json, or context for a prompt.")
    ] = None,
    no_messages: Annotated[bool, Option("--no-messages", help="Slices without their raw messages.")] = False,
    no_touch: Annotated[bool, Option("--no-touch", help="Do not note that these were recalled.")] = False,
    judge: Annotated[bool, Option("--judge", help="Let the judge drop what is of no use (llm.command).")] = False,
    explain: Annotated[bool, Option("--explain", help="Show every term of the ranking.")] = False,
    exit_status: Annotated[bool, Option("--exit-status", help="Exit 4 when nothing is found.")] = False,
    memory_dir: MemoryDir = None,
    json: Json = False,
) -> Result:
    form = _format(format_, as_json=json)
    cues = Cues(
        text=" ".join(text or ()),
        topics=tuple(topic or ()),
        dates=tuple(date or ()),
        tags=tuple(tag or ()),
        type=type_,
        category=category,
        session=session,
        min_score=min_score,
        since=since,
        until=until,
        as_of=as_of,
        archived=archived,
        history=history,
        count=count,
        budget=budget,
        messages=not no_messages,
        touch=not no_touch,
        explain=explain,
        judge=judge,
    )
    cues = with_context(cues) if form == "context" else cues._replace(form=_json if form == "json" else _text)
    with progress(show=form != "json") as report:
        result = Memory.open(memory_dir).recall(cues, report)
    result = result._replace(data={**result.data, "format": form})
    if form == "context":  # a prompt gets its block, whatever there is
        result = result._replace(instead="")
    return result._replace(exit_status=4) if exit_status and not result.data["count"] else result


def _format(given: str | None, *, as_json: bool) -> str | None:
    if given is not None and given not in FORMATS:
        raise UsageError(f"--format {given[:40]!r} is not known", hint=f"one of {', '.join(FORMATS)}")
    if as_json and given not in (None, "json"):
        raise UsageError(f"--json and --format {given} contradict each other", hint="give one of them")
    return "json" if as_json else given


def _json(result: Result) -> str:
    return output.encode(result._replace(data={**result.data, "format": "json"}).envelope())


def _text(result: Result) -> str:
    from promptx_mem.cli.render import recall

    return recall.text({**result.data, "format": "text"})
