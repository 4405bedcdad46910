"""The sentences after a request to remember something: its continuation, and sentences that take it back or ask.

The expressions, in Chinese and English, are in lower case. A doubtful sentence is neither a statement nor a task: then
the agent is told that the message goes on.
"""

from promptx_mem.core.text import pattern
from promptx_mem.hooks.decisions import MAX_FACT, SHORTEST, TRIMMED, Sentence, begins, decision, search, without_filler
from promptx_mem.hooks.first_look import simplified
from promptx_mem.record import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MAX_FACTS = 8

RETRACTED = {
    "不用|不必|无需|无须|没必要|不需要|不要|别|算了|没事|没说": (
        r"(?:不用|不必|无需|无须|没必要|不需要|不要|别)(?:帮我|给我|你|再|去)?记(?:住|下来|下|着)?"
        r"(?:[这那][个条些]|它)?[了啦吧啊哈]*\W*$"
        r"|(?:^|记[^,，。]{0,4}[,，。])\W*(?:(?:不|呃|额|嗯|哦|啊|等等)[,，\s]*)?(?:还是)?"
        r"(?:算了|不用了|没事了?|当我没说)[吧啊]?\W*$"
        r"|^(?:算了|不用了|没事了)[,，]\s*(?:算了|不用了|没事了?|谢谢|我?(?:自己)?已?经?(?:解决|搞定|弄好"
        r"|找到)了?)[吧啊]?\W*$"
    ),
    "no |n't|not |stop &remember|note|memori|save|store|record|keep": (
        r"\b(?:no (?:need|reason) to|need(?:n't| not)|(?<!\bi )(?:don't|do not)(?: (?:have|need) to)?|stop"
        r"|not) (?:remember|note|memori[sz]e)(?:ing)?(?: (?:this|that|it|them|anything))?(?: (?:any ?more|after all|now"
        r"|then))?\W*$|\b(?:no need to|needn't|don't (?:have|need) to) (?:save|store|record|keep) (?:this|that|it|them"
        r"|anything)\W*$"
    ),
    "never mind|nevermind|forget it|scratch that|nvm": (
        r"(?:^|\b(?:remember|note|save)\b[^.:]{0,12}[,.…-])\W*(?:(?:no|wait|actually|well|um|uh"
        r"|never ?mind)[,\s]*){0,2}(?:never ?mind|forget it|scratch that|nvm)\W*$"
    ),
}
"""A sentence that takes a request back."""

UNWANTED = {
    "n't|not|never|no |stop": (
        r"(?:n't|\b(?:not|never|no need to|no reason to|stop))(?: (?:ever|please|(?:have|need|want you) to))?"
        r" (?:(?:remember|memori[sz])\w*[^:,.;]{0,40}|(?:not|sav|stor|record|keep|jot|log|writ|add)\w*"
        r" (?:this|that|it|these|those|the (?:following|rest)|what follows|my)\b[^:,.;]{0,30})(?:[:：,]|\s[-–—])\s*\S"
    ),
    "不要|不用|不必|无需|无须|没必要|不需要|不许|不准|别|勿&记|存|收录|写": (
        r"(?:不要|不用|不必|无需|无须|没必要|不需要|不许|不准|别|勿)"
        r"(?:再|去|帮我|给我|你|[把将](?:[这那上我它]|以下|下面)[^:：,，。]{0,12}?)*"
        r"(?:记录?|保?存|收录|写(?=[下进入到]))[住下着得]?来?(?:[进入到](?:你的)?(?:记忆|笔记))?"
        r"(?:[这那][一几两]?[个条些件点句]|它|以下|下面|下列|其余|剩下)?(?:[一二两三四五几][个条件点句])?"
        r"的?(?:内容|话|信息|部分|事情?|消息)?[:：,，]\s*\S"
    ),
}
"""A request not to store the text after it in the same sentence."""

STRESS = {
    "重要|关键|重点": (
        r"(?:^|[^不没])(?:这|那|此)(?:个|件事|一?点|条|些|项)?[^,，。]{0,8}?(?:很|非常|特别|十分|极其|极为|相当|真的"
        r"|最|尤其|超级?)(?:的)?(?:重要|关键)|(?:^|[,，]\s?)(?:重要|重点|关键)(?:的是)?\s*[:：!！]|这(?:个|点|一点"
        r"|里)?是(?:最)?(?:重点|关键)(?!字|词|帧|路径)|至关重要|非常重要"
    ),
    "important|crucial|critical|essential|vital": (
        r"\b(?:this|that|it)(?:'s| is) (?:really |very |super |extremely |critically |absolutely |so "
        r"|quite )?(?:important|crucial|critical|essential|vital)\b(?! of\b)|^\W*(?:important|crucial)\s*[:!]"
        r"|\b(?:most|very) important(?:ly)? (?:thing|point|of all)\b"
    ),
}
POLITE = {
    "you": (
        r"^(?:if (?:it's|it is|you) [^,]{1,40},\s*)?(?:(?:hey|hi|ok|okay|also|and|btw|please)[,\s]+){0,3}(?:can|could"
        r"|would|will) (?:yo)?u (?:please |also |just |kindly |maybe |perhaps ){0,2}(?=(?:remember(?! (?:things|stuff"
        r"|anything|wh\w+|how|if)\b)|note|keep|make|take|write|save|store|memori[sz]e|jot|record|bear|add|commit|put)\b)"
        r"|^would you (?:please )?mind (?=(?:remember|not)ing\b)"
    ),
    "记": (
        r"^(?:你|请问你?|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?:请|帮我|帮忙|替我|也"
        r"|先){1,2}(?=[^?？]{0,40}记)|^(?:你|那你)?(?:能不能|能否|可不可以|可否|能|可以)(?=(?:记住|记下"
        r"|记一下)[^?？]{0,3}我(?!们?[^?？]{0,12}[说讲问聊提][过的了到]))|[,，]\s*你?(?:给我)?记[住好]了?(?:没有?|吗"
        r"|么)[?？]?\s*$|^记[住好]没有?[?？]?\s*$"
    ),
    "ok|alright|please|you": r"[,，\s](?:ok|okay|alright|please|will you|would you|could you)[?？]\s*$",
    "好|行|可以": r"[,，\s](?:好吗|可以吗|行吗|好不好|好么|好吧|行不行|明白吗|懂吗)[?？]?\s*$",
}
"""A question that is a request."""

