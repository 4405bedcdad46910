"""The requests to remember something in a person's message, and its decisions, emphasis and hints of later use.

Code, quotations and questions are ignored. A doubtful sentence is not a request. If the text of a request is unclear,
the wording is left to the agent.

The Chinese and English expressions are in lower case. Most expressions are tables of alternatives. The key of an
alternative has groups of strings, its marks (see `decisions.possible`). A text without a mark of each group cannot
match. Only alternatives that can match are compiled, since compiling all takes longer than a recall.
"""

from functools import lru_cache
from itertools import islice

from promptx_mem.core.text import narrowed, pattern
from promptx_mem.hooks import decisions, first_look, following, leads
from promptx_mem.hooks.decisions import (
    HIDDEN,
    MAX_FACT,
    SHORTEST,
    TRIMMED,
    Sentence,
    begins,
    possible,
    search,
    sentences,
)
from promptx_mem.hooks.following import (
    MAX_FACTS,
    NO_FACT,
    POINTER_ZH,
    end_of,
    ends_request,
    without_task,
)
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

MAX_LENGTH = 20_000
"""Number of characters of a message that are read."""

_UNKNOWN = ""
"""Value for a request whose text is unclear or not in the same sentence."""

_FEW, _SHORT = 4, 24
"""Maximum numbers of words and ASCII characters of a text that can be part of a request, and not a fact."""

_LIST = "\n"
"""Value for a request to remember the following lines."""

_AHEAD = {
    "some|follow|below|one |a |an |下面|以下|如下|个|件|条|点": (
        r"\b(?:something|(?:the )?(?:following|below)|(?:a|an|one|another)(?: (?:more|last|other|important|new|quick))?"
        r" (?:thing|fact|detail|info|rule|point|preference|convention))\b(?! that\b)|下面|以下|如下"
        r"|(?<!这)(?<!那)[个件条点](?:事|东西|信息|规则|前提|规定|约定)"
    )
}
"""Words of a request that mean the text after it."""

_PART = r"(?:for|of|in|about|across|between|during|on|at|both|future|this|that|these|those|as an?)\b|.$"
"""The beginning of a text that is not a fact, such as "for later", or a text of one character."""

_PARTICLES = r"^(?:没有?(?=[,，。!！?？:：\s])|[了啊呀哦吧哈嘛呢吗噢喔咯里裡])+"
"""Particles directly after a Chinese verb."""

_LEAD_EN = (
    r"(?:(?:ple?as?e|pls|plz|kindly|maybe|and|also|but|so|then|ok|okay|now|always|just|yes|no|hey|hi|hello|yo|u[hm]+"
    r"|well|btw"
    r"|by the way|one more thing(?! to)|from (?:now|here) on(?: out)?|going forward|for future reference|in (?:the "
    r")?future|first(?: of all)?|for next time|next time (?:you|we) [^,.:;?]{1,40}(?=,? remember that\b)|(?:i "
    r")?(?:want to|wanna)(?= make sure)|you (?:should|must|(?:may|might) want to)|lets|help me|don't let me(?= "
    r"forget\b)|let's not(?= forget\b)|you need to|you have to|i want you to|i'd like you to|i would like you to|i "
    r"need you to|i want to ask you to|(?:make|be) sure(?:(?: that)? you| to|(?= not to\b))|try(?: to|(?= not to\b))|do"
    r"|let's|we should|we must|we need to|it(?:'s| is) important (?:to|that you)|(?:it would|it'd) be (?:great|nice"
    r"|good|helpful|lovely) if you(?: could| would)?|(?:i'd|i would) (?:appreciate|like) (?:it )?if you(?: could| "
    r"would)?|i hope you(?: can| will)?|if you could|i (?:don't|do not) want you to(?= forget\b)|can (?:yo)?u|could "
    r"(?:yo)?u|would you mind|would you|will you|(?:hey |hi |ok )?(?:claude|gemini|codex|assistant|gpt))(?: "
    r"?:-?[)d])?[,:!\s]{1,3}){0,5}"
)
_MISSPELT = r"rem+e?m?e?b[er]{1,3}|reme?mb?[er]{2,3}|rembember|remebmer|rememebr|rmb(?= that\b)"
_VERBS_EN = {
    "rem|rmb|memori|forget|mind|not|record| down": (
        rf"(?P<remember>(?:(?<=if you )(?:{_MISSPELT})ed|(?:{_MISSPELT})"
        r"|(?<=you mind )(?:remember|not)ing|keep remembering|memori[sz]e"
        r"|(?:don't|dont|do not|never|not(?: to)?) (?:you )?(?:ever "
        r")?forget(?: about)?|(?<=want you to )forget|(?<=n't let me )forget|(?<=let's not )forget|keep in mind"
        r"|bear in mind|take note|note down|note(?! (?:this|that|it|these|those|the following) down)|record|jot down"
        r"|write down)(?: ?一下)?+)"
    ),
    "mind": r"(?P<object>keep|bear) (?:this|that|it|these) in (?:your )?mind",
    " down": r"(?P<down>write|note|jot|take|put) (?:this|that|it|these|those|the following) down",
    "memory|memories|your notes|your records|.md:": (
        r"(?P<store>(?:commit|save|add|store|write|put|record|log|keep|file) (?:(?:this|that|it|these|a note"
        r"|the following) )?(?:to|in|into) (?:(?:your |the |my )?(?:long[- ]term )?memory(?: file| notes)?"
        r"|your (?:memories|notes|records)|(?:the |my )?(?:claude|agents|gemini)\.md(?=:))|(?:add|create"
        r"|make) (?:a|another) memory(?=\W*$| ?[:,.–—-]| (?:that|of|about|for|so|to|from|note|entry|saying)\b))"
    ),
    "note|record": (
        r"(?P<make>make|take|keep) (?:a |yourself a )?(?:(?:mental )?note"
        r"|record(?= of (?:this|that|it)\b))(?: of)?"
    ),
    "store|save|keep": (
        r"(?P<save>(?:save|store|keep) (?:this|that|it)(?=(?: somewhere)?,? so (?:that )?(?:i|we|you don't) "
        r"| for later\W*$)|save(?= that\s(?:the|our|my|we|i|all)\b))"
    ),
}
_BEGIN_ZH_VERB = r"(?:^|[,，、:：;；\s～~])"
_BEGIN_EN = r"(?:^|[,:;.(–—]\s{0,3}|\s-\s|\b(?:and|but|then)\s)"
_BEFORE_BAD = (
    r"(?<!i'll )(?<!let me )\b(?:says?|said|saying|reads?|wrote|writes|prints?|printed|translate[sd]?|translation"
    r"|message|title|titled|text|error|called|named|todo|fixme|comment|string|label|quote[sd]?|lyrics?|phrase"
    r"|sentence|\w*(?:error|exception|warning))\b[^,:;]{0,30}[,:]\s*$"
    r"|(?<!let me )\b(?:send|write|draft|compose|post|print|e?mail|reply|tweet|explain|add|put|show"
    r"|display)s?\s[^.;:]{0,60}:\s*$"
)
_BEFORE_BAD_ZH = (
    r"(?:让我|叫我|要求我|说过?|写着?|写道|显示|提示|标题|标语|口号|报错|文案|翻译[^,，:：]*|内容是|叫做?"
    r"|注释(?=[:：])|歌词|error|exception"
    r"|(?:函数|方法|类|脚本|组件|功能|程序|按钮|页面|表单|窗口|界面|应用|浏览器|[入选]框|app)[要能应该会得需]*"
    r"|(?:会议|聊天)(?=记)"
    r"|[写发回拟][^,，。:：的]{0,12}(?=[:：]))[,，:：\s]*(?:以后|请|你|一定|要)*$"
)
_SUBJECT = r"\b(?:i|we|they|he|she|it|users?|people|who|to)\b[^,;:.]*\b(?:and|but|then)\s*$"

