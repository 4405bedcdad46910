"""Near duplicates."""

from __future__ import annotations

from promptx_mem.search.memories import near_duplicates
from tests.search.store import Store


def test_near_duplicates() -> None:
    empty = Store()
    base = "The deployment of the billing service needs a restart of the message queue each Monday"
    empty.texts([base, base.replace("Monday", "Friday"), "用户喜欢在早上喝绿茶并且听音乐", "unrelated words only"])
    found = near_duplicates(empty.db, base.replace("each", "every"), threshold=0.5)
    assert [rowid for rowid, _ in found] == [1, 2]
    assert found[0][1] > found[1][1] > 0.5
    assert near_duplicates(empty.db, "用户喜欢在早上喝绿茶并且听广播", threshold=0.6)[0][0] == 3
    assert near_duplicates(empty.db, base, threshold=0.85)[0] == (1, 1.0)
    assert (
        near_duplicates(empty.db, "entirely different", threshold=0.5)
        == near_duplicates(empty.db, "", threshold=0.5)
        == []
    )


def test_near_finds_a_text_without_words() -> None:
    store = Store()
    store.texts(["tea", "😀"])
    assert near_duplicates(store.db, "😀", threshold=0.85) == [(2, 1.0)]
