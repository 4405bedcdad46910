"""PromptX's declarative.md in all its forms, and lines of ours without a journal."""

import re

from promptx_mem.core import document
from promptx_mem.core.document import Bullet
from promptx_mem.core.entry import Entry
from promptx_mem.core.text import plural
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source

_ENTRY = re.compile(
    r"""(?m)^-\ (?:\d{4}[/-]\d{1,2}[/-]\d{1,2}\ \d{1,2}:\d{2}\b"""
    r"""|.*(?:^|\ )\#*(?:评分|有效期)[:：=]\S|.*\ <!--\ \{"id":"m_[0-9a-z]{10}")""",
    re.VERBOSE,
)
_GRADED = re.compile(r"(?m)^- .*(?:^| )#*(?:score|duration)[:：=]\S")
_MARKDOWN = re.compile(r"(?m)^(?:[*+]|\d{1,9}[.)])[ \t]|^- \[[ xX]\] |^#{1,6}[ \t]")
"""What no program that keeps memories writes: other markers, task boxes, headings."""
_HEADER = "# 陈述性记忆"


def matches(source: Source) -> bool:
    """Whether a bullet is dated or graded, or ends in our comment, or it has PromptX's header.

    A person's list may have a `score:` here and there, too: where it looks like Markdown it is Markdown.
    """
    text = source.text
    if text.startswith(_HEADER) or _ENTRY.search(text):
        return True
    return _GRADED.search(text) is not None and _MARKDOWN.search(text) is None


def read(source: Source) -> Reading:
    """Read every entry; what no entry holds is named."""
    data = source.text.encode("utf-8", "surrogatepass")
    read_back = document.read(data, source.name)
    leftovers = [Rest(problem.line, f"{problem.message}: {problem.mend}") for problem in read_back.problems]
    named = {rest.line for rest in leftovers}
    leftovers += [rest for rest in _between(data, read_back.bullets) if rest.line not in named]
    is_ours = any(bullet.entry is not None for bullet in read_back.bullets)
    notes = [
        f"line {bullet.line}: not a tag: {', '.join(bullet.dropped)}" for bullet in read_back.bullets if bullet.dropped
    ]
    superseded = {bullet.entry.supersedes for bullet in read_back.bullets if bullet.entry is not None}
    bullets = [bullet for bullet in read_back.bullets if bullet.entry is None or bullet.entry.id not in superseded]
    if ended := len(read_back.bullets) - len(bullets):
        notes.append(f"not taken: {plural(ended, 'memory', 'memories')} that another line of it superseded")
    if is_ours:
        notes.append("its journal is missing: what was forgotten, superseded or boosted since is not known")
    items = tuple(_item(bullet) for bullet in bullets)
    return Reading(items, tuple(sorted(leftovers)), notes=tuple(notes))


def _item(bullet: Bullet) -> Item:
    if (entry := bullet.entry) is None:
        return Item(bullet.text, bullet.line, bullet.tags, bullet.score, bullet.duration, bullet.at)
    return of_entry(entry, bullet.line)


def of_entry(entry: Entry, line: int) -> Item:
    """What an import takes of a line of ours: nobody's word that it is core or confirmed, or that a user said it."""
    text, tags, score, duration, _, at, topic, related, *_ = entry
    return Item(
        text, line, tags, score, duration, at, topic, related, entry.type, entry.dims, entry.reason, entry.session,
        aka=entry.aka, cites=entry.cites,
    )  # fmt: skip


def _between(data: bytes, bullets: tuple[Bullet, ...]) -> list[Rest]:
    """Name what stands between the entries and is no heading, rule or comment: the first line of each run."""
    out: list[Rest] = []
    number, at = 1, 0
    for start, end in [*((bullet.start, bullet.end) for bullet in bullets), (len(data), len(data))]:
        fresh = True
        for raw in data[at:start].split(b"\n"):
            bare = raw.decode("utf-8", "replace").strip().lstrip("\ufeff")
            plain = bool(bare) and not re.fullmatch(r"#{1,6}( .*)?|[-*_= ]+|<!--.*-->|- END", bare)
            if plain and fresh:
                out.append(Rest(number, "no entry", bare))
            fresh = not plain
            number += 1
        number += data[start:end].count(b"\n") - 1
        at = end
    return out


FORM = Form("promptx", "PromptX's declarative.md, or one of promptx-mem alone", matches, read)
