"""The program in processes that are forked from one that has loaded it: a third of the time of new ones.

Where the process itself matters (its start, parents, signals, memory), tests start a new one.
"""

# A shell's `promptx-mem` loads this module for each command: other imports would take longer than the command.
import _socket
import os
import sys

PROGRAM, PERSON, TERMINAL = b"program", b"person", b"terminal"
"""Run as agents and scripts do, as a person does but with pipes, or as the leader of a new terminal's session."""

AS_PERSON = "from promptx_mem import __main__, session; session.is_person = lambda: True; __main__.main()"
_HARMLESS = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
_SIZE = 1 << 16
_FOLDER: list[str] = []
_LOAD = f"import sys; sys.path.append({os.path.dirname(__file__)!r}); import warm; warm."
Place = os.PathLike[str] | str


def is_usable(env: dict[str, str], stdin: bytes = b"") -> bool:
    """Return whether a forked process acts as a new one: it has this encoding, and a pipe holds its input."""
    coded = next(filter(None, map(env.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "C.UTF-8")  # also without any: PEP 538
    is_set = any(value and name.startswith("PYTHON") and name not in _HARMLESS for name, value in env.items())
    return coded == "C.UTF-8" and len(stdin) <= _SIZE and not is_set


def programs() -> str:
    """Return the directory with `promptx-mem`, and `as_person` that runs it as a person. Start their server."""
    if not _FOLDER:
        import atexit
        import shutil
        import socket
        import subprocess
        import tempfile

        folder = tempfile.mkdtemp()
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(f"{folder}/socket")
            listener.listen(64)
            command = [sys.executable, "-P", "-c", f"{_LOAD}serve({listener.fileno()})"]
            env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
            # The server ends with its stdin, when this process ends.
            server = subprocess.Popen(command, stdin=subprocess.PIPE, env=env, pass_fds=[listener.fileno()])
        for name in ("promptx-mem", "as_person"):
            with open(os.open(f"{folder}/{name}", os.O_WRONLY | os.O_CREAT, 0o755), "w", encoding="utf-8") as file:
                file.write(f"#!{sys.executable} -IS\n{_LOAD}shell()\n")
        _FOLDER.append(folder)
        atexit.register(shutil.rmtree, folder)
        atexit.register(server.communicate)
    return _FOLDER[0]


def _new(kind: bytes, words: list[str]) -> list[str]:
    """Return the command for a new process."""
    return [sys.executable, *(["-c", AS_PERSON] if kind == PERSON else ["-m", "promptx_mem"]), *words]


def shell() -> None:
    """Run the program with the words, variables and streams of this process, and end with its status."""
    folder, name = os.path.split(sys.argv[0])
    kind, env = PERSON if name == "as_person" else PROGRAM, dict(os.environ)
    if not is_usable(env):
        os.execv(sys.executable, _new(kind, sys.argv[1:]))
    os._exit(wait(ask(kind, sys.argv[1:], env, ".", (0, 1, 2), folder)))


def ask(
    kind: bytes, words: list[str], env: dict[str, str], cwd: Place, streams: tuple[int, int, int], folder: str = ""
) -> _socket.socket:
    """Let the server run the program. `wait` returns its status."""
    here = os.open(cwd, os.O_RDONLY)
    texts = [*words, *(f"{name}={value}" for name, value in env.items())]
    data = b"\0".join([kind, b"%d" % len(words), *map(os.fsencode, texts)])
    numbers = b"".join(number.to_bytes(4, sys.byteorder) for number in (*streams, here))
    server = _socket.socket(_socket.AF_UNIX)
    server.connect(f"{folder or programs()}/socket")
    sent = server.sendmsg([data], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)])
    server.sendall(data[sent:])
    server.shutdown(_socket.SHUT_WR)
    os.close(here)
    return server


def wait(server: _socket.socket) -> int:
    data = server.recv(4)
    server.close()
    return int.from_bytes(data, sys.byteorder, signed=True)


def run(kind: bytes, words: list[str], cwd: Place, env: dict[str, str], stdin: bytes) -> tuple[int, bytes, bytes]:
    """Run the program and return its status and its output."""
    import subprocess
    import tempfile

    if not is_usable(env, stdin):
        done = subprocess.run(
            _new(kind, words), cwd=cwd, env=env, input=stdin, capture_output=True, timeout=60, check=False
        )
        return done.returncode, done.stdout, done.stderr
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        reading, writing = os.pipe()
        os.write(writing, stdin)
        os.close(writing)
        server = ask(kind, words, env, cwd, (reading, out.fileno(), err.fileno()))
        os.close(reading)
        status = wait(server)
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def serve(number: int) -> None:
    """Load the program, and run it for each connection until stdin ends."""
    import gc
    import importlib
    import pkgutil
    import select
    import signal
    import socket

    import promptx_mem

    names = [module.name for module in pkgutil.walk_packages(promptx_mem.__path__, "promptx_mem.")]
    for name in ("typer", "rich", "yaml", "sqlite3", *(name for name in names if ".mcp_server." not in name)):
        importlib.import_module(name)
    gc.freeze()
    ended, ends = os.pipe()
    os.set_blocking(ends, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(ends)
    listener = socket.socket(fileno=number)
    running: dict[int, socket.socket] = {}
    while 0 not in (ready := select.select([number, ended, 0], [], [])[0]):
        if ended in ready:
            os.read(ended, _SIZE)
            for child in list(running):
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    with running.pop(child) as connection:
                        connection.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, sys.byteorder, signed=True))
        if number in ready:
            connection, _ = listener.accept()
            data, numbers, _, _ = socket.recv_fds(connection, _SIZE, 4)
            while more := connection.recv(_SIZE):
                data += more
            if child := os.fork():
                running[child] = connection
            else:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                os.closerange(3, min(numbers))
                _become(data, numbers)
            for one in numbers:  # a terminal ends when no process has it open
                os.close(one)


def _become(data: bytes, numbers: list[int]) -> None:
    """Run the program in this process, as if it were new."""
    import fcntl
    import io
    import termios
    import time

    from promptx_mem import __main__, session

    kind, count, *texts = data.split(b"\0")
    os.fchdir(numbers[3])
    if kind == TERMINAL:
        os.setsid()
        fcntl.ioctl(numbers[0], termios.TIOCSCTTY, 0)
    if kind == PERSON:
        session.is_person = lambda: True
    for to, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(numbers[to], to)
        raw = io.FileIO(to, "w" if to else "r", closefd=False)
        errors, is_lined = "backslashreplace" if to == 2 else "surrogateescape", to == 2 or os.isatty(to)
        file = io.TextIOWrapper((io.BufferedWriter if to else io.BufferedReader)(raw), "utf-8", errors, None, is_lined)
        setattr(sys, name, file)
        setattr(sys, f"__{name}__", file)
    os.closerange(3, max(numbers) + 1)
    os.environb.clear()
    os.environb.update(text.partition(b"=")[::2] for text in texts[int(count) :])
    time.tzset()
    sys.argv = [__main__.__file__, *map(os.fsdecode, texts[: int(count)])]
    __main__.main()
