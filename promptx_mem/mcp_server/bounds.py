"""Answers within a budget of tokens: what is left out is said, and how to ask for it."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from promptx_mem.core.budget import tokens
from promptx_mem.core.text import plural, shorten
from promptx_mem.errors import UsageError
from promptx_mem.mcp_server import words
from promptx_mem.mcp_server.words import Answer

if TYPE_CHECKING:
    from promptx_mem.core.description import Recall
    from promptx_mem.result import Result
    from promptx_mem.usecases.review import Review

BUDGET = 2_000
FIRST_WORDS = 100
"""Characters of a text that only says which memory is meant."""


def size(answer: Answer) -> int:
    """The tokens of an answer as a client passes it on."""
    return tokens(words.text(answer))


def first_words(text: str) -> str:
    """Enough of a text to know it by."""
    return shorten(text, FIRST_WORDS)


def memories(result: "Result[Recall]", budget: int) -> Answer:
    """As many of an answer's memories, in their order, as fit."""
    from promptx_mem.usecases.recall.within_budget import fit

    def build(part: Any, rest: int) -> str:
        hidden = cast("Recall", {**result.data, "memories": part, "left_out": result.data["left_out"] + rest})
        return words.clean_text(words.memories(result._replace(data=hidden)))

    found = result.data["memories"]
    selection = fit(found, budget, build)
    rest = result.data["left_out"] + len(found) - len(selection)
    data = cast("Recall", {**result.data, "memories": selection, "left_out": rest})
    return words.memories(result._replace(data=data))


def topics(listed: list[Any], count: int, budget: int) -> Answer:
    """The first `count` topics, as many of them as fit."""
    shown = words.clean(listed[:count])
    answer: Answer = {"topics": shown, "not_shown": len(listed) - len(shown)}
    while size(answer) > budget:
        if not shown:
            raise _too_small(budget, size(answer))
        shown = shown[: len(shown) * budget // size(answer)]
        answer = {"topics": shown, "not_shown": len(listed) - len(shown)}
    return answer


def one(memory: Answer, history: list[Answer], budget: int) -> Answer:
    """A memory with its history: where that is too much, less of the history, of what was said, of its text."""
    memory, history = words.clean(memory), words.clean(history)
    everything: Answer = {"memory": memory, **({"history": history} if history else {})}
    need = size(everything)
    if need <= budget:
        return everything

    def build(form: Answer, many: int) -> Answer:
        left_out = [
            (len(history) - many, plural(len(history) - many, "memory of its history", "memories of its history")),
            (len(memory.get("messages", ())) * ("messages" not in form), "what was said"),
            (
                rest := len(memory["text"]) - len(form["text"]),
                plural(rest, "character of its text", "characters of its text"),
            ),
        ]
        note = f"left out: {', '.join(name for count, name in left_out if count)}; budget {need} gives all"
        return {"memory": form, **({"history": history[:many]} if many else {}), "notes": [note]}

    def fits(form: Answer, many: int) -> bool:
        return size(build(form, many)) <= budget

    for form in (memory, _without(memory, "messages")):
        if fits(form, 0):
            return build(form, _most(len(history), partial(fits, form)))
    bare = _without(memory, "messages")

    def cut(length: int) -> Answer:
        return build({**bare, "text": memory["text"][:length]}, 0)

    if size(cut(0)) > budget:
        raise _too_small(budget, size(cut(0)))
    return cut(_most(len(memory["text"]), lambda length: size(cut(length)) <= budget))


def stored(items: list[Answer]) -> Answer:
    """What became of several facts; where that is too much, without scores, and of what is like them only where."""
    answer: Answer = {"items": items}
    if size(answer) <= BUDGET:
        return answer
    alike = [str(number) for number, item in enumerate(items, 1) if "alike" in item]
    note = f"like what was known, so look whether they say the same: number {', '.join(alike)} (recall shows it)"
    less = [{key: value for key, value in item.items() if key not in ("alike", "score", "duration")} for item in items]
    return outcomes(less, lambda item: "error" in item, {"notes": [note]} if alike else {})


def outcomes(items: list[Answer], is_wrong: Callable[[Answer], bool], beside: Answer) -> Answer:
    """What became of each of many; where that is too much, only of what went wrong, as much as fits."""
    answer: Answer = {"items": items, **beside}
    if size(answer) <= BUDGET:
        return answer
    wrong = [{"number": number, **item} for number, item in enumerate(items, 1) if is_wrong(item)]
    notes = [*beside.get("notes", ()), f"of {len(items)} items only what went wrong is shown, each with its number"]

    def build(many: int) -> Answer:
        hidden = {"not_shown": len(wrong) - many} if many < len(wrong) else {}
        return {**beside, "items": wrong[:many], **hidden, "notes": notes}

    return build(_most(len(wrong), lambda many: size(build(many)) <= BUDGET))


def questions(ask: "Callable[[int], Review]", budget: int) -> Answer:
    """What waits for an answer; `ask` makes a prompt of at most so many tokens, beside which stand ids."""
    room, before = budget, 0
    while True:
        answer: Answer = words.clean(words.waiting(ask(room)))
        need = size(answer)
        if need <= budget:
            return answer
        if need == before or room <= need - budget:  # less room makes it no smaller
            raise _too_small(budget, need)
        room, before = room - (need - budget), need


def _most(many: int, fits: Callable[[int], bool]) -> int:
    """The greatest number up to `many` that fits; 0 does."""
    low, high = 0, many
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _without(memory: Answer, key: str) -> Answer:
    return {name: value for name, value in memory.items() if name != key}


def _too_small(budget: int, least: int) -> UsageError:
    return UsageError(f"budget {budget} is too small for an answer", hint=f"give a budget of {least} or more")
