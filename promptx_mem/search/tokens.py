"""Terms of a text, the same for memories and queries; folding, and comparison of texts by their trigrams.

Folding unifies variants of a text: compatibility forms, accents, case, traditional characters. Latin words are
lower-cased and stemmed (by SQLite's own Porter tokenizer); runs of Chinese, Japanese, Korean and Thai give every
character and every pair of neighbours; identifiers are kept whole and in parts.
"""

from __future__ import annotations

import re
import sqlite3
from _thread import allocate_lock
from binascii import crc32
from functools import cache, lru_cache
from itertools import groupby
from operator import add
from struct import unpack
from unicodedata import is_normalized, normalize

from promptx_mem.core.text import pattern
from promptx_mem.record import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


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
"""English words that a query ignores, unless it has no others."""

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
"""English words about the phrasing of a question, or the form of the answer.

For example: "can you list the different aspects of my move that we discussed, in order?".
"""

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
"""Chinese function words: characters and pairs of a query inside one are not searched."""

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
"""Irregular forms with the word each is indexed as."""

# Sets of one or two ranges: larger ones cost a millisecond each to compile, in every process.
_ACCENTED = "[\u00c0-\u024f\u1e00-\u1eff]+"
_MARKS = "[\u0300-\u036f]+"

# All characters that the table of `simplified` changes; it is loaded for a text with one of them.
_TRADITIONAL = (
    "䰾䲁䴉丟並乾亂亙亞佇佈佔併來侖侶侷俁係俔俠俥俬倀倆倈倉個們倖倫偉側偵偽傑傖傘備傢傭傯傳傴債傷傾僂僅僉僑僕僞僥"
    "僨僱價儀儁儂億儈儉儎儐儔儕儘償優儲儷儺儻儼兇兌兒兗內兩冊冑冪凈凍凜凱別刪剄則剋剎剗剛剝剮剴創剷劃劄劇劉劊劌劍"
    "劑勁動務勛勝勞勢勩勱勳勵勸勻匭匯匱區協卹卻卽厙厠厤厭厲厴參叄叢吒吳吶呂咼員唄唸問啓啞啟啢喚喪喫喬單喲嗆嗇嗊嗎"
    "嗚嗩嗶嘆嘍嘓嘔嘖嘗嘜嘩嘮嘯嘰嘵嘸嘽噁噓噝噠噥噦噯噲噴噸噹嚀嚇嚌嚐嚕嚙嚥嚦嚨嚮嚲嚳嚴嚶囀囁囂囅囈囉囌囑囪圇國圍"
    "園圓圖團垻埡埰執堅堊堖堝堯報場塊塋塏塒塗塚塢塤塵塹墊墜墮墰墳墶墻墾壇壋壎壓壘壙壚壜壞壟壠壢壩壪壯壺壼壽夠夢夥"
    "夾奐奧奩奪奬奮奼妝妳姍姦娛婁婦婭媧媯媼媽嫋嫗嫵嫺嫻嫿嬀嬃嬈嬋嬌嬙嬡嬤嬪嬰嬸孃孌孫學孿宮寀寢實寧審寫寬寵寶將專"
    "尋對導尷屆屍屓屜屢層屨屬岡峯峴島峽崍崑崗崙崢崬嵐嵗嶁嶄嶇嶔嶗嶠嶢嶧嶨嶮嶸嶺嶼嶽巋巒巔巖巰巹帐帥師帳帶幀幃幗幘"
    "幟幣幫幬幷幹幾庫廁廂廄廈廎廕廚廝廟廠廡廢廣廩廬廳弒弔弳張強彆彈彌彎彔彙彠彥彫彲彿後徑從徠復徵徹恆恥悅悞悵悶悽"
    "惡惱惲惻愛愜愨愴愷愾慄態慍慘慚慟慣慤慪慫慮慳慶慼慾憂憊憐憑憒憖憚憤憫憮憲憶懇應懌懍懞懟懣懨懲懶懷懸懺懼懾戀戇"
    "戔戧戩戰戱戲戶扞拋拚挩挱挾捨捫捱捲掃掄掗掙掛採揀揚換揮揯損搖搗搧搵搶摑摜摟摯摳摶摺摻撈撏撐撓撟撣撥撫撲撳撻撾"
    "撿擁擄擇擊擋擔據擠擡擣擬擯擰擱擲擴擷擺擻擼擾攄攆攏攔攖攙攛攜攝攢攣攤攪攬敎敓敗敘敵數斂斃斆斕斬斷於旂旣昇時晉"
    "晝暈暉暘暢暫曄曆曇曉曏曖曠曨曬書會朧朮東枴柵柺査桿梔梘條梟梲棄棊棖棗棟棧棲棶椏楊楓楨業極榘榦榪榮榲榿構槍槓槤"
    "槧槨槮槳槶槼樁樂樅樑樓標樞樣樧樳樸樹樺樿橈橋機橢橫檁檉檔檜檟檢檣檮檯檳檸檻櫃櫓櫚櫛櫝櫞櫟櫥櫧櫨櫪櫫櫬櫱櫳櫸櫻"
    "欄欅權欏欒欖欞欽歎歐歟歡歲歷歸歿殘殞殤殫殭殮殯殲殺殻殼毀毆毿氂氈氌氣氫氬氳氾汎汙決沒沖況泝洩洶浹涇涗涼淒淚淥"
    "淨淩淪淵淶淺渙減渢渦測渾湊湞湧湯溈準溝溫溮溳溼滄滅滌滎滙滬滯滲滷滸滻滾滿漁漊漚漢漣漬漲漵漸漿潁潑潔潙潛潤潯潰"
    "潷潿澀澆澇澐澗澠澤澦澩澮澱濁濃濕濘濚濛濜濟濤濫濰濱濺濼濾瀂瀅瀆瀉瀋瀏瀕瀘瀝瀟瀠瀦瀧瀨瀰瀲瀾灃灄灑灕灘灝灣灤灧"
    "灩災為烏烴無煉煒煙煢煥煩煬熅熒熗熱熲熾燁燈燉燒燙燜營燦燬燭燴燻燼燾爍爐爛爭爲爺爾牀牆牘牠牴牽犖犛犢犧狀狹狽猙"
    "猶猻獁獃獄獅獎獨獪獫獮獰獲獵獷獸獺獻獼玀現琱琺琿瑋瑒瑣瑤瑩瑪瑲璉璡璣璦璫環璵璸璽璿瓊瓏瓔瓚甌甕產産畝畢畫異畵"
    "當疇疊痙痠痾瘂瘋瘍瘓瘞瘡瘧瘮瘲瘺瘻療癆癇癉癒癘癟癡癢癤癥癧癩癬癭癮癰癱癲發皁皚皰皸皺盃盜盞盡監盤盧盪眞眥眾睏"
    "睜睞瞘瞞瞶瞼矇矓矚矯硃硜硤硨硯碕碩碭碸確碼磑磚磠磣磧磯磽礄礎礙礦礪礫礬礱祂祕祿禍禎禕禡禦禪禮禰禱禿秈稅稈稜稟"
    "種稱穀穌積穎穠穡穢穩穫穭窩窪窮窯窵窶窺竄竅竇竈竊竪競筆筍筧箇箋箏箚節範築篋篔篠篤篩篳簀簍簑簞簡簣簫簹簽簾籃籌"
    "籙籛籜籟籠籤籩籪籬籮籲粵糉糝糞糧糰糲糴糶糹糾紀紂約紅紆紇紈紉紋納紐紓純紕紖紗紘紙級紛紜紝紡紮細紱紲紳紵紹紺紼"
    "紿絀終絃組絆絎結絕絛絝絞絡絢給絨絰統絲絳絶絹綁綃綆綈綉綌綏綑經綜綞綠綢綣綫綬維綯綰綱網綳綴綵綸綹綺綻綽綾綿緄"
    "緇緊緋緑緒緓緔緗緘緙線緝緞締緡緣緦編緩緬緯緱緲練緶緹緻緼縈縉縊縋縐縑縕縗縛縝縞縟縣縧縫縭縮縱縲縴縵縶縷縹總績"
    "繃繅繆繒織繕繚繞繡繢繩繪繫繭繮繯繰繳繹繼繽繾纇纈纊續纍纏纓纔纖纘纜缽罈罌罎罰罵罷羅羆羈羋羣羥羨義羶習翫翬翹翽"
    "耬耮聖聞聯聰聲聳聵聶職聹聽聾肅脅脈脛脣脩脫脹腎腖腡腦腫腳腸膃膕膚膠膩膽膾膿臉臍臏臘臚臟臠臢臥臨臺與興舉舊舖舘"
    "艙艤艦艫艱艷芻苧茲荊莊莖莢莧華菴菸萇萊萬萴萵葉葒著葤葦葯葷蒐蒓蒔蒕蒞蒼蓀蓆蓋蓮蓯蓴蓽蔔蔘蔞蔣蔥蔦蔭蕁蕆蕎蕒蕓"
    "蕕蕘蕢蕩蕪蕭蕷薀薈薊薌薑薔薘薟薦薩薴薹薺藍藎藝藥藪藴藶藹藺蘀蘄蘆蘇蘊蘋蘚蘞蘢蘭蘺蘿虆處虛虜號虧虯蛺蛻蜆蝕蝟蝦"
    "蝨蝸螄螞螢螻螿蟄蟈蟎蟣蟬蟯蟲蟶蟻蠁蠅蠆蠍蠐蠑蠔蠟蠣蠨蠱蠶蠻衆衊術衕衚衛衝袞袷裊裏補裝裡製複褌褘褲褳褸褻襇襉襏"
    "襖襝襠襤襪襬襯襲襴覈見覎規覓視覘覡覥覦親覬覯覲覷覺覽覿觀觴觶觸訁訂訃計訊訌討訐訒訓訕訖託記訛訝訟訣訥訩訪設許"
    "訴訶診註証詁詆詎詐詒詔評詖詗詘詛詞詠詡詢詣試詩詫詬詭詮詰話該詳詵詼詿誄誅誆誇誌認誑誒誕誘誚語誠誡誣誤誥誦誨說"
    "説誰課誶誹誼誾調諂諄談諉請諍諏諑諒論諗諛諜諝諞諡諢諤諦諧諫諭諮諱諳諶諷諸諺諼諾謀謁謂謄謅謊謎謐謔謖謗謙謚講謝"
    "謠謡謨謫謬謭謳謹謾譁證譎譏譖識譙譚譜譟譫譭譯議譴護譸譽譾讀讅變讋讎讒讓讕讖讚讜讞谿豈豎豐豔豬豶貍貓貝貞貟負財"
    "貢貧貨販貪貫責貯貰貲貳貴貶買貸貺費貼貽貿賀賁賂賃賄賅資賈賊賑賒賓賕賙賚賜賞賠賡賢賣賤賦賧質賫賬賭賴賵賺賻購賽"
    "賾贄贅贇贈贊贋贍贏贐贓贔贖贗贛贜赬趕趙趨趲跡踐踰踴蹌蹕蹟蹠蹣蹤蹺躂躉躊躋躍躑躒躓躕躚躡躥躦躪軀車軋軌軍軑軒軔"
    "軛軟軤軫軲軸軹軺軻軼軾較輅輇輈載輊輒輓輔輕輛輜輝輞輟輥輦輩輪輬輯輳輸輻輼輾輿轀轂轄轅轆轉轍轎轔轟轡轢轤辦辭辮"
    "辯農迴逕這連週進遊運過達違遙遜遞遠遡適遲遶遷選遺遼邁還邇邊邏邐郟郵鄆鄉鄒鄔鄖鄧鄭鄰鄲鄴鄶鄺酇酈醃醖醜醞醟醣醫"
    "醬醱釀釁釃釅釋釐釒釓釔釕釗釘釙針釣釤釦釧釩釵釷釹釺鈀鈁鈃鈄鈅鈈鈉鈍鈎鈐鈑鈒鈔鈕鈞鈡鈣鈥鈦鈧鈮鈰鈳鈴鈷鈸鈹鈺鈽"
    "鈾鈿鉀鉅鉆鉈鉉鉋鉍鉑鉕鉗鉚鉛鉞鉢鉤鉦鉬鉭鉳鉶鉸鉺鉻鉿銀銃銅銍銑銓銖銘銚銛銜銠銣銥銦銨銩銪銫銬銱銳銷銹銻銼鋁鋃"
    "鋅鋇鋌鋏鋒鋙鋝鋟鋣鋤鋥鋦鋨鋩鋪鋭鋮鋯鋰鋱鋶鋸鋼錁錄錆錇錈錏錐錒錕錘錙錚錛錟錠錡錢錦錨錩錫錮錯録錳錶錸錼鍀鍁鍃"
    "鍅鍆鍇鍈鍊鍋鍍鍔鍘鍚鍛鍠鍤鍥鍩鍬鍰鍵鍶鍺鍼鍾鎂鎄鎇鎊鎌鎔鎖鎘鎚鎛鎡鎢鎣鎦鎧鎩鎪鎬鎭鎮鎰鎲鎳鎵鎸鎿鏃鏇鏈鏌鏍鏐"
    "鏑鏗鏘鏜鏝鏞鏟鏡鏢鏤鏨鏰鏵鏷鏹鏽鐃鐋鐐鐒鐓鐔鐘鐙鐝鐠鐦鐧鐨鐫鐮鐲鐳鐵鐶鐸鐺鐿鑄鑊鑌鑑鑒鑔鑕鑞鑠鑣鑥鑭鑰鑱鑲鑷"
    "鑹鑼鑽鑾鑿钁钂長門閂閃閆閈閉開閌閎閏閑閒間閔閘閡閣閤閥閨閩閫閬閭閱閲閶閹閻閼閽閾閿闃闆闇闈闊闋闌闍闐闒闓闔闕"
    "闖關闞闠闡闢闤闥陘陝陞陣陰陳陸陽隉隊階隕際隨險隯隱隴隸隻雋雖雙雛雜雞離難雲電霑霢霧霽靂靄靆靈靉靚靜靝靦靨鞏鞝"
    "鞦鞽韁韃韆韉韋韌韍韓韙韜韝韞韻響頁頂頃項順頇須頊頌頎頏預頑頒頓頗領頜頡頤頦頭頮頰頲頴頷頸頹頻頽顆題額顎顏顒顓"
    "顔願顙顛類顢顥顧顫顬顯顰顱顳顴風颭颮颯颱颳颶颸颺颻颼飀飄飆飈飛飠飢飣飥飩飪飫飭飯飱飲飴飼飽飾飿餃餄餅餈餉養餌"
    "餎餏餑餒餓餕餖餘餚餛餜餞餡館餬餱餳餵餶餷餺餼餾餿饁饃饅饈饉饊饋饌饑饒饗饜饞饢馬馭馮馱馳馴馹駁駐駑駒駔駕駘駙駛"
    "駝駟駡駢駭駰駱駸駿騁騂騅騌騍騎騏騖騙騤騫騭騮騰騶騷騸騾驀驁驂驃驄驅驊驌驍驏驕驗驚驛驟驢驤驥驦驪驫骯髏髒體髕髖"
    "髮鬆鬍鬚鬢鬥鬧鬨鬩鬮鬱鬹魎魘魚魛魢魨魯魴魷魺鮁鮃鮊鮋鮍鮎鮐鮑鮒鮓鮚鮜鮝鮞鮦鮪鮫鮭鮮鮳鮶鮺鯀鯁鯇鯉鯊鯒鯔鯕鯖鯗"
    "鯛鯝鯡鯢鯤鯧鯨鯪鯫鯰鯴鯷鯽鯿鰁鰂鰃鰈鰉鰍鰏鰐鰒鰓鰛鰜鰟鰠鰣鰥鰨鰩鰭鰮鰱鰲鰳鰵鰷鰹鰺鰻鰼鰾鱂鱅鱈鱉鱒鱔鱖鱗鱘鱝"
    "鱟鱠鱣鱤鱧鱨鱭鱯鱷鱸鱺鳥鳧鳩鳬鳲鳳鳴鳶鴆鴇鴉鴒鴕鴛鴝鴞鴟鴣鴦鴨鴯鴰鴴鴻鴿鵂鵃鵐鵑鵒鵓鵜鵝鵠鵡鵪鵬鵮鵯鵰鵲鵷鵾"
    "鶇鶉鶊鶓鶖鶘鶚鶡鶥鶩鶬鶯鶲鶴鶹鶺鶻鶼鶿鷀鷁鷂鷄鷊鷓鷖鷗鷙鷚鷥鷦鷫鷯鷲鷳鷴鷸鷹鷺鷽鸇鸌鸏鸕鸘鸚鸛鸝鸞鹵鹹鹺鹼鹽"
    "麗麥麩麪麫麯麴麵麼麽黃黌點黨黲黴黶黷黽黿鼂鼉鼕鼴齊齋齎齏齒齔齕齗齙齜齟齠齡齣齦齧齪齬齲齶齷龍龎龐龔龕龜"
)
_WIDE_MARKS = tuple(zip("，：；！？（）", ",:;!?()", strict=True))


