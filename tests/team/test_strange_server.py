"""A server that answers as none of ours does: an error that says so, and never a traceback."""

import pytest

from tests.api import StoreError
from tests.team.histories import History

STRANGE = {
    "a role that is none": "UPDATE promptx_mem.records SET role = NULL",
    "a kind that is none": "UPDATE promptx_mem.records SET kind = NULL",
    "an id that is none": "UPDATE promptx_mem.records SET ids = ARRAY[NULL]::text[]",
    "no ids": "UPDATE promptx_mem.records SET ids = NULL",
    "no place in the order": "UPDATE promptx_mem.records SET k = NULL",
    "no bytes": "UPDATE promptx_mem.records SET bytes = NULL",
    "a place that is a text": "ALTER TABLE promptx_mem.records ALTER COLUMN k TYPE text",
    "nothing about itself": "DELETE FROM promptx_mem.about",
    "a version that is none": "UPDATE promptx_mem.about SET version = NULL",
}


@pytest.mark.parametrize("what", STRANGE)
def test_a_strange_answer_is_said_and_changes_nothing(what: str, history: History) -> None:
    copy, other = history.copies[:2]
    copy.store("what was sent")
    copy.sync()
    before = other.states()
    with history.tables.admin() as admin:
        for name in (
            "records_ids_check",
            "records_kind_check",
            "records_k_check",
            "records_bytes_check",
            "hash_of_bytes",
        ):
            admin.execute(f"ALTER TABLE promptx_mem.records DROP CONSTRAINT IF EXISTS {name}".encode())
        for name in ("role", "kind", "ids", "k", "bytes"):
            admin.execute(f"ALTER TABLE promptx_mem.records ALTER COLUMN {name} DROP NOT NULL".encode())
        admin.execute("ALTER TABLE promptx_mem.about ALTER COLUMN version DROP NOT NULL")
        admin.execute("DROP TRIGGER forget_derived ON promptx_mem.records")
        admin.execute(STRANGE[what].encode())
    with pytest.raises(StoreError):
        other.sync()
    assert other.states() == before
    assert copy.remember("works as ever")
