"""The table of Chinese messages: the program still contains each English message."""

import re
from pathlib import Path

import promptx_mem
from promptx_mem.cli import chinese
from promptx_mem.cli.folding import fold

PACKAGE = Path(promptx_mem.__file__).parent
SOURCES = "\n".join(path.read_text("utf-8") for path in PACKAGE.rglob("*.py"))
LEAST = 7


def test_every_translated_message_is_in_the_program() -> None:
    for english, translation in chinese.translations("messages").items():
        parts = [part.strip() for part in re.split(r"\{\}|[():%]", english)]
        longest = max(parts, key=len)
        assert longest[:LEAST] in SOURCES or longest[-LEAST:] in SOURCES, english
        assert english.count("{}") == translation.count("{}"), english


def test_command_after_a_chinese_colon_stays_on_one_line() -> None:
    command = "promptx-mem remember '我们用 Postgres' '#note' score:8 --update m_eqhrzm9t1e"
    assert fold(f"更改标签：{command}", 40).split("\n")[-1].strip() == command
