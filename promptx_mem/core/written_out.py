"""Memories as text for others: Markdown for people, and the blocks that PromptX reads."""

import re
from collections.abc import Sequence

from promptx_mem.core.state import State, lives
from promptx_mem.core.text import format_score, plural, printable_text
from promptx_mem.core.times import parse_at

Text = tuple[str, list[str]]
"""What is written, and what it cannot hold."""

_MARK = re.compile(
    r"(?m)^([^\S\n]*)"
    r"(- END[^\S\n]*$|--tags(?:\s|$)|- \d{4}/\d{1,2}/\d{1,2} \d{1,2}:\d{2} START[^\S\n]*$)"
)
_NO_TOPIC = "(no topic)"
_HEADER = "# 陈述性记忆\n\n## 高价值记忆（评分 ≥ 7）\n\n"


def markdown(states: Sequence[State], now: float) -> Text:
    """Write lists under the topics, for people."""
    topics: dict[str, list[State]] = {}
    for state in states:
        topics.setdefault(state.entry.topic or _NO_TOPIC, []).append(state)
    out = ["# Memory\n"]
    for topic in sorted(topics, key=lambda name: (name == _NO_TOPIC, name)):
        out.append(f"\n## {topic}\n\n")
        out += [_bullet(state, now) for state in topics[topic]]
    return _shown("".join(out), states, ("ids, events, dimensions, reasons and relations", True))


def _bullet(state: State, now: float) -> str:
    first, *rest = state.entry.text.split("\n")
    tags = "".join(f" #{tag}" for tag in state.tags)
    facts = f"{(state.entry.at or '')[:10]}, score {format_score(state.score)}, {state.duration}"
    ended = "" if lives(state, now) else f", ended: {state.end}"
    below = "".join(f"\n  {line}" if line else "\n" for line in rest)
    return f"- {first}{below}{tags} ({facts}{ended})\n"


def promptx(states: Sequence[State], now: float) -> Text:
    """Write START/END blocks, which PromptX of June 2025 and later reads; its own marks in a text get a backslash."""
    changed = 0
    out = [_HEADER]
    for state in states:
        text = state.entry.text.replace("\r", "\n")
        harmless = _MARK.sub(r"\1\\\2", text)
        if harmless != text or text != state.entry.text:
            changed += 1
        tags = " ".join(f"#{tag}" for tag in state.tags)
        grade = f"#评分:{format_score(state.score)} #有效期:{state.duration}"
        line = " ".join(filter(None, ("--tags", tags, grade)))
        out.append(f"- {_stamp(state)} START\n{harmless}\n{line}\n- END\n\n")
    ended = sum(not lives(state, now) for state in states)
    lost = [("topics, types, ids, events, dimensions, reasons and relations", True)]
    subject = plural(ended, "memory has", "memories have")
    lost.append((f"that {subject} ended: they stand there as if they lived", ended > 0))
    written, warnings = _shown("".join(out), states, *lost)
    if changed:
        where = plural(changed, "memory", "memories")
        warnings.append(f"a backslash stands before lines that PromptX would take for its own mark, in {where}")
    return written, warnings


def _stamp(state: State) -> str:
    """The time as PromptX writes it, to the minute; its zone is the line's own."""
    return parse_at(state.entry.at or "1970-01-01T00:00:00").strftime("%Y/%m/%d %H:%M")


def _shown(text: str, states: Sequence[State], *kinds: tuple[str, bool]) -> Text:
    """Replace what does not print, since people and models read it; warn of that and of other losses."""
    shown = printable_text(text)
    return shown, _lost(states, *kinds, ("characters that do not print (U+FFFD here)", shown != text))


def _lost(states: Sequence[State], *kinds: tuple[str, bool]) -> list[str]:
    return [f"this form does not hold {loss}; a bundle does" for loss, is_so in kinds if is_so and states]
