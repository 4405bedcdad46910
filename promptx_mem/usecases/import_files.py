"""import: take over the memories of files; the files are only read (docs/import.md)."""

from typing import TYPE_CHECKING

from promptx_mem.core.shell import join
from promptx_mem.core.text import plural
from promptx_mem.errors import Refused
from promptx_mem.importers.forms import OWN
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.store import creation
from promptx_mem.usecases import limits, mend
from promptx_mem.usecases.intake import batches, pieces, talks
from promptx_mem.usecases.intake.inputs import Input, inputs
from promptx_mem.usecases.intake.merge import Merge
from promptx_mem.usecases.intake.plan import Plan
from promptx_mem.usecases.intake.report import Copied, Import

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.intake.options import Options

__all__ = ["Copied", "Import", "import_files"]


def import_files(context: "Context", options: "Options") -> Result[Import]:
    """Take what passes the checks of content; say of everything else why not. `dry_run` writes nothing."""
    context.demand_config()
    limits.demand_unblocked(context)
    creation.demand_place(context.layout)
    files = inputs(list(options.paths), options.form, options.stdin, context.now().isoformat(timespec="seconds"))
    _demand_some(files)
    stamp = batches.identity(context.layout)
    with current.open_current(context.layout) as cache:
        plan = Plan(context, cache, options, stamp)
        files.reverse()
        while files:  # none is held longer than it takes: together they may be large
            _plan(context, plan, files.pop())
    marked = bool(plan.taken) and not options.mine
    if not options.dry_run:
        batches.store(context, plan, options.progress)
    report = plan.report
    data: Import = {
        "store": context.layout.display(),
        "taken": report.counts["taken"],
        "known": report.counts["known"],
        "refused": report.counts["refused"],
        "left": report.counts["left"],
        "lifted": len(plan.lifted),
        "conversations": report.talks,
        "dry_run": options.dry_run,
        "mine": options.mine,
        "files": list(report.files.values()),
        "items": report.items,
    }
    return Result("import", data, _warnings(context, plan, options, marked=marked), exit_status=report.status())


def _demand_some(files: list[Input]) -> None:
    """Refuse where no file can be read at all."""
    wrong = [file for file in files if file.error]
    if files and len(wrong) < len(files):
        return
    if not wrong:
        raise Refused(
            "there is no file in what was named", code="no_file", hint="a folder is read whole, but for .names"
        )
    message, _, hint = wrong[0].error.partition("\n")
    more = f" ({plural(len(wrong) - 1, 'other file')} neither)" if len(wrong) > 1 else ""
    raise Refused(f"{wrong[0].name}: {message}{more}", code=wrong[0].code, hint=hint or "docs/import.md")


def _plan(context: "Context", plan: Plan, file: Input) -> None:
    """Judge what one file holds."""
    plan.report.file(file.name, OWN if file.own is not None else file.form.name if file.form else None, file.error)
    plan.report.files[file.name]["notes"] += file.notes
    for rest in file.leftovers:
        plan.report.note(file.name, rest.line, rest.text, "left", rest.why)
    if file.own is not None:
        mine, alone = plan.options.mine, not (plan.merges or plan.taken)
        merge = Merge(context, file.own, file.name, file.modified, mine=mine)
        if mine or (alone and merge.into_empty()):
            plan.merge(merge)
        else:
            plan.read(file.name, OWN, pieces.reading(merge.pieces, context.now().timestamp()), file.modified)
    elif file.form is not None and file.source is not None:
        reading = file.form.read(file.source)
        plan.read(file.name, file.form.name, reading, file.modified)
        talks.store(context, plan.report, file.name, reading.talks, plan.options)


def _warnings(context: "Context", plan: Plan, options: "Options", *, marked: bool) -> tuple[str, ...]:
    """What is said beside the result: files that could not be read, notes, and how what came in marked becomes own."""
    files = plan.report.files.values()
    warnings = [f"{file['file']}: {line}" for file in files if file["error"] for line in file["error"].split("\n")]
    warnings += [f"{file['file']}: {note}" for file in files for note in file["notes"]]
    if marked:
        flags = ["--yes"] * options.yes + ["--allow-secret"] * options.allow_secret
        form = ["--from", options.form] if options.form else []
        command = join(["promptx-mem", "import", "--mine", *form, *flags, *options.paths])
        warnings.append(
            f"what came in is marked `import`, and ranks no higher than a fact of score 7; if it is yours: {command}"
        )
    return (*warnings, *(() if options.dry_run else (*mend.now(context), *limits.size_warnings(context))))
