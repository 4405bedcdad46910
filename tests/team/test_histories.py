"""Random histories of several copies with a real server, and the order of its pages."""

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


def test_every_copy_ends_in_the_same_state(
    number: int, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = History(number, tmp_path, server, monkeypatch)
    try:
        history.run(30)
        history.check()
    finally:
        history.close()


@pytest.mark.parametrize("kind", [LINE, PURGE])
def test_pages_are_ordered_by_transaction_number_not_by_its_digits(
    server: Server, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """100 comes after 99: if a page ends there, the next rows are not skipped."""
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
    read = [row.hash for page in space.since(None, purges=kind == PURGE) for row in page.rows]
    tables.close()
    assert read == [one.hash for one in written]
