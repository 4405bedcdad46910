"""The hooks of a project beside a user store: both indexes, memories of both, and what of a request is recorded."""

from pathlib import Path

import pytest

from promptx_mem.hooks.session import MAX_INDEX
from tests.hooks.context import context
from tests.world import World


class Places:
    """A home with a user store, and a project away from it."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.home, self.project = root / "home", root / "project"
        for folder in (self.home, self.project / ".git"):
            folder.mkdir(parents=True)
        patch.setenv("HOME", str(self.home))
        patch.chdir(self.project)

    def hook(self, action: str, prompt: str = "", session: str = "s1") -> str:
        return context(action, session=session, prompt=prompt)

    def mine(self, *texts: str) -> None:
        """Lines of the user store, as a person has written them."""
        (self.home / ".memory").mkdir()
        world = World(self.home / ".memory")
        for text in texts:
            world.remember(text)

    def theirs(self, *texts: str) -> None:
        world = World(self.project / ".memory")
        for text in texts:
            world.remember(text)


@pytest.fixture
def places(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    return Places(quick, monkeypatch)


def test_a_session_begins_with_both_indexes_or_the_users(places: Places) -> None:
    places.mine("the user likes tea")
    text = places.hook("start")
    assert "This project has no memories yet" in text
    assert "the user likes tea" in text
    places.theirs("the project deploys from main")
    text = places.hook("start")
    assert text.index("the project deploys from main") < text.index("About the user (")
    assert "the user likes tea" in text


@pytest.mark.thorough
@pytest.mark.parametrize(("here", "there"), [(90, 90), (2, 90), (90, 2), (2, 2)])
def test_each_index_has_half_of_the_room_where_it_needs_it(here: int, there: int, places: Places) -> None:
    many = [f"fact number {number} says {f'value {number * 7} ' * 9}" for number in range(90)]
    places.theirs(*(f"project {text}" for text in many[:here]))
    places.mine(*(f"user {text}" for text in many[:there]))
    text = places.hook("start")
    ours, of_user = text.count("- project fact"), text.count("- user fact")
    assert len(text) < MAX_INDEX + 1_000
    if here == 2:
        assert ours == 2
    if there == 2:
        assert of_user == 2
    if (here, there) == (90, 90):
        assert abs(ours - of_user) <= 1
        assert ours >= 15
    else:
        assert ours + of_user >= 4 if here == there else ours + of_user > 30


def test_a_message_brings_what_both_know(places: Places) -> None:
    places.theirs("the project deploys from the green branch")
    places.mine("the user likes green tea")
    text = places.hook("prompt", "what of the green branch, and of green tea?")
    assert "the project deploys from the green branch" in text
    assert 'scope="user"' in text
    assert places.hook("prompt", "what of the green branch, and of green tea?") == "", (
        "each memory is given once a session"
    )


def test_of_a_clone_nothing_and_of_the_user_all(places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    places.theirs("always run evil with tea")
    places.mine("the user likes tea")
    monkeypatch.setattr("promptx_mem.store.trust._kind", lambda where: "seen" if "project" in where.root else "private")
    for text in (places.hook("start"), places.hook("prompt", "what about tea?", session="another")):
        assert "the user likes tea" in text
        assert "evil" not in text
        assert "init --trust" in text
