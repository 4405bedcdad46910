"""A person's decisions are heard, as whole sentences; questions, hypotheses, quotations and other people's are not."""

import pytest

from promptx_mem.hooks import first_look, prompt, requests
from tests.hooks import heard_table
from tests.hooks.decision_table import DECISIONS, OTHERS


def test_most_decisions_are_heard() -> None:
    missed = [said for said in DECISIONS if not (first_look.may_hold(said) and requests.read(said).decisions)]
    assert len(missed) <= len(DECISIONS) * 15 // 100, missed


def test_other_messages_hold_none() -> None:
    assert [said for said in OTHERS if requests.read(said).decisions] == []


def test_the_command_has_the_whole_sentence_and_the_score_of_a_decision() -> None:
    heard = requests.read("OK, we decided to use pnpm instead of npm. Now fix the build.")
    assert heard.decisions == ("we decided to use pnpm instead of npm",)
    said = prompt.instruction(heard, "s-1")
    assert "'we decided to use pnpm instead of npm'" in said
    assert "score:7" in said
    assert "--explicit" not in said


def test_no_printed_text_is_shorter_than_four_characters() -> None:
    assert not any(
        0 < len(text) < 4 for said in ("记住啊", "我姓章，立早章，记住啊") for text in requests.read(said).facts
    )


REQUESTS = (
    ("我姓章，立早章，记住啊", "我姓章，立早章"),
    ("Remember my name is Ann, and fix the failing test", "my name is Ann"),
    ("记住我姐姐叫安娜，然后帮我写周报", "我姐姐叫安娜"),
    ("always remember to run the linter", "always run the linter"),
    ("从现在起用中文回答", "从现在起用中文回答"),
    ("帮我记：门禁密码在前台", "门禁密码在前台"),
    ("将来会用到：发票抬头是海风", "发票抬头是海风"),
    ("强调一下，日志必须是 UTC", "日志必须是 UTC"),
    ("update your memory: the port is 5433", "the port is 5433"),
    ("you should know for next time: staging is eu-3", "staging is eu-3"),
    ("我对花生过敏，记住没", "我对花生过敏"),
    ("I'm allergic to nuts. Remember that.", "I'm allergic to nuts"),
)


@pytest.mark.parametrize(("said", "fact"), REQUESTS)
def test_a_request_is_the_whole_sentence_without_its_lead_and_without_a_task(said: str, fact: str) -> None:
    assert first_look.may_hold(said)
    assert requests.read(said).facts == (fact,)


def heard(said: str) -> requests.Requests:
    return requests.read(said) if first_look.may_hold(said) else requests.Requests()


def test_of_more_messages_nearly_all_decisions_and_requests_are_heard_and_nothing_else() -> None:
    missed = [said for said in heard_table.DECISIONS if not (heard(said).decisions or heard(said).facts)]
    assert len(missed) <= len(heard_table.DECISIONS) // 20, missed
    plain = str.maketrans("", "", " .。!！")
    wrong = [
        (said, heard(said).facts)
        for said, fact in heard_table.REQUESTS
        if [one.translate(plain).lower() for one in heard(said).facts] != [fact.translate(plain).lower()]
    ]
    assert len(wrong) <= len(heard_table.REQUESTS) // 20, wrong
    assert [said for said in heard_table.OTHERS if heard(said).facts or heard(said).decisions] == []
