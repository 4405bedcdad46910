"""Decisions and standing rules in a sentence of a person's message, in Chinese and English.

Words and phrases belong to classes of cues, such as words of deciding, of questions, or of a task. Each class, and some
pairs of classes, have a weight. A sentence whose weights sum up to more than a threshold is a decision. The weights are
fitted to the sentences in tests/hooks/rows by `python -m benchmarks.decisions`.
"""

from functools import lru_cache

from promptx_mem.core.text import pattern

MAX_FACT = 500
"""Maximum length, in characters, of a fact. A longer one is left to the agent."""

SHORTEST = 4
"""Minimum length, in characters, of a fact for which a command is printed."""

AROUND = " \t?？，,、:：。.!！;；-–—"

HIDDEN = "\ue000"
"""The character that hides quotations and code."""

_FILLER = (
    r"(?:(?:ok|okay|fine|then|so|well|al(?:l |l)?right|right|great|good|yes|yeah|hey|and|also|btw|fyi|by the way"
    r"|好的?|行|嗯|那么?|对了|另外)[,，:：!！\s]+)+"
)

CUES = {
    "we": """we we're we've we'll our us ours everyone everybody team squad the_group all_of_us the_three_of_us lab
        committee co-founder both_of_us crew company department and_i i_and 我们 咱们 咱 大家 全组 团队 小组 组里
        项目组 全体 所有人 我和 公司 全家 家里 实验室 部门""",
    "i": "i i'm i've i'll my me_and 我",
    "chosen": """we_decided we've_decided we_have_decided we_agreed we've_agreed we_have_agreed i_decided
        i've_decided we_chose we've_chosen i've_chosen we_settled_on we've_settled_on we_settled we_voted
        team_voted we_opted we_picked was_decided team_decided team_chose team_agreed group_chose group_decided
        everyone_agreed family_agreed we_all_agreed i_have_decided 我们决定 我们定了 我们商定 我们说好 我们约定
        我们选 我们敲定 我们选定 我们确定 我们最后决定 我决定 大家决定 团队决定 全组决定 最终决定 最后决定 一致决定
        一致同意 讨论后决定""",
    "decided": """decided agreed settled chose chosen picked opted voted resolved concluded committed finalized
        finalised locked_in signed_off approved made_up_my_mind made_up_our_minds in_agreement on_board
        decided_against decide_on agree_on settle_on settling_on settled_on standardise_on standardize_on
        standardizing_on standardising_on adopted adopting adopt unanimous unanimously calling_it talked_it_over
        i_pick we_pick choosing picking made_the_decision made_a_decision 决定 商定 商量 商量好 说好 约定 敲定 选定
        确定 定了 定下 定下来 定好 拍板 达成一致 同意 通过 谈好 谈妥 想好 想好了 想清楚 定稿 定型 批了 批准 对齐过
        认可 投票 定为 定在 定成 选了 最后选 就选 最终选 我选 我们选 说定 确认过 聊过 没意见 定的 一致 compared""",
    "verdict": """规定一下 make_it_a_rule make_it_a_habit 定个规矩 decision verdict conclusion outcome consensus
        final_answer final_call rule policy convention agreement resolution standard our_choice the_plan house_rule
        the_deal guideline ruling 结论 结果 共识 原则 决议 规定 规矩 新规 底线 定论 铁律 政策 最终方案""",
    "go": """moving moving_the going_with go_with went_with gone_with go_for going_for sticking_with stick_with
        sticking_to stick_to stay_with stay_on staying_with stays_on staying_on switching_to switch_to switched_to
        moving_to moved_to migrating_to moving_from switching_from switched_from going_back_to that's_what 就用
        还是用 继续用 保留 就按 就定 坚持 留在 打定主意 就走 就 还是 按你 选用 it_is_. it_is_, it_is_then it_is_:""",
    "drop": """dropping dropped drop ditching ditched killing retiring retired freezing pinning replacing replaced
        scrap scrapped scrapping is_out are_gone are_out phased_out phase_out wins won get_rid_of throw_out
        abandoning banning capping go_away goes_away sunset sunsetting kill retire deprecating 放弃 弃用 停用 砍掉
        砍 不再 下掉 下线 退役 作废 不要了 不续 淘汰 告别 去掉 停掉 停""",
    "change": """改用 换成 改成 改为 改名 改叫 采用 挑 选择 迁到 转到 换到 换为 切到 切换到 迁移到 正式 变成 提到""",
    "contrast": "instead_of rather_than over in_place_of no_longer and_not instead 而不是 代替 取代 替换",
    "always": """always never must no_exceptions nobody no_one nowhere_else must_not shall shouldn't_ever
        don't_ever 一律 统一 必须 只能 永远 一律都 始终 绝不 从不""",
    "every": """all every each any everywhere whenever without only has_to have_to needs_to may_not may_only
        no_exceptions anywhere across 所有 每次 任何 全部 全都 每个 都得 都要 都用 都走 凡是 不管哪个 只用 只支持
        任何人 都必须 只""",
    "ban": """不要再 别再 banned not_allowed forbidden not_acceptable off_limits mandatory compulsory required_to
        disallowed isn't_allowed aren't_allowed 不得 不准 不许 禁止 严禁 不允许 不能""",
    "scope": """this_project for_this_project for_the_year this_year in_this_repo in_this_project this_codebase
        our_codebase in_this_repository in_our_code in_our_project in_the_repo across_the across_all throughout_the
        in_the_codebase in_our_repo in_production by_default 这个仓库 本项目 这个项目 全项目 整个项目 整个仓库
        本仓库 项目里 仓库里 默认""",
    "onwards": """from_now_on going_forward henceforth as_of from_today until_further_notice from_here_on in_future
        in_the_future effective from_then_on from_this_sprint onwards 以后 今后 往后 从今 从今天 从现在 长期 日后
        即日起 从下 从这 从今天起 从现在起 从现在开始 从今天开始 开始就 起就""",
    "final": """定了吧 就定了 那就定了 period final for_good end_of_discussion that's_final it's_final
        decision's_made that's_the_rule that's_how no_discussion it's_settled it's_decided is_final is_decided
        agreed_then done_deal final: 就这么定 这么定 没商量 照此执行 不讨论 别再讨论 就这样 不争""",
    "will": """will won't gonna gets get_written live_in lives_in goes_through go_through goes_over goes_to
        is_going_to are_going_to going_to be_using use_only come_from comes_from ships_in runs_on run_on we_use
        we_keep 打算 会用 由""",
    "lets": "let's lets let_us",
    "dont": """we_don't we_do_not we're_not we_won't we_will_not not_going_to i_don't_want 不做 不用 不上 不支持
        不接 不打算""",
    "want": "would_rather i'd_rather rather_have i_want we_want prefer we_prefer 希望 想要",
    "use": """use using write written name keep support run store named keeps uses 用 写 走 放 存 使用 交给 叫 支持
        维护 发布 合并 部署""",
    "question": """? what why how which where who when did does do_you can_you could_you would is_there should_we
        are_there is_it does_it whats what's could should_i can_i can_we do_we any_idea 吗 什么 为什么 为啥 怎么
        如何 哪 多少 谁 要不要 能不能 是不是 有没有 呢 咋 是否 有什么""",
    "if": """以后再说 以后再 不确定 没定 定了再 等 nobody_ever should_go not_decided 不知道 一起 if whether suppose
        supposing assume assuming imagine maybe perhaps might think wonder not_sure haven't yet try for_a_moment
        what_if proposed suggested consider considering in_case idea would_be could_be decide_whether once until_we
        unless curious hypothetically 如果 假设 假如 要是 可能 也许 还没 试试 万一 提议 建议 考虑 觉得 没想好 到底
        讨论一下""",
    "they": """竞争对手 brother sister were_told competitor they he she his her they're they've customer client
        boss colleague microsoft google apple blog says said friend infra_guys maintainers announced users user
        professor teacher intern article wrote told_me you facebook last_company platform_team other_team
        the_function 他们 他 她 隔壁 客户 甲方 书上 官方 听说 面试官 谷歌 苹果 老板 同事 用户 别人 文档 运维 新闻
        字节 上游 i_read i_heard thinks thought their theirs claims recommends suggests netflix shopify amazon 说
        ops_guys the_ops parent_company old_company rfc states them""",
    "now": """take_a keep_going 过一遍 一起 for_now this_time temporarily this_one for_this just_this
        for_the_moment right_now again this_file these_tests this_function this_test this_pr today's skip quick
        once_more in_this_file tonight lunch dinner walk break 这次 临时 这里 这一次 这个文件 这段 刚才 一下 再跑
        这条 这个函数 当年 以前 看看""",
    "task": """add fix explain translate rename show summarize summarise draft make a_test write_a give list
        compare find check help convert generate print delete create implement change look update put tell please
        帮我 帮忙 给 解释 看看 看一下 翻译 加个 写个 写一个 列 查 跑 生成 把 删掉 改 讲讲 画""",
    "code": """readme settled_state go_through go_through_the step_by_step 约定俗成 一遍 debugger line loop index
        bug fails failed failing button ticket branch log invoice snapshot crashes file files function problem
        merge_it fix_it clean_up phrase checkbox 按钮 报错 文件 函数 页面 循环 崩""",
    "le": "了",
    "ba": "吧 好了 算了 来吧",
    "please": "please pls 请 麻烦",
    "ok": "ok okay alright fine yes deal sold scratch 好 行 可以 嗯 没问题 听你的 no_, no_.",
    "your": "your option proposal second_option you_convinced 你说的 你提的 方案 第一 第二 第三",
    "note": "remember 记住 记得 记 remember_me",
    "no": "no no_more no_new",
}  # fmt: skip
"""Classes of cues; a phrase has `_` between its words."""

