"""The entry point. Hook calls skip the command-line parser: they must be fast and must never exit with status 2."""

import gc
import os
import sys
import time

_DAY = 86_400


def main() -> None:
    """Run one command line and end the process.

    Garbage collection and the interpreter's shutdown are skipped, because they take a tenth of the time of a `recall`.
    All output is written before the process ends.
    """
    gc.disable()
    sys.unraisablehook = _interrupt_again
    if abs(time.localtime().tm_gmtoff) >= _DAY:  # datetime raises an error for such a time zone, such as TZ=UTC+25
        os.environ["TZ"] = "UTC"
        time.tzset()
    try:
        status = _run(sys.argv[1:])
    except KeyboardInterrupt:  # Ctrl-C while modules are loaded or an answer is written
        status = 130
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # the stream is closed
            continue
    os._exit(status)


def _interrupt_again(fault: "sys.UnraisableHookArgs") -> None:
    """Raise KeyboardInterrupt again if Ctrl-C came at a place where Python cannot raise it, such as a module lock."""
    if fault.exc_type is KeyboardInterrupt:
        import _thread

        _thread.start_new_thread(_thread.interrupt_main, ())  # the current thread would raise it in this function
    else:
        sys.__unraisablehook__(fault)


def _run(arguments: list[str]) -> int:
    needs_parser = any(word.startswith("-") for word in arguments)
    if arguments[:1] == ["guard"] and not needs_parser:
        from promptx_mem.hooks import guard

        return guard.main(*arguments[1:])
    if arguments[:1] == ["hook"] and not needs_parser:
        from promptx_mem.hooks import run

        if arguments[1:] and arguments[1] in run.ACTIONS:
            return run.main(*arguments[1:])
    from promptx_mem.cli import app

    return app.run(arguments)


if __name__ == "__main__":
    main()