LATER = {
    "下次|下回|以后|今后|往后|将来|日后": (
        r"(?:下次|下回|以后|今后|往后|将来|日后)[,，]?(?:如果|要是|当)?(?:我(?:再|一|们)?[^,，。]{0,6}?(?:提|说|问"
        r"|用|来|要|讲|聊|遇)|再?(?:提到|说到|问到|遇到|聊到)|都(?:要|用|按|不)|每次|一律|统一)"
    ),
    "next time |when i |whenever i |from now on|going forward|future|'ll |will ": (
        r"\bnext time (?:i|we|you)\b|\bwhen(?:ever)? i (?:mention|say|ask (?:about|for)|refer to|bring up)\b"
        r"|\bfrom now on\b|\bgoing forward\b|\bfor future reference\b|\bin (?:the )?future,? (?:i|we|you|please"
        r"|always|never|use|don't)\b|\b(?:i|we)(?:'ll| will) (?:need|use|ask|come back to|refer to|mention) (?:this"
        r"|that|it)\b[^.]{0,20}\b(?:later|again|next time)\b"
    ),
}

QUESTION_OR_GUESS_ZH = {
    "不|有没有|怎么样|如何": r"(?:([\u4e00-\u9fff])不\1|有没有|怎么样|如何)[^,，。]{0,20}$",
    "吧": r"(?<!定)了吧\W*$|(?:不会|应该|可能|大概|恐怕)[^,，。]{0,20}吧\W*$",
}
"""A Chinese sentence that asks or guesses. A text to remember can have such words."""

_KEEP = r"(?:remember|memori[sz]e|note|save|store|record|in mind)(?: this| that| it)?"
_DATA = (
    r"变量|参数|的值|下标|索引|指针|滚动|光标|选中|状态(?!管理|机|码)|(?:上一?次|用户|每个[^,，]{1,4})的?(?:选择|输入"
    r"|位置|结果)|\b(?:value|variable|index|position|selection|cursor|state|input|scroll|filter|order|sorting|tab|page"
    r"|offset|last \w+|choice|chosen|selected)s?\b"
)
FEATURE = {
    "把|将&记": rf"[把将][^,，]{{0,6}}(?:{_DATA})[^,，]{{0,4}}记[住下]",
    "记住|记下|remember|save|store|keep track&返回|实现|恢复|刷新|打开|return|restore|closure|calls|url|query|cookie"
    "|variable|storage": (
        rf"(?:记[住下]|remember|save|store|keep track of)(?! ?that\b(?! choice)| ?[:：,，])[^:：我]{{0,60}}?(?:{_DATA})"
        r"[^:：我]{0,60}(?:返回(?!值)|实现|恢复|刷新后|重新打开|\b(?:return|restore|closure|between calls|in (?:the "
        r"|a )?(?:url|query string|cookies?|variable|(?:local|session) ?storage))\b)"
    ),
    "给|在|往&备注|记一": r"^[给在往](?!你|自己|我|[记心]|笔记|下次|以后|将来|未来)[^,，:：]*(?:备注|记一[笔下条])",
    "谢&记": r"谢谢你?[^,，。]{0,4}记[得住]",
    "用户故事": r"^用户故事[:：]",
    "note that": r"\bnote that (?:appears?|is|was|has|shows|says|comes)\b",
    "&&|::| line |in there": (r"&&|::\w|\b(?:on|in|at) line \d|\bforget\b.*\bline \d|\bin there\W*$"),
    "now|this |in your |note that|mind|这次|暂时": (
        r"\b(?:only|don't|do not|never|use|keep)\b[^.;]*\b(?:for now|in this (?:task|answer|commit|file|pr))\W*$"
        r"|\bin your answer\W*$|^(?:please )?note that [^.]*[,;] (?:(?:so|please) )*(?:be|don't|handle|guard|find)\b"
        r"|^请?记住[,，:：]?(?:这次|暂时)"
    ),
}
"""A task to write a program that stores values, or a request for the present task only."""

