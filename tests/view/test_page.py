"""The page in a real browser: shown, searched, used by keyboard only, accessible, and safe with hostile texts."""

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests import terminal
from tests.api import Cues
from tests.api import PageWants as Wants
from tests.hostile.strings import STRINGS
from tests.inside import clean, printable
from tests.view import half_year, pages
from tests.view.test_file import append
from tests.world import World

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.view.conftest import Opener

AT = half_year.NOW.isoformat()
VIEWS = ("list", "timeline", "topics", "review", "fading")


@pytest.fixture(scope="module")
def project(browser: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with half a year of memories and its page."""
    folder = tmp_path_factory.mktemp("half-year") / "webshop"
    folder.mkdir()
    world = World(half_year.build(folder / ".memory"), "half-year")
    world.time = half_year.NOW
    world.memory.view(Wants())
    return folder


@pytest.fixture
def page(opened: "Opener", project: Path) -> "Page":
    return opened(project / ".memory" / ".view.html", at=AT)


def rows(page: "Page") -> list[str]:
    return page.locator(".row .text").all_text_contents()


def open_view(page: "Page", view: str) -> None:
    page.locator(f'#views button[data-view="{view}"]').click()


def page_data(folder: Path) -> dict[str, Any]:
    """Return the data of a project's page, its columns as lists."""
    value = pages.data((folder / ".memory" / ".view.html").read_text("utf-8"))
    columns = {key: pages.unpacked(column, value["count"]) for key, column in value["memories"].items()}
    return {**value, "memories": columns}


def test_page_opens_in_the_order_of_the_index(page: "Page", project: Path) -> None:
    data = page_data(project)
    assert page.title() == "Memories of webshop"
    assert page.locator("#count").text_content() == f"{data['living']} of {data['count']} memories"
    shown = rows(page)
    assert shown == data["memories"]["text"][: len(shown)]
    assert 5 < len(shown) < 40


@pytest.mark.parametrize(
    ("words", "first", "least"),
    [
        ("蓝绿", "部署用蓝绿发布，周五不发版", 2),
        ("用户的偏好", "用户喜欢简洁界面", 1),
        ("ｄａｒｋ ＭＯＤＥ", "User prefers dark mode in every editor", 1),
        ("getuser", "user_id 是 snake_case，前端的 getUserName 是 camelCase", 1),
        ("#部署", "部署用蓝绿发布，周五不发版", 2),
        ("migrat", "Ask before running database migrations", 2),
    ],
)
def test_search_finds_while_the_user_types(page: "Page", words: str, first: str, least: int) -> None:
    page.locator("#q").press_sequentially(words)
    shown = rows(page)
    assert len(shown) >= least
    assert first in shown[:6]
    assert len(shown) < 20


def test_opened_memory_shows_its_details_and_its_predecessor(page: "Page", project: Path) -> None:
    page.locator("#q").fill("小明换到了")
    page.locator(".row").first.click()
    panel = page.locator("#memory")
    assert panel.locator("h2").text_content() == "小明换到了基础设施组"
    text = str(panel.text_content())
    assert "Number " in text
    assert "It replaced" in text
    assert "confirmed" in text.lower()
    assert "2 days ago · 18 Nov 2026, 10:30" in text
    panel.get_by_role("button", name="小明换到了平台组").click()
    assert panel.locator("h2").text_content() == "小明换到了平台组"
    assert "It was replaced by" in str(panel.text_content())
    page.go_back()
    assert panel.locator("h2").text_content() == "小明换到了基础设施组"


def test_list_and_memory_work_by_keyboard_only(page: "Page") -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "skip"
    page.keyboard.press("/")
    page.keyboard.type("蓝绿")
    for _ in range(30):
        if page.evaluate("document.activeElement.id") == "list":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    second = page.locator('[aria-selected="true"] .text').text_content()
    assert rows(page).index(str(second)) == 1
    assert page.locator("#list").get_attribute("aria-activedescendant") == "row-1"
    assert page.locator("#row-1 .exact").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "memory-name"
    assert page.locator("#memory h2").text_content() == second
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.id") == "list"
    assert not page.locator("#memory").is_visible()
    page.keyboard.press("End")
    assert page.locator("#list").get_attribute("aria-activedescendant") == f"row-{len(rows(page)) - 1}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_accessibility_problem(opened: "Opener", project: Path, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="needs axe: pip install -e '.[dev]'"
    ).Axe()
    page = opened(project / ".memory" / ".view.html", at=AT, color_scheme=scheme)
    page.locator("#more summary").click()
    page.locator(".row").nth(1).click()
    found = []
    for view in VIEWS if scheme == "light" else ("list", "timeline"):
        open_view(page, view)
        results = axe.run(page).response
        found += [f"{view}: {one['id']} {one['nodes'][0]['html'][:200]}" for one in results["violations"]]
        if view == "list":
            page.locator(".row").nth(1).click()
            found += [f"one: {one['id']}" for one in axe.run(page).response["violations"]]
    assert not found


