"""Requests to remember, decisions, stress and hints of later use in a person's message, in Chinese and English.

Code, quotations and questions are ignored. In doubt a sentence is not a request, and the wording is left to the agent.
"""

import re

from promptx_mem.hooks import first_look
from promptx_mem.record import NamedTuple

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
    r"(?:(?:ple?as?e|pls|plz|kindly|and|also|but|so|then|ok|okay|now|always|just|yes|no|hey|hi|hello|btw|"
    r"by the way|one more thing(?! to)|from now on|for future reference|in (?:the )?future|for next time|"
    r"you should|you must|you need to|you have to|i want you to|i'd like you to|i would like you to|i need you to|"
    r"i want to ask you to|make sure (?:you|to)|be sure to|try to|do|let's|we should|we must|we need to|"
    r"it(?:'s| is) important (?:to|that you)|it would be (?:great|nice|good|helpful|lovely) if you (?:could|would)|"
    r"(?:i'd|i would) appreciate (?:it )?if you (?:could|would)|i hope you(?: can| will)?|if you could|"
    r"i (?:don't|do not) want you to(?= forget\b)|can you|could you|would you mind|would you|will you|"
    r"(?:hey |hi |ok )?(?:claude|gemini|codex|assistant|gpt))[,:\s]{1,3}){0,5}"
)
_MISSPELT = r"rem+e?m?e?b[er]{1,3}|reme?mb?[er]{2,3}|rembember|remebmer|rememebr"
_VERB_EN = (
    r"(?P<headed>(?:(?:a |one |another )?(?:quick|short|small|side|important|personal|general) )?note (?:for|to) "
    r"(?:you|self|yourself|the future|later)(?: \([^()]*\))?|(?:fyi )?for your (?:memory|records?|notes)|"
    r"(?:just )?so (?:that )?you (?:remember|know for next time)|"
    r"(?:store|save|keep track of) (?:this|that|it|the following)|hold on to (?:this|that|it)(?: fact)?)(?=\s?[:：])"
    rf"|(?P<remember>{_MISSPELT}|(?<=you mind )remembering|memori[sz]e|(?:don't|dont|do not"
    rf"|never) (?:you )?(?:ever )?"
    r"forget(?: about)?|(?<=want you to )forget|keep in mind|bear in mind|"
    r"take note|note down|note|record|jot down|write down|"
    r"(?:one |an? |another )?(?:more |other |last |final |important )?things? to (?:remember|note)(?: is)?)"
    r"|(?P<object>keep|bear) (?:this|that|it|these) in (?:your )?mind"
    r"|(?P<down>write|note|jot|take|put) (?:this|that|it|these|those|the following) down"
    r"|(?P<store>commit|save|add|store|write|put|record|log|keep|file) (?:(?:this|that|it|these|the following) )?"
    r"(?:to|in|into) (?:your |the |my )?(?:long-term )?memory"
    r"|(?P<make>make|take|keep) (?:a |yourself a )?(?:mental )?note(?: of)?"
    r"|(?P<save>save|store) (?:this|that|it) for (?:later|next time|the future|future reference)"
)
_EN = re.compile(rf"(?:^|[,:;.(–—]\s{{0,3}}|\s-\s|\b(?:and|but|then)\s){_LEAD_EN}(?:{_VERB_EN})(?!\w)", re.IGNORECASE)
_BEFORE_BAD = re.compile(
    r"\b(?:says?|said|saying|reads?|wrote|writes|prints?|printed|translate[sd]?|translation|message"
    r"|title|titled|text|"
    r"error|called|named|todo|fixme|comment|string|label|quote[sd]?|lyrics?|phrase|sentence)\b[^,:;]*[,:]\s*$"
    r"|(?:说过?|写着?|写道|显示|提示|标题|报错|文案|翻译[^,，:：]*|内容是|叫做?|注释|歌词)[,，:：\s]*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"\b(?:i|we|they|he|she|it|users?|people|who|to)\b[^,;:.]*\b(?:and|but|then)\s*$", re.IGNORECASE)

_NOUN = (
    r"(?:\s(?:one|thing|things|fact|facts|point|points|info|information|rule|rules|preference"
    r"|preferences|detail|details|"
    r"note|notes|convention|conventions|list|stuff|important|part|conversation|discussion|all|of|lesson|decision))*"
)
_TAIL = (
    r"(?:[,\s]+(?:please|pls|too|as well|well|now|down|ok|okay|thanks|thank you|always|forever|next time|carefully|"
    r"for me|for us|for later|for next time|for the future|"
    r"for future (?:reference|sessions?|use|conversations?|chats?)|"
    r"in (?:the )?future|in mind|from now on|about me|somewhere|later|going forward|"
    r"when(?:ever)? you.*|when(?:ever)? we.*|for (?:the |my |our |your |any |all |future )?(?:\w+ )?"
    r"(?:suggestions?|plans?|planning|tasks?|work|questions?|answers?|sessions?|projects?|recommendations?)|"
    r"i (?:just )?(?:said|told you|mentioned|wrote)|that i .*|in (?:your |the )?(?:long-term )?memory))*"
)
_POINTER = re.compile(
    rf"(?:(?:all (?:of )?)?(?:this|that|it|these|those|them)|everything(?: (?:i|we|you) .*)?|"
    rf"(?:all )?the above|the following|what (?:i|we) .*){_NOUN}{_TAIL}",
    re.IGNORECASE,
)
_LABEL = re.compile(
    rf"(?:(?:for (?:later|me|next time|the future|future reference)|in memory|this|that|these|it|down|the following|"
    rf"something|(?:just )?one (?:more )?thing|a few things|some things|"
    rf"(?:these )?(?:two|three|four|few|\d) (?:things|facts|points|rules)){_NOUN}"
    rf"(?: for (?:all|every|each|this|the|our|my|any|next|later|future) [^:：,.]{{1,30}})?\s*)?[:：]\s*",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"(?:that (?:time|day|night|one time|moment|bug|song|movie)\b|"
    r"(?:i|we|you) (?:told|said|talked|discussed|mentioned|spoke|"
    r"used to|tried|did|had|saw|were|was|asked|once|already|just)\b|"
    r"when\b|how\b|where\b|who\b|why\b|what\b|if\b|whether\b|"
    r"me\b(?! (?:as|by)\b)|last\b|him\b|her\b|yesterday\b)",
    re.IGNORECASE,
)
_LASTING = re.compile(
    r"(?:to )?(?:always|never|not|avoid|only|prefer|don't|do not|no)\b"
    r"|to\b.*\b(?:always|never|every time|each time|whenever|from now on|in (?:the )?future"
    r"|going forward|next time)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:is|isn't|are|aren't|was|were|has|have|hasn't|haven't|had|must|mustn't|should|shouldn't"
    r"|can|can't|cannot|will|won't|"
    r"do|does|don't|doesn't|never|always|uses?|runs?|needs?|owns?|likes?|loves?|hates?|prefers?"
    r"|wants?|works?|lives?|lies|goes|"
    r"requires?|means?|expects?|allows?|supports?|stays?|starts?|ends?|becomes?|comes?|takes?|keeps?"
    r"|holds?|deploys?|fails?|"
    r"breaks?|speaks?|reads?|writes?|costs?|belongs?|depends?|contains?|listens?)\b|[:=\d]|'s \w+|'re\b|'m\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"(?:if|when(?:ever)?|as|while|since|before|after|because|although|though|once|until|unless|for|in|on|at|like)\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(
    r"\s+(?:forever|always|well|please|also|carefully|permanently|for (?:the future|future \w+|later"
    r"|next time))(?=,?\s+that\b|\s*:)",
    re.IGNORECASE,
)
_THAT = re.compile(r"(?:that|the fact that)\s", re.IGNORECASE)
_REMEMBER = re.compile(r"(?!note|record|write|jot|take).*", re.IGNORECASE)
_FILE = re.compile(r"(?:in|to|into|on|at)\b(?! (?:your |the |my )?(?:long-term )?(?:memory|mind)\b)", re.IGNORECASE)

_LEAD_ZH = (
    "(?:请注意|请|麻烦|帮我|帮忙|替我|你|您|要|得|需要|必须|务必|一定|千万|好好|给我|另外|还有|对了|那|也|以后|永远|都|先|一下|我希望|我想让|我要|希望|"
    "把这个|这个|这一点|这点|这些|这条|并且|并|然后|同时|所以|顺便|记得|能不能|能否|可不可以|可否|能|可以|可|再|就|只|最后|首先){0,5}"
)
_NOT_A_FEATURE = (
    r"(?!我\s|我?(?:的)?(?:密码|账号|账户|登录|功能|选项|按钮|状态|复选框|用户名|设置|滚动|位置)"
    r"(?!\s?(?:是|为|叫|在|用|[:：=])))"
)
_ZH = re.compile(
    rf"(?:^|[,，、:：;；\s]){_LEAD_ZH}"
    rf"(?:(?:牢牢|好好|永远|时刻)?地?(?:记住|牢记|谨记|铭记|记好|记着|记牢){_NOT_A_FEATURE}(?:了(?=[:：,，\s]|$)|一下"
    rf"|下来)?"
    r"|(?:别忘记?了?|不要忘记?了?|不能忘记?了?|勿忘|记得)(?=[:：,，]?\s*(?:我|以后|每次|永远|所有|总是|都|咱|本项目"
    r"|这个项目|这项目|用户|"
    r"不要|不能|不准|不许|别|禁止|千万|绝不|从不|(?:这个|这一?点|这些|这件事|这条)(?:[。！!，,\s]|$)))"
    r"|(?:别忘记?了?|不要忘记?了?|不能忘记?了?|勿忘)(?=[^,，。]{1,12}(?:不能|不可以|不得|禁止|不允许|不准|归|属于"
    r"|叫)[^,，。])"
    r"|以后(?:都|请|要)?记得(?=[^吗?？]{4,})|千万(?:别|不要)忘记?了?(?=[^,，?？]{4,})|(?:别"
    r"|不要)忘记?了?(?=[^,，?？]{1,14}(?:到期|讨厌|喜欢|过敏|住在|改成|换成|搬|没有|从[^,，]{1,8}开始|(?<=..)[只是]))"
    r"|(?:别忘记?了?|不要忘记?了?|勿忘)[:：,，]\s*(?=[^,，。]{1,20}(?:是|在|有|叫|不|没|只|为|归|属于|等于))"
    r"|记(?:一下|下来|下|个笔记|一笔|在心里)(?=[,，:：。!！\s]|我|这|那|用户|以后|咱|本项目|$)"
    r"|(?:保存|留存|存)(?:一下|下来)(?=[:：])|(?:做|写)个?(?:笔记|备忘)(?=[,，:：。!！\s]|$)|备忘(?=[,，:：])"
    r"|备注(?:一下)?(?=[,，:：])"
    r"|(?:记录|记录一下|记录下来|记录下)(?=[,，:：]|(?:我|咱)(?:们)?(?!们?的?(?:操作|日志|行为|点击|请求))|这(?:个"
    r"|一?点|些|条|件事)?(?:[。！!，,\s]|$)"
    r"|(?:本|这个?)(?:项目|仓库)[^,，]{0,12}(?:用|是|有|要|不)|以后|用户(?:叫|是|喜欢|不|偏好|习惯|讨厌|要求"
    r"|[^,，]{1,8}(?:是|为|[:：]))|[。！!\s]*$)"
    r"|(?:存|记|写|加|保存|记录|放|添加)(?:到|入|进|在)(?:你的|你)?(?:长期)?(?:记忆|脑子)(?:库|里|中)?)"
)
_TAKEN_ZH = re.compile(
    r"(?:^|[,，;；\s])(?P<no>[^,，;；记]{0,8}?)(?:把|将)(?P<what>[^,，]+?)(?:记住|记下来?|记录下来|记录一下|记一下"
    r"|牢记|(?:存|记|写|加|保存|记录|放)(?:到|入|进|在)(?:你的|你)?(?:长期)?记忆(?:库|里|中)?)"
    r"(?:了|吧|哦|啊|一下)?(?P<more>[:：,，].*)?[。！!\s]*$"
)
_SUFFIX_ZH = re.compile(
    r"(?:请|帮我|你要|你|一定要|务必|麻烦你?){0,8}(?:记住|记下来|记下|记一下|记录一下|记录下来|记好|别忘了|不要忘了?"
    r"|不要忘记|存(?:到|入)记忆|写入记忆|加入记忆)"
    r"(?:了|吧|哦|啊|这一?点|这个|一下|它|哈|没有?|吗)*[。！!?？]*\s*$"
)
_NEGATED_ZH = re.compile(
    r"(?:不要|不用|不必|别|无需|无须|没必要|不需要|不想|没|不|未|能|会|才|就|(?<![帮替给])我|已经?|难|怎么|如何"
    r"|忘了?)\s*$"
)
_POINTER_ZH = re.compile(
    r"(?:我)?(?:这一?(?:个|点|次|条|句话|件事|几点|些)|这几点|这些|这|那个|那些|那一?点|它们?|此事|"
    r"(?:以上|上面|上述|刚才|刚刚|前面|上一条)(?:我)?(?:的|说的|讲的|提到的|说过的|这些)?"
    r"|(?:一|几|[两三四五六]|下面|以下)[一两几三四五]?(?:件事情?|点|条|个(?:规则|约定|要求|事实|偏好))|以下|下面"
    r"|我(?:刚才|刚刚|上面|前面)?说的(?:话|这些)?)"
    r"(?:所有|全部)?(?:内容|话|信息|规则|规定|约定|要求|事|事情|事实|偏好|习惯|东西|点|几点|对话|决定|设定|设置|结论"
    r"|要点|教训)*(?:都)?(?:了|吧|哦|啊|哈)*"
)
_PARTICLES = re.compile("[没啊呀哦吧了哈嘛呢吗有噢喔]+")
_END_ZH = re.compile(
    r"(?:(?<![,，\s])[,，\s]*(?:好吗|可以吗|行吗|好不好|好么|行不行|谢谢你?|多谢|拜托了?|吧|哦|哈|呀)"
    r"|吗)[。！!?？\s]*$"
)
_END_EN = re.compile(
    r"(?<![,\s])[,\s]+(?:please|pls|ok|okay|alright|thanks|thank you|thx|will you|would you|could you"
    r"|for me)[.!?\s]*$",
    re.IGNORECASE,
)

_HIDDEN = "\ue000"
_MASKED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|https?://[^\s，。；]+|(?:^|(?<=\n))[ \t]*>[^\n]*"
    r"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|\"[^\"\n]*\"|(?<![\w])'[^'\n]*'(?!\w)",
    re.DOTALL,
)
_AGAIN = re.compile(
    r"[,，;；]\s*(?:(?:and|but|also|then|plus)\s|并且?|还有|另外|同时|也)?\s*(?=(?:please |also |then |do |请|也|再)*"
    r"(?:(?:remember|note|don't forget|keep in mind)(?: that\s(?!for\b|when\b|if\b)|:)\s*\S"
    r"|(?:记住|牢记|别忘了)[,，:：]?[^。！!了这那]))",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:thanks|thank you|thx|great|perfect|nice|cool|good|awesome|excellent|well done|ok|okay|yes|no|wow|sorry)\b"
    r"|(?:谢谢|多谢|好的|很好|不错|太好了|太棒了|可以了|行了?|对了?|辛苦了?)(?:[,，。!！\s]|$)",
    re.IGNORECASE,
)
_END = re.compile(r"[\n。！？!?]+|(?<!\.)\.+(?=\s|$)")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|no|st|approx|\w))$", re.IGNORECASE)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:吗|[了过]没有?|呢|么)[。！!]*\s*$|^(?:how|what|why|where|which|who|do you|does|did|"
    r"is (?:it|this|that)|are|can we|should (?:i|we))\b"
    r"|^(?:如何|怎么|怎样|为什么|什么|是不是|是否|哪)",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:if (?:it's|it is|you) [^,]{1,40},\s*)?(?:(?:hey|hi|ok|okay|also|and|btw|please)[,\s]+){0,3}"
    r"(?:can|could|would|will) you (?:please |also |just |kindly ){0,2}"
    r"(?=(?:remember|note|keep|make|take|write|save|store|memori[sz]e|jot|record|bear|add|commit|put)\b)"
    r"|^would you (?:please )?mind (?=remembering\b)"
    r"|^(?:你|请问你?|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?:请|帮我|帮忙|替我|也|先){1,2}(?=[^?？]{0,40}记)"
    r"|^(?:你|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?=(?:记住|记下|记一下)[^?？]{0,3}我)"
    r"|[,，]\s*记住了?(?:没有?|吗)[?？]\s*$"
    r"|[,，\s](?:ok|okay|alright|please|will you|would you|could you|好吗|可以吗|行吗|好不好|好么|行不行)[?？]\s*$",
    re.IGNORECASE,
)
_STRESS = re.compile(
    r"(?:^|[^不没])(?:这|那|此)(?:个|件事|一?点|条|些|项)?[^,，。]{0,8}?(?:很|非常|特别|十分|极其|极为|相当|真的|最"
    r"|尤其|超级?)(?:的)?(?:重要|关键)"
    r"|(?:^|[,，]\s?)(?:重要|重点|关键)(?:的是)?\s*[:：!！]"
    r"|这(?:个|点|一点|里)?是(?:最)?(?:重点|关键)(?!字|词|帧|路径)|至关重要|非常重要"
    r"|\b(?:this|that|it)(?:'s| is) (?:really |very |super |extremely |critically |absolutely |so |quite )?"
    r"(?:important|crucial|critical|essential|vital)\b(?! of\b)"
    r"|^\W*(?:important|crucial)\s*[:!]|\b(?:most|very) important(?:ly)? (?:thing|point|of all)\b",
    re.IGNORECASE,
)
_LATER = re.compile(
    r"(?:下次|下回|以后|今后|往后|将来|日后)[,，]?(?:如果|要是|当)?"
    r"(?:我(?:再|一|们)?[^,，。]{0,6}?(?:提|说|问|用|来|要|讲|聊|遇)|再?(?:提到|说到|问到|遇到|聊到)|都(?:要|用|按"
    r"|不)|每次|一律|统一)"
    r"|\bnext time (?:i|we|you)\b|\bwhen(?:ever)? i (?:mention|say|ask (?:about|for)|refer to|bring up)\b"
    r"|\bfrom now on\b|\bgoing forward\b|\bfor future reference\b"
    r"|\bin (?:the )?future,? (?:i|we|you|please|always|never|use|don't)\b"
    r"|\b(?:i|we)(?:'ll| will) (?:need|use|ask|come back to|refer to|mention) (?:this|that|it)\b"
    r"[^.]{0,20}\b(?:later|again|next time)\b",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:ok|okay|so|well|alright|right|great|good|yes|yeah|hey|and|also|btw|fyi|by the way"
    r"|好的?|嗯|那么?|对了|另外)[,，:：!！\s]+)+",
    re.IGNORECASE,
)
_WE = (
    r"(?:we|i|(?:the|my|our) (?:whole )?(?:team|group|board)|everyone|it)(?:'ve|'re|'m|'ll|'s| have| are| am"
    r"| has| is| was| will)?(?: going to)? "
    r"(?:(?:all|just|finally|now|already|both|also|only|always|never) ){0,2}"
)
_TIME = (
    r"(?:from now on|in future|going forward|(?:starting|as of) (?:today|now|tomorrow|next \w+)"
    r"|from (?:today|tomorrow|next week)(?: on)?)"
)
_DECIDES = re.compile(
    rf"(?:(?:after|following|at|in|today|yesterday|last|this)\b[^,]{{0,60}}?,? )?{_WE}"
    r"(?:decided(?: \w|: ?\S)|agreed (?:to|on|that|not to)|settl(?:ed|e|ing) (?:on|for)|cho(?:se|sen)\b(?! to\b)"
    r"|opted (?:for|to)|picked\b(?! (?:this|that|it)\b)|committed to|resolved to|voted (?:for|to|against)"
    r"|concluded that"
    r"|(?:go|going|gone|went) (?:with|for)|stick(?:ing)? (?:with|to)|(?:made|make) (?:up )?(?:my|our) (?:minds?"
    r"|decision)"
    r"|(?:switch|mov)(?:e|ed|ing) (?:to|from|(?:the|our|my) \S+ to)|standardi[sz](?:e|ed|ing) on|adopt(?:ed"
    r"|ing)?\b|dropp(?:ed|ing)\b"
    r"|replaced \S.* with|want to go with|choose (?:the|to)|use [^,.]{1,60} (?:rather than|instead of)|be using"
    r"|no longer \w)"
    rf"|(?:{_TIME},? )(?:we|all|every|each|no|the|our|reviews?)\b[^?]{{6,}}$"
    rf"|(?:we|i)(?:'ll| will)? [a-z]+ .{{3,100}}{_TIME}\W*$"
    r"|(?:we|i)(?:'re| are|'m)? (?:won't|will not|will no longer|not going to) (?:use|support|have|do|ship"
    r"|offer|allow|keep|build|need|accept|hire)\b"
    r"|(?:decided|agreed|settled|(?:the |our |my |final |team )*(?:decision|verdict)|(?:our|my) choice)(?:[:,]"
    r"| is:?| was:?) \S"
    r"|(?:the |our )?(?:plan|name|date) is (?:fixed|settled|decided|set):|(?:it'?s|that'?s) (?:decided|settled"
    r"|agreed)[:,. ]+\S"
    r"|(?:(?:the )?team )?(?:decided|agreed|going with|settled on|switching to|sticking with) \S+ \S"
    r"|(?!that's|\w*ever\b|what|how|as\b|it\b)[\w.+#-]{2,30}(?: [\w.+#-]{1,30})? it is\b(?=,? then\W*$"
    r"|\W*$|, go ahead\b)"
    r"|let(?:'s|s| us) (?:go (?:with|for)|stick (?:with|to)|settle (?:on|for)|switch to|standardi[sz]e on|adopt"
    r"|stay (?:with|on)|agree (?:on|to|that)|keep (?:the|our|using|[A-Z]\w+ and)|drop [^,.]{1,40} (?:and|in favou?r)"
    r"|use [^,.]{1,60} (?:instead of|rather than|everywhere|from now on|for (?:all|every|the|our)|as (?:the|our))"
    r"|make [^,.]{1,60} (?:our|the) (?:target|standard|default|goal|rule|norm)\b|not (?:use|support|add|ship|buy)\b)"
    r"|final call: \S|(?:deal|agreed)[,:] (?:we|we're|we'll|all|no|every|each)\b|deal, [^?]{4,} then\W*$"
    r"|i agree (?:with|to) (?:your|the) (?:proposal|plan|idea) to\b|(?:the |my |our )?\w+ signed off[:,] we\b"
    r"|scratch (?:the|our) [^,.]{2,40}[,:;] we\b|(?:yes, )?do it your way: \S|new rule\b[^:]{0,30}:"
    r"|(?:the |our )?(?:team|group|board) voted (?:and|to|for|on)\b",
    re.IGNORECASE,
)
_DECIDES_ZH = re.compile(
    r"(?=[^吗?？]{4,}$)(?:(?:经过?|讨论|商量|考虑)[^,，]{0,8}[,，]|[^,，把将请帮]{0,8}(?=我们|咱|大家"
    r"|团队|最终|最后))?"
    r"(?:"
    # somebody of us, or a time of ours, and a verb of choosing
    r"(?:我们?|咱们?|团队|大家|全?组里?|项目组|会上|开会|最[终后]|已经|一致|都|还是|刚|[今昨]天|上周|商量后?"
    r"|经?过?讨论后?|投票|打算){1,5}"
    r"(?:决定|商[定量]|说好|约定|同意|敲定|[选确]定|定(?:下来|[了为在])|选|拍板|达成一致|打定主意|谈好|想好"
    r"|放弃|坚持|保持|继续用|改[用成]"
    r"|换成|采用|统一|一律|弃用|不再|不(?:做|用|支持|上|考虑|接|招|维护|发)[^,，]+了|用[^,，]+(?:代替|取代|替换"
    r"|[,，](?:而?不(?:用|再|是)))|把[^,，]+(?:改成|换成)|就?这么定)"
    r"(?!性|权|论|因素|书|一下|树|于|项|哪|什么|中|按钮)"
    # the same without a person, before the choice
    r"|(?:决定|商定|说好|约定|敲定|选定|商量好|拍板|定|确定)(?:了|好|下来)?[,，:：]|(?:会议)?(?:结论"
    r"|决定)(?:是|[:：])"
    r"|(?:决定|敲定|选定|统一(?:用|改成?|采用))(?!性|权|论|因素|书|一下|树|于)[^,，]*"
    r"(?:用|采|不|改|换|按|由|每|上线|[A-Za-z0-9])"
    r"|(?:讨论下来[,，])?[^,，把将请帮]{0,6}(?:改用|换成|采用|不?用)[^,，]{1,20}[,，](?:而?不(?:是|用|选"
    r"|再)|改用|换成)"
    # from now on
    r"|[^,，把将请帮?？]{0,10}(?:以后|今后|从现在(?:起|开始)|从今[天以]?[起后]|从(?:今天|明天|下周|下个?月"
    r"|本周)起)[,，]?[^,，]{0,12}?"
    r"(?:就|都|统一|一律|全部|只|不|必须|先|每|用|内完成)(?!说|可能)"
    # let us
    r"|(?:那|好|那么)?[,，]?(?:我们|咱们?)?(?:还是|就)(?:按|照|用|选|走|定|采用)(?!户|例)[^,，]{2,}(?:来|吧|走"
    r"|了)[。！!]*$"
    r"|就用[^,，]{2,12}(?:做|来|写|跑)|[^,，]{1,8}就用[^,，]{1,12}吧[。！!]*$"
    r"|[^,，把将请帮]{1,10}(?:定(?:下来)?了[:：,，]|最终定[为在]|统一(?:用|采用))|.*[,，]就这么定了[。！!]*$"
    r"|就这么定了[,，:：]|(?:同意|行|好)[,，](?:就|我们)?(?:放弃|采用|改用|换成|保留|不再|用)"
    r"|放弃[^,，]{2,20}[,，](?:直接|改|就)"
    r"|(?!.*(?:一下|看看|试|再跑|找))(?:(?:agreed|ok|okay|行|好|可以|同意"
    r"|没问题)[,，]?\s*)?(?:听你的[,，]|我们|那就|就|[A-Za-z ]{1,20}就)[^,，]{0,6}"
    r"(?:用|走|按|选|go with)\s*(?:[A-Za-z]|第[一二三]|你说的|方案)"
    r"|(?:[^,，]{2,8}[,，])(?:还是用|选了)|采用(?:你|第|方案)(?!.*(?:什么|问题))"
    r"|(?:往后|今后|以后)[,，]?(?:禁止|必须|不许|一律|不准)(?!的)|(?:定|立)个规矩[:：,，]"
    r"|(?:那)?(?:我们|咱们)就不[^,，]{1,12}了|[^,，]{4,30}[,，]就这么办"
    r"|[^,，]{0,6}(?:评审|方案|提案|老板|会上|投票)[^,，]{0,4}(?:通过了?|确认过"
    r"|批准了)[,，][^,，]{0,8}(?:采用|不|改|用|继续|放弃|换|按))"
)
_UNDECIDED = re.compile(
    r"\b(?:if|whether|unless|maybe|perhaps|might|suppose|supposing|imagine|assuming|hypothetically|should we"
    r"|could|would|haven't|hasn't|not (?:yet )?decided|(?:until|once|when|before) we|try|tried|tutorial|to see"
    r"|agreed to (?:review|help|meet|call|check)|(?:other|another|different|that|this) (?:branch|file|tab"
    r"|window|topic|name)"
    r"|(?:go|going|went|gone) (?:with|for) (?:that|it|this|you|him|her|them|a|an|lunch|dinner)"
    r"|picked (?:up|(?:a|the) (?:bug|ticket))|decide later)\b"
    r"|如果|要是|假如|假设|是否|要不要|还没|没有?(?:决定|想好)|尚未|未决定|再决定|谁决定|怎么|万一|也许|可能"
    r"|或许|考虑一下|正?在考虑"
    r"|当年|早年|打算(?!定)|试试|比方|客户|[他她]们?|别人|对方|哪个",
    re.IGNORECASE,
)
"""A sentence that leaves the choice open, or is about other people."""

