"""Contradictions between two texts are found; similar texts that agree are not."""

import json
from pathlib import Path

import pytest

from promptx_mem.core import closeness, contradictions
from promptx_mem.core.contradictions import LONGEST, reason


def _pairs(name: str) -> list[list[str]]:
    """Read pairs of memories, the older first."""
    return [row.split("|") for row in (Path(__file__).parent / f"rows/{name}.txt").read_text("utf-8").splitlines()]


def test_most_contradictions_are_found() -> None:
    names = (
        ("conflicting", 0.2),
        ("conflicting_varied", 0.33),
        ("conflicting_distant", 0.39),
        ("conflicting_unfitted", 0.15),  # no weight is fitted to these and the next
        ("conflicting_unseen", 0.34),
        ("conflicting_dates", 0),
        ("conflicting_plain", 0),
    )
    for name, share in names:
        pairs = _pairs(name)
        missed = [pair for pair in pairs if not reason(pair[1], pair[0])]
        assert len(missed) <= len(pairs) * share, missed


def test_similar_texts_that_agree_are_rarely_reported() -> None:
    names = (("harmless", 0.01), ("harmless_varied", 0.015), ("harmless_distant", 0.01), ("events", 0.03))
    for name, share in (
        *names,
        ("harmless_unfitted", 0.02),
        ("harmless_unseen", 0.028),
        ("other_subjects", 0),
        ("harmless_plain", 0.025),
    ):
        pairs = _pairs(name)
        wrong = [(old, new, why) for old, new in pairs if (why := reason(new, old))]
        assert len(wrong) <= len(pairs) * share, wrong


def test_updates_are_found_beside_other_memories_on_the_same_thing() -> None:
    lines = (Path(__file__).parent / "rows/updates.jsonl").read_text("utf-8").splitlines()
    updates = [json.loads(line) for line in lines]  # no weight is fitted to these
    missed = [one for one in updates if not reason(one["newer"], one["older"])]
    assert len(missed) <= 0.55 * len(updates), missed
    near = [(one["newer"], other) for one in updates for other in one["others"]]
    wrong = [pair for pair in near if reason(*pair)]
    assert len(wrong) <= 0.1 * len(near), wrong


def test_a_reason_does_not_hide_the_new_value() -> None:
    assert reason("刘洋的婚礼因为场地问题改到十月。", "刘洋五月份结婚。")


def test_the_reason_names_both_values() -> None:
    assert reason("The API listens on port 9090", "The API listens on port 8080") == "number: 9090, not 8080"
    assert reason("备份间隔是 6 小时", "备份间隔是 12 小时") == "period: 6 小时, not 12 小时"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The geocoding quota is 10,000 calls per day.", "Geocoding: 10k calls a day is our quota."),
        ("A bulk upload is limited to 1,000,000 events.", "A bulk upload may contain up to 1 million events."),
        (
            "Landing page experiments need 5,000 visitors",
            "An experiment on the landing page needs five thousand visitors",
        ),
        ("晚高峰并发约 8000", "晚高峰并发八千左右"),
        ("没有工单不许发布。", "每次发布都要有工单。"),
        ("网关换成了 Envoy。", "网关换成 Envoy 之后延迟降了一半。"),
        ("主库 IP 是 192.168.1.10。", "从库 IP 是 192.168.1.11。"),
        ("Gift vouchers are valid for three years", "Gift vouchers are sold at the till and online"),
    ],
)
def test_same_value_rule_or_change_in_other_words_agrees(old: str, new: str) -> None:
    assert not reason(new, old)


def test_values_in_other_words_differ() -> None:
    assert reason("Geocoding: 20k calls a day is our quota.", "The geocoding quota is 10,000 calls per day.")
    assert reason("安全培训半年一次。", "安全培训每个季度一次。")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("牙医预约在下周二下午三点。", "牙医预约在下周五下午三点。"),
        ("大理的民宿订了三晚。", "大理的民宿订了五晚。"),
        ("露营带两顶帐篷", "露营带四顶帐篷"),
        ("The tent sleeps four people.", "The tent sleeps three people."),
        ("Guests bring their own towels.", "Guests needn't bring their own towels."),
    ],
)
def test_weekdays_of_a_week_counts_and_short_negations_differ(old: str, new: str) -> None:
    assert reason(new, old)


def test_noon_and_midnight_differ() -> None:
    assert reason("The backup runs at 12 pm every day", "The backup runs at 12 am every day")
    assert not reason("The backup runs at 12 am every day", "The backup runs at 0:00 every day")


def test_repeated_sentence_question_or_long_text_is_not_a_contradiction() -> None:
    old = "The API listens on port 8080"
    assert not reason(old + ".", old)
    assert not reason("Does the API listen on port 9090?", old)
    assert not reason("The API listens on port 9090. " + "x" * LONGEST, old)


def test_quick_check_hides_hardly_any_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = _pairs("conflicting") + _pairs("harmless")
    hidden = [pair for pair in pairs if not closeness.may_share_subject(pair[1], pair[0])]
    assert hidden
    monkeypatch.setattr(contradictions, "may_share_subject", lambda *_: True)
    assert sum(bool(reason(new, old)) for old, new in hidden) <= len(pairs) // 1000


def test_texts_on_different_subjects_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contradictions, "read", None)
    old = "The design team keeps customer invoices of last year beside the project budget"
    assert not reason("Each customer meeting begins with a short report on releases and the search cluster", old)
    old = "客户的合同和上一年的发票保存在项目预算旁边，设计组每周检查一次"
    assert not reason("每次客户会议开始时，先由搜索组报告上一周的发布和集群的检查结果", old)
