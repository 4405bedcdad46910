"""What the contract of `--json` is tried with: a case for every command in COMMANDS.

`{id}` stands for a active memory, `{ended}` for one that has been forgotten, `{file}` for a file of memories.
"""

from dataclasses import dataclass, field

Arguments = tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """Command lines of one command, without its name.

    `good` end with 0, `bad` with the status given; `storeless` marks what neither config.yaml nor the store ever stops.
    No `good` one: it serves until its input ends.
    """

    good: tuple[Arguments, ...]
    bad: tuple[tuple[int, Arguments], ...]
    storeless: bool = False
    stdin: str = ""
    env: dict[str, str] = field(default_factory=dict)


EVENT = '{"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {}, "session_id": "x"}'
BY_ID = ((4, ("m_zzzzzzzzzz",)), (2, ("nonsense",)), (2, ()))

CASES = {
    "remember": Case(
        good=(
            ("a new fact", "#tag", "score:9"),
            ("a new fact", "#tag", "score:9", "--dry-run"),
            ("the user likes green tea", "#tag", "score:9"),
            ("- one fact\n- another fact", "-t", "tag", "--score", "8", "--split"),
            ("fact by dims", "#tag", "--dims", "9,7,9,8,8,9"),
            ("other text", "score:9", "--update", "{id}"),
        ),
        bad=(
            (1, ("a poor fact", "#tag", "score:2")),
            (1, ("a poor fact", "#tag", "score:2", "--dry-run")),
            (1, ("password=hunter2zz9", "#tag", "score:9")),
            (1, ("mismatch", "#tag", "score:9", "--dims", "5,5,5,5,5,5")),
            (1, ("x" * 10_001, "#tag", "score:9")),
            (1, ("- good one\n- poor one score:1", "--score", "8", "-t", "tag", "--split", "--dims", "1,1,1,1,1,1")),
            (2, ("no tokens",)),
            (2, ()),
            (2, ("--dash", "#tag", "score:9")),
            (2, ("a fact", "#tag", "score:11")),
            (4, ("a fact", "score:9", "--update", "m_zzzzzzzzzz")),
        ),
    ),
    "recall": Case(
        good=((), ("tea",), ("zebra",), ("tea", "--explain"), ("#tag",), ("-n", "1")),
        bad=((2, ("-n", "0")), (2, ("-n", "x")), (2, ("--type", "x")), (4, ("zebra", "--exit-status"))),
    ),
    "score": Case(
        good=(("9,7,9,8,8,9",), ("--guide",), ("9,7,9,8,8,9", "--explicit", "--profile", "declarative")),
        bad=((2, ()), (2, ("1,2",)), (2, ("9,7,9,8,8,9", "--profile", "x"))),
    ),
    "boost": Case(good=(("{id}",),), bad=BY_ID),
    "verify": Case(good=(), bad=((1, ("{id}",)), (4, ("m_zzzzzzzzzz",)))),
    "edit": Case(good=(("{id}",),), bad=BY_ID, env={"EDITOR": "true"}),
    "forget": Case(
        good=(("{id}",),),
        bad=(
            *BY_ID,
            (4, ("--conversation", "u_0123456789")),
            (2, ("--conversation", "nonsense")),
            (1, ("{id}", "--purge")),
            (1, ("--conversation", "2020-01-03", "--purge")),
            (2, ("{id}", "--conversation", "today")),
        ),
    ),
    "restore": Case(good=(("{ended}",),), bad=BY_ID),
    "review": Case(good=((), ("--format", "prompt")), bad=((4, ("m_zzzzzzzzzz", "keep")), (2, ("{id}", "perhaps")))),
    "converse": Case(good=(("--role", "user", "hello there"), ("--show",)), bad=((2, ("--role", "nobody", "hello")),)),
    "monitor": Case(good=(("[ADD] a fact from the monitor #tag score:8",), ("[BOOST:{id}]",), ("only prose",)), bad=()),
    "decay": Case(good=((), ("--dry-run",), ("--schedule",), ("--compact",)), bad=((2, ("--now", "soon")),)),
    "index": Case(good=((), ("--check",)), bad=()),
    "list": Case(good=((), ("--newest",), ("#tag", "-n", "1")), bad=((2, ("tea",)), (2, ("-n", "0")))),
    "show": Case(good=(("{id}",), ("{ended}",)), bad=BY_ID),
    "tags": Case(good=((),), bad=()),
    "status": Case(good=((),), bad=()),
    "audit": Case(
        good=(
            (),
            ("--violations",),
            ("-n", "1"),
            ("--verdict", "stored"),
            ("--since", "7d"),
            ("--given",),
            ("--given", "s1"),
            ("--undo",),
            ("--undo", "--session", "nobody"),
        ),
        bad=(
            (2, ("--since", "some day")),
            (2, ("-n", "0")),
            (2, ("--given", "--verify")),
            (2, ("s1",)),
            (2, ("--verify", "--verdict", "stored")),
            (1, ("--allow", "nobody")),
        ),
    ),
    "sync": Case(
        good=(),
        bad=(
            (2, ()),
            (2, ("--status",)),
            (1, ("--join", "host=db", "--space", "team")),
            (2, ("--join", "host=db password=x", "--space", "team")),
            (2, ("--join", "nonsense", "--space", "team")),
            (2, ("--join", "host=db")),
            (2, ("admin", "grant", "ada")),
            (2, ("admin", "sql", "--status")),
            (2, ("admin", "perhaps")),
            (1, ("--trust", "ada")),
        ),
    ),
    "import": Case(
        good=(("{file}",), ("{file}", "--dry-run"), ("{file}", "--mine", "--yes"), ("{file}", "--from", "promptx")),
        bad=((2, ("nowhere.md",)), (2, ("{file}", "--from", "x")), (2, ())),
    ),
    "view": Case(
        good=((), ("--filter", "tea"), ("--redact", "-o", "page.html")),
        bad=((2, ("--filter", "->")), (2, ("-o", "nowhere/page.html")), (2, ("--filter",))),
    ),
    "export": Case(
        good=(
            (),
            ("--archived", "--conversations"),
            ("--format", "json"),
            ("--format", "markdown"),
            ("-o", "out.jsonl"),
        ),
        bad=((2, ("--format", "x")), (2, ("--type", "x")), (2, ("-o", "nowhere/out"))),
    ),
    "guard": Case(good=((),), bad=(), storeless=True, stdin=EVENT),
    "hook": Case(
        good=(("prompt",), ("stop",)),
        bad=((2, ()), (2, ("perhaps",))),
        storeless=True,
        stdin=EVENT,
    ),
    "setup": Case(
        good=((), ("claude", "--yes"), ("claude", "--diff"), ("--remove", "claude", "--yes")),
        bad=((1, ("gemini",)), (2, ("emacs",)), (2, ("--remove",))),
        storeless=True,
    ),
    "mcp": Case(good=(), bad=(), storeless=True),
    "init": Case(good=((), ("--shared",)), bad=()),
}
