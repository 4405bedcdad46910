"""What a kill and a power cut do to a store, and what the model then says."""

import shutil

import pytest

from tests.api import Cues, layout
from tests.faults import faulty_os, power
from tests.faults.faulty_os import FaultyOs
from tests.inside import trust
from tests.machine.steps import Planned, Steps


class Crashes(Steps):
    """One store with all that may happen to it."""

    def marks(self, mark: str) -> int:
        """How often something stands in a whole line of a file."""
        files = (self.root / "declarative.md", self.root / "journal.jsonl")
        lines = [line for path in files if path.exists() for line in path.read_bytes().split(b"\n")[:-1]]
        return sum(mark.encode() in line and b"\0" not in line for line in lines)

    def crash(self, planned: Planned, call: int, when: str) -> None:
        """Kill a command at one of its calls: the state before, or the one after."""
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
        """Cut the power at some call, or after the command is done; what was not synced may be lost or torn."""
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
        trust.note(layout.at(str(self.root)), trust.PRIVATE)  # a disk that comes back has the same directories
        self._settle(planned, before, acknowledged=number == len(disk.cuts))

    def _settle(self, planned: Planned, before: int, *, acknowledged: bool) -> None:
        """Take over which of the two allowed states is there; an acknowledged one is the one after."""
        self.torn, self.index_from = True, None
        self.look()
        self.adopted()
        if not planned.mark or self.marks(planned.mark) > before:
            planned.told()
        else:
            assert not acknowledged, "what was acknowledged is not in the files"

    def catch_up(self) -> None:
        """Let the cache see the files: what vanishes from them before it has is not saved."""
        if self.behind:
            self.memory().recall(Cues(touch=False))

    def calm(self) -> None:
        """What a person waits for before opening a file: no half line in it."""
        if self.torn:
            self.memory().index()
            self.torn = False
