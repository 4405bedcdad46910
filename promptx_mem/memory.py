"""The class Memory, with one method per use case. The command line, hooks and servers call it."""

from collections.abc import Callable, Sequence
from functools import partial

from promptx_mem.record import TYPE_CHECKING
from promptx_mem.result import Payload, Result
from promptx_mem.store import location
from promptx_mem.store.layout import Layout
from promptx_mem.usecases.context import Clock, Context, now_here, of_reading, of_writing, retry_without_cache

if TYPE_CHECKING:
    from promptx_mem.core.description import Recall
    from promptx_mem.core.request import Request
    from promptx_mem.core.slices import Message
    from promptx_mem.search.cache import Progress
    from promptx_mem.store.writer import Writer
    from promptx_mem.usecases.audit_log import Audit, Filters
    from promptx_mem.usecases.change import Change, Forget
    from promptx_mem.usecases.converse import Converse
    from promptx_mem.usecases.decay import Decay, Plan
    from promptx_mem.usecases.export import Export, Wants
    from promptx_mem.usecases.gate import Remember
    from promptx_mem.usecases.index import Index
    from promptx_mem.usecases.init import Init
    from promptx_mem.usecases.intake.merge import Import, Options
    from promptx_mem.usecases.monitor import Monitor
    from promptx_mem.usecases.recall import Cues
    from promptx_mem.usecases.review import Review
    from promptx_mem.usecases.score import Score
    from promptx_mem.usecases.status import Status, Tags
    from promptx_mem.usecases.view import View
    from promptx_mem.usecases.view import Wants as Page


