"""A query: its terms and their weights, phrases that must match, words that must not."""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache

from promptx_mem.core.text import pattern
from promptx_mem.record import NamedTuple
from promptx_mem.search import ranking, tokens
from promptx_mem.search.tokens import ASKING, FUNCTION_PHRASES, IRREGULAR, STOP_WORDS, contains, fold

_GROUPS = """
k8s, kubernetes; pg, psql, postgres, postgresql; i18n, internationalization, internationalisation, 国际化;
l10n, localization, localisation, 本地化; a11y, accessibility, 可访问性, 无障碍; o11y, observability, 可观测性;
ci, continuous integration, 持续集成; cd, continuous delivery, continuous deployment, 持续交付, 持续部署;
db, database, databases, 数据库; pr, pull request, pull requests, 合并请求; mr, merge request, 合并请求;
ml, machine learning, 机器学习; ai, artificial intelligence, 人工智能; llm, large language model, 大语言模型, 大模型;
nlp, natural language processing, 自然语言处理; osm, openstreetmap; rps, qps, requests a second, requests per second;
ts, typescript; js, javascript; py, python; rb, ruby; cpp, c++; gh, github; gl, gitlab; vscode, visual studio code;
aws, amazon web services; gcp, google cloud; tf, terraform; mq, message queue, 消息队列;
mongo, mongodb; ui, user interface, 用户界面, 界面; ux, user experience, 用户体验; frontend, front end, 前端;
backend, back end, 后端; env, environment, environments, 环境; prod, production, 生产环境, 线上; stg, staging;
dev, development; repo, repository, repositories, 仓库; config, configuration, 配置; auth, authentication, 认证;
authz, authorization, authorisation, 授权; perf, performance, 性能; docs, documentation, 文档; deps, dependencies, 依赖;
admin, administrator, 管理员; app, application, 应用; apps, applications; info, information; doc, document;
sso, single sign-on, 单点登录; mfa, 2fa, multi-factor, two-factor, 双因素, 两步验证; tls, ssl, https;
os, operating system, 操作系统; vm, virtual machine, 虚拟机; lb, load balancer, 负载均衡; sla, service level;
oncall, on-call, 值班; eta, estimated time; pto, vacation, annual leave, 年假; wfh, work from home, 在家办公, 居家办公;
hr, human resources, 人事; qa, quality assurance, 测试; product manager, 产品经理; ceo, chief executive, 首席执行官;
cto, chief technology officer, 技术总监; kpi, key performance indicator; okr, objectives and key results; roi;
mvp, minimum viable product; poc, proof of concept, 概念验证; rfc, request for comments; adr, decision record;
bday, birthday, 生日; tel, telephone, phone, 电话; addr, address, 地址; appt, appointment, 预约; dept, department, 部门;
mtg, meeting, 会议; mgr, manager, 经理; govt, government; uni, university, 大学; dob, date of birth, 出生日期;
双11, 双十一; 双12, 双十二; 618, 六一八; 五一, 劳动节; 十一, 国庆; 高铁, 高速铁路; 北大, 北京大学; 清华, 清华大学;
资料, 数据; 汇出, 导出; 汇入, 导入; 软体, 软件; 硬体, 硬件; 程式, 程序; 网路, 网络; 伺服器, 服务器; 预设, 默认;
档案, 文件; 列印, 打印; 萤幕, 屏幕; 资讯, 信息; 使用者, 用户; 品质, 质量; 影片, 视频; 滑鼠, 鼠标; 行动电话, 手机;
计程车, 出租车;
q1, first quarter, 1st quarter, 第一季度, 一季度; q2, second quarter, 2nd quarter, 第二季度, 二季度;
q3, third quarter, 3rd quarter, 第三季度, 三季度; q4, fourth quarter, 4th quarter, 第四季度, 四季度;
暑假, 夏季假期, 暑期, summer holidays, summer vacation; 寒假, 冬季假期, winter holidays, winter vacation;
三分之一, one third; 三分之二, two thirds; 四分之一, one quarter; 四分之三, three quarters; 二分之一, one half;
负责人, 归谁管, 归谁负责, 谁管, 谁负责, 找谁, 问谁, owner, owns;
spring, 春天, 春季; summer, 夏天, 夏季; autumn, fall, 秋天, 秋季; winter, 冬天, 冬季
"""

