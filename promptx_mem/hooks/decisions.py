"""Decisions and standing rules in a sentence of a person's message, in Chinese and English.

The expressions are in lower case, and most have alternatives with marks: strings of which a text that they match has
one. Only the alternatives that a message can match are compiled, since all of them take longer than a recall.
"""

from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    import re

MAX_FACT = 500
"""Most characters of a fact; a longer one is left to the agent."""

SHORTEST = 4
"""Characters of a text that is printed to be stored."""

AROUND = " \t?？,，、:：。.!！;；-–—"

HIDDEN = "\ue000"


def _any(*forms: str) -> str:
    return "|".join(forms)


_FILLER = (
    r"(?:(?:ok|okay|fine|then|so|well|al(?:l |l)?right|right|great|good|yes|yeah|hey|and|also|btw|fyi|by the way"
    r"|好的?|行|嗯|那么?|对了|另外)[,，:：!！\s]+)+"
)
_WE = (
    r"(?:we|i|(?:my|our) [a-z-]+ and i|(?:the|my|our) (?:whole |entire )?(?:\w+ )?(?:team|group|board|family|lab"
    r"|class|committee|crew|office|company|department|squad|choir|club)|everyone|all of us|it)(?:'ve|'re|'m|'ll|'s"
    r"| have| are| am| has| is| was| will)?(?: going to)? (?:(?:all|just|finally|now|already|both|also|only|always"
    r"|never) ){0,2}"
)
_TIME = (
    r"(?:from (?:now|here) on(?: out)?|in future|going forward(?! (?:in|through)\b)|henceforth|until further notice"
    r"|effective (?:today|now|immediately)|(?:starting|beginning|as of|from|effective) (?:today|tomorrow|now|(?:this"
    r"|the next|next|version|\w+day) ?\w*|v?\d[\d.]*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)\w*(?: \d+)?)(?: on(?:wards?)?)?)"
)
_DECIDES = {
    "we|i |i'|team|group|everyone|it |us |agreed|decided|voted|chose|settled": (
        r"(?:(?:after|following|at|in|today|yesterday|last|this)\b[^,]{0,60}?,? "
        rf"|[a-z ]{{6,50}} and )?{_WE}(?:decided(?: \w|: ?\S)|agreed (?!with (?:you|him|her|them|the (?:review"
        r"|comment))|upon\b|to (?:review|help|meet|call|check))[a-z]|settl(?:ed|e|ing) (?:on|for|(?:the"
        r"|our) \w* ?(?:question|matter|debate|name|issue))|end(?:ed)? up (?:choosing|using|picking|going)|cho(?:se"
        r"|sen)\b(?! to\b)|opted (?:for|to)|picked\b(?! (?:this|that|it)\b)|committed to|resolved to"
        r"|voted(?: (?:for|to|against)|[,:])|concluded that|(?:go|going|gone|went) (?:with|for)"
        r"|stick(?:ing)? (?:with|to)|(?:made|make) (?:up )?(?:my|our|a|the) (?:minds?|decision)|(?:switch|mov)(?:e"
        r"|ed|ing)? (?:to|from|(?:the|our|my) \S+ to)|standardi[sz](?:e|ed|ing) on|adopt(?:ed|ing)?\b|dropp(?:ed"
        r"|ing)\b|replaced \S.* with|want to (?:go with|keep)|choose (?:the|to)|(?:keep|continue) [a-z]+ing\b"
        r"|only (?:support|use|ship|accept)\b|prefer (?!not)[^,.]{1,40} (?:to|over) \S"
        r"|use [^,.]{1,60} (?:rather than|instead of|everywhere|only|for (?:all|every|each))\b|be using"
        r"|no longer \w)"
    ),
    "decided|agreed|settled|decision|verdict|choice|final:|fixed:|set:|ing with|ing to|from |future|as of|start|ward": (
        r"(?:decided|agreed(?: then)?|(?:so )?we're agreed(?: then)?|settled|(?:the |our |my |final "
        r"|team )*(?:decision|verdict)|(?:our|my) choice)(?:[:,]| is:?| was:?) \S|(?:the |our )?(?:plan|name"
        r"|date) is (?:final|fixed|settled|decided|set):|(?:it'?s|that'?s) (?:decided|settled|agreed"
        r"|final)[:,. ]+\S|(?:(?:the )?team )?(?:decided|agreed|going with|settled on|switching to"
        rf"|sticking with) \S+ \S|(?:let's|no) .{{3,100}}{_TIME}\W*$|[^?]{{6,}}: .{{3,100}}{_TIME}\W*$"
        rf"|(?:{_TIME},? )(?:we|all|every|each|no|the|our|reviews?)\b[^?]{{6,}}$|(?:we|i)(?:'ll"
        rf"| will)? [a-z]+ .{{3,100}}{_TIME}\W*$"
    ),
    "we|i |i'm|approved|agreed|signed": (
        r"(?!.*\b(?:this|that|here|for now|tomorrow|again|page|tests? first)\b)(?:.{2,80}?(?:[,:;] (?:so |then "
        r"|and )?| and ))?(?:we|everyone|the team)(?:'ve|'re|'ll| have| are| will)?(?: (?:all|both|just|finally|now"
        r"|only|going to)){0,2} (?:go(?:ing)? (?:with|for|all in)|stay(?:ing)? (?:on|with|at)|keep(?:ing)? (?:the"
        r"|our|using|supporting|[a-z.]+\W*$)|rul(?:e|ing|ed) out|replac(?:e|ing) \S.* (?:with|by) "
        r"|drop(?:ping)? (?!the table))|(?:we|i)(?:'re| are|'m)? (?:won't|will not|will no longer"
        r"|not going to) (?:use|support|have|do|ship|offer|allow|keep|build|need|accept|hire)\b|we(?:'ll| will"
        r"| are going to|'re going to) (?:only |always |now )?(?:use|release(?! memory)|deploy|ship|support|host"
        r"|name|call|pin|stay|buy) (?!it\b|them\b)(?!.*\b(?:this|that|here|for now|tomorrow|again|later)\b)|(?:the "
        r"|our )?\w+ (?:has |have )?(?:approved|agreed|signed)\b[^,:]{0,20}(?:[,:] (?:we|the|all|no)\b|: \S)"
        r"|[^?]{6,100}[,;] (?:we|everyone|the team) (?:all )?agreed\b.{0,12}$|we(?:'ll"
        r"| will)? \w+ [^,.]{1,40} and not (?:with |to |on |in )?\S"
    ),
    "let's|lets|let us| it is| it will be": (
        r"let(?:'s|s| us) (?:(?:call|name) (?:the|our) \S|go (?:with|for)|stick (?:with|to)|settle (?:on|for)"
        r"|switch to|standardi[sz]e on|adopt|stay (?:with|on)|agree (?:on|to|that)|keep (?:the|our|using"
        r"|[\w.]+ (?:in|as|on|for)|[a-z]\w+ and)|drop [^,.]{1,40} (?:and|in favou?r)|use [^,.]{1,60} (?:instead of"
        r"|rather than|everywhere|from now on|for (?:all|every|the|our)|as (?:the|our))|make it (?:a|the"
        r"|our) (?:rule|habit|policy|standard|default|convention)|make (?!an?\b|it\b|sure\b|this\b)[^,]{1,40} (?:our"
        r"|the) \w+|ban\b|stop using|do it: \S|not (?:use|support|add|ship|buy)\b)|(?!that's|\w*ever\b|what|how|as\b"
        r"|it\b)[\w.+#-]{2,30}(?: [\w.+#-]{1,30})? it (?:is|will be)\b(?=,? then\W*$|\W*$|, go ahead\b)"
    ),
}
_BEGIN_ZH = (
    r"^(?=[^吗?？]{4,}$)(?:(?:经过?|讨论|商量|考虑)[^,，]{0,8}[,，]|[^,，把将请帮]{0,8}(?=我们|咱|大家|团队|最终"
    r"|最后))?"
)
_DECIDES_ZH = {
    "定|商量|说好|同意|选|拍板|达成|谈好|想好|放弃|坚持|保持|改|换成|统一|一律|不|替|取代|结论|用|聊过|批|比较": (
        r"(?:(?:我和|和我)[^,，]{1,5}|我们?|咱们?|实验室|全家|家里|班里|公司|部门|店里|团队|大家|全?组里?|项目组"
        r"|会上|开会|最[终后]|已经|一致|都|还是|刚|[今昨]天|上周|商量后?|经?过?讨论后?|投票|打算){1,5}(?:决定"
        r"|商[定量]|说好|约定|同意|敲定|[选确]定|定(?:下来|[了为在])|选|拍板|达成一致|打定主意|谈好|想好|放弃|坚持"
        r"|保持|继续用|改[用成]|换成|采用|统一|一律|弃用|不再|不(?:做|用|支持|上|考虑|接|招|维护|发)[^,，]+了"
        r"|用[^,，]+(?:代替|取代|替换|[,，](?:而?不(?:用|再|是)))|把[^,，]+(?:改成|换成)|就?这么定)(?!性|权|论(?!文)"
        r"|因素|书|一下|树|于|项|哪|什么|中|按钮)|(?:那?就?|[^,，]{1,8}?)(?:决定|商定|说好|说定|约定|敲定|选定"
        r"|商量好|拍板|定|确定|结论)(?:了|好|下来)?[,，:：](?=.{4})|[^,，]{1,10}?(?:聊过|谈妥|比较过"
        r"|批准?)了?[^,，]{0,4}[,，:：](?=[^,，]{0,8}(?:买|用|改|挪|换|不|采|定|放|搬|选|按|统一|\d|倾向))"
        r"|(?:会议)?(?:结论|决定)(?:是|[:：])|(?:讨论下来[,，])?[^,，把将请帮]{0,6}(?:改用|换成|采用"
        r"|不?用)[^,，]{1,20}[,，](?:而?不(?:是|用|选|再)|改用|换成)"
    ),
    "以后|今后|从现在|下周|从今|从明天|从下|从本周|往后|规矩|们就不|就这么办|通过|确认过|批准": (
        r"[^,，把将请帮?？]{0,10}(?:以后|今后|往后|从现在(?:起|开始)|从今[天以]?[起后]|从(?:今天|明天|下周|下个?月"
        r"|本周)(?:起|开始)|下周[一二三四五六日]起)[,，]?[^,，]{0,12}?(?:就|都|统一|一律|全部|所有|只|不|必须|先|每"
        r"|用|按(?!钮)|内完成)(?!说|可能)|(?:往后|今后|以后)[,，]?(?:禁止|必须|不许|一律|不准)(?!的)"
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
        r"|先))[^,，]{0,8}就(?:[定选用]\s*[^,，]{2,16}(?:吧|了|$)|\s*[a-z][a-z0-9 .+#-]*(?:了|吧))[。！!]*$"
        r"|我看(?:就|还是)用[^,，]{2,}|(?:那|好|那么)?[,，]?(?:我们|咱们?)?(?:还是|就)(?:按|照|用|选|走|定"
        r"|采用)(?!户|例)[^,，]{2,}(?:来|吧|走|了)[。！!]*$|[^,，把将请帮]{1,10}(?:定(?:下来)?了[:：,，]|最终(?:定"
        r"|选)[^,，]{2,}$|最终定[为在]|统一(?:用|采用))|.*[,，]就这么定了[。！!]*$|(?:同意|行|好)[,，](?:就"
        r"|我们)?(?:放弃|采用|改用|换成|保留|不再|用)|(?!.*(?:一下|看看|试|再跑|找))(?:(?:agreed|ok|okay|行|好|可以"
        r"|同意|没问题)[,，]?\s*)?(?:听你的[,，]|我们|那就|就|[a-z ]{1,20}就)[^,，]{0,6}(?:用|走|按(?=方案|你|第)|选"
        r"|go with)\s*(?:[a-z]|第[一二三]|你说的|方案)|(?:[^,，]{2,8}[,，])(?:还是用|选了)|采用(?:你|第"
        r"|方案)(?!.*(?:什么|问题))"
    ),
}
_RULES = {
    "always|never|must|shall|should|have to|has to|need|may |nobody|no one|every|prefer": _any(
        r"(?:please )?(?:always|never) (?!mind\b|ever\b|been\b|the\b|seen\b|heard\b|worked\b|had\b|got\b|did\b"
        r"|a\b)\w+ \S",
        r"(?:we|i) (?:must |should |shall |will )?(?:never|always) (?!got|had|have|were|was|did|underst|saw|kn[oe]w"
        r"|see)[a-z]+ \S",
        r"(?:all|every|each|any|new|no) [^,.:]{2,60} (?:must|shall|has to|have to|needs? to|may|should)\b",
        r"(?:everyone|everybody|nobody|no one|anyone|all of us) (?:must|shall|has to|needs to|may|can|is to|should"
        r"|uses?|writes?|gets?|works?|commits?)\b",
        r"prefer [^,.]{2,40} (?:over|to|instead of)\b",
    ),
    "only": _any(
        r"(?:please )?(?:we )?only (?:deploy|merge|accept|release|ship|support|allow|commit|push|use|book|order|buy"
        r"|send|pay|publish|approve|hire|invite|squash|write|import|take)\b.{6,}",
        r"[^,.]{3,60} only(?: from| as| after|\W*$)",
    ),
    "no ": _any(
        r"no (?:more )?[a-z][a-z -]{2,40} (?:without|unless|until|outside)\b",
        r"no (?:more )?[a-z][a-z -]{2,40} (?:on|after|before|in|during) (?:the |any )?(?:mon|tues|wednes|thurs|fri"
        r"|satur|sun|week|day|noon|night|eve|prod|main|master|code|git|repo|team|\d)",
        r"no (?:more )?[a-z][a-z -]{2,40} (?:longer|shorter|larger|bigger|more|fewer|less|older) than\b",
        r"no more [^,.]{2,40}(?:[,;:–—-]|\W*$)",
    ),
    "all|every|each|any|default|across|as our": _any(
        r"(?:use|keep|name|prefix|tag|document|stick to|write) [^,.]{1,60}(?: for (?:all|every|any|each)| everywhere"
        r"| by default| across | throughout | in (?:all|every|each) | as (?:the|our) )",
        r"(?:use|keep|name|prefix|tag|document|store|write|review|sign|pin) (?:all|every|each|any) [^,.]{2,60} (?:in"
        r"|with|as|to|under|by|through|before|at)\b",
        r"(?:all|every|each|any) [^,.:]{2,40} (?:goes?|gets?|uses?|lives?|will|needs?)\b",
        r"(?:all|every|each|any) [^,.:]{2,40} (?:is|are) (?:named|written|stored|reviewed|kept|prefixed|versioned"
        r"|tagged|signed|squashed|merged|deployed|run)\b",
        r"(?:as a rule|by default)[, ].{8,}",
    ),
    "now on|here on|forward|henceforth|notice|effective|from |starting|beginning|as of|future": _any(
        rf".{{8,}}(?:,| ){_TIME}\W*$",
        rf"{_TIME},? (?!i'm\b|i am\b|i'll be\b)\S.{{6,}}",
    ),
    "settled|final|decided|period|discussion|closed|deal|agreed|locked|call|answer|pick|vote|choice|ruling": _any(
        r"[^?]{4,100}[,;:.–—-]+ ?(?:(?:and )?(?:that's|it's) )?(?:final answer|final|settled|decided|period"
        r"|end of (?:the )?(?:discussion|story|debate)|no (?:more )?discussion|case closed|(?:a )?done deal|agreed"
        r"|locked in|a deal|my (?:final )?(?:call|decision|answer))\W*$",
        r"(?:my|our) (?:final )?(?:call|answer|pick|vote|choice|ruling|decision)(?: here)?(?: is|:|,) \S.{3,}",
    ),
    "rule|policy|convention|consensus|outcome|resolution|guideline|standard|debating|discussing|arguing": _any(
        r"(?:(?:new|house|team|our|the|ground|naming|hard|simple) )*(?:rule|policy|convention|consensus|outcome"
        r"|resolution|guideline|standard)(?: [^:,.]{2,30})?(?: is(?: that)?|:|,) .{6,}",
        r"done (?:debating|discussing|arguing)\b.{6,}",
    ),
    "wins|banned|off-limits|off limits|forbidden|allowed|mandatory|obligatory|compulsory|default|standard"
    "|official": _any(
        r"[\w.+# -]{2,40} wins\b",
        r"[^,.]{2,60} (?:is|are) (?:now |hereby )?(?:banned|off[- ]limits|forbidden|not allowed|no longer allowed"
        r"|mandatory|obligatory|compulsory|(?:the|our) (?:new )?(?:default|standard|official|only)\b)",
    ),
    "i'm |i am |we're |we are |we ": _any(
        r"(?:i'm|i am|we're|we are)(?: now| all| officially)? (?:choosing|picking|ditching|retiring|dumping"
        r"|abandoning|banning|freezing|capping|adopting|dropping|switching|settling|standardi[sz]ing|sticking"
        r"|going (?:all[- ]in|with))\b.{4,}",
        r"we (?:don't|do not|no longer) (?:use|deploy|merge|ship|support|commit|release|mock|push|do|allow|accept"
        r"|write|buy|eat|store|log)\b.{4,}",
    ),
}
"""Beginnings of a standing rule, or of a choice without a verb of deciding."""

