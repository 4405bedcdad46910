"""Published data is fetched once, checked, converted and measured."""

from __future__ import annotations

import hashlib
import json
import sys
from typing import TYPE_CHECKING

import pytest

from benchmarks.recall import __main__ as recall
from benchmarks.recall import adapters, data, fetch
from tests.tables import rows

if TYPE_CHECKING:
    from pathlib import Path


LOCOMO = rows(__file__, "locomo.jsonl")


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small file in the format of LoCoMo, published at a file URL under the name `locomo`."""
    source = tmp_path / "web" / "locomo10.json"
    source.parent.mkdir()
    source.write_text(json.dumps(LOCOMO), "utf-8")
    _publish(monkeypatch, source.as_uri(), hashlib.sha256(source.read_bytes()).hexdigest())
    return source


def _publish(monkeypatch: pytest.MonkeyPatch, url: str, sha256: str) -> None:
    monkeypatch.setitem(fetch.PUBLISHED, "locomo", fetch.PUBLISHED["locomo"]._replace(url=url, sha256=sha256))


def test_one_command_fetches_and_measures(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "data"
    command = ["recall", "--data", str(folder), "--fetch", "locomo", "--no-speed", "--only", "FTS5 porter"]
    monkeypatch.setattr(sys, "argv", command)
    recall.main()
    shown = capsys.readouterr().out
    assert "| locomo-facts, in % | recall@1 / recall@5 / recall@10 / nDCG@10 | precision / silence |" in shown
    assert [one.name for one in data.load(folder)] == ["locomo-facts", "locomo-turns"]
    published.unlink()
    recall.main()  # the second time needs no network
    assert capsys.readouterr().out == shown


def test_changed_file_at_the_url_is_rejected(published: Path, tmp_path: Path) -> None:
    published.write_text(published.read_text("utf-8") + "\n", "utf-8")
    with pytest.raises(SystemExit, match=r"SHA-256 .*, expected .*: delete it and fetch again"):
        fetch.fetch("locomo", tmp_path / "data")
    assert not data.load(tmp_path / "data")


@pytest.mark.parametrize("inside", ["", "benchmarks/recall/there"])
def test_data_is_not_fetched_into_the_repository(inside: str, published: Path) -> None:
    with pytest.raises(SystemExit, match="is in the repository"):
        fetch.fetch("locomo", fetch.ROOT / inside)
    assert not (fetch.ROOT / "locomo10.json").exists()


def test_urls_are_pinned_to_commits() -> None:
    """No URL contains a branch or tag, which can move."""
    for published in fetch.PUBLISHED.values():
        assert len(published.sha256) == 64
        assert any(len(part) == 40 and set(part) <= set("0123456789abcdef") for part in published.url.split("/"))


@pytest.mark.parametrize(("form", "memories", "evidence"), rows(__file__, "locomo_forms.jsonl"))
def test_published_format_is_converted(
    form: str, memories: list[list[str]], evidence: list[list[list[str]]], tmp_path: Path
) -> None:
    lines = adapters.FORMS[form](json.loads(json.dumps(LOCOMO)))
    assert [[one["id"], one["date"]] for one in lines[0]] == memories
    assert [one["evidence"] for one in lines[1]] == evidence
    adapters.write(form, lines, tmp_path)
    (read,) = data.load(tmp_path)
    assert [one.id for store in read.stores.values() for one in store] == [ident for ident, _ in memories]
    assert [[sorted(unit) for unit in one.evidence] for one in read.questions] == evidence
