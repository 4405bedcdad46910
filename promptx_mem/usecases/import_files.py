"""import: stores memories from files, which are not changed (docs/import-export.md)."""

import os
import stat
from collections.abc import Iterator, Sequence
from functools import partial

from promptx_mem import session
from promptx_mem.core import bundle
from promptx_mem.core.bundle import Files
from promptx_mem.core.credentials import find_credentials
from promptx_mem.core.shell import join, quote
from promptx_mem.core.slices import Message, unit_of
from promptx_mem.core.text import plural
from promptx_mem.core.times import iso
from promptx_mem.errors import BusyError, Refused, StoreError, UsageError
from promptx_mem.importers import NAMES, OWN, form_of
from promptx_mem.importers.form import Form, Reading, Rest, Source, Talk
from promptx_mem.places import repository_top
from promptx_mem.record import TYPE_CHECKING, NamedTuple
from promptx_mem.result import Result
from promptx_mem.store import audit, conversations, files, git, layout, sources, writer
from promptx_mem.store.trust import Origin
from promptx_mem.store.writer import Writer
from promptx_mem.usecases import index, intake, limits
from promptx_mem.usecases.intake import Import, Merge, Plan
from promptx_mem.usecases.limits import demand_config

if TYPE_CHECKING:
    from promptx_mem.usecases.context import Context
    from promptx_mem.usecases.intake import Options


def import_files(context: "Context", options: "Options") -> Result[Import]:
    """Store the memories that pass the checks. Report why other memories are not stored. With `dry_run`, write nothing.

    Raises UsageError, Refused, ConfigError, StoreError and BusyError.
    """
    demand_config(context)
    if context.layout.is_user and session.is_in_host():
        raise Refused(
            "an agent is not allowed to import into the user store",
            code="needs_request",
            hint=f"the user must run this in a terminal: {_command(context, options)}",
        )
    limits.check_block(context, audit.read(context.layout))
    writer.check_place(context.layout)
    files = inputs(list(dict.fromkeys(options.paths)), options.form, options.stdin, context.at)
    _demand_some(files)
    options = _confirmed(context, options, files)
    try:
        with context.cache() as cache:
            plan = Plan(context, cache, options)
            files.reverse()
            while files:  # free each file after use, because all files together can be large
                _plan(plan, files.pop())
        plan.store()
    except (StoreError, BusyError) as error:
        hint = (
            f"then run the same command again; it skips memories that are already stored: {_command(context, options)}"
        )
        error.hint = f"{error.hint}\n{hint}".lstrip("\n")
        raise
    report = plan.report
    data: Import = {
        "store": context.path,
        "taken": report.counts["taken"],
        "known": report.counts["known"],
        "refused": report.counts["refused"],
        "left": report.counts["left"],
        "lifted": len(plan.lifted),
        "ended": len(plan.ended),
        "purged": len(plan.purged),
        "conversations": report.talks,
        "dry_run": options.dry_run,
        "mine": options.mine,
        "files": list(report.files.values()),
        "items": report.items,
    }
    return Result("import", data, _warnings(plan), exit_status=report.status())


def _command(context: "Context", options: "Options") -> str:
    """Return the command that imports the same files again. For stdin, return a usage line."""
    form = ["--from", options.form] if options.form else []
    flags = {"--yes": options.yes, "--allow-secret": options.allow_secret, "--dry-run": options.dry_run}
    given = [*["--mine"] * options.mine, *form, *(flag for flag, is_given in flags.items() if is_given)]
    command = context.command("import", *given, *options.paths)
    return f"usage: {command} < <file>" if "-" in options.paths else command