_WORD = r"[0-9a-z+]+(?:-[0-9a-z+]+)*"
_QUARTER = r"(?<=[0-9])(?=q[1-4](?![0-9a-z]))"
_MOST_WORDS = 4

_DIGITS = {digit: number for number, digit in enumerate("一二三四五六七八九", 1)}
_NUMERAL = "[1-9][0-9]?|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九]"
_PARTS = f"(百|{_NUMERAL})分之({_NUMERAL})"
_SHARE = r"(?<![0-9./])(?:([1-9][0-9]?)/([1-9][0-9]?)(?![0-9./])|([1-9][0-9]?) ?%)"

Group = tuple[str, ...]
"""Spellings that mean the same."""


def variants(lower: str, groups: Iterable[Group] = ()) -> Iterator[str]:
    """Yield other spellings of the words of a folded, lower-case text; `groups` are the user's own."""
    spaced, dense = _tables()
    if "q" in lower:
        lower = pattern(_QUARTER).sub(" ", lower)
    spellings: dict[str, None] = {}
    words = lower.split() if lower.isascii() and lower.replace(" ", "").isalnum() else pattern(_WORD).findall(lower)
    for size in range(1, _MOST_WORDS + 1):
        for start in range(len(words) - size + 1):
            phrase = " ".join(words[start : start + size])
            for spelling in spaced.get(phrase, ()):
                spellings[spelling] = None
    if not lower.isascii():
        for phrase, group in dense:
            if phrase in lower:
                spellings |= dict.fromkeys(group)
    spellings |= dict.fromkeys(_shares(lower))
    for group in (tuple(fold(spelling).lower() for spelling in own) for own in groups):
        if any(contains(lower, spelling) for spelling in group):
            spellings |= dict.fromkeys(group)
    yield from (spelling for spelling in spellings if spelling not in lower)


def _shares(lower: str) -> Iterator[str]:
    """Yield shares in the other script: 五分之三 for 3/5, 12% for 百分之十二."""
    if "分之" in lower:
        for whole, part in pattern(_PARTS).findall(lower):
            yield f"{_number(part)}%" if whole == "百" else f"{_number(part)}/{_number(whole)}"
    if "/" in lower or "%" in lower:
        for part, whole, percent in pattern(_SHARE).findall(lower):
            yield f"百分之{_numeral(percent)}" if percent else f"{_numeral(whole)}分之{_numeral(part)}"


def _number(numeral: str) -> int:
    if numeral.isdecimal():
        return int(numeral)
    tens, ten, ones = numeral.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0)


def _numeral(number: str) -> str:
    tens, ones = divmod(int(number), 10)
    digits = "", *_DIGITS
    return f"{digits[tens] if tens > 1 else ''}十{digits[ones]}" if tens else digits[ones]


@cache
def _tables() -> tuple[dict[str, tuple[str, ...]], list[tuple[str, tuple[str, ...]]]]:
    groups = [[word.strip() for word in group.split(",")] for group in _GROUPS.split(";")]
    table = as_table(groups)
    return table, [(phrase, group) for phrase, group in table.items() if not phrase.isascii()]


def as_table(groups: Iterable[list[str]]) -> dict[str, tuple[str, ...]]:
    """Return for each spelling the other spellings of its groups."""
    out: dict[str, tuple[str, ...]] = {}
    for group in groups:
        for spelling in group:
            out[spelling] = out.get(spelling, ()) + tuple(variant for variant in group if variant != spelling)
    return out


