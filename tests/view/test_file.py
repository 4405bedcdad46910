"""The page as a file: its content, what it leaves out, who may read it, and that its texts are never markup."""

import json
import re
import stat
import subprocess
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest

from tests.api import Cues, Entry, Memory, Message, Request, StoreError, epoch, format_line, layout, make_id
from tests.api import PageWants as Wants
from tests.api import Wants as ExportWants
from tests.hostile.strings import STRINGS
from tests.inside import clean, printable_lines
from tests.inside import view_page as page
from tests.view import pages
from tests.world import World

pytestmark = pytest.mark.usefixtures("person")

ASSETS = Path(page.ASSETS)
SCRIPTS = pages.scripts(ASSETS)


def test_page_has_the_same_memories_as_export(filled: World) -> None:
    text = pages.written(filled)
    exported = filled.memory.export(ExportWants("json", Cues(archived=True))).data["memories"]
    assert len(exported) == 6
    by_id = dict(zip(pages.column(text, "id"), range(6), strict=True))
    assert exported
    for key in set(exported[0]) - {"age", "freshness", "slice", "events", "at", "ends_at"}:
        column = pages.column(text, key)
        for one in exported:
            assert column[by_id[one["id"]]] == json.loads(json.dumps(one[key])), key  # type: ignore[literal-required]
    noted, ends = pages.column(text, "noted"), pages.column(text, "ends")
    for one in exported:
        assert noted[by_id[one["id"]]] == epoch(one["at"])
        assert ends[by_id[one["id"]]] == (one["ends_at"] and epoch(one["ends_at"]))
    assert None not in noted
    assert pages.column(text, "used").count(None) == 6


def test_page_has_the_order_of_the_index(filled: World) -> None:
    text = pages.written(filled)
    shown = re.findall(r"\((m_\w+)\)", filled.read("MEMORY.md").replace("\n## ", "\n"))
    assert pages.data(text)["living"] == 5
    assert pages.column(text, "lives") == [True] * 5 + [False]
    ids = pages.column(text, "id")
    assert sorted(shown, key=ids.index) == ids[:5]


def test_policy_allows_only_the_style_and_script_of_the_page(filled: World) -> None:
    read = pages.Reader(pages.written(filled))
    (policy,) = [one["content"] for _, one in read.tags if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    for kind, text in read.raw:
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert (f"'sha256-{digest}'" in policy) == (kind != "application/json")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert [kind for kind, _ in read.raw] == ["style", "application/json", "script"]


def test_page_loads_nothing_from_elsewhere(filled: World) -> None:
    read = pages.Reader(pages.written(filled))
    links = [value for _, one in read.tags for name, value in one.items() if name in ("href", "src", "action")]
    assert links == ["data:,", "#content"]
    for name, text in [*SCRIPTS.items(), ("page.css", (ASSETS / "page.css").read_text("utf-8"))]:
        assert not re.search(
            r"https?:|//[a-z]|url\(|@import|fetch\(|XMLHttp|WebSocket|import\(", pages.without_comments(text)
        ), name


def test_scripts_never_turn_text_into_markup() -> None:
    for name, text in SCRIPTS.items():
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|new Function|DOMParser", text
        ), name
        assert not re.search(r"</script|<!--", text), name
        assert text.count("\n") <= 300, name
    html = (ASSETS / "page.html").read_text("utf-8")
    assert not re.search(r"\son\w+=|\sstyle=", html)
    assert {path.stem for path in ASSETS.glob("*.js")} == set(page.SCRIPTS)


def test_page_is_readable_only_by_its_owner(filled: World) -> None:
    pages.written(filled)
    assert stat.S_IMODE(filled.file(".view.html").stat().st_mode) == 0o600
    filled.root.chmod(0o755)
    filled.later(days=1).remember("one more fact", "t")
    assert "one more fact" in pages.written(filled)
    assert stat.S_IMODE(filled.file(".view.html").stat().st_mode) == 0o600
    assert not [path for path in filled.root.iterdir() if path.name.endswith(".tmp")]


@pytest.mark.parametrize("shared", [False, True])
def test_git_ignores_the_page(world: World, shared: bool) -> None:
    project = world.root.parent
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    world.memory.init(shared=shared)
    world.remember("a fact", "t")
    pages.written(world)
    seen = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=project, capture_output=True, text=True, check=True
    )
    assert ".view.html" not in seen.stdout
    assert ("declarative.md" in seen.stdout) == shared


