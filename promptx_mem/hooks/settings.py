"""A settings file as text: our hooks go in and out, every other byte stays.

A parsed and rewritten file would lose its owner's layout, so members are spliced by their place in the text.
"""

import json
from typing import Any

from promptx_mem.core.json_text import DECODER, loads

Span = tuple[int, int]

_WHITE = " \t\r\n"


def put(text: str, hooks: dict[str, list[dict[str, Any]]], blank: dict[str, Any]) -> str:
    """Add entries by event. What is ours and there already stays if it is the same, else it is taken out first.

    `blank` is what a file holds before any hook. Raises ValueError where the text is not plain JSON of the expected
    shape.
    """
    if own_commands(text) == own_commands(json.dumps({"hooks": hooks})):
        return text
    text = remove(text, blank)
    if not text.strip() or loads(text) == {}:
        return json.dumps({**blank, "hooks": hooks}, indent=2, ensure_ascii=False) + "\n"
    unit = _unit(text)
    at = _object(text, _skip(text, 0))
    if "hooks" not in at:
        return _append(text, _skip(text, 0), f'"hooks": {_dump(hooks, unit, 1)}', unit, 1)
    for event, groups in hooks.items():
        place = _object(text, _skip(text, 0))["hooks"][0]
        events = _object(text, place)
        if event not in events:
            text = _append(text, place, f"{json.dumps(event)}: {_dump(groups, unit, 2)}", unit, 2)
            continue
        if text[events[event][0]] != "[":
            raise ValueError(f"{event} is not an array")
        for group in groups:
            text = _append(text, events[event][0], _dump(group, unit, 3), unit, 3)
    return text


def remove(text: str, blank: dict[str, Any]) -> str:
    """Take out every hook of ours, and what it leaves empty; '' where nothing else is left but `blank`."""
    if not text.strip():
        return text
    is_changed = False
    while (span := _first(text)) is not None:
        text = _cut(text, span)
        is_changed = True
    return "" if is_changed and loads(text) in ({}, blank) else text


def is_ours(hook: Any) -> bool:
    """Whether a hook runs promptx-mem's guard or one of its hooks."""
    command = hook.get("command") if isinstance(hook, dict) else None
    return isinstance(command, str) and action(command) != ""


def action(command: str) -> str:
    """What of ours a command runs: `guard`, `hook prompt` …; '' where it is not ours."""
    words = command.replace('"', "").split()
    for index, word in enumerate(words):
        if word.rpartition("/")[2] in ("promptx-mem", "promptx_mem"):
            following = words[index + 1 : index + 3]
            if following[:1] == ["guard"]:
                return "guard"
            if following[:1] == ["hook"]:
                return " ".join(following)
    return ""


def own_commands(text: str) -> dict[str, list[dict[str, Any]]]:
    """Our entries in a settings file, by event; an entry in a group has the group's matcher."""
    data = loads(text) if text.strip() else {}
    hooks = data.get("hooks") if isinstance(data, dict) else None
    out: dict[str, list[dict[str, Any]]] = {}
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            inner = group.get("hooks", [group]) if isinstance(group, dict) else None
            for hook in inner if isinstance(inner, list) else ():
                if is_ours(hook):
                    out.setdefault(event, []).append({"matcher": group.get("matcher", ""), **hook})
    return out


def _first(text: str) -> list[Span] | None:
    """Where the first hook of ours stands: the spans of what holds it, outermost first, each a member or element."""
    top = _skip(text, 0)
    members = _object(text, top)
    if "hooks" not in members or text[members["hooks"][0]] != "{":
        return None
    for event, span in _object(text, members["hooks"][0]).items():
        if text[span[0]] != "[":  # Gemini CLI keeps settings beside the events
            continue
        for group in _array(text, span[0]):
            hooks = _inside(text, group)
            for hook in hooks:
                if not is_ours(loads(text[slice(*hook)])):
                    continue
                if len(hooks) > 1:
                    return [hook]
                if len(_array(text, span[0])) > 1:
                    return [group]
                if len(_object(text, members["hooks"][0])) > 1:
                    return [_member(text, members["hooks"][0], event)]
                return [_member(text, top, "hooks")]
    return None


def _inside(text: str, group: Span) -> list[Span]:
    """The hooks of a group; an entry that is in none (Cursor's) is one by itself."""
    members = _object(text, group[0]) if text[group[0]] == "{" else {}
    if "hooks" in members:
        return _array(text, members["hooks"][0])
    return [group] if "command" in members else []


def _cut(text: str, spans: list[Span]) -> str:
    """Take out a member or element with the comma and the white space that belong to it."""
    start, end = spans[0]
    before = len(text[:start].rstrip(_WHITE))
    after = _skip(text, end)
    if text[before - 1] == ",":
        return text[: before - 1] + text[end:]
    if text[after] == ",":
        return text[:start] + text[_skip(text, after + 1) :]
    return text[:before] + text[after:]


def _append(text: str, place: int, item: str, unit: str, depth: int) -> str:
    """Add an item at the end of the object or array that begins at `place`."""
    spans = list(_object(text, place).values()) if text[place] == "{" else _array(text, place)
    if unit == "":
        joined = f", {item}" if spans else item
        last = spans[-1][1] if spans else place + 1
        return text[:last] + joined + text[last:]
    line = _newline(text)
    if spans:
        last = spans[-1][1]
        return f"{text[:last]},{line}{unit * depth}{item}{text[last:]}"
    close = _skip(text, place + 1)
    return f"{text[: place + 1]}{line}{unit * depth}{item}{line}{unit * (depth - 1)}{text[close:]}"


def _dump(value: Any, unit: str, depth: int) -> str:
    if unit == "":
        return json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", "\n" + unit * depth)


def _unit(text: str) -> str:
    """The indentation that the file uses; '' where it is all on one line."""
    for line in text.split("\n")[1:]:
        stripped = line.lstrip(" \t")
        if stripped.strip() and len(stripped) < len(line):
            return line[: len(line) - len(stripped)]
    return "" if "\n" not in text.strip() and len(text.strip()) > len("{}") else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _object(text: str, at: int) -> dict[str, Span]:
    """The values of an object by key, as places in the text."""
    if text[at : at + 1] != "{":
        raise ValueError("an object was expected")
    out: dict[str, Span] = {}
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _value(text, at)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise ValueError("a colon was expected")
        start = _skip(text, at + 1)
        _, end = _value(text, start)
        out[key] = (start, end)
        at = _next(text, end, "}")
    return out


def _array(text: str, at: int) -> list[Span]:
    """The elements of an array, as places in the text."""
    if text[at : at + 1] != "[":
        raise ValueError("an array was expected")
    out: list[Span] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        _, end = _value(text, at)
        out.append((at, end))
        at = _next(text, end, "]")
    return out


def _member(text: str, place: int, name: str) -> Span:
    """The whole of a member, key included."""
    at = _skip(text, place + 1)
    while True:
        key, end = _value(text, at)
        start = _skip(text, _skip(text, end) + 1)
        _, stop = _value(text, start)
        if key == name:
            return at, stop
        at = _next(text, stop, "}")


def _next(text: str, at: int, closing: str) -> int:
    at = _skip(text, at)
    if text[at : at + 1] == ",":
        return _skip(text, at + 1)
    if text[at : at + 1] != closing:
        raise ValueError(f"a comma or {closing} was expected")
    return at


def _value(text: str, at: int) -> tuple[Any, int]:
    return DECODER.raw_decode(text, at)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _WHITE:
        at += 1
    return at
