"""Histories of several copies with a real server, and what they hold the watermark to."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.team.histories import History
from tests.team.inside import LINE, PURGE, postgres, statements
from tests.team.server import Server
from tests.team.tables import Tables, record

if TYPE_CHECKING:
    from tests.team.inside import Mark

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


class Reader:
    """What follows the tail as a copy does, page by page."""

    def __init__(self, space: postgres.Postgres) -> None:
        self.space = space
        self.rows = set[bytes]()
        self.is_over = threading.Event()
        self.mark: Mark | None = None

    def read(self) -> None:
        for page in self.space.since(self.mark):
            self.rows.update(row.record.hash for row in page.rows)
            self.mark = page.mark

    def follow(self) -> None:
        while not self.is_over.is_set():
            self.read()


@pytest.mark.parametrize("watermark", [True, False])
def test_the_tail_by_sequence_alone_loses_what_is_committed_late(
    server: Server, monkeypatch: pytest.MonkeyPatch, *, watermark: bool
) -> None:
    """Writers that draw their numbers early and commit late: a reader that goes by the sequence alone passes them by."""
    if not watermark:
        by_sequence = statements.TAIL.replace(
            "(xid, seq) > (%(xid)s::xid8, %(seq)s)", "seq > %(seq)s + 0 * %(xid)s::int"
        )
        by_sequence = by_sequence.replace("AND xid < pg_snapshot_xmin(pg_current_snapshot())", "")
        assert "pg_snapshot" not in by_sequence
        monkeypatch.setattr(
            statements, "TAIL", by_sequence.replace("ORDER BY records.xid, records.seq", "ORDER BY records.seq")
        )
    tables = Tables(server)
    tables.role("alice", "team")
    reader = Reader(tables.space("alice", "team"))
    written = [[record(f"{writer} {number}") for number in range(60)] for writer in range(8)]
    spaces = [tables.space("alice", "team") for _ in written]
    gates = [threading.Event() for _ in written]

    def write(place: int) -> None:
        for number, one in enumerate(written[place]):
            with spaces[place].connection.transaction():
                spaces[place].put([one])
                if number % 8 == place:  # this one commits late, after others have
                    gates[place].wait(0.05)

    threads = [threading.Thread(target=write, args=[place]) for place in range(8)]
    follower = threading.Thread(target=reader.follow)
    for thread in (*threads, follower):
        thread.start()
    for thread in threads:
        thread.join()
    reader.is_over.set()
    follower.join()
    reader.read()
    lost = {one.hash for some in written for one in some} - reader.rows
    tables.close()
    assert bool(lost) is not watermark
    assert postgres.PAGE > 480
