"""PromptX, whose declarative.md is the origin of ours. Its CLI is the bin of the package."""

from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.peers.peer import node, npm, run
from benchmarks.speed.process import Command, environment

VERSION = "0.0.2-snapshot.20250616102516.d090de2"


class PromptX:
    name = "PromptX 0.0.2 (2025-06-16)"

    def set_up(self, home: Path) -> None:
        self._argv = (node(home), str(npm(home / "promptx", f"dpml-prompt@{VERSION}") / "src" / "bin" / "promptx.js"))

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        init = self._command(folder, "init", str(folder))
        run(list(init.argv), folder, dict(init.env))
        blocks = [f"- 2026/06/05 18:47 START\n{text}\n--tags #其他 #评分:8 #有效期:长期\n- END" for text in texts]
        file = self._file(folder)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(["# 陈述性记忆\n\n## 高价值记忆（评分 ≥ 7）", *blocks]) + "\n", "utf-8")

    def write(self, folder: Path, text: str) -> Command:
        return self._command(folder, "remember", text)

    def search(self, folder: Path, word: str) -> Command:
        return self._command(folder, "recall", word)

    def kept(self, folder: Path) -> str:
        return self._file(folder).read_text("utf-8", errors="replace")  # concurrent writes can break characters

    def _file(self, folder: Path) -> Path:
        return folder / ".promptx" / "memory" / "declarative.md"

    def _command(self, folder: Path, *words: str) -> Command:
        return Command((*self._argv, *words), folder, environment(folder))