def fold(text: str) -> str:
    """Return `text` in NFKC, Latin letters without accents, Chinese characters simplified; case is kept."""
    if text.isascii():
        return text
    # After its commonest marks are replaced most Chinese needs no normalisation, which takes ten times as long.
    for wide, mark in _WIDE_MARKS:
        text = text.replace(wide, mark)
    if not is_normalized("NFKC", text):
        text = normalize("NFKC", text)
    if pattern(_ACCENTED).search(text):
        text = pattern(_ACCENTED).sub(lambda m: pattern(_MARKS).sub("", normalize("NFD", m[0])), text)
    if not _traditional().isdisjoint(text):
        from promptx_mem.search import simplified

        text = simplified.simplify(_TRADITIONAL, text)
    return text


@cache
def _traditional() -> frozenset[str]:
    return frozenset(_TRADITIONAL)


def normalise(text: str) -> str:
    """Return `text` as phrases and near duplicates are compared: folded, in lower case, with single spaces."""
    return " ".join(fold(text).lower().split())


def is_dense(term: str) -> bool:
    """Return whether a run or n-gram is of a script written without spaces: from Thai to Burmese, and CJK."""
    first = term[0]
    return first >= "\u2e80" or "\u0e00" <= first <= "\u109f"


def contains(text: str, phrase: str) -> bool:
    """Return whether normalised `text` contains the normalised phrase, at whole words in scripts with spaces."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (_inside_word(text, start) or _inside_word(text, end)):
            return True
        start = text.find(phrase, start + 1)
    return False


def _inside_word(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and around.isalnum() and not any(map(is_dense, around))


VERSION = 2
"""Rises with every change of a text's terms: data derived from older ones is then rebuilt."""