_ENGLISH = """
kid child youngster; baby infant newborn; mother mom mum mommy mummy mama; father dad daddy papa;
grandmother grandma granny nana gran; grandfather grandpa granddad; spouse wife; spouse husband; fiance fiancee;
aunt auntie; teenager teen adolescent; friend buddy pal; roommate flatmate housemate; neighbor neighbour;
wedding marriage marry wed; divorce split_up; pregnant pregnancy; funeral burial;
die death decease passed_away pass_away; nanny babysitter childminder; kindergarten preschool nursery;
daycare day_care creche; nickname moniker; surname last_name family_name; forename first_name given_name;
apartment flat condo; live reside dwell; rent lease tenancy; tenant renter lodger; landlord landlady;
sofa couch settee; wardrobe closet; cupboard cabinet; refrigerator fridge; stove cooktop hob cooker; vacuum hoover;
trash garbage rubbish; faucet tap; elevator lift; garden backyard yard; curtain drape; pillow cushion;
blanket duvet quilt comforter; carpet rug; toilet bathroom restroom lavatory loo washroom; bathtub tub;
heating heater radiator; boiler furnace; carpenter joiner; attic loft; basement cellar; patio terrace veranda;
renovate refurbish remodel; mailbox letterbox postbox; parcel package; postcode zipcode zip_code postal_code;
move relocate; tidy neat; faulty defective broken; relatives kin; doctor physician medic gp; ill sick unwell;
illness sickness disease ailment; medicine medication meds drug; pill tablet capsule; surgery operation;
allergy allergic intolerance intolerant; injury wound injure; pain ache sore; stomach belly tummy abdomen;
headache migraine; flu influenza; vaccine vaccination vaccinate jab immunization;
physiotherapy physio physiotherapist physical_therapy; therapist counselor counsellor psychologist;
glasses spectacles eyeglasses; exercise workout work_out working_out; insomnia sleepless; diabetes diabetic;
checkup check_up; optician optometrist; pharmacy drugstore chemist; hypertension high_blood_pressure;
tired exhausted weary fatigue; treat treatment; weigh weight; dinner supper; lunch luncheon; dessert pudding;
candy sweets; cookie biscuit; eggplant aubergine; zucchini courgette; cilantro coriander; shrimp prawn;
beverage drink; restaurant eatery diner bistro; cafe coffeehouse coffee_shop; vegetarian veggie meatless;
vegan plant_based; chef cook; supermarket grocery; tasty delicious yummy; hungry hunger starving famished;
alcohol liquor booze; beer lager ale; barbecue bbq grill; peanut groundnut; corn maize; yogurt yoghurt;
takeaway takeout take_out; tip gratuity; reservation booking; trip journey voyage excursion travel;
vacation holiday getaway; plane airplane aeroplane aircraft; fly flight; luggage baggage suitcase;
hotel inn lodging accommodation; subway underground metro tube; railway railroad; car automobile vehicle; truck lorry;
motorbike motorcycle; bicycle bike; taxi cab; gasoline petrol; highway motorway freeway expressway;
license licence permit; abroad overseas; tourist sightseer traveler; beach seaside coast shore; hike trek;
depart departure; souvenir memento keepsake; accident collision crash; itinerary travel_plan; salary wage paycheck;
income earnings; money cash; cheap inexpensive affordable; expensive costly pricey; price cost; discount rebate;
coupon voucher; refund reimburse money_back; debt owe; lend loan borrow; buy purchase; pay payment; invoice bill;
subscription subscribe; deposit downpayment down_payment; wealthy rich affluent; stocks equities;
donate donation contribute; mortgage home_loan; boss manager supervisor; colleague coworker teammate workmate;
employee staff worker personnel; company firm; job occupation profession employment; hire recruit;
dismiss fired layoff sacked lay_off laid_off; resign resignation quit step_down stepped_down; unemployed jobless;
freelancer freelance contractor; intern internship trainee apprentice; client customer; vendor supplier;
contract agreement; deadline due_date cutoff; meeting gathering; conference convention symposium; schedule timetable;
postpone defer delay reschedule put_off pushed_back push_back; cancel call_off called_off; slides slideshow;
speak speech talk; lecture talk; task chore todo to_do; responsible responsibility accountable owner owns in_charge
do_i_ask should_i_ask can_i_ask to_ask should_i_contact to_contact;
approve approval sign_off signed_off; permission consent; reject decline refuse turn_down turned_down;
headquarters hq head_office; workshop seminar; university college; exam examination; homework assignment;
teacher instructor tutor; professor lecturer; pupil student; diploma degree; cv resume; absent absence;
retire retirement pension; movie film; tv television telly; song tune; concert gig; drawing sketch;
photo photograph picture snapshot pic; author writer novelist; soccer football; hobby pastime leisure;
prize award trophy; contest competition tournament; champion winner; coach trainer; pottery ceramics; choir chorus;
violin fiddle; flower blossom bloom; theater theatre playhouse; volunteer volunteering; charity nonprofit ngo;
present gift; party celebration; clothes clothing garment apparel outfit; pants trousers; sweater jumper pullover;
coat jacket; purse handbag; jewelry jewellery; toy plaything; sneaker shoe; hat cap; dog puppy pup hound;
cat kitten kitty; vet veterinarian veterinary; bunny rabbit; neuter spay castrate sterilize; aquarium fish_tank;
happy glad joyful cheerful delighted happiness joy; sad unhappy sorrow gloomy sadness; angry anger furious;
annoy irritate; afraid scared frightened fear terrified phobia; worry anxious anxiety concern nervous; love adore;
dislike hate detest loathe; favorite favourite prefer; lonely loneliness; proud pride; boring dull tedious;
excited thrilled enthusiastic; surprised astonished amazed; embarrassed ashamed; jealous envious envy;
grateful thankful gratitude; stressed overwhelmed; relax unwind; funny hilarious amusing humorous; shy timid;
stubborn obstinate; clever smart intelligent; brave courageous courage; polite courteous; rude impolite;
argue argument quarrel dispute; goal aim ambition aspiration; wish desire; regret remorse;
apologize apologise apology sorry; promise vow pledge; beautiful gorgeous; difficult tough challenging difficulty;
fast quick rapid swift; enormous huge gigantic massive; old elderly; lose misplace mislay loss;
steal theft rob robbery burglary; thief burglar robber; police cop; lawyer attorney solicitor; storm tempest;
phone telephone mobile cellphone smartphone cell_phone mobile_phone; laptop notebook;
monitor screen display; headphones headset earphones earbuds;
wifi wireless wlan wi_fi; password passphrase passcode; video clip footage;
login signin logon log_in sign_in signed_in logged_in authentication;
speaker loudspeaker; email mail; bug defect; mistake error; outage downtime incident;
fix repair patch hotfix bugfix mend; cause reason; release launch rollout ship roll_out rolled_out go_live went_live;
rollback revert roll_back rolled_back; upgrade update; migrate migration; flaky unstable intermittent;
verify validate confirm; latency lag; backup back_up backed_up; restore recover recovery; delete remove erase;
server host; url link uri; website site homepage webpage; plugin extension addon add_on; terminal console shell;
alert alarm; notification notify; limit threshold maximum max; minimum min; retry reattempt try_again; cron scheduler;
manual handbook guide; spec specification; chart graph diagram plot; decide decision;
choose choice select selection pick; replace swap substitute; guideline convention; policy rule;
deprecated obsolete outdated; feature capability; estimate forecast projection; sprint iteration;
standup scrum stand_up; retrospective retro; postmortem post_mortem; urgent pressing; obstacle impediment blocker;
newcomer newbie new_hire; complain complaint; survey questionnaire poll; dataset corpus; folder directory;
font typeface; color colour; gray grey; fail failure; solve solution resolve resolution; analyze analyse analysis;
describe description; explain explanation clarify; maintain maintenance; succeed success; respond response reply;
reduce reduction decrease lower; increase raise boost; advise advice; believe belief; introduce introduction;
expand expansion; agree agreement; produce production; help assist assistance aid;
forbid ban prohibit disallow not_allowed; mandatory obligatory compulsory required; occur happen; often frequently;
yearly annual every_year each_year; monthly every_month each_month; weekly every_week each_week;
daily every_day each_day; noon midday; dawn sunrise; dusk sunset; begin start commence; finish complete conclude;
flavor flavour; behavior behaviour; labor labour; center centre; meter metre; liter litre; kilometer kilometre;
optimize optimise optimization; organize organise; recognize recognise; customize customise; summarize summarise;
program programme; catalog catalogue; dialog dialogue; tire tyre; pajamas pyjamas; defense defence;
aluminum aluminium; artifact artefact;
washing_machine washer; tumble_dryer dryer; lightbulb bulb light_bulb; dustbin wastebasket trash_can rubbish_bin;
stroller pram pushchair; diaper nappy; crib cot; wallet billfold; photocopier copier; adapter adaptor;
bookcase bookshelf;
lawnmower mower lawn_mower; janitor caretaker custodian; handyman repairman; accountant bookkeeper; workplace office;
diary journal; parking car_park parking_lot; garage carport; tram streetcar; atm cash_machine cashpoint;
cutlery silverware flatware; napkin serviette; oatmeal porridge; christmas xmas; headmaster headmistress head_teacher;
sibling brother; sibling sister; guest visitor; boat ship; mall shopping_center shopping_centre; hospital clinic;
gym fitness_studio fitness_center; blackout power_cut power_outage; birthday date_of_birth born;
expire expiry expiration; arrive arrival; invite invitation; sign signature; sell sale; dentist dental;
town city; nap siesta;
infra infrastructure; deploy hosting hosted; schema migration; framework router; quota throttle rate_limit;
webhook callback; attachment upload; api endpoint interface; toggle flag switch; secret credential;
exception crash stack_trace; dependency library package; job worker queue background; ci pipeline;
translation locale localization; metrics monitoring dashboard observability; logging log;
ceo chief_executive; charger power_adapter; nightstand bedside_table;
"""

