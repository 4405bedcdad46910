"""The page as one file: markup, style and script of assets/ joined, and the data as JSON that can close no tag.

The policy allows this style and this script, by their hashes, and nothing else: no request, no frame, no form.
"""

import json
import os
import re
from base64 import b64encode
from hashlib import sha256
from typing import TypedDict

from promptx_mem.core.text import escape_json, printable_values
from promptx_mem.view.columns import Column
from promptx_mem.view.tables import Tables, tables

ASSETS = os.path.join(os.path.dirname(__file__), "assets")
SCRIPTS = ("words", "search", "data", "state", "list", "filters", "memory", "timeline", "topics", "page")
"""In the order in which they need each other."""


class Page(TypedDict):
    """What a page holds.

    `commands`: what a command line begins and ends with, by scope; `redacted`: how often each kind was, null if not
    asked for.
    """

    at: str
    store: str
    commands: dict[str, tuple[str, str]]
    scope: str
    cues: list[str]
    redacted: dict[str, int] | None
    count: int
    living: int
    memories: dict[str, Column]


class _Whole(Page):
    search: Tables


def render(page: Page) -> str:
    """Write the page. Characters that do not print are U+FFFD in it: its data is for eyes, and is copied from there."""
    style = _asset("page.css")
    script = "(() => {\n'use strict';\n" + "\n".join(_asset(f"{name}.js") for name in SCRIPTS) + "})();\n"
    shown: Page = printable_values(page)
    whole: _Whole = {**shown, "search": tables()}
    parts = {
        "policy": policy(style, script),
        "style": style,
        "script": script,
        "data": escape_json(json.dumps(whole, ensure_ascii=False, separators=(",", ":"))),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _asset("page.html"))


def policy(style: str, script: str) -> str:
    """Return what the page may do: use its own style and script, and make no text markup."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _asset(name: str) -> str:
    with open(os.path.join(ASSETS, name), encoding="utf-8", newline="") as file:
        return file.read()


def _hash(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
