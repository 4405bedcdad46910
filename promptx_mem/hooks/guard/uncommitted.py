"""Asks git about a store's files."""


def has(store: str) -> bool:
    """Whether git tracks a store's memories and they are not as it has them."""
    import os
    import subprocess

    from promptx_mem.store import git

    program = git.program()
    if program is None:
        return False
    words = [program, "--no-pager", "-c", "core.fsmonitor=false", "status", "--porcelain", "-uno", "--", "."]
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            words,
            cwd=os.path.realpath(store),
            env=git.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return bool(done.stdout.strip())
