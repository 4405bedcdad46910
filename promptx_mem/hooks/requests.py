"""Requests to remember, decisions, stress and hints of later use in a person's message, in Chinese and English.

Code, quotations and questions are ignored. In doubt a sentence is not a request, and the wording is left to the agent.

The expressions are in lower case, and most have alternatives with marks: strings of which a text that they match has
one. Only the alternatives that a message can match are compiled, since all of them take longer than a recall.
"""

from promptx_mem.core.text import pattern
from promptx_mem.hooks import first_look
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re

MAX_LENGTH = 20_000
"""Characters of a message that are read."""

MAX_FACTS = 8
_UNKNOWN = ""
"""A request to remember something that is not in this sentence."""

_LIST = "\n"
"""A request to remember the following lines."""

_MAX_FACT = 500
"""Most characters of a fact; a longer one is left to the agent."""

_AROUND = " \t?？,，、:：。.!！;；-–—"

_LEAD_EN = (
    r"(?:(?:ple?as?e|pls|plz|kindly|and|also|but|so|then|ok|okay|now|always|just|yes|no|hey|hi|hello|btw|by the way"
    r"|one more thing(?! to)|from now on|for future reference|in (?:the )?future|for next time|you should|you must"
    r"|you need to|you have to|i want you to|i'd like you to|i would like you to|i need you to|i want to ask you to"
    r"|make sure (?:you|to)|be sure to|try to|do|let's|we should|we must|we need to|it(?:'s| is) important (?:to"
    r"|that you)|(?:it would|it'd) be (?:great|nice|good|helpful|lovely) if you(?: could| would)?|(?:i'd"
    r"|i would) (?:appreciate|like) (?:it )?if you(?: could| would)?|i hope you(?: can| will)?|if you could|i (?:don't"
    r"|do not) want you to(?= forget\b)|can you|could you|would you mind|would you|will you|(?:hey |hi |ok )?(?:claude"
    r"|gemini|codex|assistant|gpt))[,:\s]{1,3}){0,5}"
)
_MISSPELT = r"rem+e?m?e?b[er]{1,3}|reme?mb?[er]{2,3}|rembember|remebmer|rememebr"
_VERBS_EN = {
    ":|：": (
        r"(?P<headed>(?:(?:a |one |another )?(?:quick|short|small|side|important|personal|general) )?"
        r"(?:note|fyi|heads[- ]up|info|context) (?:for|to) (?:you|self|yourself|later|(?:the |all |any |every |your "
        r"|our )*(?:future|next|later|coming)(?: \w+)?)(?: \([^()]*\))?|(?:fyi )?for your (?:memory|records?|notes)"
        r"|(?:just )?so (?:that )?you (?:remember|know for next time)|(?:store|save|log|record|keep track of) (?:this"
        r"|that|it|the following)(?: (?:fact|one|for (?:me|us|later)))?|hold on to (?:this|that|it)(?: (?:fact"
        r"|for later))?|(?:add|create|make|new) (?:a |an |another |one more )?(?:memory|memo))(?=\s?[:：])"
    ),
    "rem|memori|forget|mind|note|record| down": (
        rf"(?P<remember>(?<=if you )(?:{_MISSPELT})ed|{_MISSPELT}|(?<=you mind )remembering|memori[sz]e|(?:don't|dont"
        r"|do not"
        r"|never) (?:you )?(?:ever )?forget(?: about)?|(?<=want you to )forget|keep in mind|bear in mind|take note"
        r"|note down|note|record|jot down|write down|(?:one |an? |another )?(?:more |other |last |final "
        r"|important )?things? to (?:remember|note)(?: is)?)"
    ),
    "mind": r"(?P<object>keep|bear) (?:this|that|it|these) in (?:your )?mind",
    " down": r"(?P<down>write|note|jot|take|put) (?:this|that|it|these|those|the following) down",
    "memory|memories|your notes|your records": (
        r"(?P<store>(?:commit|save|add|store|write|put|record|log|keep|file) (?:(?:this|that|it|these"
        r"|the following) )?(?:to|in|into) (?:(?:your |the |my )?(?:long-term )?memory|your (?:memories|notes|records))"
        r"|(?:add|create|make) (?:a|another) memory)"
    ),
    "note": r"(?P<make>make|take|keep) (?:a |yourself a )?(?:mental )?note(?: of)?",
    "later|next|future|for me|for us|store|save": (
        r"(?P<save>(?:save|store|keep|log|record|hold on to) (?:this|that|it) for (?:later|next time|the future"
        r"|future reference|me\b|us\b)|(?:store|save)(?= (?:that|the fact that)\s[^,.]* (?:is|are|has|was|isn't)\b)"
        r"|store (?:this|that)(?=\W*$))"
    ),
}
_BEGIN_ZH_VERB = r"(?:^|[,，、:：;；\s])"
_BEGIN_EN = r"(?:^|[,:;.(–—]\s{0,3}|\s-\s|\b(?:and|but|then)\s)"
_BEFORE_BAD = (
    r"(?<!i'll )(?<!let me )\b(?:says?|said|saying|reads?|wrote|writes|prints?|printed|translate[sd]?|translation"
    r"|message|title|titled|text"
    r"|error|called|named|todo|fixme|comment|string|label|quote[sd]?|lyrics?|phrase|sentence)\b[^,:;]*[,:]\s*$"
)
_BEFORE_BAD_ZH = (
    r"(?:说过?|写着?|写道|显示|提示|标题|报错|文案|翻译[^,，:：]*|内容是|叫做?|注释|歌词|函数|方法|类|脚本|组件|功能"
    r"|程序)[,，:：\s]*$"
)
_SUBJECT = r"\b(?:i|we|they|he|she|it|users?|people|who|to)\b[^,;:.]*\b(?:and|but|then)\s*$"