_HEADED = re.compile(
    r"^(?:请|麻烦|帮我|你|先)*记[:：]\s*(?=\S)|^(?:这个|这些)?(?:将来|以后|今后|日后)(?:还|都"
    r"|可能)?会用到(?:的)?[:：,，]\s*"
    r"|^(?:我)?(?:再|要)?强调(?:一下|一点|下)[:：,，]\s*|^(?=从(?:现在|今天|今)(?:起|开始))"
    r"|^(?=from (?:now|here) on(?: out)?,? (?:please )?(?:answer|reply|respond|write|speak|use|call|address|always"
    r"|never|do not|don't|keep)\b)"
    r"|^for (?:future reference|next time)[,:]\s*|^(?:let me tell you |here is |one )?(?:something"
    r"|thing) to remember:\s*"
    r"|^把我的偏好(?:更新|改)[成为][:：,，]?\s*|^更新(?:一下|下)?(?:你的)?记忆[:：,，]\s*"
    r"|^(?:please )?update your memory(?: with)?[:,]?\s+(?=\S)"
    r"|^(?:just so )?you should know(?:,)? for next time[:,]\s*",
    re.IGNORECASE,
)
"""Beginnings of a fact without a verb of remembering."""

_QUOTED = re.compile(r"`[^`]*(?:记|remember)|```|[“\"「『《][^”\"」』》]*(?:记|remember)", re.IGNORECASE)
_STORES_ZH = (
    r"(?:记(?:住|好|着|牢|心里|在心里)|(?:记录?|存|标记|备注)一下|记下来?|存(?:着|好)|(?:不要|别)忘记?了?"
    r"|remember(?: 一下)?|加一?条记忆|供(?:以后|今后|将来)参考|注意并记住"
    r"|记到(?:你的)?(?:笔记|备忘)里)"
    r"(?:这条信息|这件事)?[啦了哈啊呀哦噢吧嘛]*"
)
_BEGINS_ZH = re.compile(
    rf"(?:[^,，。:：不没怎问]{{0,12}}[,，]\s*)?(?!.{{0,8}}(?:怎么|如何|已经|还"
    rf"|没))(?:(?![不没怎我])[\u3400-\u9fff\s]|帮我){{0,6}}{_STORES_ZH}"
    r"(?:[:：,，。]\s*|(?=(?:周|星期|每|这|明|下)[^,，。]{5,}|(?!我)[^,，。]{2,12}(?:每|都会"
    r"|是)[^,，。]{2,}))(?P<fact>[^?？]{4,})$",
    re.IGNORECASE | re.DOTALL,
)
_ENDS_ZH = re.compile(
    rf"(?P<fact>[^?？。]{{6,}}?)[,，。]\s*(?:(?:将来|以后|今后)(?:还|都|可能)?会?用[到上][,，]\s*)?(?:请"
    rf"|你|帮我|麻烦){{0,3}}"
    rf"{_STORES_ZH}[。！!]*$",
    re.IGNORECASE,
)
_STATES_ZH = re.compile(
    r"(?!然后|再|先|继续|请|把)(?!.*(?:多少|哪|怎么|什么|几个|是不是|对不对)).*(?:(?<!所)有"
    r"|[是在要不为用会只停]|\d)",
    re.DOTALL,
)
_BEGINS_EN = re.compile(
    r"(?:(?:hey|um|so|fyi|ok|please|and|as i said)[, ]+){0,4}(?:put (?:this|that"
    r"|it) in(?:to)? your notes|update what you know about me"
    r"|let me tell you something to remember|just so you remember|note to self(?: ?/ ?to you)?"
    r"|in (?:the )?future,? keep in mind(?: that)?|remember (?:it"
    r"|this)(?: this time)?(?=,))[:.,]?\s+(?P<fact>[^?]{4,})$",
    re.IGNORECASE | re.DOTALL,
)
"""A request at one end of a message."""

