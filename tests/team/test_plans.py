"""Every query uses an index: no table of records is scanned, with fresh or missing statistics."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from promptx_mem.core.state import NEVER
from promptx_mem.core.times import DAY
from promptx_mem.search.query import parse_query
from promptx_mem.team import remote
from promptx_mem.team.port import EVENT, Bounds, Mark
from promptx_mem.team.postgres import Postgres
from promptx_mem.usecases.recall import Cues
from tests.team.server import Server
from tests.team.spaces import NAME, Both
from tests.team.tables import Tables, record

SMALL = ("grants", "about", "derived_spaces", "derived_due")
"""Tables of a few rows, for which a scan is faster than an index."""

_SCANNED = """
SELECT relname FROM pg_stat_xact_user_tables
WHERE schemaname = 'promptx_mem' AND seq_scan > 0 AND NOT relname = ANY (%s) ORDER BY relname
"""


@pytest.fixture(scope="module", params=["fresh", "analyzed"])
def both(request: pytest.FixtureRequest, server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    tables = Tables(server)
    one = Both(tmp_path_factory.mktemp("plans"), tables, 600)
    tables.role("other", "others")
    tables.role("keeper", NAME, kinds=("member", "keeper"))
    tables.space("other", "others").put([record(f"text {number}") for number in range(2_000)])
    more = [record(f"more {number}") for number in range(1_000)]
    one.server.put([item._replace(ids=(item.id, f"m_{item.k}{item.id[2:]}")) for item in more])
    if request.param == "analyzed":
        with tables.admin() as admin:
            admin.execute("ANALYZE")
    yield one
    tables.close()


def _weights(both: Both) -> dict[int, float]:
    with contextlib.ExitStack() as stack:
        query = remote.RemoteQuery(both.memory.context, Cues("coffee 咖啡"), both.server, stack)
    return query.weigh(parse_query("coffee 咖啡 project"))


def _rarest(both: Both, server: Postgres) -> int:
    """Return the number of memories with the rarest term."""
    answer = server.statistics(list(_weights(both)))
    assert answer is not None
    return answer.docs[0]


Call = Callable[[Both, Postgres], Any]
CALLS: dict[str, Call] = {
    "have": lambda both, server: server.have([line.hash for line in both.records()][:50]),
    "put": lambda _, server: server.put([record("new")._replace(ids=(record("new").id, "m_two"), kind=EVENT)]),
    "put again": lambda both, server: server.put(list(both.records())[:100]),
    "the first sync": lambda _, server: list(server.since(None)),
    "a sync": lambda _, server: list(server.since(Mark(server.life, 900, 550))),
    "purges": lambda _, server: list(server.since(Mark(server.life, 0, 0), purges=True)),
    "newest": lambda _, server: list(server.newest()),
    "by hash": lambda both, server: list(server.find(hashes=[line.hash for line in both.records()][:50])),
    "by id": lambda both, server: list(server.find(ids=[line.id for line in both.lines[:50]])),
    "size": lambda _, server: server.size(),
    "statistics": lambda both, server: server.statistics(list(_weights(both))),
    "search by rare words": lambda both, server: server.search(_weights(both), DAY, Bounds(10_000, 9, 5, 9)),
    "search by a common word": lambda both, server: server.search(_weights(both), DAY, Bounds(0, 9, 5, 9)),
    "search by rare words, then common ones": lambda both, server: server.search(
        _weights(both), DAY, Bounds(_rarest(both, server), 2_000, 600, 2_000)
    ),
    "open": lambda _, server: server.open(),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_scan_no_table(both: Both, name: str) -> None:
    server = both.tables.space("alice", NAME)
    with server.connection.transaction():
        CALLS[name](both, server)
        assert server.connection.execute(_SCANNED, [[*SMALL]]).fetchall() == []


def test_search_by_a_common_word_reads_only_the_newest_rows(both: Both) -> None:
    with both.tables.admin() as admin:
        common = admin.execute("SELECT term, docs FROM promptx_mem.derived_terms ORDER BY docs DESC LIMIT 1").fetchone()
    assert common is not None
    assert common[1] > 200
    server = both.tables.space("alice", NAME)
    with server.connection.transaction():
        assert len(server.search({common[0]: 1.0}, -NEVER, Bounds(0, 10, 5, 10))) == 10
        reads = server.connection.execute(
            "SELECT sum(idx_tup_fetch) FROM pg_stat_xact_user_tables WHERE relname ~ '^derived_[0-9]+$'"
        ).fetchone()
    assert reads is not None
    assert reads[0] < common[1]
