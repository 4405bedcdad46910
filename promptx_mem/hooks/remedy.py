"""From what an agent tried to write to the commands that do the same: loaded only when the guard denies."""

import os

from promptx_mem.core import pasteable
from promptx_mem.core.line import parse_line, strip_comment
from promptx_mem.core.request import Request
from promptx_mem.core.shell import MARKS, PROGRAM, SCORE, TAG, TEXT, join
from promptx_mem.core.syntax import parse_argument
from promptx_mem.core.tags import normalise_tag, unique
from promptx_mem.core.text import format_score, printable
from promptx_mem.store.audit import MAX_VIOLATIONS

MAX_COMMANDS = 8
MAX_TEXT = 4_000
MAX_REASON = 9_000
"""Characters: hosts cut what is longer than 10,000."""


class Fact:
    """A memory that was to be written; `ident` names the one it changes, `gone` that it was to be taken out."""

    __slots__ = ("duration", "gone", "ident", "score", "tags", "text")

    def __init__(self, text: str, tags: tuple[str, ...] = ()) -> None:
        self.text = text
        self.tags = tags
        self.score: str | None = None
        self.duration: str | None = None
        self.ident: str | None = None
        self.gone = False


def facts(new: str, old: str = "") -> list[Fact]:
    """Read what was to be written: list items are a memory each, other text is one. What `old` has is left out.

    A line of the store keeps its id: changed it supersedes that memory, missing it ends it.
    """
    before = {fact.ident or fact.text: fact for fact in _entries(old)}
    out = []
    for fact in _entries(new):
        match = before.pop(fact.ident or fact.text, None)
        if match is None and fact.ident is not None:
            if old or not fact.text:
                fact.ident = None
            else:
                continue  # a file written anew repeats what is stored
        if match is not None and match.text == fact.text:
            if (match.tags, match.score, match.duration) == (fact.tags, fact.score, fact.duration):
                continue
            fact.ident = None  # the same text with another score is the same memory, said again
        out.append(fact)
    for fact in before.values():
        if fact.ident is not None:
            fact.gone = True
            out.append(fact)
    return out


def _entries(text: str) -> list[Fact]:
    lines = text.replace("\r\n", "\n").split("\n")
    bullets = [line for line in lines if line[:2] in ("- ", "* ")]
    if not bullets:
        body = "\n".join(line for line in lines if not line.startswith("#") or line[1:2] not in (" ", "#")).strip()
        return [parse(body)] if body else []
    return [fact for fact in (parse(line[2:]) for line in bullets) if fact.text or fact.ident]


def parse(item: str) -> Fact:
    """Read a list item as the store would, and the tokens behind its text as `remember` does."""
    fact = Fact("")
    if line := parse_line(f"- {item}"):
        entry = line.entry
        fact.text, fact.tags, fact.ident = entry.text, entry.tags, entry.id
        fact.score, fact.duration = format_score(entry.score), entry.duration
        return fact
    parsed = parse_argument(strip_comment(f"- {item}")[2:])
    fact.text, fact.tags, fact.duration = parsed.text, parsed.tags, parsed.duration
    fact.score = None if parsed.score is None else format_score(parsed.score)
    return fact


def fact_of(text: str, tags: tuple[str, ...]) -> Fact:
    """A fact that another memory's tool was given: its text as it is, and what of its tags can be one."""
    names = (normalise_tag(tag.strip().replace(" ", "_")) for tag in tags)
    return Fact(text, unique(name for name in names if name))


def command(fact: Fact, session: str | None = None) -> str:
    """The command that stores a fact, or ends it; what is missing is left to the agent."""
    if fact.gone and fact.ident:
        return join([PROGRAM, "forget", fact.ident])
    request = Request(
        text=fact.text,
        tags=fact.tags or (() if fact.ident else (TAG,)),
        score=SCORE if fact.score is None else fact.score,
        duration=fact.duration,
        update=fact.ident,
        session=session,
    )
    return pasteable.command(request, most=MAX_TEXT)