_NOUN = (
    r"(?:\s(?:one|thing|things|fact|facts|point|points|info|information|rule|rules|preference|preferences|detail"
    r"|details|note|notes|convention|conventions|list|stuff|important|part|conversation|discussion|all|of|lesson"
    r"|decision))*"
)
_TAIL = (
    r"(?:[,\s]+(?:please|pls|too|as well|well|now|down|ok|okay|thanks|thank you|always|forever|next time|carefully"
    r"|for me|for us|for later|for next time|for the future|for future (?:reference|sessions?|use|conversations?"
    r"|chats?)|in (?:the )?future|in mind|from now on|about me|somewhere|later|going forward|when(?:ever)? you.*"
    r"|when(?:ever)? we.*|for (?:the |my |our |your |any |all |future )?(?:\w+ )?(?:suggestions?|plans?|planning|tasks?"
    r"|work|questions?|answers?|sessions?|projects?|recommendations?)|i (?:just )?(?:said|told you|mentioned|wrote)"
    r"|that i .*|in (?:your |the )?(?:long-term )?memory))*"
)
_POINTER = (
    r"(?:(?:all (?:of )?)?(?:this|that|it|these|those|them)|everything(?: (?:i|we|you) .*)?|(?:all )?the above"
    rf"|the following|what (?:i|we) .*){_NOUN}{_TAIL}"
)
_LABEL = (
    r"(?:(?:for (?:later|me|next time|the future|future reference)|in memory|this|that|these|it|down|the following"
    r"|something|(?:just )?one (?:more )?thing|a few things|some things|(?:these )?(?:two|three|four|few"
    rf"|\d) (?:things|facts|points|rules)){_NOUN}(?: for (?:all|every|each|this|the|our|my|any|next|later"
    r"|future) [^:：,.]{1,30})?\s*)?[:：]\s*"
)
_PAST = (
    r"(?:that (?:time|day|night|one time|moment|bug|song|movie)\b|(?:i|we|you) (?:told|said|talked|discussed|mentioned"
    r"|spoke|used to|tried|did|had|saw|were|was|asked|once|already|just)\b|when\b|how\b|where\b|who\b|why\b|what\b|if\b"
    r"|whether\b|me\b(?! (?:as|by)\b)|last\b|him\b|her\b|yesterday\b)"
)
_LASTING = (
    r"(?:to )?(?:always|never|not|avoid|only|prefer|don't|do not|no)\b|to\b.*\b(?:always|never|every time|each time"
    r"|whenever|from now on|in (?:the )?future|going forward|next time)\b"
)
_CLAUSE = (
    r"\b(?:is|isn't|are|aren't|was|were|has|have|hasn't|haven't|had|must|mustn't|should|shouldn't|can|can't|cannot|will"
    r"|won't|do|does|don't|doesn't|never|always|uses?|runs?|needs?|owns?|likes?|loves?|hates?|prefers?|wants?|works?"
    r"|lives?|lies|goes|requires?|means?|expects?|allows?|supports?|stays?|starts?|ends?|becomes?|comes?|takes?|keeps?"
    r"|holds?|deploys?|fails?|breaks?|speaks?|reads?|writes?|costs?|belongs?|depends?|contains?|listens?)\b|[:=\d]"
    r"|'s \w+|'re\b|'m\b"
)
_SUBORDINATE = (
    r"(?:if|when(?:ever)?|as|while|since|before|after|because|although|though|once|until|unless|for|in|on|at|like)\b"
)
_ADVERB = (
    r"\s+(?:forever|always|well|please|also|carefully|permanently|for (?:the future|future \w+|later"
    r"|next time))(?=,?\s+that\b|\s*:)"
)
_LEADS_IN = r"(?:(?:the fact that|down that|that)\s+(?=\S))?(?:this for (?:later|next time|the future)[:,]\s*)?"
_THAT = r"(?:that|the fact that)\s"
_FILE = r"(?:in|to|into|on|at)\b(?! (?:your |the |my )?(?:long-term )?(?:memory|mind)\b)"

_LEAD_ZH = (
    "(?:请注意|请|麻烦|帮我|帮忙|替我|你|您|要|得|需要|必须|务必|一定|千万|好好|给我|另外|还有|对了|那|也|以后|永远|都|先|一下|我希望|我想让|我要|希望|"
    "把这个|这个|这一点|这点|这些|这条|并且|并|然后|同时|所以|顺便|记得|能不能|能否|可不可以|可否|能|可以|可|再|就|只|最后|首先){0,5}"
)
_NOT_A_FEATURE = (
    r"(?!我\s|我?(?:的)?(?:密码|账号|账户|登录|功能|选项|按钮|状态|复选框|用户名|设置|滚动|位置)(?!\s?(?:是|为|叫|在|用"
    r"|[:：=])))"
)
_VERBS_ZH = {
    "记": (
        rf"(?:牢牢|好好|永远|时刻)?地?(?:记住|牢记|谨记|铭记|记好|记着|记牢){_NOT_A_FEATURE}(?:了(?=[:：,，\s]|$)|一下"
        r"|下来)?"
    ),
    "忘|记得": (
        r"(?:别忘记?了?|不要忘记?了?|不能忘记?了?|勿忘|记得)(?=[:：,，]?\s*(?:我|以后|每次|永远|所有|总是|都|咱|本项目"
        r"|这个项目|这项目|用户|不要|不能|不准|不许|别|禁止|千万|绝不|从不|(?:这个|这一?点|这些|这件事"
        r"|这条)(?:[。！!，,\s]|$)))|(?:别忘记?了?|不要忘记?了?|不能忘记?了?|勿忘)(?=[^,，。]{1,12}(?:不能|不可以|不得"
        r"|禁止|不允许|不准|归|属于|叫)[^,，。])|以后(?:都|请|要)?记得(?=[^吗?？]{4,})|千万(?:别"
        r"|不要)忘记?了?(?=[^,，?？]{4,})|(?:别|不要)忘记?了?(?=[^,，?？]{1,14}(?:到期|讨厌|需要|关门|开门"
        r"|[一二三四五六七八九十\d] ?[点号%]|喜欢|过敏|住在|改成|换成|搬|没有|从[^,，]{1,8}开始|(?<=..)[只是]))"
        r"|(?:别忘记?了?|不要忘记?了?|勿忘)[:：,，]\s*(?=[^,，。]{1,20}(?:是|在|有|叫|不|没|只|为|归|属于|等于))"
    ),
    "记一|记下|记个|记在": (
        r"记(?:一下|下来|下|个?笔记|[个件]事|一笔|在心里)(?=[,，:：。!！\s]|我|这|那|用户|以后|咱|本项目|$)"
        r"|(?<=[我忙])记(?:一下|下来|下)(?=[^\s我这那]{4})"
    ),
    "保存|存一|存下|存好|存这|收录": (
        r"(?:保存|留存|存|收录|记录)(?:一下|下来|(?:这|以下|下面的?|下列)[条个些项点]?"
        r"(?:信息|内容|事实|知识|规则|偏好|约定|情况)?)(?=[:：])"
    ),
    "笔记|备忘|备注|记录": (
        r"(?:(?:做|写)个?(?:笔记|备忘)|留[个条](?:笔记|备忘|记录|备注))(?=[,，:：。!！\s]|$)|备忘(?=[,，:：])|备注(?:一下)?(?=[,，:：])"
    ),
    "记录": (
        r"(?:记录|记录一下|记录下来|记录下)(?=[,，:：]|(?:我|咱)(?:们)?(?!们?的?(?:操作|日志|行为|点击|请求))|这(?:个"
        r"|一?点|些|条|件事)?(?:[。！!，,\s]|$)|(?:本|这个?)(?:项目|仓库)[^,，]{0,12}(?:用|是|有|要|不)|以后|用户(?:叫"
        r"|是|喜欢|不|偏好|习惯|讨厌|要求|[^,，]{1,8}(?:是|为|[:：]))|[。！!\s]*$)"
    ),
    "记忆|脑子": (r"(?:存|记|写|加|保存|记录|放|添加)(?:到|入|进|在)(?:你的|你)?(?:长期)?(?:记忆|脑子)(?:库|里|中)?"),
}
_TAKEN_ZH = (
    r"(?:^|[,，;；\s])(?P<no>[^,，;；记]{0,8}?)(?:把|将)(?P<what>[^,，]+?)(?:记住|记下来?|记录下来|记录一下|记一下|牢记"
    r"|(?:存|记|写|加|保存|记录|放)(?:到|入|进|在)(?:你的|你)?(?:长期)?记忆(?:库|里|中)?)(?:了|吧|哦|啊"
    r"|一下)?(?P<more>[:：,，].*)?[。！!\s]*$"
)
_SUFFIX_ZH = (
    r"(?:请|帮我|你要|你|一定要|务必|麻烦你?){0,8}(?:记住|记下来|记下|记一下|记录一下|记录下来|记好|别忘了|不要忘了?"
    r"|不要忘记|存(?:到|入)记忆|写入记忆|加入记忆)(?:了|吧|哦|啊|这一?点|这个|一下|它|哈|没有?|吗)*[。！!?？]*\s*$"
)
_NEGATED_ZH = (
    r"(?:不要|不用|不必|别|无需|无须|没必要|不需要|不想|没|不|未|能|会|才|就|(?<![帮替给])我|已经?|难|怎么|如何"
    r"|忘了?)\s*$"
)
_POINTER_ZH = (
    r"(?:我)?(?:这一?(?:个|点|次|条|句话|件事|几点|些)|这几点|这些|这|那个|那些|那一?点|它们?|此事|(?:以上|上面|上述"
    r"|刚才|刚刚|前面|上一条)(?:我)?(?:的|说的|讲的|提到的|说过的|这些)?|(?:一|几|[两三四五六]|下面"
    r"|以下)[一两几三四五]?(?:件事情?|点|条|个(?:规则|约定|要求|事实|偏好))|以下|下面|我(?:刚才|刚刚|上面"
    r"|前面)?说的(?:话|这些)?)(?:所有|全部)?(?:内容|话|信息|规则|规定|约定|要求|事|事情|事实|偏好|习惯|东西|点|几点"
    r"|对话|决定|设定|设置|结论|要点|教训)*(?:都)?(?:了|吧|哦|啊|哈)*"
)
_PARTICLES = "没啊呀哦吧了哈嘛呢吗有噢喔"
_END_ZH = (
    r"(?:(?<![,，\s])[,，\s]*(?:好吗|可以吗|行吗|好不好|好么|行不行|谢谢你?|多谢|拜托了?|吧|哦|哈|呀)|吗)[。！!?？\s]*$"
)
_END_EN = (
    r"(?<![,\s])[,\s]+(?:please|pls|ok|okay|alright|thanks|thank you|thx|will you|would you|could you|for me)[.!?\s]*$"
)

