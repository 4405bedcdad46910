"""Memories injected at tool calls: warnings, memories about a file and fixes for an error, within limits."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from promptx_mem.core import acts, failures, prohibitions, warnings
from promptx_mem.hooks import act, guard, injected, run
from promptx_mem.search import build
from promptx_mem.store import disk, hosts, layout
from promptx_mem.usecases import acts as known
from promptx_mem.usecases import citations
from tests.api import Memory, Request, format_line, make_id, parse_line, tokens
from tests.hooks.context import context
from tests.tables import rows

WARNINGS, FIXES = rows(__file__, "warnings.jsonl"), rows(__file__, "cures.jsonl")
"""Warnings, each with a call that it forbids, and fixes, each with its error."""

HARMLESS, REMEDIES = rows(__file__, "not_warned.txt"), rows(__file__, "other_errors.jsonl")


class Project:
    """A repository with a store, and a host's calls in it."""

    def __init__(self, top: Path) -> None:
        self.top = top
        subprocess.run(["git", "init", "-q"], cwd=top, check=True)
        self.session = "s"
        self.ids: list[str] = []

    def write(self, path: str, text: str = "x = 1\n") -> str:
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_text(text)
        return str(self.top / path)

    def track(self) -> None:
        subprocess.run(["git", "add", "-A", ":!.memory"], cwd=self.top, check=True)

    def remember(self, text: str, score: str = "8", **more: Any) -> str:
        where = layout.at(str(self.top / ".memory"))
        return Memory(where, "t").remember(Request(text, ("t",), score, **more)).data["id"]

    def remember_all(self, texts: list[str]) -> list[str]:
        """Store texts that cite no file: the first by `remember`, the others as lines like its line, which is faster."""
        self.remember(texts[0], explicit=True)
        file = self.top / ".memory/declarative.md"
        line = parse_line(file.read_text("utf-8").splitlines()[-1])
        assert line
        entries = [line.entry, *(line.entry._replace(text=text, id=make_id(text)) for text in texts[1:])]
        with file.open("a", encoding="utf-8") as out:
            out.writelines(f"{format_line(entry)}\n" for entry in entries[1:])
        return [entry.id for entry in entries]

    def event(self, name: str, tool: str, arguments: dict[str, Any], **more: Any) -> str:
        """Return the text of the guard's answer for the agent."""
        fields = {"hook_event_name": name, "tool_name": tool, "tool_input": arguments, "session_id": self.session}
        data = json.dumps({**fields, "cwd": str(self.top), "tool_use_id": "u", **more}).encode()
        answer = guard._answer(data, "claude").get("hookSpecificOutput", {})
        return str(answer.get("additionalContext") or answer.get("permissionDecisionReason") or "")

    def call(self, command: str) -> str:
        return self.event("PreToolUse", "Bash", {"command": command})

    def read(self, path: str, tool: str = "Read") -> str:
        return self.event("PostToolUse", tool, {"file_path": str(self.top / path)}, tool_response={})

    def failed(self, error: str, command: str = "x") -> str:
        return self.event("PostToolUseFailure", "Bash", {"command": command}, error=f"Exit code 1\n{error}")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(citations, "_CHECK_SECONDS", 5.0)  # the machine may be busy
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path / "app")
    return Project(tmp_path / "app")


@pytest.fixture
def warned(project: Project) -> Project:
    project.ids = project.remember_all([text for text, _ in WARNINGS])
    return project


def test_dangerous_call_is_denied_only_once(warned: Project) -> None:
    missed = []
    for number, (text, command) in enumerate(WARNINGS):
        warned.session = f"s{number}"
        if warned.ids[number] not in warned.call(command):
            missed.append((text, command))
        assert warned.call(command) == ""
        assert warned.ids[number] not in warned.failed(f"{command}: {text}", command)
    assert len(missed) * 20 <= len(WARNINGS), missed


