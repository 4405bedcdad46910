"""What happens on the way to a server, and on its disk: TLS, a slow line, no room, a clock years off, hostile rows."""

import ssl
from pathlib import Path

import pytest
import trustme

from tests.api import StoreError, layout
from tests.inside import Binding
from tests.team.front import Front
from tests.team.histories import NAME, Copy, History
from tests.team.inside import binding, dsn
from tests.team.server import Server


def _tls(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def _far(copy: Copy, front: Front, database: str, **more: str) -> None:
    """Bind a copy by a name that is no loopback to libpq's rules here, though its address is."""
    values = {"host": "db.example.org", "hostaddr": "127.0.0.1", "port": str(front.port), "user": copy.role}
    words = " ".join(f"{key}={value}" for key, value in (values | {"dbname": database} | more).items())
    binding.note(layout.at(str(copy.root)), Binding(words, NAME))


@pytest.mark.parametrize("case", ["right", "another name", "another authority", "no authority", "refused"])
def test_tls_is_verified_or_nothing_is_sent(
    case: str, history: History, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dsn, "is_near", lambda *_: False)  # an address of another machine is not to be had here
    ours, theirs = trustme.CA(), trustme.CA()
    ours.cert_pem.write_to_path(str(tmp_path / "root.pem"))
    authority = theirs if case == "another authority" else ours
    tls = (
        None
        if case == "refused"
        else _tls(authority, "else.example.org" if case == "another name" else "db.example.org")
    )
    with Front(server.folder / f".s.PGSQL.{server.port}", tls=tls) as front:
        copy = history.copies[0]
        text = copy.acknowledged[copy.store("nobody on the way may read this")]
        root = {} if case == "no authority" else {"sslrootcert": str(tmp_path / "root.pem")}
        _far(copy, front, history.tables.name, **root)
        if case == "right":
            assert copy.sync().data["pushed"] > 0
            monkeypatch.setenv("PGSSLMODE", "disable")
            _far(copy, front, history.tables.name, **root, sslmode="disable")
            copy.sync()
            assert front.heard.count(b"promptx_mem") > 0
        else:
            with pytest.raises(StoreError):
                copy.sync()
            assert text.encode() not in front.heard
            assert copy.role.encode() not in front.heard


def test_a_server_whose_clock_is_years_off(history: History) -> None:
    with history.tables.admin() as admin:
        admin.execute("ALTER TABLE promptx_mem.records ALTER COLUMN at SET DEFAULT now() - interval '9 years'")
    history.run(12)
    with history.tables.admin() as admin:
        admin.execute("ALTER TABLE promptx_mem.records ALTER COLUMN at SET DEFAULT now() + interval '9 years'")
    history.run(12)
    history.check()


def test_a_server_without_room_loses_nothing(history: History) -> None:
    """The server refuses as it does when its disk is full, at a record in the midst of a sync; then it has room again."""
    copy, other = history.copies[:2]
    for number in range(8):
        copy.store(f"text {number}")
    with history.tables.admin() as admin:
        admin.execute(
            "CREATE FUNCTION public.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            "IF NEW.bytes LIKE '%text 5%' THEN RAISE EXCEPTION 'could not extend file: No space left on device' "
            "USING ERRCODE = '53100'; END IF; RETURN NEW; END $$"
        )
        admin.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT ON promptx_mem.records FOR EACH ROW EXECUTE FUNCTION public.full()"
        )
        with pytest.raises(StoreError, match="no room left") as caught:
            copy.sync()
        assert caught.value.code == "server_full"
        other.sync()
        admin.execute("DROP TRIGGER full_disk ON promptx_mem.records")
    history.settle()
    assert copy.acknowledged.keys() <= other.states().keys()
    assert copy.states() == other.states()


def test_a_server_that_shows_the_records_of_another_space(history: History) -> None:
    """Each copy takes what is a whole record: a server can show one of elsewhere, but never as anything it is not."""
    copy, other = history.copies[:2]
    ident = copy.store("of this space")
    copy.sync()
    with history.tables.admin() as admin:
        admin.execute("UPDATE promptx_mem.records SET space = 'elsewhere' WHERE id = %s", [ident])
    other.sync()
    assert ident not in other.states()
    copy.sync()
    other.sync()
    assert copy.states()[ident].entry.text == "of this space"
