"""From what an agent tried to write to the commands that do the same: loaded only when the guard denies."""

import os

PROGRAM = "promptx-mem"
SCORE, TAG, TEXT = "SCORE?", "TAG?", "TEXT?"
"""What the agent has to fill in. `remember` refuses the first two, so none is stored unnoticed."""

MAX_COMMANDS = 8
MAX_TEXT = 4_000
MAX_REASON = 9_000
"""Characters: hosts cut what is longer than 10,000."""

_TOKENS = {"score": "score", "评分": "score", "duration": "duration", "有效期": "duration"}
_PUNCTUATION = "_-./"
_INVISIBLE = (
    (0x00, 0x1F), (0x7F, 0x9F), (0xAD, 0xAD), (0x61C, 0x61C), (0x180E, 0x180E), (0x200B, 0x200B), (0x200E, 0x200F),
    (0x2028, 0x202E), (0x2060, 0x206F), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB), (0xD800, 0xDFFF), (0xE0000, 0xE007F),
)  # fmt: skip


class Fact:
    """A memory that was to be written; `ident` names the one it changes, `gone` that it was to be taken out."""

    __slots__ = ("duration", "gone", "ident", "score", "tags", "text")

    def __init__(self, text: str, tags: tuple[str, ...] = ()) -> None:
        self.text = text
        self.tags = tags
        self.score: str | None = None
        self.duration: str | None = None
        self.ident: str | None = None
        self.gone = False


def facts(new: str, old: str = "") -> list[Fact]:
    """Read what was to be written: list items are a memory each, other text is one. What `old` has is left out.

    A line of the store keeps its id: changed it supersedes that memory, missing it ends it.
    """
    before = {fact.ident or fact.text: fact for fact in _entries(old)}
    out = []
    for fact in _entries(new):
        known = before.pop(fact.ident or fact.text, None)
        if known is None and fact.ident is not None:
            if old or not fact.text:
                fact.ident = None
            else:
                continue  # a file written anew repeats what is stored
        if known is not None and known.text == fact.text:
            if (known.tags, known.score, known.duration) == (fact.tags, fact.score, fact.duration):
                continue
            fact.ident = None  # the same text with another score is the same memory, said again
        out.append(fact)
    for fact in before.values():
        if fact.ident is not None:
            fact.gone = True
            out.append(fact)
    return out


def _entries(text: str) -> list[Fact]:
    lines = text.replace("\r\n", "\n").split("\n")
    bullets = [line for line in lines if line[:2] in ("- ", "* ")]
    if not bullets:
        body = "\n".join(line for line in lines if not line.startswith("#") or line[1:2] not in (" ", "#")).strip()
        return [parse(body)] if body else []
    return [fact for fact in (parse(line[2:]) for line in bullets) if fact.text or fact.ident]


def parse(line: str) -> Fact:
    """Read a memory in the command's own syntax: text, then tokens, then perhaps the comment of the store."""
    ident = None
    head, mark, comment = line.rpartition(" <!-- {")
    if mark and comment.rstrip().endswith("} -->"):
        line = head
        found = comment.partition('"id":"m_')[2][:10]
        ident = "m_" + found if len(found) == 10 and found.isalnum() else None
    words = line.split(" ")
    tags: list[str] = []
    fact = Fact("")
    fact.ident = ident
    while words:
        word = words[-1]
        name, value = _token(word)
        if word and not name and not _is_tag(word):
            if word.startswith("\\") and (_is_tag(word.lstrip("\\")) or _token(word.lstrip("\\"))[0]):
                words[-1] = word[1:]
            break
        words.pop()
        if name == "score":
            fact.score = fact.score or value
        elif name:
            fact.duration = fact.duration or value
        elif word:
            tags.append(word.lstrip("#＃"))
    fact.text = " ".join(words).strip().replace("<br>", "\n").replace("&lt;!--", "<!--")
    fact.tags = tuple(dict.fromkeys(reversed(tags)))
    return fact


def _token(word: str) -> tuple[str, str]:
    bare = word.lstrip("#")
    for mark in (":", "："):
        name, found, value = bare.partition(mark)
        if found and name.lower() in _TOKENS:
            return _TOKENS[name.lower()], value
    return "", ""


def _is_tag(word: str) -> bool:
    name = word.lstrip("#＃")
    bare = [char for char in name if not _combines(char)]
    return name != word and any(map(str.isalnum, bare)) and all(c.isalnum() or c in _PUNCTUATION for c in bare)


def _combines(char: str) -> bool:
    """Whether a character is a vowel sign or an accent: what may go on a name, but is no letter."""
    return not char.isascii() and not char.isalnum() and ("a" + char).isidentifier()


