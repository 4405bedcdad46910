"""What `audit` reads of its log: the records it shows, from the end, however long the log is."""

import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.api import Filters
from tests.inside import audit, json_text, violations
from tests.world import World

NOW = datetime.datetime(2026, 11, 20, 12, 0, tzinfo=datetime.UTC)


def line(number: int, verdict: str = "stored", session: str = "day:2026-11-20") -> bytes:
    return violations.encode({"at": NOW.isoformat(), "s": session, "cmd": "remember", "n": number, "verdict": verdict})


PIECES = st.one_of(
    st.builds(line, st.integers(0, 9), st.sampled_from(["stored", "refused", '"verdict":"stored"', "", "é", "a\nb"])),
    st.builds(line, st.integers(0, 9), session=st.text(max_size=5)),
    st.sampled_from([b"\n", b"{}\n", b"[1]\n", b"\0\n", b"\r\n", b'{"at":"x"}\n', b'{"at":"x","verdict":3}\n', b"}\n"]),
    st.binary(max_size=5),
)


@given(st.lists(PIECES), st.integers(0, 3))
def test_the_quick_way_says_what_reading_everything_says(pieces: list[bytes], cut: int) -> None:
    data = b"".join(pieces)
    data = data[: len(data) - cut]
    everything = audit.records(data)
    assert list(audit.newest(data)) == everything[::-1]
    verdicts: dict[str, int] = {}
    for record in everything:
        verdicts[str(record.get("verdict"))] = verdicts.get(str(record.get("verdict")), 0) + 1
    total, counts = audit.tally(data)
    assert (total, list(counts.items())) == (len(everything), list(verdicts.items()))


def test_a_long_log_is_not_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path)
    world.remember("the user likes tea", "tea")
    path = world.memory.context.layout.audit
    with open(path, "ab") as file:
        file.writelines(line(number) for number in range(3_000))
    read: list[str] = []
    load = json_text.load_object

    def counted(encoded: str) -> dict[str, Any] | None:
        read.append(encoded)
        return load(encoded)

    monkeypatch.setattr(audit, "load_object", counted)
    data = world.memory.audit(Filters(count=5)).data
    assert (data["count"], data["total"], data["left_out"]) == (5, 3_001, 2_996)
    assert [record["at"] for record in data["records"]] == [NOW.isoformat()] * 5
    assert len(read) == 5
