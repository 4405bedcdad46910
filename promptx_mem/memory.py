"""The class Memory, with one method per use case, for the command line, hooks and servers."""

import contextlib
from collections.abc import Iterator

from promptx_mem import usecases
from promptx_mem.daily import EverydayMemory
from promptx_mem.record import TYPE_CHECKING
from promptx_mem.usecases.context import Context, retry_without_cache

if TYPE_CHECKING:
    from collections.abc import Sequence

    import promptx_mem.usecases.import_files  # noqa: F401 - so that mypy knows the module
    from promptx_mem.core.description import Recall
    from promptx_mem.core.slices import Message
    from promptx_mem.result import Result
    from promptx_mem.search.cache import Progress
    from promptx_mem.store.layout import Layout
    from promptx_mem.usecases.audit_log import Audit, Filters
    from promptx_mem.usecases.change import Change, Forget
    from promptx_mem.usecases.converse import Converse
    from promptx_mem.usecases.decay import Decay, Plan
    from promptx_mem.usecases.export import Export, Wants
    from promptx_mem.usecases.gate import Remember
    from promptx_mem.usecases.init import Index, Init
    from promptx_mem.usecases.intake import Import, Options
    from promptx_mem.usecases.monitor import Monitor
    from promptx_mem.usecases.review import Review
    from promptx_mem.usecases.score import Score
    from promptx_mem.usecases.status import Status, Tags
    from promptx_mem.usecases.view import PageOptions as Page
    from promptx_mem.usecases.view import View