_NOUN = (
    r"(?:\s(?:one|thing|things|fact|facts|point|points|info|information|rule|rules|preference|preferences|detail"
    r"|details|note|notes|convention|conventions|list|stuff|important|part|conversation|discussion|all|of|lesson"
    r"|decision))*"
)
_TAIL = (
    r"(?:[,\s]+(?:please|pls|too|as well|well|now|down|ok|okay|thanks|thank you|always|forever|next time|carefully|for "
    r"me|for us|for later|(?:for )?(?:the )?next time(?: (?:i|you|we)\b.*)?|for the future|for future (?:reference"
    r"|sessions?|use|conversations?|chats?)|in (?:the )?future|in mind|from (?:now|here) on(?: out)?|about me|somewhere"
    r"|so (?:that )?(?:i|we|you) .*|this time|in (?:the |all |every )?next \w+|later|going forward|when(?:ever)? "
    r"(?:(?:you|we)(?:'re| are)?+|\w+ing)\b(?!.{0,80}(?:'re|'m|'s| is| are| must| should| needs?| uses?| has| have| "
    r"never| always)\b)[^,]*+|for (?:(?:the|my|our|your|any|all|every|each|future|next|later) ){1,3}(?:\w+ )?\w+"
    r"|for (?:\w+ )?(?:suggestions?|plans?|planning|tasks?|work|questions?|answers?|sessions?|chats?|projects?)"
    r"|i (?:just )?(?:said|told you"
    r"|mentioned|wrote)|that i .*|for (?:when|if) .*|for good|in (?:your "
    r"|the )?(?:long[- ]term )?memory))*(?:[,\s]+(?:and|then)\b.*)?"
)
_POINTER = (
    r"(?:(?:all (?:of )?)?(?:this|that|it|these|those|them)|everything(?: (?:i|we|you) .*)?|(?:all )?the above"
    rf"|the following|what (?:i|we) .*){_NOUN}{_TAIL}(?:, (?:so )?(?:i|we) (?:don't|won't|do not|will not) .*)?"
)
_REMARK = (
    r"(?:you(?:'ll| (?:got|get|keep|kept|always|forgot|missed|will|may|might|need))"
    r"|it(?: will|'ll| matters| comes| took| cost| keeps|(?:'s| is) (?:important|crucial|easy)))\b"
)
"""The beginning of a remark on a request such as "keep that in memory, …"."""
_LABEL = (
    r"(?:(?:for (?:later|me|you|yourself|next time|the future|future reference)|in memory|(?:this|that|these|it)(?: "
    r"please| now| this time)?|again|about (?:this|the|our) \w+|down|the following|what i (?:just |already )?(?:said"
    r"|told you)|somewhere(?: [^:：,.]{1,40})?|something|smth|the (?:lesson|rule|fact|point|trick|workaround"
    r"|gotcha)(?: though| here)?|(?:just )?one (?:more )?thing|a few things|some things|(?:these )?(?:two|three"
    rf"|four|few|\d) (?:things|facts|points|rules)){_NOUN}(?: for (?:all|every|each|this|the|our|my|any|next|later|me"
    r"|us|future)\b[^:：,.]{0,30}| about (?:me|us|this|the|our|my)\b[^:：,.]{0,20}| (?:in (?:the|all|every|any|each|our"
    r"|your)|across|between) \w+[^:：,.]{0,20}|,? it [^:：.]{2,40})?\s*)?[:：]\s*"
)
_PAST = (
    r"(?:that (?:time|day|night|one time|moment|bug|song|movie)\b|(?:i|we|you) (?:told|said|talked|discussed"
    r"|mentioned|spoke|used to|tried|did|had|saw|were|was|asked|once|already|just)\b|when\b(?! \w+ing\b[^:,]*[:,])"
    r"|how\b(?! (?:we|i|to)\b[^:]{2,40}: \S)|(?:where|who|why|what|if|whether|last|him|her|yesterday)\b"
    r"|me\b(?! (?:as|by)\b))"
)
_LASTING = (
    r"(?:to )?(?:always|never|not|avoid|only|prefer|don't|do not|no)\b|to\b.*\b(?:always|never|every time|each time"
    r"|whenever|from now on|in (?:the )?future|going forward|next time)\b|to (?:use|write|prefer|avoid|keep|follow|name"
    r"|put|call|log|format|tag|sign)\b.*\b(?:(?:in|for) (?:all|every|each|any)\b|here$)|to (?!(?:fix|update|run|check"
    r"|delete|remove|find|debug|review|push|merge|change|look|test)\b)\w+ .*\b(?:in|for) (?:this|our|my) (?:\w+ "
    r")?(?:repo|project|codebase|workspace|org|team|company)"
)
_ERRAND = r"(?:the|your|an?) [^,.;:]{2,40} (?:when|before|after|once|while) (?:yo)?u\b"
"""Something to do in a task, as in "don't forget the tests when you refactor"."""

