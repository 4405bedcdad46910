"""Commands for the messages of a session and for a model's directives: converse, monitor."""

from promptx_mem.cli import terminal
from promptx_mem.cli.details import SPEAKERS, minute
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option, Word, Words
from promptx_mem.cli.output import Verbatim, local
from promptx_mem.cli.remember import store_line
from promptx_mem.cli.terminal import progress
from promptx_mem.core.shell import TEXT
from promptx_mem.core.slices import Message
from promptx_mem.core.text import NO_COMMAND, clean, plural, printable_lines, shorten
from promptx_mem.errors import UsageError
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.converse import Converse
from promptx_mem.usecases.monitor import Monitor, Outcome

MAX_STDIN = 10_000_000
_EXAMPLE = f"usage: promptx-mem converse --role user '{TEXT}'"
_LISTED = 5
_MAX_DIRECTIVES = 1_000_000
_DIRECTIVE = f"usage: promptx-mem monitor '[ADD] {TEXT}'"
_ASK_EXAMPLE = "for example: echo 'I drink tea' | promptx-mem monitor --ask"
_MARKS = {"done": "🧠", "skipped": "·", "ignored": "·", "failed": "🚫"}


def converse_command(
    text: Annotated[Words, Argument("The message's text.", metavar="[TEXT]...")] = (),
    role: Annotated[Word, Option("Who wrote the message: user or assistant.")] = None,
    show: Annotated[bool, Option("Show the messages that are not summarised yet.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Converse]:
    """With --role and TEXT: stores one message. Without both: stores a conversation from stdin, except known messages.

    stdin has one JSON object per line: {"role": "user", "content": "hello"}. If TEXT is -, it is read from stdin.
    """
    if show:
        if text or role:
            raise UsageError("--show cannot be combined with a message", hint="promptx-mem converse --show")
        return common.memory().working_memory()._replace(cut="messages")
    messages = _messages(text, role)
    memory = common.memory()
    with progress(show=not common.json, label="summarising messages") as report:
        return memory.converse(messages, snapshot=role is None, progress=report)


def converse_as_text(data: Converse) -> str:
    if data["messages"] is not None:
        return _dialogue(data)
    repeats = f", {data['known']} already stored" if data["known"] else ""
    lines = [local(f"💬 {plural(data['added'], 'message')} added{repeats}, {data['waiting']} to summarise\n")]
    lines.append(store_line(data["store"], data["made_store"]))
    lines += [f"{NO_COMMAND}🧠 {shorten(item['text'], 60)}  {item['id']}\n" for item in data["rolled"][:_LISTED]]
    more = len(data["rolled"]) - _LISTED
    return "".join(lines) + (local(f"🧠 … and {more} more\n") if more > 0 else "")


def _messages(words: Words, role: str | None) -> list[Message]:
    if role is None:
        if words:
            raise UsageError("--role is missing", hint=_EXAMPLE)
        from promptx_mem.usecases.converse import read_messages

        return read_messages(terminal.read_stdin(MAX_STDIN, _EXAMPLE))
    if role not in ("user", "assistant"):
        raise UsageError(f"--role {role[:40]!r} is not known", hint="allowed: user, assistant")
    text = terminal.read_stdin(MAX_STDIN, _EXAMPLE) if words == ("-",) else " ".join(words)
    if not clean(text):
        raise UsageError("there is no text", code="no_text", hint=_EXAMPLE)
    return [Message(role, clean(text))]


def _dialogue(data: Converse) -> str:
    if not data["messages"]:
        return local(f"session {data['session']} has no messages to summarise\n")
    out = ""
    for message in data["messages"]:
        when = minute(message["at"])
        text = printable_lines(message["text"]).replace("\n", "\n  ")
        out += f"{SPEAKERS.get(message['role'], message['role'])} {text}{f'  ({when})' if when else ''}\n"
    return out


def monitor_command(
    directives: Annotated[
        Words,
        Argument("Directives such as '[ADD] TEXT'. Default: one per line of stdin.", metavar="[DIRECTIVES]..."),
    ] = (),
    ask: Annotated[bool, Option("Ask the judge about the turn on stdin, and apply the answer.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Monitor]:
    """DIRECTIVES: '[ADD] text #tag score:8', '[UPDATE:id] text', '[BOOST:id]', '[DELETE:id]', '[SKIP]'; or stdin.

    Each directive gets a result line; a line of prose is reported as "ignored". An invalid directive does not stop the
    rest. --ask sends a turn to the judge and applies its answer; without a judge it prints the prompt. The turn is on
    stdin: the user's words, or one JSON object per line in the format of `converse`.
    """
    if ask and directives:
        raise UsageError("--ask cannot be combined with directives: the judge writes them", hint=_ASK_EXAMPLE)
    if ask:
        return common.memory().monitor_turn(_turn())
    text = "\n".join(directives) if directives else terminal.read_stdin(_MAX_DIRECTIVES, _DIRECTIVE).removesuffix("\n")
    return common.memory().monitor(text.split("\n"))


def monitor_as_text(data: Monitor) -> str:
    if data["prompt"]:
        hint = "No judge is configured. Answer the question yourself, with one argument per directive"
        return Verbatim(f"{data['prompt']}\n{hint}; {_DIRECTIVE}\n")
    place = store_line(data["store"], data["made_store"]) if data["done"] else ""
    return "".join(map(_line, data["items"])) + place or local("the input has no directive\n")


def _turn() -> list[Message]:
    """Read the turn from stdin: JSON lines in the format of `converse`, or the user's words as plain text."""
    text = terminal.read_stdin(_MAX_DIRECTIVES, _ASK_EXAMPLE)
    turn = [Message("user", clean(text))] if clean(text) else []
    if text.lstrip()[:1] in ("{", "["):
        from promptx_mem.usecases.converse import read_messages

        turn = read_messages(text)
    if not turn:
        raise UsageError("the turn is empty", code="no_text", hint=_ASK_EXAMPLE)
    return turn


def _line(item: Outcome) -> str:
    outcome = item["outcome"] if item["op"] in ("error", "ignored", "skip", None) else item["op"]
    text = shorten(item["text"] or item["line"], 40)
    ident = f"  {item['id']}" if item["id"] else ""
    note = local(f"  ({item['message']})") if item["message"] else ""
    head = f"{NO_COMMAND if item['outcome'] == 'done' else ''}{_MARKS[item['outcome']]} "
    return f"{head}{local(f'{outcome}: ')}{text}{ident}{note}\n"