_COMPOUNDS = """
boss_fight package_manager task_manager window_manager password_manager file_manager context_manager hot_dog
mother_tongue father_christmas baby_shower third_party product_owner code_owner press_release garbage_collection
garbage_collector cron_job batch_job print_job background_job web_worker service_worker worker_thread http_client
email_client mail_client pay_attention flat_file flat_rate live_stream live_music bed_bug car_wash cruise_ship
container_ship bank_holiday movie_star jupyter_notebook
"""
_FIXED = frozenset(_COMPOUNDS.split())
"""Fixed compounds, whose single words get no synonyms."""

_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz")
_ENGLISH_WORD = "[a-z]+"
_MOST_ENGLISH = 3
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""), ("ing", "e"))


def synonyms(lower: str) -> Iterator[tuple[str, str]]:
    """Yield synonyms for the words of a folded, lower-case question, each with its word."""
    if lower.isascii() or not _LATIN.isdisjoint(lower):
        found = _english(lower)
        for known, word in found.items():
            for group in _groups(known):
                yield from ((other, word) for other in group if "_" not in other and other not in found)


def _english(lower: str) -> dict[str, str]:
    """Return the words and phrases of the table that a question has in some form, and that form."""
    known = _words()
    words = _free(pattern(_ENGLISH_WORD).findall(lower))
    found = {next((form for form in _forms(word) if form in known), ""): word for word in words}
    for size in range(2, _MOST_ENGLISH + 1):
        for start in range(len(words) - size + 1):
            if (phrase := "_".join(words[start : start + size])) in known:
                found[phrase] = phrase
    found.pop("", None)
    return found


