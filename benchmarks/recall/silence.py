"""How often `hook prompt` adds unrelated memories: `python -m benchmarks.recall.silence [--show] [--data DIR]`.

`silence.txt` has 200 prompts that are unrelated to every store here, and 100 plain working turns. The share of a
store's own questions that get one of their memories is printed too. `--data` adds the first store of each data set.
Prompts with an odd number were not used to choose the minimum relevance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.recall.data import DataSet, coding, contradictions, load, small
from benchmarks.recall.rankers import store
from promptx_mem.hooks.prompt import given

PROMPTS = Path(__file__).with_name("silence.txt")


def prompts() -> dict[str, list[str]]:
    """Read the prompts by their kind."""
    out: dict[str, list[str]] = {}
    for line in PROMPTS.read_text("utf-8").splitlines():
        if line.startswith("# "):
            kind = out.setdefault(line[2:], [])
        else:
            kind.append(line)
    return out


def sets(directory: Path | None) -> list[DataSet]:
    """Return the sets of this repository, and of `directory` the first store of each."""
    out = [*coding(aliases=True)[:1], contradictions(), small()]
    for data in load(directory) if directory else []:
        name = next(iter(data.stores))
        questions = [one for one in data.questions if one.store == name]
        out.append(DataSet(data.name, {name: data.stores[name]}, questions))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall.silence", description=__doc__)
    parser.add_argument("--data", type=Path, help="the directory of benchmarks.recall; without it our own sets")
    parser.add_argument("--show", action="store_true", help="name the prompts of an even number that get something")
    options = parser.parse_args()
    kinds = prompts()
    print("| store | memories | questions |", *(f"{kind}: even, odd |" for kind in kinds))
    print("|---" * (len(kinds) + 3) + "|")
    for data in sets(options.data):
        [known] = data.stores.values()
        memory, places = store(known)
        found = [
            any(known[place].id in unit for one in given(memory, question.text)[1] for place in places[one["text"]]
                for unit in question.evidence)
            for question in data.questions
        ]  # fmt: skip
        cells = []
        for kind, texts in kinds.items():
            heard = [bool(given(memory, text)[1]) for text in texts]
            cells.append(f"{sum(heard[::2])}, {sum(heard[1::2])} of {len(texts) // 2} each |")
            for text in (text for text, got in zip(texts[::2], heard[::2], strict=True) if got and options.show):
                print(f"  {kind}: {text}: {given(memory, text)[1][0]['text'][:80]}")
        print(f"| {data.name} | {len(known)} | {sum(found)} of {len(found)} |", *cells, flush=True)


if __name__ == "__main__":
    main()