_CLAUSE = (
    r"\b(?:is|isn't|are|im|ive|aren't|was|were|has|have|hasn't|haven't|had|must|mustn't|should|shouldn't|can|can't"
    r"|cannot|will|won't|do|does|don't|doesn't|never|always|uses?|runs?|needs?|owns?|likes?|loves?|hates?|prefers?"
    r"|wants?|works?|lives?|lies|goes|requires?|means?|stays?|starts?|ends?|becomes?|comes?|takes?|holds?|deploys?"
    r"|fails?|breaks?|speaks?|reads?|costs?|depends?|rejects?|accepts?|expects?"
    r"|returns?|supports?|ignores?|throws?|crashes|belongs|handles?|lags?"
    r"|\w+s (?:every|each|the|an?|its|our|only|to|on the (?:first|last)))\b|[:=\d]|'s \w+|'re\b|'m\b"
)
_SUBORDINATE = (
    r"(?:if|when(?:ever)?|as|while|since|before|after|because|although|though|once|until|unless|for|in|on|at|like)\b"
)
_ADVERB = (
    r"\s+(?:forever|btw|by the way|too|always|well|please|also|carefully|permanently|somewhere|for (?:the future"
    r"|future \w+|later|next time))(?=,?\s+that\b|\s*:)"
)
_WHEN = (
    r"(?:(?:please|pls|for (?:me|us)),? )?(?:(?:from now on|going forward|in (?:the )?future|for (?:(?:all|the|any|our"
    r"|my|your|every|later|next|future|coming|following|other) )*(?:later|future|good|next time|rest of the \w+|(?:next"
    r"|this) (?:week|month|sprint|year)|(?:\w+ )?(?:sessions?|chats?|conversations?|work|tasks?|reference|projects?"
    r"|time)(?: in (?:this|the|our) \w+)?))[,:]? )?"
)
_LEADS_IN = (
    rf"{_WHEN}(?:(?:the fact that|down that|that"
    r"|saying(?: that)?)(?:,? (?:you know|u[hm]+|like(?= the\b)),?)?\s+(?=\S))?(?:(?:(?:this|it)(?: for (?:later|next "
    r"time|the future|me|us))?(?: please| pls)?|please|pls|for (?:later|next time|the future|me|us))[:,]\s*(?=\w))?"
)
_THAT = rf"{_WHEN}(?:that|the fact that|saying)\s"
_FILE = r"(?:in|to|into|on|at)\b(?! (?:your |the |my )?(?:long[- ]term )?(?:memory|mind)\b)"

_LEADS_ZH = (
    "请注意", "注意", "给未来的自己", "给将来的自己", "给自己", "下次会话", "下次对话", "下次", "下回", "请", "麻烦",
    "拜托", "帮我", "帮忙", "替我", "为我", "给你", "有个坑", "有个事", "有个点", "有个细节", "有件事", "有一点",
    "你", "您", "要", "得", "需要", "必须", "务必", "一定", "千万", "好好", "给我", "另外", "还有", "对了", "那",
    "也", "以后", "永远", "一直", "都", "先", "一下", "我希望", "我想让", "我要", "希望", "把这个", "我跟你说个事",
    "跟你说个事", "下面这个", "以下这个", "这个", "这次", "下面这条", "以下这条", "这条", "这一点", "这点", "这些",
    "并且", "并", "然后", "同时", "所以", "顺便", "记得", "能不能", "能否", "可不可以", "可否", "能", "可以", "可",
    "再", "就", "只", "最后", "首先",
)  # fmt: skip
"""Words before a verb, up to five."""