LONGEST_TERM = 200
WORD, CHARACTER = 5, 2
"""The length of a word, and of a character of an unspaced script."""

RUN = r"[^\W_]+"
_MIXED = "[0-9a-z]+|[^0-9a-z]+"
_VOWELS = frozenset("aeiou")
_SPACED = bytes(code if chr(code) in "0123456789abcdefghijklmnopqrstuvwxyz" else 32 for code in range(256))
"""Table that keeps only the word characters of ASCII text, four times as fast as an expression."""

# Possible identifiers, and the marks that join their parts.
_CHUNK = r"[0-9A-Za-z_./@:\\+#?&=%~$-]+"

# One set, then its surroundings: several times faster over plain prose than alternatives that each scan.
_HINT = (
    r"[A-Z0-9_./@:\\+#?&=%~$-](?:(?<=[a-z][A-Z])|(?<=[A-Za-z][0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=_)(?=[A-Za-z])"
    r"|(?<=[A-Za-z][+#])|(?<=[0-9A-Za-z][_./@:\\+#?&=%~$-])(?=[0-9A-Za-z]))"
)
_COMPONENT = r"[^/\\@:?&=#]+"
_VERSION = r"[vV][0-9]+\."
_HUMP = r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+"
_SIGN = "[\u2600-\u27bf\U0001f000-\U0001faff]"
_EDGES = "./@:\\?&=%~$-"


