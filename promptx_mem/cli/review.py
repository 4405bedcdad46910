"""`review --list` lists the reviews. `review ID keep|promote|delete` answers one, `--answers` several.

At a terminal, `review` asks about each pending review.
"""

import sys
from collections.abc import Callable

from promptx_mem import session as sessions
from promptx_mem.cli import terminal
from promptx_mem.cli.one_memory import line
from promptx_mem.cli.options import NONE_GIVEN, Argument, Common, Option, Word
from promptx_mem.cli.output import Verbatim, hints, local
from promptx_mem.core.directives import DECISIONS
from promptx_mem.core.text import NO_COMMAND, format_score, plural, printable, printable_lines, shorten
from promptx_mem.errors import UsageError
from promptx_mem.memory import Memory
from promptx_mem.record import Annotated
from promptx_mem.result import Result, complete
from promptx_mem.usecases import review as cases

_ASKED = {
    cases.UNSCORED: "no person has confirmed it: keep it?",
    "promotion": "so important that it should never end?",
    "fading": "still useful?",
    cases.CONTRADICTION: "which one is true?",
    cases.CITATION: "the files that it names have changed: keep it?",
}
SKIP = "skip"
_WORDS = {**DECISIONS, "跳过": SKIP, "s": SKIP, "k": "keep", "b": cases.BOTH, "p": "promote"}
"""Words for answers. No single letter ends a memory."""

MAX_BYTES = 1_000_000
_EXAMPLE = "usage: promptx-mem review --list --format prompt | <model> | promptx-mem review --answers -"
ANSWERS = ("keep", "promote", "delete", cases.BOTH, cases.NEWER, cases.OLDER)


def command(
    ident: Annotated[Word, Argument("The memory's id.", metavar="ID")] = None,
    answer: Annotated[Word, Argument("keep, promote or delete; for a contradiction: both, newer or older.")] = None,
    listed: Annotated[bool, Option("List pending reviews; at a terminal, all of them.", "--list")] = False,
    format_: Annotated[Word, Option("prompt: one prompt with as many questions as fit; default: text.")] = None,
    answers: Annotated[Word, Option("Answers, one JSON object per line; - for stdin.", metavar="FILE")] = None,
    common: Common = NONE_GIVEN,
) -> Result[cases.Review]:
    if format_ not in (None, "text", "prompt"):
        raise UsageError(f"--format {format_!r} is not known", hint="allowed: text, prompt")
    as_prompt = format_ == "prompt"
    memory = common.memory()
    if answers is not None:
        if ident is not None or listed or format_:
            raise UsageError("--answers cannot be combined with other options", hint=_EXAMPLE)
        return memory.answer_reviews(_text(answers))
    if ident is None:
        if not (listed or common.json) and not as_prompt and sessions.is_person():
            _ask(memory, lambda own: Memory.open(common.memory_dir, common.session, own))
        if as_prompt:
            return memory.reviews(as_prompt=True)
        return memory.reviews(every=listed and sessions.is_person())._replace(cut="reviews")
    if listed or format_ or answer is None:
        hint = f"usage: promptx-mem review <id> <{'|'.join(ANSWERS)}>"
        raise UsageError("give an ID and an answer", hint=hint)
    return memory.review(ident, answer)


