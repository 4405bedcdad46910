"""Hostile text in the files of a store: valid memories are still read."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import inside
from tests.hostile.strings import STRINGS
from tests.inside import escape_json, load_object

# Later than the lines that are forged with the first one's id.
KEEP = '- kept {0} #keep score:9 duration:永久 <!-- {{"id":"m_{0:010}","at":"2026-01-01T00:00:01+00:00"}} -->\n'
READERS: tuple[tuple[str, ...], ...] = (("recall",), ("recall", "kept", "--json"), ("recall", "--format", "context"), ("tags",), ("audit",), ("status",),
           ("audit", "--verify"), ("review", "--list"), ("decay", "--dry-run"), ("index", "--check"), ("converse", "--show"))  # fmt: skip
WRITERS: tuple[tuple[str, ...], ...] = (
    ("remember", "one more", "#t", "score:9"),
    ("index",),
    ("decay",),
    ("boost", "m_0000000000"),
)
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    1e308,
    float("nan"),
    float("inf"),
    "",
    "x",
    [],
    {},
    [[]],
    [None],
    {"a": []},
    "9" * 5000,
    ["x"] * 999,
]


@pytest.fixture
def store(place: Path) -> Path:
    """Return a store with one memory that must check_survival."""
    root = place / ".memory"
    root.mkdir(mode=0o700)
    (root / "declarative.md").write_text(KEEP.format(0), "utf-8")
    return root


def check_survival(name: str, *, kept: int = 1, allowed: tuple[int, ...] = (0, 1), few: bool = False) -> None:
    """Check that every command answers and the memories are still there."""
    for words in READERS[::6] if few else READERS:
        assert inside.run(*words).status in allowed, (name, words)
    for words in WRITERS[::2] if few else WRITERS:
        assert inside.run(*words).status in allowed, (name, words)
    found = inside.memories()
    for number in range(kept):
        assert found[f"m_{number:010}"]["text"] == f"kept {number}", (name, number)


def test_hostile_lines_between_memories_do_not_hide_them(store: Path) -> None:
    body = "".join(f"{text}\n{KEEP.format(number)}" for number, text in enumerate(STRINGS.values()))
    (store / "declarative.md").write_bytes(body.encode("utf-8", "surrogatepass"))
    check_survival("lines", kept=len(STRINGS))


@pytest.mark.thorough
def test_hostile_comment_values_do_not_hide_other_memories(store: Path) -> None:
    """Every key of the comment gets values of other types, and strings."""
    keys = ("id", "at", "text", "vis", "topic", "related", "profile", "category", "type", "source", "verified", "session", "dims", "reason", "slice",
            "supersedes", "k", "salt", "v")  # fmt: skip
    lines: list[str] = []
    for key in keys:
        values = [*ODD, *(list(STRINGS.values())[::7]), *([text] for text in list(STRINGS.values())[::29])]
        for number, value in enumerate(values):
            comment = {"id": f"m_{len(lines):010}", "at": "2026-01-01T00:00:00+00:00", key: value}
            lines.append(f"- odd {number} #t score:9 duration:长期 <!-- {json.dumps(comment)} -->\n")
            lines.append(
                f'- odd {number} <!-- {{"id":"m_{len(lines):010}","at":"2026-01-01T00:00:00Z","{key}":"a","{key}":{json.dumps(value)}}} -->\n'
            )
    keep = len(lines)
    (store / "declarative.md").write_text("".join(lines) + KEEP.format(keep), "utf-8")
    for words in READERS:
        assert inside.run(*words).status in (0, 1), words
    assert inside.run(*WRITERS[0]).status == 0
    assert inside.memories()[f"m_{keep:010}"]["text"] == f"kept {keep}"


@pytest.mark.parametrize("name", ["journal.jsonl", "audit.jsonl", ".recalled", ".intent"])
def test_hostile_lines_in_other_files_do_not_hide_memories(name: str, store: Path) -> None:
    events = {"k": 1, "host": "h", "at": "2026-01-01T00:00:00+00:00", "e": "boosted", "id": "m_0000000000"}
    records = {"at": "2026-11-21T00:00:00+00:00", "s": "s", "cmd": "remember", "verdict": "stored", "x": 1}
    base: dict[str, Any] = records if name == "audit.jsonl" else events
    lines = [*STRINGS.values(), *(f"2026-11-21 {text}" for text in STRINGS.values())]
    more = [
        "score", "duration", "tags", "reason", "supersedes", "gain", "verified", "why", "len", "hash", "basis",
        "adjust", "n", "allow", "count", "ids"
    ]  # fmt: skip
    for key in (*base, *more):
        lines += [json.dumps({**base, key: value}) for value in [*ODD, *(list(STRINGS.values())[::9])]]
        lines += [f'{{"{key}":1e999,"{key}":{json.dumps(base.get(key))}}}']
        lines += [f'{{"{key}":{"9" * 5000}}}']
    harmless = [line for line in lines if not _removes_memory(line)]
    (store / name).write_bytes("".join(line + "\n" for line in harmless).encode("utf-8", "surrogatepass"))
    for words in READERS:
        assert inside.run(*words).status in (0, 1), words
    for words in WRITERS:
        assert inside.run(*words).status in (0, 1), words
    assert inside.memories()["m_0000000000"]["text"] == "kept 0"


def _removes_memory(line: str) -> bool:
    """Return whether a line is an event that removes a memory."""
    found = load_object(line.encode("utf-8", "replace").decode())
    return found is not None and found.get("e") in ("purged", "forgotten", "deleted")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name",
    [
        "MEMORY.md",
        ".intent",
        ".gitignore",
        ".cache/cache.db",
        "archive/x.md.gz",
        "archive/x.jsonl.gz",
        ".lock",
        "conversations/u_1.jsonl",
        "stranger",
    ],
)
def test_hostile_content_of_a_whole_file_does_not_hide_memories(name: str, store: Path, sample: dict[str, str]) -> None:
    (store / name).parent.mkdir(exist_ok=True)
    for label, text in list(sample.items())[::12]:
        data = text.encode("utf-8", "surrogatepass")
        for form in (data, gzip.compress(data)) if name.endswith(".gz") else (data,):
            (store / name).write_bytes(form)
            check_survival(label, allowed=(0, 1, 3) if name == "MEMORY.md" else (0, 1), few=True)


def test_hostile_file_names_do_not_hide_memories(store: Path, sample: dict[str, str]) -> None:
    for folder, end in (
        ("conversations", ".jsonl"),
        ("archive", ".md.gz"),
        ("archive", ".jsonl.gz"),
        ("archive/conversations", ".jsonl.gz"),
        (".", ""),
    ):
        (store / folder).mkdir(exist_ok=True, parents=True)
        for text in sample.values():
            name = text.replace("/", "_").replace("\0", "_") + end
            if name not in ("", ".", "..") and len(name.encode("utf-8", "replace")) < 200:
                try:
                    (store / folder / name).write_bytes(b"x\n")
                except (OSError, UnicodeEncodeError):  # not every file system allows every name
                    continue
    check_survival("names")


def test_slice_field_cannot_name_a_file_outside_the_store(store: Path) -> None:
    outside = store.parent / "x.jsonl"  # the target of ../x
    outside.write_text('{"slice":1,"first":1,"last":1,"at":"2026-01-01T00:00:00Z","summary":"outside"}\n')
    lines = [KEEP.format(0)]
    for number, text in enumerate(
        ["../../x:1", "../x:1", "/etc/passwd:1", "u_1:99999999999", "u_1:0", *STRINGS.values()], 1
    ):
        comment = {"id": f"m_{number:010}", "at": "2026-01-01T00:00:00+00:00", "slice": text, "category": "core"}
        lines.append(f"- kept {number} #keep score:9 duration:永久 <!-- {escape_json(json.dumps(comment))} -->\n")
    (store / "declarative.md").write_text("".join(lines), "utf-8")
    check_survival("slice", kept=len(lines))
    assert "outside" not in inside.run("recall", "-n", "1000", "--format", "context", "--budget", "100000").out
    outside.unlink()


_BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{two}: &{two} [{','.join(['*' + one] * 9)}]\n" for one, two in zip("abcdefgh", "bcdefghi", strict=True)
)
CONFIGS = {
    "billion laughs": _BOMB, "object": "policy: !!python/object/apply:os.system ['touch pwned']", "brackets": "[" * 20_000, "braces": "{a: " * 20_000, "empty int": '!!int ""',
    "empty float": '!!float ""', "bad bool": "!!bool x", "bad timestamp": "!!timestamp x", "date": "policy: 2026-99-99", "bad binary": "!!binary é", "null tag": "!!null x", "set": "!!set {a, b}",
    "omap": "!!omap [a]", "pairs": "!!pairs [[a]]", "huge hex": "policy: 0x" + "F" * 60_000, "huge hex tag": "tags: {default: 0x" + "F" * 60_000 + "}", "huge hex timeout": "llm: {timeout: 0x" + "F" * 60_000 + "}",
    "huge hex key": "0x" + "F" * 60_000 + ": 1", "huge int": "policy: " + "9" * 60_000, "huge freshness": "freshness: {threshold: 0x" + "F" * 60_000 + "}", "sexagesimal": "llm: {timeout: 1:1:1:1:1:1:1}",
    "infinity": "llm: {timeout: .inf}", "nan": "llm: {timeout: .nan}", "list key": "? [a]\n: b", "duplicate": "policy: strict\npolicy: standard", "list": "- a", "text": "x", "tabs": "\tpolicy: strict", "NUL": "policy: \0",
    "BOM": "\ufeffpolicy: strict", "UTF-16": "\ufeffpolicy".encode("utf-16").decode("latin-1"), "too large": "#" * 70_000, "merge": "<<: {policy: strict}", "documents": "---\n---\n", "directive": "%YAML 9.9\n---\n", "long policy": "policy: " + "x" * 60_000,
    "NUL in command": 'llm: {command: "a\\0b"}', "surrogate": 'policy: "\\ud800"', "recursion": "a: &a {b: *a}",
}  # fmt: skip


def check_config(name: str, data: bytes, store: Path) -> None:
    (store / "config.yaml").write_bytes(data)
    for words in (
        ("recall", "kept", "--json"),
        ("recall",),
        ("audit", "--verify"),
        ("remember", f"fact {name}", "#t", "score:9"),
    ):
        ran = inside.run(*words)
        assert ran.status in (0, 1, 2), (name, words)
        assert len(ran.err) < 3000, (name, ran.err[:300])
    assert inside.memories()["m_0000000000"]["lives"], name


@pytest.mark.parametrize("name", CONFIGS)
def test_hostile_settings_do_not_stop_commands(name: str, store: Path) -> None:
    check_config(name, CONFIGS[name].encode("utf-8", "surrogatepass"), store)
