import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.cli import hook
from promptx_mem.errors import UsageError
from promptx_mem.hooks import entries, guard, install, settings
from promptx_mem.hooks.entries import Setup
from promptx_mem.hooks.hosts import HOSTS
from promptx_mem.hooks.report import Hook, Settings
from promptx_mem.result import Result, complete

CLAUDE = Setup("claude", "project")
SHAPES = {"claude": {}, "gemini": {}, "codex": {}, "cursor": {"version": 1}}

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


@pytest.mark.parametrize("host", SHAPES)
@pytest.mark.parametrize("text", ["", *TEXTS])
def test_install_adds_and_uninstall_restores(text: str, host: str) -> None:
    wanted = Setup(host, "project", turns=True)
    installed = entries.put(text, wanted)
    assert set(settings.own_commands(installed)) == set(wanted.entries())
    assert entries.put(installed, wanted) == installed
    assert entries.remove(installed, host) == (text if text.strip() not in ("", "{}") else "")
    before, after = (json.loads(one) if one.strip() else {} for one in (text, installed))
    for event, groups in before.get("hooks", {}).items():
        kept = after["hooks"][event]
        assert kept[: len(groups)] == groups if isinstance(groups, list) else kept == groups
    assert {key: value for key, value in after.items() if key != "hooks"} == {
        key: value for key, value in (before or SHAPES[host]).items() if key != "hooks"
    }


@pytest.mark.parametrize("host", SHAPES)
@pytest.mark.parametrize("text", ['{"a": 1  ,\n   "hooks" : { } }', '{\r\n  "a": 1,\r\n  "hooks": {}\r\n}\r\n'])
def test_twice_is_once_where_the_hooks_were_empty(text: str, host: str) -> None:
    wanted = Setup(host, "project")
    installed = entries.put(text, wanted)
    assert entries.put(installed, wanted) == installed
    more = Setup(host, "project", turns=True)
    assert set(settings.own_commands(entries.put(installed, more))) == set(more.entries())


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
    host=st.sampled_from(list(SHAPES)),
)
def test_every_other_byte_stays(value: dict[str, object], indent: int | str | None, end: str, host: str) -> None:
    value.pop("hooks", None)
    if not value or value == SHAPES[host]:
        return
    text = json.dumps(value, indent=indent, ensure_ascii=False) + end
    wanted = Setup(host, "project")
    installed = entries.put(text, wanted)
    assert json.loads(installed) == {**value, "hooks": wanted.entries()}
    assert entries.put(installed, wanted) == installed
    assert entries.remove(installed, host) == text


def test_a_hook_in_a_group_of_theirs_goes_alone() -> None:
    ours = '{"type": "command", "command": "promptx-mem guard"}'
    text = '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + ours + ", " + THEIRS + "]}]}}"
    left = '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + THEIRS + "]}]}}"
    assert entries.remove(text, "claude") == left


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("promptx-mem guard", True),
        ("/home/u/.local/bin/promptx-mem hook prompt", True),
        ('"/opt/my tools/bin/promptx-mem" hook stop', True),
        ("python -m promptx_mem guard", True),
        (CLAUDE.command(HOSTS["claude"].hooks[0]), True),
        (Setup("codex", "user", program="/opt/my 'tools'/promptx-mem").command(HOSTS["codex"].hooks[0]), True),
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
    assert "promptx-mem guard claude" in shown.data["diff"]
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


def _status(host: str = "claude", scope: str = "project") -> Settings:
    states = install.status().data["entries"]
    return next(one for one in states if (one["host"], one["scope"]) == (host, scope))


