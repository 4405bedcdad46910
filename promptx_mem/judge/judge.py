"""Judges (source 003 in docs/design.md): a command calls a language model to answer questions that no rule can decide.

Without such a command, the calling agent answers the questions.
"""

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping, Sequence

from promptx_mem.core.ids import short_hash
from promptx_mem.core.text import shorten
from promptx_mem.core.topics import DEFAULT_PROFILE, Profile, format_path, parse_path
from promptx_mem.errors import ConfigError, PromptxMemError
from promptx_mem.record import TYPE_CHECKING, Any, NamedTuple, cast

if TYPE_CHECKING:
    from typing import BinaryIO

INSIDE = "PROMPTX_MEM_JUDGING"
"""Environment variable of a judge's process. If it is set, our commands call no judge, and our hooks print nothing."""


class JudgeError(PromptxMemError):
    """The error of a judge without a valid answer. The question stays pending. `code` is the reason."""

    exit_status = 1
    code = "judge_failed"


COMMAND = "PROMPTX_MEM_LLM"
"""Environment variable with the judge's command. It overrides `llm.command`; if it is empty, there is no judge."""


def appointed() -> "CommandJudge | None":
    """Return the judge in PROMPTX_MEM_LLM or in the user's own settings; None if the calling agent answers.

    A store cannot choose a judge, since people who clone a repository have not agreed to run its commands. Raises
    ConfigError if the command or the settings are wrong, StoreError if the settings cannot be read.
    """
    words = os.environ.get(COMMAND)
    if os.environ.get(INSIDE) or (words is not None and not words.strip()):
        return None
    import shlex

    from promptx_mem.store import settings

    config = settings.of()
    try:
        command = config.llm_command if words is None else shlex.split(words)
    except ValueError as error:
        raise ConfigError(
            f"{COMMAND}={words!r} is not a command line ({error})", hint="quotes must be closed"
        ) from None
    return CommandJudge(command, config.llm_timeout) if command else None


MAX_SUMMARY = 300
MAX_TOPIC = 200
MAX_RELATED = 5
_BEYOND = 1e9
_OPENING = re.compile(r"[{\[]")
_TRIES = 2_000
"""Maximum number of failed attempts to read a JSON object in an answer."""

_THINKING = re.compile(r"(?ism)^[ \t]*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)")
_THINKING_END = re.compile(r"(?ism)\A.*^(?:\.\.\.done thinking\.|(?:(?!<think)[^\n])*?(?<!`)</think(?:ing)?>)")
_KEPT = re.compile(r"\[(KEEP|DROP)[:：][ ]?(m_[0-9a-z]{10})\]", re.IGNORECASE)


class RecallProfile(NamedTuple):
    """A judge's description of a part of a conversation: its summary, its topic, and its weights for recall."""

    summary: str
    topic: str | None = None
    related: tuple[str, ...] = ()
    profile: Profile | None = None


def sealed(prompt: str) -> str:
    """Return the prompt with its hash as the last line. Its text cannot contain this hash, so an echo is recognised."""
    body = prompt.rstrip("\n")
    return f"{body}\n(end of the question {short_hash(body.encode('utf-8', 'replace'), 6)})\n"


def without_prompt(answer: str, prompt: str) -> str:
    """Return an answer without lines of the prompt. Some commands print the prompt before the answer."""
    lines = {line.strip() for line in prompt.split("\n")}
    seal = prompt.rstrip("\n").rpartition("\n")[2].strip()
    own = answer.rpartition(seal)[2] if seal else answer
    return "\n".join(line for line in own.split("\n") if line.strip() not in lines).strip()


def without_thinking(answer: str) -> str:
    """Return an answer without its thinking, also if the end or the beginning of the thinking is missing.

    An opening tag counts only at the beginning of a line, a closing tag only outside of backticks.
    """
    for pattern in (_THINKING, _THINKING_END):
        answer = pattern.sub(lambda match: "\n" * match[0].count("\n"), answer)
    return answer


def recall_profile(answer: str, messages: int) -> RecallProfile:
    """Return the summary of a part of a conversation, its topic and its weights from the JSON object in an answer.

    `messages` is the number of messages in this part. Raises JudgeError if there is no summary.
    """
    # A model can print drafts before its answer, so the last object with a summary counts.
    summaries = [fields for fields, _, _ in located_objects(answer) if isinstance(fields.get("summary"), str)]
    profile = read_profile(summaries[-1], messages) if summaries else None
    if profile is None:
        raise JudgeError("the judge's answer contains no summary", code="judge_garbage")
    return profile


