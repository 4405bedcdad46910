"""The lock is the one that filelock takes, whichever of the two makes the call."""

import os
from pathlib import Path

import pytest
from filelock import lock_descriptor, unlock_descriptor

from tests.api import BusyError
from tests.inside import Lock, lock


@pytest.fixture(params=["as it is", "by filelock"])
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "by filelock":
        monkeypatch.setattr(lock, "fcntl", None)
    return str(tmp_path / ".lock")


def test_filelock_waits_for_us(path: str) -> None:
    with Lock(path, 0o600).hold():
        fd = os.open(path, os.O_RDWR)
        assert not lock_descriptor(fd, blocking=False)
    assert lock_descriptor(fd, blocking=False)
    os.close(fd)


def test_we_wait_for_filelock(path: str) -> None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    assert lock_descriptor(fd, blocking=False)
    with pytest.raises(BusyError), Lock(path, 0o600).hold(wait=0.02):
        pass
    unlock_descriptor(fd)
    with Lock(path, 0o600).hold(wait=0.02):
        pass
    os.close(fd)
