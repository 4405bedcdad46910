"""The format is recognised: PromptX, MCP's memory.jsonl, Claude Code, mem0, jrnl, CSV, ChatGPT, Markdown lists.

Files are not changed. A folder is read with its subfolders. - is stdin. docs/import-export.md describes each format.
"""

import sys

from promptx_mem.cli import usage
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, DryRun, Option, Word, Words
from promptx_mem.cli.output import is_on_terminal, local
from promptx_mem.cli.remember import store_label
from promptx_mem.cli.terminal import paused, progress
from promptx_mem.core.text import plural
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.intake import Copied, FileCount, Import

_MARKS = {"taken": "🧠", "known": "= ", "refused": "🚫", "left": "⋯ "}
_MOST_DRAWN = 20


def command(
    file: Annotated[Words, Argument("Files, folders, or - (stdin).", metavar="PATH...")],
    from_: Annotated[Word, Option("Name of the format, if it is not recognised.", metavar="NAME")] = None,
    mine: Annotated[
        bool, Option("Import as your own notes, not marked as imported. A bundle or store is merged.")
    ] = False,
    yes: Annotated[bool, Option("Allow --mine in a script, or more than 100 items without tags and score.")] = False,
    allow_secret: Annotated[bool, Option("Also import texts that contain credentials.")] = False,
    dry_run: DryRun = False,
    common: Common = NONE_GIVEN,
) -> Result[Import]:
    from promptx_mem.importers import NAMES
    from promptx_mem.usecases.import_files import MAX_BYTES
    from promptx_mem.usecases.intake import Options

    if from_ is not None and from_ not in NAMES:
        raise UsageError(f"--from {from_[:40]!r} is not a known format", hint=f"allowed: {', '.join(NAMES)}")
    if allow_secret:
        usage.demand_allowed("--allow-secret")
    stdin = None
    if "-" in file:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("there is nothing on stdin", code="no_text", hint="usage: promptx-mem import - < <file>")
        stdin = sys.stdin.buffer.read(MAX_BYTES + 1)
    options = Options(file, from_, mine=mine, yes=yes, allow_secret=allow_secret, dry_run=dry_run, stdin=stdin)
    options = options._replace(ask_own=None if common.json else _ask_own, ask_name=_ask_name)
    with progress(show=not common.json, label="importing"):
        return common.opened_to_write(Memory).import_files(options)._replace(cut="items")


def as_text(data: Import) -> str:
    """Return a line per item and the counts. A terminal gets at most 20 items, those with problems first."""
    items, counts, rest = data["items"], _counts(data), []
    if is_on_terminal():
        items = sorted(items, key=lambda item: item["verdict"] not in ("refused", "left"))[:_MOST_DRAWN]
        more = data["taken"] + data["known"] + data["refused"] + data["left"] - len(items)
        rest = [local(f"   … and {more} more items")] if len(items) < len(data["items"]) else []
        if len(counts) > _MOST_DRAWN // 2:
            counts = [local(plural(len(data["files"]), "file")), counts[-1]]
    return "".join(f"{line}\n" for line in (*map(_line, items), *rest, *counts))


def _ask_own() -> bool:
    from promptx_mem.cli.terminal import confirmed

    with paused():
        return confirmed("Are these your own notes?", err=True)


def _ask_name(name: str, ended: int, purged: int) -> bool:
    from promptx_mem.cli.terminal import typed_name

    with paused():
        return typed_name(
            f"This merge ends {ended} and purges {purged} of your memories, and can change others. "
            "Merge only your own exports.",
            name,
        )


def _line(item: Copied) -> str:
    text = f"  {item['text']}" if item["text"] else ""
    why = local(f"  ({item['why']})") if item["why"] else ""
    place = f"{item['file']}:{item['line']}" if item["line"] else item["file"]
    return f"{_MARKS[item['verdict']]} {place}{text}{why}"


def _counts(data: Import) -> list[str]:
    """Return a line with the totals. For several files, first return a line per file with its counts."""
    out, files = [], data["files"]
    verb = "would import" if data["dry_run"] else "imported"
    for file in files if len(files) > 1 else ():
        numbers = local((file["error"] or f"{verb} {file['taken']}; {_rest(file)}").split("\n")[0])
        out.append(f"{file['file']} [{file['form'] or '?'}]: {numbers}")
    into = f" into {store_label(data['store'], data['made_store'])}" if data["taken"] else ""
    lifted = f"; {data['lifted']} imported earlier are now marked as yours" if data["lifted"] else ""
    ended, purged = data["ended"], data["purged"]
    lost = f"; the merge ends {ended} and purges {purged} of yours" if ended or purged else ""
    form = f"; format {files[0]['form']}" if len(files) == 1 else ""
    return [*out, local(f"{verb} {data['taken']}{into}; {_rest(data)}{lifted}{lost}{form}")]


def _rest(data: Import | FileCount) -> str:
    return f"{data['known']} already stored, {data['refused']} refused, {data['left']} skipped"