_TIME_ZH = (
    r"(?:从(?:今天?|现在|明天|(?:这|本|下)个?(?:周[一二三四五六日]?|月|版本?|迭代|学期|季度|阶段|星期)"
    r"|\d+ ?月(?:\d+[日号])?|周[一二三四五六日]|v?\d[\d.]*版?)(?:起|开始|之后|以后)|即日起)"
)
_RULES_ZH = {
    "从|即日|以后|往后|今后|日后": _any(
        rf"(?:.{{0,12}}[,，])?[^,，把将帮请]{{0,12}}{_TIME_ZH}[,，]?(?!我(?!们))[^,，]{{4,}}",
        r"(?:.{0,12}[,，])?[^,，把将帮请]{0,12}(?:往后|以后|今后|日后)[,，]?[^,，再]{0,14}?(?:用|要|由|在|改|按|走"
        r"|放|写|统一|一律|都|只|不|每|先|必须|归|叫|需|得|交|以)",
    ),
    "统一|一律|全部|全都|都": _any(
        r"[^,，把将帮请]{0,20}(?:统一|一律)(?:都)?(?:用|使用|采用|按|走|放|写|改用|存|叫|以|由|设为|在|不|要|加|从"
        r"|遵循|命名|配)[^,，]{2,}",
        r"[^,，把将帮请]{2,20}(?:全部|全都)(?:用|使用|采用|按|走|放|写|改用|存|以|由)[^,，]{2,}",
        r"[^,，把将帮请]{0,8}(?:接下来|往后|新的?|本)[^,，把将帮请]{0,8}都(?:采用|用|按|走|由|放)[^,，]{2,}",
    ),
    "定|拍板": _any(
        r"[^,，把将帮请]{0,24}(?:定为|定在|定成|就定|定了用|选定|敲定|锁定|确定(?:用|为)|定(?=每|周|\d))[^,，]{2,}",
        r"[^,，]{3,30}[,，](?:我们|大家|咱们?)?(?:就这么(?:定|办|做|说定)|说定|一言为定|没商量|定|就它|就这个|敲定"
        r"|不改)了?[。！!]*$",
    ),
    "放弃|弃用|停用|淘汰|砍|抛弃|告别|不用|不再": _any(
        r"[^,，帮请]{0,10}(?:放弃|弃用|停用|淘汰|砍掉|抛弃|告别|不再用?|不用)[^,，它]{1,20}(?:了?[,，](?:直接|咱们?"
        r"|我们)*(?:全?部?改?[用换转走上成选买]|采用|只|统一)|改[用成]|换成)",
        r"[^,，把将帮请]{0,12}(?:不再|放弃|弃用|停用|淘汰)(?:支持|使用|用|做|接受|维护"
        r"|考虑)?\s?[^,，它这]{2,20}了[。！]*$",
    ),
    "选|还是": _any(
        r"(?:我们?|咱们?|那就?|就|最终|最后|[^,，]{2,8}[,，])?选(?:了|用"
        r"|定)?(?![择项中错出题手修取举一第])[^,，]{2,}",
        r"[^,，]{0,14}还是(?:用|走|选|保持|沿用|维持|按|回到)[^,，]{2,}(?:吧|好了|算了)[。！!]*$",
    ),
    "换|迁|转|切|改|搬": (
        r"[^,，帮请把将]{0,8}(?:我们|咱们?|项目|团队|全组|正式|全面|整体|数据库|前端|后端|公司"
        r"|家里)[^,，帮请把将]{0,6}(?:从[^,，]{1,16})?(?:换|迁移?|转|切换?|改|搬)(?:成|到|为|至|用)[^,，]{1,}"
    ),
    "所有|每|任何|凡|必须|不得|不准|不许|禁止|严禁|只能|只准|只许|一定要|不允许|只用|永远|始终|绝": _any(
        r"(?:所有|每个|每次|每周|每天|每条|任何|凡是?)[^,，把将帮请]{1,24}[,，]?(?:都?必须|都?要|都得|都用|都走|都由"
        r"|都先|一律|统一|不得|不许|不准|不能|禁止|只能|应当|都?须|都?需要?)(?!的)[^,，]{2,}",
        r"(?:禁止|严禁|不许|不准|不得|杜绝|不允许|必须|只能|只用|只允许|永远|始终|坚决|绝不|绝对不)[^,，的]{4,}",
        r"[^,，把将帮请]{2,20}(?:必须|只能|不得|不准|不许|禁止|严禁|只准|只许|一定要|不允许|绝不)(?!的)[^,，]{3,}",
    ),
    "统一一下|打算|准备|结论|结果|决议|共识|定论|规|约定|原则|政策|底线|铁律|一致|投票|表决|讨论|评审": _any(
        r"[^,，]{0,8}(?:结论|(?:讨论|投票)结果|决议|共识|定论|规定|约定|规则|原则|政策|底线|铁律|新规|规矩|(?:最终"
        r"|定下的)方案|达成一致)(?:就?是|了?[:：,，]|一下[:：,，]).{5,}",
        r"统一一下[,，:：].{4,}",
        r"(?:我们|大家|全体|团队)?(?:投票|表决|评审)(?:通过|决定)了?[,，].{4,}",
        r"我们(?:(?:准备|打算)长期用|打算从|不打算)[^,，]{3,}",
        r"经过?[^,，]{0,6}(?:投票|表决|讨论|评审|商议|协商)[,，].{5,}",
    ),
}
_AT_HAND = (
    r"\b(?:this(?! (?:sprint|week|month|quarter|year|release|version|term))|(?<!is )that|these|those|here|it|above"
    r"|below|again|mind|line \d+|when i|it's|error(?! codes?| messages?)|fails?|failed|failing|broken|because of"
    r"|not sure|why|i think|seems?)\b|(?<![照按])这(?:个(?!版本|迭代|[周月]|季度)|[里段行次句条])|那[个里段行次]"
    r"|刚才|(?<![定一])一下|帮我|请|报错|看看|试试|没反应|失败|提示|显示|为啥|为什么|怎么|吗|呢|先(?:把|看|跑)|给我"
    r"|文档里|上面|下面|好像|似乎|我觉得|听说|据说|老板|同事|对面|隔壁"
)
"""Words of the work at hand or of a report: a sentence with one is no standing rule."""

