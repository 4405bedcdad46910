"""Kills and power cuts, and their effect on a store and its model."""

import shutil

import pytest

from tests.api import Cues, layout
from tests.faults import faulty_os, power
from tests.faults.faulty_os import FaultyOs
from tests.inside import trust
from tests.machine.steps import Planned, Steps


class Crashes(Steps):
    """The steps of a store, with crashes."""

    def marks(self, mark: str) -> int:
        """Return how many complete lines of the files contain a mark."""
        files = (self.root / "declarative.md", self.root / "journal.jsonl")
        lines = [line for path in files if path.exists() for line in path.read_bytes().split(b"\n")[:-1]]
        return sum(mark.encode() in line and b"\0" not in line for line in lines)

    def crash(self, planned: Planned, call: int, when: str) -> None:
        """Kill a command at one of its calls: the store has the state before or after it."""
        self.catch_up()
        before = self.marks(planned.mark)

        def work() -> None:
            with pytest.MonkeyPatch.context() as patch:
                FaultyOs(faulty_os.kill(call, when)).install(patch)
                planned.run()

        status = faulty_os.forked(work)
        assert status in (0, faulty_os.KILLED)
        self._settle(planned, before, acknowledged=status == 0)

    def power_cut(self, planned: Planned, cut: float, choice: float) -> None:
        """Cut the power at a call, or after the command; unsynced data may be lost or torn."""
        self.catch_up()
        before = self.marks(planned.mark)
        disk = power.Disk(self.top)
        with pytest.MonkeyPatch.context() as patch:
            FaultyOs(disk.fault).install(patch)
            planned.run()
        number = int(cut * (len(disk.cuts) + 1))
        states = list(disk.possible()) if number == len(disk.cuts) else disk.cuts[number][1]
        left = states[int(choice * len(states))]
        shutil.rmtree(self.top)
        self.top.mkdir()
        power.put_back(left, self.top, self.top)
        trust.record(layout.at(str(self.root)), trust.PRIVATE)  # the disk has the same directories afterwards
        self._settle(planned, before, acknowledged=number == len(disk.cuts))

    def _settle(self, planned: Planned, before: int, *, acknowledged: bool) -> None:
        """Set the model to the state of the store, before or after; after it if acknowledged."""
        self.torn, self.index_from = True, None
        self.look()
        self.adopted()
        if not planned.mark or self.marks(planned.mark) > before:
            planned.apply()
        else:
            assert not acknowledged, "an acknowledged change is not in the files"

    def catch_up(self) -> None:
        """Update the cache, since it saves only those lost lines that it contains."""
        if self.behind:
            self.memory().recall(Cues(touch=False))

    def repair(self) -> None:
        """Repair a torn last line, before a person opens the file."""
        if self.torn:
            self.memory().index()
            self.torn = False
