"""tags: the tags and topics of active memories, with counts."""

from collections import Counter
from typing import TYPE_CHECKING, TypedDict

from promptx_mem.result import Result
from promptx_mem.search import current, labels

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context


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


def tags(context: "Context") -> Result[Tags]:
    """Count the active memories of each tag and topic, over both stores where there are two."""
    counts: Counter[str] = Counter()
    paths: Counter[str] = Counter()
    names: dict[str, str] = {}
    now = context.now().timestamp()
    for one in context.both():
        with current.open_current(one.layout) as cache:
            paths.update(labels.topics(cache, now))
            for tag in labels.active_tags(cache, now):
                counts[names.setdefault(tag.casefold(), tag)] += 1
    by_count = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    data: Tags = {
        "store": context.layout.display(),
        "tags": [{"tag": tag, "count": count} for tag, count in by_count],
        "topics": [{"path": path, "count": count} for path, count in sorted(paths.items())],
    }
    return Result("tags", data, context.config_warnings())
