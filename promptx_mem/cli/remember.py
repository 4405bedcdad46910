"""TEXT can end with '#tag' score:9 duration:long.

Quote tags: bash treats an unquoted #tag as a comment. If TEXT is -, it is read from stdin.
"""

import os

from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, DryRun, Option, Word, Words
from promptx_mem.cli.output import hints, is_on_terminal, local
from promptx_mem.core.request import Request
from promptx_mem.core.state import OWN, USER
from promptx_mem.core.text import NO_COMMAND, decoded, format_score, shorten
from promptx_mem.daily import EverydayMemory
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.gate import Item, Remember

LABEL_LENGTH = 10
"""Maximum length, in characters, of a memory's text in a line that reports a change of the memory."""

MAX_STDIN = 1_000_000
_HERE = os.path.join(".", ".memory")
_VERBS = {"stored": "", "repeated": "already stored", "restored": "restored", "changed": "changed"}
_SWALLOWED = "did you type #tag without quotes? Then the shell dropped it and everything after it"


def command(
    text: Annotated[Words, Argument("The fact; it can end with '#tags' and score:8.", metavar="TEXT...")] = (),
    tag: Annotated[Words, Option("A tag; repeatable.", "--tag", "-t", metavar="TAG")] = (),
    score: Annotated[Word, Option("The score: 0-10, rounded to one decimal.", metavar="SCORE")] = None,
    duration: Annotated[
        Word, Option("short, medium, long, permanent, 36h, 2w, 6mo, 1y or a date.", metavar="DURATION")
    ] = None,
    explicit: Annotated[bool, Option("The user asked for this: the score is at least 8.")] = False,
    dims: Annotated[Word, Option("The six dimensions: 9,7,9,8,8,9 or importance=9,….", metavar="DIMS")] = None,
    profile: Annotated[Word, Option("Formula for --dims: execution or declarative.", metavar="NAME")] = None,
    topic: Annotated[Word, Option("The memory's topic path.", metavar="A->B")] = None,
    related: Annotated[Words, Option("A related topic path; repeatable.", metavar="A->C")] = (),
    aka: Annotated[Words, Option("An alias: synonym, abbreviation or translation; repeatable.", metavar="WORDS")] = (),
    type_: Annotated[Word, Option("user, feedback, project or reference.", metavar="TYPE")] = None,
    category: Annotated[Word, Option("fact, core, episode or system.", metavar="NAME")] = None,
    source: Annotated[Word, Option("user, background_ai or system.", metavar="NAME")] = None,
    verified: Annotated[bool, Option("The user has confirmed the fact.")] = False,
    reason: Annotated[Word, Option("Why the fact is worth keeping.", metavar="TEXT")] = None,
    cite: Annotated[Words, Option("A file that the fact is about; repeatable.", metavar="PATH")] = (),
    update: Annotated[Word, Option("Replace the memory with this id.", metavar="ID")] = None,
    user: Annotated[bool, Option("Store in the user store, used in all projects.")] = False,
    split: Annotated[
        bool, Option("Store each line, item or clause as one memory. Final #tags and score apply to all.")
    ] = False,
    allow_secret: Annotated[bool, Option("Store the text even if it contains a credential.")] = False,
    dry_run: DryRun = False,
    common: Common = NONE_GIVEN,
) -> Result[Remember]:
    request = Request(
        text=_text(text, split=split),
        tags=tag,
        score=score,
        duration=duration,
        explicit=explicit,
        dims=dims,
        profile=profile,
        topic=topic,
        related=related,
        aka=aka,
        type=type_,
        category=category,
        source=source,
        verified=verified,
        reason=reason,
        session=common.session,
        update=update,
        cite=cite,
        user=user or common.scope == USER,
        split=split,
        allow_secret=allow_secret,
        dry_run=dry_run,
        memory_dir=common.memory_dir,
    )
    if allow_secret:
        from promptx_mem.cli import usage

        usage.demand_allowed("--allow-secret")
    memory = common.opened_to_write(EverydayMemory, user=user)
    result = memory.remember(request)
    if len(text) > 1 and "tag" in result.data.get("defaults", []):
        result = result._replace(warnings=(*result.warnings, _SWALLOWED))
    if request.text.isascii() or not any("\udc80" <= char <= "\udcff" for char in decoded(request.text)):
        return result
    # Bytes of an argument were not UTF-8, which happens if the terminal uses another encoding.
    warning = "the text is not UTF-8: unreadable bytes became U+FFFD; correct it with --update"
    return result._replace(warnings=(*result.warnings, warning))


def _text(words: Words, *, split: bool) -> str:
    if "-" not in words:
        return " ".join(words)
    from promptx_mem.cli.terminal import read_stdin
    from promptx_mem.core.shell import USAGE

    piped = read_stdin(MAX_STDIN, USAGE).strip()
    if split and words == ("-",):  # if stdin is the whole text, each line has its own tags and score (split.parts)
        return piped + "\n"
    return " ".join(piped if word == "-" else word for word in words)


def as_text(data: Remember) -> str:
    shown = _remembered(data) if data["items"] is None else "".join(map(_item, data["items"]))
    whose = ", the user store, used in all projects" if data["scope"] == USER else ""
    return shown + store_line(data["store"], data["made_store"], whose)


def store_label(store: str, made: str | None) -> str:
    """Return the name of the changed store, with a note if the store is new."""
    return f"{store}, which is new" if made else store


def store_line(store: str, made: str | None = None, whose: str = "") -> str:
    """Return a line with the name of the changed store. Return an empty text for ./.memory, unless it is new."""
    return "" if store == _HERE and not made else local(f"   in {store_label(store, made)}{whose}\n")


def _item(item: Item) -> str:
    if (error := item["error"]) is None:
        return _remembered(item)
    return f"🚫 {shorten(item['text'], LABEL_LENGTH)}  {local(error['message'])}\n{hints(error['hint'], '   ')}"


def _remembered(data: Remember) -> str:
    would = "(dry run: nothing written)" if data["dry_run"] else ""
    label = shorten(data["text"], LABEL_LENGTH)
    score = local(f"score {format_score(data['score'] or 0)}") + "".join(f" #{tag}" for tag in data["tags"])
    head = (f"🧠 {label}", data["id"], score, *map(local, (_VERBS[data["verdict"]], would)))
    out = f"{'  '.join(filter(None, head))}\n"
    if is_on_terminal() and len(label) < len(data["text"]):
        out += "".join(f"{NO_COMMAND}   {line}\n" for line in data["text"].split("\n"))
    if data["change"]:
        out += local(f"   to change {' and '.join(data['defaults'])}: {data['change']}\n")
    for adjustment in data["adjustments"]:
        if adjustment["by"] > 0:
            out += local(f"{NO_COMMAND}   thresholds {adjustment['by']:+g}: {adjustment['why']}\n")
    for number, old in enumerate(data["conflicts"]):
        out += local(f"{NO_COMMAND}   may replace {old['id']} {old['text']} ({old['reason']})\n")
        out += "" if number else local(f"   if the new one replaces it: {old['command']}\n")
    for near in data["similar"]:
        if near["id"] not in out:
            out += local(f"{NO_COMMAND}   {near['similarity']:.0%} similar to {near['id']} {near['text']}\n")
            out += local(f"   if the new one replaces it: {near['replace']}\n")
    for other in data["alike"]:
        if other["id"] not in out:
            origin = "" if other["origin"] == OWN else f" (origin: {other['origin']})"
            alike = f"{other['similarity']:.0%} similar to {other['id']} {other['at'][:10]} {other['text']}{origin}"
            out += local(f"{NO_COMMAND}   {alike}\n")
    return out
