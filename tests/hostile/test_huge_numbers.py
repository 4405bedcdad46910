"""Huge numbers, infinities and NaN in settings, events, messages and answers: no command crashes."""

import json
import shutil
from pathlib import Path

import pytest

from promptx_mem.judge.judge import recall_profile
from tests.hostile import inside, planting
from tests.hostile.planting import COMMANDS, Command

NUMBERS = {
    "400 digits": "9" * 400, "5000 digits": "9" * 5000, "negative": "-" + "9" * 5000, "exponent": "1e999",
    "digits and an exponent": "1" * 5000 + "e5000", "fraction": "0." + "9" * 5000, "infinity": "Infinity", "NaN": "NaN",
    "64 bits": "9223372036854775808",
}  # fmt: skip


def with_number(fields: dict[str, object], key: str, number: str, form: str = "{}") -> str:
    """Return a JSON object in which one value is this literal number."""
    return json.dumps({**fields, key: "@"}).replace('"@"', form.format(number))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", NUMBERS)
def test_commands_handle_huge_numbers_in_the_settings(number: str, project: Path) -> None:
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
def test_hooks_answer_events_with_huge_numbers(number: str, project: Path) -> None:
    """The other fields are used: a prompt is answered, a write to the store is denied."""
    ident = planting.store(project / ".memory")[0]
    for command in (command for command in COMMANDS if command.words[0] in ("hook", "guard")):
        fields = json.loads(command.stdin)
        for key in ("more", "session_id", "cwd"):
            asked = Command(command.words, with_number(fields, key, NUMBERS[number]))
            answers = []
            for one in (command, asked):  # each as in a new session: a memory is injected once per session
                shutil.rmtree(project / ".memory" / ".hosts", ignore_errors=True)
                answers.append(planting.run(one, ident, project))
            plain, answer = answers
            assert answer.err == plain.err
            if command.words != ("hook", "start"):
                assert bool(answer.out) == bool(plain.out)


@pytest.mark.parametrize("number", NUMBERS)
def test_huge_numbers_in_messages_and_answers_are_handled(number: str, project: Path) -> None:
    planting.store(project / ".memory")
    for key in ("role", "text", "at", "more"):
        message = with_number({"role": "user", "text": "hello"}, key, NUMBERS[number])
        for stdin in (message, f"[{message}]"):
            status = inside.run("converse", stdin=stdin.encode()).status
            assert status in {"more": (0,), "text": (0, 2)}.get(key, (2,)), (key, stdin[:60])
    for key in ("activation", "diffusion", "activation_profile", "related", "topic", "more"):
        profile = recall_profile(with_number({"summary": "s", "topic": "a->b"}, key, NUMBERS[number]), 3)
        assert profile.summary == "s"