_NOT_A_FEATURE = (
    r"(?!我[\s(（]|(?:我|用户)?(?:的)?(?:密码|账号|账户|登录|功能|选项|按钮|状态|复选框|用户名|设置|滚动"
    r"|位置)(?!\s?(?:是|为|叫|在"
    r"|用|[:：=]))|(?:我)?\s?(?:不生效|没生效|未生效|失效|没反应|没用|没效果|不起作用|不管用|坏了|无效|is\b|was\b))"
)
_TASK_ZH = (
    r"(?:加|写|改|跑|删|把|给|先|再|带|推|拉|关|看|补|修|买|吃|拿|打|回|做|装|清|换|调|查|填|取|寄|付|用(?!户)|提交"
    r"|提醒|更新|检查|处理|同步|运行|重启|导入|发(?![布票货])|交(?![接易通])|叫|通知|备份|确认|标注|联系|预约|预订"
    r"|订(?![单阅])|约|帮|也|还|要|明天|今天|周)"
)

_VERBS_ZH = {
    "技一下|纪一下": r"[技纪]一下(?=[,，:：])",
    "记住|牢记|谨记|铭记|切记|记好|记清|记着|记牢": (
        r"(?:牢牢|好好|永远|时刻)?地?(?:记住|牢记|谨记|铭记|切记|记好|记清楚?|记着"
        rf"|记牢)(?:在心里?)?(?!的(?!是|[^,，。]{{0,4}}[:：]))(?!了?我?(?:哪些|什么)){_NOT_A_FEATURE}(?:的是[:：,，]?"
        rf"|了?[哈啊哦呀噢吧嘛啦咯吗]?(?=[:：,，\s]|$|别再)|点儿?(?=[:：,，\s])"
        rf"|一下|下来)?"
    ),
    "忘|记得": (
        r"(?:记得|(?:别|不要)忘记?[了啦]*)[哈啊哦噢喔呀]?(?=[。！!\s]*$)|(?:记得"
        r"|别忘了)[:：,，]?\s*(?!.{0,3}[今明这本下])(?=[^,，。?？]{2,10}[前后"
        r"时](?:[都要得先]|必须|不[能要]))|(?:(?:别"
        r"|不要|不能)忘记?了?|勿忘|记得)(?=[:：,，]?\s*(?:我|以后|每次|永远|一直|所有|总是|都|咱|本项目|这个项目"
        r"|这项目|用户"
        r"|不要|不能|不准|不许|别|禁止|千万|绝不|从不|(?:这个|这一?点|这些|这件事|这条)(?:[。！!，,\s]|$)))|(?:(?:别"
        r"|不要|不能)忘记?了?|勿忘)(?=[^,，。你我他今明等]{2,10}要[做用走加带写]|[^,，。]{1,12}(?:不能|不可以|不得|禁止"
        r"|不允许|不准|归|属于|叫)[^,，。])|(?:以后|往后|今后|下次|下回)(?:都|请|要|你){0,3}(?:记得"
        r"|别忘记?了?)[,，]?(?=[^吗?？]{4,})|(?:别"
        r"|不要)忘记?了?(?=[^,，?？]{1,14}(?:到期|讨厌|需要|关门|开门|休假|请假|出差"
        r"|[一二三四五六七八九十\d] ?[点号%度]"
        r"|喜欢|过敏|住在|改成|换成|搬|没有|从[^,，]{1,8}开始|(?<=..)[只是]))|(?:(?:别(?:给我|再|又)?"
        r"|不[要能]再?)忘记?[了啦]?[哈啊哦]?"
        r"|勿忘|记得)[:：,，]?\s*(?=(?!了|(?!周[^,，]*不能)"
        rf"{_TASK_ZH})[^,，。?？]{{2,20}}(?:[是在有叫不没只为归都才就会能每算按]|属于|等于|要先|必须|要用|需要|\d "
        rf"?[点号%度])[^,，。?？])(?![^。]*(?:上次|那[个次]|哪|什么|怎么|谁|多少|吗))"
    ),
    "存着": r"存着(?=[。！!\s]*$)",
    "记一|记下|录一|记个|记件|记点|记在": (
        r"记(?:一下|下来|下|个?笔记|[个件点](?:事情?|东西|教训)|一笔|在心里)[哈啊哦呀噢吧啦]?(?=[,，:：。!！\s]"
        r"|[省免]得|我|这|那"
        r"|用户|以后|咱|本项目|$)|记录?一?下(?=(?![这那])[^\s,，。怎什哪]{2,12}(?:[是叫]|换成|改成)[^,，。?？什哪]{2})"
        r"|(?<=[我忙])记(?:一下|下来|下)(?=[^\s我这那]{4})"
    ),
    "记录": (
        r"(?:记录|记录一下|记录下来|记录下)(?=[,，:：]|(?:我"
        r"|咱)(?:们)?(?!们?的?(?:操作|日志|行为|点击|请求))|这(?:个|一?点|些|条|件事)?(?:[。！!，,\s]|$)|(?:本"
        r"|这个?)(?:项目|仓库)[^,，]{0,12}(?:用|是|有|要|不)|以后|用户(?:叫|是|喜欢|不|偏好|习惯|讨厌|要求"
        r"|[^,，]{1,8}(?:是|为|[:：]))|[。！!\s]*$)"
    ),
    "更新记忆|加记忆|条记忆": r"(?:更新|加一?条?)记忆(?=[:：,，])",
}
_TAKEN_ZH = (
    r"(?:^|[,，;；\s])(?P<no>[^,，;；记]{0,8}?)(?:把|将)(?P<what>[^,，]+?)(?:记住|记下来?|记录下来|记录一下|记一下"
    r"|牢记|(?:存|记|写|加|保存|记录|放)(?:到|入|进|在) ?(?:(?:你的?|项目)?(?:长期)?(?:记忆|笔记|备忘)(?:库|里|中)?"
    r"|(?:claude|agents|gemini)\.md ?[里中]?))(?:了|吧|哦|啊"
    r"|一下)?(?P<more>[:：,，].*)?[。！!\s]*$"
)
_NEGATED_ZH = (
    r"(?:不要|不用|不必|别|无需|无须|没必要|不需要|不想|没|不|未|能|会|才|就|(?<![帮替给])我|已经?|难|怎么|如何"
    r"|忘了?)\s*$"
)
_AGAIN = {
    ",|，|;|；&remember|note|don't forget|in mind|记住|牢记|忘": (
        r"[,，;；]\s*(?:(?:and|but|also|then|plus)\s|并且?|还有|另外|同时|也)?\s*(?=(?:please |also |then |do |请|也"
        r"|再)*(?:(?:remember|note|don't forget|keep in mind)(?: that\s(?!for\b|when\b|if\b)|:)\s*\S|(?:记住|牢记"
        r"|别忘了)[,，:：]?[^。！!了这那]))"
    )
}
_STATES_ZH = rf"(?!{_TASK_ZH}).*(?:[是在不为用会只停住姓叫归有每能我]|都要|要先|必须|\d)"
_PREFIX = r"[用是叫为] ?[A-Za-z\d][\w.-]*:$"
"""A value that ends in a colon, and does not introduce a list."""

