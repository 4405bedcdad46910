"""status: lists the stores in use, with counts, limits, and the times of the last decay and sync."""

import contextlib
import datetime
import os
from collections import Counter

from promptx_mem import session
from promptx_mem.core.digest import MAX_BYTES as INDEX_BYTES
from promptx_mem.core.digest import MAX_LINES as INDEX_LINES
from promptx_mem.core.json_text import load_object, objects
from promptx_mem.core.state import Freshness
from promptx_mem.core.times import iso
from promptx_mem.errors import PromptxMemError
from promptx_mem.record import TypedDict
from promptx_mem.result import Result, complete
from promptx_mem.search import cues, current, importance
from promptx_mem.store import audit as log
from promptx_mem.store import files, settings, violations
from promptx_mem.store.config import Config
from promptx_mem.usecases import audit_log, review
from promptx_mem.usecases.context import Context
from promptx_mem.usecases.init import is_shared


class Tag(TypedDict):
    """A tag and the number of its active memories."""

    tag: str
    count: int


class Topic(TypedDict):
    """A topic and the number of its active memories."""

    path: str
    count: int


class Tags(TypedDict, total=False):
    """The answer of `tags`: tags by count, topics by path."""

    store: str
    tags: list[Tag]
    topics: list[Topic]


def tags(context: Context) -> Result[Tags]:
    """Count the active memories of each tag and topic, over both stores if there are two."""
    counts: Counter[str] = Counter()
    paths: Counter[str] = Counter()
    names: dict[str, str] = {}
    now = context.moment
    for one in context.both():
        with one.cache() as cache:
            paths.update(cues.topics(cache, now))
            for tag in cues.active_tags(cache, now):
                counts[names.setdefault(tag.casefold(), tag)] += 1
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    data: Tags = {
        "store": context.path,
        "tags": [{"tag": tag, "count": count} for tag, count in by_count],
        "topics": [{"path": path, "count": count} for path, count in sorted(paths.items())],
    }
    return Result("tags", data, context.config_warnings())


SYNC_STATE = "state.json"


class Limit(TypedDict):
    """A limit of a store, and how much of it is used."""

    name: str
    used: int
    limit: int
    unit: str


class Space(TypedDict):
    """The space on a server with which a store is synced, and the time of the last sync."""

    space: str
    at: str | None


class StoreStatus(TypedDict, total=False):
    """The state of a store: its path, whether it is trusted, and its contents."""

    path: str
    scope: str
    exists: bool
    origin: str
    config: list[str]
    shared: bool
    active: int
    ended: int
    reviews: int
    last_decay: str | None
    last_guard: str | None
    sync: Space | None
    limits: list[Limit]
    verdicts: dict[str, int]
    blocked: list[str]
    injected: dict[str, int]


class Status(TypedDict, total=False):
    """The answer of `status`. The command line adds `hooks` and the time at which the guard last ran."""

    store: str
    session: str
    stores: list[StoreStatus]
    settings: str | None
    has_settings: bool
    hooks: list[dict[str, object]]


def status(context: Context) -> Result[Status]:
    """Describe the stores. Write only their caches."""
    both = [context, *filter(None, [context.other])]
    warnings = tuple(warning for one in both for warning in one.config_warnings())
    place = None
    try:
        place = settings.path()
        settings.of()
    except PromptxMemError as error:
        warnings = (*warnings, error.in_one_line())
    data: Status = {
        "store": context.path,
        "session": context.session,
        "stores": [_store(one.alone()) for one in both],
        "settings": place,
        "has_settings": place is not None and os.path.exists(place),
    }
    return Result("status", data, warnings)


def _store(context: Context) -> StoreStatus:
    where = context.layout
    about: StoreStatus = {
        "path": os.path.abspath(where.root), "scope": where.scope, "exists": where.exists(), "origin": "own",
    }  # fmt: skip
    if not about["exists"]:
        return complete(StoreStatus, about)
    now, data = context.now(), log.read(where)
    with current.open_current(where) as cache:
        active = importance.active(cache, now.timestamp())
        every = cache.total()
    injected = audit_log.injected(context, None, audit_log.MAX_COUNT).data["handouts"] or []
    about |= {
        "origin": context.origin.kind,
        "config": _nondefault_settings(context.config),
        "shared": is_shared(where),
        "active": active,
        "ended": every - active,
        "reviews": review.waiting(context).data["count"],
        "last_decay": changed_at(where.decay_lock),
        "sync": _sync(context),
        "limits": _limits(context, data, now),
        "verdicts": log.tally(objects(data)),
        "blocked": audit_log.blocked(data, now),
        "injected": dict(Counter(item["hook"] for item in injected)),
    }
    return complete(StoreStatus, about)


def _nondefault_settings(config: Config) -> list[str]:
    """Return the settings of config.yaml that are not the defaults, each as `key value` or `freshness`."""
    values = {
        "policy": config.policy,
        "scoring.profile": config.profile,
        "tags.default": config.default_tag,
        "tags.aliases": ", ".join(config.aliases),
        settings.ABBREVIATIONS: ", ".join(spellings[0] for spellings in config.spellings),
        "freshness": config.freshness != Freshness(),
    }
    usual = (Config().policy, Config().profile, None, "", False)
    return [key if value is True else f"{key} {value}" for key, value in values.items() if value not in usual]


def changed_at(path: str) -> str | None:
    """Return when a file was last written; None if the file does not exist."""
    try:
        return iso(os.stat(path, follow_symlinks=False).st_mtime)
    except OSError:
        return None


def _sync(context: Context) -> Space | None:
    """Return the space with which a store is synced, or None. The server is not asked."""
    with contextlib.suppress(PromptxMemError, OSError):
        if bound := settings.of().sync.get(os.path.realpath(context.layout.root)):
            state = (files.read(context.layout.team / SYNC_STATE) or b"").decode("utf-8", "replace").strip()
            at = (load_object(state) or {}).get("at")
            return {"space": bound.space, "at": at if isinstance(at, str) and at else None}
    return None


def _limits(context: Context, data: bytes, now: datetime.datetime) -> list[Limit]:
    index = b""
    with contextlib.suppress(OSError):
        index = files.read(context.layout.memory_md) or b""
    used = violations.count(data, session.violation_names(context.session), now)
    rows = [
        ("store", context.store.size(), settings.most_bytes(lenient=True), "bytes"),
        ("audit.jsonl", len(data), log.MAX_BYTES, "bytes"),
        ("MEMORY.md", len(index), INDEX_BYTES, "bytes"),
        ("MEMORY.md lines", index.count(b"\n"), INDEX_LINES, "lines"),
        ("texts scored today", log.scorings(data, now), log.MAX_SCORINGS, "texts"),
        ("violations of this session", used, violations.MOST, "violations"),
    ]
    return [{"name": name, "used": used, "limit": limit, "unit": unit} for name, used, limit, unit in rows]
