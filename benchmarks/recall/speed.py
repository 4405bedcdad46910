"""Texts of a generated store, half Chinese, and the time to rank them."""

from __future__ import annotations

import random
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from benchmarks.recall.data import DataSet, Memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.recall.rankers import Ranker

T = TypeVar("T")

_TOPICS_EN = [
    "coffee",
    "tea",
    "python",
    "rust",
    "docker",
    "redis",
    "kafka",
    "sqlite",
    "green",
    "blue",
    "dark",
    "light",
    "morning",
    "evening",
    "backup",
    "review",
]
_TOPICS_ZH = [
    "咖啡",
    "绿茶",
    "编程",
    "写作",
    "部署",
    "测试",
    "备份",
    "数据库",
    "缓存",
    "队列",
    "前端",
    "后端",
    "早上",
    "晚上",
    "会议",
    "设计",
]
_ENGLISH = [
    (
        "User {} prefers {} for {} in the {} project, as confirmed at the weekly meeting with priority {}; please "
        "keep this in mind when the next release is planned and its tests are written with {}."
    ),
    (
        "The {} service uses {} with {} on the {} cluster, port {}. Restart it after each deployment and tell the "
        "team in the {} channel before doing so, as was agreed."
    ),
]
_CHINESE = (
    "用户{}喜欢在{}时使用{}，项目是{}，优先级为{}，每周会议上已经确认过了，请在安排下一次发布计划的时候记住这一点，测试也要跟上{}",
    "{}服务采用{}和{}部署在{}集群，端口{}，每次部署以后都要重新启动，并且在{}群里提前通知大家，这是已经商量好的规则",
)


def templates(size: int) -> tuple[list[str], list[str]]:
    """Return memories of a few templates, where every word is common, and queries of the same words."""
    pick = random.Random(7)

    def fill(form: str, words: list[str]) -> str:
        return form.format(*pick.choices(words, k=4), pick.randrange(1000), pick.choice(words))

    texts = [
        fill(pick.choice(_CHINESE), _TOPICS_ZH) if n % 2 else fill(pick.choice(_ENGLISH), _TOPICS_EN)
        for n in range(size)
    ]
    queries = [
        f"{pick.choice(_TOPICS_ZH)}服务部署在哪个集群，用户喜欢{pick.choice(_TOPICS_ZH)}吗"
        if n % 2
        else f"which user prefers {pick.choice(_TOPICS_EN)} in the {pick.choice(_TOPICS_EN)} project"
        for n in range(100)
    ]
    return texts, queries


def distinct(size: int, sets: Iterable[DataSet]) -> tuple[list[str], list[str]]:
    """Return different memories of 250 bytes, combined from those of the data sets, and the queries of the sets."""
    pick = random.Random(7)
    given = [(m.text, d.name) for d in sets for store in d.stores.values() for m in store]
    chinese = [text for text, _ in given if not text.isascii() and len(text.encode()) > 2 * len(text)]
    english = [text for text, _ in given if text.isascii()]
    texts = []
    for n in range(size):
        text = ""
        while len(text.encode()) < 250:
            part = pick.choice((chinese or english) if n % 2 else (english or chinese))
            start = pick.randrange(len(part))
            text += part[start : start + 60] + " "
        texts.append(text.encode()[:250].decode("utf-8", "ignore"))
    questions = [q.text for d in sets for q in d.questions]
    return texts, pick.sample(questions, min(100, len(questions)))


def measure(ranker: Ranker, texts: list[str], queries: list[str]) -> tuple[float, float, float]:
    """Return seconds to build, and the median and the 95th percentile of 100 queries in milliseconds."""
    memories = [Memory(str(n), text, f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}") for n, text in enumerate(texts)]
    build, search = _timed(partial(ranker, memories))
    times = sorted(_timed(partial(search, query, 10))[0] * 1000 for query in queries)
    return build, median(times), times[int(len(times) * 0.95)]


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result