def _confirmed(context: "Context", options: "Options", files: "list[Input]") -> "Options":
    """Return the options. Set `mine` if a person confirms that the notes are the user's own.

    Refuse `mine` in an agent's session, and in a script without `yes`. With `mine`, a person must type the store's name
    before a merge, after the number of memories that it ends and purges is shown. Raises Refused.
    """
    has_store = any(file.own is not None for file in files)
    if not options.mine:
        may_ask = not (has_store or options.yes or options.dry_run) and session.is_person()
        is_own = may_ask and options.ask_own and not any(map(_is_strangers, options.paths)) and options.ask_own()
        return options._replace(mine=bool(is_own))
    if options.dry_run:
        return options
    command = _command(context, options)
    if session.is_in_host():
        raise Refused(
            "an agent's session cannot import with --mine: only the user can confirm that the notes are theirs",
            code="needs_person",
            hint=f"the user must run this in a terminal: {command}",
        )
    if options.ask_name is not None and session.is_person():
        merges = (Merge(context, file.own, file.name, file.modified) for file in files if file.own is not None)
        losses = [merge.losses() for merge in merges if not merge.fault()]
        counts = [len(set().union(*ids)) for ids in zip(*losses, strict=True)]
        if losses and not options.ask_name(context.layout.name, *counts):
            raise Refused("the store's name was not typed, so nothing was merged", code="not_confirmed", hint=command)
    elif not options.yes:
        hint = f"if the notes are yours: {_command(context, options._replace(yes=True))}"
        raise Refused("without a terminal --mine needs --yes", code="not_confirmed", hint=hint)
    return options


def _is_strangers(path: str) -> bool:
    """Return whether git may track a file at `path`, and the repository has no store that is the user's own."""
    place = os.path.realpath(path)
    if git.tracks(place) is False:
        return False
    top = git.top_of(place)
    where = layout.at(os.path.join(repository_top(top) or top, layout.DIRECTORY)) if top else None
    return where is None or not where.exists() or not Origin(where).is_own


def _demand_some(files: "list[Input]") -> None:
    """Raise Refused if there are no files, or none can be imported."""
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
    more = f" ({plural(len(wrong) - 1, 'other file')} cannot be imported either)" if len(wrong) > 1 else ""
    raise Refused(f"{wrong[0].name}: {message}{more}", code=wrong[0].code, hint=hint)


def _plan(plan: Plan, file: "Input") -> None:
    form = OWN if file.own is not None else file.form.name if file.form else None
    plan.report.file(file.name, form, file.error, is_failure=not file.is_skipped)
    plan.report.files[file.name]["notes"] += file.notes
    for rest in file.leftovers:
        plan.report.note(file.name, rest.line, rest.text, "left", rest.why, is_failure=True)
    if file.own is not None:
        if not plan.options.mine:
            _read(plan, file, OWN, intake.reading(intake.parse_files(file.own, file.modified), plan.context.moment))
            return
        merge = Merge(plan.context, file.own, file.name, file.modified)
        if fault := merge.fault():
            plan.report.files[file.name]["error"] = fault
            plan.report.failures += 1
        else:
            plan.merge(merge)
    elif file.form is not None and file.source is not None:
        read = file.form.read(file.source)
        _read(plan, file, file.form.name, read)
        _store_talks(plan, file.name, read.talks)


def _read(plan: Plan, file: "Input", form: str, read: Reading) -> None:
    """Plan the import of a file's content (`read`). If the file has no content, report that."""
    if not (read.items or read.leftovers or read.talks or read.notes):
        known = f"\n{_KNOWN}" if plan.options.form else ""
        fault = file.source.json_fault() if file.source else ""
        plan.report.files[file.name]["error"] = fault or f"it has no memory in the format {form}{known}"
    plan.read(file.name, form, read, file.modified)


def _store_talks(plan: Plan, file: str, talks: "Sequence[Talk]") -> None:
    """Add new messages of each conversation if it begins with the stored ones. Leave out those with a credential."""
    report, store = plan.report, plan.context.store
    for talk in talks:
        good = [message for message in talk.messages if plan.options.allow_secret or not find_credentials(message.text)]
        if withheld := len(talk.messages) - len(good):
            why = "the conversation contains a credential; --allow-secret imports it"
            report.note(file, 0, "", "refused", why, count=withheld)
        unit = unit_of(talk.name)
        conversation = conversations.read(store.layout, unit)
        stored = [conversation.messages[number] for number in sorted(conversation.messages)]
        said = [[(one.role, one.text) for one in messages] for messages in (good[: len(stored)], stored)]
        fresh = good[len(stored) :] if said[0] == said[1] else []
        if fresh and not plan.options.dry_run:
            store.write(partial(_add, talk.name, fresh))
        amount = plural(len(fresh or good), "message")
        report.talks += bool(fresh)
        verdict = "taken" if fresh else "known" if stored else "left"
        why = "" if fresh else intake.TALK_STORED if stored else "none of its messages can be stored"
        report.note(file, 0, f"a conversation: {amount}", verdict, why)


