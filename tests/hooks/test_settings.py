import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.cli import setup as cli
from promptx_mem.errors import ConfigError, Refused, StoreError
from promptx_mem.hooks import entries, guard, setup
from promptx_mem.hooks.entries import TABLES, Setup
from promptx_mem.hooks.setup import HostState

CLAUDE = Setup("claude")
SHAPES = {"claude": {}, "gemini": {}, "codex": {}, "cursor": {"version": 1}}

TEXTS = (
    "{}\n",
    '{\n\t"a": [\n\t\t1,\n\t\t2\n\t],\n\t"hooks": {\n\t\t"Other": [\n\t\t\t{\n\t\t\t\t"hooks": []\n\t\t\t}\n\t\t]\n\t}\n}\n',
    '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "echo hi"}]}]}, "z": 1}',
    '{\r\n  "hooks": {\r\n    "Other": []\r\n  },\r\n  "z": null\r\n}\r\n',
    '{\n  "hooks": {\n    "disabled": [\n      "x"\n    ],\n    "enabled": true\n  }\n}\n',
    '{\n  "z": "// no comment, { [ \\" }"\n}\n',
)


@pytest.fixture(autouse=True)
def _has_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the library of the MCP server is installed."""
    monkeypatch.setattr(setup, "_has_extra", lambda: True)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home without settings. The test runs in a project next to it."""
    for table in TABLES.values():
        monkeypatch.delenv(table.folder.partition("/")[0], raising=False)
    monkeypatch.setattr("promptx_mem.hooks.entries.in_login_shell", lambda: True)
    monkeypatch.setattr("promptx_mem.hooks.entries.program", lambda: "")
    (tmp_path / "home").mkdir()
    (tmp_path / "p").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "p")
    return tmp_path / "home"


@pytest.mark.parametrize("host", SHAPES)
@pytest.mark.parametrize("text", ["", *TEXTS])
def test_put_adds_entries_and_remove_restores_the_file(text: str, host: str) -> None:
    wanted = Setup(host, turns=True)
    installed = entries.put(text, wanted)
    assert entries.present(installed, host) == sorted(wanted.entries())
    assert entries.put(installed, wanted) == installed
    assert entries.put(installed, wanted, remove=True) == (text if text.strip() not in ("", "{}") else "")


@given(
    value=st.dictionaries(
        st.text(max_size=4),
        st.recursive(
            st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
            lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=3), x, max_size=3),
        ),
        min_size=1,
        max_size=4,
    ),
    indent=st.sampled_from([None, 2, 4, "\t"]),
    end=st.sampled_from(["", "\n"]),
    host=st.sampled_from(list(SHAPES)),
)
def test_other_settings_keep_their_order(
    value: dict[str, object], indent: int | str | None, end: str, host: str
) -> None:
    value.pop("hooks", None)
    if not value or value == SHAPES[host]:
        return
    text = json.dumps(value, indent=indent, ensure_ascii=False) + end
    wanted = Setup(host)
    installed = entries.put(text, wanted)
    assert list(json.loads(installed).items()) == [*value.items(), ("hooks", wanted.entries())]
    assert entries.put(installed, wanted) == installed
    assert entries.put(installed, wanted, remove=True) == text


def test_remove_keeps_other_hooks_of_the_same_group() -> None:
    ours = '{"type": "command", "command": "promptx-mem guard"}'
    theirs = '{"type": "command", "command": "echo hi"}'
    text = '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + ours + ", " + theirs + "]}]}}"
    left = '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [' + theirs + "]}]}}"
    assert entries.put(text, entries.Setup("claude"), remove=True) == left


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("promptx-mem guard", True),
        ("/home/u/.local/bin/promptx-mem hook prompt", True),
        ('"/opt/my tools/bin/promptx-mem" hook stop', True),
        ("python -m promptx_mem guard", True),
        (CLAUDE.command(TABLES["claude"].hooks[0]), True),
        (Setup("codex", program="/opt/my 'tools'/promptx-mem").command(TABLES["codex"].hooks[0]), True),
        ("promptx-mem recall x", False),
        ("echo promptx-mem", False),
        ("my-promptx-mem-guard", False),
    ],
)
def test_our_hooks_are_recognised_by_their_command(command: str, *, ours: bool) -> None:
    assert entries.is_ours({"type": "command", "command": command}) is ours