@retry_without_cache
class Memory:
    """The use cases of a store, or of two stores: the project's store and the user store."""

    def __init__(
        self, where: Layout, session_name: str | None = None, clock: Clock = now_here, other: Layout | None = None
    ) -> None:
        second = None if other is None else Context(other, session_name, clock)
        self.context = Context(where, session_name, clock, second)
        if second is not None:
            self.context.project = second.project = self.context.project or second.project
        for context in filter(None, (self.context, second)):
            context.store.finish = partial(_finish_purge, context)

    @classmethod
    def of(cls, stores: "location.Stores", session_name: str | None = None) -> "Memory":
        """Return a Memory for stores that `location` has found."""
        memory = cls(stores.layout, session_name, other=stores.other)
        memory.context.left_out = stores.warning
        memory.context.project = memory.context.project or stores.project
        return memory

    @classmethod
    def open(
        cls,
        directory: str | None = None,
        session_name: str | None = None,
        scope: str | None = None,
        *,
        writes: bool = False,
    ) -> "Memory":
        """Open the stores for `directory`, or PROMPTX_MEM_DIR, or the working directory. The stores need not exist."""
        return cls.of(location.locate(directory, scope, writes=writes), session_name)

    @classmethod
    def open_user(cls, directory: str | None = None, session_name: str | None = None) -> "Memory":
        """Open the user store, which the first write creates. `directory` selects the project's store, if any."""
        return cls.of(location.locate_user(directory), session_name)

    @property
    def layouts(self) -> list[Layout]:
        """Return the layouts (paths) of the stores that are read. The stores need not exist."""
        return [context.layout for context in (self.context, self.context.other) if context is not None]

    def remember(self, request: "Request") -> "Result[Remember]":
        """Check a text, and store it durably if its score is high enough.

        Raises Refused, UsageError, StoreError, NotFoundError, BusyError.
        """
        from promptx_mem.usecases.remember import remember

        return self._write(lambda: remember(self.context, request))

    def recall(self, cues: "Cues", progress: "Progress | None" = None) -> "Result[Recall]":
        """Find memories. An empty result is not an error. Raises UsageError, StoreError."""
        from promptx_mem.usecases.recall import recall

        return self._read(recall(self.context, cues, progress))

    def show(self, ident: str, *, commit: bool = False) -> "Result[Recall]":
        """Return one memory, active or ended, with its history. With `commit`, add the git commit that stored it.

        Raises NotFoundError, UsageError.
        """
        from promptx_mem.usecases.recall.show import show

        return self._read(show(self.context, ident, commit=commit))

    def score(
        self, dims: str | None, profile: str | None, *, explicit: bool = False, guide: bool = False
    ) -> "Result[Score]":
        """Compute a score from six dimensions, but store no memory.

        Raises UsageError, and Refused if the day's limit of scorings is reached.
        """
        from promptx_mem.usecases.score import score

        return score(self.context, dims, profile, explicit=explicit, guide=guide)

    def import_files(self, options: "Options") -> "Result[Import]":
        """Import the memories in files. The files are not changed. Raises UsageError, Refused."""
        from promptx_mem.usecases.import_files import import_files

        return self._write(lambda: import_files(self.context, options))

    def export(self, wants: "Wants") -> "Result[Export]":
        """Export all memories, or the filtered ones. Raises UsageError, StoreError."""
        from promptx_mem.usecases.export import export

        return self._read(export(self.context, wants))

    def view(self, wants: "Page", progress: "Progress | None" = None) -> "Result[View]":
        """Write an HTML page of the memories. Raises StoreError, and UsageError for an invalid filter."""
        from promptx_mem.usecases.view import view

        return self._read(view(self.context, wants, progress))

    def init(self, *, shared: bool = False, agent: bool = False, trusted: bool = False) -> "Result[Init]":
        """Create the store. With `shared`, let git track a new or private store.

        With `trusted`, only trust the store. Raises StoreError, Refused.
        """
        from promptx_mem.usecases.init import init, trust

        return trust(self.context) if trusted else init(self.context, shared=shared, agent=agent)

    def boost(self, ident: str) -> "Result[Change]":
        """Increase a memory's importance by 0.3. Raises NotFoundError, and Refused if the memory has ended."""
        from promptx_mem.usecases.change import boost

        return boost(self._of(ident), ident)

    def verify(self, ident: str) -> "Result[Change]":
        """Mark a memory as confirmed, and count its age from now. Raises NotFoundError, and Refused if it has ended."""
        from promptx_mem.usecases.change import verify

        return verify(self._of(ident), ident)

    def text_of(self, ident: str) -> tuple[str, str, str]:
        """Return a memory's full id, text and store name, to be shown before a purge. Raises the errors of `forget`."""
        from promptx_mem.usecases.purge import text_of

        context = self._of(ident)
        return *text_of(context, ident), context.layout.name

    def forget(self, ident: str, reason: str | None = None, *, purge: bool = False) -> "Result[Forget]":
        """End a memory, so that it is no longer found. With `purge`, also destroy its text in every file.

        Raises NotFoundError, and Refused if only a person is allowed to end it.
        """
        if purge:
            from promptx_mem.usecases.purge import purge as destroy

            return destroy(self._of(ident), ident, reason, self.context.both())
        from promptx_mem.usecases.change import forget

        return forget(self._of(ident), ident, reason)

    def forget_last(self, reason: str | None = None) -> "Result[Forget]":
        """End the memory that this session stored last. Raises NotFoundError."""
        from promptx_mem.usecases.audit_log import forget_last

        return forget_last(self.context, reason)

    def forget_conversation(self, named: str, reason: str | None = None, *, purge: bool = False) -> "Result[Forget]":
        """Hide the messages of a conversation or day. With `purge`, destroy them. Raises NotFoundError, UsageError."""
        from promptx_mem.usecases.purge import forget_conversation, purge_conversation

        return purge_conversation(self.context, named) if purge else forget_conversation(self.context, named, reason)

    def restore(self, ident: str) -> "Result[Change]":
        """Restore a memory that has ended, was archived, or is missing from the files. Raises NotFoundError."""
        from promptx_mem.usecases.change import restore

        return restore(self._of(ident), ident)

    def restore_lost(self) -> "Result[Change]":
        """Restore all lines and events that an editor's save has removed, in the project's store and in the user store.

        Raises StoreError.
        """
        from promptx_mem.usecases.change import restore_lost

        return restore_lost(self.context)

    def forget_lost(self, reason: str | None = None) -> "Result[Forget]":
        """Record, for the project's store and the user store, that the missing lines were deleted on purpose.

        Raises StoreError.
        """
        from promptx_mem.usecases.change import forget_lost

        return forget_lost(self.context, reason)

    def edit(self, ident: str, aliases: tuple[str, ...] = ()) -> "Result[Remember]":
        """Change a memory in $EDITOR: a new memory replaces it. Raises the errors of `remember`.

        With `aliases`, replace only the memory's aliases, and open no editor. An empty alias removes all aliases.
        """
        from promptx_mem.usecases.edit import edit, set_aliases

        if aliases:
            return set_aliases(self._of(ident), ident, aliases)
        return edit(self._of(ident), ident)

    def reviews(self, *, as_prompt: bool = False, room: int = 6_000, how: str = "") -> "Result[Review]":
        """List pending reviews. With `as_prompt`, add a prompt of at most `room` tokens that asks about them."""
        from promptx_mem.usecases.review import waiting

        return self._read(waiting(self.context, as_prompt=as_prompt, room=room, how=how))

    def review(self, ident: str, answer: str) -> "Result[Review]":
        """Answer a pending review, for example with "keep". Raises NotFoundError, and Refused if none is pending."""
        from promptx_mem.usecases.review import decide

        return decide(self._of(ident), ident, answer)

    def answer_reviews(self, answers: "str | Sequence[object]") -> "Result[Review]":
        """Answer several pending reviews. `answers` is a list of objects, or a text that contains JSON objects."""
        from promptx_mem.usecases.review import take

        return take(self.context, answers, self._of)

    def converse(
        self, messages: "Sequence[Message]", *, snapshot: bool = False, progress: "Progress | None" = None
    ) -> "Result[Converse]":
        """Store messages. With `snapshot`, `messages` are a whole conversation, and stored messages are skipped."""
        from promptx_mem.usecases.converse import converse

        return self._write(lambda: converse(self.context, messages, snapshot=snapshot, progress=progress))

    def working_memory(self) -> "Result[Converse]":
        """List the session's messages that are not summarised yet."""
        from promptx_mem.usecases.converse import show

        return self._read(show(self.context))

    def monitor(self, lines: "Sequence[str]") -> "Result[Monitor]":
        """Apply a judge's directives, such as `[BOOST:id]`, one per line. The exit status is 1 if a directive fails."""
        from promptx_mem.usecases.monitor import monitor, seen_by_host

        return self._write(lambda: seen_by_host(self.context, monitor(self.context, lines)))

    def monitor_turn(self, turn: "Sequence[Message]") -> "Result[Monitor]":
        """Ask the judge which memories a turn (a user message and its answer) adds or changes.

        Apply the judge's directives. Without a judge, return the prompt. Raises JudgeError.
        """
        from promptx_mem.usecases.monitor import ask

        return self._write(lambda: ask(self.context, turn))

    def decay(self, plan: "Plan") -> "Result[Decay]":
        """Do all maintenance that is due. If it is run twice in a row, the second run does nothing."""
        from promptx_mem.usecases.decay import decay

        return decay(self.context, plan)

    def schedule(self) -> "Result[Decay]":
        """Return the crontab line and the systemd timer for decay."""
        from promptx_mem.usecases.decay import schedule

        return schedule(self.context)

    def index(self) -> "Result[Index]":
        """Write MEMORY.md. Raises StoreError if there is no store, or if another program's file has this name."""
        from promptx_mem.usecases.index import index

        return index(self.context)

    def check_index(self) -> "Result[Index]":
        """Build MEMORY.md again for the time in its header. The exit status is 1 if the file differs."""
        from promptx_mem.usecases.index import check

        return self._read(check(self.context))

    def tags(self) -> "Result[Tags]":
        """Count the active memories of each tag and topic."""
        from promptx_mem.usecases.status import tags

        return self._read(tags(self.context))

    def status(self) -> "Result[Status]":
        """Describe the stores: paths, counts, limits, pending reviews, the last decay and sync."""
        from promptx_mem.usecases.status import status

        return self._read(status(self.context))

    def audit(self, filters: "Filters") -> "Result[Audit]":
        """List attempts to store facts, newest first. Raises UsageError for an invalid date or count.

        With `filters.injected`, list injected memories instead.
        """
        from promptx_mem.usecases.audit_log import audit

        return self._read(audit(self.context, filters))

    def undo(self, session: str | None = None) -> "Result[Audit]":
        """List the commands that undo all writes of a session, by default of this session."""
        from promptx_mem.usecases.audit_log import undo

        return self._read(undo(self.context, session))

    def audit_verify(self, progress: "Progress | None" = None, *, secrets: bool = False) -> "Result[Audit]":
        """Check the whole store; with `secrets`, also find credentials. The exit status is 1 if there are problems."""
        from promptx_mem.usecases.verify import verify

        return verify(self.context, progress, secrets=secrets)

    def allow(self, blocked: str) -> "Result[Audit]":
        """Unblock a session that had too many violations. Raises NotFoundError if the log has no such session."""
        from promptx_mem.usecases.audit_log import allow

        return allow(self.context, blocked)

    def _of(self, ident: str) -> Context:
        """Return the context of the store that contains an id. Raises UsageError if both stores contain it."""
        if self.context.other is None:
            return self.context
        from promptx_mem.usecases.stores import context_with

        return context_with(self.context, ident)

    def _read(self, result: Result[Payload]) -> Result[Payload]:
        return of_reading(self.context, result)

    def _write(self, work: Callable[[], Result[Payload]]) -> Result[Payload]:
        return of_writing(self.context, work)


def _finish_purge(context: Context, writer: "Writer") -> None:
    from promptx_mem.usecases import purge

    purge.finish(context, writer)
