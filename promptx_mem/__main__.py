"""The way in. What an agent's host calls goes round the command line: it must be fast, and never exit with 2."""

import sys


def main() -> None:
    if sys.argv[1:2] == ["guard"] and len(sys.argv) == 2:
        from promptx_mem.hooks import guard

        sys.exit(guard.main())
    if sys.argv[1:2] == ["hook"] and len(sys.argv) == 3 and sys.argv[2] in ("prompt", "start", "stop"):
        from promptx_mem.hooks import run

        sys.exit(run.main(sys.argv[2]))
    from promptx_mem.cli import app

    sys.exit(app.run(sys.argv[1:]))


if __name__ == "__main__":
    main()