def _free(words: list[str]) -> list[str]:
    """Return the words, with those of fixed compounds replaced by empty ones."""
    for place in range(len(words) - 1):
        first, second = words[place], words[place + 1]
        if f"{first}_{second}" in _FIXED or f"{first}_{second.removesuffix('s')}" in _FIXED:
            words[place : place + 2] = ["", ""]
    return words


def _forms(word: str) -> Iterator[str]:
    """Yield the possible base forms of a word, itself first."""
    yield word
    if word in IRREGULAR:
        yield IRREGULAR[word]
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            base = word.removesuffix(ending)
            yield base + instead
            if base[-1:] == base[-2:-1]:
                yield base[:-1]  # planned


def _groups(word: str) -> Iterator[list[str]]:
    """Yield the groups of the table that a word is in."""
    start = _ENGLISH.find(word)
    while start >= 0:
        end = _ENGLISH.find(";", start)
        group = _ENGLISH[_ENGLISH.rfind(";", 0, start) + 1 : end].split()
        if word in group:
            yield group
            start = end
        start = _ENGLISH.find(word, start + 1)


@cache
def _words() -> dict[str, None]:
    return dict.fromkeys(_ENGLISH.replace(";", " ").split())


ASKED_IN_SYNONYMS = 200
"""Most characters of a question for which synonyms are searched."""

