"""conversations/: messages and slices are appended completely or not at all, and read back unchanged."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api import Layout, Message, StoreError
from tests.inside import ROLES, conversations, disk, unprintable
from tests.slices import put_slice

AT = "2026-11-20T09:30:00+08:00"
MESSAGES = [Message("user", "你好", AT), Message("assistant", "hello\nthere"), Message("user", "", AT)]


def path(where: Layout, unit: str = "u_1") -> Path:
    return Path(str(where.conversations)) / f"{unit}.jsonl"


def test_messages_and_slices_are_read_back(where: Layout) -> None:
    assert conversations.add_messages(where, "u_1", MESSAGES, "my session") == 3
    reference = put_slice(where, "u_1", 2, AT, "greetings")
    assert conversations.add_messages(where, "u_1", MESSAGES[:1], "another") == 4
    unit = conversations.read(where, "u_1")
    assert list(unit.messages.values()) == [*MESSAGES, MESSAGES[0]]
    assert (unit.session, unit.rolled(), list(unit.waiting())) == ("my session", 2, [3, 4])
    assert str(reference) == "u_1:1"
    found = conversations.read_slice(where, reference)
    assert found is not None
    assert (found[0].summary, found[0].at, found[1]) == ("greetings", AT, MESSAGES[:2])
    assert conversations.units(where) == ["u_1"]
    assert path(where).stat().st_mode & 0o777 == 0o600


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=60), st.sampled_from(ROLES))
def test_any_text_is_read_back_and_stored_without_control_characters(where: Layout, text: str, role: str) -> None:
    number = conversations.add_messages(where, "u_1", [Message(role, text)])
    assert conversations.read(where, "u_1").messages[number] == Message(role, text)
    assert not unprintable().search(path(where).read_text("utf-8").replace("\n", ""))


def test_file_cut_at_any_byte_loses_only_the_last_line(where: Layout) -> None:
    conversations.add_messages(where, "u_1", MESSAGES[:2])
    whole = path(where).read_bytes()
    keep = whole.index(b"\n") + 1
    for cut in range(keep, len(whole)):
        for tail in (b"", b"\0\0"):
            path(where).write_bytes(whole[:cut] + tail)
            unit = conversations.read(where, "u_1")
            complete = cut == len(whole) - 1 and not tail
            assert list(unit.messages.values()) == MESSAGES[: 1 + complete]
            assert conversations.add_messages(where, "u_1", MESSAGES[2:]) == 2 + complete
            assert conversations.read(where, "u_1").messages[2 + complete] == MESSAGES[2]


@pytest.mark.parametrize(
    "line",
    [b"junk", b"[]", b'{"m":0,"role":"user","text":"x"}', b'{"m":true,"role":"user","text":"x"}', b'{"m":1,"role":"x","text":""}',
     b'{"m":1,"role":"user"}', b'{"slice":1,"first":1}', b'{"slice":1,"first":1,"last":2,"at":"then","summary":""}', b"\xff\xfe"],
)  # fmt: skip
def test_invalid_line_is_kept_and_counted(where: Layout, line: bytes) -> None:
    conversations.add_messages(where, "u_1", MESSAGES)
    with path(where).open("ab") as file:
        file.write(line + b"\n")
    unit = conversations.read(where, "u_1")
    assert (len(unit.messages), unit.slices, unit.problems) == (3, {}, 1)
    conversations.add_messages(where, "u_1", MESSAGES)
    assert line in path(where).read_bytes()


def test_failed_append_leaves_the_file_unchanged(where: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    conversations.add_messages(where, "u_1", MESSAGES[:1])
    before = path(where).read_bytes()

    def fail(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(disk, "sync", fail)
    with pytest.raises(OSError, match="Input/output"):
        conversations.add_messages(where, "u_1", MESSAGES[1:])
    assert path(where).read_bytes() == before


def test_links_are_not_followed(where: Layout, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    os.symlink(target, str(where.conversations))
    with pytest.raises(StoreError):
        conversations.add_messages(where, "u_1", MESSAGES)
    os.unlink(str(where.conversations))
    os.mkdir(str(where.conversations))
    os.symlink(target / "file", path(where))
    with pytest.raises(StoreError, match="symbolic"):
        conversations.add_messages(where, "u_1", MESSAGES)
    assert os.listdir(target) == []


def test_every_append_is_synced(where: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    monkeypatch.setattr(disk, "sync", lambda _: synced.append("file"))
    monkeypatch.setattr(disk, "sync_directory", lambda _: synced.append("directory"))
    conversations.add_messages(where, "u_1", MESSAGES)
    put_slice(where, "u_1", 3, AT, "all")
    assert synced == ["directory"] * 3 + ["file", "file"]  # one for the folder, two before the first line
