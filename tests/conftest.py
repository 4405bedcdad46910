"""What every test may rely on: no settings of the caller's environment, and the flag that rewrites transcripts."""

import pytest

_SETTINGS = ("PROMPTX_MEM_DIR", "PROMPTX_MEM_SESSION", "PROMPTX_MEM_LLM", "PROMPTX_MEM_DEBUG", "CLAUDE_CODE_SESSION_ID")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-transcripts", action="store_true", help="write what the commands say now into tests/cli/*.console"
    )


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _SETTINGS:
        monkeypatch.delenv(name, raising=False)