def plain_terms(lower: str) -> list[str]:
    """Return the words of folded, lower-case text, and of its unspaced runs every pair and the last character.

    Every other character begins a pair: see `characters`.
    """
    if lower.isascii():
        return lower.encode().translate(_SPACED).decode().split()
    out: list[str] = []
    for run in pattern(RUN).findall(lower):
        if run.isascii():
            out.append(run)
            continue
        for part in (run,) if min(run) >= "\u2e80" else _parts(run):
            if is_dense(part):
                out += map(add, part, part[1:])
                out.append(part[-1])
            else:
                out.append(part)
    return out


def _parts(run: str) -> list[str]:
    """Cut a run between scripts with and without spaces meet."""
    out = []
    for part in pattern(_MIXED).findall(run):
        if part.isascii() or min(part) >= "\u2e80":
            out.append(part)
        else:
            out += ["".join(same) for _, same in groupby(part, is_dense)]
    return out


def characters(terms: Iterable[str]) -> dict[str, list[str]]:
    """Return the characters of unspaced scripts with which some of these pairs begin, each with its pairs."""
    out: dict[str, list[str]] = {}
    for term in terms:
        if len(term) == 2 and is_dense(term):
            out.setdefault(term[0], []).append(term)
    return out


def raw_terms(folded: str) -> list[str]:
    """Return the terms of folded text, repeated as they occur: its plain terms, identifiers and signs, not stemmed."""
    return plain_terms(folded.lower()) + identifiers(folded) + signs(folded)


