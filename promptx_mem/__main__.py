"""The way in. What an agent's host calls goes round the command line: it must be fast, and never exit with 2."""

import gc
import os
import sys


def main() -> None:
    """Run one command line and end the process.

    A process that lives for some milliseconds need not look for garbage, nor take the interpreter down piece by piece:
    what is written is written by then. Both together are a tenth of a `recall`.
    """
    gc.disable()
    try:
        status = _run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are loaded, or while an answer is written
        status = 130
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # it is closed; nobody is there to be told
            continue
    os._exit(status)


def _run(arguments: list[str]) -> int:
    if arguments == ["guard"]:
        from promptx_mem.hooks import guard

        return guard.main()
    if len(arguments) == 2 and arguments[0] == "hook" and arguments[1] in ("prompt", "start", "stop"):
        from promptx_mem.hooks import run

        return run.main(arguments[1])
    from promptx_mem.cli import app

    return app.run(arguments)


if __name__ == "__main__":
    main()