_VALUE = r"(?:[是叫为=:：]|\b(?:is|are|called|named)) ?[\w.-]{0,40}(?:[A-Za-z]\d|\d[A-Za-z]|[a-z][A-Z])[\w.-]{0,40}$"
"""A value, such as a name, that ends a fact. A "!" after the value can belong to it."""


class Requests(NamedTuple):
    """The requests in a message. `facts` are texts to remember, in the user's own words; an unclear text is empty.

    `goes_on`: sentences after a request may belong to the request. `everywhere`: facts for all projects.
    """

    facts: tuple[str, ...] = ()
    stress: bool = False
    later: bool = False
    decisions: tuple[str, ...] = ()
    goes_on: bool = False
    everywhere: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts) or bool(self.decisions) or self.stress or self.later


def read(message: str) -> Requests:
    """Return the requests and decisions in a message, in order."""
    message = message[:MAX_LENGTH]
    plain = first_look.simplified(message)
    form = possible(following.EVERYWHERE, plain)
    cuts = [match.span(match.lastgroup or 0) for match in pattern(form).finditer(plain)] if form else []
    heard = _Reader(_without(message, cuts)).read()
    if not cuts or not heard.facts:
        return _Reader(message).read() if cuts else heard
    named = [one for one in sentences(message) if any(one.start <= start < one.end for start, _ in cuts)]
    others = _Reader(_without(message, [(one.start, one.end) for one in named])).read().facts
    facts = tuple(fact for fact in heard.facts if fact not in others)
    return heard._replace(everywhere=facts or (() if all(ends_request(one.mask) for one in named) else heard.facts))


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    for start, end in reversed(spans):
        text = text[:start] + text[end:]
    return text