_HIDDEN = "\ue000"
_MASKED = (
    r"(?s)```.*?(?:```|\Z)|`[^`\n]*`|https?://[^\s，。；]+|(?:^|(?<=\n))[ \t]*>[^\n]*|“[^”\n]*”|「[^」\n]*」"
    r"|『[^』\n]*』|《[^》\n]*》|\"[^\"\n]*\"|(?<![\w])'[^'\n]*'(?!\w)"
)
_AGAIN = (
    r"[,，;；]\s*(?:(?:and|but|also|then|plus)\s|并且?|还有|另外|同时|也)?\s*(?=(?:please |also |then |do |请|也"
    r"|再)*(?:(?:remember|note|don't forget|keep in mind)(?: that\s(?!for\b|when\b|if\b)|:)\s*\S|(?:记住|牢记"
    r"|别忘了)[,，:：]?[^。！!了这那]))"
)
_THANKS = (
    r"\W*(?:thanks|thank you|thx|great|perfect|nice|cool|good|awesome|excellent|well done|ok|okay|yes|no|wow|sorry)\b"
    r"|(?:谢谢|多谢|好的|很好|不错|太好了|太棒了|可以了|行了?|对了?|辛苦了?)(?:[,，。!！\s]|$)"
)
_END = r"[\n。！？!?]+|(?<!\.)\.+(?=\s|$)"
_ABBREVIATED = r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|no|st|approx|\w))$"
_QUESTION = r"(?:how|what|why|where|which|who|do you|does|did|is (?:it|this|that)|are|can we|should (?:i|we))\b"
_QUESTION_ZH = r"(?:吗|[了过]没有?|呢|么)[。！!]*\s*$|^(?:如何|怎么|怎样|为什么|什么|是不是|是否|哪)"
_POLITE = {
    "you": (
        r"^(?:if (?:it's|it is|you) [^,]{1,40},\s*)?(?:(?:hey|hi|ok|okay|also|and|btw|please)[,\s]+){0,3}(?:can|could"
        r"|would|will) you (?:please |also |just |kindly ){0,2}(?=(?:remember|note|keep|make|take|write|save|store"
        r"|memori[sz]e|jot|record|bear|add|commit|put)\b)|^would you (?:please )?mind (?=remembering\b)"
    ),
    "记": (
        r"^(?:你|请问你?|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?:请|帮我|帮忙|替我|也|先){1,2}(?=[^?？]{0,40}记)"
        r"|^(?:你|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?=(?:记住|记下|记一下)[^?？]{0,3}我)"
        r"|[,，]\s*记住了?(?:没有?|吗)[?？]\s*$"
    ),
    "ok|alright|please|you": r"[,，\s](?:ok|okay|alright|please|will you|would you|could you)[?？]\s*$",
    "好|行|可以": r"[,，\s](?:好吗|可以吗|行吗|好不好|好么|行不行)[?？]\s*$",
}
_STRESS = {
    "重要|关键|重点": (
        r"(?:^|[^不没])(?:这|那|此)(?:个|件事|一?点|条|些|项)?[^,，。]{0,8}?(?:很|非常|特别|十分|极其|极为|相当|真的|最"
        r"|尤其|超级?)(?:的)?(?:重要|关键)|(?:^|[,，]\s?)(?:重要|重点|关键)(?:的是)?\s*[:：!！]|这(?:个|点|一点"
        r"|里)?是(?:最)?(?:重点|关键)(?!字|词|帧|路径)|至关重要|非常重要"
    ),
    "important|crucial|critical|essential|vital": (
        r"\b(?:this|that|it)(?:'s| is) (?:really |very |super |extremely |critically |absolutely |so "
        r"|quite )?(?:important|crucial|critical|essential|vital)\b(?! of\b)|^\W*(?:important|crucial)\s*[:!]|\b(?:most"
        r"|very) important(?:ly)? (?:thing|point|of all)\b"
    ),
}
_LATER = {
    "下次|下回|以后|今后|往后|将来|日后": (
        r"(?:下次|下回|以后|今后|往后|将来|日后)[,，]?(?:如果|要是|当)?(?:我(?:再|一|们)?[^,，。]{0,6}?(?:提|说|问|用"
        r"|来|要|讲|聊|遇)|再?(?:提到|说到|问到|遇到|聊到)|都(?:要|用|按|不)|每次|一律|统一)"
    ),
    "next time|when|from now on|going forward|future|later|again": (
        r"\bnext time (?:i|we|you)\b|\bwhen(?:ever)? i (?:mention|say|ask (?:about|for)|refer to|bring up)\b"
        r"|\bfrom now on\b|\bgoing forward\b|\bfor future reference\b|\bin (?:the )?future,? (?:i|we|you|please|always"
        r"|never|use|don't)\b|\b(?:i|we)(?:'ll| will) (?:need|use|ask|come back to|refer to|mention) (?:this|that"
        r"|it)\b[^.]{0,20}\b(?:later|again|next time)\b"
    ),
}
_FILLER = (
    r"(?:(?:ok|okay|fine|then|so|well|all ?right|right|great|good|yes|yeah|hey|and|also|btw|fyi|by the way|好的?|行|嗯"
    r"|那么?|对了|另外)[,，:：!！\s]+)+"
)
_WE = (
    r"(?:we|i|(?:the|my|our) (?:whole )?(?:team|group|board)|everyone|it)(?:'ve|'re|'m|'ll|'s| have| are| am| has| is"
    r"| was| will)?(?: going to)? (?:(?:all|just|finally|now|already|both|also|only|always|never) ){0,2}"
)
_TIME = (
    r"(?:from (?:now|here) on(?: out)?|in future|going forward|(?:starting|as of) (?:today|now|tomorrow|next \w+)"
    r"|from (?:\w+day|next month) on|from (?:today|tomorrow|next week)(?: on)?)"
)
_DECIDES = {
    "we|i |i'|team|group|everyone|it ": (
        rf"(?:(?:after|following|at|in|today|yesterday|last|this)\b[^,]{{0,60}}?,? "
        rf"|[a-z ]{{6,50}} and )?{_WE}(?:decided(?: \w|: ?\S)"
        r"|agreed (?:to|on|that|not to)|settl(?:ed|e|ing) (?:on|for)|cho(?:se|sen)\b(?! to\b)|opted (?:for|to)"
        r"|picked\b(?! (?:this|that|it)\b)|committed to|resolved to|voted(?: (?:for|to|against)|[,:])|concluded that"
        r"|(?:go|going|gone|went) (?:with|for)|stick(?:ing)? (?:with|to)|(?:made|make) (?:up )?(?:my|our|a) (?:minds?"
        r"|decision)|(?:switch|mov)(?:e|ed|ing)? (?:to|from|(?:the|our|my) \S+ to)|standardi[sz](?:e|ed|ing) on"
        r"|adopt(?:ed|ing)?\b|dropp(?:ed|ing)\b|replaced \S.* with|want to (?:go with|keep)|choose (?:the|to)|(?:keep"
        r"|continue) [a-z]+ing\b|only (?:support|use|ship|accept)\b|prefer (?!not)[^,.]{1,40} (?:to|over) \S"
        r"|use [^,.]{1,60} (?:rather than|instead of|everywhere|only|for (?:all|every|each))\b|be using|no longer \w)"
    ),
    "decided|agreed|settled|decision|verdict|choice|final:|fixed:|set:|ing with|ing to|from |future|as of|start|ward": (
        r"(?:decided|agreed(?: then)?|(?:so )?we're agreed(?: then)?|settled|(?:the |our |my |final |team )*(?:decision"
        r"|verdict)|(?:our|my) choice)(?:[:,]| is:?| was:?) \S|(?:the |our )?(?:plan|name|date) is (?:final|fixed"
        r"|settled|decided|set):|(?:it'?s|that'?s) (?:decided|settled|agreed|final)[:,. ]+\S"
        r"|(?:(?:the )?team )?(?:decided|agreed|going with|settled on|switching to|sticking with) \S+ \S"
        rf"|(?:let's|no) .{{3,100}}{_TIME}\W*$|[^?]{{6,}}: .{{3,100}}{_TIME}\W*$|(?:{_TIME},? )(?:we|all|every|each|no"
        rf"|the|our|reviews?)\b[^?]{{6,}}$|(?:we|i)(?:'ll| will)? [a-z]+ .{{3,100}}{_TIME}\W*$"
    ),
    "we|i |i'm|approved|agreed|signed": (
        r"(?!.*\b(?:this|that|here|for now|tomorrow|again|page|tests? first)\b)(?:.{2,80}?(?:[,:;] (?:so |then |and )?"
        r"| and ))?(?:we|everyone|the team)(?:'ve|'re|'ll| have| are| will)?(?: (?:all|both|just|finally|now|only"
        r"|going to)){0,2} (?:go(?:ing)? (?:with|for|all in)|stay(?:ing)? (?:on|with|at)|keep(?:ing)? (?:the|our|using"
        r"|supporting|[a-z.]+\W*$)|rul(?:e|ing|ed) out|replac(?:e|ing) \S.* (?:with|by) |drop(?:ping)? (?!the table))"
        r"|(?:we|i)(?:'re| are|'m)? (?:won't|will not|will no longer|not going to) (?:use|support|have|do|ship|offer"
        r"|allow|keep|build|need|accept|hire)\b|we(?:'ll| will| are going to|'re going to) (?:only |always "
        r"|now )?(?:use|release(?! memory)|deploy|ship|support|host|name|call|pin|stay|buy) (?!it\b"
        r"|them\b)(?!.*\b(?:this|that|here|for now|tomorrow|again|later)\b)|(?:the |our )?\w+ (?:has "
        r"|have )?(?:approved|agreed|signed)\b[^,:]{0,20}(?:[,:] (?:we|the|all|no)\b|: \S)|[^?]{6,100}[,;] (?:we"
        r"|everyone|the team) (?:all )?agreed\b.{0,12}$|we(?:'ll| will)? \w+ [^,.]{1,40} and not (?:with |to |on "
        r"|in )?\S"
    ),
    "let's|lets|let us| it is| it will be": (
        r"let(?:'s|s| us) (?:(?:call|name) (?:the|our) \S|go (?:with|for)|stick (?:with|to)|settle (?:on|for)|switch to"
        r"|standardi[sz]e on|adopt|stay (?:with|on)|agree (?:on|to|that)|keep (?:the|our|using|[a-z]\w+ and)"
        r"|drop [^,.]{1,40} (?:and|in favou?r)|use [^,.]{1,60} (?:instead of|rather than|everywhere|from now on"
        r"|for (?:all|every|the|our)|as (?:the|our))|make (?!an?\b|it\b|sure\b|this\b)[^,]{1,40} (?:our|the) \w+"
        r"|not (?:use|support|add|ship|buy)\b)|(?!that's|\w*ever\b|what|how|as\b"
        r"|it\b)[\w.+#-]{2,30}(?: [\w.+#-]{1,30})? it (?:is|will be)\b(?=,? then\W*$|\W*$|, go ahead\b)"
    ),
}
_BEGIN_ZH = (
    r"^(?=[^吗?？]{4,}$)(?:(?:经过?|讨论|商量|考虑)[^,，]{0,8}[,，]|[^,，把将请帮]{0,8}(?=我们|咱|大家|团队|最终"
    r"|最后))?"
)
_DECIDES_ZH = {
    "定|商量|说好|同意|选|拍板|达成|谈好|想好|放弃|坚持|保持|改|换成|统一|一律|不|替|取代|结论|用|聊过|批|比较": (
        r"(?:我们?|咱们?|团队|大家|全?组里?|项目组|会上|开会|最[终后]|已经|一致|都|还是|刚|[今昨]天|上周|商量后?"
        r"|经?过?讨论后?|投票|打算){1,5}(?:决定|商[定量]|说好|约定|同意|敲定|[选确]定|定(?:下来|[了为在])|选|拍板"
        r"|达成一致|打定主意|谈好|想好|放弃|坚持|保持|继续用|改[用成]|换成|采用|统一|一律|弃用|不再|不(?:做|用|支持|上"
        r"|考虑|接|招|维护|发)[^,，]+了|用[^,，]+(?:代替|取代|替换|[,，](?:而?不(?:用|再|是)))|把[^,，]+(?:改成|换成)"
        r"|就?这么定)(?!性|权|论|因素|书|一下|树|于|项|哪|什么|中|按钮)|(?:那?就?|[^,，]{1,8}?)(?:决定|商定|说好|说定"
        r"|约定|敲定|选定|商量好|拍板|定|确定|结论)(?:了|好|下来)?[,，:：](?=.{4})|[^,，]{1,10}?(?:聊过|谈妥|比较过"
        r"|批准?)了?[^,，]{0,4}[,，:：](?=[^,，]{0,8}(?:买|用|改|挪|换|不|采|定|放|搬|选|按|统一|\d|倾向))"
        r"|(?:会议)?(?:结论|决定)(?:是|[:：])|(?:讨论下来[,，])?[^,，把将请帮]{0,6}(?:改用|换成|采用"
        r"|不?用)[^,，]{1,20}[,，](?:而?不(?:是|用|选|再)|改用|换成)"
    ),
    "以后|今后|从现在|下周|从今|从明天|从下|从本周|往后|规矩|们就不|就这么办|通过|确认过|批准": (
        r"[^,，把将请帮?？]{0,10}(?:以后|今后|往后|从现在(?:起|开始)|从今[天以]?[起后]|从(?:今天|明天|下周|下个?月"
        r"|本周)(?:起|开始)|下周[一二三四五六日]起)[,，]?[^,，]{0,12}?(?:就|都|统一|一律|全部|所有|只|不|必须|先|每|用"
        r"|按(?!钮)|内完成)(?!说|可能)|(?:往后|今后|以后)[,，]?(?:禁止|必须|不许|一律|不准)(?!的)"
        r"|[^,，]{4,30}[,，]就这么办|[^,，]{0,6}(?:评审|方案|提案|老板|会上|投票)[^,，]{0,4}(?:通过了?|确认过"
        r"|批准了)[,，][^,，]{0,8}(?:采用|不|改|用|继续|放弃|换|按)"
    ),
    "还是|就|定|统一|放弃|换成|保留|不再|用|听你的|我们|选了|咱|大家": (
        r"(?!.*(?:一下|看看|试|这[个里次]|先|用例))(?:[^,，]{2,20}[,，:：])?(?:我们|咱们?|大家|团队)(?:[都只要会就]"
        r"|全面|全部|一致){0,3}(?:挑|留在|转(?![发圈])|换[成到用]|保留|排除|改主意|同意(?!吗)|不(?:支持|接受)"
        r"|[把从][^,，]{1,16}(?:换|转|迁|搬|改)[成到为]|在[^,，]{2,12}(?:发布|上线|部署))"
        r"|[^,，]{1,12}我们(?:就?不(?:支持|用|做)|排除|放弃|砍掉)了|[^,，]{1,10}(?:就叫|统一(?:为|成))[^,，]"
        r"|[^,，]{2,20}[,，]大家都?(?:没意见|同意)|(?:我们?|咱们?)(?:的选择是|会?继续(?:用|支持|保留|维护)|更倾向)"
        r"|不(?:讨论|争)了[,，](?=.{4})|(?!.*(?:一下|看看|试|这[个里次]"
        r"|先))[^,，]{0,8}就(?:[定选用]\s*[^,，]{2,16}(?:吧|了|$)|\s*[a-z][a-z0-9 .+#-]*(?:了|吧))[。！!]*$|我看(?:就"
        r"|还是)用[^,，]{2,}|(?:那|好|那么)?[,，]?(?:我们|咱们?)?(?:还是|就)(?:按|照|用|选|走|定|采用)(?!户"
        r"|例)[^,，]{2,}(?:来|吧|走|了)[。！!]*$|[^,，把将请帮]{1,10}(?:定(?:下来)?了[:：,，]|最终(?:定|选)[^,，]{2,}$"
        r"|最终定[为在]|统一(?:用|采用))|.*[,，]就这么定了[。！!]*$|(?:同意|行|好)[,，](?:就|我们)?(?:放弃|采用|改用"
        r"|换成|保留|不再|用)|(?!.*(?:一下|看看|试|再跑|找))(?:(?:agreed|ok|okay|行|好|可以|同意"
        r"|没问题)[,，]?\s*)?(?:听你的[,，]|我们|那就|就|[a-z ]{1,20}就)[^,，]{0,6}(?:用|走|按(?=方案|你|第)|选"
        r"|go with)\s*(?:[a-z]|第[一二三]|你说的|方案)|(?:[^,，]{2,8}[,，])(?:还是用|选了)|采用(?:你|第"
        r"|方案)(?!.*(?:什么|问题))"
    ),
}
_UNDECIDED = (
    r"\b(?:if|whether|unless|maybe|perhaps|might|suppose|supposing|imagine|assuming|hypothetically|should we|could"
    r"|would|haven't|hasn't|not (?:yet )?decided|(?:until|once|when|before) we|try|tried|tutorial|to see|find out"
    r"|look into|fix (?:it|this)|agreed to (?:review|help|meet|call|check)|(?:other|another|different|that"
    r"|this) (?:branch|file|tab|window|topic|name)|(?:go|going|went|gone) (?:with|for) (?:that|it|this|you|him|her|them"
    r"|a|an|lunch|dinner|my kids)|picked (?:up|(?:a|the) (?:bug|ticket))|decide later|wrong|take a break|drop the table"
    r"|still fail(?:s|ed)?|nothing yet|so next|(?:the|our) next (?:\w+ )?(?:item|file|step|task)|(?:for|until) (?:these"
    r"|the) tests?|for this (?:bug|pr|test)|no longer (?:get|see) (?:the|this|that)|call the \w+ (?:from|in|with|on))\b"
    r"|选错|写这个|去吃饭|第.{1,3}行|如果|要是|假如|假设|是否|要不要|还没|没有?(?:决定|想好)|尚未|未决定|再决定|谁决定"
    r"|怎么|万一|也许|可能|或许|考虑一下|正?在考虑|写法|当年|早年|打算(?!定)|试试|比方|(?<![和跟与])客户(?!端)|[他她]们?"
    r"|别人|对方|哪个"
)
"""A sentence that leaves the choice open, or is about other people or the work at hand."""

