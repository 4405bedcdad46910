"""The prompts about what was said: what a turn teaches (the monitor), what a conversation was about (the summary)."""

from collections.abc import Sequence

from promptx_mem.core.slices import Message
from promptx_mem.core.text import shorten
from promptx_mem.judge.answers import sealed
from promptx_mem.judge.prompts import DATA, quote

MAX_MESSAGE = 2_000
"""Characters of one message that a prompt holds."""

MAX_TOPICS = 50

_MONITOR = """\
A turn of a conversation is over. Decide what of it belongs into the memory.
1. Two facts that seem to conflict may both be true at different times: that alone is no reason to delete one.
2. A memory counts as used only if it really shaped the assistant's answer, not because it was found.
3. Where the user corrects a wrong memory, delete or update the wrong one and add the right one.
一、看似冲突的两条信息可能只是时间变化，不一定要删除；二、真正影响了回复的记忆才算被使用；三、用户纠正错误时，删除旧的，添加新的。
Facts that last are worth adding: who the user is, likes, promises, decisions. Passing moods and small talk are not."""

_DIRECTIVES = """\
Answer with one directive a line, beginning at its square bracket, and nothing else:
  something new:             [ADD] <text> #<tag> score:<0-10>
  a text to replace:         [UPDATE:id] <text>
  what shaped the answer:    [BOOST:id]
  wrong, or out of date:     [DELETE:id]
  nothing of that:           [SKIP]
<text> is one sentence that makes sense alone, <tag> a word to find it by, <0-10> how much it is worth to remember:
below 5 it is refused. Only the ids listed here count."""

_SUMMARY = """\
Below are the oldest messages of a conversation, which are now put aside. Say what they were about, so that they can
be found again: when one of you speaks of it, or follows a topic to it.
概括这段对话，便于以后按主题或时间想起来。"""

FIELDS = """\
Answer with one JSON object, in braces, and nothing else. Its keys:
  - summary: one sentence in the language of the conversation, at most 100 characters, with names and decisions
  - topic: the topic path it belongs to, from the general to the particular, parts joined by -> (2 to 4 parts); an
    existing one where it fits; null where there is none
  - related: a list of up to 5 other topic paths that this should bring to mind, or an empty list
  - activation: from 0 to 1, how easily it should come to mind (0.55 is usual)
  - diffusion: from 0 to 1, how much it should bring the related topics to mind (0.35 is usual)
  - context_independence: from 0 to 1, how well it is understood without what was said around it (0.5 is usual)"""


def monitor(turn: Sequence[Message], memories: Sequence[tuple[str, str]]) -> str:
    """What a turn should change; `memories` are ids and texts that were recalled for it."""
    lines = [_MONITOR, DATA, "", "The turn:", *map(_render, turn), ""]
    if memories:
        lines += ["The memories recalled for it:", *(f"  {ident} {quote(text)}" for ident, text in memories)]
    else:
        lines.append("No memory was recalled for it.")
    return sealed("\n".join([*lines, "", _DIRECTIVES]))


def summary(messages: Sequence[Message], topics: Sequence[str]) -> str:
    """What the messages of a slice were about; `topics` are the paths there are."""
    lines = [_SUMMARY, DATA, "", "The messages:", *map(_render, messages), ""]
    if topics:
        lines += ["Topic paths that exist:", *(f"  {quote(path)}" for path in topics[:MAX_TOPICS]), ""]
    return sealed("\n".join([*lines, FIELDS]))


def _render(message: Message) -> str:
    text = message.text if len(message.text) <= MAX_MESSAGE else message.text[: MAX_MESSAGE - 1] + "…"
    when = f" ({shorten(message.at, 25)})" if message.at else ""
    return f"  {message.role}{when}: {quote(text)}"
