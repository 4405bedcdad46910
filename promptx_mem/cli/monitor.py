"""DIRECTIVES: '[ADD] text #tag score:8', '[UPDATE:id] text', '[BOOST:id]', '[DELETE:id]', '[SKIP]', or lines of stdin.

Each gets a result line, prose "ignored"; a bad one does not stop the rest. --ask sends a turn (--user, --assistant,
or stdin) to the judge and applies its answer; without a judge it prints the prompt.
"""

from typing import Annotated

from promptx_mem.cli import stdin
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.cli.output import elsewhere
from promptx_mem.core.shell import TEXT
from promptx_mem.core.slices import Message
from promptx_mem.core.text import PROSE, clean, shorten
from promptx_mem.errors import UsageError
from promptx_mem.result import Result
from promptx_mem.usecases.monitor import Monitor, Outcome

MAX_STDIN = 1_000_000
_EXAMPLE = f"promptx-mem monitor '[ADD] {TEXT}'"
_ASK_EXAMPLE = "promptx-mem monitor --ask --user 'what was said' --assistant 'the answer'"
_MARKS = {"done": "🧠", "skipped": "·", "ignored": "·", "failed": "🚫"}
_TEXT = 40


def command(
    directives: Annotated[
        list[str] | None, Argument(metavar="[DIRECTIVES]...", help="One a word; else lines of stdin.")
    ] = None,
    ask: Annotated[bool, Option("--ask", help="Ask the judge what a turn should change, and do it.")] = False,
    user: Annotated[str | None, Option(help="With --ask: what the user said.")] = None,
    assistant: Annotated[str | None, Option(help="With --ask: what the assistant answered.")] = None,
    common: Common = NONE_GIVEN,
) -> Result[Monitor]:
    if not ask and (user is not None or assistant is not None):
        raise UsageError("--user and --assistant belong to --ask", hint=_ASK_EXAMPLE)
    if ask and directives:
        raise UsageError("--ask takes no directives: the judge gives them", hint=_ASK_EXAMPLE)
    if ask:
        turn = _turn(user, assistant)
        return common.memory().monitor_turn(turn)
    lines = [line for word in directives for line in word.split("\n")] if directives else _lines()
    return common.memory().monitor(lines)


def _lines() -> list[str]:
    return stdin.read(MAX_STDIN, _EXAMPLE).removesuffix("\n").split("\n")


def _turn(user: str | None, assistant: str | None) -> list[Message]:
    """The turn that was given; on stdin it is JSON lines as `converse` takes them, or the user's plain words."""
    texts = [("user", clean(user or "")), ("assistant", clean(assistant or ""))]
    turn = [Message(role, text) for role, text in texts if text]
    if not turn and user is None and assistant is None:
        text = stdin.read(MAX_STDIN, _ASK_EXAMPLE)
        if text.lstrip()[:1] in ("{", "["):
            from promptx_mem.usecases.converse import read_messages

            turn = read_messages(text)
        elif clean(text):
            turn = [Message("user", clean(text))]
    if not turn:
        raise UsageError("the turn is empty", code="no_text", hint=_ASK_EXAMPLE)
    return turn


def as_text(data: Monitor) -> str:
    if data["prompt"]:
        hint = f"No judge is configured: answer this yourself, a directive a line, with: {_EXAMPLE}"
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
    """A prompt is for a model."""
    return bool(data["prompt"])