def signs(folded: str) -> list[str]:
    """Return the emoji of folded text."""
    return [] if folded.isascii() else pattern(_SIGN).findall(folded)


def is_sign(term: str) -> bool:
    """Return whether a term is an emoji."""
    return pattern(_SIGN).fullmatch(term) is not None


def identifiers(folded: str) -> list[str]:
    """Return the terms of all identifiers in folded text beyond its plain terms."""
    out: list[str] = []
    if folded.islower() and folded.replace(" ", "").isalpha():
        return out
    if pattern(_HINT).search(folded):
        for chunk in pattern(_CHUNK).findall(folded):
            if pattern(_HINT).search(chunk):
                out += identifier_terms(chunk)
    return out


def text_key(folded: str) -> int:
    """Return the number under which a whole text is indexed: 32 bits of checksum and the length."""
    plain = folded.lower().strip()
    return crc32(plain.encode("utf-8", "surrogatepass")) | len(plain) << 32


def identifier_terms(chunk: str) -> list[str]:
    """Return the terms of an identifier, path, URL or address besides its plain words: the whole and its parts.

    For `src/getUserName.py`: itself, `getusername.py`, `get`, `user` and `name`.
    """
    whole = chunk.strip(_EDGES)[:LONGEST_TERM]
    terms = dict.fromkeys([whole.lower(), *(part.strip(_EDGES).lower() for part in pattern(_COMPONENT).findall(whole))])
    if pattern(_VERSION).match(whole):
        terms[whole[1:].lower()] = None
    for word in re.findall(r"[0-9A-Za-z]+", whole):
        terms.pop(word.lower(), None)
        humps = pattern(_HUMP).findall(word)
        if len(humps) > 1:
            if len(humps[0]) == 1 and humps[0].islower() and humps[1].isalpha():
                humps[:2] = [humps[0] + humps[1]]
            terms |= dict.fromkeys(h.lower() for h in humps if (len(h) > 1 or h.isdigit()) and h != word)
    terms.pop("", None)
    return list(terms)


