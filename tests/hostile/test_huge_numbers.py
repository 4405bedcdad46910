"""Numbers that nobody can mean, wherever a number or anything else is expected: no command fails over one."""

import json
import shutil
from pathlib import Path

import pytest

from promptx_mem.core.json_text import LENIENT, load_object, loads
from promptx_mem.judge.judge import recall_profile
from tests.hostile import inside, planting
from tests.hostile.planting import COMMANDS, Command

NUMBERS = {
    "400 digits": "9" * 400, "5000 digits": "9" * 5000, "less than all": "-" + "9" * 5000, "exponent": "1e999",
    "digits and an exponent": "1" * 5000 + "e5000", "fraction": "0." + "9" * 5000, "infinity": "Infinity", "NaN": "NaN",
    "of 64 bits": "9223372036854775808",
}  # fmt: skip
KEYS = {
    "journal.jsonl": ("k", "v", "at", "e", "id", "ids", "score", "gain", "duration", "tags", "verified", "more"),
    "audit.jsonl": ("at", "s", "cmd", "verdict", "score", "len", "count", "x", "n", "adjust", "allow", "id", "hash", "more"),
    "conversations/u_1.jsonl": ("m", "slice", "first", "last", "episode", "at", "text", "profile", "more"),
    ".hosts/s_0123456789.jsonl": ("at", "e", "session"),
    ".intent": ("file", "at", "size", "sum", "more"),
}  # fmt: skip
EVENT = {"k": 1, "host": "h", "at": planting.AT, "e": "boosted", "id": planting.KNOWN}
RECORD = {
    "at": "2026-11-21T00:00:00+00:00",
    "s": "s",
    "cmd": "remember",
    "verdict": "stored",
    "x": 1,
    "score": 8,
    "n": 1,
}
SLICE = {"slice": 1, "first": 1, "last": 2, "at": planting.AT, "summary": "s", "profile": [0, 0, 0]}
BASES = {"journal.jsonl": EVENT, "audit.jsonl": RECORD, "conversations/u_1.jsonl": SLICE}
COMMENT = (
    "at",
    "text",
    "vis",
    "topic",
    "profile",
    "dims",
    "k",
    "salt",
    "v",
    "related",
    "supersedes",
    "verified",
    "more",
)


