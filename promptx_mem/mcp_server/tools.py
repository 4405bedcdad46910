"""The MCP tools. Each takes the arguments of a call, calls methods of Memory, and returns one object."""

import contextlib
import json
import math
import os
import re
from collections.abc import Mapping
from functools import partial

from promptx_mem import session
from promptx_mem.core.state import OWN
from promptx_mem.core.text import printable
from promptx_mem.errors import PromptxMemError, UsageError
from promptx_mem.mcp_server import answers
from promptx_mem.mcp_server.answers import BUDGET, Answer
from promptx_mem.mcp_server.catalogue import TOOLS, Schema
from promptx_mem.memory import Memory
from promptx_mem.record import TYPE_CHECKING, Any, cast
from promptx_mem.store.disk import disk_errors
from promptx_mem.usecases import context
from promptx_mem.usecases.recall import Cues
from promptx_mem.usecases.recall.meaning import Meaning

if TYPE_CHECKING:
    from promptx_mem.usecases.export import FullMemory

Arguments = Mapping[str, Any]

_TURN = "x-codex-turn-metadata"
"""Key in the metadata of Codex's MCP calls. Its value contains the session id that Codex also passes to hooks."""

_BETWEEN = {"tags": r"[\s,，、;；]+", "directives": r"\n"}
"""Separators in a list sent as one string, by argument. Other arguments use line ends, semicolons, or `, `."""


def read(tool: str, arguments: Arguments) -> dict[str, Any]:
    """Return the arguments of a tool by name, without empty ones, as their types. Raises UsageError for a wrong one."""
    table = TOOLS[tool]
    out: dict[str, Any] = {}
    for name, value in arguments.items():
        if name not in table.arguments:
            names = ", ".join(table.arguments)
            raise UsageError(f"{tool} has no argument {name[:40]!r}", hint=f"its arguments: {names}")
        if value is not None and value != "":
            out[name] = _value(name, value, table.arguments[name])
    for name in table.required:
        if name not in out:
            raise UsageError(f"{tool} needs {name}", hint=f"{name}: {table.arguments[name]['description']}")
    return out


def _value(name: str, value: Any, schema: Schema) -> Any:
    kind = "texts" if "anyOf" in schema else schema["type"]
    if kind in ("texts", "array"):
        return _texts(name, value) if kind == "texts" else _objects(name, value)
    if kind == "boolean":
        word = str(value).lower()
        if word not in ("true", "1", "yes", "false", "0", "no"):
            raise _wrong(name, "true or false")
        return word in ("true", "1", "yes")
    if not _is_word(value):
        raise _wrong(name, "a number" if kind == "number" else "a text")
    if kind == "number":
        return _number(name, value)
    value = str(value)
    if "enum" in schema and value not in schema["enum"]:
        raise _wrong(name, f"one of {', '.join(schema['enum'])}")
    return value


def _number(name: str, value: Any) -> Any:
    if name == "score":  # `remember` also reads 8分
        return value
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _wrong(name, "a number") from None
    if name not in ("count", "budget"):
        return number
    if not 1 <= number < math.inf:
        raise _wrong(name, "a number of 1 or more")
    return min(int(number), _MAXIMUM)


def _wrong(name: str, kind: str) -> UsageError:
    return UsageError(f"{name} must be {kind}")


