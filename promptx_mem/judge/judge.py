"""Judges (source 003 in docs/design.md): a language model, called by a command, decides what no rule can decide.

Without such a command, the calling agent answers the questions.
"""

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from promptx_mem.core.ids import digest
from promptx_mem.core.labels import format_path, parse_path
from promptx_mem.core.text import shorten
from promptx_mem.core.topics import DEFAULT_PROFILE, Profile
from promptx_mem.errors import ConfigError, PromptxMemError
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import subprocess
    from io import BufferedReader, BufferedWriter

INSIDE = "PROMPTX_MEM_JUDGING"
"""Environment variable of a judge's process. If it is set, our commands call no judge, and our hooks print nothing."""


class JudgeError(PromptxMemError):
    """The judge gave no answer, so the question stays pending. `code` is the reason."""

    exit_status = 1
    code = "judge_failed"


COMMAND = "PROMPTX_MEM_LLM"
"""Environment variable with the judge's command. It overrides `llm.command`; if it is empty, there is no judge."""


def appointed() -> "CommandJudge | None":
    """Return the judge in PROMPTX_MEM_LLM or in the user's own settings; None if the calling agent answers.

    A store cannot choose a judge, since people who clone a repository have not agreed to run its commands. Raises
    ConfigError if the settings are wrong, StoreError if they cannot be read.
    """
    words = os.environ.get(COMMAND)
    if os.environ.get(INSIDE) or (words is not None and not words.strip()):
        return None
    from promptx_mem.store import settings

    config = settings.load()
    command = config.llm_command if words is None else _split(words)
    return CommandJudge(command, config.llm_timeout) if command else None


def _split(words: str) -> tuple[str, ...]:
    import shlex

    try:
        return tuple(shlex.split(words))
    except ValueError as error:
        raise ConfigError(
            f"{COMMAND}={words!r} is not a command line ({error})", hint="quotes must be closed"
        ) from None


MAX_SUMMARY = 300
MAX_TOPIC = 200
MAX_RELATED = 5
_LONELY = 0.05
_UNRELATED_DIFFUSION = 0.45
_BEYOND = 1e9
_NUMBER = re.compile(r"[+-]?[0-9]{0,9}\.?[0-9]{1,9}")
_OPENING = re.compile(r"[{\[]")
_TRIES = 2_000
"""Maximum number of brackets in an answer at which reading a JSON object is tried."""

_KEPT = re.compile(r"\[(KEEP|DROP)[:：][ ]?(m_[0-9a-z]{10})\]", re.IGNORECASE)


class RecallProfile(NamedTuple):
    """A judge's description of a part of a conversation: its summary, its topic, and its weights for recall."""

    summary: str
    topic: str | None = None
    related: tuple[str, ...] = ()
    profile: Profile | None = None


def sealed(prompt: str) -> str:
    """Add a last line that no text in the prompt can contain, so that an echoed prompt is recognised."""
    body = prompt.rstrip("\n")
    return f"{body}\n(end of the question {digest(body.encode('utf-8', 'replace'), 6)})\n"


def without_prompt(answer: str, prompt: str) -> str:
    """Return an answer without the prompt, which some commands print before it."""
    lines = {line.strip() for line in prompt.split("\n")}
    seal = prompt.rstrip("\n").rpartition("\n")[2].strip()
    own = answer.rpartition(seal)[2] if seal else answer
    return "\n".join(line for line in own.split("\n") if line.strip() not in lines).strip()


def recall_profile(answer: str, messages: int) -> RecallProfile | None:
    """Return the summary of a part of a conversation that an answer contains as a JSON object; None if there is none.

    `messages` is the number of messages in this part.
    """
    return read_profile(_object(answer), messages)


def demand_profile(answer: str, messages: int) -> RecallProfile:
    """Return the summary in an answer, as `recall_profile` does. Raises JudgeError if there is none."""
    profile = recall_profile(answer, messages)
    if profile is None:
        raise JudgeError("the judge gave no summary", code="judge_garbage")
    return profile


