"""The recall command with its question on stdin."""

import io
import sys
from pathlib import Path

import pytest

from tests.api import run
from tests.usecases.recall_store import entry, store


def test_a_single_dash_reads_the_question_from_stdin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    store(tmp_path, [entry("用户喜欢喝咖啡", 1, duration="永久"), entry("tea\nand cake", 1, duration="永久")])
    monkeypatch.chdir(tmp_path)

    def recall(*words: str, data: bytes = b"") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        return (run(["recall", *words]), *capfd.readouterr())

    assert recall("-", data="咖啡\n".encode()) == recall("咖啡")
    status, _, err = recall("-", data=b" \n")
    assert (status, "nothing on stdin" in err) == (2, True)
    assert recall("cake", "-", data="咖啡\n".encode())[1] == recall("cake")[1]
