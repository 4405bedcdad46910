"""Cases for the contract of `--json`: a command, its exit status and its words, one case per line in rows/json.jsonl.

`{id}` is replaced by an active memory, `{ended}` by a forgotten one, `{file}` by a file of memories, `{long}` by a text
that is too long.
"""

from dataclasses import dataclass, field

from tests.tables import rows

Arguments = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """Command lines of one command, without its name.

    `good` exit with 0, `bad` with the given status. `storeless`: neither config.yaml nor the store can stop the command.
    A command without `good` lines serves until its input ends.
    """

    good: tuple[Arguments, ...]
    bad: tuple[tuple[int, Arguments], ...]
    storeless: bool = False
    stdin: str = ""
    env: dict[str, str] = field(default_factory=dict)


EVENT = '{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {}, "session_id": "x"}'
STORELESS = ("guard", "hook", "setup", "mcp")
ROWS = [
    (command, status, tuple(word.replace("{long}", "x" * 10_001) for word in words))
    for command, status, words in rows(__file__, "json.jsonl")
]


def _case(name: str) -> Case:
    mine = [(status, words) for command, status, words in ROWS if command == name]
    return Case(
        good=tuple(words for status, words in mine if not status),
        bad=tuple((status, words) for status, words in mine if status),
        storeless=name in STORELESS,
        stdin=EVENT if name in ("guard", "hook") else "",
        env={"EDITOR": "true"} if name == "edit" else {},
    )


CASES = {name: _case(name) for name in (*dict.fromkeys(command for command, *_ in ROWS), "mcp")}
