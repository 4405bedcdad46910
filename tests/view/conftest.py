"""Chromium, driven by Playwright, for tests of the page. If it is missing, they are skipped with a hint."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.world import World

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HOW = "needs Chromium and a font for Chinese: on Debian `apt-get install chromium fonts-noto-cjk`"

Opener = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Start one browser per test file: Playwright's event loop conflicts with those of other tests."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install -e '.[dev]'")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(HOW)
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=program, args=arguments)
        yield running
        running.close()


@pytest.fixture
def opened(browser: "Browser") -> Iterator[Opener]:
    """Open a file. Each request, message, error, dialog or window of the page fails the test."""
    wrong: list[str] = []
    contexts = []

    def open_page(
        path: Path, *, width: int = 1280, height: int = 800, language: str = "en-US", at: str = "", **more: Any
    ) -> "Page":
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale=language, timezone_id="Asia/Shanghai", **more
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        url = path.as_uri()
        page.on(
            "request",
            lambda request: None if request.url.partition("#")[0] in (url, "data:,") else wrong.append(request.url),
        )
        page.on("console", lambda message: wrong.append(f"console {message.type}: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: wrong.append(f"dialog: {dialog.message}"))
        page.on("popup", lambda other: wrong.append(f"window: {other.url}"))
        if at:
            page.clock.set_fixed_time(at)
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "project" / ".memory")


@pytest.fixture
def filled(world: World) -> World:
    world.remember("部署用蓝绿发布", "部署", topic="project->deploy", type="project")
    world.later(days=1).remember("coffee without sugar", "taste", "coffee", score="9", type="user")
    world.later(days=1).remember("releases on Tuesday", "deploy", topic="project->deploy->release")
    world.later(days=1).remember("the office is in Paris", "place", topic="office")
    old = world.later(days=1).remember("the team has four people", "team")
    world.later(hours=1).remember("the team has five people", "team", update=old["id"])
    return world
