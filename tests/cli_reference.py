"""Write the commands and options into docs/cli.md: `python tests/cli_reference.py`. A test compares them."""

import sys
import textwrap
from pathlib import Path
from typing import Any

import typer

from promptx_mem.cli.commands import COMMANDS, payload_of
from promptx_mem.cli.options import COMMON
from promptx_mem.cli.parser import app, load

FILE = Path(__file__).parents[1] / "docs" / "cli.md"

_FIRST, _AFTER = "## Options of every command\n", "## Exit statuses\n"
"""The headings between which the page is generated; the rest is hand-written."""


def reference() -> str:
    """Return the text of docs/cli.md."""
    page = FILE.read_text(encoding="utf-8")
    root = typer.main.get_command(app)
    out = [page.partition(_FIRST)[0] + _FIRST, "Put the last five before the command, the others anywhere.", ""]
    out += [*_parameters(root, "promptx-mem"), ""]
    firsts: dict[str, str] = {}
    for name in COMMANDS:
        command = load(name)
        context = typer.Context(command, info_name=f"promptx-mem {name}")
        usage = " ".join(command.collect_usage_pieces(context)[1:])
        out += [f"## {name}", "", f"    promptx-mem {name} {usage}".rstrip(), "", (command.help or "").strip(), ""]
        out += [*_parameters(command, f"promptx-mem {name}"), ""]
        if keys := ", ".join(f"`{key}`" for key in payload_of(name).__annotations__):
            same = firsts.setdefault(keys, name)
            out += [*textwrap.wrap(f"JSON: {keys if same == name else f'as in `{same}`'}.", 140), ""]
    return "\n".join([*out, _AFTER + page.partition(_AFTER)[2]])


def _parameters(command: Any, name: str) -> list[str]:
    context = typer.Context(command, info_name=name, **command.context_settings)
    params = command.get_params(context)
    if name != "promptx-mem":
        common = {option.help for _, option in COMMON.values()}
        params = [param for param in params if param.name != "help" and param.help not in common]
    return [_line(param, context) for param in params]


def _line(param: Any, context: typer.Context) -> str:
    if param.param_type_name == "argument":
        return f"- `{param.make_metavar(context)}`: {param.help}"
    names = ", ".join(f"`{option}`" for option in sorted([*param.opts, *param.secondary_opts], key=len))
    value = "" if param.is_flag or param.count else f" `{_value(param, context)}`"
    many = " May be repeated." if param.multiple and "repeat" not in (param.help or "") else ""
    return f"- {names}{value}: {param.help or ''}{many}"


def _value(param: Any, context: typer.Context) -> str:
    return str(param.make_metavar(context)).strip("<>[]").upper()


if __name__ == "__main__":
    FILE.write_text(reference(), encoding="utf-8")
    sys.stdout.write(f"{FILE}\n")