@pytest.fixture
def project_copy(project: Path, tmp_path: Path) -> Path:
    """A copy of the project that a test may change."""
    return shutil.copytree(project, tmp_path / "it's a webshop")


def test_every_copied_command_works(opened: "Opener", project_copy: Path, tmp_path: Path) -> None:
    world = World(project_copy / ".memory", "half-year")
    world.time = half_year.NOW
    world.memory.view(Wants())
    page = opened(world.file(".view.html"), at=AT, permissions=["clipboard-read", "clipboard-write"])
    lines: list[str] = []
    for view, state in (("review", "living"), ("list", "living"), ("list", "ended")):
        page.goto(f"{world.file('.view.html').as_uri()}#view={view}&state={state}")
        page.reload()
        page.locator(".row").first.click()
        for button in page.locator("#memory .command button").all():
            button.click()
            lines.append(str(page.evaluate("navigator.clipboard.readText()")))
        assert page.locator("#live").text_content()
    verbs = {line.partition(".memory' ")[2].partition(" ")[0] for line in lines}
    assert verbs == {"review", "boost", "verify", "edit", "forget", "restore", "recall"}
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "EDITOR": "true",
        "LC_ALL": "C.UTF-8",
    }
    for line in _one_of_each(lines):
        fresh = shutil.copytree(project_copy, tmp_path / "fresh", dirs_exist_ok=True)
        here = line.replace(str(project_copy).replace("'", "'\"'\"'"), str(fresh))
        status, shown = terminal.run_program(["bash", "-c", here], Path("/"), "", environment)
        assert status == 0, (line, shown)
        shutil.rmtree(fresh)


def _one_of_each(lines: list[str]) -> list[str]:
    """Return one of the commands that differ only in the id."""
    return list({re.sub(r"\bm_\w+", "", line): line for line in lines}.values())


def test_hostile_texts_create_no_elements(opened: "Opener", world: World) -> None:
    """In texts, tags, topics, reasons, the address and the title. A request, dialog or error fails the test too."""
    world.root = world.root.parent.parent / "<img src=x onerror=alert(1)>" / ".memory"
    world.remember("a plain text", "t")
    for name, hostile in STRINGS.items():
        append(world, name, hostile)
    world.memory.view(Wants())
    page = opened(world.file(".view.html"))
    elements = page.evaluate("[...new Set([...document.querySelectorAll('*')].map((one) => one.tagName))].sort()")
    page.locator("#list").focus()
    for _ in range(20):
        page.keyboard.press("PageDown")
    open_view(page, "topics")
    open_view(page, "timeline")
    exported = world.memory.recall(Cues(count=1000, touch=False)).data["memories"]
    for one in [one for one in exported if "<" in one["text"] or "script" in one["text"]]:
        page.goto(f"{world.file('.view.html').as_uri()}#id={one['id']}")
        assert page.locator("#memory h2").text_content() == printable(_first_words(one["text"]))
    assert not page.evaluate("document.querySelector('img, iframe, object, svg, a[href^=javascript]')")
    assert {"IMG", "IFRAME", "OBJECT", "SVG", "BASE"}.isdisjoint(elements)


def _first_words(text: str) -> str:
    line = text.partition("\n")[0]
    return f"{line[:60]}…" if len(line) > 60 else line


def test_hostile_address_creates_no_elements(opened: "Opener", project: Path) -> None:
    page = opened(project / ".memory" / ".view.html")
    base = (project / ".memory" / ".view.html").as_uri()
    for hostile in (
        "<img src=x onerror=alert(1)>",
        "javascript:alert(1)",
        '" onfocus=alert(1) x="',
        "__proto__",
        "constructor",
        "%00",
        "\ud83d",
    ):
        given = {
            key: clean(hostile) for key in ("q", "tag", "topic", "state", "view", "id", "lang", "sort", "time", "from")
        }
        page.evaluate("(given) => { location.hash = new URLSearchParams(given).toString(); }", given)
        assert page.locator("h1").text_content() == "Memories of webshop"
    page.goto(base)
    assert not page.evaluate("document.querySelector('img, iframe')")