def read_profile(fields: Mapping[str, Any], messages: int) -> RecallProfile | None:
    """Read a summary, its topic and its weights from the fields of a JSON object; return None without a summary.

    Clamp weights to 0-1. Without a related path, limit the diffusion to 0.45. For a single message, subtract 0.05 from
    the clamped activation. The rules come from source 004 in docs/design.md.
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
        activation, diffusion, independence = (_weight(fields, name) for name in Profile._fields)
        diffusion = diffusion if related else min(diffusion, 0.45)
        activation = max(0.0, activation - 0.05) if messages == 1 else activation
        profile = Profile(round(activation, 3), diffusion, independence)
    return RecallProfile(shorten(summary, MAX_SUMMARY), topic, related, profile)


def read_verdicts(answer: str, ids: set[str]) -> dict[str, bool]:
    """Return the verdicts on `ids`: True for KEEP or both, False for DROP. Raises JudgeError without a verdict."""
    verdicts: dict[str, bool] = {}
    for match in _KEPT.finditer(answer):
        ident = match[2].lower()
        if ident in ids:
            verdicts[ident] = match[1].upper() == "KEEP" or verdicts.get(ident, False)
    if not verdicts:
        raise JudgeError("the judge's answer contains no decision", code="judge_garbage")
    return verdicts


def located_objects(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the JSON objects in a text, including those in lists, each with the start and end of the object or list."""
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
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                yield one, mark.start(), stop


def _path(value: Any) -> str | None:
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TOPIC:
        return None
    return format_path(parse_path(" ".join(value.split()))) or None


def _weight(fields: Mapping[str, Any], name: str) -> float:
    """Return the weight `name`, clamped to 0-1. Without a valid weight, return the default."""
    default: float = getattr(DEFAULT_PROFILE, name)
    value: Any = fields.get(name)
    try:
        number = default if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return default
    return min(max(number, 0.0), 1.0) if abs(number) < _BEYOND else default


MAX_OUTPUT = 64 * 1024
_MAX_COMPLAINT = 16 * 1024 * 1024


class CommandJudge:
    """A judge that runs a command for each question. `timeout` is in seconds."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command = list(command)
        self._timeout = timeout

    def ask(self, prompt: str) -> str:
        """Return the command's answer, without the prompt and thinking. Raises JudgeError without an answer."""
        try:
            with _nameless() as given, _nameless() as out, _nameless() as errors:
                given.write(prompt.encode("utf-8", "replace"))
                given.seek(0)
                with _terminable():
                    status = self._run(given, out, errors)
                printed, complaint = _tail(out), _tail(errors)
        except (OSError, ValueError) as error:  # ValueError: a null byte in the command
            problem = f"cannot be started: {getattr(error, 'strerror', None) or error}"
            raise self._error("not_started", problem) from None
        if status != 0:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise self._error("exit", f"ended with {how}", shorten(complaint.strip().split("\n")[-1], 200))
        if answer := without_thinking(without_prompt(printed, prompt)).strip():
            return answer
        if printed.strip():
            raise self._error("echo", "printed only the prompt or thinking")
        raise self._error("silent", "printed nothing")

    def _run(self, given: "BinaryIO", out: "BinaryIO", errors: "BinaryIO") -> int:
        """Run the command in a new process group, kill the group at the end, and return the exit status."""
        import subprocess

        env = {**os.environ, INSIDE: "1"}
        process = subprocess.Popen(  # noqa: S603 - the command in the settings
            self._command, stdin=given, stdout=out, stderr=errors, start_new_session=True, env=env
        )
        try:
            deadline = time.monotonic() + self._timeout
            while (status := process.poll()) is None and _size(out) <= MAX_OUTPUT and _size(errors) <= _MAX_COMPLAINT:
                if time.monotonic() > deadline:
                    raise self._error("timeout", f"gave no answer within {self._timeout:g} s")
                time.sleep(0.01)
        finally:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if status is None or _size(out) > MAX_OUTPUT:
            stream, most = ("stdout", MAX_OUTPUT) if _size(out) > MAX_OUTPUT else ("stderr", _MAX_COMPLAINT)
            raise self._error("too_much", f"printed more than {most // 1024} KB on {stream}")
        return status

    def _error(self, kind: str, problem: str, complaint: str = "") -> JudgeError:
        detail = f": {complaint}" if complaint else ""
        return JudgeError(
            f"the judge ({shorten(self._command[0], 40)}) {problem}{detail}",
            code=f"judge_{kind}",
            hint="test the command in PROMPTX_MEM_LLM, or in your settings: it must answer a prompt on stdin",
        )


def _nameless() -> "BinaryIO":
    """Open a new file without a name. It is in RAM if possible, because it can contain the text of memories."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("judge"), "w+b")
    from tempfile import TemporaryFile

    return cast("BinaryIO", TemporaryFile())


def _size(file: "BinaryIO") -> int:
    return os.fstat(file.fileno()).st_size


def _tail(file: "BinaryIO") -> str:
    """Return the last 64 KB of a file."""
    return os.pread(file.fileno(), MAX_OUTPUT, max(_size(file) - MAX_OUTPUT, 0)).decode("utf-8", "replace")


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM raise SystemExit in the main thread, so that the judge is killed before this process ends."""
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
