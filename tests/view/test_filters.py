"""A page about one topic: what `--filter` leaves, which may go to somebody."""

import pytest

from tests.api import Cues, UsageError
from tests.api import PageWants as Wants
from tests.view import pages
from tests.world import World


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (("coffee",), {"coffee without sugar"}),
        (("#deploy",), {"releases on Tuesday"}),
        (("project->deploy",), {"部署用蓝绿发布", "releases on Tuesday"}),
        (("project",), {"部署用蓝绿发布", "releases on Tuesday"}),
        (("蓝绿",), {"部署用蓝绿发布"}),
        (("2026-03-02",), {"coffee without sugar"}),
        (("project->deploy", "2026-03-03"), {"releases on Tuesday"}),
        (("project->deploy", "coffee"), set()),
        (("the team has",), {"the team has five people"}),
        (("which team drinks coffee in Rome",), {"coffee without sugar", "the team has five people"}),
        (("is it so in Rome",), set()),
        (("the people of Rome",), set()),
    ],
)
def test_filters_are_cues_and_all_must_hold(filled: World, filters: tuple[str, ...], expected: set[str]) -> None:
    text = pages.written(filled, *filters)
    assert set(pages.texts(text)) == expected
    for gone in {"coffee without sugar", "the office is in Paris"} - expected:
        assert gone not in text
    assert pages.data(text)["cues"]


def test_a_filtered_page_has_what_ended_only_where_asked(filled: World) -> None:
    assert "four people" not in pages.written(filled, "#team")
    assert "four people" in pages.written(filled)


def test_a_bad_filter_is_named(filled: World) -> None:
    with pytest.raises(UsageError, match="->"):
        filled.memory.view(Wants(filters=("->",)))
    assert not filled.file(".view.html").exists()


@pytest.mark.parametrize("words", ["the people of Rome", "which team drinks coffee in Rome", "team of coffee people"])
def test_what_recall_marks_as_weak_is_left_out(filled: World, words: str) -> None:
    matches = filled.memory.recall(Cues(text=words, touch=False)).data["memories"]
    assert set(pages.texts(pages.written(filled, words))) == {one["text"] for one in matches if not one["weak"]}
    assert any(one["weak"] for one in matches) == (words == "the people of Rome")


def test_a_page_without_a_memory_is_no_surprise(filled: World) -> None:
    (warning,) = filled.memory.view(Wants(filters=("the people of Rome",))).warnings
    assert "the page is empty" in warning
    assert not filled.memory.view(Wants(filters=("coffee",))).warnings
