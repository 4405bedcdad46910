"""At 80 and 40 columns the output of every command fits into the terminal."""

import re
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests import terminal
from tests.cli import program
from tests.inside import COMMANDS

LATER = "2027-06-01"
ENGLISH = "the API rate limit is one hundred requests a minute for the free plan"
CHINESE = "部署用蓝绿发布，周五不发版；回滚脚本在 deploy/rollback.sh，值班同学负责执行并在群里通知所有人"
LINK = "see https://example.com/a/path/that/has/no/space/at/all/and/goes/on?x=123456789 for the runbook"
STORE = f"""\
- 2025/05/21 22:47 {CHINESE} --tags 部署 流程 ##流程技能 #评分:9 #有效期:永久
- 2025/05/22 09:00 {ENGLISH} #api score:9 duration:long
- 2025/06/05 18:47 {LINK} #ops score:9 duration:permanent
- backup of the office: cd /srv/office/backup/all-of-it && make a snapshot (rm -r ./old-ones) #ops score:7 duration:permanent
- the build of the nightly release takes forty minutes on the small machine #ci score:7 duration:2020-01-01
- 用户的邮箱服务器每天凌晨两点到四点维护，期间不要发送批量邮件 #运维 score:8 duration:短期
"""
NOTES = f"# 笔记 and notes\n\n- {ENGLISH}, as the contract says\n- {CHINESE}（合同）\n- [ ] a task\n> a quote\n"

COMMANDS_TO_TRY = [
    ["audit"], ["status"], ["list"], ["tags"], ["audit", "--verify"], ["audit", "--verdict", "denied"],
    ["decay", "--dry-run", "--now", LATER], ["decay"],
    ["index"], ["index", "--check"],
    ["recall"], ["recall", "部署"], ["recall", "rate", "--explain"], ["recall", "nothinglikethat"], ["recall", "-n", "1"],
    ["recall", "--archived", "release"], ["recall", "rate", "--budget", "60"], ["recall", "昨天"],
    ["remember", f"{CHINESE} 大家", "#部署", "score:9", "--topic", "项目->基础设施与发布流程->部署", "--dry-run"],
    ["remember", "backup of the flat: cd /srv/office/backup/all-of-it && make one", "#ops", "score:7", "--dry-run"],
    ["recall", "backup"],
    ["remember", "too poor to be kept for any length of time", "#x", "score:2"],
    ["remember", ENGLISH, "score:9", "duration:soon"], ["remember", "a fact of 2 tags", "#x", "score:9", "score:8"],
    ["score", "9,7,9,8,8,9"], ["score", "--guide"], ["review", "--list"], ["init"], ["setup"],
    ["import", "notes.md", "--dry-run"], ["import", "nothing.md"], ["export", "-o", "out.jsonl"],
    ["view", "-o", "a-page-with-a-rather-long-name.html"], ["converse", "--show"], ["monitor", "[BOOST:m_0000]", "prose"],
    ["forget", "m_0000"], ["restore", "m_0000"], ["recal", "x"], ["recall", "--tpyo"],
    ["remember", "a second poor one", "#x", "score:1"], ["remember", "a third poor one", "#x", "score:1"],
    ["remember", "a fourth poor one", "#x", "score:1"], ["status"], ["audit", "-n", "5"],
]  # fmt: skip
_RUN = """
import sys
from promptx_mem.cli.app import run
for command in {commands!r}:
    print("@@@", command, flush=True)
    run(command)
    sys.stdout.flush()
"""
_PASTED = re.compile(r" *(→ )?\(?(promptx-mem|mv|rm) ")
"""Commands to paste stay on one line, however wide."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for name, text in {".memory/declarative.md": STORE, "notes.md": NOTES}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def _screens(commands: list[list[str]], cwd: Path, columns: int) -> dict[str, list[str]]:
    """Return the lines that each command prints on a terminal, without colours."""
    environment = program.environment(cwd) | {"TERM": "xterm-256color"}
    command = [sys.executable, "-c", _RUN.format(commands=commands)]
    _, shown = terminal.run_program(command, cwd, env=environment, columns=columns)
    text = re.sub(r"\x1b\[[0-9;]*m|[^\n]*\r\x1b\[K", "", shown)
    parts = [part.partition("\n") for part in text.split("@@@ ")[1:]]
    return {f"{place} {head}": rest.splitlines() for place, (head, _, rest) in enumerate(parts)}


def _wrong(line: str, columns: int) -> bool:
    return (cell_len(line) > columns and not _PASTED.match(line)) or line != line.rstrip()


@pytest.mark.one_in(2)
@pytest.mark.parametrize("columns", [80, 40])
def test_no_line_is_wider_than_the_terminal(columns: int, store: Path) -> None:
    screens = _screens(COMMANDS_TO_TRY, store, columns)
    assert len(screens) == len(COMMANDS_TO_TRY)
    assert not [(name, line) for name, lines in screens.items() for line in lines if _wrong(line, columns)]
    silent = [name for name, lines in screens.items() if not lines]
    assert len(silent) <= 1, silent  # only decay prints nothing


@pytest.mark.parametrize("columns", [80, 40])
def test_help_is_not_wider_than_the_terminal(columns: int, tmp_path: Path) -> None:
    screens = _screens([["--help"], *([name, "--help"] for name in COMMANDS)], tmp_path, columns)
    assert len(screens) == len(COMMANDS) + 1
    wrong = [(name, line) for name, lines in screens.items() for line in lines if cell_len(line) > columns]
    assert not wrong
    assert all(lines[0].startswith("Usage: promptx-mem") and len(lines) > 5 for lines in screens.values())
