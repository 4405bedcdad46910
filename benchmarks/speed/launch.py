"""Start one process at a time; measure its time and peak memory. `process.Launcher` runs `python -I -S launch.py`.

Until its exec, a process inherits the peak memory of its parent. So the parent must be as small as possible: it imports
only built-in modules. Requests and answers are marshal values.
"""

import marshal
import posix
import sys
import time


def main() -> None:
    while True:
        try:
            argv, environment, cwd, stdin, stdout = marshal.load(sys.stdin.buffer)
        except EOFError:
            return
        posix.chdir(cwd)
        files = [
            (posix.POSIX_SPAWN_OPEN, 0, stdin, posix.O_RDONLY, 0),
            (posix.POSIX_SPAWN_OPEN, 1, stdout, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o600),
            (posix.POSIX_SPAWN_DUP2, 1, 2),
        ]
        begin = time.perf_counter()
        pid = posix.posix_spawn(argv[0], argv, environment, file_actions=files)
        _, status, usage = posix.wait4(pid, 0)
        taken = time.perf_counter() - begin
        marshal.dump((taken, posix.waitstatus_to_exitcode(status), usage.ru_maxrss), sys.stdout.buffer)
        sys.stdout.buffer.flush()


main()
