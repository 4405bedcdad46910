"""The table of Chinese messages: the program contains each English message, and each message has a translation."""

import ast
import re
from pathlib import Path

import pytest

import promptx_mem
from promptx_mem.cli import chinese
from promptx_mem.cli.folding import fold
from tests.tables import rows

PACKAGE = Path(promptx_mem.__file__).parent
SOURCES = "\n".join(path.read_text("utf-8") for path in [*PACKAGE.rglob("*.py"), *PACKAGE.glob("core/*.txt")])
NODES = {path: [*ast.walk(ast.parse(path.read_text("utf-8")))] for path in PACKAGE.rglob("*.py")}
CLI = [node for path, nodes in NODES.items() if path.parent.name == "cli" for node in nodes]
SHOWN = (Path(__file__).parent / "chinese.console").read_text("utf-8")
LEAST = 7
ROWS = chinese.translations()
PLACE = r"\{[~_#,]?\}|…"
_FOR_PEOPLE = ("local", "confirmed", "demand_name", "typed_name")


def test_every_translated_message_is_in_the_program() -> None:
    for english, translation in ROWS.items():
        longest = max((part.strip() for part in re.split(rf"{PLACE}|[():%\[\]]", english)), key=len)
        assert longest[:LEAST] in SOURCES or longest[-LEAST:] in SOURCES, english
        kept = len(re.findall(PLACE, english)) - english.count("…")
        assert kept == translation.count("{}") or {*re.findall(r"\{(\d)\}", translation)} == {*map(str, range(kept))}


def _texts(node: ast.AST) -> list[str]:
    """Return the texts that an expression can have, with a NUL for each computed part."""
    if isinstance(node, ast.IfExp):
        return [*_texts(node.body), *_texts(node.orelse)]
    if isinstance(node, ast.BinOp):
        return [one + other for one in _texts(node.left) for other in _texts(node.right)]
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return ["".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in parts)]


def test_every_message_for_people_has_a_translation() -> None:
    calls = [node for node in CLI if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _FOR_PEOPLE]
    for line in "\n".join(text for call in calls for argument in call.args for text in _texts(argument)).split("\n"):
        longest = max(re.split("\0|promptx-mem.*", line), key=len).strip(" :;,.()[]→…")
        sample = line.replace("\0", "7")
        assert any(longest in english for english in ROWS) or chinese.translated(sample) != sample, line


def test_a_placeholder_contains_no_part_of_another_message() -> None:
    shown = {node for nodes in NODES.values() for node in nodes if isinstance(node, ast.JoinedStr | ast.Constant)}
    for line in "\n".join(text for node in shown for text in _texts(node)).replace("\0", "x7").split("\n"):
        if re.match("[^A-Z ]", line) and (translation := chinese.translated(line)) != line:
            assert not re.search("[a-z]+ [a-z]+ [a-z]+| (?:or|of|not|by) ", translation.partition("：")[0]), line


def test_chinese_output_has_no_english_sentence() -> None:
    output = re.sub(r"(?m)^[$#].*|(promptx-mem|git) .*|nothing found|^.*try other words.*$", "", SHOWN)
    assert re.findall("[a-z]+ [a-z]+ [a-z]+", output) == []


@pytest.mark.parametrize(("english", "translation"), rows(__file__, "chinese.jsonl"))
def test_message_is_completely_chinese_or_english(english: str, translation: str | None) -> None:
    assert chinese.translated(english) == (translation or english)


def test_command_after_a_chinese_colon_stays_on_one_line() -> None:
    command = "promptx-mem remember '我们用 Postgres' '#note' score:8 --update m_eqhrzm9t1e"
    assert fold(f"更改标签：{command}", 40).split("\n")[-1].strip() == command
