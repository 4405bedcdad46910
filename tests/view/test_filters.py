"""A page with only the memories that match `--filter`, to be shared with others."""

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
def test_filtered_page_has_only_matching_memories(filled: World, filters: tuple[str, ...], expected: set[str]) -> None:
    text = pages.written(filled, *filters)
    assert set(pages.texts(text)) == expected
    for gone in {"coffee without sugar", "the office is in Paris"} - expected:
        assert gone not in text
    assert pages.data(text)["cues"]