def read_profile(fields: Mapping[str, Any], messages: int) -> RecallProfile | None:
    """Read a summary from the fields of a JSON object; None if there is none.

    Weights are clamped to 0-1. Without a related path the diffusion is at most 0.45. The summary of a single message
    has 0.05 less activation (source 004 in docs/design.md).
    """
    summary = fields.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        return None
    topic = _path(fields.get("topic"))
    items = fields.get("related")
    paths = [path for item in (items if isinstance(items, list) else []) if (path := _path(item)) and path != topic]
    related = tuple(dict.fromkeys(paths))[:MAX_RELATED]
    profile = None
    if topic is not None or related:
        weights = Profile(*(_weight(fields, name) for name in ("activation", "diffusion", "context_independence")))
        profile = Profile(
            round(weights.activation - (_LONELY if messages == 1 else 0.0), 3),
            weights.diffusion if related else min(weights.diffusion, _UNRELATED_DIFFUSION),
            weights.context_independence,
        )
    return RecallProfile(shorten(summary, MAX_SUMMARY), topic, related, profile)


def read_verdicts(answer: str, ids: set[str]) -> dict[str, bool]:
    """Return which of `ids` an answer keeps (True) or drops (False). An id with both words is kept."""
    verdicts: dict[str, bool] = {}
    for match in _KEPT.finditer(answer):
        ident = match[2].lower()
        if ident in ids:
            verdicts[ident] = match[1].upper() == "KEEP" or verdicts.get(ident, False)
    return verdicts


def objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in a text, also those that are in lists or between other words."""
    import json

    from promptx_mem.core.json_text import fraction, integer

    lenient = json.JSONDecoder(parse_int=integer, parse_float=fraction, parse_constant=str, strict=False)
    stop = tries = 0
    for mark in _OPENING.finditer(text):
        if mark.start() < stop:
            continue
        try:
            value, stop = lenient.raw_decode(text, mark.start())
        except (ValueError, RecursionError) as error:
            tries += 1
            if tries > _TRIES or isinstance(error, RecursionError):
                return
            continue
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def _object(answer: str) -> dict[str, Any]:
    """Return the last JSON object with a summary, since a model may think before it answers."""
    summaries = [fields for fields in objects(answer) if isinstance(fields.get("summary"), str)]
    return summaries[-1] if summaries else {}


def _path(value: Any) -> str | None:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TOPIC:
        return None
    return format_path(parse_path(" ".join(value.split()))) or None


def _weight(fields: Mapping[str, Any], name: str) -> float:
    """Return a weight from `fields`, or from `activation_profile` inside them. If it is missing, return its default."""
    nested = fields.get("activation_profile")
    value: Any = fields.get(name, nested.get(name) if isinstance(nested, dict) else None)
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < _BEYOND:
        return float(getattr(DEFAULT_PROFILE, name))
    return min(max(float(value), 0.0), 1.0)


MAX_OUTPUT = 64 * 1024
_CHUNK = 64 * 1024
_POLL_SECONDS, _LAST_SECONDS = 0.01, 1.0
_SHOWN = 200


class CommandJudge:
    """A judge that runs a command for each question. `timeout` is in seconds."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command = list(command)
        self._timeout = timeout

    def ask(self, prompt: str) -> str:
        """Return the text that the command prints. Raises JudgeError unless it prints text and exits with 0."""
        out, errors = bytearray(), bytearray()
        with self._started() as process:
            status = self._finished(process, prompt.encode("utf-8", "replace"), out, errors)
        if status != 0:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            lines = errors.decode("utf-8", "replace").strip().split("\n")
            raise self._error("exit", f"ended with {how}", shorten(lines[-1], _SHOWN))
        printed = out.decode("utf-8", "replace")
        answer = without_prompt(printed, prompt)
        if not answer:
            echo = bool(printed.strip())
            raise self._error("echo" if echo else "silent", "only repeated the prompt" if echo else "printed nothing")
        return answer

    def _finished(self, process: "subprocess.Popen[bytes]", prompt: bytes, out: bytearray, errors: bytearray) -> int:
        """Write the prompt to the command's stdin, read stdout and stderr at the same time, and return the exit status.

        Only the end of the command counts: a child process of it can keep stdout open.
        """
        import threading

        calls = ((_feed, process.stdin, prompt), (_read, process.stdout, out), (_read_last, process.stderr, errors))
        threads = [threading.Thread(target=target, args=given, daemon=True) for target, *given in calls]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + self._timeout
        while not (ended := _has_ended(process)) and len(out) <= MAX_OUTPUT and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
        status = _end(process)
        for thread in threads:
            thread.join(_LAST_SECONDS)
        if len(out) > MAX_OUTPUT:
            raise self._error("too_much", f"printed more than {MAX_OUTPUT // 1024} KB")
        if not ended:
            raise self._error("timeout", f"gave no answer within {self._timeout:g} s")
        return status

    @contextlib.contextmanager
    def _started(self) -> Iterator["subprocess.Popen[bytes]"]:
        """Run the command in a process group of its own, and kill the group at the end."""
        with _signals_kept() as let_through:
            process = self._spawn()
            try:
                let_through()
                yield process
            finally:
                if process.returncode is None:
                    _end(process)

    def _spawn(self) -> "subprocess.Popen[bytes]":
        import subprocess

        pipe, inside = subprocess.PIPE, {**os.environ, INSIDE: "1"}
        try:
            return subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                self._command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=inside
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise self._error("not_started", f"cannot be started: {why}") from None

    def _error(self, kind: str, problem: str, complaint: str = "") -> JudgeError:
        detail = f": {complaint}" if complaint else ""
        return JudgeError(
            f"the judge ({shorten(self._command[0], 40)}) {problem}{detail}",
            code=f"judge_{kind}",
            hint="test the command in PROMPTX_MEM_LLM, or in your settings: it must answer a prompt on stdin",
        )


