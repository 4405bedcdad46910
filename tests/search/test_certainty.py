"""What hardly matches stands below what does, however its words add up."""

from pathlib import Path

import pytest

from promptx_mem.usecases.recall import Cues
from tests.world import World


def recalled(world: World, question: str) -> list[tuple[str, bool, float]]:
    memories = world.memory.recall(Cues(question, touch=False)).data["memories"]
    return [(memory["text"], memory["weak"], memory["relevance"] or 0.0) for memory in memories]


@pytest.mark.parametrize(
    ("question", "clear", "weak"),
    [
        ("how many k8s machines", "Kubernetes runs on three nodes at Hetzner", "On call: Tobias, 8 days, and 8 nights"),
        ("o11y stack", "Observability: Prometheus scrapes every 15 seconds", "Signed on 11 March for 11 weeks"),
    ],
)
def test_a_weak_one_stands_below(tmp_path: Path, question: str, clear: str, weak: str) -> None:
    world = World(tmp_path / ".memory")
    for text in (clear, "Clara lives in Porto", "the dentist is on Elm Street", weak):
        world.later(days=1).remember(text)
    first, second = recalled(world, question)[:2]
    assert (first[:2], second[:2]) == ((clear, False), (weak, True))
    assert second[2] > first[2]