_HEADED = {
    "记:|记：": r"^(?:请|麻烦|帮我|你|先)*记[:：]\s*(?=\S)",
    "用到": r"^(?:这个|这些)?(?:将来|以后|今后|日后)(?:还|都|可能)?会用到(?:的)?[:：,，]\s*",
    "强调": r"^(?:我)?(?:再|要)?强调(?:一下|一点|下)[:：,，]\s*",
    "从现在|从今": r"^(?=从(?:现在|今天|今)(?:起|开始)(?!.*(?:看[下看]|删掉|没用|失败|报错|为什么|计)))",
    "from ": (
        r"^(?=from (?:now|here) on(?: out)?,? (?:please )?(?:answer|reply|respond|write|speak|use|call|address|always"
        r"|never|do not|don't|keep)\b)"
    ),
    "for future|next time": r"^(?:(?:just so )?you should know,? )?for (?:future reference|next time)[,:]\s*",
    "to remember:": r"^(?:let me tell you |here is |one )?(?:something|thing) to remember:\s*",
    "偏好|记忆": r"^把我的偏好(?:更新|改)[成为][:：,，]?\s*|^更新(?:一下|下)?(?:你的)?记忆[:：,，]\s*",
    "memory": r"^(?:please )?update your memory(?: with)?[:,]?\s+(?=\S)",
}
"""Beginnings of a fact without a verb of remembering."""

