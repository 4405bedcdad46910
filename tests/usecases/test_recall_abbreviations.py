"""`abbreviations`: words that mean the same to the user, in the settings of a store and of the user."""

from pathlib import Path

import pytest

from tests.api import Cues
from tests.git import git
from tests.inside import ENVIRONMENT
from tests.usecases.recall_store import entry, reopened, store

FACTS = [
    entry("王建国负责机房的门禁。", 9),
    entry("The customer desk closes at six.", 8),
    entry("Vitamin c is in the upper drawer.", 7),
    entry("The C# part is built by Anna.", 6),
    entry("猫的疫苗在三月打。", 5),
]
ABBREVIATIONS = """
abbreviations:
  老王: 王建国
  CRM: [客户系統, Customer Desk]
  csharp: C#
  kitty: 猫
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store(tmp_path, FACTS)
    return tmp_path


def first(folder: Path, text: str) -> str | None:
    """Return the first text that is not a weak match."""
    found = reopened(folder).recall(Cues(text=text)).data["memories"]
    return found[0]["text"] if found and not found[0]["weak"] else None


def warnings(folder: Path, text: str) -> str:
    return "\n".join(reopened(folder).recall(Cues(text=text)).warnings)


@pytest.fixture(params=["store", "user"])
def settings(request: pytest.FixtureRequest, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings file to write."""
    if request.param == "store":
        return folder / ".memory" / "config.yaml"
    monkeypatch.setenv(ENVIRONMENT, str(folder / "mine.yaml"))
    (folder / "mine.yaml").write_text("")
    return folder / "mine.yaml"


QUESTIONS = [("老王的电话", FACTS[0].text), ("客户系统几点关", FACTS[1].text), ("who builds csharp", FACTS[3].text)]


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_an_abbreviation_finds_the_full_name(folder: Path, settings: Path, question: str, answer: str) -> None:
    assert first(folder, question) != answer
    settings.write_text(ABBREVIATIONS)
    assert first(folder, question) == answer


def test_an_abbreviation_applies_only_to_whole_words(folder: Path, settings: Path) -> None:
    settings.write_text(ABBREVIATIONS)
    assert first(folder, "crmx opening") is None
    assert first(folder, "vitamin c drawer") == FACTS[2].text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("vitmain", FACTS[2].text),
        ("vitaamin", FACTS[2].text),
        ("draer", FACTS[2].text),
        ("drrawer", FACTS[2].text),
        ("drayer", None),
        ("diawer", None),
    ],
)
def test_a_word_with_a_missing_extra_or_swapped_letter_is_found(
    folder: Path, question: str, answer: str | None
) -> None:
    assert first(folder, question) == answer


@pytest.mark.parametrize(
    "wrong",
    [
        "abbreviations: [a, b]",
        "abbreviations: {no: b}",
        "abbreviations:\n" + "".join(f"  w{n}: v{n}\n" for n in range(201)),
    ],
)
def test_invalid_abbreviations_give_a_warning_and_recall_works(folder: Path, settings: Path, wrong: str) -> None:
    settings.write_text(wrong)
    assert first(folder, "vitamin drawer") == FACTS[2].text
    assert "abbreviations" in warnings(folder, "vitamin drawer")


def test_abbreviations_of_a_cloned_store_are_ignored(folder: Path) -> None:
    (folder / ".memory" / "config.yaml").write_text(ABBREVIATIONS)
    git(folder, "init", "-q")
    git(folder, "add", "-f", ".memory/declarative.md", ".memory/config.yaml")
    git(folder, "commit", "-qm", "x")
    assert first(folder, "kitty vaccination") != FACTS[4].text


@pytest.mark.parametrize("before", ["", "abbreviations: {kitty: 猫}\n"])
def test_the_old_setting_aliases_is_still_read(settings: Path, folder: Path, before: str) -> None:
    settings.write_text(f"{before}aliases: {{老王: 王建国, kitty: desk}}\n", encoding="utf-8")
    assert first(folder, "kitty") == ("猫的疫苗在三月打。" if before else "The customer desk closes at six.")
    assert not warnings(folder, "kitty")