@pytest.mark.parametrize(
    "text",
    ["[]", "{", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "// c\n{}", "nonsense", "{} x", '{"a": 1, "a": 2}',
     '{"permissions": 1}', '{"permissions": {"allow": {}}}', '{"a": 1e400}', '{"a": "\xe9"}', "{}" + " " * 4_000_000],
)  # fmt: skip
def test_unsuitable_settings_file_is_kept_and_the_entry_is_printed(home: Path, text: str) -> None:
    path = home.parent / "p" / ".claude" / "settings.local.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    result = cli.command("claude", yes=True)
    assert path.read_bytes() == text.encode("latin-1")
    [warning] = result.warnings
    assert (result.exit_status, str(path) in warning, "using utf" in warning) == (1, True, False)
    assert cli.as_text(cli.command("claude", yes=True).data) == ""
    added = json.loads(cli.as_text(cli.command("claude", diff=True).data).partition(f"add to {path}:\n")[2])
    assert set(added["hooks"]) == set(CLAUDE.entries())
    assert "Bash(promptx-mem recall:*)" in added["permissions"]["allow"]


def test_setup_writes_nothing_without_yes(home: Path) -> None:
    shown = setup.set_up("claude", write=False)
    assert "promptx-mem guard claude" in shown.data["files"][0]["diff"]
    with pytest.raises(Refused, match="--yes"):
        cli.command("claude")
    assert cli.command("claude", diff=True).data["written"] is False
    assert sorted(home.parent.rglob("*")) == [home, home.parent / "p"]