_QUOTED = r"`[^`]*(?:记|remember)|```|[“\"「『《][^”\"」』》]*(?:记|remember)"
_STORES_ZH = (
    r"(?:记(?:住|好|着|牢|心里|在心里)|(?:记录?|存|标记|备注)一下|记下来?|存(?:着|好)|(?:不要|别)忘记?了?"
    r"|remember(?: 一下)?|加一?条记忆|供(?:以后|今后|将来)参考|注意并记住|记到(?:你的)?(?:笔记|备忘)里)(?:这条信息"
    r"|这件事)?[啦了哈啊呀哦噢吧嘛]*"
)
_BEGINS_ZH = (
    r"(?:[^,，。:：不没怎问]{0,12}[,，]\s*)?(?!.{0,8}(?:怎么|如何|已经|还|没))(?:(?![不没怎我])(?:[^\W\d_a-z]|\s)"
    rf"|帮我){{0,6}}{_STORES_ZH}(?:[:：,，。]\s*|(?=(?:周|星期|每|这|明|下)[^,，。]{{5,}}|(?!我)[^,，。]{{2,12}}(?:每"
    r"|都会|是)[^,，。]{2,}))(?P<fact>[^?？]{4,})$"
)
_ENDS_ZH = (
    r"(?P<fact>[^?？。]{6,}?)[,，。]\s*(?:(?:将来|以后|今后)(?:还|都|可能)?会?用[到上][,，]\s*)?(?:请|你|帮我"
    rf"|麻烦){{0,3}}{_STORES_ZH}[。！!]*$"
)
_STATES_ZH = (
    r"(?s)(?!然后|再|先|继续|请|把)(?!.*(?:多少|哪|怎么|什么|几个|是不是|对不对)).*(?:(?<!所)有|[是在要不为用会只停]"
    r"|\d)"
)
_BEGINS_EN = (
    r"(?:(?:hey|um|so|fyi|ok|please|and|as i said)[, ]+){0,4}(?:put (?:this|that|it) in(?:to)? your notes"
    r"|update what you know about me|let me tell you something to remember|just so you remember"
    r"|note to self(?: ?/ ?to you)?|in (?:the )?future,? keep in mind(?: that)?|remember (?:it"
    r"|this)(?: this time)?(?=,))[:.,]?\s+(?P<fact>[^?]{4,})$"
)
_STORED = ("记", "忘", "存", "备注", "参考", "remember", "notes", "know about me", "note to self", "mind")
"""A request at one end of a message, and its marks."""

