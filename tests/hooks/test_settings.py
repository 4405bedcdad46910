import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.cli import hook
from promptx_mem.errors import UsageError
from promptx_mem.hooks import install, settings
from promptx_mem.hooks.report import Hook
from promptx_mem.result import Result, complete

HOOKS = install.wanted("claude")

THEIRS = '{"type":"command","command":"echo hi"}'
TEXTS = (
    "{}\n",
    "{}",
    '{\n  "model": "opus"\n}\n',
    '{\n    "model": "opus",\n    "env": { "A": "é\\u00e9", "n": 1.0e3 }\n}',
    '{\n\t"a": [1, 2,3],\n\t"hooks": {\n\t\t"Stop": [\n\t\t\t{"hooks": [' + THEIRS + "]}\n\t\t]\n\t}\n}\n",
    '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[' + THEIRS + ']}]},"z":1}',
    '{\r\n  "hooks": {\r\n    "Other": []\r\n  },\r\n  "z": null\r\n}\r\n',
    '{\n  "hooks": {\n    "disabled": ["x"],\n    "enabled": true,\n    "Stop": [\n      {"hooks": ['
    + THEIRS
    + "]}\n    ]\n  }\n}\n",
    '\n\n{\n  "z": "// no comment, { [ \\" }"\n}\n\n',
)


@pytest.mark.parametrize("text", ["", *TEXTS])
def test_install_adds_and_uninstall_restores(text: str) -> None:
    installed = settings.put(text, HOOKS)
    assert set(settings.ours(installed)) == set(HOOKS)
    assert settings.put(installed, HOOKS) == installed
    assert settings.remove(installed) == (text if text.strip() not in ("", "{}") else "")
    before, after = (json.loads(one) if one.strip() else {} for one in (text, installed))
    for event, groups in before.get("hooks", {}).items():
        kept = after["hooks"][event]
        assert kept[: len(groups)] == groups if isinstance(groups, list) else kept == groups
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in before.items() if key != "hooks"
    }


@given(
    value=st.dictionaries(
        st.text(max_size=4),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=3), x, max_size=3),
        ),
        min_size=1,
        max_size=4,
    ),
    indent=st.sampled_from([None, 2, 4, "\t"]),
    end=st.sampled_from(["", "\n"]),
)
def test_every_other_byte_stays(value: dict[str, object], indent: int | str | None, end: str) -> None:
    value.pop("hooks", None)
    if not value:
        return
    text = json.dumps(value, indent=indent, ensure_ascii=False) + end
    installed = settings.put(text, HOOKS)
    assert json.loads(installed) == {**value, "hooks": HOOKS}
    assert settings.put(installed, HOOKS) == installed
    assert settings.remove(installed) == text


def test_a_hook_in_a_group_of_theirs_goes_alone() -> None:
    ours = '{"type": "command", "command": "promptx-mem guard"}'
    text = '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + ours + ", " + THEIRS + "]}]}}"
    assert settings.remove(text) == '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + THEIRS + "]}]}}"


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("promptx-mem guard", True),
        ("/home/u/.local/bin/promptx-mem hook prompt", True),
        ('"/opt/my tools/bin/promptx-mem" hook stop', True),
        ("python -m promptx_mem guard", True),
        ("promptx-mem recall x", False),
        ("echo promptx-mem", False),
        ("my-promptx-mem-guard", False),
    ],
)
def test_ours_are_told_by_their_command(command: str, *, ours: bool) -> None:
    assert settings.is_ours({"type": "command", "command": command}) is ours


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "// c\n{}", "nonsense", "{} x"]
)
def test_what_is_not_understood_stays_as_it_is(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".claude").mkdir()
    path = tmp_path / ".claude" / "settings.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"settings\.json"):
        install.change("install", install.target("claude", "project"), write=True)
    assert path.read_text() == text


def test_nothing_is_written_before_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    where = install.target("claude", "project")
    shown = install.change("install", where, write=False)
    assert '+            "command": "promptx-mem guard",' in shown.data["diff"]
    assert list(tmp_path.iterdir()) == []
    install.change("install", where, write=True)
    assert install.change("install", where, write=True).data["changed"] is False
    states = {(one["host"], one["scope"]): one["state"] for one in install.status().data["entries"]}
    assert states["claude", "project"] == "installed"
    assert states["gemini", "project"] == "none"
    install.change("uninstall", where, write=True)
    assert list(tmp_path.iterdir()) == []


def _shown(result: Result[Hook]) -> str:
    return hook.as_text(complete(Hook, result.data))


def test_an_entry_that_is_out_of_date_is_named_and_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".claude").mkdir()
    path = tmp_path / ".claude" / "settings.json"
    stop = {"Stop": [{"hooks": [{"type": "command", "command": "/opt/bin/promptx-mem hook stop", "timeout": 10}]}]}
    path.write_text(json.dumps({"hooks": {**HOOKS, **stop}}))
    old = "Stop: /opt/bin/promptx-mem hook stop"
    entry = install.status().data["entries"][0]
    assert (entry["scope"], entry["state"], entry["outdated"]) == ("project", "installed", [old])
    shown = _shown(install.status())
    assert f"  out of date: {old}\n  to renew it: promptx-mem hook install claude --scope project --yes\n" in shown
    where = install.target("claude", "project")
    assert f"out of date, so it goes: {old}\n" in _shown(install.change("install", where, write=False))
    assert install.change("install", where, write=True).data["outdated"] == [old]
    assert json.loads(path.read_text()) == {"hooks": HOOKS}
    assert install.status().data["entries"][0]["outdated"] == []


def test_the_same_command_at_another_place_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".claude").mkdir()
    text = json.dumps({"hooks": HOOKS}).replace("promptx-mem hook", "/home/u/.local/bin/promptx-mem hook")
    (tmp_path / ".claude" / "settings.json").write_text(text)
    assert install.status().data["entries"][0]["outdated"] == []


def test_a_linked_settings_file_of_the_users_stays_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (tmp_path / ".claude").mkdir()
    (tmp_path / "dotfile.json").write_text('{\n  "a": 1\n}\n')
    (tmp_path / "dotfile.json").chmod(0o640)
    link = tmp_path / ".claude" / "settings.json"
    link.symlink_to("../dotfile.json")
    install.change("install", install.target("claude", "user"), write=True)
    assert link.is_symlink()
    assert (tmp_path / "dotfile.json").stat().st_mode & 0o777 == 0o640
    assert "promptx-mem guard" in link.read_text()


def test_the_user_scope_is_the_hosts_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    assert install.target("claude", "user").path == str(tmp_path / ".claude" / "settings.json")
    assert install.target("gemini", "user").path == str(tmp_path / ".gemini" / "settings.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))
    assert install.target("claude", "user").path == str(tmp_path / "c" / "settings.json")
