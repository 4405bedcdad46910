"""The output and the facts of a copy of a store, so that two copies can be compared."""

import datetime
import shutil
from collections.abc import Sequence
from typing import Any

from tests.api import Cues, Entry, Event, layout
from tests.copies.clones import Clone
from tests.inside import sources

Facts = tuple[set[Entry], set[Event]]


def facts(clone: Clone, *, sound: bool = True) -> Facts:
    """Return the lines and events in all files of a copy; hand-written lines without their time."""
    everything = sources.read(layout.at(str(clone.store)))
    assert everything.problems == () or not sound
    lines = {line.entry if line.has_time else line.entry._replace(at=None) for line in everything.lines}
    return lines, set(everything.events)


def all_output(clone: Clone, cues: Sequence[Cues], now: datetime.datetime) -> dict[str, Any]:
    """Return the data of every reading command at a time, without the place of the store."""
    before, clone.time = clone.time, now - clone.ahead
    try:
        output: dict[str, Any] = {repr_of(one): clone.memory.recall(one).data for one in cues}
        known = clone.memory.recall(Cues(archived=True, count=1000, touch=False)).data["memories"]
        for found in known:
            one = Cues(text=found["id"], touch=False)
            output[f"history {found['id']}"] = clone.memory.recall(one).data
        output["reviews"] = clone.memory.reviews().data
        output["topics"] = clone.memory.tags().data
        (clone.store / "MEMORY.md").unlink(missing_ok=True)
        clone.memory.index()
        output["index"] = (clone.store / "MEMORY.md").read_bytes()
        output["problems"] = clone.memory.audit_verify().data["problems"]
    finally:
        clone.time = before
    for value in output.values():
        if isinstance(value, dict):
            value.pop("store", None)
    return output


def repr_of(cues: Cues) -> str:
    return repr({name: value for name, value in cues._asdict().items() if value != getattr(Cues(), name)})


def remove_cache(clone: Clone) -> None:
    """Remove the cache."""
    shutil.rmtree(clone.store / ".cache", ignore_errors=True)
