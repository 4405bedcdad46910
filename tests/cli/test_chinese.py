"""The table of Chinese messages: the program contains each English message, and each message has a translation."""

import ast
import re
from pathlib import Path

import pytest

import promptx_mem
from promptx_mem.cli import chinese
from promptx_mem.cli.folding import fold

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


@pytest.mark.parametrize(
    ("english", "translation"),
    [
        ("'新的' is not an answer to a review", "'新的' 不是复核的回答"),
        ("allowed: keep, promote, delete; for a contradiction: both, newer, older",
         "可用：保留（keep）、提升（promote）、删除（delete）；对矛盾：都保留（both）、新（newer）、旧（older）"),
        ("9 aliases are too many", "别名太多：9 个"),
        ("33 alternative queries are too many", "其他说法太多：33 个"),
        ("--now '明天' is not a time", "--now '明天' 不是时间"),
        ("for example: 2026-12-31 or 2026-12-31T04:17", "例如：2026-12-31 或 2026-12-31T04:17"),
        ("ended: deleted", "已结束：已删除"),
        ("these changes cannot be undone: 1 both, 2 boosted",
         "这些改动无法撤销：都保留 1 次、提升 2 次"),
        ("these changes cannot be undone: 1 of an unknown kind", None),
        ("purged 1 conversation (2 messages); its messages are not read from the host's transcript again",
         "已销毁 1 段对话（2 条消息）；不会再从宿主的对话记录读入它的消息"),
        ("2 files in archive/", "archive/ 里 2 个文件"),
        ("the file is too large for a settings file", None),
        ("sent 3, received 5, destroyed 2 purged memories, left out 4 that do not fit into this store: team",
         "已发送 3 条，接收 5 条，已销毁 2 条，放不下 4 条：team"),
        ("3 more results do not fit into 900 tokens", "还有 3 条结果，900 个 token 放不下"),
        ("--answers cannot be combined with other options", "--answers 不能与其他选项一起用"),
        ("decay: MEMORY.md updated; 1 piece of idle conversations summarised",
         "整理：MEMORY.md 已更新；已摘要 1 段闲置的对话"),
        ("decay: MEMORY.md updated; nothing of this is known", None),
        ("1 answer was not accepted; each line has the reason", "1 个回答没有被接受；原因见各行"),
    ],
)  # fmt: skip
def test_message_is_completely_chinese_or_english(english: str, translation: str | None) -> None:
    assert chinese.translated(english) == (translation or english)


def test_command_after_a_chinese_colon_stays_on_one_line() -> None:
    command = "promptx-mem remember '我们用 Postgres' '#note' score:8 --update m_eqhrzm9t1e"
    assert fold(f"更改标签：{command}", 40).split("\n")[-1].strip() == command
