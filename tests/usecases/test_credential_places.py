"""Everything is checked for credentials before it is stored; a refusal names the place, not the value."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.api import Memory, Message, Options, Plan, Refused, Request
from tests.inside import location
from tests.world import World, every_byte

pytestmark = pytest.mark.usefixtures("person")

KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
FACT = Request(text="the deploy key has moved", tags=("deploy",), score="9")

PLACES: dict[str, Request] = {
    "the text": FACT._replace(text=f"the key is {KEY}"),
    "a tag": FACT._replace(tags=("deploy", KEY)),
    "--topic": FACT._replace(topic=f"work->{KEY}"),
    "--related": FACT._replace(related=("a->b", f"a->{KEY}")),
    "--reason": FACT._replace(reason=f"it is {KEY}"),
    "--aka": FACT._replace(aka=(f"token {KEY}",)),
}


def refused(call: Callable[[], Any]) -> Refused:
    with pytest.raises(Refused) as caught:
        call()
    error = caught.value
    assert error.code == "credential"
    assert KEY not in json.dumps([error.message, error.hint, error.data], ensure_ascii=False)
    return error


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_remember_checks_every_field_for_credentials(world: World, place: str, dry_run: bool) -> None:
    world.remember("something else")
    error = refused(lambda: world.memory.remember(PLACES[place]._replace(dry_run=dry_run)))
    assert error.message.startswith(f"{place} contains a credential (GitHub Token")
    assert KEY.encode() not in every_byte(world.root)


@pytest.mark.parametrize("purge", [False, True])
def test_forget_refuses_a_reason_with_a_credential(world: World, purge: bool) -> None:
    ident = world.remember("the old key is void")["id"]
    error = refused(lambda: world.memory.forget(ident, f"it was {KEY}", purge=purge))
    assert error.message.startswith("--reason contains a credential")
    assert world.recall() == ["the old key is void"]
    assert KEY.encode() not in every_byte(world.root)


def test_a_session_name_with_a_credential_is_refused(tmp_path: Path) -> None:
    memory = Memory(location.locate(str(tmp_path / ".memory")).layout, KEY)
    request = FACT._replace(session=KEY, allow_secret=True)
    for call in (lambda: memory.remember(request), lambda: memory.converse([Message("user", "hello")])):
        assert refused(call).message.startswith("--session contains a credential")
    assert KEY.encode() not in every_byte(tmp_path)


def test_monitor_refuses_directives_with_credentials_and_hides_them(world: World) -> None:
    ident = world.remember("the old key is void")["id"]
    lines = [f"[ADD] the key is {KEY} #x score:9", f"[ADD] a fact #{KEY} score:9", f"[DELETE:{ident}] it is {KEY}"]
    result = world.memory.monitor([*lines, f"[UPDATE:{ident}] now {KEY} #x score:9"])
    assert [item["outcome"] for item in result.data["items"]] == ["failed"] * 4
    assert all("contains a credential (GitHub Token" in item["message"] for item in result.data["items"])
    assert KEY not in json.dumps(result.data)
    assert KEY.encode() not in every_byte(world.root)


def test_an_import_leaves_out_memories_with_credentials(world: World, tmp_path: Path) -> None:
    file = tmp_path / "old.md"
    comment = {"id": "m_0123456789", "at": "2026-01-01T12:00:00+08:00"}
    rows = [f"- the key is {KEY} #a score:9", f"- a fact #{KEY} score:9", "- another fact #a score:9"]
    rows += [f"- fact {key} #a score:9 duration:长期 <!-- {json.dumps({**comment, key: value})} -->"
             for key, value in (("topic", KEY), ("related", [KEY]), ("reason", KEY), ("session", KEY))]  # fmt: skip
    file.write_text("\n".join(rows) + "\n", "utf-8")
    result = world.memory.import_files(Options((str(file),)))
    assert (result.data["taken"], result.data["refused"]) == (1, 6)
    assert KEY not in json.dumps(result.data)
    assert KEY.encode() not in every_byte(world.root)
    assert world.memory.import_files(Options((str(file),), allow_secret=True)).data["taken"] == 6
    other = World(tmp_path / "other" / ".memory")
    for dry_run in (True, False):
        options = Options((str(world.root),), mine=True, yes=True, dry_run=dry_run)
        result = other.memory.import_files(options)
        notes = [one for one in result.warnings if "credential (GitHub Token); it is merged; to erase it:" in one]
        assert len({note.split()[-2] for note in notes}) == len(notes) == 6
        assert KEY not in json.dumps(result.data)


def secrets(world: World) -> list[tuple[str, str, str]]:
    """Return place, message and command of each credential that `audit --verify --secrets` finds."""
    result = Memory.open(str(world.root)).audit_verify(secrets=True)
    assert KEY not in json.dumps(result.data, ensure_ascii=False)
    found = [problem for problem in result.data["problems"] or [] if problem["check"] == "secrets"]
    assert result.exit_status == (1 if result.data["problems"] else 0)
    return [(problem["where"], problem["what"], problem["command"]) for problem in found]


def run(command: str, world: World) -> None:
    """Run a printed command as a person at a terminal who answers yes to a purge."""
    words = shlex.split(command)
    assert words[:2] == ["promptx-mem", "forget"]
    named = words[words.index("--conversation") + 1] if "--conversation" in words else None
    assert words[words.index("--memory-dir") + 1] == str(world.root)
    if named is not None:
        world.memory.forget_conversation(named, purge=True)
    else:
        world.memory.forget(words[2], None, purge=True)
    assert secrets(world) == []
    assert KEY.encode() not in every_byte(world.root)


def test_a_store_without_credentials_has_no_finding(world: World) -> None:
    world.remember("the cache key is user:42:profile")
    world.memory.converse([Message("user", "the commit 3f2a9c1b7d fixes it"), Message("assistant", "yes")])
    assert secrets(world) == []


@pytest.mark.parametrize("place", PLACES)
def test_the_printed_command_destroys_a_credential_in_a_memory(world: World, place: str) -> None:
    world.remember("something else")
    ident = world.memory.remember(PLACES[place]._replace(allow_secret=True)).data["id"]
    [(where, what, command)] = secrets(world)
    assert (where, "GitHub Token" in what) == (ident, True)
    run(command, world)
    assert world.recall() == ["something else"]


def test_a_credential_in_the_archive_is_found_and_destroyed(world: World) -> None:
    ident = world.memory.remember(PLACES["the text"]._replace(allow_secret=True)).data["id"]
    world.memory.forget(ident)
    world.memory.decay(Plan(compact=True))
    assert KEY not in world.read("declarative.md")
    [(where, _, command)] = secrets(world)
    assert where == ident
    run(command, world)


def test_a_credential_in_a_conversation_is_found_and_destroyed(world: World) -> None:
    world.memory.converse([Message("user", "hello"), Message("assistant", "hello")])
    [unit] = (world.root / "conversations").glob("u_*.jsonl")
    unit.write_text(unit.read_text("utf-8").replace('"hello"', f'"use {KEY}"', 1), "utf-8")  # by an older version
    [(where, what, command)] = secrets(world)
    assert where == f"conversations/{unit.name}"
    assert what.startswith("message 1 contains a credential (GitHub Token")
    run(command, world)


def test_a_credential_in_the_reason_of_an_event_is_found(world: World) -> None:
    ident = world.remember("the old key is void")["id"]
    world.memory.forget(ident, "it was void")
    journal = world.file("journal.jsonl")
    journal.write_text(world.read("journal.jsonl").replace("it was void", f"it was {KEY}"), "utf-8")
    [(where, what, command)] = secrets(world)
    assert (where, what.startswith("an event contains")) == (ident, True)
    run(command, world)


def test_a_credential_outside_of_memories_is_found_with_its_line(world: World) -> None:
    world.remember("something else")
    with world.file("declarative.md").open("a", encoding="utf-8") as file:
        file.write(f"\nNotes of mine: {KEY}\n")
    number = world.read("declarative.md").split("\n").index(f"Notes of mine: {KEY}") + 1
    [(where, _, command)] = secrets(world)
    assert where == f"declarative.md:{number}"
    assert f"+{number} " in command
