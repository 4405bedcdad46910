"""Half a year with a memory as a person and an agent use it: the facts of `.memory.example` and more, always the same.

python -m tests.view.half_year DIRECTORY
"""

import datetime
import random
import sys
from pathlib import Path

import pytest

from tests import example_store
from tests.api import Cues, Memory, Message, PromptxMemError, Request, layout

DAYS = 183
NOW = datetime.datetime(2026, 11, 20, 10, 30, tzinfo=datetime.timezone(datetime.timedelta(hours=8)))
START = NOW - datetime.timedelta(days=DAYS)

MORE: tuple[tuple[str, dict[str, object]], ...] = (
    ("检索的响应时间目标是 100 毫秒 #性能 score:8", {"topic": "project->search"}),
    ("The search index is rebuilt at 03:00 every night #search score:7.5", {"topic": "project->search"}),
    ("中文分词用二元组，不用词典 #检索 #设计 score:8.5", {"topic": "project->search", "type": "project"}),
    ("Pagination uses cursors, never offsets #api score:8", {"topic": "project->api", "type": "project"}),
    ("API errors carry a code, a message and a way out #api #style score:8.5", {"topic": "project->api"}),
    ("对外接口的字段一律用 snake_case #规范 #api score:8", {"topic": "project->api", "type": "feedback"}),
    ("The web client must work at 360 px #web score:8", {"topic": "project->web", "type": "feedback"}),
    ("页面不要用弹窗，用户明确说过 #web #用户偏好 score:9", {"topic": "project->web", "type": "user", "verified": True}),
    ("Colours come from the tokens in apps/web/tokens.css #web score:7.5", {"topic": "project->web"}),
    ("备份每天一次，保留 30 天，恢复演练每季度一次 #运维 score:9", {"topic": "project->ops", "type": "project"}),
    ("The pager is silent from 22:00 to 07:00 but for the database #oncall score:7.5", {"topic": "project->ops"}),
    ("监控面板在 grafana 的 team-a 目录 #运维 score:7.2", {"topic": "project->ops", "type": "reference"}),
    ("Migrations run before the new code is live #deploy #database score:9", {"topic": "project->deploy"}),
    ("回滚脚本在 scripts/rollback.sh，先在预发环境试 #部署 score:8.5", {"topic": "project->deploy"}),
    ("小明下午三点以后不开会 #用户偏好 score:7.5", {"type": "user"}),
    ("The user reads diffs before prose #preference score:8", {"type": "user"}),
    ("用户希望先给结论，再给理由 #用户偏好 #风格 score:9", {"type": "user", "verified": True}),
    ("Commit subjects are imperative and below 72 characters #git #style score:8", {"type": "feedback", "verified": True}),
    ("主人周末喜欢爬山，去过峨眉山和黄山 #偏好 score:7", {"type": "user"}),
    ("The customer demo uses the account demo@2026-q3 #demo score:7 duration:3w", {"type": "project"}),
    ("sprint 18 的目标是离线可用 #冲刺 score:7 duration:2w", {"type": "project"}),
    ("Li Wei reviews everything that touches payments #team score:8", {"type": "project"}),
    ("测试数据不得含真实手机号 #规范 #安全 score:9.2 duration:永久", {"type": "feedback"}),
    ("Rust is used for the parser, Python for the rest #architecture score:8", {"topic": "project->parser"}),
    ("解析器的模糊测试在 CI 里跑 10 分钟 #CI/CD #测试 score:7.5", {"topic": "CI/CD->limits"}),
    ("Flaky tests are quarantined for a week, then deleted or mended #CI/CD score:8", {"topic": "CI/CD->flaky"}),
    ("The staging certificate expires on 2027-02-01 #ops score:8 duration:2027-02-01", {"topic": "project->ops"}),
    ("和支付组约好每月第一个周二对账 #会议 score:7.5", {"type": "project"}),
    ("The user is learning Japanese and likes examples in it #user score:7", {"type": "user", "source": "background_ai"}),
    ("文档先写英文，再译成中文 #文档 #流程 score:7.8", {"type": "feedback"}),
)  # fmt: skip


def build(root: Path) -> Path:
    """Make the store, as a person who verifies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("promptx_mem.session.is_person", lambda: True)
        return _build(root)


def _build(root: Path) -> Path:
    moment = START
    chance = random.Random(183)

    def memory() -> Memory:
        return Memory(layout.at(str(root)), "half-year", clock=lambda: moment)

    plan = [(days / 550 * DAYS, text, options) for days, text, options in example_store.FACTS if "2025-" not in text]
    plan += [((number + 0.5) / len(MORE) * DAYS, text, options) for number, (text, options) in enumerate(MORE)]
    memory().init()
    ids: list[str] = []
    last = 0.0
    for days, text, options in sorted(plan, key=lambda one: one[0]):
        for use in range(int((days - last) * 0.9)):
            moment = START + datetime.timedelta(days=last + use + 1, hours=chance.uniform(-8, 3))
            _use(memory(), chance, ids)
        last = days
        moment = START + datetime.timedelta(days=days)
        ids.append(memory().remember(Request(text, explicit="category" in options, **options)).data["id"])  # type: ignore[arg-type]
    moment = NOW - datetime.timedelta(days=2)
    old = next(ident for ident in ids if _text(memory(), ident) == "小明换到了平台组")
    new = memory().remember(Request("小明换到了基础设施组 #用户信息 score:8.8", update=old)).data["id"]
    memory().verify(new)
    memory().converse([Message("user" if turn % 2 == 0 else "assistant", TALK[turn % len(TALK)]) for turn in range(36)])
    try:
        memory().remember(Request("maybe lunch at noon #x score:2"))
    except PromptxMemError:
        moment = NOW
    return root


TALK = (
    "下次发布什么时候？", "周二，周五不发版。", "and who reviews the payment change?", "Li Wei, as for everything that touches payments.",
    "把结论写在前面。", "好的，先写结论，再写理由。",
)  # fmt: skip


def _use(memory: Memory, chance: random.Random, ids: list[str]) -> None:
    """One day: something is recalled and used, now and then something is confirmed or let go."""
    if not ids:
        return
    ident = ids[min(int(chance.expovariate(0.12)), len(ids) - 1)]
    try:
        memory.recall(Cues(text=_text(memory, ident), count=1))
        if chance.random() < 0.35:
            memory.boost(ident)
        if chance.random() < 0.04:
            memory.forget(chance.choice(ids[len(ids) // 2 :]), "it was done")
    except PromptxMemError:
        return  # it has ended by now


def _text(memory: Memory, ident: str) -> str:
    return str(memory.recall(Cues(text=ident, touch=False)).data["memories"][0]["text"])


if __name__ == "__main__":
    build(Path(sys.argv[1]))