def test_an_entry_that_is_out_of_date_is_named_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".claude").mkdir()
    path = tmp_path / ".claude" / "settings.json"
    old = {"type": "command", "command": "/opt/bin/promptx-mem hook stop", "timeout": 10}
    loud = {"type": "command", "command": "promptx-mem hook start", "timeout": 10}
    hooks = {**CLAUDE.entries(), "SessionStart": [{"hooks": [loud]}], "PreCompact": [{"hooks": [old]}]}
    path.write_text(json.dumps({"hooks": hooks}))
    named = ["PreCompact: /opt/bin/promptx-mem hook stop", "SessionStart: promptx-mem hook start"]
    assert (_status()["state"], _status()["outdated"]) == ("installed", named)
    shown = _shown(install.status())
    assert f"  out of date: {named[1]}\n  to renew it: promptx-mem hook install claude --scope project --yes\n" in shown
    where = install.target("claude", "project")
    assert f"out of date, so it goes: {named[0]}\n" in _shown(install.change("install", where, write=False))
    assert install.change("install", where, write=True).data["outdated"] == named
    assert json.loads(path.read_text()) == {"hooks": CLAUDE.entries()}
    assert _status()["outdated"] == []


def test_a_program_at_another_place_is_up_to_date_as_long_as_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "promptx-mem"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / ".claude").mkdir()
    other = Setup("claude", "local", program=str(program))
    (tmp_path / ".claude" / "settings.local.json").write_text(entries.put("", other))
    assert _status("claude", "local")["outdated"] == []
    program.unlink()
    assert len(_status("claude", "local")["outdated"]) == len(other.entries())


@pytest.mark.parametrize("host", HOSTS)
def test_the_hosts_own_files_are_where_it_looks(host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in filter(None, (table.folder for table in HOSTS.values())):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "home").mkdir()
    (tmp_path / "p").mkdir()
    monkeypatch.chdir(tmp_path / "p")
    where = install.target(host)
    assert where.scope != "project"
    for scope in HOSTS[host].places:
        target = install.target(host, scope)
        assert install.change("install", target, write=True).data["written"]
        assert _status(host, scope)["state"] == "installed"
        assert _status(host, scope)["outdated"] == []
        assert install.change("uninstall", target, write=True).data["changed"]
        assert _status(host, scope)["state"] == "none"
    assert sorted(tmp_path.iterdir()) == [tmp_path / "home", tmp_path / "p"]
    assert list((tmp_path / "p").iterdir()) == []
    assert [path for path in (tmp_path / "home").rglob("*") if path.is_file()] == []


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
    for name in filter(None, (table.folder for table in HOSTS.values())):
        monkeypatch.delenv(name, raising=False)
    user = {host: install.target(host, "user").path.removeprefix(f"{tmp_path}/") for host in HOSTS}
    assert user == {
        "claude": ".claude/settings.json",
        "gemini": ".gemini/settings.json",
        "qwen": ".qwen/settings.json",
        "codex": ".codex/hooks.json",
        "cursor": ".cursor/hooks.json",
        "opencode": ".config/opencode/plugins/promptx-mem.js",
    }
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "c"))
    assert install.target("claude", "user").path == str(tmp_path / "c" / "settings.json")


def test_a_plugin_of_somebody_else_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / ".opencode" / "plugins" / "promptx-mem.js"
    path.parent.mkdir(parents=True)
    path.write_text("export const Mine = 1\n")
    with pytest.raises(UsageError, match="not ours"):
        install.change("install", install.target("opencode", "project"), write=True)
    assert path.read_text() == "export const Mine = 1\n"


def test_the_guard_knows_the_events_of_all_hosts() -> None:
    events = {hook.event for table in HOSTS.values() for hook in table.hooks if hook.action == "guard"}
    assert events == {*guard.EVENTS, *guard.AFTER}


def test_the_guard_looks_again_after_a_call_in_each_host_that_says_when_it_is_over() -> None:
    for name, table in HOSTS.items():
        guarded = [hook for hook in table.hooks if hook.action == "guard"]
        after = [hook for hook in guarded if hook.event in guard.AFTER]
        assert bool(after) == (name != "cursor"), name
        assert {hook.matcher for hook in guarded} == {guarded[0].matcher}, name


def test_turns_are_taken_only_where_that_was_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for host, table in HOSTS.items():
        where = install.target(host, "project")
        turns = {hook.event for hook in table.hooks if hook.turns}
        install.change("install", where, write=True)
        if table.shape != "plugin":
            assert turns.isdisjoint(_status(host)["events"])
        install.change("install", where, write=True, turns=True)
        assert turns <= set(_status(host)["events"])
        # Installing again, to renew what is there, asks for no second decision.
        assert install.change("install", where, write=True).data["changed"] is False