def test_setup_prints_at_most_six_lines(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.hooks.entries.in_login_shell", lambda: False)
    monkeypatch.setattr("promptx_mem.hooks.entries.program", lambda: "/my tools/promptx-mem")
    rule = f'{home}/.codex/rules/default.rules: prefix_rule(pattern=[["promptx-mem", "/my tools/promptx-mem"], ['
    for host in TABLES:
        written = cli.as_text(cli.command(host, yes=True).data)
        assert 2 <= len(written.splitlines()) <= 6
        assert (rule in written) == (host == "codex")
        assert cli.as_text(cli.command(host, yes=True).data) == f"{TABLES[host].title} is already set up\n"


def _status(host: str = "claude") -> HostState:
    return next(one for one in setup.state()[0] if one["host"] == host)


def test_entries_of_another_version_are_removed(home: Path) -> None:
    path = home.parent / "p" / ".claude" / "settings.local.json"
    path.parent.mkdir()
    old = {"type": "command", "command": "/opt/bin/promptx-mem hook stop", "timeout": 10}
    loud = {"type": "command", "command": "promptx-mem hook start", "timeout": 10}
    hooks = {**CLAUDE.entries(), "SessionStart": [{"hooks": [loud]}], "PreCompact": [{"hooks": [old]}]}
    path.write_text(json.dumps({"hooks": hooks, "disableAllHooks": True}))
    notes = setup.set_up("claude", write=True, turns=False).data["notes"]
    assert [_status()["advice"], "Start a new session."] == notes
    assert notes[0] == f"Claude Code runs no hooks: disableAllHooks is set in {path}"
    assert json.loads(path.read_text())["hooks"] == CLAUDE.entries()


@pytest.mark.parametrize("host", TABLES)
def test_remove_deletes_only_our_entries(host: str, home: Path) -> None:
    names = {"claude": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}
    theirs = home / names.get(host, ".qwen/settings.json") if host in (*names, "qwen") else None
    if theirs:
        theirs.parent.mkdir(exist_ok=True)
        texts = {"codex": 'a = 1 # "x"\n\n[b]\nc = 2\n', "claude": '{\n  "numStartups": 3\n}\n'}
        theirs.write_text(texts.get(host, "{}\n"))
        before = theirs.read_text()
    assert setup.set_up(host, write=True).data["written"]
    status = _status(host)
    assert (status["state"], bool(status["server"])) == ("installed", True)
    assert status["allowed"] == (list(setup.ALLOWED) if host in ("claude", "gemini", "qwen") else [])
    assert setup.remove(host, write=True).data["written"]
    assert setup.remove(host, write=True).data["files"] == []
    left = [path for path in home.rglob("*") if path.is_file() and "state" not in path.parts]
    assert left == ([theirs] if theirs else [])
    assert not theirs or theirs.read_text() == before
    assert list((home.parent / "p").iterdir()) == []


def test_remove_keeps_a_rule_and_a_server_of_the_user(home: Path) -> None:
    mine = {
        "permissions": {"allow": ["run_shell_command(promptx-mem recall)"]},
        "mcpServers": {"promptx-mem": {"url": "x"}},
    }
    path = home / ".qwen" / "settings.json"
    path.parent.mkdir()
    path.write_text(json.dumps(mine))
    setup.set_up("qwen", write=True)
    added = json.loads(path.read_text())
    assert len(added["permissions"]["allow"]) == len(setup.ALLOWED)
    assert added["mcpServers"] == mine["mcpServers"]
    path.write_text(json.dumps({"theme": "dark", **added}))  # the host edits its file
    setup.remove("qwen", write=True)
    assert json.loads(path.read_text()) == {"theme": "dark", **mine}


def test_gemini_policy_only_allows_our_commands(home: Path) -> None:
    """`tools.allowed` refuses all other tools (Gemini CLI 0.61.0): an entry of an earlier version is removed."""
    path, settings = home / ".gemini" / "policies" / "promptx-mem.toml", home / ".gemini" / "settings.json"
    settings.parent.mkdir()
    rule = "run_shell_command(promptx-mem recall)"
    settings.write_text(json.dumps({"tools": {"allowed": [rule, "run_shell_command(git)"]}}))
    setup._note(setup.target("gemini"), ((("tools", "allowed"), rule, None),))
    setup.set_up("gemini", write=True)
    assert json.loads(settings.read_text())["tools"] == {"allowed": ["run_shell_command(git)"]}
    (only,) = tomllib.loads(path.read_text())["rule"]
    assert {f"promptx-mem {command}" for command in setup.ALLOWED} <= set(only.pop("commandPrefix"))
    assert only == {
        "toolName": "run_shell_command", "decision": "allow", "priority": 100, "modes": ["default", "autoEdit"],
    }  # fmt: skip
    assert setup.set_up("gemini", write=True).data["files"] == []
    setup.remove("gemini", write=True)
    assert not path.parent.exists()
    assert json.loads(settings.read_text()) == {"tools": {"allowed": ["run_shell_command(git)"]}}


@pytest.mark.parametrize(
    ("host", "place", "said"),
    [("gemini", ".gemini/policies/promptx-mem.toml", "another program"),
     ("opencode", ".config/opencode/plugins/promptx-mem.js", "another plugin")],
)  # fmt: skip
def test_file_of_another_program_is_kept(host: str, place: str, said: str, home: Path) -> None:
    (home / place).parent.mkdir(parents=True)
    (home / place).write_text("# mine\n")
    assert said in setup.set_up(host, write=True).warnings[0]
    setup.remove(host, write=True)
    assert (home / place).read_text() == "# mine\n"


def test_opencode_that_asks_for_commands_gets_rules_for_ours(home: Path) -> None:
    path = home / ".config" / "opencode" / "opencode.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"permission": {"bash": "ask"}}')
    setup.set_up("opencode", write=True)
    shell = {"*": "ask", **{f"promptx-mem {command} *": "allow" for command in setup.ALLOWED}}
    assert json.loads(path.read_text())["permission"] == {"bash": shell}
    setup.remove("opencode", write=True)
    assert json.loads(path.read_text()) == {"permission": {"bash": {"*": "ask"}}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("mcp_servers = {}\n", "mcp_servers is an inline table: first turn it into "),
        ("x = \n", "Invalid value"),
        ("OURSx = [\nmy_unfinished_line\n", "Invalid value"),
    ],
)
def test_toml_entry_is_printed_if_the_file_cannot_be_changed(home: Path, text: str, problem: str) -> None:
    path = home / ".codex" / "config.toml"
    setup.set_up("codex", write=True)
    path.write_text(new := text.replace("OURS", path.read_text()))
    [warning] = setup.set_up("codex", write=True).warnings
    assert setup.remove("codex", write=True).data["unread"] == [str(path)] * ("OURS" in text)
    assert (problem in warning, path.read_text()) == (True, new)
    added = tomllib.loads(cli.as_text(cli.command("codex", diff=True).data).partition(f"add to {path}:\n")[2])
    assert added["mcp_servers"]["promptx-mem"]["args"] == ["mcp"]