class _Reader:
    """The requests and decisions in a message so far."""

    def __init__(self, message: str) -> None:
        self.message = message
        self.parts = [part for whole in sentences(message) for part in _split(whole)]
        self.facts: list[str] = []
        self.decisions: list[str] = []
        self.before: list[str] = []
        self.stress = self.later = self.waits = self.retracted = self.goes_on = False
        self.stop = 0

    def read(self) -> Requests:
        for at, sentence in enumerate(self.parts):
            if sentence.end > self.stop:
                self._hear(at, sentence)
        is_clear = _UNKNOWN in self.facts  # a whole sentence, such as 记住这个
        is_heard = self.facts or self.decisions
        if is_heard and not is_clear and not decisions.is_likely(part.mask for part in self.parts):
            return Requests(stress=self.stress, later=self.later)
        facts, chosen = self.facts, self.decisions
        forms = [possible(following.LEFT_OUT, first_look.simplified(fact)) for fact in facts]
        facts = [pattern(form).sub("", fact) if form else fact for form, fact in zip(forms, facts, strict=True)]
        facts = [self._with_mark(fact) for fact in facts]
        facts = list(dict.fromkeys(fact if len(fact) >= SHORTEST else _UNKNOWN for fact in facts))
        return Requests(
            tuple(facts[:MAX_FACTS]),
            self.stress,
            self.later,
            tuple(dict.fromkeys(one for one in chosen if not any(one in fact for fact in facts)))[:MAX_FACTS],
            self.goes_on or len(facts) > MAX_FACTS,
        )

    def _with_mark(self, fact: str) -> str:
        """Return a fact with the mark after it if the mark belongs to the value at its end, such as "feat-"."""
        *_, rest = self.message.partition(fact) if fact else ("", "", "")
        is_part = rest[:1] == "-" or rest.strip() == ":" or (rest[:1] == "!" and pattern(_VALUE).search(fact))
        return fact + rest[:1] if is_part else fact

    def _hear(self, at: int, sentence: Sentence) -> None:
        mask = sentence.mask
        is_vague = begins(following.VAGUE, mask, whole=True)
        if search(following.RETRACTED, mask):
            del self.facts[-1:]
            self.retracted = True
        elif search(following.UNWANTED, mask):
            self.retracted = True
        elif following.asks(mask) and not (leads.find(mask, asks=True) or self._asks_near(at, mask)):
            self.before = [""]
        elif not is_vague or self.before:
            is_request = self._is_request(at, sentence, None if is_vague else _fact(sentence))
            if is_request or not search(following.QUESTION_OR_GUESS_ZH, mask):
                if not (is_request or is_vague or self._is_task(mask)):
                    chosen = decisions.decision(
                        sentence.text, mask, lambda: any(following.asks(one.mask) for one in self.parts)
                    )
                    self.decisions += filter(None, [chosen])
                self.stress = self.stress or bool(search(following.STRESS, mask))
                if not self.later and search(following.LATER, mask):
                    self.later = not begins(decisions.BY_OTHERS | following.CONDITION, sentence.text)
            self.before.append(sentence.text)

    def _is_task(self, mask: str) -> bool:
        return search(following.FEATURE, mask) is not None or (bool(self.facts) and ends_request(mask))

    def _is_request(self, at: int, sentence: Sentence, fact: str | None) -> bool:
        """Add the facts of a request, or the fact for which an earlier request waits. Return whether one was added."""
        is_part = fact is not None and _is_part(fact)
        if (fact is None or is_part) and self._asks_near(at, sentence.mask, is_part=is_part):
            fact, self.before = _UNKNOWN, [""] if is_part else self.before
        if fact == _LIST:
            found, end = following.items(self.message, sentence.end)
            below = next(islice(self.parts, at + 1, None), None)
            if (
                not end and below and not (ends_request(below.mask) or below.mask.startswith(HIDDEN))
            ):  # a text, and no list
                self._add(at + 1, below.text.strip(TRIMMED), is_open=True)
            else:
                self.facts += found or [_UNKNOWN]
            self.stop = max(self.stop, end)
        elif fact is not None:
            if fact and not search(following.NEXT_TASK, sentence.mask):
                self._add(at, fact)
            else:
                self._store([fact or ("" if search(_AHEAD, sentence.mask) else following.referent(self.before))])
            self.waits = fact == _UNKNOWN and self.facts[-1:] == [_UNKNOWN]
        elif self.waits and not (
            sentence.mask.startswith(HIDDEN)
            or ends_request(sentence.mask)
            or pattern(following.ITEM).match(sentence.mask)
        ):
            del self.facts[-1]
            self.waits = False
            self._add(at, _unquote(sentence.text.strip(TRIMMED)))
        else:
            return False
        return True

    def _asks_near(self, at: int, mask: str, *, is_part: bool = False) -> bool:
        """Return whether a whole sentence asks to remember the next one or, unless `is_part`, the one before."""
        if not leads.is_whole(mask) or search(following.QUESTION_OR_GUESS_ZH | following.FEATURE, mask):
            return False
        if any(not ends_request(one.mask) and _fact(one) is None for one in self.parts[at + 1 : at + 2]):
            return True
        last = "" if is_part else following.referent(self.before)
        return last != "" and not ends_request(first_look.simplified(last))

    def _add(self, at: int, fact: str, *, is_open: bool = False) -> None:
        """Add a fact from the sentence `at`, with its continuation in later sentences."""
        rest = islice(self.parts, at + 1, None)
        after = following.following(self.message, fact, self.parts[at], rest, _fact, is_open)
        self._store(after.facts)
        self.stop = max(self.stop, after.end)
        self.goes_on = self.goes_on or after.goes_on

    def _store(self, facts: list[str]) -> None:
        self.facts += [one for one in facts if not any(old and old in one for old in self.facts)]


@lru_cache(maxsize=64)
def _fact(sentence: Sentence) -> str | None:
    """Return the text that a sentence asks to remember (see `_by_patterns`), without a task that follows it."""
    if search(following.FEATURE, sentence.mask):
        return None
    fact = _by_patterns(sentence.text, sentence.mask)
    headed = search(following.WHEN_WORKING, sentence.mask)
    if headed or (not fact and (headed := search(following.HEADED, sentence.mask))):
        rest = sentence.mask[headed.end() :]
        said = sentence.text[headed.end() : headed.end() + end_of(rest)].strip(TRIMMED)
        fact = said if said and not (_is_remark(said) or pattern(_REMARK).match(said.lower())) else fact
    elif fact is None and not search(following.QUESTION_OR_GUESS_ZH, sentence.mask):
        fact = _by_weights(sentence.text, sentence.mask)
    elif fact and (colon := pattern(following.COLON).search(fact)) and _is_part(fact[: colon.start()]):
        said = fact[colon.end() :].strip(TRIMMED)  # "sessions: the port is 80", of "save this for later sessions: …"
        fact = said if said and said == _by_weights(sentence.text, sentence.mask) else fact
    return without_task(fact) if fact and fact != _LIST else fact


def _is_remark(said: str) -> bool:
    """Return whether a text is a remark on a request, such as 下次别再踩这个坑了, and not the fact itself."""
    is_empty = any(mark in said for mark in ("这", "别搞", "别弄"))
    return begins(following.REMARK if is_empty else NO_FACT, said)


def _is_part(fact: str) -> bool:
    """Return whether a text only says when or what kind of thing to remember, as in "save this for later sessions"."""
    plain = first_look.simplified(fact)
    is_pointer = begins(POINTER_ZH, plain[: end_of(plain)], whole=True)
    return _is_brief(fact) and bool(is_pointer or search(_AHEAD, plain) or pattern(_PART).match(plain))


def _is_brief(fact: str) -> bool:
    """Return whether a text is short, with no English verb, digit, :, =."""
    is_short = len(fact.split()) <= _FEW and len(fact) <= (_SHORT if fact.isascii() else 2 * _FEW)
    return is_short and "" < fact != _LIST and not pattern(_CLAUSE).search(fact.lower())