class _Stemmer:
    """SQLite's Porter tokenizer, driven as a function over many words at once."""

    def __init__(self) -> None:
        self._lock = allocate_lock()
        self._db = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._db.execute("CREATE VIRTUAL TABLE stems USING fts5(word, content='', tokenize='porter ascii')")
        self._db.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(stems, instance)")

    def stem(self, words: list[str]) -> list[str]:
        """Return the stems of `words`, each of ASCII letters only."""
        out = list(words)
        with self._lock:  # a server asks from several threads
            try:
                self._db.execute("INSERT INTO stems(rowid, word) VALUES (1, ?)", (" ".join(words),))
                for stem, offset in self._db.execute("SELECT term, offset FROM vocabulary"):
                    out[offset] = stem
            finally:
                self._db.execute("INSERT INTO stems(stems) VALUES ('delete-all')")
        return out


@cache
def _stemmer() -> _Stemmer | None:
    try:
        return _Stemmer()
    except sqlite3.Error:
        return None  # an SQLite without FTS5: words are then found only as they are written


def _ended(stem: str) -> str:
    """Return one stem for variants: Porter makes deploi of `deploy` and deploy of `deployment`."""
    return f"{stem[:-1]}i" if stem[-1] == "y" and not _VOWELS.isdisjoint(stem[:-1]) else stem


