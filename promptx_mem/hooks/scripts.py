"""What the scripts of line editors put in, replace or take out: loaded where a command runs one."""

from promptx_mem.hooks.programs import option
from promptx_mem.hooks.words import Word

_SAVES = ("w", "w!", "w>>", "W", "wq", "sav", "saveas", "write", "write!")


def added(name: str, arguments: list[Word], body: Word | None) -> Word | None:
    """The text that an editor's script puts in: `sed '$a …'`, `ed` with its script; None where it cannot be told."""
    if name in ("ed", "ex") and body is not None:
        text = _inserted(body.text)
        return Word(text, sure=body.sure) if text else None
    if name != "sed":
        return None
    scripts = [word for word in arguments if not word.text.startswith("-")][:1] + option(arguments, "-e")
    for script in scripts:
        whole = script.text.strip()
        rest = whole.lstrip("0123456789$").lstrip()
        if rest[:1] in ("a", "i", "c") and len(rest) < len(whole):
            text = rest[1:].lstrip().removeprefix("\\").lstrip("\n ")
            return Word(text, sure=script.sure) if text else None
    return None


def _inserted(script: str) -> str:
    """The lines that an `ed` script puts in: between `a`, `i` or `c` and a single dot."""
    out: list[str] = []
    taking = False
    for line in script.split("\n"):
        if taking:
            taking = line != "."
            out += [line] if taking else []
        else:
            order = line.strip()
            taking = order[-1:] in ("a", "i", "c") and not order[:-1].strip("0123456789$.,")
    return "\n".join(out)


def substitution(arguments: list[Word]) -> tuple[str, str | None, str] | None:
    """What `sed` replaces by what, or takes out with its line, where its one script says that in plain words."""
    scripts = option(arguments, "-e") or [word for word in arguments if not word.text.startswith("-")][:1]
    if len(scripts) != 1 or not scripts[0].sure:
        return None
    script = scripts[0].text
    if script[:1] == "/" and script[-2:] == "/d" and _is_plain(script[1:-2]):
        return script[1:-2], None, "all"
    parts = script[2:].split(script[1:2]) if script[:1] == "s" and len(script) > 3 else []
    if len(parts) != 3 or parts[2] not in ("", "g") or not _is_plain(parts[0]) or set("\\&") & set(parts[1]):
        return None
    return parts[0], parts[1], "all" if parts[2] else "line"


def _is_plain(pattern: str) -> bool:
    return bool(pattern) and not set("\\^$*[]/") & set(pattern)


def written(name: str, arguments: list[Word], body: Word | None) -> list[str]:
    """Files that an editor's script names to write into: `sed 'w FILE'`, `vim -c 'w FILE'`, `ed` with `w FILE`."""
    texts = [word.text for flag in ("-c", "-e") for word in option(arguments, flag)]
    texts += [word.text for word in arguments[:2] if name == "sed"] + ([body.text] if body is not None else [])
    out = []
    for text in texts:
        orders = text.replace("\n", " ").split()
        pairs = zip(orders, orders[1:], strict=False)  # noqa: RUF007 - the guard loads no itertools
        out += [path for order, path in pairs if order.lstrip("0123456789$%,:").endswith(_SAVES)]
    return out