def test_second_run_keeps_lines_of_the_user_in_our_toml_table(home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('[mcp_servers.other]\ncommand = "x"')
    setup.set_up("codex", write=True)
    text = path.read_text().replace('"mcp"', '"old"')
    more = 'required = true\n\n[mcp_servers.promptx-mem.tools.review]\napproval_mode = "approve"\n'
    path.write_text(f"{text}{more}\n# mine\n[tui]\nx = 1\n")
    assert setup.set_up("codex", write=True).exit_status == 0
    assert path.read_text() == f"{text.replace('old', 'mcp')}{more}\n# mine\n[tui]\nx = 1\n"
    assert "config.toml" not in str(setup.set_up("codex", write=True).data["files"])
    setup.remove("codex", write=True)
    assert path.read_text() == '[mcp_servers.other]\ncommand = "x"\n\n# mine\n[tui]\nx = 1\n'


def test_symlinked_settings_file_of_the_user_stays_a_link(home: Path) -> None:
    (home / ".qwen").write_text("not a folder")
    with pytest.raises(StoreError, match=r"^\.qwen is not a directory"):
        setup.set_up("qwen", write=True)
    (home / ".gemini").mkdir()
    (home / "dotfile.json").write_text('{\n  "a": 1\n}\n')
    (home / "dotfile.json").chmod(0o640)
    link = home / ".gemini" / "settings.json"
    link.symlink_to("../dotfile.json")
    setup.set_up("gemini", write=True)
    assert link.is_symlink()
    assert (home / "dotfile.json").stat().st_mode & 0o777 == 0o640
    assert "promptx-mem guard" in link.read_text()


def test_hooks_are_in_a_file_that_is_not_committed(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = {host: setup.target(host).path.removeprefix(f"{home}/") for host in TABLES if host != "claude"}
    assert user == {
        "gemini": ".gemini/settings.json",
        "qwen": ".qwen/settings.json",
        "codex": ".codex/hooks.json",
        "cursor": ".cursor/hooks.json",
        "opencode": ".config/opencode/plugins/promptx-mem.js",
    }
    assert setup.target("claude").path == str(home.parent / "p" / ".claude" / "settings.local.json")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "c"))
    assert setup.set_up("claude", write=True).data["files"][1]["path"] == str(home / "c" / ".claude.json")
    monkeypatch.setenv("GEMINI_CLI_HOME", str(home / "g"))
    assert setup.target("gemini").path == str(home / "g" / ".gemini" / "settings.json")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "x"))
    assert setup.target("opencode").path == str(home / "x" / "opencode" / "plugins" / "promptx-mem.js")


def test_guard_also_runs_after_each_guarded_call_in_each_host() -> None:
    for name, table in TABLES.items():
        guarded = [hook for hook in table.hooks if hook.action == "guard"]
        after = [hook for hook in guarded if hook.event in guard.AFTER]
        assert after, name
        assert all(hook.matcher.endswith(guarded[0].matcher) for hook in guarded), name
        reads = {tool for hook in after for tool in hook.matcher.split("|")} - set(guarded[0].matcher.split("|"))
        assert reads <= guard.READING, name


@pytest.mark.parametrize("host", TABLES)
def test_turns_are_stored_only_if_the_user_chose_conversations(host: str, home: Path) -> None:
    table = TABLES[host]
    turns = {hook.event for hook in table.hooks if hook.turns}
    setup.set_up(host, write=True)
    if table.shape != "plugin":
        assert turns.isdisjoint(_status(host)["events"])
    config = home / ".config" / "promptx-mem" / "config.yaml"
    assert f"written: {config}" in cli.as_text(cli.command(host, yes=True, conversations=True).data)
    assert turns <= set(_status(host)["events"])
    assert "conversations: true" in config.read_text()
    config.write_text("{user_store: true}\n")
    with pytest.raises(ConfigError, match="hand-written"):
        cli.command(host, yes=True, conversations=True)
    config.write_text("conversations: false # no\nuser_store: true")
    cli.command(host, yes=True, conversations=True)
    assert config.read_text() == "conversations: true # no\nuser_store: true"
    # Setting up again, here or in another project, keeps the choice.
    assert setup.set_up(host, write=True).data["written"] is False
    setup.remove(host, write=True)
    setup.set_up(host, write=True)
    assert turns <= set(_status(host)["events"])


def test_setup_in_a_project_keeps_the_servers_of_other_projects(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home.parent / "q").mkdir()
    for name in "pqp":
        monkeypatch.chdir(home.parent / name)
        setup.set_up("claude", write=True)
    servers = home / ".claude.json"
    assert list(json.loads(servers.read_text())["projects"]) == [str(home.parent / name) for name in "pq"]
    setup.remove("claude", write=True)
    assert list(json.loads(servers.read_text())["projects"]) == [str(home.parent / "q")]
    Path(".claude").mkdir()
    Path(".claude/settings.local.json").write_text(json.dumps({"hooks": CLAUDE.entries()}))
    assert _status()["server"] == ""
    monkeypatch.chdir(home.parent / "q")
    assert _status()["server"] == str(servers)
    setup.remove("claude", write=True)
    assert not servers.exists()
