"""Two spaces for tests of row level security: `alice` must not see one of them."""

from collections.abc import Iterator

from tests.team.server import Server
from tests.team.tables import Tables, record

SECRET = "the secret of the others"
HIDDEN = record(SECRET)
MINE = record("what is mine")
PARTITIONED = ("records", "also", "derived", "derived_terms")
TABLES = (*PARTITIONED, "about", "grants", "derived_spaces", "derived_due")


def secured(server: Server) -> Iterator[Tables]:
    """Create the spaces `mine` (of alice) and `others` (of bob), a record in each, and roles of every kind."""
    one = Tables(server)
    one.role("alice", "mine")
    one.role("bob", "others")
    one.role("keeper", "mine", kinds=("member", "keeper"))
    one.role("indexer", "mine", kinds=("indexer",))
    one.role("revoked", kinds=("member",))
    one.role("stranger", kinds=())
    one.space("bob", "others").put([HIDDEN._replace(ids=(HIDDEN.id, "m_also"))])
    one.space("alice", "mine").put([MINE])
    with one.admin() as admin:
        for space in ("mine", "others"):
            admin.execute("INSERT INTO promptx_mem.derived_spaces (space, version) VALUES (%s, 1)", [space])
            admin.execute("INSERT INTO promptx_mem.derived VALUES (%s, 'm_1', 1, 1, 1, 'infinity', 5, '{7}')", [space])
            admin.execute("INSERT INTO promptx_mem.derived_due VALUES (%s, 'm_2')", [space])
        admin.execute("CREATE TABLE public.open_to_all (space text, hash bytea)")
        admin.execute("GRANT ALL ON public.open_to_all TO PUBLIC")
        admin.execute("ANALYZE")
    yield one
    one.close()