_TASK = re.compile(
    r"(?<!\s)[,，;；.]?\s+(?:and|then|and then|also)\s+(?:please |now |then |also )*(?:(?:can|could) you )?"
    r"(?:fix|write|add|update|refactor|implement|create|explain|show|check|help|continue|rename|review|commit|delete"
    r"|remove|start|open|finish|find|debug|run|test|deploy|translate|summari[sz]e|build|generate"
    r"|run the|run my) (?:the|this|that|my"
    r"|me|a|an|it|all)\b.*$"
    r"|[,，;；]\s*(?:(?:然后|接着|顺便|另外|再|并且|并)(?:请|麻烦)?(?:你)?(?:帮我|给我|替我|帮忙|继续"
    r"|开始|去|把|更新|推荐|找|查|翻译|总结|列"
    r"|运行|部署|修复|检查|生成|看"
    r"|写|改|修|跑)"
    r"|(?:请|麻烦)?(?:帮我|给我|替我)(?!记)).*$",
    re.IGNORECASE | re.DOTALL,
)
"""A task after a fact."""

_SHORTEST = 4
"""Characters of a text that is printed to be stored."""

_ITEM = re.compile(r"\s*(?:[-*+•]|\(?\d{1,2}[.)、）])\s*(?=\S)")
_LOG = re.compile(r"(?:^|\n)[^\n]{0,80}\b(?:error|warning)(?:\[\w+\])?:", re.IGNORECASE)


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


