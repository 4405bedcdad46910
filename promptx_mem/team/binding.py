"""Which store is bound to which space: it stands in the user's own settings, and nowhere in a store."""

import json
import os
from typing import TYPE_CHECKING

from promptx_mem.errors import ConfigError, UsageError
from promptx_mem.store import settings
from promptx_mem.store.settings import Binding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from promptx_mem.store.layout import Layout

_BEGINS = f"{settings.SYNC}:".encode()
PERSONAL = "user:"
"""Begins the name of a space that is one person's own."""


def of(where: "Layout") -> Binding | None:
    """Where a store is bound to. Raises ConfigError, StoreError where the settings are wrong or cannot be read."""
    return settings.load().sync.get(os.path.realpath(where.root))


def demand(where: "Layout") -> Binding:
    """Where a store is bound to. Raises UsageError where it is not."""
    bound = of(where)
    if bound is None:
        raise UsageError(
            f"{where.display()} is not bound to a server, so nothing of it is sent",
            code="not_joined",
            hint="usage: promptx-mem sync --join 'host=<server> dbname=<database> user=<role>' --space <name>",
        )
    return bound


def demand_fitting(where: "Layout", space: str) -> None:
    """Raise UsageError where a user store would go to a team's space, or a project's to a person's own."""
    if where.is_user and not space.startswith(PERSONAL):
        raise UsageError(
            "your own store goes to no team's space: it is about you, and read in every project",
            code="user_store",
            hint="a space of your own, which the server grants to nobody else: --space user:<role>",
        )
    if not where.is_user and space.startswith(PERSONAL):
        raise UsageError(
            f"{space} is for a user store alone",
            code="user_store",
            hint="a project's store: --space <name>, another name",
        )


def note(where: "Layout", bound: Binding) -> str:
    """Bind a store; returns the settings' path. Raises ConfigError, OSError."""
    path = settings.path()
    if path is None:
        raise ConfigError("there is no home for settings", hint=f"{settings.ENVIRONMENT}=/…/config.yaml")
    bindings = {**settings.load().sync, os.path.realpath(where.root): bound}
    data = b""
    if os.path.exists(path):
        with open(path, "rb") as file:
            data = file.read()
    line = _line(bindings)
    rest = [raw for raw in data.splitlines(keepends=True) if not raw.startswith(_BEGINS)]
    if sum(map(len, rest)) < len(data) and not _is_ours(data):
        raise ConfigError(
            f"{path}: `{settings.SYNC}` was written by hand, and stays as it is", hint=f"put there: {line}"
        )
    if rest and not rest[-1].endswith(b"\n"):
        rest.append(b"\n")
    _replace(os.path.realpath(path), b"".join(rest) + f"{line}\n".encode())
    return path


def _line(bindings: "Mapping[str, Binding]") -> str:
    """One line of YAML, of which JSON is a part."""
    return f"{settings.SYNC}: {json.dumps({path: bound._asdict() for path, bound in bindings.items()})}"


def _is_ours(data: bytes) -> bool:
    """Whether the key is one line, as this program writes it."""
    lines = [raw for raw in data.splitlines() if raw.startswith(_BEGINS)]
    try:
        return len(lines) == 1 and isinstance(json.loads(lines[0].partition(b":")[2]), dict)
    except ValueError:
        return False


def _replace(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    from promptx_mem.store import files

    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
    files.replace(path, data, mode, durable=True)