LONGEST_QUERY = 10_000
"""Characters of a query that are read: the longest text that a memory can have."""

_QUESTION_MARKS = ("?", "？")
_MARKS = frozenset('-"“')
_PHRASE = r'(?:(?<!\S)(-)|(?<![0-9A-Za-z]))(?:"([^"]*)"|“([^“”]*)”)'
_CLOSING = ".,;:!?。！？…)]}\"'"
_EXCLUDED = r"(?<!\S)-([^\W\d_]\S*)"

Term = tuple[str, float, str]
"""A term, its weight, and its word in the query."""

Synonyms = tuple[tuple[str, tuple[str, ...]], ...]
"""Terms of words that mean the same, each with the terms of the question's word."""


class Query(NamedTuple):
    """The query: terms, each with its weight and its word; phrases and exclusions, normalised.

    `key` is the `tokens.text_key` of the whole text. `added` are those terms that only repeat others in other words,
    `synonyms` among them: they do not raise the highest possible score.
    """

    terms: tuple[Term, ...]
    phrases: tuple[str, ...]
    excluded: tuple[str, ...]
    key: int
    added: frozenset[str] = frozenset()
    synonyms: Synonyms = ()

    def content(self) -> frozenset[str]:
        """Return the specific words of the query: no single character, and none of the question's phrasing."""
        words = (word for term, _, word in self.terms if term not in self.added and word not in ASKING)
        return frozenset(word for word in words if len(word) > 1 or not tokens.is_dense(word))


def parse_query(text: str, *, literal: bool = False, today: str | None = None, groups: "Iterable[Group]" = ()) -> Query:
    """Read a query: words, dates, `"a phrase"` that must occur, `-word` and `-"a phrase"` that must not.

    Any text is a query, never an error. Marks are plain text with `literal` (text that nobody typed as a query), in a
    question (a text that ends in a question mark: its quotation marks are titles), without a partner, and where no
    other words remain. `today` (ISO) defines "yesterday". `groups` are the user's own spellings of one thing.
    """
    folded = tokens.fold(text[:LONGEST_QUERY])
    plain = literal or folded.rstrip().endswith(_QUESTION_MARKS)
    rest, phrases, excluded = (folded, (), ()) if plain or _MARKS.isdisjoint(folded) else _marks(folded)
    terms = _terms(rest, today)
    more = _otherwise(rest.lower(), {term for term, _, _ in terms}, groups)
    alike, stand_for = ([], ()) if literal else _alike(rest.lower(), (*terms, *more))
    more += alike
    added = frozenset(term for term, _, _ in more)
    return Query((*terms, *more), phrases, excluded, tokens.text_key(folded), added, stand_for)