def read(message: str) -> Requests:
    """Find the requests and decisions in a message, in order."""
    message = message[:MAX_LENGTH]
    facts: list[str] = []
    decisions: list[str] = []
    stress = later = False
    before: list[str] = []
    stop = 0
    is_log = bool(_LOG.search(message))
    for sentence in _sentences(message):
        if sentence.end <= stop:
            continue
        polite = _POLITE.search(sentence.mask)
        if _QUESTION.search(sentence.mask) and not polite:
            before = [""]
            continue
        fact = None if is_log and sentence.mask[:5].lower() == "note:" else _asked(sentence.text, sentence.mask)
        if not fact and (headed := _HEADED.match(sentence.mask)):
            fact = sentence.text[headed.end() :].strip(_AROUND) or fact
        if fact and fact != _LIST:
            fact = _TASK.sub("", fact)
        if fact == _LIST:
            items, stop = _items(message, sentence.end)
            facts += items or [_UNKNOWN]
        elif fact is not None:
            # "remember this" refers to the sentence before, if there is only one.
            alone = len(before) == 1 and fact == _UNKNOWN and not _THANKS.match(before[0])
            facts.append(before[0].strip(_AROUND) if alone else fact)
        elif decision := _decision(sentence):
            decisions.append(decision)
        stress = stress or bool(_STRESS.search(sentence.mask))
        later = later or bool(_LATER.search(sentence.mask))
        before.append(sentence.text)
    if not any(facts) and not decisions and (fact := _stored(message)):
        facts = [_TASK.sub("", fact).strip(_AROUND)]
    facts = [fact if len(fact) >= _SHORTEST else _UNKNOWN for fact in facts]
    return Requests(
        tuple(dict.fromkeys(facts))[:MAX_FACTS],
        stress,
        later,
        () if is_log else tuple(dict.fromkeys(decisions))[:MAX_FACTS],
    )


