"""A team whose server and some copies have the next version: an older copy still syncs and loses nothing."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

from tests.api import Entry, PromptxMemError, make_id
from tests.inside import core_journal as journal
from tests.inside import sources
from tests.team.fake import Space
from tests.team.histories import NAME, History
from tests.team.inside import Record, postgres, records
from tests.team.inside import team_setup as setup
from tests.team.server import Server
from tests.team.team import Make, settle
from tests.world import START

NEXT = """
ALTER TABLE promptx_mem.records ADD COLUMN device text NOT NULL DEFAULT '';
ALTER TABLE promptx_mem.records DROP CONSTRAINT records_kind_check;
ALTER TABLE promptx_mem.records ADD CONSTRAINT records_kind_check CHECK (kind IN ('line', 'event', 'purge', 'picture'));
ALTER TABLE promptx_mem.about ADD COLUMN region text;
ALTER TABLE promptx_mem.derived ADD COLUMN language text;
CREATE TABLE promptx_mem.reactions (space text NOT NULL, id text NOT NULL, sign text, PRIMARY KEY (space, id, sign));
ALTER TABLE promptx_mem.reactions ENABLE ROW LEVEL SECURITY;
CREATE FUNCTION promptx_mem.candidates(the_space text, language text) RETURNS SETOF text LANGUAGE sql AS 'SELECT language';
GRANT INSERT (device) ON promptx_mem.records TO promptx_mem_member;
UPDATE promptx_mem.about SET version = 2;
"""
"""Changes that a later version may make: only additions."""

AT = START.isoformat(timespec="seconds")


@contextmanager
def later_program(folder: Path) -> Iterator[None]:
    """Give the administrator a program with tables of version 2."""
    shutil.copytree(setup._FOLDER, folder)
    (folder / "2").mkdir()
    (folder / "2" / "1_more.sql").write_text(NEXT, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(setup, "_FOLDER", str(folder))
        patch.setattr(postgres, "SCHEMA", 2)
        yield


def _migrate(history: History, server: Server, folder: Path) -> None:
    with later_program(folder):
        assert setup.setup(server.dsn(history.tables.name)) == "the tables were migrated: version 2"
        assert setup.setup(server.dsn(history.tables.name)) == "the tables already existed: version 2"


def _line(text: str, tail: str = "") -> Record:
    taken = records.of_entry(Entry(text, ("t",), id=make_id(text), at=AT))
    assert taken is not None
    data = taken.record.data.replace(b'"}', f'"{tail}}}'.encode()) if tail else taken.record.data
    return taken.record._replace(data=data, hash=sha256(data).digest())


def test_copies_of_this_version_still_sync_after_a_migration(history: History, server: Server, tmp_path: Path) -> None:
    ada, bob = history.copies[:2]
    ident = ada.store("stored before the migration")
    ada.sync()
    _migrate(history, server, tmp_path / "sql")
    ada.store("stored after it")
    ada.memory.forget(ident, purge=True)
    history.purged[ident] = "stored before the migration"
    history.check()
    assert bob.recall("stored after") == ["stored after it"]


def test_records_of_a_newer_program_are_held_until_the_upgrade(
    history: History, server: Server, tmp_path: Path
) -> None:
    ada, bob = history.copies[:2]
    _migrate(history, server, tmp_path / "sql")
    picture = _line("a picture")._replace(kind="picture")
    ada.sync()
    history.tables.space("role0", NAME).put([picture, _line("of a later format", ',"v":2')])
    for _ in range(2):
        answer = bob.sync()
        assert answer.exit_status == 0
        assert answer.data["refused"] == []
        assert len(answer.data["held"]) == 2
        assert all("upgrade promptx-mem" in one["why"] for one in answer.data["held"])


def test_sync_fails_unchanged_if_the_server_needs_a_newer_program(
    history: History, server: Server, tmp_path: Path
) -> None:
    ada, bob = history.copies[:2]
    _migrate(history, server, tmp_path / "sql")
    with history.tables.admin() as admin:
        admin.execute("UPDATE promptx_mem.about SET oldest = 2")
    ada.store("stored while it cannot be sent")
    before = ada.states(), ada.read_bytes("declarative.md")
    for _ in range(2):
        with pytest.raises(PromptxMemError) as caught:
            ada.sync()
        assert caught.value.code == "server_version"
        assert "upgrade promptx-mem" in str(caught.value.hint)
    assert (ada.states(), ada.read_bytes("declarative.md")) == before
    with pytest.MonkeyPatch.context() as patch:  # the program is upgraded
        patch.setattr(postgres, "SCHEMA", 2)
        ada.sync()
        bob.sync()
        assert bob.recall("stored while") == ["stored while it cannot be sent"]


def test_event_of_a_later_version_is_read_after_the_upgrade(
    member: Make, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, bob = member("ada"), member("bob")
    ident = ada.remember("a fact that is boosted")["id"]
    settle(ada, bob)
    ada.later(hours=2).memory.boost(ident)
    ada.sync()
    with monkeypatch.context() as patch:
        older = tuple(kind for kind in journal.KINDS if kind != "boosted")
        patch.setattr(journal, "KINDS", older)
        patch.setattr(records, "KINDS", older)
        patch.setattr(sources, "KINDS", older)
        for _ in range(2):
            bob.later(hours=1)
            answer = bob.sync()
            assert [one["id"] for one in answer.data["held"]] == [ident]
            assert answer.exit_status == 0
    bob.sync()
    assert bob.states() == ada.states()
    assert space.rows
