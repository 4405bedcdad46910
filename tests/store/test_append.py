"""An append cut at any byte: earlier memories are read, no partial line is shown, the next append works."""

import os
from pathlib import Path
from typing import Any

import pytest

from promptx_mem.core.ids import make_id
from promptx_mem.store import append, files, intent, layout
from promptx_mem.store.append import Lock, LockLostError
from tests.faults import scenes
from tests.faults.scenes import NEW, NEXT, OLD, OTHER, active_texts, memory_at, recalled, remember

BEFORE = {OLD, OTHER}


class Cut:
    """A store before and after one `remember`, with the intent of its write."""

    def __init__(self, root: Path, act: str) -> None:
        self.root = root
        scenes.make_template(root)
        self.name = "journal.jsonl" if act == "duplicate" else "declarative.md"
        if act == "hand":
            with (root / self.name).open("a", encoding="utf-8") as file:
                file.write("- 手写的最后一行 #t")  # no newline
        self.old = (root / self.name).read_bytes()
        seen: list[bytes] = []
        kept = intent.clear

        def look(where: layout.Layout) -> None:
            seen.append(Path(where.intent).read_bytes())
            kept(where)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(intent, "clear", look)
            remember(memory_at(root), OLD if act == "duplicate" else NEW, score="9.5")
        self.intent = next(raw for raw in seen if raw and f'"{self.name}"'.encode() in raw.partition(b"\n")[0])
        self.new = (root / self.name).read_bytes()

    def restore(self, data: bytes, pending: bytes | None) -> None:
        (self.root / self.name).write_bytes(data)
        (self.root / ".intent").unlink(missing_ok=True)
        if pending is not None:
            (self.root / ".intent").write_bytes(pending)

    def before(self) -> set[str]:
        return {*BEFORE, "手写的最后一行"} if "手写".encode() in self.old else BEFORE

    def check(self, *, whole: bool = False) -> None:
        """Check what a reader reads, then what the next writer writes."""
        expected = {*self.before(), NEW} if whole and self.name == "declarative.md" else self.before()
        assert active_texts(self.root) == expected
        assert scenes.states(self.root)[OLD].score == (9.5 if whole and self.name == "journal.jsonl" else 9)
        remember(memory_at(self.root), NEXT)
        data = (self.root / "declarative.md").read_bytes()
        assert data.count(b"\n- " + NEXT.encode()) == 1
        assert data.endswith(b"-->\n")
        assert active_texts(self.root) == {*expected, NEXT}
        os.truncate(self.root / "declarative.md", data.rindex(b"- " + NEXT.encode()))


@pytest.mark.parametrize("act", ["ordinary", "duplicate", "hand"])
def test_append_cut_at_any_byte_keeps_earlier_memories(act: str, quick: Path, all_faults: bool) -> None:
    cut = Cut(quick / ".memory", act)
    sizes = range(len(cut.old), len(cut.new))
    for size in (*sizes[:: 1 if all_faults else 23], len(cut.new)):
        cut.restore(cut.new[:size], cut.intent)
        cut.check(whole=size == len(cut.new))
    assert recalled(cut.root) >= BEFORE


@pytest.mark.parametrize("act", ["ordinary", "duplicate", "hand"])
def test_nul_bytes_in_the_last_append_are_removed(act: str, quick: Path, all_faults: bool) -> None:
    cut = Cut(quick / ".memory", act)
    start, length = len(cut.old), len(cut.new) - len(cut.old)
    for size in range(0, length, 1 if all_faults else 23):
        tails = (
            cut.new[: start + size] + b"\0" * (length - size),  # the rest zeroed
            cut.new[: start + size] + b"\0" * 5000,  # and more
            cut.old + b"\0" * (size + 1) + cut.new[start + size + 1 :],  # the beginning zeroed
        )
        cut.restore(tails[size % 3], cut.intent)
        remember(memory_at(cut.root), NEXT)
        assert active_texts(cut.root) == {*cut.before(), NEXT}
        assert b"\0" not in (cut.root / cut.name).read_bytes()


def test_torn_intent_of_an_unchanged_file_is_ignored(quick: Path, all_faults: bool) -> None:
    cut = Cut(quick / ".memory", "ordinary")
    for size in range(0, len(cut.intent), 1 if all_faults else 23):
        cut.restore(cut.old, cut.intent[:size].ljust(len(cut.intent) * (size % 2), b"\0"))
        cut.check()
    cut.restore(cut.old, None)
    cut.check()