def _text(name: str) -> str:
    """Return the text of a file, or of stdin. Raises UsageError if it cannot be read."""
    if name == "-":
        return terminal.read_stdin(MAX_BYTES, _EXAMPLE)
    try:
        with open(name, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", error)
        raise UsageError(f"--answers {shorten(name, 60)!r} cannot be read: {why}", hint=_EXAMPLE) from None
    if len(data) > MAX_BYTES:
        raise UsageError(f"{shorten(name, 60)} has more than {MAX_BYTES} bytes", hint=_EXAMPLE)
    return terminal.decoded(data, name)


def _ask(memory: Memory, opened: Callable[[str], Memory]) -> None:
    """Ask a person about today's reviews, except summaries. Each answer is applied immediately, except `skip`."""
    reviews = [item for item in memory.reviews().data["reviews"] if item["review"] != cases.SUMMARY]
    if not reviews:
        return
    from promptx_mem.cli.output import fitted, write
    from promptx_mem.cli.terminal import chosen

    for number, item in enumerate(reviews, 1):
        asked = item["id"], item["review"], item["other"]
        if all((one["id"], one["review"], one["other"]) != asked for one in memory.reviews().data["reviews"]):
            continue  # an earlier answer has settled this review
        write(local(f"{number} of {len(reviews)}  {item['id']}  importance {item['importance']:g}\n"))
        write(fitted(printable_lines(item["text"]) + "\n", sys.stdout))
        if item["correct"]:
            notes, correct = "; ".join(item["problems"]), local(f"  to correct it: {item['correct']}\n")
            write(fitted(f"{printable(local(notes))}\n{correct}", sys.stdout))
        answers: tuple[str, ...] = (
            ("keep", "promote", "delete") if item["review"] == "promotion" else ("keep", "delete")
        )
        if item["other"]:
            newer, answers = local(f"newer, {(item['other_at'] or '')[:10]}: "), (cases.BOTH, cases.NEWER, cases.OLDER)
            write(fitted(printable_lines(f"{newer}{item['other_text']}\n"), sys.stdout))
        answer = chosen(_ASKED[item["review"]], (*answers, SKIP), _WORDS)
        if answer != SKIP:
            done = opened(item["scope"]).review(item["id"], answer).data
            write(fitted(as_text(complete(cases.Review, done)), sys.stdout))


def as_text(data: cases.Review) -> str:
    if data["answers"]:
        return "".join(map(_answer, data["answers"]))
    if data["decision"]:
        end = "" if data["lives"] or data["note"] else "; it has ended"
        return line("🧠", data, f"{data['review']} review: {data['decision']}{end}") + _ended(data["note"])
    if not (data["reviews"] or data["prompt"]):
        due = "" if data["as_prompt"] else _due(data)
        return (_more(data) + due) or local("no pending reviews\n")
    if data["as_prompt"]:
        return Verbatim(data["prompt"])
    return "".join(_question(item) for item in data["reviews"]) + _more(data) + _due(data)


def _more(data: cases.Review) -> str:
    after = ", after you answer these" * bool(data["reviews"])
    now = "; to answer them now: promptx-mem review --list" * sessions.is_person()
    more = f"{NO_COMMAND}{plural(data['more'], 'more pending review')}: on another day{after}{now}\n"
    return local(more) if data["more"] else ""


def _due(data: cases.Review) -> str:
    so = "if so" if sessions.is_person() else "if so, the user can run"
    return "".join(
        f"{NO_COMMAND}{item['id']}  "
        + local(f"score {format_score(item['score'])}, {item['days']} days old: is it still true?")
        + f"  {shorten(item['text'], 60)}\n"
        + local(f"  {so}: promptx-mem verify {item['id']}\n  if not: promptx-mem forget {item['id']}\n")
        for item in data["due"]
    )


def _answer(item: cases.Answer) -> str:
    if item["ok"]:
        return f"🧠 {item['id']}  {local(item.get('decision') or '')}\n{_ended(item.get('note'))}"
    head = f"🚫 {printable(item['id']) or local('an answer')}  {local(item.get('error') or '')}\n"
    return head + hints(item.get("hint") or "")


def _ended(note: str | None) -> str:
    return "".join(local(f"   {row}\n") for row in (note or "").splitlines())


def _question(item: cases.Question) -> str:
    if item["review"] == cases.SUMMARY:
        return f"{NO_COMMAND}{item['id']}  {local('needs a summary')}  {shorten(item['text'], 60)}\n" + local(
            "  to print the messages and the question: promptx-mem review --list --format prompt\n"
        )
    if item["other"]:
        shown = shorten(item["text"], 60), shorten(item["other_text"] or "", 60)
        older = local(f"older: see {item['other']}")
        return (
            f"{NO_COMMAND}{item['other']}  {(item['other_at'] or '')[:10]}  {shown[1]}\n"
            f"{NO_COMMAND}{item['id']}  {item['at'][:10]}  {shown[0]}  [{older}]\n"
            + local(f"  which is true? both, newer or older: promptx-mem review {item['id']} both\n")
        )
    answers = "promote, keep or delete" if item["review"] == "promotion" else "keep or delete"
    question, correct = "  ".join(map(local, (_ASKED[item["review"]], f"importance {item['importance']:g}"))), ""
    if item["review"] == cases.CITATION:
        question, correct = printable(local("; ".join(item["problems"]))), f"  to correct it: {item['correct']}\n"
    return f"{NO_COMMAND}{item['id']}  {question}  {shorten(item['text'], 60)}\n" + local(
        f"  {answers}: promptx-mem review {item['id']} keep\n{correct}"
    )
