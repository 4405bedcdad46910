"""Import formats of PromptX: declarative.md in all versions of its format, and declarative.dpml."""

import html
import re
from collections.abc import Iterator

from promptx_mem.core import bundle, document
from promptx_mem.core.document import Bullet
from promptx_mem.core.entry import Entry
from promptx_mem.core.request import split_tokens
from promptx_mem.core.text import plural
from promptx_mem.importers.form import SAME, Item, Reading, Rest, Source
from promptx_mem.importers.markdown import MARKER

_OURS = re.compile(r'(?m)^- .* <!-- \{"id":"m_[0-9a-z]{10}"')
_BLOCK = re.compile(r"(?m)^- \d{4}[/-]\d{1,2}[/-]\d{1,2} \d{1,2}:\d{2}(?::\d{2})? START *$")
_MARKED = re.compile(
    r"(?m)^- (?:\d{4}[/-]\d{1,2}[/-]\d{1,2} \d{1,2}:\d{2}\b|.*(?:^| )#*(?:score|duration|评分|有效期)[:：=]\S)"
)
_OTHERS = re.compile(rf"(?m)^(?! |- (?!\[[ xX]\] )){MARKER.pattern}")
"""Pattern of list items that neither PromptX nor promptx-mem writes: with other markers or task boxes."""

_HEADER = "# 陈述性记忆"


def matches_markdown(source: Source) -> bool:
    """Return whether the file has PromptX's header or blocks, our comments, or a date, score or duration in most items.

    Without a date, there must be no other list items (`_OTHERS`). A file with headings needs an entry with score and
    duration.
    """
    text = source.text
    if text.startswith(_HEADER) or _BLOCK.search(text) or _OURS.search(text):
        return True
    if not _MARKED.search(text):
        return False
    found = read_markdown(source)
    marked = [item for item in found.items if item.at or item.score is not None or item.duration]
    if len(marked) * 2 <= len(found.items) + len(found.leftovers):
        return False
    if not any(item.at for item in marked) and _OTHERS.search(text):
        return False
    is_whole = any(item.score is not None and item.duration for item in marked)
    return is_whole or not re.search(r"(?m)^#{1,6}[ \t]", text)


def read_markdown(source: Source) -> Reading:
    """Read every entry that no other replaced, and report lines that belong to no entry in `leftovers`."""
    data = "\n".join(_tidied(source.text.split("\n"))).encode("utf-8", "surrogatepass")
    found = document.read(data, source.name)
    bullets, problems = found.bullets, found.problems
    starts = {one.line for one in bullets}
    out = Reading()
    for problem in problems:
        if problem.line in starts:  # the line is imported, so it is not counted again
            out.notes.append(f"line {problem.line}: {problem.message}")
        else:
            out.leave(problem.line, f"{problem.message}: {problem.fix}")
    named = {rest.line for rest in out.leftovers}
    out.leftovers = sorted([*out.leftovers, *(rest for rest in _between(data, bullets) if rest.line not in named)])
    out.notes += [f"line {one.line}: not a tag: {', '.join(one.dropped)}" for one in bullets if one.dropped]
    entries = [one.entry for one in bullets if one.entry is not None]
    superseded = {entry.supersedes for entry in entries}
    for bullet in bullets:
        if (entry := bullet.entry) is None:
            text = bundle.without_backslashes(bullet.text)
            out.items.append(Item(text, bullet.line, bullet.tags, bullet.score, bullet.duration, bullet.at))
        elif entry.id not in superseded:
            out.items.append(of_entry(entry, bullet.line))
    if ended := len(bullets) - len(out.items):
        out.notes.append(f"not imported: {plural(ended, 'memory', 'memories')} that another line of the file replaced")
    if entries:
        out.notes.append(
            "there is no journal.jsonl for this file, so memories that were later forgotten are imported too"
        )
    return out


def _tidied(lines: list[str]) -> Iterator[str]:
    """Apply `split_tokens` to the lines, except to the text of blocks."""
    is_text = False
    for line in lines:
        is_text = (is_text or _BLOCK.match(line) is not None) and line.strip() != "- END"
        new = line if is_text and not document.is_tag_line(line.strip()) else split_tokens(line)
        yield new if line.startswith("- ") or document.has_score_or_duration(new) else line


def of_entry(entry: Entry, line: int) -> Item:
    """Return an entry as an Item. Leave out its marks: core, confirmed, and requested by the user."""
    text, tags, score, duration, _, at, *_ = entry
    return Item(text, line, tags, score, duration, at, **{name: getattr(entry, name) for name in SAME})


def _between(data: bytes, bullets: tuple[Bullet, ...]) -> list[Rest]:
    """Return the first line of each paragraph or list item between entries. Skip headings, rules and comments."""
    out: list[Rest] = []
    number, at = 1, 0
    for start, end in [*((bullet.start, bullet.end) for bullet in bullets), (len(data), len(data))]:
        fresh = True
        for raw in data[at:start].split(b"\n"):
            bare = raw.decode("utf-8", "replace").strip().lstrip("\ufeff")
            plain = bool(bare) and not re.fullmatch(r"#{1,6}( .*)?|[-*_= ]+|<!--.*-->|- END", bare)
            if plain and (fresh or MARKER.match(bare)):
                out.append(Rest(number, "no entry", bare))
            fresh = not plain
            number += 1
        number += data[start:end].count(b"\n") - 1
        at = end
    return out


_ITEM = re.compile(r"<item\b([^<>]*)>((?:(?!<item\b).)*?)</item>", re.DOTALL)
_CONTENT = re.compile(r"<content\b[^<>]*>((?:(?!<content\b).)*?)</content>", re.DOTALL)
_TAGS = re.compile(r"<tags\b[^<>]*>((?:(?!<tags\b).)*?)</tags>", re.DOTALL)
_TIME = re.compile(r"\btime\s*=\s*[\"']([^\"']*)[\"']")
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.DOTALL)


def matches_dpml(source: Source) -> bool:
    """Return whether the file has a `<memory>` and an `<item>` element."""
    return "<memory" in source.text and "<item" in source.text and "</item>" in source.text


def read_dpml(source: Source) -> Reading:
    """Read each item as a memory: its tags, its time, and its content without indentation."""
    out = Reading()
    line, at = 1, 0
    text = _CDATA.sub(lambda match: html.escape(match[1]), source.text)
    for match in _ITEM.finditer(text):
        line, at = line + text.count("\n", at, match.start()), match.start()
        content = _CONTENT.search(match[2])
        if content is None or not content[1].strip():
            out.leave(line, "an item without content")
            continue
        tags = _TAGS.search(match[2])
        body = html.unescape(document.dedent(content[1].strip("\n").split("\n")).strip())
        entry = document.read_block([*body.split("\n"), f"--tags {html.unescape(tags[1]).strip() if tags else ''}"], "")
        time = _TIME.search(match[1])
        noted = out.time(line, time and time[1])
        out.items.append(Item(entry.text, line, entry.tags, entry.score, entry.duration, noted))
    torn = len(re.findall(r"<item\b", text)) - len(out.items) - len(out.leftovers)
    if torn > 0:
        out.leave(0, f"{plural(torn, 'item')} without </item>")
    return out
