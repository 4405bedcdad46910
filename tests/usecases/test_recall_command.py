"""The recall command: its forms on a pipe, its options, its exit statuses."""

import io
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

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


def test_text_on_a_pipe_is_one_line_a_memory(recall: Run) -> None:
    status, out, err = recall("咖啡")
    assert (status, err) == (0, "")
    day, score, text, marks = out.split("  ")[1:]
    assert (day, score, text) == ("2026-11-19", "8", "用户喜欢喝咖啡 #偏好")
    assert marks.endswith(" old, may be outdated]\n")
    assert recall("cake")[1].count("\n") == 1


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


def test_context_is_a_block(recall: Run) -> None:
    status, out, _ = recall("--format", "context")
    assert status == 0
    assert len(ElementTree.fromstring(out)) == 2
    assert recall("nothing", "--format", "context")[1].startswith('<activated_memory_slices count="0">')


@pytest.mark.parametrize("cues", [["zebra"], ["--topic", "a->b"], ["--date", "2020-01-03"], ["#zebra"]])
def test_nothing_found_leaves_stdout_empty(recall: Run, cues: list[str]) -> None:
    status, out, err = recall(*cues)
    assert (status, out) == (0, "")
    assert err.startswith("nothing found for ")
    assert recall(*cues, "--exit-status")[:2] == (4, "")
    status, out, err = recall(*cues, "--json")
    assert (status, err, json.loads(out)["count"]) == (0, "", 0)
    assert recall(*cues, "--format", "context")[1].startswith('<activated_memory_slices count="0"')


def test_a_budget_is_said_to_have_left_some_out(recall: Run) -> None:
    _, out, _ = recall("--budget", "70")
    assert out.count("m_") == 1
    assert "1 more left out: they do not fit into 70 tokens" in out


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nothing"], 0, ""),
        (["nothing", "--exit-status"], 4, ""),
        (["咖啡", "--exit-status"], 0, ""),
        (["--format", "html"], 2, "rich, text, json, context"),
        (["--json", "--format", "text"], 2, "contradict"),
        (["--since", "gestern"], 2, "gestern"),
        (["-n", "0"], 2, "-n 0"),
        (["--budget", "2"], 2, "at least"),
        (["--topic", "->"], 2, "not a topic path"),
    ],
    ids=str,
)
def test_exit_status(recall: Run, arguments: list[str], status: int, said: str) -> None:
    found, out, err = recall(*arguments)
    assert found == status
    assert said in out + err


def test_options_reach_the_use_case(recall: Run, tmp_path: Path) -> None:
    def texts(*arguments: str) -> list[str]:
        return [one["text"] for one in json.loads(recall("--json", *arguments)[1])["memories"]]

    both = ["用户喜欢喝咖啡", "tea\nand cake"]
    assert texts("--date", "2026-11-19") == both, "noted in one second without k: as they lie"
    assert texts("-t", "偏好") == texts("#偏好") == both[:1]
    assert texts("--until", "2026-11-18") == []
    assert sorted(texts("--as-of", "2026-11-20")) == sorted(both)
    assert texts("--as-of", "2026-11-18") == []
    (tmp_path / ".memory/.recalled").unlink(missing_ok=True)
    texts("--no-touch")
    texts("--explain")
    assert not (tmp_path / ".memory/.recalled").exists()
    texts("--archived", "-n", "1")
    assert (tmp_path / ".memory/.recalled").read_text().count("m_") == 1


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 4096)
    except OSError:  # the other end is closed
        return b""
