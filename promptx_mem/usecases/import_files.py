"""import: store memories from files, which are only read (docs/import-export.md)."""

import os

from promptx_mem import session
from promptx_mem.core.shell import join
from promptx_mem.core.text import plural
from promptx_mem.errors import PromptxMemError, Refused
from promptx_mem.importers.forms import OWN
from promptx_mem.places import repository_top
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Result
from promptx_mem.search import current
from promptx_mem.store import git, layout, writer
from promptx_mem.store.trust import Origin
from promptx_mem.usecases import index, limits
from promptx_mem.usecases.intake import merge as pieces
from promptx_mem.usecases.intake import plan as batches
from promptx_mem.usecases.intake import plan as talks
from promptx_mem.usecases.intake.inputs import Input, inputs
from promptx_mem.usecases.intake.merge import Copied, Import, Merge
from promptx_mem.usecases.intake.plan import Plan

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.intake.merge import Options

__all__ = ["Copied", "Import", "import_files"]


def import_files(context: "Context", options: "Options") -> Result[Import]:
    """Store the memories that pass the checks of content; report why the others do not. `dry_run` writes nothing.

    Raises UsageError, Refused; StoreError with the counts of stored memories if the store cannot be written.
    """
    context.demand_config()
    if context.layout.is_user and session.is_in_host():
        flags = [f"--from={options.form}"] * bool(options.form) + ["--mine"] * options.mine
        raise Refused(
            "an agent imports nothing into the user store",
            code="needs_request",
            hint=f"the user must run this in a terminal: {context.command('import', *flags, *options.paths)}",
        )
    limits.demand_unblocked(context)
    writer.demand_place(context.layout)
    files = inputs(list(options.paths), options.form, options.stdin, context.now().isoformat(timespec="seconds"))
    _demand_some(files)
    options = _confirmed(context, options, files)
    stamp = batches.identity(context.layout)
    with current.open_current(context.layout) as cache:
        plan = Plan(context, cache, options, stamp)
        files.reverse()
        try:
            while files:  # free each file after use: together they may be large
                _plan(context, plan, files.pop())
        except PromptxMemError as error:  # a conversation could not be stored
            plan.take_back(error.message)
            raise _partly(context, plan, error, unread=len(files)) from error
    marked = bool(plan.taken) and not options.mine
    warnings: tuple[str, ...] = ()
    if not options.dry_run:
        try:
            warnings = batches.store(context, plan, options.progress)
        except PromptxMemError as error:
            raise _partly(context, plan, error) from error
    data = _data(context, plan)
    warnings = (*warnings, *_warnings(context, plan, options, marked=marked))
    return Result("import", data, warnings, exit_status=plan.report.status())


def _data(context: "Context", plan: Plan) -> Import:
    report = plan.report
    return {
        "store": context.layout.display(),
        "taken": report.counts["taken"],
        "known": report.counts["known"],
        "refused": report.counts["refused"],
        "left": report.counts["left"],
        "lifted": len(plan.lifted),
        "conversations": report.talks,
        "dry_run": plan.options.dry_run,
        "mine": plan.options.mine,
        "files": list(report.files.values()),
        "items": report.items,
    }


def _partly(context: "Context", plan: Plan, error: PromptxMemError, unread: int = 0) -> PromptxMemError:
    """Return an error with the counts of stored and other memories, and the command that stores the rest."""
    data = _data(context, plan)
    missing = sum(count for row in data["files"] for why, count in row["why"].items() if why.startswith("not stored"))
    if data["taken"]:
        kind = "memories and conversations" if data["conversations"] else "memories"
        others = f"the others and {plural(unread, 'file')}" if unread else "the others"
        error.message = (
            f"{data['taken']} of {data['taken'] + missing} {kind} are stored, {others} are not: {error.message}"
        )
        again = join(["promptx-mem", "import", *_flags(plan.options), *plan.options.paths])
        error.hint = f"{error.hint}\nthen the same command stores the others: {again}"
    error.data = {**error.data, **data}
    return error


def _flags(options: "Options") -> list[str]:
    form = ["--from", options.form] if options.form else []
    return [*["--mine"] * options.mine, *form, *["--yes"] * options.yes, *["--allow-secret"] * options.allow_secret]


