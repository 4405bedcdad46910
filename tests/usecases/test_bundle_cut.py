"""A bundle that is cut, damaged or combined is refused; nothing is stored."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api import Cues, Message, Options, Plan, Refused, Wants
from tests.inside import conversations
from tests.world import World


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The bundle of a store with lines, events, archives and a conversation."""
    world = World(tmp_path_factory.mktemp("a") / ".memory")
    for number in range(3):
        ident = world.remember(f"fact {number} 名", score="8")["id"]
        world.later(hours=3).memory.boost(ident)
    world.memory.forget(ident)
    world.memory.decay(Plan(compact=True))
    conversations.add_messages(world.memory.context.layout, "u_one", [Message("user", "hi")], "s")
    return world.memory.export(Wants(conversations=True)).data["text"]


def refused(tmp_path: Path, data: bytes) -> Refused:
    """Import data and return the refusal; nothing may be stored."""
    world = World(tmp_path / "b" / ".memory")
    with pytest.raises(Refused) as caught:
        world.memory.import_files(Options(("-",), stdin=data, mine=True, yes=True))
    assert not world.root.exists() or not world.recall()
    assert caught.value.exit_status == 1
    return caught.value


def test_a_cut_bundle_is_refused(text: str, tmp_path: Path) -> None:
    data = text.encode()
    header = data.index(b"\n")
    cuts = {
        *range(header, len(data) - 1, 97),
        *(found.start() for found in re.finditer(b"\n", data[:-1])),
        len(data) - 2,
    }
    for cut in sorted(cuts):
        error = refused(tmp_path, data[:cut])
        in_a_character = data[cut] & 0xC0 == 0x80
        assert error.code == ("unknown_form" if in_a_character else "damaged")
    assert refused(tmp_path, data[: header // 2]).code == "unknown_form"


def without(kind: str) -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        first = next(number for number, line in enumerate(lines) if f'"f":"{kind}' in line)
        return lines[:first] + lines[first + 1 :]

    return change


DAMAGES: dict[str, Callable[[list[str]], list[str]]] = {
    "without a line of declarative.md": without("declarative.md"),
    "without the conversation": without("conversations"),
    "a changed byte": lambda lines: [line.replace("fact 1", "fact 2") for line in lines],
    "two lines swapped": lambda lines: [lines[0], *lines[2:0:-1], *lines[3:]],
    "a line that is not a record": lambda lines: [*lines[:2], "x", *lines[2:]],
    "two lines repeated": lambda lines: [*lines, *lines[1:3]],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_bundle_is_refused(damage: str, text: str, tmp_path: Path) -> None:
    changed = DAMAGES[damage](text.splitlines())
    error = refused(tmp_path, ("\n".join(changed) + "\n").encode())
    assert "the bundle was changed, or its end is missing" in error.message


def test_changed_line_ends_and_encodings_do_not_damage_a_bundle(text: str, tmp_path: Path) -> None:
    whole = [
        text.replace("\n", "\r\n").encode(),
        text.rstrip("\n").encode(),
        text.encode("utf-16"),
        (text + "\n").encode(),
    ]
    for number, data in enumerate([*whole, text.encode("utf-8-sig")]):
        (tmp_path / str(number)).mkdir()
        world = World(tmp_path / str(number) / ".memory")
        result = world.memory.import_files(Options(("-",), stdin=data, mine=True, yes=True))
        assert (result.exit_status, len(world.recall())) == (0, 2)
        assert world.memory.export(Wants(conversations=True)).data["text"] == text


def test_other_files_are_imported_despite_a_damaged_bundle(text: str, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_text(text[:-200])
    (tmp_path / "notes.md").write_text("- a note\n")
    world = World(tmp_path / ".memory")
    result = world.memory.import_files(Options((str(tmp_path / "cut.jsonl"), str(tmp_path / "notes.md"))))
    assert (result.exit_status, world.recall()) == (1, ["a note"])
    assert "its end is missing" in (result.data["files"][0]["error"] or "")
    assert world.memory.recall(Cues("fact", touch=False)).data["memories"] == []


def test_a_bundle_with_a_changed_bit_is_refused(text: str, tmp_path: Path) -> None:
    data = bytearray(text.encode())
    places = random.Random(1).sample(range(len(data) - 1), 60)
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 1
        refused(tmp_path, bytes(changed))
