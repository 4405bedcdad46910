"""DIRECTIVES: '[ADD] text #tag score:8', '[UPDATE:id] text', '[BOOST:id]', '[DELETE:id]', '[SKIP]', or lines of stdin.

Each gets a result line, prose "ignored"; a bad one does not stop the rest. --ask sends a turn to the
judge and applies its answer; without a judge it prints the prompt. The turn is on stdin: the user's words, or one JSON
object per line as `converse` takes them.
"""

from promptx_mem.cli import plain
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.cli.output import elsewhere
from promptx_mem.core.shell import TEXT
from promptx_mem.core.slices import Message
from promptx_mem.core.text import PROSE, clean, shorten
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.monitor import Monitor, Outcome

MAX_STDIN = 1_000_000
_EXAMPLE = f"usage: promptx-mem monitor '[ADD] {TEXT}'"
_ASK_EXAMPLE = "for example: echo 'I drink tea' | promptx-mem monitor --ask"
_MARKS = {"done": "🧠", "skipped": "·", "ignored": "·", "failed": "🚫"}
_TEXT = 40


def command(
    directives: Annotated[
        list[str] | None,
        Argument(metavar="[DIRECTIVES]...", help="One directive per argument, else one per line of stdin."),
    ] = None,
    ask: Annotated[bool, Option("--ask", help="Let the judge decide about a turn, and apply its answer.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Monitor]:
    if ask and directives:
        raise UsageError("--ask takes no directives: the judge gives them", hint=_ASK_EXAMPLE)
    if ask:
        turn = _turn()
        return common.memory().monitor_turn(turn)
    lines = [line for word in directives for line in word.split("\n")] if directives else _lines()
    return common.memory().monitor(lines)


def _lines() -> list[str]:
    return plain.read_stdin(MAX_STDIN, _EXAMPLE).removesuffix("\n").split("\n")


def _turn() -> list[Message]:
    """Read the turn from stdin: JSON lines as `converse` takes them, or the user's plain words."""
    text = plain.read_stdin(MAX_STDIN, _ASK_EXAMPLE)
    if text.lstrip()[:1] in ("{", "["):
        from promptx_mem.usecases.converse import read_messages

        turn = read_messages(text)
    else:
        turn = [Message("user", clean(text))] if clean(text) else []
    if not turn:
        raise UsageError("the turn is empty", code="no_text", hint=_ASK_EXAMPLE)
    return turn


def as_text(data: Monitor) -> str:
    if data["prompt"]:
        hint = f"No judge is configured: answer this yourself, one directive per line, with: {_EXAMPLE}"
        return f"{data['prompt']}\n{hint}\n"
    place = f"   in {where}\n" if (where := elsewhere(data["store"], data["made_store"])) and data["done"] else ""
    return "".join(map(_line, data["items"])) + place or "no directive\n"


def _line(item: Outcome) -> str:
    outcome = item["outcome"] if item["op"] in ("error", "ignored", "skip", None) else item["op"]
    text = shorten(item["text"] or item["line"], _TEXT)
    ident = f"  {item['id']}" if item["id"] else ""
    note = f"  ({item['message']})" if item["message"] else ""
    return f"{PROSE if item['outcome'] == 'done' else ''}{_MARKS[item['outcome']]} {outcome}: {text}{ident}{note}\n"


def is_verbatim(data: Monitor) -> bool:
    """Return True: a prompt is for a model."""
    return bool(data["prompt"])
