"""What is written in several ways: abbreviations, what they stand for, and words that differ between regions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from promptx_mem.core.text import pattern
from promptx_mem.search.folding import contains, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_GROUPS = """
k8s, kubernetes; pg, psql, postgres, postgresql; i18n, internationalization, internationalisation, 国际化;
l10n, localization, localisation, 本地化; a11y, accessibility, 可访问性, 无障碍; o11y, observability, 可观测性;
ci, continuous integration, 持续集成; cd, continuous delivery, continuous deployment, 持续交付, 持续部署;
db, database, databases, 数据库; pr, pull request, pull requests, 合并请求; mr, merge request, 合并请求;
ml, machine learning, 机器学习; ai, artificial intelligence, 人工智能; llm, large language model, 大语言模型, 大模型;
nlp, natural language processing, 自然语言处理; osm, openstreetmap; rps, qps, requests a second, requests per second;
ts, typescript; js, javascript; py, python; rb, ruby; cpp, c++; gh, github; gl, gitlab; vscode, visual studio code;
aws, amazon web services; gcp, google cloud; tf, terraform; mq, message queue, 消息队列;
mongo, mongodb; ui, user interface, 用户界面, 界面; ux, user experience, 用户体验; frontend, front end, 前端;
backend, back end, 后端; env, environment, environments, 环境; prod, production, 生产环境, 线上; stg, staging;
dev, development; repo, repository, repositories, 仓库; config, configuration, 配置; auth, authentication, 认证;
authz, authorization, authorisation, 授权; perf, performance, 性能; docs, documentation, 文档; deps, dependencies, 依赖;
admin, administrator, 管理员; app, application, 应用; apps, applications; info, information; doc, document;
sso, single sign-on, 单点登录; mfa, 2fa, multi-factor, two-factor, 双因素, 两步验证; tls, ssl, https;
os, operating system, 操作系统; vm, virtual machine, 虚拟机; lb, load balancer, 负载均衡; sla, service level;
oncall, on-call, 值班; eta, estimated time; pto, vacation, annual leave, 年假; wfh, work from home, 在家办公, 居家办公;
hr, human resources, 人事; qa, quality assurance, 测试; product manager, 产品经理; ceo, chief executive, 首席执行官;
cto, chief technology officer, 技术总监; kpi, key performance indicator; okr, objectives and key results; roi;
mvp, minimum viable product; poc, proof of concept, 概念验证; rfc, request for comments; adr, decision record;
bday, birthday, 生日; tel, telephone, phone, 电话; addr, address, 地址; appt, appointment, 预约; dept, department, 部门;
mtg, meeting, 会议; mgr, manager, 经理; govt, government; uni, university, 大学; dob, date of birth, 出生日期;
双11, 双十一; 双12, 双十二; 618, 六一八; 五一, 劳动节; 十一, 国庆; 高铁, 高速铁路; 北大, 北京大学; 清华, 清华大学;
资料, 数据; 汇出, 导出; 汇入, 导入; 软体, 软件; 硬体, 硬件; 程式, 程序; 网路, 网络; 伺服器, 服务器; 预设, 默认;
档案, 文件; 列印, 打印; 萤幕, 屏幕; 资讯, 信息; 使用者, 用户; 品质, 质量; 影片, 视频; 滑鼠, 鼠标; 行动电话, 手机;
计程车, 出租车;
q1, first quarter, 1st quarter, 第一季度, 一季度; q2, second quarter, 2nd quarter, 第二季度, 二季度;
q3, third quarter, 3rd quarter, 第三季度, 三季度; q4, fourth quarter, 4th quarter, 第四季度, 四季度;
暑假, 夏季假期, 暑期, summer holidays, summer vacation; 寒假, 冬季假期, winter holidays, winter vacation;
三分之一, one third; 三分之二, two thirds; 四分之一, one quarter; 四分之三, three quarters; 二分之一, one half;
spring, 春天, 春季; summer, 夏天, 夏季; autumn, fall, 秋天, 秋季; winter, 冬天, 冬季
"""

_WORD = r"[0-9a-z+]+(?:-[0-9a-z+]+)*"
_QUARTER = r"(?<=[0-9])(?=q[1-4](?![0-9a-z]))"
_MOST_WORDS = 4

_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", 1)}
_NUMERAL = "[1-9][0-9]?|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_PARTS = f"(百|{_NUMERAL})分之({_NUMERAL})"
_SHARE = r"(?<![0-9./])(?:([1-9][0-9]?)/([1-9][0-9]?)(?![0-9./])|([1-9][0-9]?) ?%)"

Group = tuple[str, ...]
"""Spellings that mean the same."""


def variants(lower: str, groups: Iterable[Group] = ()) -> Iterator[str]:
    """Yield what the words of a folded, lower-case text are written like otherwise; `groups` are the user's own."""
    spaced, dense = _tables()
    if "q" in lower:
        lower = pattern(_QUARTER).sub(" ", lower)
    spellings: dict[str, None] = {}
    words = lower.split() if lower.isascii() and lower.replace(" ", "").isalnum() else pattern(_WORD).findall(lower)
    for size in range(1, _MOST_WORDS + 1):
        for start in range(len(words) - size + 1):
            phrase = " ".join(words[start : start + size])
            for spelling in spaced.get(phrase, ()):
                spellings[spelling] = None
    if not lower.isascii():
        for phrase, group in dense:
            if phrase in lower:
                spellings |= dict.fromkeys(group)
    spellings |= dict.fromkeys(_shares(lower))
    for group in (tuple(fold(spelling).lower() for spelling in own) for own in groups):
        if any(contains(lower, spelling) for spelling in group):
            spellings |= dict.fromkeys(group)
    yield from (spelling for spelling in spellings if spelling not in lower)


def _shares(lower: str) -> Iterator[str]:
    """Yield shares in the other script: 五分之三 for 3/5, 12% for 百分之十二."""
    if "分之" in lower:
        for whole, part in pattern(_PARTS).findall(lower):
            yield f"{_number(part)}%" if whole == "百" else f"{_number(part)}/{_number(whole)}"
    if "/" in lower or "%" in lower:
        for part, whole, percent in pattern(_SHARE).findall(lower):
            yield f"百分之{_numeral(percent)}" if percent else f"{_numeral(whole)}分之{_numeral(part)}"


def _number(numeral: str) -> int:
    if numeral.isdecimal():
        return int(numeral)
    tens, ten, ones = numeral.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def _numeral(number: str) -> str:
    tens, ones = divmod(int(number), 10)
    digits = "", *_DIGITS
    return f"{digits[tens] if tens > 1 else ''}十{digits[ones]}" if tens else digits[ones]


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], list[tuple[str, tuple[str, ...]]]]:
    groups = [[word.strip() for word in group.split(",")] for group in _GROUPS.split(";")]
    table = as_table(groups)
    return table, [(phrase, group) for phrase, group in table.items() if not phrase.isascii()]


def as_table(groups: Iterable[list[str]]) -> dict[str, tuple[str, ...]]:
    """Return for each spelling the others of its groups."""
    out: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for spelling in group:
            out[spelling] = out.get(spelling, ()) + tuple(variant for variant in group if variant != spelling)
    return out