CONDITION = {
    "如果|假如|假设|要是|万一|若|if|suppose|assuming": (
        r"(?:如果|假如|假设|要是|万一|若)(?!.{0,8}我)|(?i:if|suppose|assuming)\b(?!.{0,20}\bi\b)"
    )
}
EVERYWHERE = {
    "project|repo|codebase": (
        r"(?:(?<=\w)[, ]+)?\(?(?<!not )\b(?:(?:(?:this|that|it|which) (?:holds|applies|goes|is) )?(?:for|in|across"
        r"|on|to|with) (?:all|every|each|any)(?: of| my| the| your| other| single| future)*|(?:regardless of|no matter"
        r"|(?:in )?whatever)(?: the| my| which| what)*) (?:project|repo|repositor(?:y|ies)|codebase)s?\b(?: of mine"
        r"| i(?: am|'m| work| have| touch)(?: on| in)?\b)?\)?"
    ),
    "globally|everywhere|global ": (
        rf"\b{_KEEP}(?P<after> (?:globally|everywhere))\b|\b(?:globally|everywhere),? (?=(?:please )?{_KEEP}\b)"
        r"|\bi (?:prefer|like|use|want|hate|write|always|never)\b[^.:;!?]*?(?P<last>,? (?:globally|everywhere))(?=\W*$)"
        r"|\bglobal (?=memor)"
    ),
    "项目|仓库": (
        r"[(（]?(?<!不是)(?<!并非)(?<!我们)(?<!我们的)(?<!公司)(?<!团队)(?:(?:对于?|在|给|到|适用于)?(?:我的?)?(?:所有|全部"
        r"|每一?个|任何|任意|各个)的?|(?:不管|无论|不论)[是在]*(?:哪一?个|什么|任何)|跨)(?:项目|仓库)"
        r"(?!都?(?:有(?!效)|[是部归的]))(?:通用|适用|生效|有效|[里中内上]面?|来说)*"
        r"(?:都要?(?:通用|适用|生效|有效)?)?(?:[)）]|[,，](?:都要?)?)?"
    ),
    "全局": (
        r"[在到对]?全局(?:范围)?[内里上地都要,，]*(?=请?[记牢])|[(（]?全局都?(?:通用|适用|生效|有效)[)）]?"
        r"|全局(?=记忆)"
    ),
}
"""Words by which a request applies to all projects. They, or a named group, are not part of the fact."""

VAGUE = {
    "agree|sounds good|work|fine|go |do |proceed": (
        r"(?:(?:agreed|(?:that |it )?sounds (?:good|great|fine)(?: to me)?|(?:that|this|it) works(?: for me)?"
        r"|fine by me|go ahead|proceed|(?:let's )?(?:do|go with) (?:that|it|this)|ok(?:ay)?|yes|yep|great|perfect|lgtm"
        r"|thanks|thank you|please)[,.!\s]*)+"
    ),
    "就这|同意|可以|谢": (
        r"(?:好的?|太好|行|嗯|可以|没问题|完全|同意|继续|开始|下一步|那?就这(?:样|么[办定做])|谢谢你?|多谢|辛苦"
        r"|[吧啊了,，。!！\s])+"
    ),
    "这|那|它|你说|第": (
        r"(?:可以|没问题|[好行嗯那]的?|从|以后|今后|往后|现在|起|开始|就|都|还是|我们|咱们|统一|一律|一直|[,，\s])*[用按走照选]?"
        r"(?:[这那][个种样套么]?|它|你说的|第[一二三四\d](?:版|[个种](?!方)))(?:方案|方式|办法|法子|写法|做法|[来做写办弄用改定吧了])*\W*"
    ),
    "use |do |take |keep |prefer |go |stick &this|that|it|these|those|version|option|one": (
        r"(?:(?:from now on|going forward|in (?:the )?future"
        r"|we|i|should|please|always|just|let's|will|only|'ll)[,\s]+)*(?:use|do|take|keep|prefer|go (?:ahead )?with"
        r"|stick (?:with|to)) (?:this|that|it|these|those|the (?:first|second|third|other|last) (?:one|version|option))"
        r"(?: one)?(?: then| instead)?\W*"
    ),
}
"""A sentence that is not clear without the text before it."""

_THANKS = {
    "thank|thx|great|perfect|nice|cool|good|awesome|excellent|well done|ok|yes|no|wow|sorry|wrong|incorrect|right": (
        r"\W*(?:thanks|thank you|thx|great|perfect|nice|cool|good|awesome|excellent|well done|ok|okay|yes|no|wow|sorry"
        r"|(?:that|this)(?:'s| is| was) (?:wrong|incorrect|not right))\b"
    ),
    "谢|好|不错|太棒|行|对|辛苦|可以": (
        r"(?:谢谢|多谢|好的|很好|不错|太好了|太棒了|可以了"
        r"|行了?|对了?|辛苦了?)(?:[,，。!！\s]|$)"
    ),
}
ITEM = r"\s*(?:[-*+•]|\(?\d{1,2}[.)、）])\s*(?=\S)"
_QUESTION = (
    r"(?:(?:will|would|could)(?! (?:yo)?u\b| do\b)|how|what|why|where|which|who|do you|does|did|is (?:it|this|that"
    r"|there)|are|can we|should (?:i|we)|(?:have|had) (?:we|you|they)|has (?:it|he|she|anyone|the|our))\b"
)
_ASKS = ("w", "could", "how", "do", "did", "is ", "are", "can we", "should", "ha")
_QUESTIONS = {
    "why|how|what|whe|which|who": (
        r"[,;] (?:so |and |but )?(?:why|how|what|where|which|who) (?:does|do|did|is|are|was|were|can|should"
        r"|would)\b[^,]*$"
    ),
    "吗|没|呢|么|如何|怎样|是不是|是否|哪|为啥|啥|还是|多": (
        r"(?:吗|[了过]没有?|呢|么|有(?:什么|啥)(?:区别|不同|差别|差异|关系|用|好处|影响)?|吗[,，]还是.*"
        r"|^你?[能会]记[住得](?:多少|哪些|什么|多久).*"
        r"|[选好][^,，。]{0,14}还是[^,，。]{1,14}|什么(?:情况|原因|问题)|怎么(?:回事|办)|为啥)[。！!]*\s*$|^(?:如何"
        r"|怎么|怎样|为什么|什么|是不是|是否|哪)"
    ),
}