def _stored(message: str) -> str:
    """Return the fact of a short message that a request begins or ends; empty if there is none."""
    if len(message) > _MAX_FACT or _QUESTION.search(message) or _QUOTED.search(message) or "\n" in message.strip():
        return ""
    if match := _BEGINS_EN.match(message):
        return match["fact"]
    match = _BEGINS_ZH.match(message) or _ENDS_ZH.match(message)
    return match["fact"] if match and _STATES_ZH.match(match["fact"]) else ""


def _decision(sentence: _Sentence) -> str:
    """Return the whole sentence if it states the person's decision; empty if the decision is open."""
    filler = _FILLER.match(sentence.mask)
    start = filler.end() if filler else 0
    mask = sentence.mask[start:]
    if _HIDDEN in mask[:2] or _UNDECIDED.search(mask) or not (_DECIDES.match(mask) or _DECIDES_ZH.match(mask)):
        return ""
    text = sentence.text[start:].strip(_AROUND)
    return text if _SHORTEST <= len(text) <= _MAX_FACT else ""


def _items(message: str, at: int) -> tuple[list[str], int]:
    """Return the list items, or else the one paragraph, that follow a colon; and where they end."""
    block = message[at:].lstrip("\n").partition("\n\n")[0]
    end = message.find(block, at) + len(block)
    lines = [line for line in block.split("\n") if line.strip()]
    items = [line[match.end() :].strip() for line in lines if (match := _ITEM.match(line))]
    if items:
        return (items if len(items) == len(lines) <= MAX_FACTS else []), end
    return ([block.strip(_AROUND)] if len(lines) == 1 else []), end


