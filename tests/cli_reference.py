"""Print docs/cli.md from the program: `python tests/cli_reference.py`. A test compares them."""

import sys
import textwrap
from pathlib import Path
from typing import Any

import typer

from promptx_mem.cli.commands import COMMANDS, payload_of
from promptx_mem.cli.options import COMMON
from promptx_mem.cli.output import DEBUG
from promptx_mem.cli.parser import app, load
from promptx_mem.places import USER_STORE
from promptx_mem.private import VARIABLE as OFF
from promptx_mem.session import VARIABLES
from promptx_mem.store.layout import ENVIRONMENT

FILE = Path(__file__).parents[1] / "docs" / "cli.md"

_HEAD = f"""# The command line

Made from the program by `python tests/cli_reference.py`; do not edit.

Results go to stdout, messages to stderr. An error has a line with the reason, then lines after `→` with the remedy: the text after the
last colon is a command to paste. [Exit statuses](#exit-statuses).

With `--json` every command prints one object on one line, on success and on failure: `v` ({{version}}), `command`, `ok`, `exit`, `warnings`,
`error` (null, or `code`, `message`, `hint`), and the keys listed with each command. A key that does not apply is null, false, 0 or an empty
list.

Tokens after a text: `'#tag'`, `score:9`, `duration:长期`; also `score=9`, `#评分:9`, `#有效期:长期` and the full-width `：`. Quote tags: bash
treats an unquoted one as a comment. `\\#x` is text. With `--tag`, `--score` or `--duration` the whole text is text. A text that begins with
`-` goes after `--`, unless it has a space after its first word.

<!-- runs -->
```console
$ promptx-mem remember "用户ID: 12345" '#用户信息' '#核心信息' score:9 duration:长期
🧠 用户ID: 123…  m_2t0fqcrhwt  score 9 #用户信息 #核心信息
   in ./.memory, which is new
$ echo "the deploy key is in the vault" | promptx-mem remember - -t infra --score 8
🧠 the deplo…  m_qjsrjag9e7  score 8 #infra
$ promptx-mem remember "the weather is fine" '#talk' score:3
! 🚫 score 3 is below 5: not worth remembering
! …
[1]
$ promptx-mem recall 用户 --json --no-touch | grep -o '"count": [0-9]*'
"count": 1
```

## Environment

- `{ENVIRONMENT}`: the store, unless `--memory-dir` names it. Otherwise it is found by walking up, as git finds `.git`.
- `{USER_STORE}`: the user store, instead of `~/.memory`.
{{variables}}
- `PROMPTX_MEM_LLM`: the judge's command, before `llm.command` in your settings.
- `PROMPTX_MEM_CONFIG`: your settings, instead of `~/.config/promptx-mem/config.yaml`.
- `{OFF}`: `1` makes a private session: nothing is stored.
- `VISUAL`, else `EDITOR`: the editor of `edit`.
- `PROMPTX_MEM_LANG`: `zh` or `en`, the language of daily messages, instead of the locale's.
- `NO_COLOR`: no colour on a terminal. A pipe never gets any.
- `{DEBUG}`: show the traceback of a bug.

## Completion

bash, zsh and fish complete commands, options and their choices, and the store's ids, tags, topic paths and conversations: `boost m_`,
`recall '#`, `recall --topic`. After an outside change of a store they show nothing of it until the next recall.

`promptx-mem --install-completion` adds a line to the start file of the current shell and names it; it works in the next shell.
`promptx-mem --show-completion` prints the script; if the shell is not recognised, use `_PROMPTX_MEM_COMPLETE=source_zsh promptx-mem` (or
`source_bash`, `source_fish`).
"""

