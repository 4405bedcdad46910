"""A copy too small for a whole space receives the newest memories with their events; and bindings in the settings."""

from pathlib import Path

import pytest

from tests.inside import Binding, store
from tests.team.inside import binding
from tests.team.team import Make

SMALL = 12_000


def test_small_copy_receives_only_the_newest_memories(member: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = member("ada")
    old = ada.remember("an old fact that was superseded late")["id"]
    for number in range(30):
        ada.later(hours=1).remember(f"fact {number} " + "x" * 300)
    young = ada.later(hours=1).remember("what stands in its place", update=old)["id"]
    ada.memory.boost(young)
    ada.sync()
    bob = member("bob")
    bob.time = ada.time
    monkeypatch.setattr(store, "MAX_BYTES", SMALL)
    first = bob.sync().data
    assert 0 < first["left"] < 33
    assert (bob.root / "declarative.md").stat().st_size < SMALL
    texts = bob.recall("fact")
    assert any(text.startswith("fact 29 ") for text in texts)
    assert not any(text.startswith("fact 0 ") for text in texts)
    assert bob.states()[young] == ada.states()[young]
    assert bob.states()[old] == ada.states()[old]
    assert bob.sync().data["pulled"] == 0
    assert bob.status()["left"] == first["left"]


def test_left_out_memories_arrive_when_there_is_space(member: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = member("ada")
    for number in range(40):
        ada.later(hours=1).remember(f"fact {number} " + "x" * 300)
    ada.sync()
    bob = member("bob")
    bob.time = ada.time
    with monkeypatch.context() as patch:
        patch.setattr(store, "MAX_BYTES", SMALL)
        left = bob.sync().data["left"]
    ada.later(hours=1).remember("the newest of all")
    ada.sync()
    with monkeypatch.context() as patch:
        patch.setattr(store, "MAX_BYTES", SMALL)
        bob.time = ada.time
        full = bob.sync()
        assert full.data["left"] >= left
        assert any("did not fit" in warning for warning in full.warnings)
    assert bob.sync().data["left"] == 0
    ada.sync()
    assert ada.states() == bob.states()
    assert len(ada.states()) == 43


def test_binding_is_written_only_to_the_users_settings(member: Make, tmp_path: Path) -> None:
    ada = member("ada")
    where = ada.memory.context.layout
    config = tmp_path / "XDG_CONFIG_HOME" / "promptx-mem" / "config.yaml"
    config.write_text("user_store: true\n" + config.read_text("utf-8") + "keep:\n  days: 40\n", "utf-8")
    binding.note(where, Binding("host=/elsewhere", "other"))
    assert binding.of(where) == Binding("host=/elsewhere", "other")
    text = config.read_text("utf-8")
    assert text.count("sync:") == 1
    assert "days: 40" in text
    assert config.stat().st_mode & 0o077 == 0 or config.stat().st_mode & 0o022 == 0
    (ada.root / "config.yaml").write_text("sync: {server: evil}\n", "utf-8")
    with pytest.raises(Exception, match="unknown key sync"):
        ada.sync()


def test_hand_written_binding_is_not_changed(member: Make, tmp_path: Path) -> None:
    ada = member("ada")
    config = tmp_path / "XDG_CONFIG_HOME" / "promptx-mem" / "config.yaml"
    by_hand = f"sync:\n  {ada.root}:\n    server: host=/nowhere\n    space: team\n"
    config.write_text(by_hand, "utf-8")
    assert ada.sync().exit_status == 0
    with pytest.raises(Exception, match="hand-written"):
        binding.note(ada.memory.context.layout, Binding("x", "y"))
    assert config.read_text("utf-8") == by_hand


def test_user_store_cannot_be_sent_to_a_team_space(member: Make) -> None:
    where = member("ada").memory.context.layout
    with pytest.raises(Exception, match="cannot be sent to a team's space"):
        binding.demand_fitting(where._replace(is_user=True), "team")
    with pytest.raises(Exception, match="only for a user store"):
        binding.demand_fitting(where, "user:ada")
    binding.demand_fitting(where._replace(is_user=True), "user:ada")