def test_harmless_calls_are_not_denied(warned: Project) -> None:
    # In one session, whose calls need no look at the processes of other hosts.
    held = [(command, said.partition("\nDo ")[0][-200:]) for command in HARMLESS if (said := warned.call(command))]
    assert len(HARMLESS) >= 200
    assert held == []


@pytest.mark.parametrize(("text", "forbidden", "similar"), rows(__file__, "targets.jsonl"))
def test_a_warning_forbids_its_command_but_not_similar_ones(text: str, forbidden: Any, similar: list[Any]) -> None:
    clauses = prohibitions.clauses(text)

    def is_denied(call: Any) -> bool:
        arguments = {"command": call} if isinstance(call, str) else call
        made = act.Call("Bash" if isinstance(call, str) else "Edit", arguments, "/work")
        return bool(warnings.keys(clauses).intersection(made.warned())) and made.is_forbidden({"warns": clauses})

    assert forbidden is None or is_denied(forbidden)
    assert not any(map(is_denied, similar))


def test_a_new_file_is_not_forbidden_by_a_warning_about_released_ones() -> None:
    for text in ("a migration in migrations/ that was released", "a migration in migrations/ once it is on main"):
        clauses = prohibitions.clauses(f"Do not change {text}; add a new number.")
        assert warnings.forbids_file(clauses, "migrations/0002_b.sql")
        assert not warnings.forbids_file(clauses, "migrations/0003_c.sql", is_new=True)


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (
            "Traceback (most recent call last):\n  File \"shop.py\", line 3, in total\n    price_gross = fetch()\nKeyError: 'x'",
            "KeyError",
        ),
        ("  --> src/a.rs:1:2\n   |\n 12 |     price_gross()\n   | ^^^^\nerror[E0425]: cannot find it", "E0425"),
        ("    price_gross = 3\n>   assert total == 3\nE   AssertionError: assert 4 == 3\n", "AssertionError"),
        ("ok  \tshop/price_gross\t0.1s\na.py::price_gross PASSED\n✓ price_gross\n--- FAIL: TestTotal", "TestTotal"),
    ],
)
def test_source_code_and_passed_tests_in_an_error_are_no_evidence(output: str, kept: str) -> None:
    text = failures.error_lines(output)
    assert "price_gross" not in text
    assert kept in text


def test_nested_commands_and_long_texts_give_bounded_results() -> None:
    for words in (["ssh"], ["docker", "exec"], ["docker", "run", "x"], ["kubectl", "exec", "-n", "a"]):
        assert len(acts.started_commands(words * 30)) < 120
    assert prohibitions.clauses("a: no b " * 1_000 + "Never run make.") == prohibitions.clauses("a: no b " * 250)


_WORDS = """docker run exec ssh kubectl -- npm pnpm yarn dlx python -m -c git push --force never do not must use it that
this 不要 禁止 切勿 别 用 执行 , . ; : ， 。 ` ( ) / ./... * = > && prod main test.sh lib/ :latest w/o without unless or the a
instead said before is forbidden No sudo timeout 3 conda -n X=1 'a psql DROP 覆盖 x.txt 里 它 nobody 把 提交 重启 文/a.md"""


def test_random_texts_and_commands_do_not_crash_the_guard() -> None:
    random = Random(7)
    for _ in range(1_000):
        text, command = (" ".join(random.choices(_WORDS.split(), k=random.randint(1, 14))) for _ in "ab")
        clauses = prohibitions.clauses(text)
        call = act.Call("Bash", {"command": command}, "/work")
        assert {type(key) for key in [*warnings.keys(clauses), *call.warned()]} <= {str}
        assert call.is_forbidden({"warns": clauses}) in (True, False)


