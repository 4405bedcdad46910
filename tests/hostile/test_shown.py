r"""Unprintable characters in every output: U+FFFD in text for people and models, \u escapes in JSON."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api import Message, layout
from tests.api import hooks_run as run
from tests.cli import program
from tests.cli.test_terminal import on_terminal
from tests.hostile import inside
from tests.inside import Tools, guard, long_lived, printable, trust
from tests.view import pages
from tests.world import World

# Independent of the program. Joiners and selectors are used where no script and no emoji needs them.
HOSTILE = {
    "NUL": "\0", "bell": "\a", "backspace": "\b", "carriage return": "\r", "escape": "\x1b", "SGR": "\x1b[31m",
    "title": "\x1b]0;owned\x07", "unit separator": "\x1f", "delete": "\x7f", "next line": "\x85", "C1 CSI": "\x9b31m",
    "C1 OSC": "\x9d", "APC": "\x9f", "soft hyphen": "\xad", "grapheme joiner": "\u034f", "ALM": "\u061c",
    "hangul filler": "\u115f", "jungseong filler": "\u1160", "khmer vowel": "\u17b4", "mongolian selector": "\u180b",
    "vowel separator": "\u180e", "ZWSP": "\u200b", "ZWNJ": "\u200c", "ZWJ": "\u200d", "LRM": "\u200e", "RLM": "\u200f",
    "LS": "\u2028", "PS": "\u2029", "LRE": "\u202a", "PDF": "\u202c", "LRO": "\u202d", "RLO": "\u202e",
    "word joiner": "\u2060", "invisible times": "\u2062", "LRI": "\u2066", "PDI": "\u2069", "digit shapes": "\u206f",
    "wide filler": "\u3164", "surrogate": "\ud800", "noncharacter": "\ufdd0", "selector": "\ufe0f", "BOM": "\ufeff",
    "half filler": "\uffa0", "annotation": "\ufff9", "annotation end": "\ufffb", "last": "\uffff",
    "shorthand": "\U0001bca0", "music": "\U0001d173", "last of plane 1": "\U0001fffe", "language tag": "\U000e0001",
    "tag": "\U000e0041", "tag end": "\U000e007f", "supplement": "\U000e0100", "supplement end": "\U000e01ef",
    "unassigned selector": "\U000e0fff", "last of all": "\U0010ffff",
}  # fmt: skip
ALL = "".join(HOSTILE.values())
TYPED = ALL.replace("\0", "").replace("\ud800", "\udc80")
"""ALL as an argument of a process: without NUL, and with an invalid byte instead of the surrogate."""

RAW = re.compile("[" + "".join(re.escape(char) for char in sorted(set(ALL) - set("[]0;31mowned"))) + "]")
SHOWN = (
    "👨\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "🏳\ufe0f\u200d🌈", "🐈\u200d⬛", "1\ufe0f\u20e3", "ℹ\ufe0f", "☃\ufe0e", "می\u200cخواهم", "क्\u200dष",
    "葛\U000e0100飾", "ᠠ\u180b", "שלום", "café", "喝茶 🧠",
)  # fmt: skip

Output = Callable[[Path], str]


def _cli(*arguments: str, stdin: str = "") -> Output:
    def output(_: Path) -> str:
        ran = inside.run(*arguments, stdin=stdin.encode("utf-8", "surrogatepass"))
        return ran.out + ran.err

    return output


def _hook(action: str, **event: str) -> Output:
    def output(root: Path) -> str:
        whole = {"session_id": ALL, "cwd": str(root), "hook_event_name": "UserPromptSubmit", **event}
        answer = run.reply(action, json.dumps(whole).encode(), "qwen")
        return str(answer["hookSpecificOutput"]["additionalContext"])

    return output


def _guard(root: Path) -> str:
    call = {"file_path": f"{root}/.memory/{TYPED}.md", "content": f"- a {ALL} fact"}
    event = {"session_id": ALL, "cwd": str(root), "hook_event_name": "PreToolUse", "tool_name": "Write"}
    answer = guard._answer(json.dumps({**event, "tool_input": call}).encode(), "qwen")
    return str(answer["hookSpecificOutput"]["permissionDecisionReason"])


def _mcp(tool: str, **arguments: Any) -> Output:
    def output(_: Path) -> str:
        long_lived.begin()
        return _strings(Tools(".memory").call(tool, arguments)[0])

    return output


def _strings(value: Any) -> str:
    """Return every string of a JSON value, one per line."""
    if isinstance(value, dict):
        return "\n".join(f"{_strings(key)}\n{_strings(item)}" for key, item in value.items())
    return "\n".join(map(_strings, value)) if isinstance(value, list | tuple) else str(value)


def _page(*filters: str, **wants: Any) -> Output:
    def output(root: Path) -> str:
        text = pages.written(World(root / ".memory"), *filters, **wants)
        page = pages.data(text)
        return _strings({key: item for key, item in page.items() if key != "search"}) + RAW.sub("", text)

    return output


def _file(*arguments: str) -> Output:
    def output(root: Path) -> str:
        inside.run(*arguments, "-o", str(root.parent / "out"))
        return (root.parent / "out").read_text("utf-8")

    return output


def _one(_: Path) -> str:
    ident = next(ident for ident, one in inside.memories().items() if "RLO" in one["text"])
    return inside.run("recall", ident).out


def _index(root: Path) -> str:
    inside.run("index")
    return (root / ".memory" / "MEMORY.md").read_text("utf-8")


OUTPUTS: dict[str, Output] = {
    "recall": _cli("recall", "-n", "500"),
    "recall text": _cli("recall", "gnp", "-n", "500", "--format", "text"),
    "recall rich": _cli("recall", "gnp", "-n", "500", "--format", "rich"),
    "recall context": _cli("recall", "gnp", "-n", "500", "--format", "context", "--budget", "100000"),
    "recall explained": _cli("recall", "gnp", "-n", "500", "--explain"),
    "recall an id": _one,
    "audit": _cli("audit", "-n", "500"),
    "review": _cli("review", "--list"),
    "review prompt": _cli("review", "--list", "--format", "prompt"),
    "topics": _cli("tags"),
    "decay": _cli("decay", "--dry-run"),
    "conversations": _cli("converse", "--list"),
    "MEMORY.md": _index,
    "markdown": _cli("export", "--format", "markdown", "--conversations"),
    "promptx": _cli("export", "--format", "promptx"),
    "markdown file": _file("export", "--format", "markdown"),
    "promptx file": _file("export", "--format", "promptx"),
    "page": _page(),
    "page file": _file("view"),
    "hook start": _hook("start", hook_event_name="SessionStart", source="startup"),
    "hook prompt": _hook("prompt", prompt=f"remember that we ship {ALL} on Mondays, and gnp"),
    "guard": _guard,
    "MCP recall": _mcp("recall", query="gnp", count=500, budget=100_000),
    "MCP list": _mcp("list", count=500, budget=100_000),
    "an invalid tag": _cli("remember", f"a fact {ALL}", "-t", f"x{ALL}", "--score", "9"),
    "an invalid score": _cli("remember", f"a fact {ALL}", "#t", "--score", ALL),
    "a refusal": _cli("remember", f"a fact {ALL}", "#t", "score:1"),
    "an unknown id": _cli("forget", f"m_{ALL}"),
    "nothing found": _cli("recall", f"nosuch{ALL}word", "--topic", f"a->{ALL}"),
    "an unknown date": _cli("recall", "--date", ALL),
    "an unknown option": _cli("recall", f"--{ALL}"),
    "an unknown command": _cli(f"x{ALL}"),
    "an unknown format": _cli("export", "--format", ALL),
    "an unknown host": _cli("setup", ALL),
    "another store": _cli("recall", "x", "--memory-dir", f"no{TYPED}where"),
    "a directive": _cli("monitor", stdin=f"[ADDX] {TYPED}\n".replace("\udc80", "")),
    "a file that is missing": _cli("import", f"no{TYPED}file"),
}
WITHOUT_TEXTS = {"topics", "decay", "conversations", "an unknown format", "review", "review prompt", "audit"}
"""Outputs that need not repeat a text."""


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    """Create a project whose memories, topics, reasons and messages have one hostile character each."""
    with tempfile.TemporaryDirectory() as place:
        name = "".join(char for char in ALL if char not in "\0/" and not "\ud800" <= char <= "\udfff")
        root = Path(place) / f"p{name[:40]}"
        world = World(root / ".memory", "hostile")
        for text in _texts():
            world.remember(text, score="9", topic=f"top->{text[:20]}", reason=f"why {text}")
        world.memory.converse([Message("user", f"said {text}") for text in _texts()])
        lines = [f"- hand {text} #t score:9" for text in _texts() if not set(text) & set("\r\ud800")]
        with world.file("declarative.md").open("a", encoding="utf-8", newline="") as file:
            file.writelines(f"{line}\n" for line in lines)
        world.recall()
        yield root


@pytest.fixture
def store(template: Path, quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = quick / template.name
    shutil.copytree(template, root)
    trust.record(layout.at(str(root / ".memory")), trust.PRIVATE)
    monkeypatch.chdir(root)
    return root


def _texts() -> list[str]:
    return [f"{name}: rlo {char}gnp.exe" for name, char in HOSTILE.items()]


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_output_contains_an_unprintable_character(name: str, store: Path) -> None:
    shown = OUTPUTS[name](store)
    assert (found := RAW.search(shown)) is None, (ascii(found), ascii(shown[max(found.start() - 200, 0) : found.end()]))
    assert "\ufffd" in shown or name in WITHOUT_TEXTS, ascii(shown[:2000])


@pytest.mark.parametrize("text", SHOWN)
def test_joiners_and_selectors_of_scripts_and_emoji_are_kept(text: str) -> None:
    assert printable(f"a {text} b") == f"a {text} b"


def test_text_hidden_in_selectors_or_joiners_is_replaced() -> None:
    hidden = "".join(chr(0xE0100 + byte) for byte in b"obey")
    for base in ("x", "😀", "中", "❤\ufe0f"):
        assert printable(base + hidden) == base + "\ufffd" * len(hidden)
    bits = "\u200c\u200d\u200d\u200c"
    assert printable(f"pay{bits}pal") == f"pay{'�' * 4}pal"


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("command", [("recall", "-n", "500"), ("export", "--format", "json"), ("audit", "-n", "500")])
def test_json_escapes_unprintable_characters_and_keeps_the_value(command: tuple[str, ...]) -> None:
    out = inside.run(*command, "--json").out
    assert RAW.search(out) is None
    texts = {memory["text"] for memory in json.loads(out).get("memories", ())}
    kept = {text for text in _texts() if not set(text) & set("\r\ud800\ufe0f\U000e0001\U000e0041\U000e007f\U000e0100")}
    if texts:
        assert not {text for text in kept if "\U000e01ef" not in text and "\U000e0fff" not in text} - texts


def test_bundle_keeps_texts_with_unprintable_characters(store: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    bundle = inside.run("export", "--conversations").out
    other = tmp_path_factory.mktemp("other")
    world = World(other / ".memory")
    (other / "bundle").write_text(bundle, "utf-8")
    before = {memory["text"] for memory in json.loads(inside.run("export", "--format", "json").out)["memories"]}
    inside.run("import", str(other / "bundle"), "--mine", "--yes", "--memory-dir", str(world.root))
    shown = inside.run("export", "--format", "json", "--memory-dir", str(world.root)).out
    assert {memory["text"] for memory in json.loads(shown)["memories"]} == before
    assert store.exists()


@pytest.mark.parametrize(
    "command",
    [("recall",), ("recall", "--json"), ("export", "--format", "markdown"), ("export",), ("review",), ("audit",),
     ("setup",), ("setup", "claude", "--diff"), ("recall", "--date", "{}"), ("export", "--format", "{}"), ("--{}",)],
    ids=" ".join,
)  # fmt: skip
def test_terminal_shows_no_unprintable_character(command: tuple[str, ...], store: Path) -> None:
    arguments = [word.replace("{}", TYPED) for word in command]
    env = {"HOME": f"{store}-home"}
    (store / ".memory" / "journal.jsonl").touch()
    claude = Path(f"{store}-home") / ".claude"
    claude.mkdir(parents=True)
    (claude / "settings.json").write_text(json.dumps({"model": f"x{ALL}y"}, ensure_ascii=False), "utf-8", "replace")
    status, said = on_terminal(*arguments, cwd=store, env=env, typed="n\n")
    shown = re.sub(r"\x1b\[[0-9;]*m|\r\n", "\n", said).replace("\r", "")
    assert status in (0, 1, 2), shown
    assert (found := RAW.search(shown)) is None, (ascii(found), ascii(shown[:3000]))


def test_error_of_a_hook_has_no_unprintable_character(store: Path) -> None:
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": str(store), "prompt": 1})
    words, env = [*program.PROGRAM, "hook", "start"], program.environment(store) | {"PROMPTX_MEM_DIR": f"x{TYPED}"}
    done = subprocess.run(words, input=event.encode(), capture_output=True, env=env, cwd=store, check=False)
    assert done.returncode == 0
    assert RAW.search(done.stderr.decode()) is None


def test_completion_offers_no_unprintable_character(store: Path) -> None:
    env = program.environment(store) | {"COMP_WORDS": "promptx-mem recall --topic t", "COMP_CWORD": "3"}
    env |= {"_PROMPTX_MEM_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "promptx-mem recall --topic t"}
    inside.run("recall", "gnp")
    done = subprocess.run([*program.PROGRAM], capture_output=True, env=os.environ | env, cwd=store, check=False)
    assert RAW.search(done.stdout.decode()) is None
