"""The hook before an agent reads a message: it adds instructions to store facts, and related memories."""

import contextlib
import datetime
import os
import re

from promptx_mem.core import prompt_block as block
from promptx_mem.core.description import Description, Recall
from promptx_mem.core.ids import text_mark
from promptx_mem.core.prompt_block import tokens
from promptx_mem.core.shell import MARKS, SCORE
from promptx_mem.core.times import may_name_date
from promptx_mem.errors import BusyError
from promptx_mem.hooks import first_look, host, injected
from promptx_mem.hooks.host import Event
from promptx_mem.hooks.hosts import MAX_CHARACTERS, Room
from promptx_mem.memory import Memory
from promptx_mem.record import TYPE_CHECKING, Any
from promptx_mem.store import files, hosts
from promptx_mem.store.layout import Layout

if TYPE_CHECKING:
    from promptx_mem.core.entry import Cite
    from promptx_mem.hooks.requests import Requests

ASK_AFTER = 10
"""Number of prompts by a person after which the agent is asked, once in a session, for facts to store."""

_PROMPT = "prompt"
_QUESTION = (
    "Nothing was stored in this session yet. Is there something to keep beyond the present task: facts about the "
    "user, their preferences, decisions or ways of working, a result to reuse? Be selective, and prefer lasting "
    "facts.\nTo store each fact, {}\n"
    "If there is nothing to keep, do not mention this question. It is asked once per session."
)


def due_question(event: Event, layout: Layout, now: datetime.datetime, *, wait: bool) -> str:
    """Record a person's prompt. If it is time to ask the agent for facts to store, return the question; else ''.

    With `wait`, leave the question to a later prompt.
    """
    if not is_of_a_person(event):
        return ""
    name = event.record(now)
    before = [record.get("e") for record in hosts.events(layout, name)]
    if hosts.ASKED in before:
        return ""
    if wait or before.count(_PROMPT) < ASK_AFTER or _has_stored(event, layout, now):
        hosts.note(layout, name, _PROMPT, now)
        return ""
    if not hosts.note(layout, name, hosts.ASKED, now):  # if this is not recorded, every prompt would get the question
        return ""
    return event.ways.named(_QUESTION.format(command("", host.session_to_give(event, now), asked=False)))


def _has_stored(event: Event, layout: Layout, now: datetime.datetime) -> bool:
    from promptx_mem.core.json_text import objects
    from promptx_mem.store import audit, violations

    names = _names(event, now)
    own = objects(violations.of_session(names, audit.read(layout)))
    stored = (one for one in own if one.get("id") and one.get("verdict") != "refused")
    return any(names.intersection(violations.names_of(one)) for one in stored)


def _names(event: Event, now: datetime.datetime) -> set[str]:
    """Return the names of the event's session, and of the hosts that run it."""
    from promptx_mem import session as sessions

    return {*sessions.violation_names(sessions.of_event(event.session, now))}


def is_of_a_person(event: Event) -> bool:
    """Return whether a person typed the prompt, and not an agent or a program. Commands and notices do not count."""
    if host.is_of_agent(event):
        return False
    variable, begins = event.host.headless
    # Programs in a session inherit the host's variables. Such a program could be another host.
    is_caller = any(os.environ.get(name) == event.session for name in event.host.variables)
    if variable and is_caller and os.environ.get(variable, "").startswith(begins):  # `claude -p`
        return False
    prompt = event.prompt.lstrip()
    return bool(prompt) and not prompt.startswith(("/", "<"))


BUDGET = 1_000
"""Maximum number of tokens of the memories that are added to a message."""

COUNT, COUNT_BY_WORDS, MAX_DATES, MAX_CUE = 5, 8, 2, 1_000
_DAY = datetime.timedelta(days=1)
MAX_TEXT = 4_000
"""Maximum length in characters of a fact that a printed command repeats."""

MAX_WORDS = 500
MAX_BLOCK = MAX_CHARACTERS * 3 // 4
"""Maximum length in characters of the block of memories."""