_TASK = {
    "and|then|also": (
        r"(?<!\s)[,，;；.]?\s+(?:and|then|and then|also)\s+(?:please |now |then |also )*(?:(?:can|could) you )?(?:fix"
        r"|write|add|update|refactor|implement|create|explain|show|check|help|continue|rename|review|commit|delete"
        r"|remove|start|open|finish|find|debug|run|test|deploy|translate|summari[sz]e|build|generate|run the"
        r"|run my) (?:the|this|that|my|me|a|an|it|all)\b.*$"
    ),
    "然后|接着|顺便|另外|再|并|帮我|给我|替我": (
        r"[,，;；]\s*(?:(?:然后|接着|顺便|另外|再|并且|并)(?:请|麻烦)?(?:你)?(?:帮我|给我|替我|帮忙|继续|开始|去|把"
        r"|更新|推荐|找|查|翻译|总结|列|运行|部署|修复|检查|生成|看|写|改|修|跑)|(?:请|麻烦)?(?:帮我|给我"
        r"|替我)(?!记)).*$"
    ),
}
"""A task after a fact."""

_SHORTEST = 4
"""Characters of a text that is printed to be stored."""

_ITEM = r"\s*(?:[-*+•]|\(?\d{1,2}[.)、）])\s*(?=\S)"
_LOG = r"(?:^|\n)[^\n]{0,80}\b(?:error|warning)(?:\[\w+\])?:"


class Requests(NamedTuple):
    """`facts`: the texts to remember, in the user's own words; empty if the text of a request is unclear."""

    facts: tuple[str, ...] = ()
    stress: bool = False
    later: bool = False
    decisions: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts) or bool(self.decisions) or self.stress or self.later


class _Sentence(NamedTuple):
    """A part of the message; `mask` is as long, with quotations and code hidden."""

    text: str
    mask: str
    end: int


