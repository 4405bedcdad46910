"""Each waiting writer gets the lock in the end, or gives up without blocking others."""

import _thread
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import lock_descriptor, unlock_descriptor

from tests.api import BusyError
from tests.inside import WAIT_SECONDS, Lock


def lock(folder: Path) -> Lock:
    return Lock(str(folder / ".lock"), 0o600)


def waiting(folder: Path, wait: float, served: Callable[[], object]) -> threading.Thread:
    def work() -> None:
        with lock(folder).hold(wait):
            served()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.fixture
def _threads_end() -> Iterator[None]:
    """Wait after the test until the threads of the lock queue have ended."""
    before, deadline = _thread._count(), time.monotonic() + WAIT_SECONDS
    yield
    while _thread._count() > before and time.monotonic() < deadline:
        time.sleep(0.001)


@pytest.mark.usefixtures("_threads_end")
def test_waiting_writers_get_the_lock_once_and_one_at_a_time(tmp_path: Path) -> None:
    log = tmp_path / "log"

    def served() -> None:
        with log.open("a") as file:
            file.write("in ")
            file.flush()
            file.write("out ")

    with lock(tmp_path).hold():
        threads = [waiting(tmp_path, WAIT_SECONDS, served) for _ in range(20)]
    for thread in threads:
        thread.join()
    assert log.read_text() == "in out " * 20


@pytest.mark.usefixtures("_threads_end")
def test_writer_that_gave_up_does_not_block_the_lock(tmp_path: Path) -> None:
    with lock(tmp_path).hold():
        for _ in range(3):
            with pytest.raises(BusyError), lock(tmp_path).hold(0.03):
                pass
    with lock(tmp_path).hold():
        pass


@pytest.mark.usefixtures("_threads_end")
def test_writer_waiting_for_a_removed_lock_file_takes_the_new_one(tmp_path: Path) -> None:
    served = threading.Event()
    with lock(tmp_path).hold():
        thread = waiting(tmp_path, WAIT_SECONDS, served.set)
        (tmp_path / ".lock").unlink()
        assert served.wait(WAIT_SECONDS)
    thread.join()


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / ".lock")


def test_filelock_waits_for_our_lock(path: str) -> None:
    with Lock(path, 0o600).hold():
        fd = os.open(path, os.O_RDWR)
        assert not lock_descriptor(fd, blocking=False)
    assert lock_descriptor(fd, blocking=False)
    os.close(fd)


def test_our_lock_waits_for_filelock(path: str) -> None:
    fd = os.open(path, os.O_RDWR | os.O_CREAT)
    assert lock_descriptor(fd, blocking=False)
    with pytest.raises(BusyError), Lock(path, 0o600).hold(wait=0.02):
        pass
    unlock_descriptor(fd)
    with Lock(path, 0o600).hold(wait=0.02):
        pass
    os.close(fd)
