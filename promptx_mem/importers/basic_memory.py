"""basic-memory: a note with front matter; a memory an observation, and a relation."""

import re

from promptx_mem.core import promptx
from promptx_mem.core.tags import unique
from promptx_mem.importers import front_matter, markdown
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, tag, tags, text_of
from promptx_mem.importers.moments import moment

_OBSERVATION = re.compile(r"\[(?![ xX]?\])([^\[\]\n]{1,60})\] +(.+)", re.DOTALL)
_RELATION = re.compile(r"(?:(\S[^\[\n]*) )?\[\[([^\]\n]+)\]\](.*)", re.DOTALL)
_LISTED = re.compile(r"(?m)^[ \t]*- (?:\[(?![ xX]?\])[^\[\]\n]{1,60}\] +\S|(?:\S[^\[\n]* )?\[\[)")
_HEADINGS = frozenset({"observations", "relations"})


def matches(source: Source) -> bool:
    """Whether it has a permalink, or a title and observations."""
    parts = front_matter.split(source.text)
    if parts is None or "globs" in parts.fields:
        return False
    return "permalink" in parts.fields or ("title" in parts.fields and _LISTED.search(parts.body) is not None)


def read(source: Source) -> Reading:
    """Read each list item as an observation or a relation of the note; another item is a memory as it stands."""
    parts = front_matter.split(source.text) or front_matter.Parts({}, source.text, 0)
    title = text_of(parts.fields.get("title")) or source.name.rsplit("/", 1)[-1].removesuffix(".md")
    times = (moment(parts.fields.get(key)) for key in ("created", "date", "created_at", "modified", "updated"))
    at = next(filter(None, times), None)
    listed = markdown.read_body(source, parts.body, parts.above)
    common = unique((*filter(None, (tag(title),)), *tags(parts.fields.get("tags"))))
    items = [_item(item, title, common, at) for item in listed.items]
    leftovers = tuple(rest for rest in listed.leftovers if rest.text != title)
    if not items and (prose := parts.body.strip()):
        return Reading((Item(f"{title}\n\n{prose}", 1, common, at=at),))
    return Reading(tuple(items), tuple(Rest(rest.line, rest.why, rest.text) for rest in leftovers))


def _item(item: Item, title: str, common: tuple[str, ...], at: str | None) -> Item:
    headed = tuple(name for name in item.tags if name.lower() not in _HEADINGS)
    if observed := _OBSERVATION.fullmatch(item.text):
        own = promptx.read_entry(observed[2], "", None)
        names = (*common, *filter(None, (tag(observed[1]),)), *headed, *own.tags)
        return item._replace(text=f"{title}: {own.text}", tags=unique(names), at=item.at or at, bare=False)
    if related := _RELATION.fullmatch(item.text):
        names = (*common, *filter(None, (tag(related[2]),)), *headed)
        text = f"{title} {(related[1] or 'relates_to').rstrip()} {related[2]}{related[3].rstrip()}"
        return item._replace(text=text, tags=unique(names), at=item.at or at, bare=False)
    return item._replace(text=f"{title}: {item.text}", tags=unique((*common, *headed)), at=item.at or at, bare=False)


FORM = Form("basic-memory", "a note of basic-memory", matches, read)
