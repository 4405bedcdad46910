"""`guard` runs before every tool call of an agent, so it goes round everything else."""

import sys


def main() -> None:
    from promptx_mem.cli.app import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