_EXITS = """## Exit statuses

| exit | meaning |
|---|---|
| 0 | done, or already stored |
| 1 | refused, nothing stored; or a check found a problem |
| 2 | wrong command line, input or config.yaml |
| 3 | the store could not be read or written; stored memories are safe |
| 4 | no such id; with `recall --exit-status` also: no result |
| 5 | another process holds the store; nothing written: try again |
| 130 | interrupted with Ctrl-C |

With `--json`, `exit` repeats the status and `error.code` is one of the codes below; codes never change, messages may. An end without an
error has `"error": null`, also a check that found a problem and a `recall --exit-status` without a result. Without that option a recall
without a result exits with 0.

<!-- runs -->
```console
$ promptx-mem remember "the weather is fine" '#talk' score:3 --json | grep -o '"exit": 1\\|"code": "[a-z_]*"'
"exit": 1
"code": "score_too_low"
$ promptx-mem recall zebra --exit-status
! …
…
[4]
```

### 1: refused

| code | reason |
|---|---|
| `score_too_low`, `below_strict`, `no_basis`, `score_mismatch`, `not_credible` | the gate (`edit`: 2) |
| `credential`, `too_long` | the text |
| `session_blocked`, `daily_limit`, `store_full` | a limit |
| `private` | `PROMPTX_MEM_OFF` |
| `ended`, `superseded`, `lasting`, `no_review` | the memory's state |
| `needs_person`, `needs_request`, `not_allowed`, `not_confirmed`, `foreign` | an agent's or unconfirmed call |
| `unknown_form`, `damaged` | import |
| `judge_not_started`, `judge_exit`, `judge_timeout`, `judge_silent`, `judge_echo`, `judge_garbage`, `judge_too_much`, `judge_failed` | the judge; the question stays open |
| `server_right` | the role's rights |
| `refused` | see the message |

### 2: usage

| code | reason |
|---|---|
| `usage`, `mixed_forms`, `tokens_first`, `ambiguous`, `both_scopes` | arguments |
| `no_tokens`, `missing_tag`, `missing_score`, `no_text`, `no_dims`, `no_citation`, `none_stored` | something is missing |
| `bad_encoding`, `bad_date`, `bad_message` | unreadable input |
| `no_file`, `too_large`, `inside_store` | a file (an empty folder: 1) |
| `not_a_store`, `no_home`, `user_store` | the store's place |
| `no_editor`, `no_extra` | not installed |
| `not_joined`, `bad_dsn`, `password_in_dsn`, `no_role` | `sync` |
| `settings`, `config` | a settings file (unreadable: 3) |

### 3: the store

| code | reason |
|---|---|
| `store`, `not_regular`, `link`, `no_locks`, `other_user` | files or permissions |
| `no_store`, `not_noted` | no store; trust not recorded |
| `purge_unfinished` | ended; text remains: run `promptx-mem decay` |
| `newer`, `foreign_index` | written by a newer version, by others |
| `not_derived`, `derived_version` | run `sync admin derive` |
| `server`, `server_tables`, `server_version`, `server_full`, `server_slow`, `server_restored`, `members_unknown` | the server |
| `internal` | a bug: please report it |
| `error` | see the message |

### 4 and 5

| code | reason |
|---|---|
| `not_found` | no memory has this id |
| `busy` | another process holds the store |
"""


def reference() -> str:
    """All of docs/cli.md."""
    root = typer.main.get_command(app)
    variables = "\n".join(f"- `{name}`: the session, unless `--session` names it." for name in VARIABLES)
    out = [_HEAD.replace("{version}", "1").replace("{variables}", variables)]
    out += [
        "## Options of every command",
        "",
        "Before or after the command.",
        "",
    ]
    out += [*_parameters(root, "promptx-mem"), ""]
    for name in COMMANDS:
        command = load(name)
        context = typer.Context(command, info_name=f"promptx-mem {name}")
        usage = " ".join(command.collect_usage_pieces(context))
        out += [f"## {name}", "", f"    promptx-mem {name} {usage}", "", (command.help or "").strip(), ""]
        out += [*_parameters(command, f"promptx-mem {name}"), ""]
        if keys := ", ".join(f"`{key}`" for key in payload_of(name).__annotations__):
            out += [*textwrap.wrap(f"JSON: {keys}.", 140), ""]
    return "\n".join([*out, _EXITS])


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
