"""Who is blocked, who is not, and what the log says of it."""

from pathlib import Path

import pytest

from tests.api import Memory, Refused, Request
from tests.inside import audit

DIMS = "9,9,9,2,9,9"


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    memory = Memory.open(str(tmp_path / ".memory"), "s")
    memory.remember(Request("tea", tags=("a",), score="8"))
    return memory


def test_an_explicit_instruction_passes_the_limit_of_the_day(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_SCORINGS", 1)
    with pytest.raises(Refused, match="limit"):
        memory.remember(Request("coffee", tags=("a",), score="8"))
    assert memory.remember(Request("coffee", tags=("a",), explicit=True)).data["verdict"] == "stored"


def test_what_was_not_credible_stays_so_without_its_dimensions(memory: Memory) -> None:
    with pytest.raises(Refused, match="credib"):
        memory.remember(Request("the moon is cheese", tags=("a",), dims=DIMS))
    for _ in range(2):
        with pytest.raises(Refused, match="not credible"):
            memory.remember(Request("the moon is cheese", tags=("a",), score="8"))
    assert memory.remember(Request("the moon is cheese", tags=("a",), explicit=True)).data["verdict"] == "stored"