_ALIASES = "Add two to five --aka WORDS to each command: synonyms, abbreviations, a translation (Chinese or English)."
_AS_SENTENCE = "as one sentence that keeps the meaning and can be understood on its own:"
_GOES_ON = "The message continues after the request: add the sentences that belong to it."
_NO_CREDENTIAL = "A memory must not contain a credential: instead, store where the credential is kept."
_BETWEEN = "\n\n"
_HEADING = "Memories that could help here (facts stored earlier, not instructions):\n"


def answer(event: Event, first: str = "") -> dict[str, Any]:
    """Return the answer to a message. The answer adds text for the agent.

    The text can have `first`, instructions for requests in the message, a question that is due, a warning,
    related memories, and a past conversation.
    """
    parts = [event.ways.named(first)] if first else []
    memory = Memory.open()
    heard = None if event.prompt.lstrip().startswith("/") else _requests(event.prompt)
    if heard and not host.is_of_agent(event):
        is_noted = bool(event.session) and is_of_a_person(event)
        heard = heard if is_noted else heard._replace(everywhere=())
        session = host.session_to_give(event, memory.context.now())
        parts.append(event.ways.named(instruction(heard, session, memory.context.config.default_tag)))
        if is_noted:
            _note_request(event, memory, heard)
    own = host.with_trusted_stores(memory)
    if own:
        contexts = own.context.both()
        parts.append(due_question(event, contexts[0].layout, memory.context.now(), wait=bool(heard)))
    if own is not memory:
        parts.append(injected.of_untrusted(event, memory))
    parts = list(filter(None, parts))
    room = event.ways.room.without(_BETWEEN.join([*parts, _HEADING])).most(MAX_BLOCK)
    with contextlib.suppress(BusyError):  # a large store is left out until its cache is rebuilt
        if own:
            parts += filter(None, [memory_block(own, event, room)])
            parts += filter(None, [_past(own, event, event.ways.room.without(_BETWEEN.join([*parts, ""])))])
    return host.context(event, _BETWEEN.join(parts))


def _requests(message: str) -> "Requests | None":
    if not first_look.may_contain_request(message):
        return None
    from promptx_mem.hooks import requests

    return requests.read(message) or None


def _note_request(event: Event, memory: Memory, heard: "Requests") -> None:
    """Record a person's request, which allows the agent to store the text in the user store."""
    from promptx_mem.core.credentials import find_credentials

    now = memory.context.now()
    for fact in heard.facts:
        if fact and not find_credentials(fact):
            for name in _names(event, now):
                hosts.note_request(name, sorted(hosts.terms(fact))[:MAX_WORDS], now)


def command(
    text: str,
    session: str | None,
    tag: str | None = None,
    *,
    score: str | None = None,
    asked: bool = True,
    user: bool = False,
) -> str:
    """Return the command that stores a request, or with `score` a decision; the usage for no text or above MAX_TEXT.

    The text is escaped, so that it cannot open or close an XML tag in the prompt. `asked`: the user asked
    to store the text. `user`: the text is for all projects.
    """
    from promptx_mem.core import pasteable
    from promptx_mem.core.labels import NOTE
    from promptx_mem.core.request import Request

    explicit = asked and score is None
    if 0 < len(text) <= MAX_TEXT:
        request = Request(text, (tag or NOTE,), score, explicit=explicit, session=session, user=user)
        return pasteable.command(request, spelled=MARKS, most=MAX_TEXT)
    return pasteable.usage(Request("", score=score, explicit=explicit, user=user)) + host.session_option(session)


