"""Run every regular expression of the package, by the method that uses it, on rows that make bad expressions slow.

Arguments: the length of the rows, a step (an expression gets every n-th common piece, and ALWAYS), and a limit in CPU
seconds for all. Each expression is printed before it runs, so that the last line names the one that hangs. MOST limits
each row.
"""

import ast
import importlib
import pkgutil
import re
import resource
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import promptx_mem
from promptx_mem.core.credential_forms import FORMS, PREFIXES, UNMARKED, expression
from promptx_mem.core.dates import FAMILIES, FLAGS, PERIODS, SIMPLIFICATIONS
from promptx_mem.core.personal_data import rows as personal_rows

MOST = 25e-6
"""CPU seconds per character of a row: ten times the time of the slowest linear expression."""
USES = ("match", "fullmatch", "search", "sub", "split", "finditer", "findall")
ALWAYS = ("a", "1", " ", "\n")
COMMON = ("a", "A", "1", " ", "\n", "\t", "#", "-", "_", ".", "/", "\\", "`", "<", "<!--", "--tags ", "[", "]", "{", "(", '"', "'", "=", ":", "@", "->", "a->",
          "记", "天", "一", "é", "\u202e", "- ", "2026-01-01 ", "ab ", "a1", "please ", "请", "last ", "a.", "x@y.", "eyJ", "sk-", "password: ")  # fmt: skip


def uses() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Yield place, expression and method of each use of a regular expression in the source of the package."""
    for info in pkgutil.walk_packages(promptx_mem.__path__, "promptx_mem."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        assert module.__file__ is not None
        with open(module.__file__, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in USES):
                continue
            where = f"{info.name}:{node.lineno}"
            for pattern in _patterns(node, node.func.value, vars(module)):
                if isinstance(pattern.pattern, str):
                    yield where, pattern, node.func.attr
    vendors = (expression(beginnings, tail) for _, beginnings, tail in PREFIXES)
    for form in (
        *(row[2] for row in FORMS),
        *(row[1] for row in UNMARKED),
        *vendors,
        *(row[2] for row in personal_rows()),
    ):
        yield "promptx_mem.core.credentials", re.compile(form), "finditer"
    for form in (*(row[0] for row in (*FAMILIES, PERIODS)), *(row[1] for row in SIMPLIFICATIONS)):
        yield "promptx_mem.core.dates", re.compile(form, FLAGS), "finditer"


def _patterns(node: ast.Call, holder: ast.expr, names: dict[str, Any]) -> list[re.Pattern[Any]]:
    value = _value(node.args[0] if isinstance(holder, ast.Name) and holder.id == "re" else holder, names)
    if isinstance(holder, ast.Name) and holder.id == "re":
        flags = _value(node.args[-1], names) if len(node.args) > 2 and node.func.attr != "sub" else 0  # type: ignore[attr-defined] # uses() has looked
        return [re.compile(value, flags if isinstance(flags, re.RegexFlag) else 0)] if isinstance(value, str) else []
    return [value] if isinstance(value, re.Pattern) else []


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    try:
        return eval(compile(ast.Expression(node), "a pattern", "eval"), dict(names))  # only names of the module
    except Exception:  # noqa: BLE001 - a local name: tested through the commands
        return None


def rows(pattern: str, length: int, step: int, first: int) -> Iterator[str]:
    """Yield rows of one repeated piece, with an end that makes a match fail."""
    literal = [piece for piece in re.split(r"[^\w#<>:\-一-龥]+", pattern) if piece]
    own = [*literal[:12], *(one + two for one, two in pairwise(literal[:7]))]
    for piece in dict.fromkeys([*ALWAYS, *COMMON[first % step :: step], *own[:: min(step, 3)]]):
        yield piece * (length // len(piece)) + "\0"


def drive(length: int, step: int) -> None:
    seen: dict[tuple[str, int, str], None] = {}
    for where, pattern, method in uses():
        key = (pattern.pattern, pattern.flags, method)
        if key in seen:
            continue
        seen[key] = None
        print(where, method, repr(pattern.pattern)[:100], flush=True)
        call = getattr(pattern, method)
        for row in rows(pattern.pattern, length, step, len(seen)):
            begun = time.process_time()
            found = call("x", row) if method == "sub" else call(row)
            if method == "finditer":
                list(found)
            if (took := time.process_time() - begun) > MOST * length:
                sys.exit(f"{where} takes {took:.2f} s for a row of {row[:12]!r}: {pattern.pattern[:100]!r}")
    print(f"done {len(seen)}")


if __name__ == "__main__":
    given_length, given_step, seconds = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    drive(given_length, given_step)