_WEIGHTS = """
chosen=3.3 always=2.9 verdict=2.5 decided=2.4 onwards=2.3 go=1.8 we=1.8 every=1.7 will=1.7 final=1.7 ^chosen=1.6
no=1.5 scope=1.5 ban=1.4 name=1.3 ,&your=1.3 go&name=1.2 lets=1.2 ^always=1.2 ^onwards=1.1 ,&change=1.1 dont=1.1
lets&name=1 drop&name=1 ^verdict=0.9 ^go=0.9 ^every=0.9 contrast=0.8 drop=0.8 :&decided=0.8 ,&decided=0.8 ^final=0.8
^lets=0.7 :&verdict=0.7 your=0.7 decided&we=0.7 go&le=0.7 ^ok=0.6 ^decided=0.6 decided&use=0.6 code&task=0.6
:&use=0.6 ,&final=0.6 ,&will=0.6 decided&lets=0.6 lets&number=0.6 ba&task=0.6 ,&ok=0.5 :=0.5 every&onwards=0.5
drop&use=0.5 every&we=0.5 dont&use=0.5 ban&code=0.5 ,&ban=0.5 ,&scope=0.5 use=0.4 ^we=0.4 name&we=0.4 lets&use=0.4
decided&le=0.4 onwards&use=0.4 ,&want=0.4 always&onwards=0.4 scope&use=0.4 ,=0.3 name&ok=0.3 number=0.3
every&name=0.3 decided&name=0.3 ba&name=0.3 change=0.3 ^want=0.3 ^dont=0.3 dont&name=0.3 ,&use=0.3 always&task=0.3
if&le=0.3 le&we=0.2 contrast&we=0.2 decided&number=0.2 :&final=0.2 ,&every=0.2 i=-0.2 chosen&le=-0.2
code&decided=-0.2 ^:=-0.2 if&task=-0.2 always&i=-0.2 ^,=-0.3 chosen&code=-0.3 ,&onwards=-0.3 i&they=-0.3
every&i=-0.3 chosen&now=-0.3 code&go=-0.4 ,&now=-0.4 ,&question=-0.4 decided&question=-0.4 i&name=-0.5 go&use=-0.6
^question=-0.6 short=-0.7 question&use=-0.7 ok=-0.8 ,&we=-0.8 ^use=-0.8 note=-0.8 ^now=-0.8 they=-0.9
decided&they=-1 name&now=-1 ^if=-1.1 question&we=-1.1 ^they=-1.2 if&name=-1.2 name&question=-1.3 task=-1.4
if&we=-1.6 code=-1.8 name&they=-1.8 ^name=-2.4 ^task=-2.6 now=-2.7 if=-2.9 question=-5.1
"""
"""The weight of each class, of some pairs of classes (`a&b`), and of the class that begins a sentence (`^a`)."""

