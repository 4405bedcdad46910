"""The text of a denial: the rule, and an equivalent command if one is certain. Imported only when the guard denies."""

import os

from promptx_mem import session as sessions
from promptx_mem.core.labels import NOTE, normalise_tag, unique
from promptx_mem.core.shell import PROGRAM, join
from promptx_mem.core.text import format_score, printable
from promptx_mem.hooks import complain, user_store_in_use
from promptx_mem.hooks.guard import commands
from promptx_mem.places import parents
from promptx_mem.store.violations import MOST, has_credential, message, note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from promptx_mem.hooks.guard.commands import Attempt

MAX_TEXT = 4_000

_WITHOUT_STORE = {
    "git clean -fdx": "git clean -fdx -e .memory",
    "git clean -fd)": "git clean -fd -e .memory",
    "git stash -u": "git stash without -u",
    "git stash": "git stash without -a",
}
"""For commands that remove files: the same command without the store."""

_LOWEST = "5"
"""The lowest score of a stored memory."""


class Fact:
    """A memory that a call would write. `ident` is the id of the memory that the call changes or (`gone`) removes."""

    __slots__ = ("duration", "gone", "ident", "score", "tags", "text")

    def __init__(
        self,
        text: str,
        tags: tuple[str, ...] = (),
        score: str | None = None,
        duration: str | None = None,
        ident: str | None = None,
    ) -> None:
        self.text, self.tags, self.score, self.duration, self.ident = text, tags, score, duration, ident
        self.gone = False


def command(attempt: "Attempt", cwd: str, root: str | None, session: str | None = None) -> str:
    """Return the command to run instead of a denied call, or before a reset; empty if uncertain. Complete `attempt`."""
    path = os.path.join(cwd, os.path.expanduser(attempt.path)) if attempt.path else ""
    path = os.path.realpath(path.encode("utf-8", "replace").decode()) if path else ""  # JSON can contain surrogates
    if attempt.resets:
        return join(["git", "-C", path, "commit", "-m", "Save memories", "--", "."])
    user, mine = (os.path.realpath(store) if store else "" for store in (user_store_in_use(), root))
    named = (one for one in parents(path) if one in (user, mine) or os.path.basename(one) == commands.DIRECTORY)
    attempt.store = next(named, "")
    attempt.where = ["--user"] if user and attempt.store == user else []
    if attempt.store not in ("", user, mine):
        from promptx_mem.store import trust
        from promptx_mem.store.layout import Layout

        if not trust.is_recorded(Layout(attempt.store)):  # then an agent may not name the store
            return ""
        attempt.where = ["--memory-dir", attempt.store]
    if path and path != os.path.join(attempt.store, commands.FILES[0]):
        return ""
    fact = _certain(attempt, path)
    attempt.is_lowest = fact is not None and not fact.score and not fact.ident
    return _line(fact, attempt.where, session) if fact else ""


def _line(fact: Fact, where: list[str], session: str | None) -> str:
    """Return the command that stores, changes or removes a fact in the store `where`; empty if none is certain."""
    if fact.gone and fact.ident:
        return join([PROGRAM, "forget", fact.ident, *(["--scope", "user"] if where == ["--user"] else where)])
    if not is_plain(fact.text) or has_credential(fact.text):
        return ""
    options = [*(["--session", session] if session else []), *(["--update", fact.ident] if fact.ident else [])]
    score = fact.score or (None if fact.ident else _LOWEST)
    tags = fact.tags or (() if fact.ident else (NOTE,))
    return join([PROGRAM, *words(fact.text, tags, score, fact.duration), *options, *where])


def words(text: str, tags: tuple[str, ...], score: str | None, duration: str | None) -> list[str]:
    """Return the arguments of a `remember` command that stores a text. The text must pass `is_plain`."""
    tokens = [f"{name}:{value}" for name, value in (("score", score), ("duration", duration)) if value]
    return ["remember", text, *(f"#{tag}" for tag in tags), *tokens]


def is_plain(text: str) -> bool:
    """Return whether a text is a safe argument of `remember`: short, printable, and stored unchanged."""
    last = text.rpartition(" ")[2]
    odd = text[:1] in ("-", "") or text != text.strip() or "<" in text or "&" in text or last[:1] in ("#", "＃", "\\")
    return len(text) <= MAX_TEXT and not odd and not any(mark in last for mark in ":=：") and printable(text) == text


def _certain(attempt: "Attempt", path: str) -> Fact | None:
    """Return the memory that a call surely concerns; None unless there is exactly one."""
    old, text = attempt.edit or ("", attempt.text)
    if old and not text.startswith(f"{old.rstrip()}\n- "):
        return _edited((old, text), path)
    text = text.removeprefix(old.rstrip()).strip()
    if attempt.tags:
        names = (normalise_tag(tag.strip().replace(" ", "_")) for tag in attempt.tags)
        return Fact(attempt.text, unique(name for name in names if name))
    if text[:1] in ("", "#") or "\n" in text or " --tags" in text:
        return None
    fact = parse(text[2:] if text[:2] in ("- ", "* ") else text)
    return None if fact.ident else fact


