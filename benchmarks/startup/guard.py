"""What the guard adds to every tool call: whole processes, interleaved, medians over the bare interpreter.

Usage: python benchmarks/startup/guard.py [ROUNDS]
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

CASES = {
    "read": {"tool_name": "Read", "tool_input": {"file_path": ".memory/declarative.md"}},
    "edit": {"tool_name": "Edit", "tool_input": {"file_path": "docs/memory.md", "old_string": "a", "new_string": "b"}},
    "shell": {"tool_name": "Bash", "tool_input": {"command": "cd src && grep -rn memory . | head -5 > /tmp/found"}},
    "denied": {"tool_name": "Bash", "tool_input": {"command": "echo '- x #a score:8' >> .memory/declarative.md"}},
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, ".memory"))
        program = os.path.join(os.path.dirname(sys.executable), "promptx-mem")
        runs = {"bare python": ([sys.executable, "-c", "pass"], b"")}
        for name, call in CASES.items():
            event = {"hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder, **call}
            runs[f"guard: {name}"] = ([program, "guard"], json.dumps(event).encode())
        times: dict[str, list[float]] = {name: [] for name in runs}
        for _ in range(rounds):
            for name, (command, event_bytes) in runs.items():
                start = time.perf_counter()
                subprocess.run(command, input=event_bytes, capture_output=True, check=True, cwd=folder)
                times[name].append((time.perf_counter() - start) * 1000)
    bare = statistics.median(times["bare python"])
    for name, values in times.items():
        median = statistics.median(values)
        print(f"{name:16} {median:6.1f} ms  {median - bare:+5.1f}")


if __name__ == "__main__":
    main()