LEAST = 3.0
"""A sentence with a greater sum of weights is a decision."""

_WORD = r"[a-z][\w'.+#-]*[a-z0-9+#]|[a-z]|\d+|[^\W\da-z_]|[?,:;\ue000]"
_HAN = "\u3400"
_STOP = "."
"""The end of a sentence, as a word."""

_PLAIN = str.maketrans("’？，：；", "'?,:;")
_FEW = 3
"""Maximum number of words of a short sentence."""


@lru_cache(maxsize=1)
def phrases() -> dict[str, str]:
    """Return the class of each cue."""
    return {cue.replace("_", " "): name for name, cues in reversed(CUES.items()) for cue in cues.split()}


@lru_cache(maxsize=1)
def _longest() -> dict[str, int]:
    """Return the maximum number of words, or Chinese characters, of the cues that begin with one."""
    found: dict[str, int] = {}
    for cue in phrases():
        parts = cue.split() if cue.isascii() else list(cue)
        found[parts[0]] = max(len(parts), found.get(parts[0], 0))
    return found


def features(text: str, mask: str) -> set[str]:
    """Return the classes in a sentence, their pairs, and the class that begins it.

    `name` is the class of a word with a capital or a digit, or of an English word in a Chinese sentence, and `number`
    that of a number. `mask` is as long as `text`, in lower case, with quotations and code hidden.
    """
    matches = list(pattern(_WORD).finditer(mask.translate(_PLAIN)))
    words = [*(match[0] for match in matches), _STOP]
    is_chinese = any(not word.isascii() and word != HIDDEN for word in words)
    found: list[str] = []
    at = 0
    while at < len(matches):
        for size in range(min(_longest().get(words[at], 1), len(words) - at), 0, -1):
            if name := phrases().get(("" if words[at] >= _HAN else " ").join(words[at : at + size])):
                break
        else:
            size = 1
            name = _kind(words[at], text[matches[at].start() : matches[at].end()], at == 0, is_chinese)
        found += [name] if name else []
        at += size
    first = {f"^{found[0]}"} if found else set()
    pairs = {f"{one}&{two}" for one in found for two in found if one < two}
    return {*found, *first, *pairs} | ({"short"} if len(matches) <= _FEW else set())


def _kind(word: str, written: str, is_first: bool, is_chinese: bool) -> str:
    """Return the class of a word that is not a cue; empty for an ordinary word."""
    if word in ",:;":
        return word
    if word.isdigit():
        return "number"
    is_name = word == HIDDEN or any(char.isdigit() or char in "+#." for char in word[1:])
    is_name = is_name or (
        word.isascii() and word.isalpha() and (is_chinese or (written[:1].isupper() and not is_first))
    )
    return "name" if is_name else ""


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    pairs = (pair.rpartition("=") for pair in _WEIGHTS.split())
    return {name: float(weight) for name, _, weight in pairs}


def decision(text: str, mask: str) -> str:
    """Return the whole sentence if it states the person's decision or a standing rule; empty otherwise.

    `mask` is as long as `text`, in lower case, with quotations and code hidden.
    """
    filler = pattern(_FILLER).match(mask)
    start = filler.end() if filler else 0
    found = features(text[start:], mask[start:])
    said = text[start:].strip(AROUND)
    is_decided = sum(_weights().get(name, 0.0) for name in found) > LEAST
    return said if is_decided and SHORTEST <= len(said) <= MAX_FACT else ""
