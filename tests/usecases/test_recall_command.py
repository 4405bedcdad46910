"""The recall command: its forms on a pipe, its options, its exit statuses."""

import io
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.api import run
from tests.usecases.recall_store import entry, store

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def recall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    store(
        tmp_path,
        [entry("用户喜欢喝咖啡", 1, tags=("偏好",), duration="永久"), entry("tea\nand cake", 1, duration="永久")],
    )
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        status = run(["recall", *arguments])
        out, err = capfd.readouterr()
        return status, out, err

    return call


def test_a_single_dash_reads_the_question_from_stdin(recall: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def say(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    asked = recall("咖啡")
    say("咖啡\n".encode())
    assert recall("-") == asked
    say(b" \n")
    status, _, err = recall("-")
    assert (status, "nothing on stdin" in err) == (2, True)
    say("咖啡\n".encode())
    assert recall("cake", "-")[1] == recall("cake")[1]