_UNKNOWN = ""
COLON = r"：|:(?=\s|[^\x00-\x7f]|$)"
_ORDER = (
    r"\s*(?:[一二三四五六七八九十](?:[、.]|是)|[①-⑩]\s*|\(?\d{1,2}[.)、）]\s*|(?:first|second|third|fourth|fifth"
    r"|sixth)(?:ly)?[,:]\s*)"
)
"""The number of an item in a sentence."""

_FIRST = r"\s*(?:首先|先|第一步?|1[.、)]|first(?:ly| of all)?\b)[,，:\s]*"
_NEXT = (
    r"\s*(?:首先|然后|接着|其次|再|之后|随后|最后|第[一二三四五六七八九十\d]|(?:and )?(?:then|next|after (?:that"
    r"|this)|afterwards|finally|lastly|last|second|third|fourth|fifth)(?:ly)?\b)[,，:\s]*"
)
_PROCESS = "流程|步骤|顺序|如下|以下|process|steps|procedure|workflow|routine|as follows|the following"
_BEGUN = {":|：|,|，&首先|先|第一|1|first": rf"[:：,，]{_FIRST}"}

_LEAD = (
    r"(?:(?:ok|okay|now|then|next|also|and|but|so|first|second|third|anyway|meanwhile|afterwards|finally|lastly"
    r"|after (?:that|this)|for now|just|please|pls|kindly|again|btw|by the way|hey|hi|right|alright|well)\b[,:\s]*"
    r"|(?:好了?|好的|行了?|嗯|那么?|对了|另外|还有|然后|接着|接下来|下面|下一步|现在|再|先|首先|顺便|最后|同时|也|就)[,，:：\s]*)*"
)
_FINITE = (
    r"(?:is|isn't|are|aren't|was|wasn't|were|has|have|had|must|mustn't|should|shouldn't|can|can't|cannot|will|won't"
    r"|does|doesn't|uses|runs|needs|owns|lives|goes|takes|keeps|requires|means|works|wants|likes|loves|hates|prefers"
    r"|expects|allows|supports|starts|ends|comes|holds|fails|breaks|costs|belongs|depends|contains|reviews|deploys"
    r"|always|never|only)\b"
)
_WORK = (
    r"fix|repair|suggest|write|add|update|refactor|implement|create|explain|show|check|help|continue|rename|review"
    r"|commit|delete|remove|start|open|finish|find|debug|run|test|deploy|translate|summari[sz]e|build|generate"
)
_VERB = (
    rf"(?:{_WORK}|give|tell|look|take|have a|pin|undo|revert|clone|convert|list|draft|put|make|move|rerun|change"
    r"|replace|install|push|merge|read|adjust|bump|clean|draw|plot|compare|investigate|figure|set|send|post|print"
    r"|search|answer|describe|sort|split|extract|document|configure|upgrade|recommend|see|assign|purge|apply|drop|do"
    r"|try|redo|restart|stop|proceed|go|get|let's|lets|let us|back to|see you)\b"
)
_ASKED = (
    r"(?:can|could|would|will) (?:yo)?u\b|i(?:'d| would)? (?:want|need|like) you\b|i'd like you\b|you can\b"
    r"|your (?:task|turn)\b"
)
_OBJECT = (
    r"(?!(?:if|when|whenever|as|while|since|before|after|because|although|once|until|unless|for|in|on|at|like|with|by"
    r"|from|to|all|both|only|never|always|not|even|about|under|over|during|per|than|that|turns|use|prefer|avoid|keep"
    r"|i|we"
    r"|don't)\b)[a-z]+ (?:the|a|an|this|that|these|those|it|me|my|our|us|them|all|every|each|up|out)\b"
)
_TASK = (
    rf"{_ASKED}|(?:{_VERB}|{_OBJECT})(?! (?!what|if|whether|that|why|how|who|where|which|it|this"
    rf"|there)(?:\w+ )?{_FINITE})"
)
"""A task in English, after words such as "now"."""

_TASK_ZH = (
    r"(?:请|麻烦|帮我|帮忙|给我|替我|继续|开始|看看|看[下一]|把|去|跑[下一]|(?:改|修|写|跑|查|删|加|看|翻译|检查|修复|更新|部署|运行"
    r"|重构|优化|实现|解释|生成|提交|推送|合并|回滚|总结|列)(?![成为])(?!.{0,8}(?:前|后|时(?!间)|都|要(?=\w)|必须|是|在|由)))"
)
_AGENT_ZH = r"请|麻烦|帮我|帮忙|给我|替我|一下|看看|继续|你|吧\W*$"
_RULE = r"(?:always|never|only|avoid|prefer|don't|do not|not|no)\s"
_SAYS = rf"(?:[\w'/.-]+ ){{1,6}}{_FINITE}|{_RULE}"
_SAYS_ZH = r"[是在有叫归由属要不会只都每为用没停住能应]|必须|需要|可以|[:：]|\d"

_POINTED_ZH = (
    r"(?:所有|全部)?(?:内容|话|信息|规则|规定|约定|要求|事|事情|事实|规律|规矩|原则|偏好|习惯|东西|点|几点|对话|决定"
    r"|设定|设置|结论|要点"
    r"|教训|坑|细节|经验)*都?(?:了|吧|哦|啊|哈)*"
)
NEXT_ZH = r"(?:现在|然后|另外|顺便|先)?[,，]?(?:请|麻烦)?你?(?:帮我|替我|给我看)"
"""The beginning of a Chinese task that is not part of a fact."""