def _add(name: str, messages: list[Message], writer: Writer) -> None:
    conversations.add_messages(writer.layout, unit_of(name), messages, name)


def _warnings(plan: Plan) -> tuple[str, ...]:
    context, options = plan.context, plan.options
    files = plan.report.files.values()
    warnings = [f"{file['file']}: {line}" for file in files if file["error"] for line in file["error"].split("\n")]
    warnings += [f"{file['file']}: {note}" for file in files for note in file["notes"]]
    if plan.taken and not options.mine:
        may_need_yes = options._replace(mine=True, yes=options.yes or not (session.is_person() or session.is_in_host()))
        command = _command(context, may_need_yes)
        warnings.append(
            f"imported memories are marked `import`, and their score counts as 7 at most; if they are yours: {command}"
        )
    return (*warnings, *(() if options.dry_run else (*index.update(context), *limits.size_warnings(context))))


MAX_BYTES = 100_000_000
_UNPACK = "unpack a packed file, export a database, and convert a text to UTF-8 first"
_KNOWN = f"formats for --from (docs/import-export.md): {', '.join(NAMES)}"
_EXISTING = "give an existing path; PromptX keeps its memories in .promptx/memory/declarative.md"
_LOOKED_INTO = frozenset({".cursor", ".promptx", ".memory", ".claude"})
"""Folders that are read although their names begin with a dot."""

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)


class Input(NamedTuple):
    """A file to import. It has a `form` and a `source`, or `own` (the files of a store or bundle), or an `error`.

    `is_skipped`: the error is not a failure, since the file is a link or has none of the known formats. `size` is in
    bytes.
    """

    name: str
    modified: str
    form: Form | None = None
    source: Source | None = None
    own: Files | None = None
    leftovers: tuple[Rest, ...] = ()
    error: str = ""
    code: str = "unknown_form"
    notes: tuple[str, ...] = ()
    is_skipped: bool = False
    size: int = 0


def inputs(paths: list[str], name: str | None, stdin: bytes | None, now: str) -> list[Input]:
    """Read the files and folders at `paths`, and `stdin` for `-`. Raises UsageError."""
    room = MAX_BYTES
    out: list[Input] = []
    for path in paths:
        # With several paths, each file is named by its path, because two files can have the same name.
        long = len(paths) > 1 and path != "-"
        read = [_input(stdin or b"", now, name, "-", "-")] if path == "-" else _under(path, name, room)
        for item in read:
            room -= item.size
            is_itself = os.path.basename(os.path.abspath(path)) == item.name or not os.path.isdir(path)
            reached = os.path.normpath(path if is_itself else os.path.join(path, item.name))
            out.append(item._replace(name=reached) if long else item)
        if room < 0:
            raise _too_much(path)
    return out


def _too_much(path: str) -> UsageError:
    return UsageError(
        f"{path} has more than {MAX_BYTES // 10**6} MB",
        hint="split the file and import its parts one after the other",
        code="too_large",
    )


