"""A sync reads what is new since the last one, and the whole copy only where something else has happened to it."""

import os
import shutil
from collections.abc import Callable

import pytest

from tests.api import Cues, Entry, Event, Plan
from tests.team.fake import Space
from tests.team.inside import Copy, Record, notes, records
from tests.team.team import Make, Member, settle


@pytest.fixture
def made_records(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every record that is made of a line or an event."""
    out: list[object] = []
    make = records._made

    def counted(record: Record, entry: Entry | None = None, event: Event | None = None) -> records.Taken | None:
        out.append(record)
        return make(record, entry, event)

    monkeypatch.setattr(records, "_made", counted)
    return out


def _with_some(member: Make) -> tuple[Member, Member]:
    """Two copies of the same 22 memories."""
    ada, bob = member("ada"), member("bob")
    for number in range(20):
        ada.remember(f"text {number}")
    settle(ada, bob)
    return ada, bob


def test_with_nothing_to_do_nothing_is_parsed(member: Make, made_records: list[object]) -> None:
    ada = _with_some(member)[0]
    ada.sync()
    made_records.clear()
    before = ada.read_bytes("MEMORY.md"), (ada.root / ".team" / "sent").read_bytes()
    data = ada.sync().data
    assert (data["pushed"], data["pulled"]) == (0, 0)
    assert made_records == []
    assert before == (ada.read_bytes("MEMORY.md"), (ada.root / ".team" / "sent").read_bytes())


def _keys(copy: Copy, *, known: set[bytes]) -> set[bytes]:
    return copy.records.keys() | {key for key in known if copy.is_here(key)}


def check(member: Member) -> bool:
    """Whether what is new was enough to read; that says the same as all of it."""
    layout = member.memory.context.layout
    state, sent = notes.read(layout), notes.sent(layout)
    part, whole = Copy(member.memory.context), Copy(member.memory.context)
    whole.look(sent)
    if not part.follow(state.seen, sent, {bytes.fromhex(item) for item in state.gone}):
        return False
    assert _keys(part, known=sent) == whole.records.keys()
    assert part.purged == whole.purged
    assert part.unsent == whole.unsent
    return True


def _some(copy: Member) -> str:
    """The id of a memory that lives."""
    alive = [ident for ident, state in copy.states().items() if not state.end]
    return min(alive) if alive else str(copy.remember("a new one")["id"])


def _hand(copy: Member) -> None:
    with copy.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write("- by hand\n")
    os.utime(copy.file("declarative.md"), (copy.time.timestamp(),) * 2)


def _edit(copy: Member) -> None:
    path = copy.file("declarative.md")
    path.write_text(path.read_text("utf-8").replace("text 1 ", "text one "), "utf-8")


def _cut(copy: Member) -> None:
    path = copy.root / ".team" / "sent"
    path.write_bytes(path.read_bytes()[:-32])


def _episode(copy: Member) -> None:
    with copy.file("journal.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"k":1772370000000009,"host":"","at":"2026-03-01T18:00:00Z","e":"boosted","id":"m_0123456789"}\n')


ELSE: dict[str, tuple[Callable[[Member], object], bool]] = {
    "nothing": (lambda _: None, True),
    "remember": (lambda copy: copy.remember("new"), True),
    "boost": (lambda copy: copy.memory.boost(_some(copy)), True),
    "recall": (lambda copy: copy.memory.recall(Cues()), True),
    "forget": (lambda copy: copy.memory.forget(_some(copy), "gone"), True),
    "an event on something else": (_episode, True),
    "a line by hand": (_hand, False),
    "an edit": (_edit, False),
    "compaction": (lambda copy: copy.memory.decay(Plan(compact=True)), False),
    "a purge": (lambda copy: copy.memory.forget(_some(copy), purge=True), False),
    "less is known to be sent": (_cut, False),
    "no state": (lambda copy: (copy.root / ".team" / "state.json").unlink(), False),
    "an empty file": (lambda copy: copy.file("declarative.md").write_bytes(b""), False),
}


@pytest.mark.parametrize("what", ELSE)
def test_what_was_done_is_seen(member: Make, what: str) -> None:
    ada, bob = member("ada"), member("bob")
    for number in range(3):
        ada.remember(f"text {number} ")
    ada.memory.forget(ada.remember("to be compacted")["id"], "over")
    settle(ada, bob)
    act, is_followed = ELSE[what]
    act(ada)
    assert check(ada) is is_followed
    settle(ada, bob)
    assert ada.states() == bob.states()
    assert check(ada)


def test_what_was_stored_while_it_was_sent_is_not_passed_over(
    member: Make, space: Space, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = member("ada")
    ada.sync()
    ada.remember("first")
    real = type(ada).remember
    meanwhile = iter(["while it is sent"])

    def put(role: str, record: object, xid: int | None = None) -> bool:
        for text in meanwhile:
            real(ada, text)
        return insert(role, record, xid)  # type: ignore[arg-type]

    insert = space.insert
    monkeypatch.setattr(space, "insert", put)
    ada.sync()
    ada.sync()
    assert b"while it is sent" in space.texts()


def test_events_on_what_was_said_are_not_sent(member: Make, space: Space) -> None:
    """Episodes lie with the conversations they were made of; an event on one alone may quote it."""
    ada = member("ada")
    ada.sync()
    line = '- [2026-03-01 12:00] they talked <!-- {\\"id\\":\\"m_0123456789\\",\\"at\\":\\"2026-03-01T12:00:00Z\\",\\"category\\":\\"episode\\"} -->'
    (ada.root / "conversations").mkdir(mode=0o700, exist_ok=True)
    (ada.root / "conversations" / "episodes.jsonl").write_text(f'{{"line":"{line}"}}\n', "utf-8")
    _episode(ada)
    for _ in range(2):
        ada.sync()
        assert b"m_0123456789" not in space.texts()
        shutil.rmtree(ada.root / ".cache", ignore_errors=True)
        _episode(ada)