POINTER_ZH = {
    "这|那|它|此事": (
        r"我?(?:这一?(?:个|点|次|条|句话|件事|几点|些)|这几点|这些|这|那个|那些|那一?点|它们?|此事)" + _POINTED_ZH
    ),
    "以上|上面|上述|刚才|刚刚|前面|上一条": (
        r"我?(?:以上|上面|上述|刚才|刚刚|前面|上一条)我?(?:的|说的|讲的|提到的|说过的|这些)?" + _POINTED_ZH
    ),
    "一|几|两|三|四|五|六|下面|以下|说的": (
        r"我?(?:(?:一|几|[两三四五六]|下面|以下)[一两几三四五]?(?:件事情?|点|条|个(?:规则|约定|要求|事实|偏好))|以下|下面"
        r"|我(?:刚才|刚刚|上面|前面)?说的(?:话|这些)?)" + _POINTED_ZH
    ),
}
"""A Chinese phrase that means the sentence before, or the text after a colon."""

PARTICLES = "没啊呀哦吧了哈嘛呢吗有噢喔咯"
_END_ZH = (
    r"(?:(?<![,，\s])[,，\s]*(?:好吗|可以吗|行吗|好不好|好么|好吧|行不行|明白吗|懂吗|谢谢你?[啦哈]?|多谢|就[行好]"
    r"|拜托了?|(?<![酒网茶书氧啡餐])吧|哦|啊|(?<![哈叫是])哈+|呀|嘛|啦|噢|喔|呢(?=[?？]))|吗)[。！!?？\s]*$"
)
_LAST_ZH = frozenset("吗好么吧行谢你啦哈托了哦啊呀嘛噢喔呢")
"""The last characters of what `_END_ZH` matches, without marks."""

END_EN = (
    r"(?<![,\s])[,\s]+(?:please|pls|ok|okay|alright|thanks|thank you|thx|will you|would you|could you"
    r"|thanks a lot|thanks so much|for me|lol|haha|[:;]-?[)d])[.!?\s]*$"
)

NO_FACT = {
    "然后|接着|再|顺便|免得|省得|后面|以后|之后|回头|待会|下次|下回|将来": (
        r"(?:然后|接着|再|顺便|免得|省得)|[^,，。]{0,10}再说[。！!]*$|(?:后面|以后|之后|回头|待会儿?|下[次回]|将来)"
        r"(?:[^,，。不别禁必]{0,8}(?:要用|会用|可?能用|可以用|用得[上着到])|[还都会要好]{0,2}[用查]"
        r"|[^,，。不别禁必]{0,4}[用查]$)[到上它]?[。！!]*$"
    )
}
"""A text after a request that is not a fact, but a task or a remark on the request."""

REMARK = {
    "老|总": r"[^,，。]{0,4}(?:老是?|总是?)[搞弄写算出]?[错忘]",
    "别|不要|不想": (
        r"(?:下次|以后)?(?:别|不要|不想)(?:老|总|[^,，。]{0,5}再[^,，。]{0,4}[问说讲踩犯忘错]|再?给我)"
        r"|(?:下次|以后)?[^,，。]{0,6}(?:别|不要)再?[搞弄写算记用忘][错混反乱]?了?[。！!]*$"
    ),
    "错|忘|漏": r"(?:上[次回]|之前|昨天|已经)[^,，。]{0,4}[错忘漏]",
    "我的": r"我的[^,，。:：是在用叫为]{1,4}$",
    "以后|省得|免得": r"以后我?(?:就?不[^,，。]{0,6}[说讲提]|[会要]?再?问)|[省免]得",
    **NO_FACT,
}
"""A remark after a request: the fact is before the request."""

KINDS_ZH = {
    "信息|资讯|习惯|偏好|要求|规则|规定|约定|内容|结论|教训|经验": (
        r"^(?:我们?的|[这那此该]|下面|以下)?(?:一?[个条点])?的?(?:信息|资讯|习惯|偏好|要求|规则|规定|约定|内容|结论|教训|经验)$"
    )
}
"""A kind of fact, such as 我的习惯 in 把我的习惯记下来:…. It is not part of the fact."""

LEFT_OUT = {
    "的": r"^的[^:：,，]{1,4}[:：]\s*",
    "用": r"[,，](?:将来|以后|今后)(?:还|都|可能)?会?用[到上]$",
    "从": r"^从(?:现在|今天|今)(?:起|开始)[,，]\s*",
    "都要记得": r"(?<=都要)记得",
    "told|said|forget": (
        r"(?i:^(?:i(?:'ve)? (?:already )?(?:told you|said (?:it|this|that|so))"
        r"|you (?:keep forgetting|(?:always )?forget))\b[^:,.]{0,20}[:,]\s+)"
    ),
}
"""Words of a request that are not part of the fact."""

NEXT_TASK = {
    "等|待会|回头|稍后|晚点&再": (
        r"[,，;；]\s*(?:等一?[下会]儿?|待会儿?|回头|稍后|晚点)再(?:来|去|帮我)?[看改写做查处弄聊说讨解].*$"
    ),
    "and|then|also": (
        r"(?:(?<!\s)[,，;；.]?\s+(?:and|then|and then|also)\s+(?:please |now |then |also )*(?:(?:can|could) you )?"
        rf"(?:{_WORK})|[,;.] (?:(?:and |then |also )+{_VERB}|(?:and )?please (?!remember|note|keep)[a-z]+)) "
        r"(?:the|this|that|my|me|a|an|it|all|[\w/-]+\.\w{1,4})\b.*$"
        r"|[,;.]\s+(?:and )?then (?!we\b|i\b|it\b|they\b|the\b|you\b|there\b|he\b|she\b|our\b)[a-z]+(?: on| up)?"
        r"(?: with)? (?:the|this|that|my|me|a|an|it|all)\b.*$"
    ),
    "然后|接着|顺便|另外|再|并|帮我|给我|替我": (
        r"[,，;；]\s*(?:(?:然后|接着|顺便|另外|再|并且|并)(?:请|麻烦)?(?:你)?(?:帮我|给我|替我|帮忙|继续|开始|去|把"
        r"|更新|推荐|找|查|翻译|总结|列|运行|部署|修复|检查|生成|解释|实现|讲|看|写|改|修|跑)|(?:现在)?(?:请|麻烦)?(?:帮我|给我"
        r"|替我)(?!记)).*$"
    ),
}
"""A task that follows a fact."""


