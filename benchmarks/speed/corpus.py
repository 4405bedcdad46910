"""Generated memories for all measurements: from one seed, all different, every other one Chinese."""

import datetime
import random
from collections.abc import Iterator
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

from promptx_mem.core import json_text
from promptx_mem.core.entry import Entry
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import Event, format_event
from promptx_mem.core.line import format_line

SEED = 20261121
DAYS = 600
"""Days in which the memories were recorded: all are active, and none fades so far that it needs a review."""

_LOG_DAYS = 28
_LOG_RECORDS = 3_500  # about 0.7 MB: the log is rotated at 1 MB

_VOCABULARY = 3_000
_ENGLISH = [
    "project", "user", "team", "release", "database", "service", "deploy", "test", "meeting", "customer", "report",
    "design", "server", "plan", "review", "budget", "network", "cache", "version", "client", "backup", "weekly",
    "branch", "monitor", "payment", "search", "coffee", "editor", "docker", "invoice", "python", "morning", "index",
    "contract", "memory", "session", "policy", "office", "travel", "garden",
]  # fmt: skip
_CHINESE = [
    "项目", "用户", "团队", "发布", "数据库", "服务", "部署", "测试", "会议", "客户", "报告", "设计", "服务器",
    "计划", "评审", "预算", "网络", "缓存", "版本", "客户端", "备份", "每周", "分支", "监控", "付款", "搜索", "咖啡",
    "编辑器", "容器", "发票", "编程", "早上", "索引", "合同", "记忆", "会话", "策略", "办公室", "旅行", "花园",
]  # fmt: skip
_SYLLABLES = [
    "ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "wa", "xe", "yi", "zo",
    "lan", "mer", "tin", "kos", "dra",
]  # fmt: skip
_HAN = "安北长城春东方风高光海和华江金京景开兰林龙梅明南平青清泉山石水松天文西溪新星雪阳云竹子"

COMMON = ("project", "项目")
USUAL = ("coffee", "咖啡")
"""Words to search for: one of three memories of the language contains the first, one of thirteen the second."""

TAGS = tuple(_ENGLISH[:20] + _CHINESE[:20])


def _words(*, chinese: bool) -> list[str]:
    """Return real words, then invented ones, with the same number for each language."""
    known = _CHINESE if chinese else _ENGLISH
    parts = list(_HAN) if chinese else _SYLLABLES
    made = [a + b for a in parts for b in parts] + [a + b + c for a in parts for b in parts[:8] for c in parts]
    return [*known, *(word for word in made if word not in known)][:_VOCABULARY]


def texts(count: int, seed: int = SEED) -> Iterator[str]:
    """Yield sentences of about 110 bytes. The frequency of a word falls with its rank, as in a real language."""
    pick = random.Random(seed)
    weights = list(accumulate(1 / (rank + 5) for rank in range(_VOCABULARY)))
    english, chinese = _words(chinese=False), _words(chinese=True)
    for number in range(count):
        if number % 2:
            words = pick.choices(chinese, cum_weights=weights, k=16)
            yield "".join(words[:5]) + "，" + "".join(words[5:10]) + "，" + "".join(words[10:]) + "。"
        else:
            words = pick.choices(english, cum_weights=weights, k=16)
            yield (" ".join(words) + ".").capitalize()


def entries(count: int, now: datetime.datetime) -> Iterator[Entry]:
    """Yield active memories of all scores, recorded up to `now`. Every tenth has a topic."""
    step = datetime.timedelta(days=DAYS) / max(count, 1)
    for number, text in enumerate(texts(count)):
        at = now - datetime.timedelta(days=DAYS) + number * step
        yield Entry(
            text,
            (TAGS[number % len(TAGS)],),
            7 + number % 31 / 10,
            "长期",
            make_id(text),
            at.isoformat(timespec="seconds"),
            topic=f"project->{TAGS[number // 10 % len(TAGS)]}" if number % 10 == 0 else None,
        )


TOPIC = f"project->{TAGS[0]}"


def day(count: int, now: datetime.datetime) -> str:
    """Return a day of the last month on which memories were recorded."""
    *_, entry = islice(entries(count, now), count - count // 20)
    assert entry.at
    return entry.at[:10]


def fill(store: Path, count: int, now: datetime.datetime) -> None:
    """Write `count` memories, an event for every tenth, and the log of the last weeks, as the program writes them."""
    made = list(entries(count, now))
    (store / "declarative.md").write_text("".join(format_line(entry) + "\n" for entry in made), "utf-8")
    journal = "".join(format_event(_event(entry)) + "\n" for entry in made[5::10])
    (store / "journal.jsonl").write_text(journal, "utf-8")
    logged = made[-_LOG_RECORDS:]
    (store / "audit.jsonl").write_bytes(b"".join(_records(logged, now)))


def _event(entry: Entry) -> Event:
    """Return a boost one hour after the memory was recorded."""
    assert entry.at
    at = datetime.datetime.fromisoformat(entry.at) + datetime.timedelta(hours=1)
    return Event(int(at.timestamp() * 1e6), "bench0", at.isoformat(timespec="seconds"), "boosted", (entry.id,))


def _records(logged: list[Entry], now: datetime.datetime) -> Iterator[bytes]:
    """Yield log records, of which every twentieth is a refusal."""
    for number, entry in enumerate(logged):
        at = now - datetime.timedelta(days=1 + _LOG_DAYS * (len(logged) - number) / len(logged))
        record: dict[str, Any] = {"at": at.isoformat(timespec="seconds"), "s": f"s{number // 40}", "cmd": "remember"}
        record |= {"score": entry.score, "basis": "none", "len": len(entry.text), "hash": f"{number:016x}", "n": 1}
        if number % 20:
            record |= {"verdict": "stored", "id": entry.id, "adjust": []}
        else:
            record |= {"score": 3.0, "verdict": "refused", "why": "score_too_low", "x": 1}
        yield json_text.as_line(record)
