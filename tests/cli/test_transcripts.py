"""The commands of every transcript still print the same output."""

from pathlib import Path

import pytest

from tests.cli import transcript

FILES = sorted(Path(__file__).parent.glob("*.console"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_transcript_output_is_unchanged(file: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    written = transcript.parse(file.read_text(encoding="utf-8"))
    assert written
    now = transcript.unparse(transcript.run(written, tmp_path))
    assert "this is a bug in" not in now
    if request.config.getoption("--update-transcripts"):
        file.write_text(now, encoding="utf-8")
    assert now.splitlines() == file.read_text(encoding="utf-8").splitlines()