def _feed(stream: "BufferedWriter", prompt: bytes) -> None:
    with contextlib.suppress(OSError), stream:  # the command can close its stdin and answer nevertheless
        stream.write(prompt)


def _read(stream: "BufferedReader", into: bytearray) -> None:
    """Read a stream to its end, but stop soon after the maximum length of an answer is exceeded."""
    with contextlib.suppress(OSError, ValueError), stream:
        while len(into) <= MAX_OUTPUT and (chunk := stream.read1(_CHUNK)):
            into += chunk


def _read_last(stream: "BufferedReader", into: bytearray) -> None:
    """Read a stream to its end, and keep only the last 64 KB."""
    with contextlib.suppress(OSError, ValueError), stream:
        while chunk := stream.read1(_CHUNK):
            into += chunk
            del into[:-_CHUNK]


@contextlib.contextmanager
def _signals_kept() -> Iterator[Callable[[], None]]:
    """Delay SIGINT and SIGTERM until the yielded function is called, so that a judge that starts is always recorded.

    After that, each of them ends this process by an exception, so that the judge is killed, too.
    """
    import threading

    if threading.current_thread() is not threading.main_thread() or os.name == "nt":
        yield lambda: None
        return
    kept: list[int] = []
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda number, _: kept.append(number))

    def let_through() -> None:
        signal.signal(signal.SIGINT, before[signal.SIGINT])
        signal.signal(signal.SIGTERM, _stop)
        for number in kept:
            signal.raise_signal(number)

    try:
        yield let_through
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stop(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _end(process: "subprocess.Popen[bytes]") -> int:
    """Kill the process group, then wait for the command: the group's id cannot be reused before the wait."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Return whether the command has ended, if possible without reaping it, so that its process id is not reused."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