def _by_weights(text: str, mask: str) -> str | None:
    """Return the text that a sentence asks to remember by the weights of its words (see `_by_patterns`)."""
    span = leads.find(mask)
    cue = pattern(leads.CUES).search(mask)
    if span is None or not cue or _is_negated(mask[: cue.start()]) or _is_before_bad(mask[: cue.start()]):
        return None
    said = text[span][: end_of(mask[span])].rstrip(TRIMMED)
    if said and said[0] not in TRIMMED and not (span.start and mask[span.start - 1] in TRIMMED):
        said = pattern(_PARTICLES).sub("", said, count=1)
    said = said.strip(TRIMMED)
    if pattern(following.NEXT_ZH).match(said):
        return _UNKNOWN if any(mark in mask[: cue.start()] for mark in "这那上") else None
    is_name = said.isascii() and len(said.split()) < _FEW - 1 and _is_brief(said) and ":" not in mask
    is_errand = pattern(_ERRAND).match(said.lower()) and not pattern(_CLAUSE).search(said.lower())
    is_fact = not (is_name or is_errand or pattern(_PAST).match(said.lower())) and pattern(_NOT_A_FEATURE).match(said)
    return _unquote(said) if said and is_fact else None


def _split(sentence: Sentence) -> list[Sentence]:
    """Split a sentence with several requests, such as "remember that A, and remember that B", into its parts."""
    form = possible(_AGAIN, sentence.mask)
    for match in pattern(form).finditer(sentence.mask) if form else ():
        head = Sentence(sentence.text[: match.start()], sentence.mask[: match.start()], sentence.start, sentence.end)
        if _by_patterns(head.text, head.mask):
            begin = match.end()
            tail = Sentence(sentence.text[begin:], sentence.mask[begin:], sentence.start + begin, sentence.end)
            return [head, *_split(tail)]
    return [sentence]


def _by_patterns(text: str, mask: str) -> str | None:
    """Return the text that a sentence asks to remember, or _UNKNOWN or _LIST; None if the sentence is not a request.

    `mask` has the length of `text`. Its quotations are hidden, and its Chinese is simplified.
    """
    if ("把" in mask or "将" in mask) and (match := pattern(_TAKEN_ZH).search(mask)):
        no = match["no"]
        return None if "不" in no or "别" in no or _is_negated(no) else _object_first(text, match)
    if form := possible(_VERBS_ZH, mask):
        lead = "|".join(filter(mask.__contains__, _LEADS_ZH))
        for match in pattern(rf"{narrowed(_BEGIN_ZH_VERB, mask)}(?:{lead}){{0,5}}(?:{form})").finditer(mask):
            head = mask[: match.start()] + (match[0][:1] if match[0][:1] in (":", "：") else "")
            is_last = match[0][0] in ",，" and not mask[match.end() :].strip(TRIMMED + following.PARTICLES)
            is_new = is_last or any(word in match[0] for word in ("另外", "还有", "对了", "顺便", "并"))
            if (is_new or not _is_before_bad(head)) and not _is_negated(mask[: match.start()]):
                return _chinese(text, mask, match)
    if form := possible(_VERBS_EN, mask):
        for match in pattern(
            rf"{_BEGIN_EN}{_LEAD_EN}(?:{form})(?:(?<=一下)|(?!-?\w|\(|\s(?:is|was|isn't|does|doesn't)\b))"
        ).finditer(mask):
            head = mask[: match.start()] + match[0][:1]
            joined = pattern(r"(?:and|but|then)\s").match(match[0])
            if _is_before_bad(head) or (joined and pattern(_SUBJECT).search(head + joined[0][1:])):
                continue
            fact = _english(text[match.end() :], mask[match.end() :], match)
            return (_clause_before(text[: match.start()], match[0]) if fact == _UNKNOWN else "") or fact
    return None


def _is_negated(head: str) -> bool:
    return head != "" and pattern(_NEGATED_ZH).search(head) is not None


def _is_before_bad(head: str) -> bool:
    """Return whether the words before a verb introduce a quotation or another text, such as a title or an error."""
    if head.rstrip().endswith((",", ":")) and pattern(_BEFORE_BAD).search(head):
        return True
    return not head.isascii() and pattern(_BEFORE_BAD_ZH).search(head) is not None


def _object_first(text: str, match: "re.Match[str]") -> str:
    rest = text[slice(*match.span("more"))].strip() if match["more"] else ""
    more = rest.strip(TRIMMED)
    is_pointer = search(following.KINDS_ZH | _AHEAD, match["what"]) or begins(POINTER_ZH, match["what"], whole=True)
    if more and not begins(following.REMARK, more):
        return _unquote(more if is_pointer else text[slice(*match.span("what"))] + rest.rstrip(TRIMMED))
    phrase = pattern(r"(?<=[”」』\"'])这(?:句话?|条|一?点)\s*$|\s?这件事情?$").sub("", text[slice(*match.span("what"))])
    return _UNKNOWN if begins(POINTER_ZH, phrase, whole=True) else _unquote(phrase.rstrip())


