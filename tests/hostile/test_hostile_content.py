"""Hostile text as the content of a memory: stored as text in one memory, and shown without harm."""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.hostile import inside
from tests.hostile.strings import STRINGS
from tests.inside import Tools
from tests.inside import words as answers

LITERAL = ("-t", "t", "--score", "9", "--json")


def as_stored(text: str) -> str:
    """Return a text as it is stored: valid Unicode, LF line ends, no hidden tags, no blank lines or spaces around."""
    text = re.sub("[\ud800-\udfff]", "\ufffd", text.replace("\r\n", "\n"))
    flag = "\U0001f3f4[\U000e0061-\U000e007a]+\U000e007f"
    text = re.sub(f"({flag})|[\U000e0000-\U000e0fff]", lambda match: match[1] or "", text)
    return text.strip()


def same(one: str, other: str) -> bool:
    """Return whether two texts are equal except for NFC, white space, a final mark and the first capital."""
    first, second = (
        "\n".join(" ".join(line.split()) for line in unicodedata.normalize("NFC", text).split("\n")).strip()
        for text in (one, other)
    )
    first, second = (text.rstrip(" .。!！．") or text for text in (first, second))
    return first[:1].lower() + first[1:] == second[:1].lower() + second[1:]


def by_argument(text: str) -> dict[str, Any]:
    return inside.run("remember", *LITERAL, "--", "- " if text == "-" else text).object  # a single - reads stdin


def by_stdin(text: str) -> dict[str, Any]:
    return inside.run("remember", "-", *LITERAL, stdin=text.encode("utf-8", "surrogatepass")).object


def by_mcp(text: str) -> dict[str, Any]:
    said, failed = Tools(".memory").call("remember", {"text": text, "tags": ["t"], "score": 9})
    status = {"no_text": 2, "credential": 1}[said["error"]["code"]] if failed else 0
    inside.check(inside.Ran(status, answers.text(said), "", ("mcp",)))
    return {"exit": status, "error": None, **said}


def by_explicit(text: str) -> dict[str, Any]:
    return inside.run("remember", "--explicit", "-t", "t", "--json", "--topic", "a->b", "--", text + "\n").object