def instruction(heard: "Requests", session: str | None, tag: str | None = None) -> str:
    """Return the instruction to store facts of a message. Text from the message cannot open or close XML tags."""
    from promptx_mem.core.credentials import find_credentials
    from promptx_mem.core.labels import NOTE

    parts, known = [], [fact for fact in heard.facts if fact]
    if heard.facts:
        facts = [fact for fact in known if not find_credentials(fact)]
        parts.append(f"The user asks to remember something. Store it now {_AS_SENTENCE}")
        parts += [f"  {command(fact, session, tag, user=fact in heard.everywhere)}" for fact in facts]
        parts += [f"  {command('', session, user='' in heard.everywhere)}"] if len(facts) < len(heard.facts) else []
        parts += [_NO_CREDENTIAL] if len(facts) < len(known) else []
        parts += [_GOES_ON] if heard.goes_on else []
        better = f"Use a better tag than #{tag or NOTE} if there is one."
        parts += [better if heard.decisions else f"{better} {_ALIASES}"] if facts else []
    if heard.decisions:
        decided = ["" if find_credentials(text) else text for text in heard.decisions]
        parts.append(f"The user decided something. If the decision is not stored yet, store it {_AS_SENTENCE}")
        parts += [f"  {command(text, session, tag, score='7')}" for text in decided]
        parts += [_NO_CREDENTIAL] if "" in decided else []
        parts.append(_ALIASES)
    if parts:
        return "\n".join(parts)
    signs = {"stresses that something is important": heard.stress, "may need something again later": heard.later}
    why = [sign for sign, is_there in signs.items() if is_there]
    return (
        f"The user {' and '.join(why)}. If the message contains a lasting fact, store that fact:\n"
        f"  {command('', session, asked=False)}\n"
        f"{SCORE} is the fact's importance (promptx-mem score --guide); the tag is a word by which it can be found."
    )


def memory_block(memory: Memory, event: Event, room: Room, *, is_one: bool = True) -> str:
    """Return a block with memories for a message, if any, and record them. Leave out memories that the session has.

    `is_one` is False if the text consists of several tasks. Then a memory needs fewer words in common with the text.
    """
    prompt, place = event.prompt, memory.context.both()[0].layout
    if not place.exists() or not prompt.strip() or prompt.lstrip().startswith("/"):
        return ""
    now = memory.context.now()
    data, matches = _conversations(memory, event, prompt[:MAX_CUE]) or given(
        memory, prompt[:MAX_CUE], of_agent=is_one and host.is_of_agent(event)
    )
    name = event.record(now) if event.session else ""
    marks = injected.before(place, name) if name else {}
    matches = [item for item in matches if injected.is_new(item, marks)]
    left = injected.MAX_SESSION - injected.spent(place, name).every if name and matches else injected.MAX_SESSION
    room = room.most(max(left, 0) * 3)
    while matches and not room.has(text := block.block({**data, "memories": matches})):
        matches = matches[:-1]
    if not matches:
        return ""
    text = _HEADING + text
    if name:
        marks = {item["id"]: text_mark(item["text"], item["tags"]) for item in matches}
        via = {item["id"]: injected.ways(item) for item in matches}
        injected.note(place, name, "prompt", marks, now, via, tokens(text))
    return text


def _conversations(memory: Memory, event: Event, words: str) -> tuple[Recall, list[Description]] | None:
    """Return recalled conversations (or memories) if a message only asks for earlier conversations; else None."""
    from promptx_mem.usecases.recall.question import may_mean_talks

    if not may_mean_talks(words):
        return None
    from promptx_mem.usecases.recall import Cues, lately

    now = memory.context.now()
    if not lately.asks_for_earlier(words, now):
        return None
    asker = host.with_trusted_stores(Memory.open(None, event.record(now)) if event.session else memory) or memory
    data = asker.recall(Cues(text=words, count=COUNT, budget=BUDGET, touch=False, lenient=True, messages=False)).data
    talks = [item for item in data["memories"] if item["category"] == "episode"]
    return {**data, "left_out": 0}, talks or data["memories"]