def test_memory_with_the_fix_is_injected_after_its_error(project: Project) -> None:
    ids = project.remember_all([text for text, _ in FIXES])
    missed = []
    for number, (text, error) in enumerate(FIXES):
        project.session = f"s{number}"
        if ids[number] not in project.failed(error, "npx playwright test"):
            missed.append((text, error))
    assert len(missed) * 15 <= len(FIXES), missed
    project.remember("libpq-fe.h missing means the dev package is not installed: apt install libpq-dev")
    project.remember("src/main.py starts the server on port 3")
    for number, error in enumerate(
        (
            "AssertionError: 1 != 2",
            'npm ERR! Missing script: "lint" in this package; see npm install',
            "error: test failed, to rerun pass --lib",
            "2 failed",
            'Traceback (most recent call last):\n  File "/srv/app/src/main.py", line 3, in <module>\nKeyError: 3',
        )
    ):
        project.session = f"n{number}"
        assert project.failed(error) == ""


def test_memory_with_a_fix_is_not_injected_after_other_errors(project: Project) -> None:
    ids = project.remember_all([row[0] for row in REMEDIES])
    missed, wrong = [], []
    for number, (text, command, error, other) in enumerate(REMEDIES):
        project.session = f"s{number}"
        missed += [] if ids[number] in project.failed(error, command) else [(text, error)]
        project.session = f"o{number}"
        wrong += [(text, other, said)] if (said := project.failed(other, command)) else []
        assert ids[number] not in said, (text, other)
    assert len(missed) * 48 <= len(REMEDIES), missed
    assert len(wrong) * 16 <= len(REMEDIES), wrong


def test_memory_that_describes_no_error_is_not_injected_for_folders_or_usual_words(project: Project) -> None:
    project.remember("Do not edit configs/gateway.prod.yaml: the real one is rendered from the infra-config repo")
    project.remember("Sam checks the chart by eye on an old iPhone SE before each release")
    project.remember("单测不连真的 etcd，拿 clientv3.KV 接口打个桩就够了")
    project.remember("The code style has 100 columns; finance imports UTF-8 only")
    for error, command in (
        (
            "WARNING: DATA RACE\n  git.lan.cn/infra/gateway/limiter.Allow()\nFAIL\tgit.lan.cn/infra/gateway",
            "go test ./...",
        ),
        ("Unable to find a device matching iPhone SE", "xcodebuild -destination 'name=iPhone SE'"),
        ("http://etcd:2379 is unhealthy: failed to commit proposal", "make check"),
        ("E: unable to fetch 100 packages\nUnicodeDecodeError: 'utf-8' codec can't decode byte", "make image"),
    ):
        assert project.failed(error, command) == "", error


def test_fix_that_names_the_failed_program_needs_fewer_shared_words(project: Project) -> None:
    project.remember("terraform says state lock: ask in the channel, then run terraform force-unlock")
    assert project.failed("Error acquiring the state lock", "make plan") == ""
    assert "force-unlock" in project.failed("Error acquiring the state lock", "cd infra && terraform plan -out x")


def test_memory_about_a_file_is_injected_once_when_the_file_is_used(project: Project) -> None:
    project.write("src/auth.py", "def refresh_token(): ...\n")
    project.track()
    project.remember("src/auth.py: refresh_token needs the lock")
    project.remember(
        "lib/new.py：parse_row 不能处理空行，README.md 和 index.ts 也要改"
    )  # none of these files exists yet
    files = ("src/other.py", "README.md", "index.ts", "other/new.py", "lib/new.py")
    assert [path for path in files if project.read(project.write(path))] == ["lib/new.py"]
    assert "needs the lock" in project.read("src/auth.py")
    assert project.read("src/auth.py") == ""
    for number, (tool, arguments) in enumerate(
        [
            ("Edit", {"file_path": "src/auth.py", "old_string": "a", "new_string": "b"}),
            ("Grep", {"pattern": "refresh_token", "path": "."}),
            ("Grep", {"pattern": "x", "path": "src/auth.py"}),
            ("Glob", {"pattern": "src/auth.py"}),
            ("Bash", {"command": "cat src/auth.py"}),
            ("Bash", {"command": "cd . && sed -n '1,5p' src/auth.py | head"}),
            ("Bash", {"command": "rg -n refresh_token src"}),
            ("Bash", {"command": "bash -lc 'grep -n def src/auth.py'"}),
            ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/auth.py\n@@\n-a\n+b\n*** End Patch"}),
            ("Bash", {"command": "apply_patch <<E\n*** Begin Patch\n*** Delete File: src/auth.py\n*** End Patch\nE"}),
            ("read_file", {"absolute_path": str(project.top / "src/auth.py")}),
        ]
    ):
        project.session = f"t{number}"
        assert "needs the lock" in project.event("PostToolUse", tool, arguments, tool_response={}), (tool, arguments)
        assert project.event("PreToolUse", tool, arguments) == ""
    project.session = "none"
    for tool, arguments in (("Glob", {"pattern": "**/refresh_token*"}), ("Bash", {"command": "wc -l src/*.py"})):
        assert project.event("PostToolUse", tool, arguments, tool_response={}) == ""