def remember(text: str, session: str | None, *, explicit: bool = False) -> str:
    """The command to offer inside a prompt, what the agent must fill in as placeholders; no tag is open in it."""
    score = None if explicit else SCORE
    request = Request(text, (TAG,), score, explicit=explicit, session=session)
    return pasteable.command(request, spelled=MARKS, most=MAX_TEXT)


def reason(
    tool: str, path: str | None, facts: list[Fact], *, removes: bool, session: str, violations: int, name: str | None
) -> str:
    """Tell the agent what to do instead. `name`: the session, where the commands must give it themselves.

    `violations` are those of the session, this one included; 0 where it could not be noted.
    """
    where = f"{_short_path(path)} belongs to the memory store" if path else "it is another memory"
    head = f"Denied: memories are kept with {PROGRAM} alone, and {tool} goes round it ({where}). Nothing was written."
    if path and _is_record(path):
        facts, removes = [], False
        head += " That file is the program's own record and is never written by hand."
    elif not facts and not removes:
        facts = [Fact(TEXT)]
    out = [head]
    blocked = violations >= MAX_VIOLATIONS
    if blocked:
        out.append(
            f"It is violation {violations} of session {session}: storing is blocked in it. The user lifts that: "
            f"{join([PROGRAM, 'audit', '--allow', session])}"
        )
    if facts:
        when = "When the user has done so, or with --explicit in the place of --score where the user asked for it, run"
        out.append(f"{when if blocked else 'Run'} {'this' if len(facts) == 1 else 'these'} instead:")
        out += [f"  {line}" for line in _fitting([command(fact, name) for fact in facts])]
        out += _explained(facts)
    if removes:
        out.append(f"To end a memory: {PROGRAM} forget ID; to change its text: {PROGRAM} remember --update ID …")
        out.append(f"To find its id: {PROGRAM} recall WORDS")
    if violations and not blocked:
        out.append(f"Noted as violation {violations} of session {session}: the third blocks storing for that session.")
    return "\n".join(out)[:MAX_REASON]


def _fitting(commands: list[str]) -> list[str]:
    lines: list[str] = []
    size = 0
    for line in commands[:MAX_COMMANDS]:
        size += len(line)
        if lines and size > MAX_REASON * 3 // 4:
            break
        lines.append(line)
    rest = len(commands) - len(lines)
    return [*lines, f"and the same for {rest} more"] if rest else lines


def _explained(facts: list[Fact]) -> list[str]:
    out = []
    stored = [fact for fact in facts if not fact.gone]
    if any(fact.text == TEXT for fact in stored):
        out.append(f"{TEXT} is the fact to remember, in one sentence.")
    if any(fact.score is None for fact in stored):
        out.append(
            f"{SCORE} is yours to give: from 0 to 10, what it is worth (below 5 is refused; the questions: "
            f"{PROGRAM} score --guide). If the user asked for it to be remembered, --explicit stands for --score."
        )
    if any(not fact.tags and not fact.ident for fact in stored):
        out.append(f"{TAG} is a word to find it by, for example preference or 用户信息.")
    if any(len(fact.text) > MAX_TEXT for fact in stored):
        out.append("FILE is a file outside .memory that holds the text.")
    return out


def _is_record(path: str) -> bool:
    name = os.path.basename(path)
    return name.endswith((".jsonl", ".gz")) or (name.startswith(".") and name != ".memory")


def _short_path(path: str | None) -> str:
    text = printable(path or "")
    return text if len(text) <= 200 else "…" + text[-199:]


def settings(path: str) -> str:
    """What is said where the settings were to be written: a person decides."""
    return (
        f"{os.path.basename(path)} holds the settings of the memory store, its limits among them: they are set by "
        "people. Ask the user to confirm or make this change."
    )
