"""What ranking knows of the two languages: function words of queries, and irregular English forms."""

_STOP_WORDS = """
a about above after again against all also am an and any are aren as at be because been before being below between
both but by can could couldn d did didn do does doesn doing don down during each ever few for from further had hadn
has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m
many may me might more most much must mustn my myself no nor not of off on once only or other our ours ourselves out
over own please re s same shall she should shouldn so some such t than that the their theirs them themselves then
there these they this those through to too under until up ve very was wasn we were weren what when where which while
who whom whose why will with won would wouldn yes you your yours yourself yourselves now currently presently nowadays
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that are not looked for in a query, unless it has no others."""

_ASKING = """
list lists listed mention mentioned mentioning walk explain explained explanation describe described summary summarize
summarise overview outline tell told say said show give help know consider suggest suggested suggestion suggestions
recommend recommended recommendation recommendations advice tips idea ideas conversation conversations discuss
discussed discussing discussion discussions talk talked talking bring brought earlier previous previously across
throughout order chronological different various several multiple specific particular certain clear complete
comprehensive detailed detail details overall concise brief briefly related include includes including aspect aspects
concept concepts way ways approach thing things kind kinds some good best helpful sure ensure possible
"""
ASKING = frozenset(_ASKING.split())
"""English words that mostly say how something is asked, or what form the answer is to have: "can you list the
different aspects of my move that we discussed, in order?"."""

_FUNCTION_PHRASES = """
什么 是什么 为什么 什么时候 什么样 什么地方 有什么 做什么 叫什么 哪 哪些 哪个 哪里 哪儿 哪位 哪种 哪一 哪一个
哪一年 哪年 哪几 哪几个 有哪些 是哪 谁 谁的 是谁 怎么 怎么样 怎样 如何 多少 是多少 有多少 多久 多长 几 几个 几岁
几年 几次 有几 何 何时 何地 为何 于何 是何 是否 能否 可否 吗 呢 吧 啊 呀 么 的 了 着 过 得 地 是 的是 在 有 和
与 及 或 于 对 把 被 给 跟 从 向 到 就 都 也 还 又 再 很 这 那 这个 那个 这些 那些 这里 那里 这样 那样 我 你 他
她 它 我们 你们 他们 她们 我的 你的 他的 她的 请 请问 告诉 知道 一下 一个 一些 之 其 以 而 且 所 因为 所以 但是
如果 可以 能 会 要 让 使 时 时候 的时候 曾 曾经 对吗 是不是 有没有 没有 不
现在 目前 如今 当前 你知道 听说过 说说 说说看 记得 还记得 我想问 想问一下
有没有人 提到 提到过
"""
FUNCTION_PHRASES = tuple(_FUNCTION_PHRASES.split())
"""Chinese function words: characters and pairs of a query that lie inside one are not looked for."""

_FORMS = """
be am is are was were been being; have has had having; do does did done; go went gone; say said; get got gotten;
make made; know knew known; think thought; take took taken; see saw seen; come came; give gave given; find found;
tell told; feel felt; become became; leave left; bring brought; begin began begun; keep kept; hold held;
write wrote written; stand stood; hear heard; mean meant; meet met; pay paid; sit sat; speak spoke spoken; lie lain;
lead led; grow grew grown; lose lost; fall fell fallen; send sent; build built; understand understood;
draw drew drawn; break broke broken; spend spent; rise rose risen; drive drove driven; buy bought; wear wore worn;
choose chose chosen; eat ate eaten; teach taught; catch caught; fight fought; sell sold; sleep slept; win won;
sing sang sung; swim swam swum; drink drank drunk; ride rode ridden; fly flew flown; forget forgot forgotten;
forgive forgave forgiven; throw threw thrown; wake woke woken; steal stole stolen; hide hid hidden; bite bit bitten;
shake shook shaken; run ran; ring rang rung; sink sank sunk; shoot shot; seek sought; lend lent; bend bent; feed fed;
deal dealt; dream dreamt; learn learnt; burn burnt; hang hung; stick stuck; strike struck; swear swore sworn;
tear torn; freeze froze frozen; blow blew blown; weave wove woven; light lit; dig dug; bind bound; arise arose arisen;
child children; man men; woman women; person people; foot feet; tooth teeth; mouse mice; goose geese;
wife wives; knife knives; half halves; shelf shelves; self selves; wolf wolves; thief thieves;
good better best; bad worse worst; far further furthest
"""
IRREGULAR = {form: forms.split()[0] for forms in _FORMS.split(";") for form in forms.split()[1:]}
"""Irregular forms and the word each is indexed as, which a stemmer cannot know."""
