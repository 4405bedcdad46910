import subprocess
import sys
from pathlib import Path

_WITHOUT = (
    "import sys; sys.modules['mcp'] = None; from promptx_mem.cli import app; sys.exit(app.run(['mcp', *sys.argv[1:]]))"
)


def test_missing_extra_prints_how_to_install_it(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"promptx-mem: the MCP server needs the optional packages of the extra mcp, which are not installed\n"
        b"  \xe2\x86\x92 in a clone of the repository: pip install '.[mcp]'\n"
        b"  \xe2\x86\x92 if pipx installed the program: pipx install --force '.[mcp]'\n"
    )