def stems(words: Iterable[str]) -> dict[str, str]:
    """Return the indexed form of each of `words`, only if it differs from the word."""
    base = {word: IRREGULAR.get(word, word) for word in words}
    plain = [word for word in set(base.values()) if len(word) > 2 and word.isascii() and word.isalpha()]
    stemmer = _stemmer()
    table = _stems_of(stemmer, plain) if stemmer and plain else {}
    return {word: stem for word in base if (stem := table.get(base[word], base[word])) != word}


_REMEMBERED, _FEW = 20_000, 100
_known: dict[str, str] = {}
"""Cached stems: a long-lived process needs the same ones again."""


def _stems_of(stemmer: _Stemmer, plain: list[str]) -> dict[str, str]:
    if len(plain) > _FEW:  # of texts that are indexed
        return dict(zip(plain, map(_ended, stemmer.stem(plain)), strict=True))
    out = {word: stem for word in plain if (stem := _known.get(word))}
    if new := [word for word in plain if word not in out]:
        if len(_known) > _REMEMBERED:
            _known.clear()
        fresh = dict(zip(new, map(_ended, stemmer.stem(new)), strict=True))
        _known.update(fresh)
        out |= fresh
    return out


def initial(word: str) -> str:
    """Return the first character of a word's indexed form: stems keep it."""
    return IRREGULAR.get(word, word)[0]


LONGEST_TEXT = 100_000
"""Characters of a text that are compared and indexed. The rest is stored and shown, but its words find nothing."""


@cache
def _even_lanes(size: int) -> int:
    return int.from_bytes(b"\xff\xff\xff\xff\0\0\0\0" * size, "little")


@lru_cache(maxsize=512)  # a process that answers several calls reads the same texts again
def shingles(text: str) -> frozenset[int]:
    """Return the character trigrams of the normalised text between two spaces, each packed into 63 bits.

    Only the first `LONGEST` characters count. All are computed at once in one long number, twice as fast as a loop.
    """
    plain = normalise(text[:LONGEST_TEXT])
    if not plain:
        return frozenset()
    data = f" {plain} ".encode("utf-32-le", "surrogatepass")
    size = len(data) // 4
    mask = _even_lanes(1 << (size // 2).bit_length())
    points = int.from_bytes(data, "little")
    even, odd = points & mask, points >> 32 & mask
    after = even >> 64
    at_even = even | odd << 21 | after << 42
    at_odd = odd | after << 21 | odd >> 64 << 42
    return frozenset(_lanes(at_even, (size - 1) // 2) + _lanes(at_odd, (size - 2) // 2))


def _lanes(lanes: int, count: int) -> tuple[int, ...]:
    return unpack(f"<{count}Q", (lanes & ((1 << 64 * count) - 1)).to_bytes(8 * count, "little"))


def jaccard(a: frozenset[int], b: frozenset[int]) -> float:
    """Return the share of common members, 0-1; two empty sets are equal."""
    if not a and not b:
        return 1.0
    common = len(a & b)
    return common / (len(a) + len(b) - common)