def test_memory_about_a_folder_and_outdated_memory_are_injected(project: Project) -> None:
    project.write("src/api/a.py", "class ApiClient: ...\n")
    project.track()
    project.write("src/main.py")
    project.remember("Run the type checker on src before each commit")
    project.remember("`src/api` has no tests of its own")
    assert project.read("src/main.py") == ""  # nearly every project has such a folder
    assert "no tests" in project.read("src/api/a.py")
    project.remember("src/api/a.py: ApiClient retries twice")
    project.write("src/api/a.py")
    project.session = "t"
    said = project.read("src/api/a.py")
    assert "<warning>src/api/a.py no longer contains ApiClient</warning>" in said
    assert said.index("no tests") < said.index("retries twice")


def test_injected_memories_stay_within_limits_per_call_and_session(project: Project) -> None:
    for number in range(40):
        project.write(f"src/f{number // 4}.py")
    project.track()
    for number in range(40):
        project.remember(f"src/f{number // 4}.py lesson {number}: " + f"word{number} " * 60)
    whole = [said for number in range(10) if (said := project.read(f"src/f{number}.py"))]
    assert whole
    assert all(said.count("<memory ") <= 3 for said in whole)
    blocks = [said.partition("\n")[2] for said in whole]
    assert all(tokens(block) <= act.MAX_TOKENS for block in blocks)
    assert sum(map(tokens, blocks)) <= act.MAX_SESSION


def test_record_of_injected_memories_contains_no_text(project: Project) -> None:
    ident = project.remember("Never run terraform destroy")
    assert project.call("terraform destroy SECRETWORD")
    place = layout.at(str(project.top / ".memory"))
    [(_, records)] = hosts.sessions(place)
    [given] = [record for record in records if record.get("e") == hosts.GIVEN]
    assert (given["hook"], given["via"]) == ("act", {ident: "warning"})
    assert "SECRETWORD" not in json.dumps(records)
    assert "terraform" not in json.dumps(records)


@pytest.mark.parametrize(
    ("setting", "held", "given"),
    [
        ("hooks: {act: false}\n", False, False),
        ("act: {warn: never}\n", False, True),
        ("act: {warn: once}\n", True, True),
    ],
)
def test_settings_turn_off_warnings_or_all_memories_at_calls(
    project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, held: bool, given: bool
) -> None:
    (tmp_path / "config.yaml").write_text(setting)
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(tmp_path / "config.yaml"))
    project.write("a.py")
    project.remember("a.py is slow")
    project.remember("Never run terraform destroy")
    assert bool(project.call("terraform destroy")) is held
    assert bool(project.read("a.py")) is given