def test_link_at_the_path_of_the_page_is_not_followed(filled: World, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine", "utf-8")
    filled.file(".view.html").symlink_to(target)
    with pytest.raises(StoreError, match="link"):
        filled.memory.view(Wants())
    assert target.read_text("utf-8") == "mine"
    assert filled.file(".view.html").is_symlink()


@pytest.mark.usefixtures("person")
def test_purge_removes_the_page(filled: World) -> None:
    ident = filled.memory.recall(Cues(text="Paris", touch=False)).data["memories"][0]["id"]
    assert "Paris" in pages.written(filled)
    done = filled.later(days=1).memory.forget(ident, purge=True)
    assert ".view.html" in done.data["files"]
    assert not filled.file(".view.html").exists()
    assert "Paris" not in pages.written(filled)


def test_text_purged_during_rendering_is_not_on_the_page(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ident = filled.memory.recall(Cues(text="Paris", touch=False)).data["memories"][0]["id"]
    render = page.render
    times: list[page.Page] = []

    def slow(made: page.Page) -> str:
        if not times:
            filled.later(days=1).memory.forget(ident, purge=True)
        times.append(made)
        return render(made)

    monkeypatch.setattr(page, "render", slow)
    assert "Paris" not in pages.written(filled)
    assert len(times) == 2


def test_redact_removes_personal_data(filled: World) -> None:
    secrets = ("13812345678", "zhang@example.com", "123-45-6789", "E12345678")
    filled.remember(
        "张三的电话是13812345678，邮箱 zhang@example.com", "people", verified=True, score="9.9", session="alice-laptop"
    )
    filled.remember("ssn 123-45-6789 of the customer", "people", score="9.9", reason="护照 E12345678 came with it")
    assert all(secret in pages.written(filled) for secret in secrets)
    text = pages.written(filled, redact=True)
    for secret in (*secrets, "alice-laptop", filled.memory.context.host()):
        assert secret not in text
    assert pages.data(text)["redacted"] == {"phone": 1, "email": 1, "ssn": 1, "passport": 1}
    assert "张三的电话是[phone]，邮箱 [email]" in pages.texts(text)
    assert "coffee without sugar" in pages.texts(text)
    assert pages.data(pages.written(filled))["redacted"] is None


def test_page_has_no_conversations_and_no_user_store(filled: World, tmp_path: Path) -> None:
    filled.memory.converse([Message("user", f"the said word {number}", None) for number in range(40)])
    where = layout.at(str(tmp_path / "home" / ".memory"))._replace(is_user=True)
    mine = Memory(where, "test", clock=lambda: filled.time)
    mine.remember(Request("the user is called Xiaoming", tags=("name",), score="9"))
    both = Memory(filled.memory.context.layout, "test", clock=lambda: filled.time, other=where)
    both.view(Wants())
    page = filled.read(".view.html")
    assert "the said word" not in page
    assert "Xiaoming" not in page
    mine.view(Wants())
    page = (tmp_path / "home" / ".memory" / ".view.html").read_text("utf-8")
    assert "Xiaoming" in page
    assert pages.data(page)["commands"]["user"] == ["promptx-mem", " --scope user"]


def test_memories_of_a_clone_are_marked_as_such(filled: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptx_mem.store.trust.Origin.is_own", property(lambda _: False))
    result = filled.memory.view(Wants())
    assert any("not trusted" in warning for warning in result.warnings)
    assert set(pages.column(filled.read(".view.html"), "origin")) == {"clone"}


def test_hostile_texts_add_no_tags_to_the_page(world: World) -> None:
    plain = pages.Reader(pages.written(_with(world, {"plain": "a plain text"})))
    for name, hostile in STRINGS.items():
        append(world, name, hostile)
    text = pages.written(world)
    read = pages.Reader(text)
    assert [tag for tag, _ in read.tags] == [tag for tag, _ in plain.tags]
    assert [kind for kind, _ in read.raw] == ["style", "application/json", "script"]
    exported = world.memory.export(ExportWants("json", Cues(archived=True))).data["memories"]
    kept = {printable_lines(one["text"]) for one in exported}
    assert set(pages.texts(text)) == kept
    assert len(kept) > len(STRINGS) / 2
    body = text[text.index('id="data"') :].partition("</script>")[0]
    assert not re.search(r"[<&\x00-\x09\x0b-\x1f\u2028\u2029\u202a-\u202e]", body.partition(">")[2])


def _with(world: World, texts: dict[str, str]) -> World:
    for text in texts.values():
        world.remember(text, "t")
    return world


def append(world: World, name: str, hostile: str) -> None:
    """Store a text, its tag and topic without the gate."""
    text = clean(hostile)
    if not text:
        return
    entry = Entry(text, ("t",), 8.0, "长期", make_id(text), "2026-03-01T12:00:00+00:00", topic=name, reason=text[:500])
    with world.file("declarative.md").open("ab") as file:
        file.write((format_line(entry) + "\n").encode("utf-8", "surrogatepass"))
