"""Connections and failures of the server: TLS, a full disk, a wrong clock, moved records."""

import ssl
from pathlib import Path

import pytest
import trustme

from tests.api import StoreError, layout
from tests.inside import Binding
from tests.team.front import Front
from tests.team.histories import NAME, Copy, History
from tests.team.inside import binding, postgres
from tests.team.server import Server


def _tls(authority: trustme.CA, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    return context


def _bind_to_remote_host(copy: Copy, front: Front, database: str, **more: str) -> None:
    """Bind a copy by a host name that counts as remote, though its address is loopback."""
    values = {"host": "db.example.org", "hostaddr": "127.0.0.1", "port": str(front.port), "user": copy.role}
    words = " ".join(f"{key}={value}" for key, value in (values | {"dbname": database} | more).items())
    binding.note(layout.at(str(copy.root)), Binding(words, NAME))


@pytest.mark.parametrize("case", ["right", "another name", "another authority", "no authority", "refused"])
def test_nothing_is_sent_without_verified_tls(
    case: str, history: History, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "is_near", lambda *_: False)  # the tests have no address of another machine
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
        _bind_to_remote_host(copy, front, history.tables.name, **root)
        if case == "right":
            assert copy.sync().data["pushed"] > 0
            monkeypatch.setenv("PGSSLMODE", "disable")
            _bind_to_remote_host(copy, front, history.tables.name, **root, sslmode="disable")
            copy.sync()
            assert front.received.count(b"promptx_mem") > 0
        else:
            with pytest.raises(StoreError):
                copy.sync()
            assert text.encode() not in front.received
            assert copy.role.encode() not in front.received


def test_copies_agree_if_the_servers_clock_is_years_off(history: History) -> None:
    with history.tables.admin() as admin:
        admin.execute("ALTER TABLE promptx_mem.records ALTER COLUMN at SET DEFAULT now() - interval '9 years'")
    history.run(12)
    with history.tables.admin() as admin:
        admin.execute("ALTER TABLE promptx_mem.records ALTER COLUMN at SET DEFAULT now() + interval '9 years'")
    history.run(12)
    history.check()


def test_full_server_loses_nothing(history: History) -> None:
    """The server refuses a record during a sync, as with a full disk; then it has space again."""
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
        with pytest.raises(StoreError, match="no free disk") as caught:
            copy.sync()
        assert caught.value.code == "server_full"
        other.sync()
        admin.execute("DROP TRIGGER full_disk ON promptx_mem.records")
    history.settle()
    assert copy.acknowledged.keys() <= other.states().keys()
    assert copy.states() == other.states()


def test_record_moved_to_another_space_is_sent_again(history: History) -> None:
    """A copy sends its record again if the server has moved it to another space."""
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