def _sentences(message: str) -> list[_Sentence]:
    mask = first_look.simplified(_MASKED.sub(lambda match: _hidden(match[0]), message))
    out, at = [], 0
    for match in _END.finditer(mask):
        if match[0][0] == "." and _ABBREVIATED.search(mask[max(at, match.start() - 8) : match.start()]):
            continue
        out.append(_cut(message, mask, at, match.end()))
        at = match.end()
    out.append(_cut(message, mask, at, len(message)))
    return [part for sentence in out if sentence.text for part in _again(sentence)]


def _again(sentence: _Sentence) -> list[_Sentence]:
    """Return the parts of a sentence with several requests: "remember that A, and remember that B"."""
    for match in _AGAIN.finditer(sentence.mask):
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
    if match := _TAKEN_ZH.search(mask):
        return (
            None
            if _NEGATED_ZH.search(match["no"]) or "不" in match["no"] or "别" in match["no"]
            else _object_first(text, match)
        )
    for match in _ZH.finditer(mask):
        head = mask[: match.start()] + match[0][:1].strip(" \t") if match[0][:1] in ":：" else mask[: match.start()]
        if not _BEFORE_BAD.search(head) and not _NEGATED_ZH.search(mask[: match.start()]):
            return _chinese(text, match)
    for match in _EN.finditer(mask):
        head = mask[: match.start()] + match[0][:1]
        joined = re.match(r"(?:and|but|then)\s", match[0], re.IGNORECASE)
        if _BEFORE_BAD.search(head) or (joined and _SUBJECT.search(head + joined[0][1:])):
            continue
        fact = _english(text[match.end() :], mask[match.end() :], match)
        return (_before(text[: match.start()], match[0]) if fact == _UNKNOWN else "") or fact
    if match := _SUFFIX_ZH.search(mask):
        fact = text[: match.start()].rstrip(_AROUND)
        return fact if fact and not _NEGATED_ZH.search(mask[: match.start()]) else None
    return None


