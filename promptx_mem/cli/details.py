"""Parts of `recall` that are seldom needed: drawing on a terminal, and the details of one memory."""

from promptx_mem.cli.output import local
from promptx_mem.core.journal import ALIASED, CONTRADICTED
from promptx_mem.core.state import MEMBER
from promptx_mem.core.text import format_score, plural, printable, printable_lines
from promptx_mem.machine import named_duration
from promptx_mem.record import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from rich.console import Console

    from promptx_mem.core.description import Description, Recall
    from promptx_mem.usecases.export import FullMemory

_JUST = "1 minute"
"""The smallest age in an answer. A terminal shows "just now" instead."""

SPEAKERS = {"user": "❯", "assistant": "◆"}


def draw(data: "Recall", console: "Console", marks: list[list[str]], notes: list[str]) -> None:
    """Draw memories on a terminal: text, tags, and below them dim facts and `marks`. `notes` follow the last one."""
    from rich.text import Text

    from promptx_mem.cli.terminal import print_wrapped

    for memory, unusual in zip(data["memories"], marks, strict=True):
        head = Text(printable_lines(memory["text"]), style="" if memory["lives"] else "strike dim")
        for tag in memory["tags"]:
            head.append(f" #{tag}", style="cyan")
        print_wrapped(console, head, indent=0, commands=False)
        age = "just now" if memory["age"] == _JUST else f"{memory['age']} ago"
        day = local(f"{memory['at'][:10]} ({age})")
        facts = [memory["id"], format_score(memory["score"]), named_duration(memory["duration"]), day]
        for line in (" · ".join([*facts, *unusual]), *more_about(memory)):
            print_wrapped(console, Text(f"  {line}", style="dim"))
    stale = next((memory["freshness"] for memory in data["memories"] if memory["freshness"]), None)
    if stale:  # the same advice for all, after a first sentence with an age
        print_wrapped(console, Text(local(stale.partition(". ")[2]), style="dim italic"), indent=0)
    for line in notes:
        print_wrapped(console, Text(line, style="yellow"))
    if data["more"] and data["memories"] and not data["left_out"]:
        every = data["count"] + data["dropped"] + data["more"]
        print_wrapped(console, Text(local(f"{data['more']} more: -n {every}"), style="dim"))


def nothing(data: "Recall") -> list[str]:
    """Return the lines to print if no memory was found."""
    if not data["total"] and data["as_of"]:
        return [f"nothing was stored by {data['as_of']}"]
    head = f"nothing found for {' '.join(map(printable, data['cues']))}" if data["cues"] else "nothing found"
    more = data["hint"]
    if not data["total"]:
        from promptx_mem.core.shell import USAGE

        head, more = "the memory is empty", USAGE
    misses = filter(None, (*data["near_misses"], more))
    return [head, *(f"  {printable(miss)}" for miss in misses)]


def more_about(memory: "Description") -> list[str]:
    """Return the lines below a memory: details if it was requested by its id, messages, the explanation of its rank."""
    lines = _details(memory) if "events" in memory else []
    return [
        *lines,
        *_messages(memory),
        *(f"{value:8.3f}  {printable(name)}" for name, value in memory.get("why", {}).items()),
    ]


def _messages(memory: "Description") -> list[str]:
    part = memory["slice"]
    if part is None:
        return []
    if part["missing"]:
        return [local(f"(the summarised messages, {printable(part['ref'])}, are not in this store)")]
    from promptx_mem.core.prompt_block import items

    return [
        local(f"… {plural(item, 'message')} left out")
        if isinstance(item, int)
        else f"{SPEAKERS.get(item['role'], item['role'])} {printable(item['text'].replace(chr(10), ' ⏎ '))}"
        for item in items(part)
    ]


def _details(memory: "Description") -> list[str]:
    whole = cast("FullMemory", memory)
    kind = ", ".join(filter(None, (whole["category"], whole["type"], named_duration(whole["duration"]))))
    member = f" ({whole['origin']})" if whole["origin"].startswith(MEMBER) else ""
    rows: list[tuple[str, object]] = [
        ("stored", f"{minute(whole['at'])} by {whole['source']}{member}"),
        ("commit", whole.get("commit", "").replace("T", " ", 1)),
        ("session", whole["session"]),
        ("kind", kind),
        ("importance", f"{whole['importance']:g}"),
        ("expires" if whole["lives"] else "ended", _life(whole)),
        ("last used", minute(whole["last_access"])),
        ("topic", ", ".join(filter(None, (whole["topic"], *whole["topics"])))),
        ("related", ", ".join(whole["related"])),
        ("cites", _cites(whole)),
        ("aliases", ", ".join(whole["aka"])),
        ("profile", _numbers(whole["profile"])),
        ("dims", _numbers(whole["dims"])),
        ("reason", whole["reason"]),
        ("supersedes", whole["supersedes"]),
        ("superseded by", ", ".join(whole["superseded_by"])),
        ("slice", whole["slice_ref"]),
    ]
    lines = [local(f"{name}: {printable(str(value))}") for name, value in rows if value]
    lines += (_event(event, whole["id"]) for event in whole["events"])
    lines += map(_version, whole["history"])
    is_over = not whole["lives"] and not whole["superseded_by"]
    return [*lines, local(f"to bring it back: promptx-mem restore {whole['id']}")] if is_over else lines


def _cites(whole: "FullMemory") -> str:
    parts = [cite["path"] + (f" ({', '.join(cite['names'])})" if cite["names"] else "") for cite in whole["cites"]]
    return ", ".join(parts) + (f", at commit {whole['cited_at']}" if parts and whole["cited_at"] else "")


def _life(whole: "FullMemory") -> str:
    if not whole["lives"]:
        return f"{minute(whole['ends_at'])} ({whole['end']})"
    if whole["ends_at"] is None:
        return "never"
    return f"{minute(whole['ends_at'])}, unless it is used"


def _version(other: "Description") -> str:
    """Return the line for one memory in the history of the shown memory."""
    state = "active" if other["lives"] else other["end"]
    text = printable(other["text"].replace(chr(10), " "))
    return local(f"history: {minute(other['at'])}  {other['id']}  {text}  [{state}]")


def _event(event: dict[str, Any], ident: str) -> str:
    kind = event["e"]
    if kind == CONTRADICTED and len(event.get("ids", ())) == 2:
        newer, older = event["ids"]
        kind = "possibly contradicts" if newer == ident else "possibly contradicted by"
        kind = f"{'both are valid:' if event.get('verified') is False else kind} {older if newer == ident else newer}"
    more = [
        f"+{event['gain']:g}" if "gain" in event else "",
        local(f"score {format_score(event['score'])}") if "score" in event else "",
        " ".join(f"#{tag}" for tag in event.get("tags", ())),
        local(event.get("reason", "")) if event["e"] in (ALIASED, CONTRADICTED) else event.get("reason", ""),
    ]
    return printable("  ".join([minute(event["at"]), local(kind), *filter(None, more)]))


def _numbers(values: "list[float] | None") -> str:
    return ", ".join(f"{value:g}" for value in values or ())


def minute(at: str | None) -> str:
    """Return a time without seconds and zone; empty for None."""
    return (at or "")[:16].replace("T", " ")