def _form(alternatives: dict[str, str], text: str) -> str:
    """Return the alternatives of an expression that may match a text; empty if there are none."""
    return "|".join(form for marks, form in alternatives.items() if any(mark in text for mark in marks.split("|")))


def _search(alternatives: dict[str, str], text: str, begin: str = "") -> "re.Match[str] | None":
    form = _form(alternatives, text)
    return pattern(f"{begin}(?:{form})").search(text) if form else None


def read(message: str) -> Requests:
    """Find the requests and decisions in a message, in order."""
    message = message[:MAX_LENGTH]
    facts: list[str] = []
    decisions: list[str] = []
    stress = later = False
    before: list[str] = []
    stop = 0
    is_log = pattern(_LOG).search(first_look.simplified(message)) is not None
    for sentence in _sentences(message):
        if sentence.end <= stop:
            continue
        if _is_question(sentence.mask) and not _search(_POLITE, sentence.mask):
            before = [""]
            continue
        fact = None if is_log and sentence.mask[:5] == "note:" else _asked(sentence.text, sentence.mask)
        if not fact and (headed := _search(_HEADED, sentence.mask)):
            fact = sentence.text[headed.end() :].strip(_AROUND) or fact
        if fact and fact != _LIST:
            fact = _without_task(fact)
        if fact == _LIST:
            items, stop = _items(message, sentence.end)
            facts += items or [_UNKNOWN]
        elif fact is not None:
            # "remember this" refers to the sentence before, if there is only one.
            alone = len(before) == 1 and fact == _UNKNOWN and not pattern(_THANKS).match(before[0].lower())
            facts.append(before[0].strip(_AROUND) if alone else fact)
        elif decision := _decision(sentence):
            decisions.append(decision)
        stress = stress or bool(_search(_STRESS, sentence.mask))
        later = later or bool(_search(_LATER, sentence.mask))
        before.append(sentence.text)
    if not any(facts) and not decisions and (fact := _stored(message)):
        facts = [_without_task(fact).strip(_AROUND)]
    facts = [fact if len(fact) >= _SHORTEST else _UNKNOWN for fact in facts]
    return Requests(
        tuple(dict.fromkeys(facts))[:MAX_FACTS],
        stress,
        later,
        () if is_log else tuple(dict.fromkeys(decisions))[:MAX_FACTS],
    )


def _is_question(mask: str) -> bool:
    if mask.rstrip().endswith(("?", "？")) or pattern(_QUESTION).match(mask):
        return True
    return not mask.isascii() and pattern(_QUESTION_ZH).search(mask) is not None


def _without_task(fact: str) -> str:
    task = _search(_TASK, first_look.simplified(fact))
    return fact[: task.start()] if task else fact


def _stored(message: str) -> str:
    """Return the fact of a short message that a request begins or ends; empty if there is none."""
    plain = first_look.simplified(message)
    marked = len(message) <= _MAX_FACT and any(mark in plain for mark in _STORED)
    if not marked or "\n" in message.strip() or _is_question(plain):
        return ""
    english = pattern(_BEGINS_EN).match(plain)
    match = english or pattern(_BEGINS_ZH).match(plain) or pattern(_ENDS_ZH).match(plain)
    if not match or pattern(_QUOTED).search(plain):
        return ""
    fact = message[slice(*match.span("fact"))]
    return fact if english or pattern(_STATES_ZH).match(fact) else ""


def _decision(sentence: _Sentence) -> str:
    """Return the whole sentence if it states the person's decision; empty if the decision is open."""
    if not _form(_DECIDES, sentence.mask) and not _form(_DECIDES_ZH, sentence.mask):
        return ""
    filler = pattern(_FILLER).match(sentence.mask)
    start = filler.end() if filler else 0
    mask = sentence.mask[start:]
    if _HIDDEN in mask[:2] or not (_search(_DECIDES, mask, "^") or _search(_DECIDES_ZH, mask, _BEGIN_ZH)):
        return ""
    text = sentence.text[start:].strip(_AROUND)
    return text if _SHORTEST <= len(text) <= _MAX_FACT and not pattern(_UNDECIDED).search(mask) else ""


def _items(message: str, at: int) -> tuple[list[str], int]:
    """Return the list items, or else the one paragraph, that follow a colon; and where they end."""
    block = message[at:].lstrip("\n").partition("\n\n")[0]
    end = message.find(block, at) + len(block)
    lines = [line for line in block.split("\n") if line.strip()]
    items = [line[match.end() :].strip() for line in lines if (match := pattern(_ITEM).match(line))]
    if items:
        return (items if len(items) == len(lines) <= MAX_FACTS else []), end
    return ([block.strip(_AROUND)] if len(lines) == 1 else []), end


def _sentences(message: str) -> list[_Sentence]:
    quotes = any(mark in message for mark in ("http", *"`>“「『《\"'"))
    mask = first_look.simplified(pattern(_MASKED).sub(lambda match: _hidden(match[0]), message) if quotes else message)
    out, at = [], 0
    for match in pattern(_END).finditer(mask):
        if match[0][0] == "." and pattern(_ABBREVIATED).search(mask[max(at, match.start() - 8) : match.start()]):
            continue
        out.append(_cut(message, mask, at, match.end()))
        at = match.end()
    out.append(_cut(message, mask, at, len(message)))
    return [part for sentence in out if sentence.text for part in _again(sentence)]


def _again(sentence: _Sentence) -> list[_Sentence]:
    """Return the parts of a sentence with several requests: "remember that A, and remember that B"."""
    for match in pattern(_AGAIN).finditer(sentence.mask) if any(mark in sentence.mask for mark in ",，;；") else ():
        head = _Sentence(sentence.text[: match.start()], sentence.mask[: match.start()], sentence.end)
        if _asked(head.text, head.mask):
            tail = _Sentence(sentence.text[match.end() :], sentence.mask[match.end() :], sentence.end)
            return [head, *_again(tail)]
    return [sentence]


def _cut(message: str, mask: str, start: int, stop: int) -> _Sentence:
    """Return a sentence without white space around it."""
    whole = message[start:stop]
    begin = start + len(whole) - len(whole.lstrip())
    end = start + len(whole.rstrip())
    return _Sentence(message[begin:end], mask[begin:end], stop)


def _hidden(span: str) -> str:
    """Return a mask as long as the span, with its line ends and its first and last marks."""
    if span[0] == span[-1] == '"' or span[0] in "'“「『《":
        return span[0] + _HIDDEN * (len(span) - 2) + span[-1] if len(span) > 1 else span
    return "".join(char if char == "\n" else _HIDDEN for char in span)