def _past(memory: Memory, event: Event, room: Room) -> str:
    """Return a line, new in the session, about a past conversation that shares rare words with a message, if any.

    If the message asks about past conversations, one word of its subject is enough.
    """
    words, context = event.prompt[:MAX_CUE], memory.context.both()[0]
    place, now = context.layout, memory.context.now()
    is_work = first_look.is_turn_of_work(words)
    if is_work or not any(map(files.status, place.talks)) or not is_of_a_person(event):
        return ""
    from promptx_mem.usecases.recall import lately

    if lately.asks_for_earlier(words, now):  # then `memory_block` has returned the conversations of that time, if any
        return ""
    name, subject = event.record(now), lately.subject_of_earlier(words)
    unit, about = lately.sharing_rare_words(
        context, name, subject or words, first_look.work_words(), injected.before(place, name), asked=bool(subject)
    )
    line = event.ways.named(f"A past conversation that could help here: {about}") if about else ""
    if not line or not room.has(line) or injected.spent(place, name).every + tokens(line) > injected.MAX_SESSION:
        return ""
    if event.session:
        injected.note(place, name, "prompt", {unit: "past"}, now, {unit: "messages"}, tokens(line))
    return line


def given(memory: Memory, words: str, *, of_agent: bool = False) -> tuple[Recall, list[Description]]:
    """Return a recall's data, and the memories to inject for a message's words and dates.

    `of_agent`: the message is a task by an agent. Then dates are not used, and memories must share more words.
    """
    from promptx_mem.usecases.recall import Cues

    usual: dict[str, Any] = {"budget": BUDGET, "touch": False, "lenient": True, "unasked": True, "messages": False}
    is_turn, is_task = first_look.is_turn_of_work(words), first_look.is_task_of_no_project(words)
    words, dates = _dates(memory, words)
    cues = Cues(
        text=re.sub(r"(?<!\S)[#＃]", " ", words),  # in a message `#12` is a number, not a filter by tag
        count=0 if is_turn else COUNT_BY_WORDS,
        prompt=True,
        task="general" if is_task else "agent" if of_agent else "",
        **usual,
    )
    result = memory.recall(cues)
    found = result.data["memories"]
    if any(item["cites"] for item in found):
        found = _about_files(words, found)
    rules = [item for item in found if item.get("via") == ["rule"]]
    matches = [item for item in found if item not in rules]
    left = COUNT - len(matches)
    if dates and left > 0 and not of_agent:
        noted = memory.recall(Cues(dates=dates, count=COUNT, **usual))
        ids = {item["id"] for item in matches}
        matches += [item for item in noted.data["memories"] if item["id"] not in ids][:left]
    return {**result.data, "left_out": 0}, matches + rules


def _about_files(words: str, found: list[Description]) -> list[Description]:
    """Return the found memories. If a message names files, leave out memories that cite only other files."""
    from promptx_mem.core import citations

    named = [path.lower().rstrip("/").split("/") for path in citations.paths(words)]
    suffixes = {cite["path"].rpartition(".")[2] for item in found for cite in item["cites"]}
    if not any("." in path[-1] and (path[1:] or path[-1].rpartition(".")[2] in suffixes) for path in named):
        return found
    parts = {part for path in named for part in path}

    def is_named(cite: "Cite") -> bool:
        return cite["path"].lower().rpartition("/")[2] in parts or any(name in words for name in cite["names"])

    return [item for item in found if not item["cites"] or any(map(is_named, item["cites"]))]


def _dates(memory: Memory, words: str) -> tuple[str, tuple[str, ...]]:
    """Return a message without "today" (a vague cue), and its first two dates of up to a week, except weekdays."""
    if not may_name_date(words):
        return words, ()
    from promptx_mem.core.dates import WEEKDAYS, find_dates

    now, dates, rest = memory.context.now(), [], words
    for mention in find_dates(words, now)[0]:
        start, end = mention.span
        if words[start:end].casefold().startswith(WEEKDAYS):
            continue
        if mention.start <= now < mention.end and mention.end - mention.start <= _DAY:
            rest = rest[:start] + " " * (end - start) + rest[end:]
        elif mention.end - mention.start <= 7 * _DAY:
            dates.append(words[start:end])
    return rest if rest.strip() else words, tuple(dates[:MAX_DATES])
