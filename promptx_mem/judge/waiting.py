"""One prompt for all that waits, of a bounded size: what is common is said once, and each memory is shown once."""

from collections.abc import Sequence
from typing import NamedTuple

from promptx_mem.core.budget import tokens
from promptx_mem.core.slices import Message
from promptx_mem.core.state import State
from promptx_mem.core.text import plural, shorten
from promptx_mem.judge.prompts import CONTRADICTION, DATA, FADING, PROMOTION, facts, quote
from promptx_mem.judge.turns import FIELDS

MOST = 7
"""Questions of one prompt, and pending reviews that one day shows."""

MOST_TOKENS = 6_000
"""Of a prompt; but a single question is always asked."""

_TEXT, _BESIDE, _MESSAGE, _MESSAGES, _LEAST_MESSAGES = 600, 160, 160, 12, 4

_SUMMARY = """\
A conversation was put aside and nobody has said yet what it was about. Say it, so that it can be found again.
概括这段对话，便于以后按主题或时间想起来。"""

_RULES = {"promotion": PROMOTION, "fading": FADING, "contradiction": CONTRADICTION, "summary": _SUMMARY}
_ANSWERS = """\
Answer with one JSON object a line, in braces, for each question. Its keys:
  - id: the memory that the question is about
  - decision: promote, keep or delete for a promotion; keep or delete for a fading; both, newer or older for a
    contradiction"""
_ALIASES = """\
Aliases: give each of these memories two to five other words by which somebody may ask for it and that it does not have:
synonyms, abbreviations, the other language (Chinese or English). One object a line: {"id": …, "aka": ["…", "…"]}"""
HOW = "Give all answers at once to: promptx-mem review --answers -"


class Question(NamedTuple):
    """What waits: a promotion or a fading, with the closest memories, or the summary of a slice, with its messages."""

    kind: str
    state: State
    importance: float
    closest: Sequence[State] = ()
    messages: Sequence[Message] = ()


class Prompt(NamedTuple):
    """The prompt, and how many questions it holds."""

    text: str
    questions: int


def prompt(questions: Sequence[Question], rest: int = 0, room: int = MOST_TOKENS, how: str = "") -> Prompt:
    """Ask as many of these questions as fit, in their order; `rest` more wait behind them. `how` to answer them."""
    blocks: list[str] = []
    shown: set[str] = set()
    spent = tokens("".join((*_RULES.values(), _ANSWERS, FIELDS, DATA, how or HOW))) + 60
    for number, question in enumerate(questions[:MOST], 1):
        block = _block(number, question, shown)
        if not blocks and spent + tokens(block) > room:  # it is asked all the same, with less beside it
            block = _block(number, question._replace(closest=()), shown, _LEAST_MESSAGES)
        cost = tokens(block)
        if blocks and spent + cost > room:
            break
        spent += cost
        blocks.append(block)
        shown |= {question.state.entry.id, *(state.entry.id for state in question.closest)}
    kinds = {question.kind for question in questions[: len(blocks)]}
    left = len(questions) - len(blocks) + rest
    lines = [f"{plural(len(blocks), 'question')} about what a memory holds.", DATA]
    lines += [f"\n{kind.capitalize()}:\n{rule}" for kind, rule in _RULES.items() if kind in kinds]
    lines += ["", *blocks, "", _ANSWERS]
    if "summary" in kinds:
        lines.append(f"In the place of decision, for a summary:\n{FIELDS}")
    lines.append(how or HOW)
    if left:
        lines.append(f"{left} more {'waits' if left == 1 else 'wait'}: ask again when these are answered.")
    return Prompt("\n".join(lines) + "\n", len(blocks))


def offer(states: Sequence[State], room: int, before: str, how: str = "") -> tuple[str, list[str]]:
    """Ask for aliases of as many memories as fit behind `before`; return the text, and the ids of these memories."""
    spent = tokens(before) + tokens(_ALIASES) + tokens(DATA + (how or HOW))
    lines: list[str] = []
    ids: list[str] = []
    for state in (one for one in states if one.entry.id not in before):
        line = f"  - {state.entry.id} {quote(shorten(state.entry.text, _BESIDE))}"
        spent += tokens(line)
        if spent > room:
            break
        lines.append(line)
        ids.append(state.entry.id)
    if not ids:
        return "", []
    parts = ["", _ALIASES, *lines] if before else [DATA, "", _ALIASES, *lines, how or HOW]
    return "\n".join(parts) + "\n", ids


def _block(number: int, question: Question, shown: set[str], most: int = _MESSAGES) -> str:
    state = question.state
    if question.kind == "summary":
        lines = [f"{number}. {state.entry.id} summary of {(state.entry.at or '')[:16]}"]
        said = _some(question.messages, most)
        lines += [f"   {one.role}: {quote(shorten(one.text, _MESSAGE))}" for one in said]
        if left := len(question.messages) - len(said):
            lines.append(f"   ({plural(left, 'message')} between them left out)")
        return "\n".join(lines)
    text = quote(shorten(state.entry.text, _TEXT))
    lines = [f"{number}. {state.entry.id} {question.kind} {text} ({facts(state, question.importance)})"]
    for near in question.closest:
        is_new = near.entry.id not in shown
        words = f" {quote(shorten(near.entry.text, _BESIDE))} ({facts(near)})" if is_new else " (shown above)"
        lines.append(f"   {'newer' if question.kind == 'contradiction' else 'beside it'}: {near.entry.id}{words}")
    return "\n".join(lines)


def _some(messages: Sequence[Message], most: int) -> list[Message]:
    """At most so many of the messages, from all over them, in pairs: every second one would be one speaker's alone."""
    step = max(-(-len(messages) // most), 1)
    return [message for place, message in enumerate(messages) if place // 2 % step == 0][:most]
