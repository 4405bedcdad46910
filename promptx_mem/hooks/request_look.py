"""A first look at a user's message: whether it may contain a request. What reads requests is loaded only then."""

_SIMPLE = str.maketrans(
    "’記請錄註備幫這個們對寫憶腦裡條點麼嗎為務煩給還項將時別極關鍵庫長說問話會過沒難無須開從絕許準總規則約內實訊東論訴",
    "'记请录注备帮这个们对写忆脑里条点么吗为务烦给还项将时别极关键库长说问话会过没难无须开从绝许准总规则约内实讯东论诉",
)
"""What instructions are written with in traditional Chinese, as the patterns have it."""

_MARKS = (
    # of an instruction to remember
    "note", "memor", "remb", "reme", "remm", "forget", "mind", "record", " down", "store", "save", "track",
    "记", "忘", "存", "备注", "脑",
    # of stress
    "important", "crucial", "critical", "essential", "vital", "重要", "关键", "重点", "强调",
    # of a decision
    "decid", "decision", "agreed", "settle", "chose", "opted", "picked", "committed", "resolved", "going ",
    "go with", "go for", "went with",
    "gone with", "stick", "switch", "standardi", "adopt", "let", "from now",
    "going forward", "verdict", "made up",
    "instead of",
    "voted", "concluded", "i choose", "we choose", "plan is", "starting today", "starting now", "as of today",
    "we won't", "i won't",
    "we will no",
    "rather than", "no longer", "replaced", " it is", "choice", "be using", "not going", "moving", "dropp",
    "决定", "定", "拍板", "达成一致", "放弃", "代替", "我们坚持", "们不做", "不再用",
    "继续用", "们改成", "说好", "同意", "选", "统一", "一律", "全部",
    "改用", "换成", "采用", "就用", "结论", "商量",
    "谈好", "还是", "就按", "从今",
    "从现在", "从下", "从明", "不再", "不用", "想好", "们把", "弃用", "团队",
    # of later use
    "next time", "when i ", "ever i ", "now on", "forward", "future", "later", "again",
    "下次", "下回", "以后", "今后", "往后", "将来", "日后",
)  # fmt: skip
"""Marks of which each request contains at least one: each way through the patterns of `requests` has one."""


def simplified(text: str) -> str:
    """The text with simplified characters where an instruction may have traditional ones; as long as before."""
    return text.translate(_SIMPLE)


def may_hold(message: str) -> bool:
    """Return whether a message may contain a request or decision."""
    text = simplified(message).casefold().replace("ı", "i")  # so the patterns ignore case
    return any(mark in text for mark in _MARKS)