def _chinese(text: str, mask: str, match: "re.Match[str]") -> str | None:
    rest = text[match.end() :].rstrip()
    fact = rest[: end_of(rest)].strip(TRIMMED)
    if bare := pattern("^(?:记住|牢记|[哈啊哦噢呀哟吧没吗么])+").sub("", fact):
        fact = bare[1:].lstrip() if bare != fact and bare[0] in ",，:：?？" else fact
    head, colon, _ = fact.replace("：", ":").replace("，", ",").replace(",", ":", 1).partition(":")
    has_pointer = False
    if colon and begins(POINTER_ZH | NO_FACT, head.strip(), whole=True):
        has_pointer, fact = fact[len(head)] in ",，", fact[len(head) + 1 :].strip(TRIMMED)
    elif rest.endswith((":", "：")) and not pattern(_PREFIX).search(rest):
        return _LIST
    # "我对花生过敏，请记住这一点"
    before = decisions.without_filler(text[: match.start()], mask[: match.start()])[0].strip(TRIMMED)
    if "忘" in match[0] and not rest and (not pattern(_STATES_ZH).match(before) or ends_request(before.lower())):
        return None
    is_remark = begins(following.REMARK, fact) if before or has_pointer else _is_remark(fact)
    if (
        is_remark
        or pattern(following.NEXT_ZH).match(fact)
        or not fact.strip(following.PARTICLES)
        or begins(POINTER_ZH, fact, whole=True)
    ):
        return _unquote(before) if before else _UNKNOWN
    is_errand = "一下" in fact and pattern("[去再先]?[\u4e00-\u9fff]{1,3}一下[^,，。；;]{1,12}").fullmatch(fact)
    if is_errand and "次" not in match[0]:
        return None
    return _unquote(decisions.without_filler(fact, first_look.simplified(fact))[0])


def _english(rest: str, mask: str, match: "re.Match[str]") -> str | None:
    """Return the text to remember after an English instruction (see `_by_patterns`)."""
    while ending := pattern(following.END_EN).search(mask):
        rest, mask = rest[: ending.start()], mask[: ending.start()]
    if adverb := pattern(_ADVERB).match(mask):
        rest, mask = rest[adverb.end() :], mask[adverb.end() :]
    bare = mask.lstrip()
    label = pattern(_LABEL).match(bare) if ":" in mask or "：" in mask else None
    body = rest.strip()
    if label:
        fact = body[label.end() :].strip(TRIMMED)
        return _unquote(fact) if fact else _LIST
    fact = rest.strip(TRIMMED)
    pointing = match.lastgroup in ("object", "down", "store", "save", "make")
    if pointing and pattern(_FILE).match(fact.lower()):
        return None
    if pattern(rf"(?:this|that|it)(?: one)?[,;–—-]\s*(?:{_REMARK}|(?:it|they|otherwise) )").match(fact.lower()):
        return _UNKNOWN
    points = pattern(_POINTER).fullmatch(fact.lower()) is not None
    if not points and (begin := pattern(_LEADS_IN).match(fact.lower())):
        fact = fact[begin.end() :]
        points = pattern(_POINTER).fullmatch(fact.lower()) is not None
    is_rest = pointing or fact[:3].lower() == "so "
    if not fact or points or (is_rest and pattern(_TAIL).fullmatch(" " + fact.lower())):
        return _UNKNOWN
    if pointing and pattern(_REMARK).match(fact.lower()):
        return _UNKNOWN
    return _judged(fact, rest.lstrip(), match)


def _clause_before(head: str, joint: str) -> str:
    """Return the clause before an instruction such as ", keep that in mind"; empty if `head` is not a main clause."""
    fact = decisions.without_filler(head, head.lower())[0].strip(TRIMMED)
    lower = fact.lower()
    is_whole = (
        joint.strip()[:1] in (",", ";", "–", "—", "-")
        and (pattern(_CLAUSE).search(lower) or (len(lower.split()) > 3 and not ends_request(lower)))
        and not pattern(_SUBORDINATE).match(lower)
    )
    return _unquote(fact) if is_whole and lower != "i mean it" else ""


def _judged(fact: str, rest: str, match: "re.Match[str]") -> str | None:
    """Return the text after an instruction if it is a fact; None for a task or the past; else _UNKNOWN or None."""
    lower, told, verb = fact.lower(), rest.lower(), match[0]
    if pattern(_PAST).match(told):
        return None
    is_clause = pattern(_THAT).match(told) is not None
    lasting = pattern(_LASTING).match(lower) is not None
    if lower.startswith(("to", "not to")) and pattern(r"(?:not )?to\b").match(lower) and not is_clause:
        always, never = "always" in verb, verb.lstrip(",:;.(–—- ").startswith("never")
        task = fact[2:].lstrip() if pattern(r"to\s").match(lower) else fact
        said = always and not pattern(_LASTING).match(task.lower())
        return _unquote(f"always {task}" if said else task) if lasting or always or never else None
    if is_clause or rest[:1] in (",", ":", "-", "–", "—") or verb.endswith(("note of", "record of", "一下")) or lasting:
        return _unquote(fact)
    own = pattern(r"(?:my|our|i|i'm|i’m|we|this|these|about my|me (?:as|by))\b").match(lower)
    remember = match["remember"] if match.lastgroup == "remember" else ""
    is_noted = remember.startswith(("note", "record", "write", "jot", "take"))
    is_ours = remember and pattern(r"(?:we|i) (?!.* (?:said|told|asked)\b)\w+ \S+ \W?\w").match(lower)
    if is_ours or (pattern(_CLAUSE).search(lower) and (own or not is_noted)):
        return _unquote(fact)
    return _UNKNOWN if own and remember else None


def _unquote(fact: str) -> str:
    """Return a text without outer quotation marks or a lone ")"; _UNKNOWN if the text is longer than MAX_FACT."""
    pairs = {'"': '"', "“": "”", "「": "」", "'": "'", "『": "』"}
    if fact[-1:] in ")）" and fact.count("(") + fact.count("（") < fact.count(")") + fact.count("）"):
        fact = fact[:-1].rstrip(TRIMMED)
    if len(fact) > 2 and pairs.get(fact[0]) == fact[-1] and fact[1:-1].count(fact[-1]) == 0:
        fact = fact[1:-1].strip()
    return fact if len(fact) <= MAX_FACT else _UNKNOWN