_UNDECIDED = (
    r"\b(?:if|whether|unless|maybe|perhaps|might|suppose|supposing|imagine|assuming|hypothetically|should we|could"
    r"|would|haven't|hasn't|not (?:yet )?decided|(?:until|once|when|before) we|try|tried|tutorial|to see|find out"
    r"|look into|fix (?:it|this)|agreed to (?:review|help|meet|call|check)|(?:other|another|different|that"
    r"|this) (?:branch|file|tab|window|topic|name)|(?:go|going|went|gone) (?:with|for) (?:that|it|this|you|him|her"
    r"|them|a|an|lunch|dinner|my kids)|picked (?:up|(?:a|the) (?:bug|ticket))|decide later|wrong|take a break"
    r"|drop the table|still fail(?:s|ed)?|nothing yet|so next|(?:the|our) next (?:\w+ )?(?:item|file|step|task)"
    r"|(?:for|until) (?:these|the) tests?|for this (?:bug|pr|test)|no longer (?:get|see) (?:the|this|that)"
    r"|call the \w+ (?:from|in|with|on))\b|选错|写这个|去吃饭|第.{1,3}行|如果|要是|假如|假设|是否|要不要|还没|不确定"
    r"|没定|没有?(?:决定|想好)|尚未|未决定|再决定|谁决定|怎么|万一|也许|可能|或许|考虑一下|正?在考虑|写法|当年|早年"
    r"|(?<!不)打算(?!定|长期|从)|试试|比方|(?<![和跟与])客户(?!端)|[他她]们?|别人|对方|哪个"
)
"""A sentence that leaves the choice open, or is about other people or the work at hand."""


