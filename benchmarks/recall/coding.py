"""Search memories of a coding project in other words and in the other language, without and with their aliases."""

from __future__ import annotations

from benchmarks.recall.__main__ import quality, searches
from benchmarks.recall.data import coding
from benchmarks.recall.rankers import program


def main() -> None:
    print("recall@1 / recall@5 / recall@10 / nDCG@10, in %")
    for aliases in (False, True):
        for data in coding(aliases=aliases):
            figures = " / ".join(f"{number:.1f}" for number in quality(searches(program, data), data)[:4])
            print(f"{data.name} ({len(data.questions)}), {'with' if aliases else 'without'} aliases: {figures}")


if __name__ == "__main__":
    main()
