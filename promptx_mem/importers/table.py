"""CSV or TSV with a header: one memory per row."""

import csv
import io

from promptx_mem.core.entry import TYPES
from promptx_mem.core.labels import unique
from promptx_mem.core.syntax import parse_score
from promptx_mem.core.times import canonical
from promptx_mem.importers.form import Form, Item, Reading, Rest, Source, moment, tags

COLUMNS = {
    "text": ("text", "content", "memory", "fact", "note", "value", "body", "内容", "记忆", "文本"),
    "tags": ("tags", "tag", "labels", "label", "标签"),
    "category": ("category", "categories", "分类", "类别"),
    "score": ("score", "评分", "分数"),
    "duration": ("duration", "有效期"),
    "at": ("at", "time", "date", "created_at", "created", "timestamp", "datetime", "时间", "日期"),
    "topic": ("topic", "主题"),
    "type": ("type", "类型"),
}
"""Names of the column for each field of a memory."""

_DELIMITERS = (",", ";", "\t")


def _header(source: Source) -> tuple[str, dict[str, int], list[str]]:
    """Return the delimiter, the index of each field, and the names of all columns; no field if there is no text."""
    first = source.text.partition("\n")[0].rstrip("\r")
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        names = [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]
    except csv.Error:
        return delimiter, {}, []
    low = [name.lower() for name in names]
    places = {field: low.index(word) for field, words in COLUMNS.items() for word in reversed(words) if word in low}
    good = "text" in places and (len(names) > 1 or source.name.lower().endswith((".csv", ".tsv")))
    return delimiter, places if good else {}, names


def matches(source: Source) -> bool:
    """Return whether its first line names a column for the text, and another one."""
    return bool(_header(source)[1])


def read(source: Source) -> Reading:
    """Read each row; rows with an invalid score or duration are leftovers."""
    delimiter, places, names = _header(source)
    items: list[Item] = []
    leftovers: list[Rest] = []
    if not places:
        return Reading()
    rows = csv.reader(io.StringIO(source.text, newline=""), delimiter=delimiter)
    try:
        next(rows)
        line = rows.line_num + 1
        for row in rows:
            if any(cell.strip() for cell in row):
                _add(items, leftovers, line, {field: row[at].strip() for field, at in places.items() if at < len(row)})
            line = rows.line_num + 1
    except csv.Error as error:
        leftovers.append(Rest(0, f"the rest of the file: {error}"))
    columns = [name for number, name in enumerate(names) if number not in places.values() and name]
    notes = (f"columns that are not imported: {', '.join(columns)}",) if columns else ()
    return Reading(tuple(items), tuple(leftovers), notes=notes)


def _add(items: list[Item], leftovers: list[Rest], line: int, cells: dict[str, str]) -> None:
    """Read one row into `items`, or report in `leftovers` why it cannot be read."""
    text = cells.get("text", "")
    score = duration = None
    try:
        score = parse_score(cells["score"]) if cells.get("score") else None
    except ValueError as error:
        leftovers.append(Rest(line, str(error), text))
        return
    if cells.get("duration") and (duration := canonical(cells["duration"])) is None:
        leftovers.append(Rest(line, f"{cells['duration']!r} is not a duration", text))
    elif not text:
        leftovers.append(Rest(line, "a row without a text"))
    else:
        kind = cells.get("type")
        listed = cells.get("tags", "").replace(";", ",").replace("|", ",")
        names = unique((*tags(listed), *tags([cells.get("category", "")])))
        at, topic = moment(cells.get("at")), cells.get("topic") or None
        items.append(Item(text, line, names, score, duration, at, topic, type=kind if kind in TYPES else None))


FORM = Form("csv", "CSV or TSV whose header names a column text, content or memory", matches, read)
