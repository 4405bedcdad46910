"""Lists the tags by number of active memories, then the tree of topics."""

from promptx_mem.cli.options import NONE_GIVEN, Common
from promptx_mem.cli.output import local
from promptx_mem.core.labels import parse_path
from promptx_mem.core.shell import USAGE
from promptx_mem.core.text import printable
from promptx_mem.core.topics import tree
from promptx_mem.result import Result
from promptx_mem.usecases.status import Tags


def command(common: Common = NONE_GIVEN) -> Result[Tags]:
    return common.memory().tags()._replace(cut="tags")


def as_text(data: Tags) -> str:
    if not data["tags"] and not data["topics"]:
        return local(f"no memory has a tag or a topic; to store one, {USAGE}\n")
    width = max((len(str(tag["count"])) for tag in data["tags"]), default=0)
    lines = [f"{tag['count']:>{width}}  #{printable(tag['tag'])}\n" for tag in data["tags"]]
    topics = tree({parse_path(topic["path"]): topic["count"] for topic in data["topics"]})
    return "".join(lines) + (f"\n{topics}" if topics else "")