def _edited(edit: tuple[str, str], path: str) -> Fact | None:
    """Return the memory that an edit changes or removes; None unless the edit surely concerns one list item."""
    old, new = edit[0].strip("\n"), edit[1].strip("\n")
    from promptx_mem.hooks.guard.look import load

    lines = (load(path) or b"").decode("utf-8", "replace").split("\n")
    found = [line for line in lines if old and old in line]
    if len(found) != 1 or "\n" in old or "\n" in new or found[0][:2] not in ("- ", "* "):
        return None
    line = found[0].replace(old, new, 1)
    before = parse(found[0][2:])
    fact = parse(line[2:])
    fact.gone = not line.strip()
    is_same = line[:2] in ("- ", "* ") and fact.text != before.text and set(before.tags) <= set(fact.tags)
    if not (fact.gone or is_same):
        return None
    from promptx_mem.core.ids import make_id

    fact.ident = before.ident or make_id(before.text)
    return fact


def reason(attempt: "Attempt", line: str, session: str, count: int) -> str:
    """Return the text of a denial: the rule, and the equivalent command `line` if there is one.

    `count` is the session's number of violations, including this denial; 0 if the denial could not be recorded. If
    violations block the session, it can store a fact only with --explicit.
    """
    if_asked = "If the user asked for this, "
    is_blocked = count >= MOST
    path = attempt.path
    short = path if len(path) <= 200 else "…" + path[-199:]
    where = f"{printable(short)} belongs to the memory store" if path else "it writes to another program's memory"
    if attempt.removes:
        where = f"it would remove {printable(short)}, which belongs to the memory store"
    elif attempt.resets:
        where = f"memories in {printable(short)} that are not committed would be lost"
    out = [f"Denied: memories are changed only with {PROGRAM}, which {printable(attempt.tool)} bypasses ({where})."]
    if attempt.resets:
        out += ["Commit the memories first:", f"  {line}"]
        if "git reset " in attempt.tool:  # the target of the reset lacks the new commit
            out.append("Then reset (HEAD~1 is now HEAD~2), and restore the memories with: git cherry-pick ORIG_HEAD")
    elif line:
        is_users = line.endswith((" --user", " --scope user"))
        is_refused = is_blocked and line.startswith(f"{PROGRAM} remember ")
        first = f"{if_asked}run:" if is_users or is_refused else "Run this instead:"
        out += [first, f"  {line}{' --explicit' * is_refused}"]
        if f"'#{NOTE}'" in line:
            out.append(f"Use a better tag than #{NOTE} if there is one.")
        if attempt.is_lowest and not is_refused:
            out.append("Raise the score (5 to 10) if the fact is more important.")
    elif attempt.removes:
        way = next((way for name, way in _WITHOUT_STORE.items() if name in attempt.tool), "name only other files")
        out.append(f"Leave the memory store out: {way}. To remove one memory, use {PROGRAM} forget with its id.")
    else:
        example = [PROGRAM, *words("We use Postgres", ("database",), "7", None), *attempt.where]
        end = f"to remove one, use {PROGRAM} forget with the id from {PROGRAM} recall."
        first = f"{if_asked}store" if is_blocked or attempt.where == ["--user"] else "Store"
        out.append(f"{first} one fact per command, for example: {join(example)}{' --explicit' * is_blocked}; {end}")
    return "\n".join([*out, *message(session, count)])


def parse(item: str) -> Fact:
    """Parse a list item: with a comment (`-->`) as the store does, otherwise as `remember` does."""
    if item.endswith("-->"):
        from promptx_mem.core.line import parse_line, strip_comment

        if line := parse_line(f"- {item}"):
            entry = line.entry
            return Fact(entry.text, entry.tags, format_score(entry.score), entry.duration, entry.id)
        item = strip_comment(f"- {item}")[2:]
    from promptx_mem.core.syntax import parse_argument

    parsed = parse_argument(item)
    score = None if parsed.score is None else format_score(parsed.score)
    return Fact(parsed.text, parsed.tags, score, parsed.duration)


def noted(root: str, session: str, fields: "dict[str, Any]") -> int:
    """Record a denial or a change in the audit log. Return the session's number of violations; 0 if none was added."""
    try:
        return note(root, sessions.violation_names(session), fields)
    except Exception as error:  # noqa: BLE001 - a denial is valid without a record
        complain("guard", f"nothing could be recorded in audit.jsonl: {getattr(error, 'strerror', '') or error}")
    return 0