_NO_HEAD = (
    r"^(?!(?:our|the|users?|they|it|he|she|this|these|we|i (?:can't|don't|do not|cannot)|do you|did you|does)\b|(?:(?! "
    r"[-–—] )[^:,.])*\b(?:errors?|leaks?|limit|usage|out of|alloc\w*|heap|mb|gb|tests?|bugs?|fails?|failed|function"
    r"|class|build|posts?|bot|button|titles?|labels?|text|says?|said|reads?|wrote|named|called|add|write|fix|create"
    r"|implement|show"
    r"|explain|rename|draft|send|why|how|what(?! you know)|commit|release|if|whether)\b)"
)
"""Lookahead at the beginning of a heading. It refuses words of tasks and reports."""

_KEEPING = (
    r"(?:mem|memory|memories|memo|nb|remember please|jot (?:this|that)(?: down)?|reminder|retain|for later|next time"
    r"|(?:for|in) the (?:future|record|coming \w+)|for posterity|the following|(?:next|future|later|other"
    r"|every) (?:sessions?|chats?|agents?|conversations?)|across sessions|standing knowledge"
    r"|what you know(?: about \w+)?|just so you remember|(?:pin|log|learn|lose) (?:this|that)|long-term note|on record"
    r"|be known|note to (?:self|yourself|you)|(?:pls|please|now) (?:save|store)"
    r"|(?:fact|thing|rule|preference|detail|info|item|one|something)s? (?:to|worth|for you to) "
    r"(?:store|keep|save|know|hold on to|storing|keeping|saving|knowing))"
)
"""Words of a heading that asks to keep the text after it."""

WHEN_WORKING = {
    "remember|mind|forget&repo|project|codebase|team|next time|when|every time|each time|ever ": (
        r"^(?=(?:in|for) (?:this|our|my) (?:\w+ )?(?:repo\w*|project|codebase|team),? (?:please )?remember (?:that"
        r"|to)\b|(?:next time|whenever|(?:every|each) time)\b[^:?]{3,60}\bremember to\b|(?:(?:whenever|(?:every|each) "
        r"time) (?:you|we|i) (?!talk|speak|chat|meet)|if (?:you|we) ever |when (?:you (?!are\b|have\b)\w+"
        r"|(?!doing)\w+ing) (?!the|this|that|it\b|my\b))[^:?,.]{2,60},? (?:please |always )?(?:remember|keep in mind"
        r"|don't forget) (?:that|to)\b)"
    ),
    "记得|记住|记着|忘&每次|时|里|中": (
        r"^(?=(?:以后)?(?:每次[^,，。:：?？]{0,16}|(?:[写用做画建]|回[复答我])[^,，。:：?？这那他她它]{1,14}(?:的时候"
        r"|时)|在?(?:我们|咱们?)?的?(?:这个?|本)?\s?(?:项目|仓库|代码库|工程|团队|公司|部门"
        r"|\w*repo)\s?[里中]面?)[,，]?(?:[请都也你要得]|一定|务必|千万)*(?:(?<!我)记得|别忘了?|不要忘记?了?"
        r"|(?<=[要请])记[住着]|记[住着](?=[,，:：]))(?![了吗没?？这那它]).{3,})"
    ),
}
"""A request that begins with the kind of work for which the fact is valid. The kind of work is part of the fact."""

