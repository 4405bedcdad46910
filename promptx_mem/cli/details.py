"""The details of a memory that is shown by its id: every field, how long it lasts, and its events."""

from promptx_mem.cli.output import local
from promptx_mem.core.journal import ALIASED, CONTRADICTED
from promptx_mem.core.state import MEMBER
from promptx_mem.core.text import format_score, printable
from promptx_mem.machine import named_duration
from promptx_mem.record import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from promptx_mem.core.description import Description, Whole

_HOUR = len("2026-01-03 18:00")


def details(memory: "Description") -> list[str]:
    """Return the lines that describe a memory in detail."""
    whole = cast("Whole", memory)
    kind = ", ".join(filter(None, (whole["category"], whole["type"], named_duration(whole["duration"]))))
    member = f" ({whole['origin']})" if whole["origin"].startswith(MEMBER) else ""
    rows: list[tuple[str, object]] = [
        ("stored", f"{_time(whole['at'])} by {whole['source']}{member}"),
        ("commit", whole.get("commit", "").replace("T", " ", 1)),
        ("session", whole["session"]),
        ("kind", kind),
        ("importance", f"{whole['importance']:g}"),
        ("life", _life(whole)),
        ("last used", _time(whole["last_access"])),
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
    lines += map(_event, whole["events"])
    lines += map(_version, whole["history"])
    is_over = not whole["lives"] and not whole["superseded_by"]
    return [*lines, local(f"to bring it back: promptx-mem restore {whole['id']}")] if is_over else lines


def _cites(whole: "Whole") -> str:
    parts = [cite["path"] + (f" ({', '.join(cite['names'])})" if cite["names"] else "") for cite in whole["cites"]]
    return ", ".join(parts) + (f", at commit {whole['cited_at']}" if parts and whole["cited_at"] else "")


def _life(whole: "Whole") -> str:
    if not whole["lives"]:
        return f"it ended {_time(whole['ends_at'])} ({whole['end']})"
    if whole["ends_at"] is None:
        return "it never fades"
    return f"if it is not used, it ends {_time(whole['ends_at'])}"


def _version(other: "Description") -> str:
    """Return the line for one memory in the history of the shown memory."""
    state = "active" if other["lives"] else other["end"]
    text = printable(other["text"].replace(chr(10), " "))
    return local(f"history: {_time(other['at'])}  {other['id']}  {text}  [{state}]")


def _event(event: dict[str, Any]) -> str:
    more = [
        f"+{event['gain']:g}" if "gain" in event else "",
        local(f"score {format_score(event['score'])}") if "score" in event else "",
        " ".join(f"#{tag}" for tag in event.get("tags", ())),
        local(event.get("reason", "")) if event["e"] in (ALIASED, CONTRADICTED) else event.get("reason", ""),
    ]
    return printable("  ".join([_time(event["at"]), local(event["e"]), *filter(None, more)]))


def _time(at: str | None) -> str:
    return (at or "")[:_HOUR].replace("T", " ")


def _numbers(values: "list[float] | None") -> str:
    return ", ".join(f"{value:g}" for value in values or ())
