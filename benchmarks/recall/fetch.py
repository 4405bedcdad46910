"""Download, check and convert published data: `python -m benchmarks.recall --data DIR --fetch locomo`."""

from __future__ import annotations

import hashlib
import http.client
import json
import shutil
import urllib.request
from pathlib import Path
from typing import NamedTuple

from benchmarks.recall import adapters

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 60
"""Timeout in seconds."""


class Published(NamedTuple):
    """A file on the web with a fixed hash, and the data sets that are made of it."""

    url: str
    sha256: str
    forms: tuple[str, ...]


PUBLISHED = {
    "locomo": Published(  # 3 MB, CC BY-NC 4.0
        "https://raw.githubusercontent.com/snap-research/locomo/3eb6f2c585f5e1699204e3c3bdf7adc5c28cb376/data/locomo10.json",
        "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
        ("locomo-facts", "locomo-turns"),
    ),
    "longmemeval": Published(  # 277 MB, MIT
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/98d7416c24c778c2fee6e6f3006e7a073259d48f/longmemeval_s_cleaned.json",
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
        ("longmemeval",),
    ),
}


def fetch(name: str, folder: Path) -> None:
    """Download and convert a published set into `folder`. An existing file is only checked. Exit if that fails."""
    if ROOT in (resolved := folder.resolve()).parents or resolved == ROOT:
        raise SystemExit(f"{folder} is in the repository, which has no data of others: name a directory elsewhere")
    published = PUBLISHED[name]
    file = folder / published.url.rpartition("/")[2]
    folder.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        _download(published.url, file)
    with file.open("rb") as there:
        found = hashlib.file_digest(there, "sha256").hexdigest()
    if found != published.sha256:
        raise SystemExit(f"{file} has SHA-256 {found}, expected {published.sha256}: delete it and fetch again")
    raw = json.loads(file.read_text("utf-8"))
    for form in published.forms:
        adapters.write(form, adapters.FORMS[form](raw), folder)


def _download(url: str, file: Path) -> None:
    part = file.with_name(file.name + ".part")
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer, part.open("wb") as there:
            shutil.copyfileobj(answer, there)
    except (OSError, http.client.HTTPException) as error:
        part.unlink(missing_ok=True)
        raise SystemExit(
            f"cannot fetch {url} ({error}): download it elsewhere, save it as {file}, run again"
        ) from error
    part.replace(file)
