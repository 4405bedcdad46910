"""Hooks of mkdocs: the README as first page, a menu of both languages, links out of docs/ to the repository."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[1]
SOURCE = "https://github.com/promptx-mem/promptx-mem/blob/main/"
WORKER = "assets/iframe-worker.js"
READMES = {"README.md": "index.md", "README.zh-CN.md": "zh-CN/index.md"}
_LINK = re.compile(r"(!?)(\[[^\]]*\])\(([^)\s]+)\)")
_DIAGRAM = re.compile(r"^## [^\n]*\n+```mermaid\n.*?^```\n+", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Build the menu: the pages of docs/ in English, then those of docs/zh-CN/."""
    english = sorted(page.name for page in (ROOT / "docs").glob("*.md"))
    chinese = sorted(page.name for page in (ROOT / "docs" / "zh-CN").glob("*.md"))
    config.nav = [
        {"English": ["index.md", *english]},
        {"简体中文": ["zh-CN/index.md", *(f"zh-CN/{name}" for name in chinese)]},
    ]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add both READMEs and the pictures of the measurements."""
    for source, target in READMES.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text("utf-8")))
    for picture in sorted((ROOT / "benchmarks" / "results").iterdir()):
        if picture.suffix in (".svg", ".png"):
            files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
    files.append(File.generated(config, WORKER, abs_src_path=str(ROOT / ".ci" / WORKER)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to where their targets are on the site, else to the repository."""
    here = page.file.src_uri
    origin = {target: source for source, target in READMES.items()}.get(here, f"docs/{here}")
    markdown = _DIAGRAM.sub("", markdown)  # drawing it needs a script of another server

    def moved(found: re.Match[str]) -> str:
        mark, text, target = found.groups()
        path, sign, anchor = target.partition("#")
        if "://" in target or not path:
            return found[0]
        full = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        if not (ROOT / full).exists():
            return found[0]
        if mark and full.startswith("benchmarks/results/"):
            full = f"pictures/{posixpath.basename(full)}"
        elif full in READMES:
            full = READMES[full]
        elif full.startswith("docs/") and full.endswith(".md"):
            full = full.removeprefix("docs/")
        else:
            return f"{mark}{text}({SOURCE}{full}{sign}{anchor})"
        return f"{mark}{text}({posixpath.relpath(full, posixpath.dirname(here) or '.')}{sign}{anchor})"

    return _LINK.sub(moved, markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Load the search's helper from the site instead of another server."""
    own = posixpath.relpath(WORKER, posixpath.dirname(page.file.dest_uri) or ".")
    return output.replace("https://unpkg.com/iframe-worker/shim", own)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Do the same for the page of missing pages."""
    return output_content.replace("https://unpkg.com/iframe-worker/shim", f"/{WORKER}")
