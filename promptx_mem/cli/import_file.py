"""FILE is a declarative.md of PromptX, or any Markdown with a bullet a memory. It is only read."""

from typing import Annotated

from promptx_mem.cli.options import Argument, DryRun, Json, MemoryDir, Option, Session
from promptx_mem.memory import Memory
from promptx_mem.result import Result
from promptx_mem.usecases.import_files import Import


def command(
    file: Annotated[list[str], Argument(metavar="FILE...", help="One file or more.")],
    allow_secret: Annotated[bool, Option("--allow-secret", help="Take memories that hold a credential.")] = False,
    dry_run: DryRun = False,
    memory_dir: MemoryDir = None,
    session: Session = None,
    json: Json = False,
) -> Result[Import]:
    memory = Memory.open(memory_dir, session)
    return memory.import_files(file, dry_run=dry_run, allow_secret=allow_secret)


def as_text(data: Import) -> str:
    out = []
    for item in data["items"]:
        mark = {"taken": "🧠", "known": "= ", "left": "🚫"}[item["verdict"]]
        text = f"  {item['text']}" if item["text"] else ""
        why = f"  ({item['why']})" if item["why"] else ""
        out.append(f"{mark} {item['file']}:{item['line']}{text}{why}")
    verb = "would take" if data["dry_run"] else "took"
    into = f" into {data['store']}" if data["taken"] else ""
    out.append(f"{verb} {data['taken']}{into}; {data['known']} known already, {data['left']} left")
    return "".join(line + "\n" for line in out)
