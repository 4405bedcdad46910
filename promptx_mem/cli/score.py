"""Six dimensions: importance, novelty, relevance, credibility, granularity, timeliness, each 0-10."""

from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option, Word, Words
from promptx_mem.cli.output import is_on_terminal
from promptx_mem.core.text import format_score, pattern
from promptx_mem.errors import UsageError
from promptx_mem.machine import is_chinese
from promptx_mem.record import Annotated
from promptx_mem.result import Result
from promptx_mem.usecases.score import Score

_HEADING = r"^\S+ \((\w+)\)"
"""A heading of the guide: a dimension's Chinese name, then its English name in brackets."""


def command(
    dims: Annotated[Words, Argument("9,7,9,8,8,9 or importance=9/8/10,…", metavar="[DIMS]...")] = (),
    profile: Annotated[Word, Option("execution or declarative.")] = None,
    explicit: Annotated[bool, Option("The user asked to remember the fact.")] = False,
    guide: Annotated[bool, Option("Show the questions for each dimension.")] = False,
    common: Common = NONE_GIVEN,
) -> Result[Score]:
    if guide and (dims or profile or explicit):
        raise UsageError("--guide cannot be combined with other options", hint="promptx-mem score --guide")
    return common.memory().score(",".join(dims) or None, profile, explicit=explicit, guide=guide)


def as_text(data: Score) -> str:
    if data["guide"]:
        return _guide(data["guide"])
    rows = [f"{t['weight']:.1f} × {t['value']:g} = {t['product']:.2f}   {t['dimension']}" for t in data["terms"]]
    total = f"score {format_score(data['score'])}  ({data['profile']}"
    total += f", / {data['divisor']:g}" if data["divisor"] != 1 else ""
    total += f", + {data['bonus']:g} explicit" if data["bonus"] else ""
    verdict = "would be stored" if data["verdict"] == "stored" else "would be refused"
    if data["final_score"] != data["score"]:  # the minimum for a user's request
        verdict += f" with score {format_score(data['final_score'])}"
    rows.append(f"{total})  {verdict}{' with a warning' if data['warned'] else ''}")
    return "".join(row + "\n" for row in rows)


def _guide(guide: dict[str, list[str]]) -> str:
    """Return the guide in the user's language at a terminal, else in both languages."""
    out = []
    for heading, questions in guide.items():
        out.append(pattern(_HEADING).sub(r"\1", heading) if is_on_terminal() and not is_chinese() else heading)
        for question in questions:
            chinese, _, english = question.partition("  ")
            shown = chinese if is_chinese() else english or chinese
            out.append(f"  {shown if is_on_terminal() else question}")
    return "".join(line + "\n" for line in out)
