"""score as text: each term of the formula, then the sum; or the guide."""

from typing import Any

from promptx_mem.core.syntax import format_score


def text(data: dict[str, Any]) -> str:
    if data.get("guide"):
        return _guide(data["guide"])
    rows = [f"{t['weight']:.1f} × {t['value']:g} = {t['product']:.2f}   {t['dimension']}" for t in data["terms"]]
    total = f"score {format_score(data['score'])}  ({data['profile']}"
    total += f", / {data['divisor']:g}" if data["divisor"] != 1 else ""
    total += f", + {data['bonus']:g} explicit" if data["bonus"] else ""
    verdict = "would be stored" if data["verdict"] == "stored" else "would be refused"
    rows.append(f"{total})  {verdict}{' with a warning' if data['warned'] else ''}")
    return "".join(row + "\n" for row in rows)


def _guide(guide: dict[str, Any]) -> str:
    out = []
    for heading, questions in guide.items():
        out.append(f"{heading}")
        out += [f"  {question}" for question in questions]
    return "".join(line + "\n" for line in out)
