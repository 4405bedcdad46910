"""The entry point. Calls of an agent's host bypass the command line: they must be fast, and never exit with 2."""

import gc
import os
import sys

MOST_WORDS = 3
_EVENTS = ("prompt", "start", "stop", "compact", "end")


def main() -> None:
    """Run one command line and end the process.

    Garbage collection and the exit of the interpreter are skipped. Both take a tenth of a `recall`, and all output is
    written by then.
    """
    gc.disable()
    sys.unraisablehook = _interrupt_again
    try:
        status = _run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are loaded, or while an answer is written
        status = 130
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # stderr is closed: there is nowhere to report to
            continue
    os._exit(status)


def _interrupt_again(fault: "sys.UnraisableHookArgs") -> None:
    """Raise Ctrl-C again if Python received it where it cannot be raised, as in a module lock."""
    if fault.exc_type is KeyboardInterrupt:
        import _thread

        _thread.start_new_thread(_thread.interrupt_main, ())  # from here it would be met in this function
    else:
        sys.__unraisablehook__(fault)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["guard"] and _names_a_host(arguments[1:]):
        from promptx_mem.hooks import guard

        return guard.main(*arguments[1:])
    if arguments[:1] == ["hook"] and arguments[1:2] and arguments[1] in _EVENTS and _names_a_host(arguments[2:]):
        from promptx_mem.hooks import run

        return run.main(*arguments[1:])
    from promptx_mem.cli import app

    return app.run(arguments)


def _names_a_host(words: list[str]) -> bool:
    """Return whether the arguments are only a host's name and words of its entry; options need the parser."""
    return len(words) <= MOST_WORDS and not any(word.startswith("-") for word in words)


if __name__ == "__main__":
    main()
