"""Histories of several copies with a real server, and what they hold the watermark to."""

from pathlib import Path

import pytest

from tests.team.histories import History
from tests.team.inside import LINE, PURGE, postgres
from tests.team.server import Server
from tests.team.tables import Tables, record

FEW, MANY = 3, 1_000


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        every = metafunc.config.getoption("--faults") == "all"
        metafunc.parametrize("number", range(MANY if every else FEW))


def test_every_copy_ends_in_the_state_of_all(
    number: int, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(number, tmp_path, server, monkeypatch)
    try:
        history.run(30)
        history.check()
    finally:
        history.close()


@pytest.mark.parametrize("kind", [LINE, PURGE])
def test_the_tail_goes_by_the_numbers_of_transactions_and_not_by_their_digits(
    server: Server, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """100 comes after 99: where pages end at such a place, what follows is not passed by."""
    monkeypatch.setattr(postgres, "PAGE", 3)
    tables = Tables(server)
    tables.role("alice", "team")
    space = tables.space("alice", "team")
    written = [record(f"text {number}")._replace(kind=kind) for number in range(9)]
    for one in written:
        space.put([one])
    with tables.admin() as admin:
        numbers = "SELECT hash, 95 + row_number() OVER (ORDER BY seq) AS number FROM promptx_mem.records"
        admin.execute(
            f"UPDATE promptx_mem.records AS r SET xid = n.number::text::xid8 FROM ({numbers}) AS n WHERE r.hash = n.hash"
        )
    read = [row.record.hash for page in space.since(None, purges=kind == PURGE) for row in page.rows]
    tables.close()
    assert read == [one.hash for one in written]