def _object_first(text: str, match: re.Match[str]) -> str:
    phrase, more = (
        text[slice(*match.span("what"))],
        text[slice(*match.span("more"))].strip(_AROUND) if match["more"] else "",
    )
    if more:
        return _unquote(more)
    return _UNKNOWN if _POINTER_ZH.fullmatch(phrase) else _unquote(phrase.rstrip())


def _chinese(text: str, match: re.Match[str]) -> str:
    rest = text[match.end() :].rstrip()
    fact = re.sub(r"^[哈啊哦噢呀哟]+[,，]\s*", "", _END_ZH.sub("", rest).strip(_AROUND))
    head, colon, _ = fact.replace("：", ":").partition(":")
    if colon and _POINTER_ZH.fullmatch(head.strip()):
        fact = fact[len(head) + 1 :].strip(_AROUND)
    elif rest.endswith((":", "：")):
        return _LIST
    if not fact or _POINTER_ZH.fullmatch(fact) or _PARTICLES.fullmatch(fact):
        # "我对花生过敏，请记住这一点"
        before = text[: match.start()].strip(_AROUND)
        return _unquote(before) if before else _UNKNOWN
    return _unquote(fact)


def _english(rest: str, mask: str, match: re.Match[str]) -> str | None:
    """Return the text after an English instruction."""
    while ending := _END_EN.search(mask):
        rest, mask = rest[: ending.start()], mask[: ending.start()]
    if adverb := _ADVERB.match(mask):
        rest, mask = rest[adverb.end() :], mask[adverb.end() :]
    label = _LABEL.match(mask.lstrip())
    body = rest.strip()
    if label:
        fact = body[label.end() :].strip(_AROUND)
        return _unquote(fact) if fact else _LIST
    fact = rest.strip(_AROUND)
    pointing = any(match[name] for name in ("object", "down", "store", "save"))
    if pointing and _FILE.match(fact):
        return None
    fact = (
        re.sub(r"^(?:the fact that|down that|that)\s+(?=\S)", "", fact, flags=re.IGNORECASE)
        if not _points(fact)
        else fact
    )
    fact = re.sub(r"^this for (?:later|next time|the future)[:,]\s*", "", fact, flags=re.IGNORECASE)
    if not fact or _points(fact) or (pointing and re.fullmatch(_TAIL, " " + fact, re.IGNORECASE)):
        return _UNKNOWN
    return _judged(fact, rest.lstrip(), match)


