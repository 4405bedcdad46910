"""A page about one topic: what `--filter` leaves, which may go to somebody."""

import pytest

from tests.view import pages
from tests.world import World


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (("coffee",), {"coffee without sugar"}),
        (("#deploy",), {"releases on Tuesday"}),
        (("project->deploy",), {"部署用蓝绿发布", "releases on Tuesday"}),
        (("2026-03-02",), {"coffee without sugar"}),
        (("project->deploy", "coffee"), set()),
        (("which team drinks coffee in Rome",), {"coffee without sugar", "the team has five people"}),
        (("the people of Rome",), set()),
    ],
)
def test_filters_are_cues_and_all_must_hold(filled: World, filters: tuple[str, ...], expected: set[str]) -> None:
    text = pages.written(filled, *filters)
    assert set(pages.texts(text)) == expected
    for gone in {"coffee without sugar", "the office is in Paris"} - expected:
        assert gone not in text
    assert pages.data(text)["cues"]