@pytest.mark.parametrize("pending", [None, b"", b"\0" * 300, b"half of an inten"])
def test_unterminated_line_without_an_intent_is_hand_written(pending: bytes | None, quick: Path) -> None:
    cut = Cut(quick / ".memory", "ordinary")
    for size in range(len(cut.old) + 3, len(cut.new) - 1, 17):
        cut.restore(cut.new[:size], pending)
        found = active_texts(cut.root, sound=False)
        assert found > BEFORE
        assert len(found) == 3
        remember(memory_at(cut.root), NEXT)
        assert active_texts(cut.root, sound=False) == {*found, NEXT}
        assert b"\n- " + NEXT.encode() in (cut.root / cut.name).read_bytes()


def test_stale_intent_removes_no_text_typed_later(quick: Path) -> None:
    """The intent is cleared without a sync, so a power cut may bring it back."""
    cut = Cut(quick / ".memory", "ordinary")
    for typed in ("- ", "- d", "- deploy with", NEW.partition("\n")[0]):
        cut.restore(cut.new + f"- 手写 {typed}".encode(), cut.intent)
        assert f"手写 {typed}".strip() in active_texts(cut.root)
        cut.restore(cut.new + typed.encode(), cut.intent)
        remember(memory_at(cut.root), NEXT)
        assert (cut.root / cut.name).read_bytes().startswith(cut.new + typed.encode() + b"\n")


def test_failed_append_leaves_no_intent_that_hides_typed_text(quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    where = layout.at(str(root))

    def write_all(fd: int, data: bytes) -> None:
        if data.startswith(b"- typed"):
            raise OSError(28, "No space left on device")
        kept(fd, data)

    kept = files.write_all
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "write_all", write_all)
        with pytest.raises(OSError, match="No space"):
            append.append_settled(where, where.declarative, b"- typed by hand instead\n")
    with (root / "declarative.md").open("ab") as file:
        file.write(b"- typed by hand")
    assert "typed by hand" in active_texts(root)


