"""One message: --role and TEXT (a single - reads it from stdin); without both, a whole conversation from stdin.

That is one JSON object per line, {"role": "user", "content": "hello"}; messages already stored are skipped.
"""

from promptx_mem.cli import plain
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option
from promptx_mem.cli.output import elsewhere
from promptx_mem.cli.progress import progress
from promptx_mem.core.shell import TEXT
from promptx_mem.core.slices import Message
from promptx_mem.core.text import PROSE, clean, printable_lines, shorten
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.converse import Converse

MAX_STDIN = 10_000_000
_EXAMPLE = f"usage: promptx-mem converse --role user '{TEXT}'"
_SPEAKERS = {"user": "❯", "assistant": "◆"}
_SUMMARY = 60
_LISTED = 5


def command(
    text: Annotated[list[str] | None, Argument(metavar="[TEXT]...", help="The message.")] = None,
    role: Annotated[str | None, Option(help="Its speaker: user or assistant.")] = None,
    show: Annotated[bool, Option("--show", help="Show the session's working memory.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Converse]:
    if show:
        if text or role:
            raise UsageError("--show adds no message", hint="promptx-mem converse --show")
        return common.memory().working_memory()
    messages = _messages(text, role)
    memory = common.memory()
    with progress(show=not common.json, label="rolling up messages") as report:
        return memory.converse(messages, snapshot=role is None, progress=report)


def _messages(words: list[str] | None, role: str | None) -> list[Message]:
    if role is None:
        if words:
            raise UsageError("--role is missing", hint=_EXAMPLE)
        from promptx_mem.usecases.converse import read_messages

        return read_messages(plain.read_stdin(MAX_STDIN, _EXAMPLE))
    if role not in ("user", "assistant"):
        raise UsageError(f"--role {role[:40]!r} is not known", hint="user or assistant")
    text = plain.read_stdin(MAX_STDIN, _EXAMPLE) if words == ["-"] else " ".join(words or ())
    if not clean(text):
        raise UsageError("there is no text", code="no_text", hint=_EXAMPLE)
    return [Message(role, clean(text))]


def as_text(data: Converse) -> str:
    if data["messages"] is not None:
        return _dialogue(data)
    repeats = f", {data['known']} known" if data["known"] else ""
    place = f"  in {where}" if (where := elsewhere(data["store"], data["made_store"])) else ""
    lines = [f"💬 {data['added']} added{repeats}, {data['waiting']} in working memory{place}\n"]
    rolled = data["rolled"]
    lines += [f"{PROSE}🧠 {shorten(item['text'], _SUMMARY)}  {item['id']}\n" for item in rolled[:_LISTED]]
    if len(rolled) > _LISTED:
        lines.append(f"🧠 … and {len(rolled) - _LISTED} more\n")
    return "".join(lines)


def _dialogue(data: Converse) -> str:
    if not data["messages"]:
        return f"working memory of {data['session']} is empty\n"
    lines = []
    for message in data["messages"]:
        when = (message["at"] or "")[:16].replace("T", " ")
        text = printable_lines(message["text"]).replace("\n", "\n  ")
        lines.append(f"{_SPEAKERS.get(message['role'], message['role'])} {text}{f'  ({when})' if when else ''}\n")
    return "".join(lines)