def _asked(text: str, mask: str) -> str | None:
    """Return the text that a sentence asks to remember, _UNKNOWN or _LIST; None if it is not a request.

    `mask` is as long as `text`, without quotations; its Chinese is simplified.
    """
    if ("把" in mask or "将" in mask) and (match := pattern(_TAKEN_ZH).search(mask)):
        no = match["no"]
        return None if "不" in no or "别" in no or _is_negated(no) else _object_first(text, match)
    if form := _form(_VERBS_ZH, mask):
        for match in pattern(rf"{_BEGIN_ZH_VERB}{_LEAD_ZH}(?:{form})").finditer(mask):
            head = mask[: match.start()] + (match[0][:1] if match[0][:1] in (":", "：") else "")
            if not _is_before_bad(head) and not _is_negated(mask[: match.start()]):
                return _chinese(text, match)
    if form := _form(_VERBS_EN, mask):
        for match in pattern(rf"{_BEGIN_EN}{_LEAD_EN}(?:{form})(?!\w)").finditer(mask):
            head = mask[: match.start()] + match[0][:1]
            joined = pattern(r"(?:and|but|then)\s").match(match[0])
            if _is_before_bad(head) or (joined and pattern(_SUBJECT).search(head + joined[0][1:])):
                continue
            fact = _english(text[match.end() :], mask[match.end() :], match)
            return (_before(text[: match.start()], match[0]) if fact == _UNKNOWN else "") or fact
    if ("记" in mask or "忘" in mask) and (match := pattern(_SUFFIX_ZH).search(mask)):
        fact = text[: match.start()].rstrip(_AROUND)
        return fact if fact and not _is_negated(mask[: match.start()]) else None
    return None


def _is_negated(head: str) -> bool:
    return head != "" and pattern(_NEGATED_ZH).search(head) is not None


def _is_before_bad(head: str) -> bool:
    """Return whether the words before a verb show that it is said by another, or part of a text."""
    if head.rstrip().endswith((",", ":")) and pattern(_BEFORE_BAD).search(head):
        return True
    return not head.isascii() and pattern(_BEFORE_BAD_ZH).search(head) is not None


def _object_first(text: str, match: "re.Match[str]") -> str:
    if match["more"] and (more := text[slice(*match.span("more"))].strip(_AROUND)):
        return _unquote(more)
    phrase = text[slice(*match.span("what"))]
    return _UNKNOWN if pattern(_POINTER_ZH).fullmatch(phrase) else _unquote(phrase.rstrip())


def _chinese(text: str, match: "re.Match[str]") -> str:
    rest = text[match.end() :].rstrip()
    fact = pattern(_END_ZH).sub("", rest).strip(_AROUND)
    if bare := fact.lstrip("哈啊哦噢呀哟"):
        fact = bare[1:].lstrip() if bare != fact and bare[0] in ",，" else fact
    head, colon, _ = fact.replace("：", ":").partition(":")
    if colon and pattern(_POINTER_ZH).fullmatch(head.strip()):
        fact = fact[len(head) + 1 :].strip(_AROUND)
    elif rest.endswith((":", "：")):
        return _LIST
    if not fact.strip(_PARTICLES) or pattern(_POINTER_ZH).fullmatch(fact):
        # "我对花生过敏，请记住这一点"
        before = text[: match.start()].strip(_AROUND)
        return _unquote(before) if before else _UNKNOWN
    return _unquote(fact)


def _english(rest: str, mask: str, match: "re.Match[str]") -> str | None:
    """Return the text after an English instruction."""
    while ending := pattern(_END_EN).search(mask):
        rest, mask = rest[: ending.start()], mask[: ending.start()]
    if adverb := pattern(_ADVERB).match(mask):
        rest, mask = rest[adverb.end() :], mask[adverb.end() :]
    label = pattern(_LABEL).match(mask.lstrip()) if ":" in mask or "：" in mask else None
    body = rest.strip()
    if label:
        fact = body[label.end() :].strip(_AROUND)
        return _unquote(fact) if fact else _LIST
    fact = rest.strip(_AROUND)
    pointing = match.lastgroup in ("object", "down", "store", "save")
    if pointing and pattern(_FILE).match(fact.lower()):
        return None
    points = pattern(_POINTER).fullmatch(fact.lower()) is not None
    if not points and (begin := pattern(_LEADS_IN).match(fact.lower())):
        fact = fact[begin.end() :]
        points = pattern(_POINTER).fullmatch(fact.lower()) is not None
    if not fact or points or (pointing and pattern(_TAIL).fullmatch(" " + fact.lower())):
        return _UNKNOWN
    return _judged(fact, rest.lstrip(), match)


def _before(head: str, joint: str) -> str:
    """Return the clause before "…, keep that in mind" in the sentence; empty if the words before it are no clause."""
    fact = head.strip(_AROUND)
    lower = fact.lower()
    is_whole = joint[0] in ",;–—" and pattern(_CLAUSE).search(lower) and not pattern(_SUBORDINATE).match(lower)
    return _unquote(fact) if is_whole else ""


def _judged(fact: str, rest: str, match: "re.Match[str]") -> str | None:
    """Return the content, if it is a fact rather than a task or a memory of old times."""
    lower, told, verb = fact.lower(), rest.lower(), match[0]
    at_hand = r"^(?!.*\b(?:we|our|i|my)\b).* here$|\bline \d|^this is an? "
    if pattern(_PAST).match(told) or ("remember" not in verb and pattern(at_hand).search(lower)):
        return None
    is_clause = pattern(_THAT).match(told) is not None
    lasting = pattern(_LASTING).match(lower) is not None
    if lower.startswith(("to", "not to")) and pattern(r"(?:not )?to\b").match(lower) and not is_clause:
        always = pattern(r"\balways\b").search(verb)
        task = fact[2:].lstrip() if pattern(r"to\s").match(lower) else fact
        said = always and not pattern(_LASTING).match(task.lower())
        return _unquote(f"always {task}" if said else task) if lasting or always else None
    if is_clause or rest[:1] in (",", ":", "-", "–", "—") or verb.endswith("note of") or lasting:
        return _unquote(fact)
    own = pattern(r"(?:my|our|i|i'm|i’m|we|this|these|about my|me (?:as|by))\b").match(lower)
    remember = match["remember"] if match.lastgroup == "remember" else ""
    is_noted = remember.startswith(("note", "record", "write", "jot", "take"))
    if pattern(_CLAUSE).search(lower) and (own or not is_noted):
        return _unquote(fact)
    return _UNKNOWN if own and remember else None


def _unquote(fact: str) -> str:
    """Return the words without quotation marks around the whole; unknown if there are too many."""
    pairs = {'"': '"', "“": "”", "「": "」", "'": "'", "『": "』"}
    if fact[-1:] in ")）" and fact.count("(") + fact.count("（") < fact.count(")") + fact.count("）"):
        fact = fact[:-1].rstrip(_AROUND)
    if len(fact) > 2 and pairs.get(fact[0]) == fact[-1] and fact[1:-1].count(fact[-1]) == 0:
        fact = fact[1:-1].strip()
    return fact if len(fact) <= _MAX_FACT else _UNKNOWN