@pytest.mark.parametrize(
    "invalid",
    [
        b'{"file":"declarative.md","at":"x","size":"y","sum":1}\n',
        b'{"file":["declarative.md"],"at":0,"size":0,"sum":null}\n',
        b'{"file":"../../etc/passwd","at":0,"size":1,"sum":"a"}\nx',
        b'{"file":"declarative.md","at":-1,"size":-1,"sum":{}}\n',
        b"[" * 100_000 + b"\n",
        b"null\n",
        b"\xff\xfe\n\n",
    ],
)
def test_invalid_intent_is_ignored(invalid: bytes, quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    (root / ".intent").write_bytes(invalid)
    with (root / "declarative.md").open("ab") as file:
        file.write(b"- typed")
    assert active_texts(root) == {*BEFORE, "typed"}
    remember(memory_at(root), NEXT)
    assert active_texts(root) == {*BEFORE, "typed", NEXT}


def test_complete_lines_of_a_torn_append_are_kept(quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    old = (root / "declarative.md").read_bytes()
    planned = b"- one #t\n- two #t\n- three #t\n"
    for size in range(len(planned) + 1):
        intent.write(layout.at(str(root)), intent.Intent("declarative.md", len(old), planned))
        (root / "declarative.md").write_bytes(old + planned[:size])
        whole = BEFORE | {line[2:-3].decode() for line in planned[:size].split(b"\n")[:-1]}
        assert active_texts(root) == whole
        append.finish_interrupted(layout.at(str(root)))
        assert active_texts(root) == whole
        assert (root / "declarative.md").read_bytes() == old + planned[: planned.rfind(b"\n", 0, size) + 1]


def test_text_typed_just_before_our_write_keeps_its_own_line(quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    file = root / "declarative.md"
    typed = iter([b"- typed meanwhile", b" and further"])

    def write(where: layout.Layout, pending: intent.Intent) -> None:
        kept(where, pending)
        with file.open("ab") as opened:
            opened.write(next(typed, b""))

    kept = intent.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intent, "write", write)
        remember(memory_at(root), NEW)
    assert active_texts(root) == {*BEFORE, "typed meanwhile and further", NEW}
    assert file.read_bytes().count(make_id(NEW).encode()) == 1


@pytest.mark.parametrize("typed", [[b"- one", b""], [b"- one", b"- two"], [b"- one", b"\n- two\n"]])
def test_line_joined_to_typed_text_is_written_again(typed: list[bytes], quick: Path) -> None:
    """A person types an unfinished line after our check of the file's end, and more after our write."""
    root = quick / ".memory"
    scenes.make_template(root)
    file = root / "declarative.md"
    before, after = iter(typed[:1]), iter(typed[1:])

    def type_text(text: bytes) -> None:
        with file.open("ab") as opened:
            opened.write(text)

    def write(where: layout.Layout, pending: intent.Intent) -> None:
        kept_intent(where, pending)
        type_text(next(before, b""))

    def is_whole(fd: int, end: int, full: bytes) -> bool:
        type_text(next(after, b""))
        return kept_whole(fd, end, full)

    kept_intent, kept_whole = intent.write, append._is_whole
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intent, "write", write)
        patch.setattr(append, "_is_whole", is_whole)
        remember(memory_at(root), NEW)
    texts = {line[2:].decode() for part in typed for line in part.split(b"\n") if line}
    assert active_texts(root) == {*BEFORE, NEW, *texts}
    assert file.read_bytes().count(make_id(NEW).encode()) == 1


@pytest.mark.parametrize("reads_ours", [False, True])
def test_file_replaced_during_an_append_gets_the_line_once(reads_ours: bool, quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    file = root / "declarative.md"
    stale = file.read_bytes()

    def is_still(path: str, fd: int) -> bool:
        nonlocal stale
        if stale and path == str(file):
            (root / "new").write_bytes((file.read_bytes() if reads_ours else stale) + b"- theirs\n")
            (root / "new").replace(file)
            stale = b""
        return kept(path, fd)

    kept = files.is_still
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "is_still", is_still)
        remember(memory_at(root), NEW)
    assert active_texts(root) == {*BEFORE, "theirs", NEW}


def test_partial_line_read_during_a_write_is_never_shown(quick: Path) -> None:
    """A reader may read part of a write, and the writer may finish before the reader checks the intent."""
    cut = Cut(quick / ".memory", "ordinary")
    cut.restore(cut.new, b"")
    seen: list[bytes] = []
    kept = files.read

    def read(path: str, *rest: int) -> bytes | None:
        return seen.pop() if seen else kept(path, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "read", read)
        for size in range(len(cut.old) + 1, len(cut.new)):
            seen.append(cut.new[:size])
            assert append.read_settled(layout.at(str(cut.root)), str(cut.root / cut.name)) == cut.new


def test_append_fails_if_the_lock_file_was_removed_or_replaced(quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    where = layout.at(str(root))
    lock = Lock(where.lock, where.mode)
    old = (root / "declarative.md").read_bytes()
    with lock.hold():
        (root / ".lock").unlink()
        for _ in range(2):
            with pytest.raises(LockLostError):
                append.append_settled(where, where.declarative, b"- never #t\n", allowed=lock.still_ours)
            (root / ".lock").touch()
    assert (root / "declarative.md").read_bytes() == old
    remember(memory_at(root), NEW)
    assert active_texts(root) == {*BEFORE, NEW}


def test_lock_file_removed_between_line_and_event_loses_neither(quick: Path) -> None:
    root = quick / ".memory"
    scenes.make_template(root)
    put = append.append_settled

    def put_then_clean(*args: Any, **kwargs: Any) -> object:
        made = put(*args, **kwargs)
        (root / ".lock").unlink(missing_ok=True)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(append, "append_settled", put_then_clean)
        result = remember(memory_at(root), scenes.NEAR)
    assert result.data["verdict"] == "stored"
    journal = (root / "journal.jsonl").read_bytes()
    assert make_id(OTHER).encode() in journal
    assert active_texts(root) == {*BEFORE, scenes.NEAR}


def test_nul_bytes_in_the_last_append_are_not_shown(quick: Path, all_faults: bool) -> None:
    cut = Cut(quick / ".memory", "hand")
    start = len(cut.old)
    for size in range(0, len(cut.new) - start, 1 if all_faults else 5):
        cut.restore(cut.new[: start + size] + b"\0" * 9, cut.intent)
        assert active_texts(cut.root) == cut.before()
        cut.restore(cut.old + b"\0" * (size + 1) + cut.new[start + size + 1 :], cut.intent)
        assert active_texts(cut.root) == cut.before()