def _before(head: str, joint: str) -> str:
    """Return the clause before "…, keep that in mind" in the sentence; empty if the words before it are no clause."""
    fact = head.strip(_AROUND)
    is_whole = joint[0] in ",;–—" and _CLAUSE.search(fact) and not _SUBORDINATE.match(fact)
    return _unquote(fact) if is_whole else ""


def _points(fact: str) -> bool:
    return bool(_POINTER.fullmatch(fact))


def _judged(fact: str, rest: str, match: re.Match[str]) -> str | None:
    """Return the content, if it is a fact rather than a task or a memory of old times."""
    if _PAST.match(rest):
        return None
    if re.match(r"to\b|not to\b", fact, re.IGNORECASE) and not _THAT.match(rest):
        lasting = _LASTING.match(fact) or re.search(r"\balways\b", match[0], re.IGNORECASE)
        task = re.sub(r"^to\s+", "", fact, flags=re.IGNORECASE)
        said = re.search(r"\balways\b", match[0], re.IGNORECASE) and not _LASTING.match(task)
        return _unquote(f"always {task}" if said else task) if lasting else None
    if (
        _THAT.match(rest)
        or rest[:1] in (",", ":", "-", "–", "—")
        or match[0].lower().endswith("note of")
        or _LASTING.match(fact)
    ):
        return _unquote(fact)
    own = re.match(r"(?:my|our|i|i'm|i’m|we|this|these|about my|me (?:as|by))\b", fact, re.IGNORECASE)
    if _CLAUSE.search(fact) and (own or _REMEMBER.fullmatch(match["remember"] or "")):
        return _unquote(fact)
    return _UNKNOWN if own and match["remember"] else None


def _unquote(fact: str) -> str:
    """Return the words without quotation marks around the whole; unknown if there are too many."""
    pairs = {'"': '"', "“": "”", "「": "」", "'": "'", "『": "』"}
    if fact[-1:] in ")）" and fact.count("(") + fact.count("（") < fact.count(")") + fact.count("）"):
        fact = fact[:-1].rstrip(_AROUND)
    if len(fact) > 2 and pairs.get(fact[0]) == fact[-1] and fact[1:-1].count(fact[-1]) == 0:
        fact = fact[1:-1].strip()
    return fact if len(fact) <= _MAX_FACT else _UNKNOWN