@pytest.fixture
def project(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory with a store."""
    folder = quick / "project"
    folder.mkdir()
    (quick / "theirs.md").write_text("- 2026/11/20 09:00 taken over #t #评分:8 #有效期:长期\n", "utf-8")
    monkeypatch.chdir(folder)
    return folder


def with_number(fields: dict[str, object], key: str, number: str, form: str = "{}") -> str:
    """An object as JSON whose value under a key is a number as it stands."""
    return json.dumps({**fields, key: "@"}).replace('"@"', form.format(number))


def rows(name: str) -> str:
    """Each key with each number, alone and in lists."""
    base = BASES.get(name, {})
    forms = ("{}", "[{}]", "[0,0,{}]")
    lines = [with_number(base, key, one, form) for key in KEYS[name] for one in NUMBERS.values() for form in forms]
    return "\n".join(lines) + "\n"


def everything(project: Path, ident: str) -> None:
    """Every command; one that reads finds what was there."""
    for command in COMMANDS:
        ran = planting.run(command, ident, project.parent / "theirs.md")
        newer = ran.status == 3 and "a newer version" in ran.err
        assert ran.status in (0, 1) or newer, (command.words, ran)
    assert "绿茶" in planting.run(Command(("recall", "绿茶")), ident, project).out


@pytest.mark.parametrize("name", KEYS)
def test_in_a_file(name: str, project: Path) -> None:
    root = project / ".memory"
    idents = planting.store(root)
    place = root / name
    place.parent.mkdir(exist_ok=True)
    before = place.read_bytes() if place.exists() else b""
    place.write_bytes(before + rows(name).encode())
    everything(project, idents[2])


def test_in_a_comment(project: Path) -> None:
    """A memory beside it is found; one of ours keeps its id, whatever key nobody understands."""
    root = project / ".memory"
    idents = planting.store(root)
    lines: list[str] = []
    for key in COMMENT:
        for number in NUMBERS.values():
            fields: dict[str, object] = {"id": f"m_{len(lines):010}", "at": planting.AT}
            lines.append(f"- odd {key} #t score:9 duration:永久 <!-- {with_number(fields, key, number)} -->\n")
    with (root / "declarative.md").open("a", encoding="utf-8") as file:
        file.write("".join(lines))
    assert set(inside.memories()) >= {f"m_{count:010}" for count in range(len(lines))}
    everything(project, idents[2])


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", NUMBERS)
def test_in_the_settings(number: str, project: Path) -> None:
    root = project / ".memory"
    planting.store(root)
    texts = (f"policy: {NUMBERS[number]}", f"{NUMBERS[number]}: 1", f"freshness:\n  fact: {NUMBERS[number]}",
             f"tags:\n  aliases:\n    {NUMBERS[number]}: {NUMBERS[number]}", f"llm:\n  timeout: {NUMBERS[number]}",
             f"policy: 0x{'f' * 5000}", "llm: 1.0e+999")  # fmt: skip
    for text in texts:
        (root / "config.yaml").write_text(text, "utf-8")
        for words in (
            ("remember", "one more", "#t", "score:9"),
            ("audit", "--verify"),
            ("index", "--check"),
            ("decay",),
        ):
            ran = inside.run(*words)
            assert ran.status in (0, 1, 2), (text[:80], words, ran)
        assert "绿茶" in planting.run(Command(("recall", "绿茶")), "", project).out
    (root / "config.yaml").unlink()
    for text in texts:
        (project / "own.yaml").write_text(text, "utf-8")
        own = {"PROMPTX_MEM_CONFIG": str(project / "own.yaml")}
        for asked in (("recall", "绿茶"), ("decay", "--judge"), ("recall", "绿茶", "--judge")):
            assert inside.run(*asked, env=own).status in (0, 2, 3), (text[:80], asked)


@pytest.mark.parametrize("number", NUMBERS)
def test_in_an_event_of_a_host(number: str, project: Path) -> None:
    """What it says besides is read: a prompt is answered, a write to the store denied."""
    ident = planting.store(project / ".memory")[0]
    for command in (command for command in COMMANDS if command.words[0] in ("hook", "guard")):
        fields = json.loads(command.stdin)
        for key in ("more", "session_id", "cwd"):
            asked = Command(command.words, with_number(fields, key, NUMBERS[number]))
            answers = []
            for one in (command, asked):  # each as in a session of its own: a memory is given once in each
                shutil.rmtree(project / ".memory" / ".hosts", ignore_errors=True)
                answers.append(planting.run(one, ident, project))
            plain, answer = answers
            assert answer.err == plain.err
            if command.words != ("hook", "start"):
                assert bool(answer.out) == bool(plain.out)


@pytest.mark.parametrize("number", NUMBERS)
def test_on_stdin_and_in_a_judges_answer(number: str, project: Path) -> None:
    planting.store(project / ".memory")
    for key in ("role", "text", "at", "more"):
        message = with_number({"role": "user", "text": "hello"}, key, NUMBERS[number])
        for stdin in (message, f"[{message}]"):
            status = inside.run("converse", stdin=stdin.encode()).status
            assert status in {"more": (0,), "text": (0, 2)}.get(key, (2,)), (key, stdin[:60])
    for key in ("activation", "diffusion", "activation_profile", "related", "topic", "more"):
        profile = recall_profile(with_number({"summary": "s", "topic": "a->b"}, key, NUMBERS[number]), 3)
        assert profile is not None
        assert profile.summary == "s"


def test_only_what_nobody_can_mean_is_text() -> None:
    for number in ("0", "-1", "1.5", "4611686018427387903", "1e300", "-0.0"):
        assert loads(number) == json.loads(number)
    for digits in NUMBERS.values():
        if digits not in ("9223372036854775808", NUMBERS["fraction"]):
            assert loads(f"[{digits}]") == [digits]
            assert load_object(f'{{"a":"\\ud800","b":{digits}}}') == {"a": "\ufffd", "b": digits}
    assert LENIENT.decode('"\n"') == "\n"