def _is_word(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _texts(name: str, value: Any) -> list[str]:
    """Return a list of texts. A single string is split at the separators of the argument `name`."""
    value = _parsed(value, list)
    if isinstance(value, str):
        return list(filter(str.strip, re.split(_BETWEEN.get(name, r"\s*[\n;；]\s*|,\s+"), value)))
    if not isinstance(value, list) or not all(map(_is_word, value)):
        raise _wrong(name, "a list of texts")
    return list(map(str, value))


def _objects(name: str, value: Any) -> list[dict[str, Any]]:
    """Return a list of objects. A single object is put into a list. A string becomes the `text` of an object."""
    value = _parsed(value, list | dict)
    items = [value] if isinstance(value, dict | str) else value
    if not isinstance(items, list) or not all(isinstance(item, dict | str) for item in items):
        raise _wrong(name, "a list of objects")
    return [{"text": item} if isinstance(item, str) else item for item in items]


def _parsed(value: Any, kind: Any) -> Any:
    """Parse a list or object that a client sent as JSON text. Return any other value unchanged."""
    if isinstance(value, str) and value.strip()[:1] in ("[", "{"):
        with contextlib.suppress(ValueError, RecursionError):
            parsed = json.loads(value)
            return parsed if isinstance(parsed, kind) else value
    return value


_MAXIMUM = 1_000_000
LISTED = 20
MOST = 50
"""Maximum number of facts in one call, and of ids in one answer."""

_DRY = {"dry_run": True}
"""Field in the answer of a dry run, which stores nothing."""


class Tools:
    """The tools of one server process. The process counts as one session, unless the host passes a session name."""

    def __init__(self, directory: str | None = None) -> None:
        self.directory = directory
        is_named = any(os.environ.get(name, "").strip() for name in session.VARIABLES)
        self.session = None if is_named else f"{session.UNNAMED}{os.urandom(5).hex()}"
        self._memory: Memory | None = None
        self.meaning = Meaning()

    def compute_vectors(self) -> bool:
        """Compute some of the missing vectors for the search by meaning. Return whether more are missing."""
        with contextlib.suppress(PromptxMemError, OSError):
            return self.meaning.step(Memory.open(self.directory, self.session).context)
        return False

    def call(self, tool: str, arguments: Arguments, meta: Mapping[str, Any] | None = None) -> tuple[Answer, bool]:
        """Return a tool's answer, and whether it is an error. `meta` is the metadata that the client sent."""
        if self.session is not None:
            self.session = _session_of(meta or {}) or self.session
        try:
            with disk_errors():
                answer = getattr(self, tool)(read(tool, arguments))
                contexts = self._memory.context.both() if self._memory is not None else ()
                if losses := context.losses(contexts, answers.RESTORE_LOST):
                    answer["notes"] = [*answer.get("notes", ()), *losses]
                return answers.clean(answer), "error" in answer
        except PromptxMemError as error:
            return answers.error(error), True
        except Exception as error:  # noqa: BLE001 - a bug must reach the client as an error
            message = f"a bug in promptx-mem ({type(error).__name__})"
            return {"error": {"code": "internal", "message": message, "fix": answers.NO_FIX}}, True

    def memory(self, arguments: Arguments, *, writes: bool = False) -> Memory:
        """Return the stores for a call. A write with `scope` "user" creates the user store if it does not exist."""
        scope = arguments.get("scope")
        if writes and scope == "user":
            self._memory = Memory.open_user(self.directory, self.session)
        else:
            self._memory = Memory.open(self.directory, self.session, scope, writes=writes)
        return self._memory

    def recall(self, arguments: Arguments) -> Answer:
        memory, budget = self.memory(arguments), arguments.get("budget", BUDGET)
        cues = Cues(
            text=arguments.get("query", ""),
            otherwise=tuple(arguments.get("or", ())),
            topics=tuple(arguments.get("topics", ())),
            dates=tuple(arguments.get("dates", ())),
            archived=arguments.get("archived", False),
            min_score=arguments.get("min_score"),
            count=arguments.get("count", 10),
            budget=budget,
            form=lambda result: answers.text(answers.clean(answers.memories_in_words(result))),
            lenient=True,
            meaning=self.meaning.encode is not None,
            stored_vectors=True,
            **_filters(arguments),
        )
        result = memory.recall(cues)
        if result.data["left_out"] and not result.data["memories"]:
            return answers.memories(memory.recall(cues._replace(budget=None, touch=False)), budget)
        return answers.memories_in_words(result)

    def list(self, arguments: Arguments) -> Answer:
        memory = self.memory(arguments)
        count = arguments.get("count", LISTED)
        order, topic = arguments.get("order"), arguments.get("topic")
        cues = Cues(
            topics=(topic,) if topic else (),
            newest=order == "newest",
            count=_MAXIMUM if order == "fading" else count,
            touch=False,
            messages=False,
            **_filters(arguments),
        )
        result = memory.recall(cues)
        if order == "fading":
            ending = (item for item in result.data["memories"] if item["ends_at"])
            found = sorted(ending, key=lambda item: (item["ends_at"] or "", item["id"]))
            left = max(len(found) - count, 0)
            result = result._replace(data={**result.data, "memories": found[:count], "left_out": left})
        return answers.memories(result, arguments.get("budget", BUDGET))

    def get(self, arguments: Arguments) -> Answer:
        found = cast("FullMemory", self.memory(arguments).show(arguments["id"]).data["memories"][0])
        history = [answers.memory(item) for item in found["history"]]
        return answers.one(answers.memory(found, whole=True), history, arguments.get("budget", BUDGET))

    def remember(self, arguments: Arguments) -> Answer:
        facts = arguments.get("facts")
        if facts is None:
            return self._stored(arguments)
        if "text" in arguments:
            raise UsageError("`text` and `facts` cannot be combined")
        if not 1 <= len(facts) <= MOST:
            raise UsageError(f"facts has {len(facts)} items", hint=f"give 1 to {MOST} in one call")
        common = {name: value for name, value in arguments.items() if name != "facts"}
        items: list[Answer] = []
        for fact in facts:
            try:
                with disk_errors():
                    items.append(self._stored({**common, **read("remember", fact)}))
            except PromptxMemError as error:
                items.append({"text": str(fact.get("text", ""))[:60], **answers.error(error)})
        if all("error" in item for item in items):
            failed = UsageError("none of the facts was stored", code="none_stored")
            return answers.outcomes(items, lambda item: "error" in item, answers.error(failed))
        return answers.stored(items, _DRY if arguments.get("dry_run") else {})

    def _stored(self, arguments: Arguments) -> Answer:
        """Store a fact. If a store was created for it, the answer has the store's full path."""
        from promptx_mem.core.request import Request

        if "text" not in arguments:
            raise UsageError("text is missing", code="no_text")
        memory = self.memory(arguments, writes=True)
        score = arguments.get("score")
        words = ("duration", "dims", "reason", "topic", "type", "category", "update")
        fields: dict[str, Any] = {name: arguments.get(name) for name in words}
        fields |= {name: tuple(arguments.get(name, ())) for name in ("tags", "related", "aka")}
        fields |= {name: arguments.get(name, False) for name in ("explicit", "dry_run")}
        request = Request(
            text=arguments["text"],
            score=None if score is None else str(score),
            user=arguments.get("scope") == "user",
            session=self.session,
            **fields,
        )
        result = memory.remember(request)
        data = result.data
        out: Answer = {key: data[key] for key in ("id", "verdict", "score", "duration")}
        if request.dry_run:
            out |= _DRY
        if conflicts := data.get("conflicts"):
            way = "if the new fact replaces it, call remember with the new fact and update: "
            out["conflicts"] = [{**one, "command": way + one["id"]} for one in conflicts]
        if alike := data.get("alike"):
            out["alike"] = [
                {"id": item["id"], "at": item["at"], "text": item["text"]}
                | ({} if item["origin"] == OWN else {"origin": item["origin"]})
                for item in alike
            ]
        out |= answers.new_store(data)
        if noted := list(filter(None, map(answers.in_words, result.warnings))):
            out["notes"] = noted
        return out

    def change(self, arguments: Arguments) -> Answer:
        memory, ident, reason = self.memory(arguments), arguments["id"], arguments.get("reason")
        is_lost = ident.strip() == answers.LOST
        result: Any
        if arguments["action"] == "boost":
            result = memory.boost(ident)
        elif arguments["action"] == "restore":
            result = memory.restore_lost() if is_lost else memory.restore(ident)
        else:
            result = memory.forget_lost(reason) if is_lost else memory.forget(ident, reason)
        data = result.data
        if is_lost:
            return {"ids": data["ids"][:MOST], "count": len(data["ids"])}
        out = {key: data[key] for key in ("id", "importance", "lives") if data.get(key) is not None}
        for key, short in (("text", answers.first_words), ("note", answers.in_words)):
            if data.get(key):
                out[key] = short(data[key])
        return out

    def review(self, arguments: Arguments) -> Answer:
        memory = self.memory(arguments)
        if "answers" in arguments:
            if "id" in arguments or "decision" in arguments or not arguments["answers"]:
                hint = "give one answer in `answers` for each listed id, and omit `id` and `decision`"
                raise UsageError("`answers` is empty, or combined with `id` or `decision`", hint=hint)
            items = cast("list[Answer]", memory.answer_reviews(arguments["answers"]).data["answers"])
            return answers.outcomes([answers.answered(item) for item in items], lambda item: not item["ok"], {})
        if "id" not in arguments:
            ask = partial(memory.reviews, as_prompt=True, how=answers.HOW)
            return answers.questions(lambda room: ask(room=room).data, arguments.get("budget", BUDGET))
        if "decision" not in arguments:
            hint = "decision must be one of keep, promote, delete, both, newer, older"
            raise UsageError("review of one memory needs decision", hint=hint)
        data = memory.review(arguments["id"], arguments["decision"]).data
        return {key: data[key] for key in ("id", "decision", "lives", "category")}

    def converse(self, arguments: Arguments) -> Answer:
        from promptx_mem.core.slices import Message
        from promptx_mem.usecases.monitor import ask_later

        turns = arguments["turns"]
        for turn in turns:
            if turn.get("role") not in ("user", "assistant") or not isinstance(turn.get("text"), str):
                hint = "role must be user or assistant; text is the message"
                raise UsageError("a message needs role and text", hint=hint)
        memory = self.memory(arguments)
        data = memory.converse([Message(turn["role"], turn["text"]) for turn in turns]).data
        ask_later(memory.context)
        out: Answer = {"added": data["added"], "waiting": data["waiting"], **answers.new_store(data)}
        if rolled := data.get("rolled"):
            out["rolled"] = [{"id": item["id"], "text": answers.first_words(item["text"])} for item in rolled]
        return out

    def monitor(self, arguments: Arguments) -> Answer:
        data = self.memory(arguments).monitor(arguments["directives"]).data
        short = dict.fromkeys(("outcome", "op", "id", "text"), answers.first_words) | {"message": answers.in_words}
        items = [
            {key: words for key, words_of in short.items() if (words := words_of(item.get(key) or ""))}
            for item in cast("list[Answer]", data["items"])
        ]
        return answers.outcomes(items, lambda item: item["outcome"] == "failed", answers.new_store(data))


def _filters(arguments: Arguments) -> dict[str, Any]:
    named = {name: arguments.get(name) for name in ("since", "until", "type", "category")}
    return {**named, "tags": tuple(arguments.get("tags", ()))}


def _session_of(meta: Mapping[str, object]) -> str | None:
    """Return the session name in an MCP call's metadata, or None. Environment variables are not read."""
    turn = meta.get(_TURN)
    ident = turn.get("session_id") if isinstance(turn, dict) else None
    return printable(ident.strip())[: session.MAX_LENGTH] or None if isinstance(ident, str) else None