@retry_without_cache
class Memory(EverydayMemory):
    """All use cases of a store, or of two stores: the project's store and the user store."""

    @property
    def layouts(self) -> "list[Layout]":
        """Return the layouts (paths) of the stores that are read. The stores need not exist."""
        return [context.layout for context in (self.context, self.context.other) if context is not None]

    def show(self, ident: str, *, commit: bool = False) -> "Result[Recall]":
        """Return a memory with its history, and with `commit` its git commit. Raises NotFoundError, UsageError."""
        from promptx_mem.usecases.recall.show import show

        return self._read(show(self.context, ident, commit=commit))

    def score(
        self, dims: str | None, profile: str | None, *, explicit: bool = False, guide: bool = False
    ) -> "Result[Score]":
        """Compute a score, or return a guide. Raises UsageError, and Refused if the day's limit is reached."""
        return usecases.score.score(self.context, dims, profile, explicit=explicit, guide=guide)

    def import_files(self, options: "Options") -> "Result[Import]":
        """Import the memories in files. The files are not changed. Raises UsageError, Refused."""
        return self._write(lambda: usecases.import_files.import_files(self.context, options))

    def export(self, wants: "Wants") -> "Result[Export]":
        """Export the memories that `wants` selects. Raises UsageError, StoreError."""
        usecases.stores.demand_store(self.context)
        return self._read(usecases.export.export(self.context, wants))

    def view(self, wants: "Page") -> "Result[View]":
        """Create an HTML page of the memories. Raises StoreError, and UsageError for an invalid filter."""
        return self._read(usecases.view.view(self.context, wants))

    def init(self, *, shared: bool = False, agent: bool = False, trusted: bool = False) -> "Result[Init]":
        """Create a store, or let git track it (`shared`), or only trust it (`trusted`). Raises StoreError, Refused."""
        if trusted:
            return usecases.init.trust(self.context)
        return usecases.init.init(self.context, shared=shared, agent=agent)

    def boost(self, ident: str) -> "Result[Change]":
        """Increase a memory's importance by up to 0.3. Raises NotFoundError, Refused."""
        return usecases.change.boost(self._of(ident), ident)

    def verify(self, ident: str) -> "Result[Change]":
        """Mark a memory as confirmed, and count its age from now. Raises NotFoundError, Refused."""
        return usecases.change.verify(self._of(ident), ident)

    def text_of(self, ident: str) -> tuple[str, str, str]:
        """Return a memory's full id, text and store name, to be shown before a purge. Raises the errors of `forget`."""
        context = self._of(ident)
        return *usecases.purge.text_of(context, ident), context.layout.name

    def forget(self, ident: str, reason: str | None = None, *, purge: bool = False) -> "Result[Forget]":
        """End a memory, so that it is no longer found. With `purge`, also destroy its text in every file.

        Raises NotFoundError, Refused (purge without a person).
        """
        if purge:
            return usecases.purge.purge(self._of(ident), ident, reason, self.context.both())
        return usecases.change.forget(self._of(ident), ident, reason)

    def forget_last(self, reason: str | None = None) -> "Result[Forget]":
        """Undo this session's last write. Raises NotFoundError if it did not store a memory."""
        return usecases.audit_log.forget_last(self.context, reason)

    def forget_conversation(self, named: str, reason: str | None = None, *, purge: bool = False) -> "Result[Forget]":
        """End the memories of a conversation or day. With `purge`, destroy its messages too. Raises NotFoundError."""
        if purge:
            return usecases.purge.purge_conversation(self.context, named)
        return usecases.purge.forget_conversation(self.context, named, reason)

    def restore(self, ident: str) -> "Result[Change]":
        """Restore a memory that has ended, was archived, or is missing from the files. Raises NotFoundError."""
        return usecases.change.restore(self._of(ident), ident)

    def restore_lost(self) -> "Result[Change]":
        """Restore all lines and events that an editor's save has removed, in both stores. Raises StoreError."""
        return usecases.change.restore_lost(self.context)

    def forget_lost(self, reason: str | None = None) -> "Result[Forget]":
        """Record, for both stores, that the missing lines were deleted on purpose. Raises StoreError."""
        return usecases.change.forget_lost(self.context, reason)

    def edit(self, ident: str, aliases: tuple[str, ...] = ()) -> "Result[Remember]":
        """Change a memory in $EDITOR: a new memory replaces it. Raises the errors of `remember`.

        With `aliases`, replace only the memory's aliases, and open no editor. An empty alias removes all aliases.
        """
        if aliases:
            return usecases.change.set_aliases(self._of(ident), ident, aliases)
        return usecases.change.edit(self._of(ident), ident)

    def reviews(
        self, *, as_prompt: bool = False, room: int = 6_000, how: str = "", every: bool = False
    ) -> "Result[Review]":
        """List the pending reviews of today (7, and all unscored ones), or `every` one.

        With `as_prompt`, add a prompt of at most `room` tokens (or one question) about them.
        """
        return self._read(usecases.review.waiting(self.context, as_prompt=as_prompt, room=room, how=how, every=every))

    def review(self, ident: str, answer: str) -> "Result[Review]":
        """Answer a pending review, for example with "keep". Raises NotFoundError, and Refused if none is pending."""
        return usecases.review.decide(self._of(ident), ident, answer)

    def answer_reviews(self, answers: "str | Sequence[object]") -> "Result[Review]":
        """Answer several pending reviews. `answers` is a list of objects, or a text that contains JSON objects."""
        return usecases.review.apply_answers(self.context, answers, self._of)

    def converse(
        self, messages: "Sequence[Message]", *, snapshot: bool = False, progress: "Progress | None" = None
    ) -> "Result[Converse]":
        """Store messages. With `snapshot`, `messages` are a whole conversation, and stored messages are skipped."""
        return self._write(
            lambda: usecases.converse.converse(self.context, messages, snapshot=snapshot, progress=progress)
        )

    def working_memory(self) -> "Result[Converse]":
        """List the session's messages that are not summarised yet."""
        return self._read(usecases.converse.show(self.context))

    def monitor(self, lines: "Sequence[str]") -> "Result[Monitor]":
        """Apply a judge's directives, such as `[BOOST:id]`, one per line. The exit status is 1 if a directive fails."""
        return self._write(
            lambda: usecases.monitor.seen_by_host(self.context, usecases.monitor.monitor(self.context, lines))
        )

    def monitor_turn(self, turn: "Sequence[Message]") -> "Result[Monitor]":
        """Ask the judge which memories a turn (a user message and its answer) adds or changes.

        Apply the judge's directives. Without a judge, return the prompt. Raises JudgeError.
        """
        return self._write(lambda: usecases.monitor.ask(self.context, turn))

    def decay(self, plan: "Plan") -> "Result[Decay]":
        """Do all maintenance that is due, unless another decay is running; for a dry run, list it."""
        return usecases.decay.decay(self.context, plan)

    def schedule(self) -> "Result[Decay]":
        """Return the crontab line and the systemd timer for decay."""
        return usecases.decay.schedule(self.context)

    def index(self) -> "Result[Index]":
        """Write MEMORY.md. Raises StoreError if there is no store, or if another program's file has this name."""
        return usecases.init.index(self.context)

    def check_index(self) -> "Result[Index]":
        """Compare MEMORY.md with a new one for the time in its header. The exit status is 1 if they differ."""
        return self._read(usecases.init.check_index(self.context))

    def tags(self) -> "Result[Tags]":
        """Count the active memories of each tag and topic."""
        return self._read(usecases.status.tags(self.context))

    def status(self) -> "Result[Status]":
        """Describe the stores: paths, counts, limits, pending reviews, the last decay and sync."""
        return self._read(usecases.status.status(self.context))

    def audit(self, filters: "Filters") -> "Result[Audit]":
        """List attempts to store facts, or injected memories, newest first. Raises UsageError for an invalid filter."""
        return self._read(usecases.audit_log.audit(self.context, filters))

    def undo(self, session: str | None = None) -> "Result[Audit]":
        """List the commands that undo the writes of a session, by default of this session."""
        return self._read(usecases.audit_log.undo(self.context, session))

    def audit_verify(self, progress: "Progress | None" = None, *, secrets: bool = False) -> "Result[Audit]":
        """Check the whole store; with `secrets`, also find credentials. The exit status is 1 if there are problems."""
        from promptx_mem.usecases.verify import verify

        return verify(self.context, progress, secrets=secrets)

    def allow(self, blocked: str) -> "Result[Audit]":
        """Unblock a session. Raises NotFoundError if it has no violations, and Refused without a person."""
        return usecases.audit_log.allow(self.context, blocked)

    def _of(self, ident: str) -> Context:
        """Return the context of the store that has an id, or the first. Raises UsageError if both have it."""
        if self.context.other is None:
            return self.context
        return usecases.stores.context_with(self.context, ident)


@contextlib.contextmanager
def hurried() -> Iterator[None]:
    """In a `with` block, rebuild large caches in the background and raise BusyError: hooks must be fast."""
    from promptx_mem.search import current

    before, current.is_hurried = current.is_hurried, True
    try:
        yield
    finally:
        current.is_hurried = before


def begin() -> None:
    """Keep the cache open between calls. All these calls must come from one thread."""
    from promptx_mem.search.cache import keep_open

    keep_open()