def _under(path: str, name: str | None, room: int) -> Iterator[Input]:
    """Yield the file at a path, or a folder's store, or all files of a folder. Raises UsageError."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}", code="no_file", hint=_EXISTING) from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', error)}", code="no_file") from None
    is_folder = stat.S_ISDIR(status.st_mode)
    folder = path if is_folder else os.path.dirname(path) or "."
    if name in (None, OWN) and (is_folder or os.path.basename(path) == "declarative.md") and _is_store(folder):
        yield _own(path, folder)
    elif is_folder:
        yield from _in_folder(path, name, room)
    else:
        try:
            data = files.load(path, 0, room + 1, follow=True)
        except StoreError:
            raise UsageError(f"{path} is not a file", code="no_file", hint=_EXISTING) from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}", code="no_file") from None
        if len(data) > room:
            raise _too_much(path)
        yield _input(data, iso(status.st_mtime), name, os.path.basename(path), path)


def _in_folder(path: str, name: str | None, room: int) -> Iterator[Input]:
    """Yield all files of a folder, then of its subfolders, except hidden files. Links and devices are not opened."""
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        if folder != path and name in (None, OWN) and _is_store(folder):
            yield _own(folder, folder)
            continue
        try:
            with os.scandir(folder) as entries:
                kinds = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
        except OSError as error:
            yield Input(os.path.relpath(folder, path), "", error=f"it cannot be read: {error.strerror}")
            continue
        folders = sorted(entry for entry in kinds if kinds[entry] and (entry[0] != "." or entry in _LOOKED_INTO))
        waiting += [os.path.join(folder, entry) for entry in reversed(folders)]
        for file in sorted(entry for entry in kinds if not kinds[entry] and entry[0] != "."):
            place = os.path.join(folder, file)
            item = _one_of(place, os.path.relpath(place, path), name, room)
            room -= item.size
            yield item


def _one_of(place: str, label: str, name: str | None, room: int) -> Input:
    try:
        status = os.lstat(place)
        when = iso(status.st_mtime)
        if not stat.S_ISREG(status.st_mode):
            why = "it is a symbolic link or not a regular file, so it is not read"
            return Input(label, when, error=why, is_skipped=True)
        data = files.load(place, 0, room + 1)
    except OSError as error:
        return Input(label, "", error=f"it cannot be read: {error.strerror}")
    if len(data) > room:
        raise _too_much(place)
    return _input(data, when, name, label, place)


def _is_store(folder: str) -> bool:
    """Return whether a folder has declarative.md, and also journal.jsonl or MEMORY.md, which PromptX's folder lacks."""
    has = [os.path.isfile(os.path.join(folder, name)) for name in ("declarative.md", "journal.jsonl", "MEMORY.md")]
    return has[0] and any(has[1:])


def _own(path: str, folder: str) -> Input:
    where = layout.at(os.path.abspath(folder))
    own = intake.contents(where, talks=True)
    modified, name = sources.modified(where.declarative), os.path.basename(os.path.abspath(path))
    return Input(name, modified, own=own, size=sum(map(len, own.values())))


def _input(data: bytes, when: str, name: str | None, label: str, path: str) -> Input:
    read = Input(label, when, size=len(data))
    try:
        # A byte order mark at the beginning names the encoding.
        text = data.decode(next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "utf-8"))
    except UnicodeDecodeError as error:
        problem = f"it is not {error.encoding.upper()} text (byte {error.start + 1})"
        new = quote(os.path.join(os.path.dirname(path), f"utf-8-{os.path.basename(path)}"))
        command = join(["iconv", "-f", "gb18030", "-t", "utf-8", path])
        return read._replace(error=f"{problem}\n{_UNPACK}\nif it is Chinese text in GBK: {command} > {new}")
    if name in (None, OWN) and bundle.version(text) is not None:
        return _bundle(read, text)
    source = Source(label, text.replace("\r\n", "\n"))
    form = form_of(source, name)
    if form is None:
        why = source.json_fault() or f"the format is unknown\n{_KNOWN}"
        if label.endswith((".md", ".txt")):
            why = "it has no list items\nbegin each line that is a memory with a hyphen and a space"
        if not text.strip() or source.json in ([], {}):
            why = "the file is empty"
        return read._replace(error=why, is_skipped=True)
    return read._replace(form=form, source=source)


def _bundle(file: Input, text: str) -> Input:
    if (version := bundle.version(text)) != bundle.VERSION:
        problem = f"a bundle of version {version!r}, but this promptx-mem reads version {bundle.VERSION}"
        return file._replace(error=problem)
    read = bundle.read(text)
    if not read.is_whole:
        problem = "nothing was imported: the bundle was changed, or its end is missing"
        return file._replace(error=f"{problem}\ncopy the file again, or export it again", code="damaged")
    leftovers = tuple(Rest(line, "an invalid line of the bundle") for line in read.wrong)
    return file._replace(own=read.files, leftovers=leftovers)
