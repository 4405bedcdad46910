"""How much of a question a memory answers, on a scale that compares between questions: below a floor it is *weak*.

A score is the share of the question's words that a memory has, whatever these words are; of a prompt that has nothing
to do with the store some word is in it all the same. Words that are in every other sentence of a language, single
characters of a script without spaces, and pairs with a particle in them say little by themselves: they count a part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptx_mem.search.lexicon import STOP_WORDS
from promptx_mem.search.ranking import ALL, CHARACTER, COMMON, COMMON_CHARACTER, LEAST, WEAK
from promptx_mem.search.tokens import is_dense, is_sign

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from promptx_mem.search.query import Query

FUNCTION = 0.1
"""What a function word counts, if nothing else was asked for."""

_SHORT = 3

_COMMON = """
able act actually add age ago agree already always answer anything area around article ask away back bad basic become
begin believe best better big bit black blue body book box boy bring build business buy call calm car care case cause
center century certain chance change character check child choose city class clear close code cold color colour come
common compare complete compose consider convert cook cost could count country course cover create cut dark date day
days deal decide deep define describe detail develop difference different difficult discover discuss do does doing
done draw dream drink drive early earth easy eat edit else end english enough enter entire etc even ever every
everyone everything example exist expect explain eye face fact fall family far fast feel few field figure fill final
find fine finish first fix follow food form found free friend full fun function funny future game general generate get
girl give glad go going good got great green group grow guess guy hand happen happy hard hate head hear hello help hey
high hint history hit hold home hope hot hour house how human idea implement important improve inside instead
interesting invent job join just keep kid kill kind king know language large last late later laugh learn least leave
left less let letter level lie life light like line list listen little live lol long look lose lot love low made main
make man many matter maybe mean meaning men method middle might mind minute miss moment money month more morning
mother move movie much music name near need never new next nice night no nothing number off often ok okay old one ones
open order others page paint paper paragraph part party past pay people perfect perhaps person pick picture piece
place plan play please poem point poor popular possible power present pretty problem proofread proper prove provide
public put question quick quite quickly random reach read ready real really reason recipe red regular remember rest
result return rewrite rid right road room round rule run safe say scene school second see seem send sense sentence set
seven several short should show side simple simply since single sit six size sleep slow small snow some someone
something song soon sorry sort sound speak stand start state stay step still stop story strong student study stuff
suggest summarize sun sure table take talk teach tell ten terms test text thank thanks thing things think three
through time times tiny today together tomorrow tonight too top total town translate travel tree trick true try turn
two type understand use used useful usual usually verse very view visit voice wait walk want war warm was watch water
way weather week weekend well went white whole wide win wind wish woman women wonder word words work working world
worry write wrong year years yes yesterday young zero script
loop four five eight nine eleven twelve hundred thousand million biggest largest smallest highest longest fastest
一个 一些 一下 一次 一种 一样 一起 一点 一天 一年 一直 一定 两个 三个 几个 这个 那个 每个 多个 个人 时间 时候 今天
明天 昨天 晚上 早上 上午 下午 中午 现在 以后 以前 之后 之前 最近 东西 事情 问题 方法 办法 方式 情况 内容 部分 地方
名字 意思 原因 结果 作用 过程 关系 区别 例子 类型 代码 函数 程序 数据 文件 文本 字符 变量 语言 单词 句子 文章 故事
电影 音乐 写一 一首 一段 一篇 一封 帮我 给我 告诉 解释 说明 推荐 翻译 计算 生成 使用 用的 的是 是的 的时 怎么 什么
为什 如何 是否 可以 应该 需要 想要 喜欢 觉得 知道 开始 结束 继续 好的 谢谢 你好 再见 不错 很好 太好 好吃 好看 简单
容易 困难 重要 主要 基本 不同 相同 大家 我们 你们 他们 自己 别人 朋友 老师 学生 孩子 世界 国家 中国 城市 生活 工作
学习 学校 公司 出来 起来 下来 上去 出去 回来 进行 成为 得到 看到 听到 说话 里有 有一 的人 的话 的一 了一
最大 最小 最多 最少 最好 最差 最高 最低 最长 最短 最快 最早 最新
"""
COMMON_WORDS = frozenset(_COMMON.split())
"""Words of every other sentence, and of prompts that have nothing to do with a memory."""

_COMMON_CHARACTERS = frozenset(
    """
一七万三上下不与且世业东两个中为主么义之九也习书买了争事二于云五些交产亮人什今从他代以们件任会传似但位住体何作你使便保信
候做像儿先光克入全八公六共关其内再写军决准几出分切则利别到制前力加务动包化北区十卖南即却原去又及双反发取受变口句只可司吃
各合同名后向吗吧听告员呢命和品响哪啊喜喝四回因国土在地场坐城基声处外多够大天太头女她好如子字学它安完定实家对导封将小少尔
就展山岁工己已市师带帮常平年并应店度建开式张强当形往很得德心必忙快怕思性总情想意感成我或战房所手才打找把报拉指据接提收改
放政教敢数文断斯新方无日早时明是晚更最月有服望期木本术机权条来果样根格次欢正此步死段比民气水求没治法活海清火点热然片物特
王现理生用由电界病白的目直相看真眼着知石确社神离种科程空立站笑第等算管篇类系红组经结给统美群老者而能脸自至船色花若药落血
行表被西要见观规觉解计认讨让记讲许论设识词话该语说请读象资走起路身车转边达过运近还这进远通道那部都里重量金钟钱长门问间队
院随难青非面音领题飞首马高黑
"""
)
"""The characters that make up two thirds of Chinese text."""

_PARTICLES = frozenset("的了着得地吗呢吧啊呀么之其以而且是和与及或于把被给我你他她它这那就都也还又再很不")


def measure(query: Query, weights: Mapping[str, float], docs: int) -> Measure:
    """Prepare to measure the memories that a query has found among so many."""
    from math import log

    shares = {term: share(term, word, query.added) for term, _, word in query.terms if term in weights}
    if all(_is_single(term) for term in shares):  # nothing else was asked for
        shares = dict.fromkeys(shares, 1.0)
    full = sum(weights[term] * share for term, share in shares.items() if term not in query.added)
    return Measure(shares, full or 1.0, log(1 + docs))


class Measure:
    """What of a question's weight is in words that say something."""

    def __init__(self, shares: Mapping[str, float], full: float, whole: float) -> None:
        self._shares = shares
        self._full = full
        self._whole = whole

    def is_weak(self, parts: Mapping[str, float]) -> bool:
        """Tell whether what each term gives a memory is too little to show it unasked."""
        says = sum(self._shares[term] * part for term, part in parts.items())
        if says >= ALL.weight * self._full:
            return False
        return says < LEAST.weight * self._whole or says / self._full * says / self._whole < WEAK.weight


def is_common_character(word: str) -> bool:
    """Tell whether it is one of the characters that say nothing by themselves."""
    return word in _COMMON_CHARACTERS


def share(term: str, word: str, added: Collection[str] = ()) -> float:
    """Return what a word of a question counts."""
    if word in STOP_WORDS:
        return FUNCTION
    if _is_single(term):
        if is_sign(term) or term in added:
            return 1.0
        return (COMMON_CHARACTER if term in _COMMON_CHARACTERS else CHARACTER).weight
    if len(term) == 2 and is_dense(term) and not _PARTICLES.isdisjoint(term):
        return COMMON.weight
    if term in COMMON_WORDS or word in COMMON_WORDS or (word.isdecimal() and len(word) <= _SHORT):
        return COMMON.weight
    return 1.0


def _is_single(term: str) -> bool:
    return len(term) == 1 and is_dense(term)
