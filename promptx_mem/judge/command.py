"""A command as judge: the prompt on its stdin, the answer on its stdout; no shell, a time limit, a size limit."""

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from promptx_mem.core.text import shorten
from promptx_mem.judge.answers import without_prompt
from promptx_mem.judge.failure import INSIDE, JudgeError

MAX_OUTPUT = 64 * 1024
_CHUNK = 64 * 1024
_POLL_SECONDS = 0.05
_SHOWN = 200


class CommandJudge:
    """Runs `command` once a question. `timeout` is in seconds."""

    def __init__(self, command: Sequence[str], timeout: float) -> None:
        self._command = list(command)
        self._timeout = timeout

    def ask(self, prompt: str) -> str:
        """Return what the command prints. Raises JudgeError for anything but a text and exit status 0."""
        with self._started() as process:
            run = _Run(process, prompt.encode("utf-8", "replace"), time.monotonic() + self._timeout)
            try:
                status = run.finish()
            except _TimeUpError:
                raise self._error("timeout", f"gave no answer within {self._timeout:g} s") from None
            except _TooMuchError:
                raise self._error("too_much", f"printed more than {MAX_OUTPUT // 1024} KB") from None
        if status != 0:
            how = f"signal {-status}" if status < 0 else f"status {status}"
            raise self._error("exit", f"ended with {how}", run.complaint())
        answer = without_prompt(run.answer(), prompt)
        if not answer:
            echo = bool(run.answer().strip())
            raise self._error("echo" if echo else "silent", "only repeated the prompt" if echo else "said nothing")
        return answer

    @contextlib.contextmanager
    def _started(self) -> Iterator["subprocess.Popen[bytes]"]:
        """The command in a process group of its own; whatever it started is gone in the end."""
        with _signals_kept() as let_through:
            process = self._spawn()
            try:
                let_through()
                yield process
            finally:
                if process.returncode is None:
                    _end(process)
                for stream in (process.stdin, process.stdout, process.stderr):
                    if stream is not None:
                        with contextlib.suppress(OSError):
                            stream.close()

    def _spawn(self) -> "subprocess.Popen[bytes]":
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
                self._command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, INSIDE: "1"},
            )
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            raise self._error("not_started", f"cannot be started: {why}") from None

    def _error(self, kind: str, problem: str, complaint: str = "") -> JudgeError:
        detail = f": {complaint}" if complaint else ""
        return JudgeError(
            f"the judge ({shorten(self._command[0], 40)}) {problem}{detail}",
            code=f"judge_{kind}",
            hint="try it by hand: the command in PROMPTX_MEM_LLM, or in your own settings, reads a prompt on stdin",
        )


class _TimeUpError(Exception):
    """The time limit has passed."""


class _TooMuchError(Exception):
    """There was more output than a judge can have to say."""


class _Run:
    """One run: feeds stdin and drains both outputs, so that neither side ever waits for the other."""

    def __init__(self, process: "subprocess.Popen[bytes]", prompt: bytes, deadline: float) -> None:
        self._process = process
        self._prompt = memoryview(prompt)
        self._deadline = deadline
        self._out = bytearray()
        self._err = bytearray()

    def finish(self) -> int:
        """Return the exit status when the command has ended. Raises _TimeUpError, _TooMuchError."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as selector:
            for stream in (process.stdin, process.stdout, process.stderr):
                os.set_blocking(stream.fileno(), False)
            selector.register(process.stdin, selectors.EVENT_WRITE)
            selector.register(process.stdout, selectors.EVENT_READ, self._out)
            selector.register(process.stderr, selectors.EVENT_READ, self._err)
            while True:
                # A child that it left behind may hold its stdout open: what counts is that it has ended itself.
                ended = _has_ended(process)
                busy = self._step(selector, 0 if ended else _POLL_SECONDS)
                if ended and not busy:
                    return _end(process)
                if time.monotonic() >= self._deadline:
                    raise _TimeUpError

    def answer(self) -> str:
        return self._out.decode("utf-8", "replace")

    def complaint(self) -> str:
        """The last line it wrote on stderr."""
        lines = self._err.decode("utf-8", "replace").strip().split("\n")
        return shorten(lines[-1], _SHOWN)

    def _step(self, selector: selectors.BaseSelector, wait: float) -> bool:
        """Move what can be moved; says whether anything was read."""
        if not selector.get_map():
            time.sleep(wait and 0.005)
            return False
        busy = False
        for key, _ in selector.select(wait):
            if key.data is None:
                self._feed(selector)
            elif chunk := os.read(key.fd, _CHUNK):
                busy = True
                key.data.extend(chunk)
                if key.data is self._err:
                    del self._err[:-_CHUNK]
                elif len(self._out) > MAX_OUTPUT:
                    raise _TooMuchError
            else:
                selector.unregister(key.fileobj)
        return busy

    def _feed(self, selector: selectors.BaseSelector) -> None:
        stream = self._process.stdin
        assert stream is not None
        try:
            self._prompt = self._prompt[os.write(stream.fileno(), self._prompt[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # it closed its stdin: it may answer all the same
            self._prompt = self._prompt[:0]
        if not self._prompt:
            selector.unregister(stream)
            stream.close()


@contextlib.contextmanager
def _signals_kept() -> Iterator[Callable[[], None]]:
    """Keep SIGINT and SIGTERM back until the function given is called, so that no judge is started and not known.

    From then on each ends this process by an exception, so that the judge is not left behind.
    """
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
    """Kill what is left of the group, and only then wait: until then its number cannot be another's."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def _has_ended(process: "subprocess.Popen[bytes]") -> bool:
    """Whether the command has ended, without waiting for it where that is possible: its number stays taken."""
    if not hasattr(os, "waitid"):
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True
