"""Both languages have the same headings, blocks, lists, tables, links, commands and numbers, page by page.

Comments in code blocks and the labels of a diagram are translated, the output of a program is not.
"""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CHINESE_FOLDER = "docs/zh-CN"
PAIRS = {"README.md": "README.zh-CN.md"} | {
    f"docs/{page.name}": f"{CHINESE_FOLDER}/{page.name}" for page in sorted((ROOT / CHINESE_FOLDER).glob("*.md"))
}
NEEDED = {"use.md", "agents.md", "settings.md", "import-export.md"}

_HEADING = re.compile(r"(#+) (.+)")
_FENCE = re.compile(r"^ *```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^ {4}.*\n)+", re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_NUMBER = re.compile(r"(?<![A-Za-z0-9])[0-9]+(?:[.,:][0-9]+)*")
_COMMENT = {"bash": r"(?:^|[ \t]+)# .*", "yaml": r"(?:^|[ \t]+)# .*", "": r"[ \t]+; .*"}
_LABELS = r"(?<=[\[({])[^\[\](){}]+(?=[\])}])|(?<=-- ).+?(?= -->)|(?<=-\. ).+?(?= \.->)"
_CHINESE = "[\u3400-\u9fff]"
_UNSPACED = re.compile(rf"{_CHINESE}[A-Za-z0-9`,;:!?()]|[A-Za-z0-9`,;:!?()]{_CHINESE}")

Cell = tuple[list[str], list[str]]
Places = Callable[[str], str]


@dataclass
class Section:
    """The parts of a section that must be equal in both languages; of each cell its code and numbers."""

    level: int
    marks: list[str]
    blocks: list[tuple[str, str]]
    paragraphs: int
    items: int
    tables: list[list[list[Cell]]]
    links: list[str]
    code: list[str]
    numbers: list[str]


def _code(text: str) -> list[str]:
    return [" ".join(span.split()) for span in _SPAN.findall(text)]


def _numbers(text: str) -> list[str]:
    return sorted(_NUMBER.findall(_LINK.sub("]", _SPAN.sub("", text))))


def _block(language: str, body: str) -> tuple[str, str]:
    pattern = _LABELS if language == "mermaid" else _COMMENT.get(language)
    return language, re.sub(pattern, "", body, flags=re.MULTILINE) if pattern else body


def _tables(prose: str) -> list[list[list[Cell]]]:
    return [
        [
            [(_code(cell), _numbers(cell)) for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
            for row in table.group().splitlines()
        ]
        for table in re.finditer(r"(?:^\|.*\n)+", prose, re.MULTILINE)
    ]


def _section(heading: str, text: str, places: Places) -> Section:
    blocks = [_block(*block) for block in _FENCE.findall(text)]
    prose = _FENCE.sub("", text)
    blocks += [_block("", body) for body in _INDENTED.findall(prose)]
    prose = _INDENTED.sub("", prose)
    return Section(
        level=heading.partition(" ")[0].count("#"),
        marks=re.findall(r"^<!-- .* -->$", prose, re.MULTILINE),
        blocks=blocks,
        paragraphs=len(re.split(r"\n\n+", prose.strip())),
        items=len(re.findall(r"^- ", prose, re.MULTILINE)),
        tables=_tables(prose),
        links=sorted(map(places, _LINK.findall(prose))),
        code=sorted(_code(heading + prose)),
        numbers=_numbers(heading + prose),
    )


def _headings(page: str) -> list[str]:
    return [line for line in _FENCE.sub("", page).split("\n") if _HEADING.match(line)]


def _parts(page: str) -> Iterator[tuple[str, str]]:
    """Yield each heading with the text below it, without the line of languages. A `#` in a block is not a heading."""
    rest = page
    for heading in reversed(_headings(page)):
        rest, _, text = rest.rpartition(f"{heading}\n")
        yield heading, re.sub(r"\A\n.*\bEnglish\b.*简体中文.*\n", "", text)


def _sections(page: str, places: Places) -> list[Section]:
    return [_section(f"{heading}\n", f"{text}\n", places) for heading, text in reversed([*_parts(page)])]


def _where(one: Any, other: Any) -> str:
    """Return the first place in which two values differ, and both contents."""
    if isinstance(one, list) and len(one) != len(other) and all(isinstance(value, str) for value in (*one, *other)):
        return f": {[*(Counter(one) - Counter(other))]} | {[*(Counter(other) - Counter(one))]}"
    if isinstance(one, list | tuple) and len(one) == len(other):
        number = next(n for n, values in enumerate(zip(one, other, strict=True)) if values[0] != values[1])
        return f" {number}{_where(one[number], other[number])}"
    return f": {one} | {other}"


def _differences(english: str, chinese: str, of_english: Places = str, of_chinese: Places = str) -> list[str]:
    pairs = zip(_sections(english, of_english), _sections(chinese, of_chinese), strict=False)
    differences = [
        f"{heading}, {field.name}{_where(*values)}"
        for heading, sections in zip(_headings(english), pairs, strict=False)
        for field in fields(Section)
        for values in [[getattr(section, field.name) for section in sections]]
        if values[0] != values[1]
    ]
    if len(_headings(english)) != len(_headings(chinese)):
        differences.append("another count of headings")
    return differences


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _anchor(heading: str) -> str:
    """Return the anchor of a heading, as on GitHub and GitLab."""
    return re.sub(r"[^\w\- ]", "", heading.lstrip("# ").lower()).replace(" ", "-")


def _places(page: str, counterparts: dict[str, str]) -> Places:
    """Return a function from a link of `page` to the path and the number of the heading in the other language."""

    def place(target: str) -> str:
        if "://" in target:
            return target
        path, _, name = target.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        if not name:
            return counterparts.get(path, path)
        names = [_anchor(heading) for heading in _headings(_read(path))]
        assert name in names, f"{page} links {target}"
        return f"{counterparts.get(path, path)} {names.index(name)}"

    return place


def test_every_page_for_users_exists_in_both_languages() -> None:
    assert {page.name for page in (ROOT / CHINESE_FOLDER).iterdir()} >= NEEDED
    assert [path for pair in PAIRS.items() for path in pair if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("page", PAIRS)
def test_both_languages_have_the_same_structure(page: str) -> None:
    places = _places(page, PAIRS), _places(PAIRS[page], {})
    differences = _differences(_read(page), _read(PAIRS[page]), *places)
    assert not differences, "\n".join(differences)


@pytest.mark.parametrize("page", PAIRS)
def test_each_page_links_its_translation_below_the_title(page: str) -> None:
    there = posixpath.relpath(PAIRS[page], posixpath.dirname(page))
    back = posixpath.relpath(page, posixpath.dirname(PAIRS[page]))
    assert _read(page).split("\n")[1:4] == ["", f"English | [简体中文]({there})", ""]
    assert _read(PAIRS[page]).split("\n")[1:4] == ["", f"[English]({back}) | 简体中文", ""]


@pytest.mark.parametrize("page", PAIRS.values())
def test_chinese_text_has_spaces_before_latin_and_chinese_punctuation(page: str) -> None:
    prose = _INDENTED.sub("", _FENCE.sub("", _read(page)))
    prose = re.sub(r"`[^`]+`", lambda span: "`" + "x" * (len(span.group()) - 2) + "`", _LINK.sub("]", prose))
    assert [line for line in prose.split("\n") if _UNSPACED.search(line)] == []