HEADED = {
    "mem|nb|jot|re|learn|later|next|fut|coming|ses|know|pin |log |note|save|store|keep|hold|lose|file"
    "&mem|nb|jot |reminder|retain|later|next time|future|record|coming|posterity|following|session|chat|agent|know"
    "|conversation|pin th|log th|learn th|lose th|note|sav|stor|file th|keep|hold on&:|：|, | that| -| –| —": (
        rf"{_NO_HEAD}[^:.?!]{{0,60}}?\b{_KEEPING}\b(?:[^:.?!]{{0,30}}[:：]\s+|[^:,.?!]{{0,20}} that\s+(?!to\b|for\b"
        rf"|in\b|please\b)|[^:,.?!]{{0,12}}"
        r"(?:, | [-–—] ))(?!keep in mind|remember|please\b)(?=\S)"
    ),
    "记录|备忘|备注|记忆|笔记|记一|留个|提醒|提示|知道|记住的事|收好|存|收录|下次|备查|留档|mark": (
        r"^(?!.*(?:怎么|没|查看|删|登录|日志|日记|操作记录|写个?[^,，。]{0,4}脚本|报错|为什么"
        r"|哪))[^,，。:：]{0,14}?(?:[做留加写][个条一](?:记录|备忘|备注|笔记|话|提醒)|记忆更新|更新记忆|记忆里的内容"
        r"|给(?:下次|以后|将来|未来)的(?:提示|提醒|备注|交代)|(?:下一?次|以后)[^,，。:：]{0,8}(?:应该|需要|要|得)知道"
        r"|(?<![标登书笔日])记一[句条下笔]|小?提醒(?!功能)|收好|(?:保存|存储|收录)(?:这条|以下|下面)"
        r"|(?:存|收录)(?:一[下条]|下来)(?![^,，:：这那]{2,}[,，])|说[个件](?:要|得)记住的事|下次(?:注意|记得)"
        r"|留个[话底]|备查|留档|存个档|存档(?:备用|(?=[:：]))"
        r"|mark ?(?:一?下|住))[^,，。:：]{0,6}[:：,，]\s*(?=\S)"
    ),
    "用到|用得|有用|参考": (
        r"^(?:[^,，:：。]{0,10}[,，])?(?:这个|这些)?(?:将来|以后|今后|日后)(?:还|都|可能)?(?:会用到|用得[上着到]"
        r"|会?有用)的?[:：,，]\s*|^(?:供|留?给)?你?(?:将来|以后|今后|日后)参考用?[:：,，]\s*"
    ),
    "记得": r"^(?=(?:以后|往后|今后|下次|下回)[^,，。:：不没]{2,20}记得(?!密码|账号|登录)[^了吗?？]{3})",
    "强调|重申": r"^我?(?:再|要|得)?(?:强调|重申)(?:一[点下次遍]|下)[:：,，]\s*",
    "注意": (
        r"^(?:[^,，。:：]{0,8}[,，])?[^,，。:：]{0,8}(?:以后|今后|往后|下次)[请都要得也你]{0,3}注意[:：,，]\s*(?=\S)"
    ),
    "忘|记": r"^这(?:个|条|点|一点|件事)[^,，。:：]{0,8}(?:别忘了?|[得要]记[住着])[:：,，]\s*(?=\S)",
    "stress|emphasi": (
        r"^(?:let me|i want to|i must|i'll) (?:stress|emphasi[sz]e)(?: this| again| one thing"
        r"| once more)*(?: for [^:,]{1,30})?[:,]\s+(?=\S)"
    ),
    "later|in the future|next time|in future": (
        r"^[^:.?!]{0,40}\b(?:useful|handy|need(?:ed)?) (?:again |this |it )?(?:later|in (?:the )?future"
        r"|next time)(?: on)?: (?=\S)"
    ),
    "从现在|从今|今后|往后": (
        r"^(?:从(?:现在|今天|今)(?:起|开始)|今后|往后)[,，]?\s*(?=\S)(?!到|[一两三几\d]+个?[天周月星]"
        r"|.*(?:看[下看]|删掉|挂了|没用|失败|报错|为什么|计|记))"
    ),
    "from |forward|future|starting": (
        r"^(?:from (?:now|here|today|this point) on(?:wards?| out)?|going forward|in (?:the )?future(?!\s\w+,)"
        r"(?! (?:versions?|releases?|commits?|builds?)\b)"
        r"|in (?:all |the )?future (?:chats|sessions|conversations)|starting (?:today|now|tomorrow))(?:, ?"
        r"| )(?:please )?(?!(?:we|i|it|they|he|she|the|this|that|there|our|my|a|an|all|every|any|no one|nobody|everyone"
        r"|only|is|in|was)\b|keep in mind|remember)(?=[a-z])"
    ),
    "remember|note|memory|record|session": (
        r"^(?!(?:our|the|a|an|users?|they|it|he|she)\b|.*\b(?:says?|said|reads?|wrote|text|label|banner|button|title"
        r"|error|test|if|whether|called|named|add|compose|draft|rename|function|commit|release|does|did|can't"
        r"|cannot|how)\b)[^:]{0,90}\b(?:remember(?:ed)?(?!\()(?: (?:it|this|that))?|(?:a|mental|quick) note|a memory"
        r"|record of (?:this|that|it)|for (?:the |my )?(?:next|later|future) sessions?)\b[^:,.?]{0,40}:\s+(?=\S)"
    ),
    "future|next time|forward|for later|coming": (
        r"^(?:fyi,? )?(?:(?:just so )?you (?:should|need to|must) know,? )?for (?:the |all |any )?(?:future reference"
        r"|next time"
        r"|later|(?:future|coming|next) (?:sessions?|chats?|conversations?))"
        r"(?:[,:]| that\b|(?<=reference)(?= (?:the|our|my|we|all|never|always)\b))\s*"
    ),
    "偏好": r"^把我的偏好(?:更新|改)[成为][:：,，]?\s*",
}
"""Headings before a fact. A heading counts as an instruction to remember the fact."""


class Following(NamedTuple):
    """The facts of a request and of the sentences that continue it.

    `end` is the offset after the last sentence of the request; 0 if there is only one. `goes_on`: the agent must judge
    whether further sentences belong to the request.
    """

    facts: list[str]
    end: int
    goes_on: bool


def is_question(mask: str) -> bool:
    if mask.rstrip().endswith(("?", "？")) or (mask.startswith(_ASKS) and pattern(_QUESTION).match(mask)):
        return True
    return search(_QUESTIONS, mask) is not None


def asks(mask: str) -> bool:
    """Return whether a sentence is a question, but not a polite request."""
    return is_question(mask) and not search(POLITE, mask)


def end_of(text: str) -> int:
    """Return the length of a text without the particles or the question, such as 好吗 or "please", at its end."""
    last = text.rstrip("。！!?？. \t\n\u3000")[-1:]
    form = _END_ZH if last in _LAST_ZH else END_EN if last and last.isascii() else ""
    ending = pattern(form).search(text) if form else None
    return ending.start() if ending else len(text)