WAYS: dict[str, Callable[[str], dict[str, Any]]] = {
    "argument": by_argument, "stdin": by_stdin, "mcp": by_mcp, "explicit": by_explicit,
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("way", WAYS)
def test_every_string_is_stored_as_text(way: str, place: Path, sample: dict[str, str], all_faults: bool) -> None:
    texts: dict[str, str] = {}
    strings = list(STRINGS.items())
    halves = {} if all_faults else {"argument": dict(strings[::2]), "stdin": dict(strings[1::2])}
    tried = halves.get(way, sample)
    for name, text in tried.items():
        said = WAYS[way](text)
        meant = as_stored(text)
        if way == "stdin" and any("\ud800" <= char <= "\udfff" for char in text):  # then it is not valid UTF-8
            assert (said["exit"], said["error"]["code"]) == (2, "bad_encoding"), name
        elif said["exit"] == 2:
            assert said["error"]["code"] == "no_text", (name, said["error"])
            assert meant == "", name
        elif said["exit"] == 1:
            assert said["error"]["code"] == "credential", (name, said["error"])
        else:
            assert said["exit"] == 0, (name, said["error"])
            known = said["id"] in texts
            assert known == (said["verdict"] == "repeated"), (name, said)
            assert same(texts.setdefault(said["id"], meant), meant), name
    found = {ident: one["text"] for ident, one in inside.memories().items()}
    assert found == texts
    assert len(found) > len(tried) * 0.8
    lines = (place / ".memory" / "declarative.md").read_bytes().decode().split("\n")
    assert sum(line.startswith("- ") for line in lines) == len(lines) - 3 == len(found)  # below the file's heading
    inside.check_store(place / ".memory")
    check_outputs(found)


def check_outputs(texts: dict[str, str]) -> None:
    """Check that every output format shows each memory once, and its text only as text."""
    plain = inside.run("recall", "-n", "10000", "--format", "text", "--no-touch").out
    assert sorted(line[:12] for line in plain.split("\n")[:-1]) == sorted(texts)
    said = inside.run("recall", "-n", "10000", "--format", "context", "--budget", "1000000", "--no-touch").out
    block = ElementTree.fromstring(said)
    assert block.tag == "activated_memory_slices"
    assert [one.tag for one in block] == ["memory"] * len(texts)
    for one in block:
        assert [part.tag for part in one] in ([], ["system-reminder"])
        assert one.text is not None
        assert one.text.strip("\n").count("\n") == texts[one.attrib["id"]].count("\n")
    inside.run("recall", "-n", "10000", "--format", "rich", "--no-touch")
    inside.run("index")
    index = Path(".memory/MEMORY.md").read_text("utf-8")
    body = index.partition("-->\n")[2]
    assert inside.RAW.search(index) is None
    assert re.search(r"<|-->|^(?!- |#|>|$)", body, re.MULTILINE) is None
    for line in body.split("\n"):
        assert not line.startswith("- ") or re.search(
            r" \(m_[0-9a-z]{10}\)( _\((last updated .* ago|noted .*)\)_)?$", line
        ), line
    for words in (("audit", "-n", "1000"), ("status",), ("decay", "--dry-run"), ("tags",)):
        inside.run(*words)


def test_hostile_arguments_are_stored_as_remember_reports(place: Path, sample: dict[str, str]) -> None:
    """Unlike options, arguments are searched for tokens. The store contains exactly the reported texts."""
    texts: dict[str, str] = {}
    for name, text in sample.items():
        for words in ((text, "#t", "score:9"), ("#t", text, "score:9"), (text,)):
            said = inside.run("remember", "--json", *words, env={"PROMPTX_MEM_SESSION": name[:20]})
            if said.status == 0 and "--help" not in words and "--version" not in words:
                answer = said.object
                texts.setdefault(answer["id"], answer["text"])
                assert same(texts[answer["id"]], answer["text"])
    assert {ident: one["text"] for ident, one in inside.memories().items()} == texts
    inside.check_store(place / ".memory")


def test_each_directive_adds_one_memory(place: Path, sample: dict[str, str]) -> None:
    before: set[str] = set()
    for name, text in sample.items():
        lines = text.split("\n")
        said = inside.run("monitor", "--json", f"[ADD] {text}", env={"PROMPTX_MEM_SESSION": name[:20]}).object
        assert len(said["items"]) >= len(lines), name  # a line may hold several
        added = {item["id"] for item in said["items"] if item["outcome"] == "done" and item["op"] == "add"}
        before |= added
        if "DELETE" in text or "UPDATE" in text:  # directives in a stored text are not executed
            assert set(inside.memories()) == before, name
    after = inside.memories()
    assert set(after) == before
    assert all(one["lives"] for one in after.values())
    inside.check_store(place / ".memory")


def test_conversations_store_every_hostile_message(place: Path, sample: dict[str, str]) -> None:
    said: list[str] = []
    for number, (name, text) in enumerate(sample.items()):
        if number % 2:
            ran = inside.run("converse", "--json", "--role", "user", "--", text)
            kept = as_stored(text)
        else:
            line = json.dumps({"role": "assistant", "content": text}, ensure_ascii=number % 4 == 0)
            ran = inside.run("converse", "--json", stdin=line.encode("utf-8", "surrogatepass"))
            kept = as_stored(text)
        assert ran.status in (0, 2), name
        said += [kept] if ran.status == 0 and ran.object["added"] else []
    files = list((place / ".memory" / "conversations").glob("u_*.jsonl"))
    assert len(files) == 1
    rows = [json.loads(line) for line in files[0].read_text("utf-8").split("\n") if line]
    assert [row["text"] for row in rows if "m" in row] == said
    assert len(said) > len(sample) * 0.9
    inside.run("converse", "--show")
    inside.run("recall", "x", "--archived", "--no-touch")
    inside.run("recall", "--format", "context", "--budget", "100000", "--no-touch")
    inside.run("decay")
    inside.check_store(place / ".memory")


@pytest.mark.parametrize(
    "form", ["- {} #t #评分:9", "- {} #t score:9 duration:长期", "- 2025/06/05 18:47 {} #t #评分:9", "{}"]
)
def test_hostile_lines_do_not_change_other_imports(
    form: str, place: Path, sample: dict[str, str], tmp_path: Path
) -> None:
    """Each hostile line is between two memories."""
    file = tmp_path / "old.md"
    keep = '- kept {} #keep score:9 duration:长期 <!-- {{"id":"m_{:010}","at":"2026-01-01T00:00:00+00:00"}} -->\n'
    body = ""
    for number, text in enumerate(sample.values()):
        body += form.format(text) + "\n" + keep.format(number, number)
    file.write_bytes(body.encode("utf-8", "replace"))
    said = inside.run("import", "--json", str(file), "--allow-secret")
    assert said.status == int(said.object["refused"] > 0)
    found = inside.memories()
    assert len(found) == said.object["taken"]
    for number in range(len(sample)):
        assert [one["tags"] for one in found.values() if one["text"] == f"kept {number}"] == [["keep"]], number
    inside.check_store(place / ".memory")
    inside.run("import", str(file))
