"""Random projects in nested and sibling folders, the memories of each, and all output in one of them."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tests.api import Cues, Entry, Event, Filters, Memory, PromptxMemError, Wants, format_event, format_line
from tests.api import PageWants as Page
from tests.api import hooks_run as run
from tests.inside import budget as context
from tests.usecases.recall_store import entry

PLACES = ("home/a", "home/a/below", "home/c", "away/d", "away/d/deep/below")
"""Folders of projects, inside and outside the home, also nested."""

WORDS = ("tea", "deploys", "用户喜欢", "数据库", "port 5432", "vegetarian", "on Fridays", "never")
TOPICS = (None, "project", "project->deploy", "taste")
QUERIES = ("tea deploys", "用户喜欢什么", "port", "#t", "2026-11-20")


@dataclass
class World:
    """Stores by the folder that contains them; "home" has the user store."""

    root: Path
    stores: dict[str, list[Entry]]
    events: dict[str, list[Event]] = field(default_factory=dict)

    def build(self, patch: pytest.MonkeyPatch) -> None:
        for place in ("home", *PLACES):
            (self.root / place).mkdir(parents=True, exist_ok=True)
        for place in self.stores:
            self.write(place)
        for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(self.root / "home"))

    def write(self, place: str) -> None:
        folder = self.folder(place)
        folder.mkdir(mode=0o700, exist_ok=True)
        lines = "".join(format_line(one) + "\n" for one in self.stores[place])
        (folder / "declarative.md").write_text(lines, "utf-8")
        (folder / "journal.jsonl").write_text("".join(format_event(one) + "\n" for one in self.events.get(place, ())))

    def folder(self, place: str) -> Path:
        return self.root / place / ".memory"

    def read_in(self, place: str) -> str:
        """Return the place whose store is read there: its own, or the nearest one above."""
        while place and place != "home":
            if place in self.stores:
                return place
            place = os.path.dirname(place)
        return ""


def mark(place: str, number: int) -> str:
    """Return a word that is in one memory only."""
    letter = "U" if place == "home" else "ABCDE"[PLACES.index(place)]
    return f"xmk{letter}{number}x"


def mentions(place: str, text: str) -> bool:
    """Return whether a text contains a memory of a place."""
    return mark(place, 0)[:4] in text


@st.composite
def entries(draw: st.DrawFn, place: str) -> list[Entry]:
    """A few memories of a place; other places use the same words."""
    words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
    return [
        entry(
            f"{draw(words)} {mark(place, number)}",
            days=draw(st.sampled_from((0.2, 3, 40))),
            score=draw(st.sampled_from((7.0, 8.0, 9.5))),
            tags=draw(st.sampled_from((("t",), ("t", "标签")))),
            topic=draw(st.sampled_from(TOPICS)),
            category=draw(st.sampled_from(("fact", "core"))),
        )
        for number in range(draw(st.integers(1, 4)))
    ]


@st.composite
def stores(draw: st.DrawFn) -> dict[str, list[Entry]]:
    """At least two projects, and mostly a user store."""
    places = draw(st.lists(st.sampled_from(PLACES), min_size=2, max_size=3, unique=True))
    return {place: draw(entries(place)) for place in (*places, *draw(st.sampled_from((("home",), ("home",), ()))))}


def all_output(idents: list[str]) -> str:
    """Return all output of reading commands and hooks here, also of queries for ids of other stores."""
    memory = Memory.open
    cues = [Cues(text=text, count=50, touch=False) for text in ("", *QUERIES)]
    cues += [Cues(text=ident, touch=False) for ident in idents]
    cues += [
        Cues(topics=("project->deploy",), touch=False),
        Cues(text="tea", archived=True, touch=False),
        Cues(as_of="2026-11-21", count=50, touch=False),
    ]
    out: list[object] = []
    for one in cues:
        result = memory().recall(one)
        out += [result.data["memories"], result.data["near_misses"], result.warnings, context.block(result.data)]
    for read in (
        lambda: memory().index(),
        lambda: memory().tags(),
        lambda: memory().export(Wants("json", Cues(archived=True))),
        lambda: memory().view(Page(apart=True)),
        lambda: memory().reviews(as_prompt=True),
        lambda: memory().audit(Filters()),
        lambda: memory().status(),
        lambda: memory().audit_verify(),
    ):
        try:
            out.append(read().data)
        except PromptxMemError as error:  # for example, there is no store
            out.append(str(error))
    for action, prompt in (("start", ""), ("prompt", "which tea deploys on port 5432?")):
        event = {"hook_event_name": "x", "session_id": "s1", "cwd": os.getcwd(), "prompt": prompt}
        out.append(run.reply(action, json.dumps(event).encode()))
    return json.dumps(out, ensure_ascii=False, default=str)
