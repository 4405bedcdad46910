"""Take the README's picture of the page: `python -m tests.view.picture benchmarks/results/view.png`. Needs Chromium."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.api import PageWants as Wants
from tests.view import half_year
from tests.view.conftest import NAMES
from tests.world import World


def make(target: Path) -> None:
    """Open the page of an invented project and take the picture."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        project = Path(folder) / "webshop"
        project.mkdir()
        world = World(half_year.build(project / ".memory"), "half-year")
        world.time = half_year.NOW
        world.memory.view(Wants())
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=program, args=arguments)
        size = {"width": 1100, "height": 640}
        context = browser.new_context(viewport=size, locale="en-US", timezone_id="Asia/Shanghai")  # type: ignore[arg-type]
        page = context.new_page()
        page.clock.set_fixed_time(half_year.NOW.isoformat())
        page.goto((project / ".memory" / ".view.html").as_uri())
        page.locator(".row").nth(3).click()
        page.evaluate("document.activeElement.blur()")
        page.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    make(Path(sys.argv[1]))