def _marks(folded: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return the rest of the text, the phrases and the exclusions."""
    phrases: list[str] = []
    excluded: list[str] = []

    def phrase(match: re.Match[str]) -> str:
        words = match[2] or match[3] or ""
        if not tokens.plain_terms(words.lower()):
            return match[0]
        (excluded if match[1] else phrases).append(tokens.normalise(words))
        return " " if match[1] else f" {words} "

    def word(match: re.Match[str]) -> str:
        excluded.append(tokens.normalise(match[1].rstrip(_CLOSING)))
        return " "

    rest = pattern(_EXCLUDED).sub(word, pattern(_PHRASE).sub(phrase, folded))
    if not tokens.plain_terms(rest.lower()):
        return folded, (), ()
    return rest, tuple(phrases), tuple(excluded)


def _terms(folded: str, today: str | None) -> tuple[Term, ...]:
    lower = folded.lower()
    dates, spans = _dates(lower, today)
    named = [folded[slice(*span)] for span in spans]
    for name in named:
        folded = folded.replace(name, " " * len(name))
    every = dict.fromkeys(tokens.raw_terms(folded))
    every |= dict.fromkeys(tokens.characters(every))
    words = _content(folded.lower(), every) or ([] if dates else list(every))
    stems = tokens.stems(words)
    terms: dict[str, tuple[float, str]] = {}
    says_how = ASKING if any(word not in ASKING for word in words) else ()
    for word in words:
        terms.setdefault(stems.get(word, word), (ranking.ASKING.weight if word in says_how else 1.0, word))
    for word in (word for name in named for word in tokens.raw_terms(name)):
        terms.setdefault(stems.get(word, word), (ranking.DATE_WORD.weight, word))
    terms |= {date: (weight, date.strip("@-")) for date, weight in dates.items()}
    return tuple((term, weight, word) for term, (weight, word) in terms.items())


_MAY_NAME_DAYS = (
    *("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
    *("ago", "last ", "past ", "previous ", "this ", "before ", "today", "tonight", "yesterday"),
    *("月", "号", "年", "今", "昨", "前", "上", "本", "这", "近", "过去"),
)


def _dates(lower: str, today: str | None) -> tuple[dict[str, float], list[tuple[int, int]]]:
    """Return `days.query_dates`, a module that most questions need not load."""
    if not (any(hint in lower for hint in _MAY_NAME_DAYS) or any("0" <= char <= "9" for char in lower)):
        return {}, []
    from promptx_mem.search import days

    return days.query_dates(lower, today)


def _otherwise(lower: str, terms: Collection[str], groups: "Iterable[Group]") -> list[Term]:
    """Return the terms of other spellings of the text's words."""
    out: dict[str, Term] = {}
    for variant in variants(lower, groups):
        words = _words_query(variant)
        stems = tokens.stems(words)
        for word in words:
            term = stems.get(word, word)
            if term not in terms and word not in STOP_WORDS:
                out.setdefault(term, (term, ranking.SPELLING.weight / len(words) ** 0.5, word))
    return list(out.values())


def _alike(lower: str, terms: Collection[Term]) -> tuple[list[Term], Synonyms]:
    """Return the terms of synonyms of the text's words, and for each its word."""
    if len(lower) > ASKED_IN_SYNONYMS:
        return [], ()

    term_of = {word: term for term, _, word in terms}
    known = set(term_of.values())
    found = dict(synonyms(lower))
    stems = tokens.stems(word for word in found if word.isascii())
    out: dict[str, Term] = {}
    stand_for: dict[str, tuple[str, ...]] = {}
    for synonym, own in found.items():
        words = _words_query(synonym)
        for word in words:
            term = stems.get(word, word)
            if term not in known and term not in out:
                out[term] = term, ranking.SYNONYM.weight / len(words) ** 0.5, word
                stand_for[term] = tuple(term_of[part] for part in _words_query(own) if part in term_of)
    return list(out.values()), tuple(stand_for.items())


def _words_query(variant: str) -> list[str]:
    """Split a spelling into words; a single character does not count with others: `c++` is not `c`."""
    words = tokens.plain_terms(variant)
    return [word for word in words if len(word) > 1] or tokens.identifiers(variant) or words


def _content(lower: str, every: Iterable[str]) -> list[str]:
    """Return the content terms: no English function word, no n-gram inside a Chinese one."""
    function = bytearray(len(lower))
    for phrase in () if lower.isascii() else FUNCTION_PHRASES:
        start = lower.find(phrase)
        while start >= 0:
            function[start : start + len(phrase)] = b"\1" * len(phrase)
            start = lower.find(phrase, start + 1)
    grams = {char for char, inside in zip(lower, function, strict=True) if not inside}
    grams.update(lower[i : i + 2] for i in range(len(lower) - 1) if not (function[i] and function[i + 1]))
    return [term for term in every if (term in grams if tokens.is_dense(term) else term not in STOP_WORDS)]