def _confirmed(context: "Context", options: "Options", files: list[Input]) -> "Options":
    """Return the options once a person has confirmed whose notes these are. Raises Refused, UsageError.

    An agent's session cannot use `mine`; a person types the store's name before a merge; a script needs `yes`.
    """
    has_store = any(file.own is not None for file in files)
    if not options.mine:
        may_ask = options.ask_own and not (has_store or options.yes or options.dry_run) and session.is_person()
        if may_ask and options.ask_own and not any(map(_is_strangers, options.paths)) and options.ask_own():
            return options._replace(mine=True)
        return options
    command = join(["promptx-mem", "import", *_flags(options), *options.paths])
    if session.is_in_host():
        raise Refused(
            "an agent's session cannot import with --mine: only the user can confirm that the notes are theirs",
            code="needs_person",
            hint=f"the user must run this in a terminal: {command}",
        )
    if options.dry_run:
        return options
    if options.ask_name is not None and session.is_person():
        if has_store and not options.ask_name(context.layout.name):
            raise Refused("the name was not typed, so nothing was merged", code="not_confirmed", hint=command)
    elif not options.yes:
        command = join(["promptx-mem", "import", *_flags(options._replace(yes=True)), *options.paths])
        raise Refused(
            "outside a terminal --mine needs --yes", code="not_confirmed", hint=f"if they are yours: {command}"
        )
    return options


def _is_strangers(path: str) -> bool:
    """Return whether git tracks a file, or one below it, in a repository without a store of the user's."""
    place = os.path.realpath(path)
    if git.tracks(place) is False:
        return False
    top = git.top_of(place)
    where = layout.at(os.path.join(repository_top(top) or top, layout.DIRECTORY)) if top else None
    return where is None or not where.exists() or not Origin(where).is_own


def _demand_some(files: list[Input]) -> None:
    """Refuse if no file can be read at all."""
    wrong = [file for file in files if file.error]
    if files and len(wrong) < len(files):
        return
    if not wrong:
        raise Refused(
            "no files found in the given paths",
            code="no_file",
            hint="a folder is read with subfolders, except hidden names",
        )
    message, _, hint = wrong[0].error.partition("\n")
    more = f" ({plural(len(wrong) - 1, 'other file')} neither)" if len(wrong) > 1 else ""
    raise Refused(f"{wrong[0].name}: {message}{more}", code=wrong[0].code, hint=hint or "docs/import-export.md")


def _plan(context: "Context", plan: Plan, file: Input) -> None:
    """Judge the content of one file."""
    form = OWN if file.own is not None else file.form.name if file.form else None
    plan.report.file(file.name, form, file.error, is_failure=not file.is_prose)
    plan.report.files[file.name]["notes"] += file.notes
    for rest in file.leftovers:
        plan.report.note(file.name, rest.line, rest.text, "left", rest.why, is_failure=True)
    if file.own is not None:
        if not plan.options.mine:
            read = pieces.reading(pieces.apart(file.own, file.modified), context.now().timestamp())
            plan.read(file.name, OWN, read, file.modified)
            return
        merge = Merge(context, file.own, file.name, file.modified)
        if fault := merge.fault():
            plan.report.file(file.name, OWN, fault)
        else:
            plan.merge(merge)
    elif file.form is not None and file.source is not None:
        reading = file.form.read(file.source)
        plan.read(file.name, file.form.name, reading, file.modified)
        talks.store_talks(context, plan.report, file.name, reading.talks, plan.options)


def _warnings(context: "Context", plan: Plan, options: "Options", *, marked: bool) -> tuple[str, ...]:
    """Return warnings: unreadable files, notes, and how imported memories can become the user's own."""
    files = plan.report.files.values()
    warnings = [f"{file['file']}: {line}" for file in files if file["error"] for line in file["error"].split("\n")]
    warnings += [f"{file['file']}: {note}" for file in files for note in file["notes"]]
    if marked:
        may_need_yes = options._replace(mine=True, yes=options.yes or not (session.is_person() or session.is_in_host()))
        command = join(["promptx-mem", "import", *_flags(may_need_yes), *options.paths])
        warnings.append(
            f"imported memories are marked `import` and rank at most like score 7; if they are yours: {command}"
        )
    return (*warnings, *(() if options.dry_run else (*index.now(context), *limits.size_warnings(context))))