def following(
    message: str,
    fact: str,
    said: Sentence,
    rest: "Iterable[Sentence]",
    asked: "Callable[[Sentence], str | None]",
    is_open: bool,
) -> Following:
    """Return the facts in the sentence of a request (`said`) and in the sentences of `rest` that continue it.

    After a colon, statements up to a question, a task, another request or the end of the paragraph continue it; else
    items and steps do. `is_open`: there is a colon before the sentence. `asked` returns the text of another request.
    """
    is_open = is_open or pattern(COLON).search(said.mask) is not None
    is_process, is_item = (
        search({_PROCESS: _PROCESS}, said.mask) is not None,
        pattern(ITEM).match(said.mask) is not None,
    )
    is_closed = said.text[-1:] in ".。!！" and not is_process
    ordered, begun = pattern(_ORDER).match(fact.lower()), search(_BEGUN, said.mask)
    does = ends_request(said.mask[begun.end() :]) if begun else None
    last, texts, lists, goes_on = said, [fact], False, False
    for sentence in rest:
        gap, mask = message[last.start + len(last.text) : sentence.start], sentence.mask
        listed = "\n" in gap and pattern(ITEM).match(mask) is not None
        if gap.count("\n") > 1 or (listed and is_item) or asked(sentence) is not None:
            break
        if not is_open and decision(sentence.text, mask):  # after a colon, decisions belong to the request
            break
        if pattern(_FIRST).match(mask) and (is_process or _is_statement(mask)):
            does = ends_request(mask)
        is_next = (listed and not is_closed) or _is_step(mask, does)
        is_next = is_next or (ordered is not None and pattern(_ORDER).match(mask) is not None)
        if not is_next and ends_request(mask):
            break
        goes_on = not is_open or not (is_next or _is_statement(mask))
        if goes_on:
            break
        last, lists = sentence, lists or listed
        texts.append(sentence.text)
    if last is said:
        return Following([fact], 0, goes_on)
    starts = [match.end() for text in texts if (match := pattern(_ORDER).match(text.lower()))]
    numbered = [text[start:].strip(TRIMMED) for text, start in zip(texts, starts, strict=False)]
    if len(starts) == len(texts) and all(SHORTEST <= len(item) <= MAX_FACT for item in numbered):
        return Following(numbered, last.end, goes_on)
    after = said.text[len(said.text.rstrip(".。!！?？;；")) :] + message[said.start + len(said.text) : last.start]
    text = "" if lists else fact + after + last.text
    mark, space = ("; ", " ") if text.isascii() else ("；", "")
    parts = filter(None, map(str.strip, text.split("\n")))  # a line without a mark at its end gets one
    whole = "".join(line + (space if line[-1] in TRIMMED else mark) for line in parts).strip(TRIMMED)
    return Following([whole if len(whole) <= MAX_FACT else _UNKNOWN], last.end, goes_on)


def without_task(fact: str) -> str:
    """Return a fact without the task after it. The second step of "first …, then …" (先…再…) is not a task."""
    task = search(NEXT_TASK, simplified(fact))
    later = task and pattern(r"[,，;；]\s*(?:再|然后|接着)(?!请|麻烦|帮|给我)").match(task[0])
    return fact[: task.start()] if task and not (later and "先" in fact[: task.start()]) else fact


def ends_request(mask: str) -> bool:
    """Return whether a request ends before a sentence: a question, guess, task, thanks, or one that takes it back."""
    if is_question(mask) or search(QUESTION_OR_GUESS_ZH, mask) or search(RETRACTED, mask):
        return True
    rest = _bare(mask)
    if not rest.strip(TRIMMED) or pattern(_TASK if rest[0].isascii() else _TASK_ZH).match(rest):
        return True
    return begins(_THANKS, mask)


def _bare(mask: str) -> str:
    """Return a sentence without the mark of an item and words such as "now" at its beginning."""
    lead = pattern(rf"(?:{ITEM})?{_LEAD}").match(mask)
    return mask[lead.end() :] if lead else mask


def _is_statement(mask: str) -> bool:
    """Return whether a sentence is a statement, and not a task."""
    rest = _bare(mask)
    if ends_request(mask):
        return False
    return pattern(_SAYS).match(rest) is not None or (not mask.isascii() and bool(pattern(_SAYS_ZH).search(rest)))


def _is_step(mask: str, does: bool | None) -> bool:
    """Return whether a sentence is a step of a process. `does`: the first step is a task; None without a first step."""
    is_for_agent = pattern(_AGENT_ZH).search(mask) or is_question(mask)
    if does is None or is_for_agent or not (pattern(_NEXT).match(mask) or pattern(_FIRST).match(mask)):
        return False
    return does or not mask.isascii() or not ends_request(mask)


def referent(before: list[str]) -> str:
    """Return the last sentence except thanks; "" if it begins with thanks, or is a task or question after others."""
    thanks = {marks: rf"(?:{form})[\w\s']{{0,12}}\W*" for marks, form in _THANKS.items()}
    said = (one for one in reversed(before) if not begins(thanks, one.lower(), whole=True))
    last = next(said, "")
    if not last or begins(_THANKS, last.lower()) or (next(said, None) is not None and ends_request(simplified(last))):
        return _UNKNOWN
    return without_filler(last, last.lower())[0].strip(TRIMMED)


def items(message: str, at: int) -> tuple[list[str], int]:
    """Return the list items after an offset ([] with other lines or too many), and their end (0: no list)."""
    block = message[at:].lstrip("\n").partition("\n\n")[0]
    lines = [line for line in block.split("\n") if line.strip()]
    found = [line[match.end() :].strip() for line in lines if (match := pattern(ITEM).match(line))]
    if not found and lines:
        return [], 0
    return (found if len(found) == len(lines) <= MAX_FACTS else []), message.find(block, at) + len(block)
