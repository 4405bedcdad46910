"""Print the table of the ranking's signals into docs/design.md: `python tests/ranking_table.py`. A test compares."""

from pathlib import Path

from tests.inside import SIGNALS

FILE = Path(__file__).parents[1] / "docs" / "design.md"
_BEGIN = "<!-- signals: made by `python tests/ranking_table.py`; do not edit -->\n"
_END = "<!-- end of signals -->\n"


def table() -> str:
    """Return the signals as a table of Markdown."""
    rows = "".join(
        f"| {one.name} | {one.weight:g} | {one.reason} | {one.source} | {one.loss or '–'} |\n" for one in SIGNALS
    )
    return f"| signal | weight | what it does | source | without it |\n|---|---|---|---|---|\n{rows}"


def page(text: str) -> str:
    """Return a page with the table between its marks."""
    before, _, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{table()}\n{end}{after}"


def main() -> None:
    FILE.write_text(page(FILE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