def command(fact: Fact, session: str | None = None) -> str:
    """The command that stores a fact, safe for bash whatever its text; what is missing is left to the agent.

    With options the text is taken as it is, so nothing in it can become a token.
    """
    named = ["--session", session] if session else []
    if fact.gone and fact.ident:
        return f"{PROGRAM} forget {fact.ident}"
    words = ["--update", fact.ident] if fact.ident else []
    if fact.tags or not fact.ident:
        words += [word for tag in fact.tags or (TAG,) for word in ("-t", tag)]
    words += ["--score", SCORE if fact.score is None else fact.score]
    words += ["--duration", fact.duration] if fact.duration is not None else []
    quoted = " ".join(quote(word) for word in [PROGRAM, "remember", *words, *named])
    if len(fact.text) > MAX_TEXT:
        return f"{quoted} - < FILE"
    # A single - would be read as stdin.
    return f"{quoted} -- {quote('- ' if fact.text == '-' else fact.text)}"


def quote(word: str) -> str:
    """Quote for a shell; what does not print is spelled out in bash's and zsh's $'…'."""
    if not any(invisible(char) for char in word):
        plain = word and all(char.isascii() and (char.isalnum() or char in "@%+=:,./-_") for char in word)
        return word if plain else "'" + word.replace("'", "'\"'\"'") + "'"
    return "$'" + "".join(map(_spell, word)) + "'"


def quote_tagless(word: str) -> str:
    """Quote for a shell with the marks of a tag spelled out, so that what stands around it stays closed."""
    if not any(mark in word for mark in "<>&"):
        return quote(word)
    spelled = quote(word + "\n")[2:-3]  # a newline forces the $'…' form
    return "$'" + "".join(f"\\U{ord(char):08x}" if char in "<>&" else char for char in spelled) + "'"


def _spell(char: str) -> str:
    if char == "\n":
        return "\\n"
    if char == "\0" or "\ud800" <= char <= "\udfff":
        return "\ufffd"
    if char in "\\'":
        return "\\" + char
    return f"\\U{ord(char):08x}" if invisible(char) else char


def invisible(char: str) -> bool:
    code = ord(char)
    return any(first <= code <= last for first, last in _INVISIBLE)


def reason(
    tool: str, path: str | None, found: list[Fact], *, removes: bool, session: str, noted: bool, name: str | None
) -> str:
    """Tell the agent what to do instead. `name`: the session, where the commands must give it themselves."""
    where = f"{_shown(path)} belongs to the memory store" if path else "it is another memory"
    head = f"Denied: memories are kept with {PROGRAM} alone, and {tool} goes round it ({where}). Nothing was written."
    if path and _is_record(path):
        found, removes = [], False
        head += " That file is the program's own record and is never written by hand."
    elif not found and not removes:
        found = [Fact(TEXT)]
    out = [head]
    if found:
        out.append("Run this instead:" if len(found) == 1 else "Run these instead:")
        out += [f"  {line}" for line in _fitting([command(fact, name) for fact in found])]
        out += _explained(found)
    if removes:
        out.append(f"To end a memory: {PROGRAM} forget ID; to change its text: {PROGRAM} remember --update ID …")
        out.append(f"To find its id: {PROGRAM} recall WORDS")
    if noted:
        out.append(f"Noted as a violation of session {session}: three of them block storing for that session.")
    return "\n".join(out)[:MAX_REASON]


def _fitting(commands: list[str]) -> list[str]:
    shown: list[str] = []
    size = 0
    for one in commands[:MAX_COMMANDS]:
        size += len(one)
        if shown and size > MAX_REASON * 3 // 4:
            break
        shown.append(one)
    left = len(commands) - len(shown)
    return [*shown, f"and the same for {left} more"] if left else shown


def _explained(found: list[Fact]) -> list[str]:
    out = []
    stored = [fact for fact in found if not fact.gone]
    if any(fact.text == TEXT for fact in stored):
        out.append(f"{TEXT} is the fact to remember, in one sentence.")
    if any(fact.score is None for fact in stored):
        out.append(
            f"{SCORE} is yours to give: from 0 to 10, what it is worth (below 5 is refused; the questions: "
            f"{PROGRAM} score --guide). If the user asked for it to be remembered, --explicit stands for --score."
        )
    if any(not fact.tags and not fact.ident for fact in stored):
        out.append(f"{TAG} is a word to find it by, for example preference or 用户信息.")
    if any(len(fact.text) > MAX_TEXT for fact in stored):
        out.append("FILE is a file outside .memory that holds the text.")
    return out


def _is_record(path: str) -> bool:
    name = os.path.basename(path)
    return name.endswith((".jsonl", ".gz")) or (name.startswith(".") and name != ".memory")


def printable(text: str) -> str:
    """Replace what does not print by U+FFFD."""
    return "".join("\ufffd" if invisible(char) else char for char in text)


def _shown(path: str | None) -> str:
    text = printable(path or "")
    return text if len(text) <= 200 else "…" + text[-199:]


def settings(path: str) -> str:
    """What is said where the settings were to be written: a person decides."""
    return (
        f"{os.path.basename(path)} holds the settings of the memory store, its limits among them: they are set by "
        "people. Ask the user to confirm or make this change."
    )
