"""`recall --remote` has the results of the copy, from a table that can be derived again."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import Event
from promptx_mem.errors import PromptxMemError
from promptx_mem.search import tokens
from promptx_mem.search.query import parse_query
from promptx_mem.team import port, remote
from promptx_mem.team.postgres import term_number
from promptx_mem.usecases.recall import Cues
from tests.team.server import Server
from tests.team.spaces import NAME, NOW, Both
from tests.team.tables import Tables

SIZE = 800


@pytest.fixture(scope="module")
def both(server: Server, tmp_path_factory: pytest.TempPathFactory, *, all_faults: bool) -> Iterator[Both]:
    tables = Tables(server)
    yield Both(tmp_path_factory.mktemp("both"), tables, 15 * SIZE if all_faults else SIZE)
    tables.close()


def _remote(both: Both, cues: Cues) -> list[str]:
    result = remote.recall(both.memory.context, cues, both.server)
    return [memory["id"] for memory in result.data["memories"]]


def _candidates(both: Both, words: str) -> set[str]:
    """Return every memory within the bounds of a query: those that the server sends."""
    with contextlib.ExitStack() as stack:
        space = remote.RemoteQuery(both.memory.context, Cues(words), both.server, stack)
        weights = space.weigh(parse_query(words, today=space.question.criteria.today))
    best = both.server.search(weights, space.question.criteria.now, space.bounds())
    return {ident for one in best for ident in (one.id, *one.before, *one.after) if ident[:1] not in ("", "~")}


def test_remote_recall_has_the_first_ten_results_of_the_copy(both: Both, *, all_faults: bool) -> None:
    questions = list(both.questions(500 if all_faults else 20))
    different = []
    for words in questions:
        here, there = both.local(Cues(words)), _remote(both, Cues(words))
        if here != there:
            # Memories within the bounds have the same order as here; only those outside make a difference.
            inside = _candidates(both, words)
            shown = [ident for ident in here if ident in inside]
            assert [ident for ident in there if ident in here] == shown, words
            assert len(shown) < len(here), words
            different.append(words)
    print(f"{len(questions) - len(different)} of {len(questions)} questions have the same first ten")
    assert len(different) <= len(questions) // 20, different


def test_remote_recall_expands_configured_abbreviations(
    both: Both, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.yaml").write_text("abbreviations: {qqq: coffee}\n")
    monkeypatch.setenv("PROMPTX_MEM_CONFIG", str(tmp_path / "config.yaml"))
    assert _remote(both, Cues("qqq")) == both.local(Cues("qqq")) != []


@pytest.mark.parametrize(
    "cues",
    [
        Cues("coffee", count=3),
        Cues("coffee project", count=25),
        Cues("咖啡", tags=("项目",)),
        Cues("database", min_score=9.0),
        Cues("数据库 coffee", since="2026-10-01"),
        Cues("coffee", otherwise=("咖啡",)),
        Cues("coffee -project"),
        Cues('"project"'),
        Cues("会议", archived=True),
        Cues("会议", type="user"),
    ],
    ids=lambda cues: cues.text,
)
def test_remote_recall_applies_every_filter(both: Both, cues: Cues) -> None:
    if both.server.statistics([]) is not None and len(both.lines) > 2 * SIZE:
        pytest.skip("common words of a large space exceed the bounds")
    assert _remote(both, cues) == both.local(cues)


@pytest.mark.parametrize(
    "cues", [Cues(), Cues("昨天"), Cues(topics=("project",)), Cues("x", as_of="2026-01-01")], ids=str
)
def test_remote_recall_without_words_is_refused(both: Both, cues: Cues) -> None:
    with pytest.raises(PromptxMemError, match="searches only by words"):
        _remote(both, cues)


def test_memories_missing_in_the_copy_have_the_origin_of_a_member(server: Server, tmp_path: Path) -> None:
    tables = Tables(server)
    both = Both(tmp_path, tables, 5)
    role = tables.role("bob", NAME)
    mine = both.lines[3]
    edited = make_id("an earlier text")
    for name, line, ident in (
        ("bob", "coffee of bob", edited), ("alice", "coffee of a machine", None), ("bob", mine.text, None)
    ):  # fmt: skip
        taken = port.of_entry(mine._replace(text=line, id=ident or make_id(line), category="core", verified=True))
        assert taken is not None
        tables.space(name, NAME).put([taken.record])
    assert both.derive() == 3
    result = remote.recall(both.memory.context, Cues(f"coffee of {mine.text}"), both.server)
    origins = {memory["text"]: memory["origin"] for memory in result.data["memories"]}
    assert origins[mine.text] == "own"
    assert origins["coffee of bob"] == f"member:{role}"
    assert origins["coffee of a machine"] == f"member:{tables.roles['alice']}"
    assert result.data["store"] == f"space {NAME}"
    tables.close()


def test_search_table_derived_again_equals_the_first_one(server: Server, tmp_path: Path) -> None:
    tables = Tables(server)
    both = Both(tmp_path, tables, 60)
    rows = "SELECT id, noted, k, context, ends_at, length, terms FROM promptx_mem.derived ORDER BY id"
    counts = "SELECT term, docs FROM promptx_mem.derived_terms WHERE docs > 0 ORDER BY term"
    sums = "SELECT memories, length FROM promptx_mem.derived_spaces"

    def everything() -> list[object]:
        with tables.admin() as admin:
            return [admin.execute(query.encode()).fetchall() for query in (rows, counts, sums)]

    first = everything()
    assert both.derive() == 0
    at = NOW.isoformat(timespec="seconds")
    ended = both.lines[1]
    k = int(NOW.timestamp() * 1e6)
    for number, kind in enumerate(("purged", "boosted")):
        taken = port.of_event(Event(k + number, "host", at, kind, (both.lines[number].id,)))
        assert taken is not None
        both.server.put([taken.record])
    both.derive()
    assert len(everything()[0]) == len(first[0]) - 1  # type: ignore[arg-type]
    with tables.admin() as admin:
        admin.execute("DELETE FROM promptx_mem.records WHERE kind = 'purge' OR id = %s AND k >= %s", (ended.id, k))
        admin.execute("UPDATE promptx_mem.derived_spaces SET version = 0")
    both.derive(batch=7)
    assert everything() == first
    tables.close()


def test_emptied_records_leave_the_search_table(server: Server, tmp_path: Path) -> None:
    tables = Tables(server)
    both = Both(tmp_path, tables, 20)
    tables.role("keeper", NAME, kinds=("member", "keeper"))
    gone, again = both.lines[0], both.lines[1]
    data = {taken.record.id: taken.record.hash for line in (gone, again) if (taken := port.of_entry(line))}
    later = port.of_entry(again._replace(at=NOW.isoformat(), k=int(NOW.timestamp() * 1e6)))
    assert later is not None
    both.server.put([later.record])
    tables.space("keeper", NAME).overwrite(data.values())
    with tables.admin() as admin:
        look = "SELECT id FROM promptx_mem.derived WHERE id = ANY (%s)"
        assert admin.execute(look, [[*data]]).fetchall() == []
        both.derive()
        assert admin.execute(look, [[*data]]).fetchall() == [(again.id,)]
    tables.close()


def test_search_table_of_another_version_is_refused(server: Server, tmp_path: Path) -> None:
    tables = Tables(server)
    both = Both(tmp_path, tables, 10)
    for version, way_out in ((tokens.VERSION - 1, "admin derive"), (tokens.VERSION + 1, "upgrade")):
        with tables.admin() as admin:
            admin.execute("UPDATE promptx_mem.derived_spaces SET version = %s", [version])
        with pytest.raises(PromptxMemError) as caught:
            _remote(both, Cues("coffee"))
        assert way_out in str(caught.value.hint)
    with tables.admin() as admin:
        admin.execute("DELETE FROM promptx_mem.derived_spaces")
    with pytest.raises(PromptxMemError, match="no search table"):
        _remote(both, Cues("coffee"))
    tables.close()


def test_hostile_search_table_adds_no_results(server: Server, tmp_path: Path) -> None:
    tables = Tables(server)
    both = Both(tmp_path, tables, 40)
    number = term_number(NAME, "coffee")
    with tables.admin() as admin:
        admin.execute("UPDATE promptx_mem.derived SET terms = %s, ends_at = 'infinity', noted = 'nan'", [[number]])
        admin.execute("UPDATE promptx_mem.records SET bytes = '' WHERE id = %s", [both.lines[0].id])
        admin.execute("INSERT INTO promptx_mem.derived VALUES (%s, 'm_no', 1, 1, 1, 1, 1, %s)", (NAME, [number]))
        admin.execute("UPDATE promptx_mem.derived_terms SET docs = -1")
        admin.execute("UPDATE promptx_mem.derived_spaces SET memories = -5, length = -5")
    assert set(_remote(both, Cues("coffee"))) <= {line.id for line in both.lines if "coffee" in line.text.lower()}
    tables.close()