def test_private_session_and_cloned_store_give_no_warnings(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.remember("Never run terraform destroy")
    monkeypatch.setenv("PROMPTX_MEM_OFF", "1")
    assert project.call("terraform destroy") == ""
    monkeypatch.delenv("PROMPTX_MEM_OFF")
    for path in (project.top / ".memory/.own", project.top / ".memory/.cache/act"):
        path.unlink(missing_ok=True)
    (project.top / ".memory/.gitignore").unlink()
    project.track()
    subprocess.run(["git", "add", "-f", ".memory/declarative.md"], cwd=project.top, check=True)
    monkeypatch.setenv("HOME", str(project.top / "another-home"))
    assert project.call("terraform destroy") == ""


def test_low_score_or_text_without_a_warning_denies_nothing(project: Project) -> None:
    project.remember("Never run terraform destroy", "7")
    project.remember("We run terraform destroy each night; do not forget terraform destroy", "9")
    assert project.call("terraform destroy") == ""


def test_stored_and_forgotten_warnings_take_effect_at_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.session.is_person", lambda: True)
    memory = Memory(layout.at(str(project.top / ".memory")), "t")
    project.remember("the first fact")
    assert project.call("terraform destroy") == ""
    memory.forget(project.remember("Never run terraform destroy"))
    assert project.call("terraform destroy") == ""
    ident = project.remember("切勿运行 terraform destroy --all in a.py")
    project.write("a.py")
    assert project.call("terraform destroy --all")
    assert oct((project.top / ".memory/.cache/act").stat().st_mode) == "0o100600"
    memory.forget(ident, purge=True)
    files = [path for path in (project.top / ".memory").rglob("*") if path.is_file()]
    assert not [path for path in files if b"destroy --all" in path.read_bytes()]


def test_rebuild_creates_only_the_records_of_changed_memories(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    formed: list[str] = []
    form = known._record

    def record(context: Any, state: Any) -> Any:
        formed.append(state.entry.text)
        return form(context, state)

    monkeypatch.setattr(known, "_record", record)
    texts = ["Never run terraform destroy", "Cured by make clean: undefined symbol zstd_x"]
    ids = [project.remember(text) for text in texts]
    assert project.call("terraform destroy")
    file = project.top / ".memory/.cache/act"
    project.remember("another fact", "9")
    project.session = "s2"
    assert project.call("terraform destroy")
    assert sorted(formed) == sorted([*texts, "another fact"])
    whole = file.read_bytes()
    file.unlink()
    project.call("terraform plan")
    assert file.read_bytes() == whole
    Memory(layout.at(str(project.top / ".memory")), "t").edit(ids[1], ("the linker fails",))
    del formed[:]
    assert "make clean" in project.failed("ld: undefined symbol zstd_x")
    assert formed == [texts[1]]


def test_of_many_memories_the_file_has_warnings_citations_and_the_most_important_facts(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known, "_MAX_FACTS", 1)
    (project.top / "pay.py").touch()
    project.remember("Never run terraform destroy")
    project.remember("pay.py rounds down")
    project.remember("Cured by make clean: undefined symbol zstd_x")
    project.remember("the most important fact of all is about undefined symbol lz4_y", "10")
    assert "terraform destroy" in project.call("terraform destroy")
    file = (project.top / ".memory/.cache/act").read_text("utf-8", "replace")
    assert all(text in file for text in ("terraform destroy", "rounds down", "lz4_y"))
    assert "zstd_x" not in file


def test_hooks_leave_the_rebuild_of_a_large_store_to_one_process(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: dict[int, tuple[str, ...]] = {}
    monkeypatch.setattr(disk, "LARGE", 1)
    monkeypatch.setattr(build, "detach", lambda words, lock: started.update({os.dup(lock): words}))
    project.remember("Never run terraform destroy")
    file, asked = project.top / ".memory/declarative.md", "which terraform command must I never run?"
    cache = next(file.parent.glob(".cache/*.db"))
    cache.with_name(f"{cache.stem}.7fffffff0000.new").touch()
    file.write_text(file.read_text("utf-8").replace("Never", "never"), "utf-8")
    for _ in range(2):
        assert "Denied" in project.event("PreToolUse", "Write", {"file_path": str(file), "content": "x"})
        assert project.call("terraform destroy") == context("prompt", prompt=asked) == ""
        assert "terraform" not in context("start", source="startup")
    ((lock, words),) = started.items()
    os.close(lock)
    subprocess.run([sys.executable, "-P", *words], check=True)
    assert project.call("terraform destroy")
    assert "terraform destroy" in context("prompt", prompt=asked)
    assert [*cache.parent.glob("*.new")] == []


@pytest.mark.parametrize("change", ["own", "version", "cut", "count", "text", "gone"])
def test_rebuild_discards_a_damaged_or_planted_file(project: Project, change: str) -> None:
    ident = project.remember("Never run terraform destroy")
    project.call("terraform destroy")
    file, own = project.top / ".memory/.cache/act", project.top / ".memory/.own"
    data = file.read_bytes()
    planted = data.replace(b"Never run terraform", b"Always run terraform")
    head, _, rest = planted.partition(b"\n")
    changed = {
        "own": planted,
        "version": b"0" + planted,
        "cut": planted[: len(head) + 9],
        "count": head.rpartition(b" ")[0] + b" many\n" + rest,
        "text": b"text",
        "gone": b"",
    }
    file.write_bytes(changed[change])
    if change == "own":
        own.write_bytes(own.read_bytes() + b"\n")
    project.remember("another fact", "9")
    project.session = "s2"
    held = project.call("terraform destroy")
    assert ident in held
    assert "Always" not in held


@pytest.mark.parametrize("folder", ["claude-2.1.197", "codex-0.169.0", "gemini-0.61.0", "qwen-0.15.10"])
def test_error_of_a_call_is_read_from_the_event_of_each_host(folder: str, tmp_path: Path) -> None:
    name = folder.partition("-")[0]
    transcript = tmp_path / "t.jsonl"
    transcript.write_text('{"payload":{"call_id":"call_2","exit_code":7}}\n')
    text = {"llmContent": "Output: boom\nExit Code: 3\nSignal: 0"}
    events: dict[str, dict[str, Any]] = {
        "claude": {"hook_event_name": "PostToolUseFailure", "error": "Exit code 3\nboom"},
        "codex": {"hook_event_name": "PostToolUse", "tool_response": "boom\n", "transcript_path": str(transcript)},
        "gemini": {"hook_event_name": "AfterTool", "tool_response": text},
        "qwen": {"hook_event_name": "PostToolUse", "tool_response": text},
    }
    event = {**events[name], "tool_use_id": "call_2"}
    assert "boom" in act._error(event, name)
    transcript.write_text('{"payload":{"call_id":"call_2","exit_code":0}}\n')
    text["llmContent"] = "Output: boom"
    fine = {**event, "hook_event_name": "PostToolUse", "tool_response": event.get("tool_response", {"stdout": "boom"})}
    assert act._error(fine, name) == ""


def test_memory_is_injected_later_if_gemini_cannot_show_it_now(project: Project) -> None:
    project.write("a.py")
    project.remember("a.py is slow")
    for response, shown in (({"error": {"message": "no match"}}, False), ({"llmContent": "x = 1"}, True)):
        event = {"hook_event_name": "AfterTool", "tool_name": "replace", "tool_input": {"file_path": "a.py"}}
        event |= {"session_id": "s", "cwd": str(project.top), "tool_response": response}
        assert ("a.py is slow" in json.dumps(guard._answer(json.dumps(event).encode(), "gemini"))) is shown


def test_subagent_gets_memories_about_its_task(project: Project) -> None:
    project.remember("the payment webhook needs an idempotency key")
    event = {"hook_event_name": "SubagentStart", "agent_id": "a", "agent_type": "x", "session_id": "s"}
    for path in ("src/pay/hook.py", "src/pay/tax.py"):
        project.write(path)
    project.track()
    project.remember("src/pay/tax.py rounds down")
    for task, shown in {
        "fix the payment webhook": ["webhook"],
        "": [],
        "add type hints in src/pay/hook.py and its tests/": [],
        "explain the result of src/pay/tax.py, see #12": ["rounds"],
        "merge the files of src/ that end in .py": [],
    }.items():
        told = json.dumps({**event, "agent_id": task, "cwd": str(project.top), "prompt": task}).encode()
        whole = json.dumps(run.reply("start", told, "claude"))
        said = re.findall("<memory .*?</memory>", whole)
        assert [word for word in ("webhook", "rounds") if word in "".join(said)] == shown, task
        assert whole.count("idempotency") == 1, task
        given = injected.spent(layout.at(str(project.top / ".memory")), hosts.of_host("s", task)).given
        assert len(given) == len(shown), task


def test_memory_sharing_one_word_with_a_task_is_not_injected(project: Project) -> None:
    for place in ("Lima", "Oslo", "Rome", "Kyiv", "Bonn", "Cork", "Nice"):
        project.remember(f"The office in {place} moves")
    project.remember("Search results are cached for ten minutes")
    event = {"hook_event_name": "SubagentStart", "agent_type": "x", "session_id": "s", "cwd": str(project.top)}
    for task, is_shown in {
        "Look into the search results: are they cached too long?": True,
        "Make the Search page in web/src/pages/Page.tsx keep its scroll position when the reader comes back": False,
    }.items():
        told = json.dumps({**event, "agent_id": task, "prompt": task}).encode()
        said = re.findall("<memory .*?</memory>", json.dumps(run.reply("start", told, "claude")))
        assert ("ten minutes" in "".join(said)) is is_shown


def test_task_of_a_subagent_is_read_from_the_transcript(project: Project, tmp_path: Path) -> None:
    def starts(name: str, **more: str) -> str:
        event = {"hook_event_name": name, "session_id": "s", "cwd": str(project.top), "transcript_path": transcript}
        return json.dumps(run.reply("start", json.dumps({**event, **more}).encode(), "claude"))

    def message(**part: Any) -> str:
        return json.dumps({"message": {"content": [part]}}) + "\n"

    def task(number: str, kind: str, words: str) -> str:
        return message(type="tool_use", id=number, name="Agent", input={"prompt": words, "subagent_type": kind})

    transcript = str(tmp_path / "t.jsonl")
    for text in ("the payment webhook needs a key", "the invoice total is a Decimal", "heron is the server"):
        project.remember(text)
    calls = task("1", "x", "look up heron") + message(type="tool_result", tool_use_id="1")
    calls += task("2", "x", "fix the webhook")
    Path(transcript).write_text(calls + task("3", "y", "check the invoice total") + "{\n")
    assert "webhook" in starts("SessionStart")
    [shown] = re.findall("<memory .*?</memory>", starts("SubagentStart", agent_id="a", agent_type="x"))
    assert "webhook" in shown
    Path(transcript).write_text(task("5", "x", "look up heron") + task("6", "x", "fix the webhook"))
    assert all("<memory " in starts("SubagentStart", agent_id=ident, agent_type="x") for ident in "de")


def test_parent_and_subagent_each_get_a_memory_once(project: Project) -> None:
    project.write("a.py")
    project.remember("a.py is slow")
    arguments = {"file_path": str(project.top / "a.py")}
    for more, shown in (({}, True), ({"agent_id": "b"}, True), ({"agent_id": "b"}, False), ({}, False)):
        assert bool(project.event("PostToolUse", "Read", arguments, tool_response={}, **more)) is shown


def test_a_folder_with_a_longer_name_is_not_in_the_working_directory() -> None:
    call = {"file_path": "/x/app-old/a.py"}
    assert act.Call("Read", call, "/x/app").cited() == act.Call("Read", call, "/y").cited()


def test_malformed_calls_are_ignored(project: Project) -> None:
    project.remember("Never run terraform destroy on a.py")
    for arguments in (
        {"command": 5},
        {"command": ["a", 1]},
        {"file_path": "a\0b"},
        {"paths": [1]},
        {"pattern": "(" * 9_000},
    ):
        assert project.event("PreToolUse", "Bash", arguments) == ""
        assert project.event("PostToolUse", "Read", arguments, tool_response=3) == ""
    assert failures.rare_words("") == []
    clauses = prohibitions.clauses("Never " + "`" * 3_000)
    assert not any(warnings.forbids(clause, warnings.Command(["a"], ["a"])) for clause in clauses)
