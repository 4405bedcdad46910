"""Hostile text as a name, number, date, id or path: read as text, or refused with a reason."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.hostile import inside
from tests.hostile.strings import STRINGS

pytestmark = pytest.mark.thorough

FACT = ("remember", "--json", "the fact", "#t", "score:9")
TEXTS = ("--topic", "--related", "--reason", "--session")
"""Options whose value is text that is stored."""


@pytest.fixture
def store(place: Path) -> Path:
    for number in range(3):
        assert inside.run("remember", f"kept {number} 昨天 coffee", "#t", "score:9", "--topic", "a->b").status == 0
    return place / ".memory"


@pytest.mark.parametrize("option", TEXTS)
def test_hostile_option_does_not_change_the_memory(option: str, place: Path, sample: dict[str, str]) -> None:
    kept: dict[str, str] = {}
    for number, (name, text) in enumerate(sample.items()):
        said = inside.run("remember", "--json", f"fact {number}", "-t", "t", "--score", "9", f"{option}={text}")
        if said.status == 2 and option in ("--topic", "--related") and not re.sub(r"->|\s|\[.*\]|\{.*\}", "", text):
            continue  # an empty path: `[…]` and `{…}` at its end belong to the printed tree
        assert said.status == 0, (name, said.object["error"])
        kept[said.object["id"]] = text
    found = inside.memories()
    assert set(found) == set(kept)
    assert all(re.fullmatch(r"fact \d+", one["text"]) for one in found.values())
    inside.check_store(place / ".memory")
    for words in (("tags",), ("index",), ("audit", "-n", "1000"), ("recall", "-n", "1000"), ("audit", "--violations"),
                  ("recall", "--format", "context"), ("recall", "--explain", "fact"), ("recall", "--format", "rich")):  # fmt: skip
        inside.run(*words)


def _query_status(text: str) -> int:
    """Return the expected status: any text is a query, except `-`, which reads an empty stdin."""
    return 2 if text == "-" else 0


def test_recall_accepts_hostile_queries(store: Path, sample: dict[str, str]) -> None:
    before = (store / "declarative.md").read_bytes()
    for name, text in sample.items():
        assert inside.run("recall", "--", text).status == _query_status(text), name
        for form in ("json", "context"):
            assert inside.run("recall", "--explain", f"--format={form}", "--", text).status == _query_status(text), name
    assert (store / "declarative.md").read_bytes() == before


def test_hostile_arguments_give_a_documented_status(store: Path, sample: dict[str, str]) -> None:
    for name, text in sample.items():
        for words in ((text,), ("--", text), ("hook", text), ("setup", text), ("decay", f"--now={text}"), ("import", text),
                      ("converse", f"--role={text}", "x"), ("score", f"--dims={text}"), (f"--{text}",), ("recall", f"-{text}")):  # fmt: skip
            assert inside.run(*words).status in (0, 1, 2, 3, 4), (name, words)
    inside.check_store(store)


def test_hostile_store_paths_give_a_documented_status(place: Path, sample: dict[str, str]) -> None:
    """The path is used as it is and printed without harm."""
    names = {
        name: text for name, text in STRINGS.items() if not re.search("[\ud800-\udc7f]", text)
    }  # no argv has those
    for name, text in names.items():
        assert inside.run("recall", f"--memory-dir={text}").status in (0, 2, 3), name
    made = place / ".memory"
    made.mkdir()
    for name in names.keys() & sample.keys():
        text = names[name]
        if "/" in text or len(text.encode("utf-8", "surrogateescape")) > 200 or text in ("", ".", "..", "~"):
            continue
        ran = inside.run(*FACT, f"--memory-dir=.memory/{text}")
        if "\0" in text:
            assert ran.status == 2, name
        assert ran.status in (0, 2, 3), (name, ran.out)
        for words in (("recall",), ("audit", "--verify"), ("index",), ("decay",), ("decay", "--schedule"), ("status",), ("init",)):  # fmt: skip
            inside.run(*words, f"--memory-dir=.memory/{text}")


def commands(said: inside.Ran) -> list[str]:
    """Return every command that a message or a result offers."""
    lines = f"{said.out}\n{said.err}".split("\n")
    found = [
        line[line.index("promptx-mem ") :]
        for line in lines
        if re.search(r"(?:→|replaces it|lift it).*: promptx-mem ", line)
    ]
    return [line for line in found if "--help" not in line and "; " not in line[-20:]]


def test_printed_commands_are_safe_to_paste(place: Path, sample: dict[str, str]) -> None:
    """Bash runs each as one call of the program, and nothing else."""
    found: dict[str, str] = {}
    for number, (name, text) in enumerate(STRINGS.items()):
        forms = ((text,), (text, "score:1"), ("--policy", text), ("-t", text, "--", "x"), ("--", text, "-t", "x"), (f"--topic={text}", "a fact"),
                 ("--dims", "1,1,1,1,1,1", f"--reason={text}", "x", "#t"))  # fmt: skip
        for words in forms[number % 3 :: 3]:
            env = {"PROMPTX_MEM_SESSION": f"s {len(found)}"}
            found |= dict.fromkeys(commands(inside.run("remember", *words, env=env)), name)
        for wrong in ((text, "x"), ("recall", text, f"-{text}")) if name in sample else ():
            found |= dict.fromkeys(commands(inside.run(*wrong)), name)
    assert len(found) > len(STRINGS)
    script = "promptx-mem() { printf 'call\\n'; }\n"
    for number, command in enumerate(found):
        script += f"echo 'begin {number}'\n{command}\n"
    env = {"LC_ALL": "C.UTF-8", "HOME": "/nowhere"}
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=place, check=False, env=env)
    assert done.stderr == ""
    assert done.stdout == "".join(f"begin {number}\ncall\n" for number in range(len(found)))
