"""Cost of an import of many lines: CPU seconds, their ratio to a bare start of Python, and peak memory.

python -m benchmarks.imports [--lines 100000] [--forms promptx,jsonl,csv,markdown] [--json]

It measures CPU time, since other processes disturb it less. Bare starts are measured before and after each import, and
the median counts. The settings raise the size limit of the store.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.speed import corpus

BARE = 15
MEGABYTES = 50
_PROGRAM = [sys.executable, "-m", "promptx_mem"]


def measure(count: int, forms: list[str]) -> list[dict[str, Any]]:
    """Import each format into a new store, and return the figures."""
    return [_one(form, count) for form in forms]


def _one(form: str, count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / f"lines.{form}"
        source.write_text("".join(FORMS[form](count)), "utf-8")
        (folder / "settings.yaml").write_text(f"store: {{megabytes: {MEGABYTES}}}\n")
        env = {**os.environ, "PROMPTX_MEM_CONFIG": str(folder / "settings.yaml"), "PROMPTX_MEM_SESSION": "imports"}
        before = _bare()
        words = ["--memory-dir", str(folder / ".memory"), "import", "--yes", "--json", str(source)]
        seconds, peak, out = _run([*_PROGRAM, *words], env)
        answer = json.loads(out)
        if answer["taken"] != count:
            raise RuntimeError(f"{form}: {answer['taken']} of {count} were taken")
        bare = statistics.median(before + _bare())
        size = source.stat().st_size
    return {"form": form, "lines": count, "mb": size / 1e6, "cpu_s": seconds, "ratio": seconds / bare, "peak_mb": peak}


def _bare() -> list[float]:
    return [_run([sys.executable, "-c", "pass"], dict(os.environ))[0] for _ in range(BARE)]


def _run(argv: list[str], env: dict[str, str]) -> tuple[float, float, bytes]:
    """Return CPU seconds of a process, its peak memory in MB, and its output."""
    code = "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:]).returncode; u = resource.getrusage("
    code += "resource.RUSAGE_CHILDREN); print(u.ru_utime + u.ru_stime, u.ru_maxrss, file=sys.stderr); sys.exit(r)"
    done = subprocess.run([sys.executable, "-c", code, *argv], env=env, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace"))
    seconds, peak = done.stderr.decode().splitlines()[-1].split()
    return float(seconds), int(peak) / (1024 if sys.platform == "linux" else 1024 * 1024), done.stdout


def _promptx(count: int) -> Iterator[str]:
    for number, text in enumerate(corpus.texts(count)):
        day = f"2025/{number % 6 + 1:02}/{number % 28 + 1:02} {number % 24:02}:{number % 60:02}"
        yield f"- {day} {text} {number} --tags 其他 #评分:8 #有效期:长期\n"


def _jsonl(count: int) -> Iterator[str]:
    for number, text in enumerate(corpus.texts(count)):
        entity = {"type": "entity", "name": f"e{number}", "entityType": "note", "observations": [text]}
        yield json.dumps(entity, ensure_ascii=False) + "\n"


def _csv(count: int) -> Iterator[str]:
    yield "text,tags,score\n"
    yield from (f'"{text} {number}",ops,7\n' for number, text in enumerate(corpus.texts(count)))


def _markdown(count: int) -> Iterator[str]:
    yield from (f"- {text} {number}\n" for number, text in enumerate(corpus.texts(count)))


FORMS = {"promptx": _promptx, "jsonl": _jsonl, "csv": _csv, "markdown": _markdown}


def main() -> None:
    """Measure, and print one line per format."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    rows = measure(chosen.lines, chosen.forms.split(","))
    if chosen.json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        size = f"{row['lines']:,} lines, {row['mb']:.1f} MB"
        took = f"{row['cpu_s']:.1f} s of CPU, {row['ratio']:,.0f} × bare Python, {row['peak_mb']:.0f} MB at most"
        print(f"{row['form']}: {size}: {took}")


if __name__ == "__main__":
    main()
