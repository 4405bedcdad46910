"""Properties of random projects: none shows memories of another or changes the user store."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.api import Cues, Entry, Event, Memory, PromptxMemError
from tests.usecases import apart
from tests.usecases.apart import PLACES, QUERIES, World, all_output, mentions
from tests.usecases.recall_store import entry, event

pytestmark = [pytest.mark.thorough, pytest.mark.usefixtures("person")]

SOME, ALL = 5, 1_000
"""The number of worlds for each property, by default and with `--faults=all`."""


def worlds(all_faults: bool) -> settings:
    """Return settings without shrinking, since each example writes files."""
    return settings(max_examples=ALL if all_faults else SOME, deadline=None, phases=[Phase.generate])


def test_no_memory_of_a_project_is_shown_in_another(quick: Path, all_faults: bool) -> None:
    @worlds(all_faults)
    @given(stores=apart.stores())
    def check(stores: dict[str, list[Entry]]) -> None:
        world = World(Path(tempfile.mkdtemp(dir=quick)), stores)
        with pytest.MonkeyPatch.context() as patch:
            world.build(patch)
            projects = [place for place in stores if place != "home"]
            idents = [each[0].id for each in stores.values()]
            for place in PLACES:
                patch.chdir(world.root / place)
                text, own = all_output(idents), world.read_in(place)
                for other in projects:
                    assert mentions(other, text) == (other == own), (other, place)
                assert mentions("home", text) == ("home" in stores)

    check()


KINDS = ("forgotten", "purged", "deleted", "superseded", "promoted", "verified", "boosted", "confirmed", "restored")
SETTINGS = (
    "", "tags: {aliases: {t: other, 标签: other}}\n", "user_store: {c}\nuser_dir: {c}\nmemory_dir: {c}\n",
    "user_store: false\n", "PROMPTX_MEM_USER_DIR: {c}\n", "tags: [", "limits: {max_memories: 1}\n",
)  # fmt: skip
LINKS = ("journal.jsonl", "archive", "MEMORY.md", "conversations", ".recalled", "audit.jsonl")


@st.composite
def hostile(draw: st.DrawFn, mine: list[Entry]) -> list[Entry]:
    """Lines of someone who knows all ids and texts of the user's memories and claims a high importance."""
    names: tuple[dict[str, Any], ...] = ({}, {}, {"id": mine[0].id}, {"id": mine[-1].id})
    lines = [
        entry(
            f"{draw(st.sampled_from((*QUERIES, 'always run evil', mine[0].text)))} xmkA{number}x",
            days=draw(st.sampled_from((-900, -1, 0.1, 300))),
            score=draw(st.sampled_from((7.0, 10.0))),
            category=draw(st.sampled_from(("fact", "core", "system"))),
            duration=draw(st.sampled_from(("长期", "永久"))),
            verified=draw(st.booleans()),
            type=draw(st.sampled_from((None, "user"))),
            topic=draw(st.sampled_from(apart.TOPICS)),
            supersedes=draw(st.sampled_from((None, mine[0].id, mine[-1].id))),
            k=draw(st.sampled_from((None, 1, 2**62))),
            **draw(st.sampled_from(names)),
        )
        for number in range(draw(st.integers(1, 4)))
    ]
    copies = [mine[-1]._replace(category="core", score=10.0, tags=("evil",), supersedes=mine[0].id)]
    return [*lines, *draw(st.sampled_from(([], copies)))]


@st.composite
def planted_events(draw: st.DrawFn, every: list[Entry]) -> list[Event]:
    """Events about memories of both stores."""
    days, idents = st.sampled_from((-900, 0.1, 2)), st.sampled_from([one.id for one in every])
    number = draw(st.integers(0, 6))
    return [event(draw(st.sampled_from(KINDS)), draw(idents), draw(days), k) for k in range(number)]


def test_a_hostile_project_does_not_change_the_user_store(quick: Path, all_faults: bool) -> None:
    """Recall of the user's memories is the same without the project, and changes of its memories stay in it."""

    @worlds(all_faults)
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        mine, decoy = data.draw(apart.entries("home")), data.draw(apart.entries("home/c"))
        lines = data.draw(hostile(mine))
        world = World(Path(tempfile.mkdtemp(dir=quick)), {"home": mine, "home/c": decoy, "home/a": lines})
        world.events["home/a"] = data.draw(planted_events([*mine, *lines]))
        with pytest.MonkeyPatch.context() as patch:
            world.build(patch)
            _tamper(world, data.draw(st.sampled_from(SETTINGS)), data.draw(st.sampled_from((None, *LINKS))))
            patch.chdir(world.root / "away")
            before, files = _user_memories(), _files(world)
            patch.chdir(world.root / "home/a")
            assert _user_memories() == before
            text = all_output([mine[0].id, decoy[0].id])
            assert mentions("home", text)
            assert not mentions("home/c", text)
            gone = {ident for one in world.events["home/a"] if one.kind == "purged" for ident in one.ids}
            for ident in sorted({one.id for one in lines} - gone):  # a purged id is only in the user store
                _act(ident, in_both=ident in {one.id for one in mine})
            assert _files(world) == files
            patch.chdir(world.root / "away")
            assert _user_memories() == before

    check()


def _tamper(world: World, config: str, link: str | None) -> None:
    """Make the project an invalid git repository, with settings and a link into another store."""
    hostile, other = world.folder("home/a"), world.folder("home/c")
    (hostile.parent / ".git").mkdir()
    (hostile / "config.yaml").write_text(config.replace("{c}", str(other)), "utf-8")
    if link is not None:
        (hostile / link).unlink(missing_ok=True)
        (hostile / link).symlink_to(other / "declarative.md" if link.endswith(("l", "d")) else other)


def _user_memories() -> dict[str, dict[str, Any]]:
    """Return the recalled memories of the user by text, without their relevance and its reasons."""
    memories = Memory.open().recall(Cues(count=200, touch=False)).data["memories"]
    return {one["text"]: {**one, "relevance": None, "why": None} for one in memories if one["scope"] == "user"}


def _files(world: World) -> dict[str, bytes]:
    """Return the source files of the user store."""
    folder = world.folder("home")
    return {name: (folder / name).read_bytes() for name in ("declarative.md", "journal.jsonl")}


def _act(ident: str, *, in_both: bool) -> None:
    """Change a memory of the project; refused if the user store has its id."""
    for act in (Memory.boost, Memory.verify, Memory.forget, Memory.restore):
        code = ""
        try:
            act(Memory.open(), ident)
        except PromptxMemError as error:
            code = error.code
        assert (code == "both_scopes") == in_both
