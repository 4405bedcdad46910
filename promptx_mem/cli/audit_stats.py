"""What audit --stats draws."""

from promptx_mem.cli.coloured import Line, word
from promptx_mem.cli.folding import cells
from promptx_mem.core.text import shorten
from promptx_mem.usecases.audit_log import Limit, Stats

BAR = 30
_SHORTEST = 6
_LONGEST = 36
"""Characters of a limit's name: a line of 40 columns holds it."""


def lines(stats: Stats, columns: int) -> list[Line]:
    """The numbers as bars that leave room for what stands beside them."""
    days = [
        (day["day"], day["attempts"], f"{day['violations']} 🚫" if day["violations"] else "") for day in stats["days"]
    ]
    out = _bars("attempts a day", days, "cyan", columns)
    verdicts = [(word(name), count, "") for name, count in stats["verdicts"].items()]
    out += _bars("verdicts", verdicts, "green", columns) if verdicts else []
    stored, refused = stats["scores"]["stored"], stats["scores"]["refused"]
    if any(stored) or any(refused):
        scores = [
            (
                f"{low}" if low == len(stored) - 1 else f"{low}-{low}.9",
                stored[low] + refused[low],
                _refused(refused[low]),
            )
            for low in range(len(stored))
        ]
        out += _bars("scores", scores, "magenta", columns)
    return [*out, *_limits(stats["limits"], columns)]


def _limits(limits: list[Limit], columns: int) -> list[Line]:
    """Each limit a line; where that is no room for a bar, two."""
    out: list[Line] = [("limits", [("limits", "bold")])]
    amounts = [f"{_amount(one['used'], one['unit'])} of {_amount(one['limit'], one['unit'])}" for one in limits]
    names = [shorten(one["name"], _LONGEST) for one in limits]
    width, rest = max(map(cells, names)), max(map(len, amounts)) + len("  100%  ")
    is_wide = columns >= 2 + width + 2 + _SHORTEST + rest
    room = _room(columns, (2 + width + 2 if is_wide else 4) + rest)
    for one, name, amount in zip(limits, names, amounts, strict=True):
        share = one["used"] / one["limit"]
        filled = min(round(share * room), room) or (1 if one["used"] else 0)
        bar, empty = "█" * filled, "·" * (room - filled)
        style = "red" if share >= 1 else "yellow" if share >= 0.9 else "green"
        if not is_wide:
            out.append((f"  {name}", []))
        head = f"  {_padded(name, width)}  " if is_wide else "    "
        out.append((f"{head}{bar}{empty}  {share:4.0%}  {amount}", [(bar, style), (empty, "dim")]))
    return out


def _bars(title: str, rows: list[tuple[str, int, str]], style: str, columns: int) -> list[Line]:
    most = max((count for _, count, _ in rows), default=0) or 1
    width = max(cells(name) for name, _, _ in rows)
    digits = len(str(most))
    notes = max(cells(note) for _, _, note in rows)
    room = _room(columns, 2 + width + 2 + digits + 2 + (2 + notes if notes else 0))
    out: list[Line] = [(title, [(title, "bold")])]
    for name, count, note in rows:
        bar = "█" * (round(count / most * room) or (1 if count else 0))
        line = f"  {_padded(name, width)}  {count:>{digits}}  {bar}{'  ' + note if note else ''}"
        out.append((line.rstrip(), [(bar, style)]))
    return [*out, ("", [])]


def _room(columns: int, rest: int) -> int:
    return max(min(BAR, columns - rest), _SHORTEST)


def _padded(name: str, width: int) -> str:
    return name + " " * (width - cells(name))


def _refused(count: int) -> str:
    return f"{count} refused" if count else ""


def _amount(number: int, unit: str) -> str:
    if unit != "bytes":
        return f"{number:,}"
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.1f} KB"