def possible(alternatives: dict[str, str], text: str) -> str:
    """Return the alternatives of an expression that may match a text; empty if there are none."""
    return "|".join(form for marks, form in alternatives.items() if any(mark in text for mark in marks.split("|")))


def search(alternatives: dict[str, str], text: str, begin: str = "") -> "re.Match[str] | None":
    form = possible(alternatives, text)
    return pattern(f"{begin}(?:{form})").search(text) if form else None


def decision(text: str, mask: str) -> str:
    """Return the whole sentence if it states the person's decision or a standing rule; empty otherwise.

    `mask` is as long as `text`, with quotations and code hidden.
    """
    filler = pattern(_FILLER).match(mask)
    start = filler.end() if filler else 0
    mask = mask[start:]
    if HIDDEN in mask[:2] or not (_decides(mask) or _is_rule(mask)):
        return ""
    text = text[start:].strip(AROUND)
    return text if SHORTEST <= len(text) <= MAX_FACT and not pattern(_UNDECIDED).search(mask) else ""


def _decides(mask: str) -> bool:
    return bool(search(_DECIDES, mask, "^") or search(_DECIDES_ZH, mask, _BEGIN_ZH))


def _is_rule(mask: str) -> bool:
    """Return whether a sentence states a standing rule, and not a task or a report."""
    found = search(_RULES, mask, "^") or (None if mask.isascii() else search(_RULES_ZH, mask, "^"))
    return found is not None and not pattern(_AT_HAND).search(mask)
