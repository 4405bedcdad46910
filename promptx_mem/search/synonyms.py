"""Words of ordinary talk that mean the same: groups of one language each, known by any of their forms.

The groups are kept as text, and a question's words are looked for in it: to make a table of them would take longer
than all questions of a process do.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from promptx_mem.core.text import pattern
from promptx_mem.search.lexicon import IRREGULAR

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
speak speech talk; lecture talk; task chore todo to_do; responsible responsibility accountable owner in_charge;
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
wifi wireless wlan wi_fi; password passphrase passcode; login signin logon log_in sign_in; video clip footage;
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
ceo chief_executive; charger power_adapter; nightstand bedside_table;
"""

_CHINESE = """
妈妈 母亲 老妈 妈咪; 爸爸 父亲 老爸; 爷爷 祖父; 奶奶 祖母; 外公 姥爷 外祖父; 外婆 姥姥 外祖母; 老公 丈夫 爱人;
老婆 妻子 太太 媳妇 爱人; 孩子 小孩 儿童 小朋友 娃娃; 女儿 闺女; 宝宝 婴儿 宝贝; 父母 爸妈 双亲; 亲戚 亲属; 岳父 丈人;
岳母 丈母娘; 男友 男朋友; 女友 女朋友; 结婚 成亲 成婚; 婚礼 婚宴 喜宴; 离婚 离异; 怀孕 身孕 有喜; 出生 诞生;
去世 过世 离世 逝世; 葬礼 追悼会 丧事; 双胞胎 孪生; 邻居 街坊 邻里; 室友 舍友; 闺蜜 死党 好友; 保姆 育儿嫂 家政;
幼儿园 托儿所; 小名 乳名 昵称 外号 绰号; 姓名 名字; 属相 生肖; 老家 家乡 故乡 籍贯; 侄子 侄儿; 地址 住址 住处 住所;
公寓 住宅; 房租 租金; 租客 房客 租户; 搬家 乔迁 迁居; 装修 翻新 翻修; 冰箱 冷柜; 衣柜 衣橱; 厕所 洗手间 卫生间 盥洗室;
浴室 淋浴间; 阳台 露台; 院子 花园 庭院; 空调 冷气; 暖气 供暖 地暖; 被子 棉被; 快递 包裹 邮包; 电梯 升降机;
车位 停车位; 门禁卡 出入卡 门卡; 打扫 清扫 扫除 清洁 保洁; 漏水 渗水; 维修 修理 检修; 损坏 坏了 坏掉; 停电 断电;
丢失 遗失 丢了 弄丢 不见了 丢; 手机 移动电话; 电脑 计算机; 笔记本电脑 手提电脑; 耳机 耳麦; 钥匙 锁匙; 医生 大夫 医师;
生病 病了 患病 不舒服 身体不适; 看病 就医 就诊 看医生; 药物 药品; 吃药 服药; 手术 开刀; 头疼 头痛; 胃疼 胃痛;
肚子疼 肚子痛 腹痛; 牙疼 牙痛; 牙医 牙科; 发烧 发热; 感冒 着凉 伤风; 体检 身体检查; 疫苗 预防针; 失眠 睡不着;
受伤 负伤; 减肥 瘦身 减重; 健身 锻炼; 跑步 慢跑 晨跑; 疲惫 疲劳 疲倦 劳累; 拉肚子 腹泻; 复查 复诊; 忌口 忌食;
过敏 不耐受; 药店 药房; 病历 病史; 康复 痊愈; 心理咨询 心理医生; 早餐 早饭 早点; 午餐 午饭 中饭; 晚餐 晚饭; 夜宵 宵夜;
餐馆 饭店 餐厅 饭馆; 零食 小吃; 甜品 甜点; 饮料 饮品; 番茄 西红柿; 土豆 马铃薯; 红薯 地瓜 番薯; 玉米 苞米; 香菜 芫荽;
菠萝 凤梨; 猕猴桃 奇异果; 樱桃 车厘子; 三文鱼 鲑鱼; 饺子 水饺; 馄饨 抄手 云吞; 烧烤 烤肉; 素食 吃素; 美味 好吃;
菜谱 食谱; 做饭 下厨 做菜 烧菜 烹饪; 聚餐 饭局; 咖啡馆 咖啡店 咖啡厅; 请客 做东; 花生 落花生; 牛奶 鲜奶; 口味 味道;
旅行 旅游 出游; 度假 休假; 飞机 航班; 火车 列车; 公交 公共汽车 公交车 巴士; 汽车 轿车 车子; 自行车 单车 脚踏车;
电动车 电瓶车; 摩托车 机车; 驾照 驾驶证; 行李 行李箱; 酒店 宾馆 旅馆; 景点 名胜 景区; 海边 海滩 沙滩; 爬山 登山;
露营 野营; 徒步 远足; 堵车 塞车 拥堵; 车祸 交通事故; 国外 海外 境外; 出发 启程 动身; 到达 抵达; 路线 线路;
纪念品 伴手礼; 司机 驾驶员; 地铁 轨道交通; 加油站 油站; 工资 薪水 薪资 薪酬; 涨薪 加薪 涨工资; 奖金 年终奖;
花费 开销 支出; 费用 花销; 价格 价钱 售价; 便宜 廉价 实惠; 昂贵 很贵; 打折 折扣 优惠; 退款 退钱; 发票 收据; 贷款 借款;
还款 还钱; 欠款 债务 欠债; 存款 储蓄 积蓄; 押金 保证金; 订金 定金; 购买 购入 买了; 捐款 捐赠; 礼物 礼品; 收入 所得;
二手 旧货; 老板 上司 领导 主管; 同事 同僚; 员工 职员 雇员; 公司 企业; 职位 岗位 职务; 招聘 招人; 入职 到岗;
离职 辞职 跳槽; 裁员 解雇 开除 辞退; 简历 履历; 兼职 副业; 请假 告假; 升职 晋升 升迁; 客户 顾客; 供应商 厂商;
合同 合约 协议; 截止日期 最后期限 期限 截止; 会议 开会; 会议纪要 会议记录; 日程 日程表 时间表; 推迟 延期 延后 推后;
提前 提早; 取消 作废; 汇报 报告; 演示 演讲; 任务 待办; 负责 牵头 主管; 审批 批准 核准; 拒绝 回绝 驳回; 总部 总公司;
分公司 分部; 工位 座位; 考核 评估; 目标 指标; 计划 规划; 进度 进展; 风险 隐患; 团队 小组; 成员 组员; 新人 新员工;
导师 带教; 值班 轮值 值守; 招待 接待; 下班 收工; 老师 教师; 学生 学员; 考试 测验; 成绩 分数; 作业 功课;
学历 文凭 学位; 大学 高校; 补习 补课 辅导; 电影 影片; 音乐会 演唱会; 书籍 图书; 作者 作家; 爱好 兴趣 嗜好; 照片 相片;
摄影 拍照; 相机 照相机; 画画 绘画; 比赛 竞赛 赛事; 冠军 第一名; 钓鱼 垂钓; 志愿者 义工; 公益 慈善; 衣服 衣物 服装;
球鞋 运动鞋; 首饰 珠宝; 手表 腕表; 戏剧 话剧; 展览 展会; 唱歌 歌唱; 教练 私教; 小狗 狗狗 狗子; 小猫 猫咪 猫猫;
兽医 宠物医院; 绝育 结扎; 领养 收养; 遛狗 溜狗; 走丢 走失; 开心 高兴 快乐 愉快; 难过 伤心 悲伤 难受;
生气 愤怒 恼火 发火; 害怕 恐惧 惧怕; 担心 担忧 忧虑 焦虑; 孤独 孤单 寂寞; 讨厌 厌恶 反感 不喜欢; 喜爱 热爱 喜欢;
最爱 最喜欢 偏爱; 后悔 懊悔; 尴尬 难堪; 惊讶 吃惊; 感谢 感激; 道歉 抱歉 赔礼; 骄傲 自豪; 无聊 乏味; 放松 解压;
吵架 争吵 争执 闹矛盾; 梦想 愿望 心愿 理想; 害羞 内向 腼腆; 外向 开朗; 脾气 性格 个性; 聪明 机灵; 勤奋 勤快 勤劳;
漂亮 美丽 好看; 失望 沮丧; 激动 兴奋; 帮助 帮忙 协助; 擅长 拿手; 忘记 忘了 遗忘; 记住 牢记; 约定 说好; 迟到 晚到;
秘密 机密; 建议 提议; 困难 难题; 担保 保证; 赞成 同意; 故障 事故 宕机; 崩溃 瘫痪 宕机; 原因 起因 缘由 根因; 缺陷 漏洞;
错误 差错 出错 报错; 修复 修正 修好; 发布 上线 发版; 回滚 回退; 还原 恢复; 升级 更新; 迁移 搬迁; 单测 单元测试;
验证 校验 核实; 备份 存档; 删除 移除 删掉; 延迟 时延; 卡顿 很慢; 磁盘 硬盘; 服务器 主机; 网址 链接; 网站 站点 网页;
插件 扩展; 监控 监测; 告警 报警 警报; 通知 提醒; 上限 阈值; 重试 再试; 定时任务 计划任务; 代码评审 代码审查;
手册 说明书 指南; 规范 准则 规定; 决定 决策 拍板 敲定; 选定 选用 采用 选择; 替换 更换 换成 取代; 废弃 弃用 停用 淘汰;
功能 特性; 估算 预估 估计; 迭代 冲刺; 站会 晨会 早会; 复盘 回顾; 紧急 加急; 阻塞 卡住; 反馈 意见; 问卷 调查;
列名 字段; 目录 文件夹; 密码 口令; 账号 账户; 登录 登陆; 灰度 金丝雀; 交接 移交; 续费 续订; 到期 过期; 有效期 保质期;
禁止 不准 不许 严禁; 必须 务必 必需; 每天 每日 天天; 每周 每星期; 每月 每个月; 每年 年年; 周一 星期一 礼拜一;
周二 星期二 礼拜二; 周三 星期三 礼拜三; 周四 星期四 礼拜四; 周五 星期五 礼拜五; 周六 星期六 礼拜六;
周日 星期日 星期天 礼拜天; 中午 正午; 傍晚 黄昏; 半夜 深夜 凌晨; 结束 完结; 完成 做完; 保存 存储; 存放 放在;
位置 地点; 联系 联络; 联系方式 联系电话; 型号 款式; 品牌 牌子; 尺寸 大小; 尺码 码数; 身高 个子; 车牌 牌照; 语言 语种;
版本 版本号; 参数 配置项;
电话 手机; 电话号码 手机号码 手机号 联系电话; 吹风机 电吹风; 垃圾桶 垃圾箱; 尿布 尿不湿 纸尿裤; 婴儿车 童车; 钱包 皮夹;
停车场 车库; 会计 财务; 秘书 助理; 充电器 充电头; 无线网 无线网络; 生日 诞辰; 医院 诊所; 预约 挂号;
银行卡 储蓄卡 借记卡;
方便面 泡面; 书桌 写字台 办公桌; 书架 书柜; 电视 电视机; 出租车 的士 计程车; 理发 剪头发; 理发店 发廊; 小区 社区;
洗衣服 洗衣; 物业 管理处; 客人 访客; 聚会 派对; 复印机 影印机;
"""

_COMPOUNDS = """
boss_fight package_manager task_manager window_manager password_manager file_manager context_manager hot_dog
mother_tongue father_christmas baby_shower third_party product_owner code_owner press_release garbage_collection
garbage_collector cron_job batch_job print_job background_job web_worker service_worker worker_thread http_client
email_client mail_client pay_attention flat_file flat_rate live_stream live_music bed_bug car_wash cruise_ship
container_ship bank_holiday movie_star jupyter_notebook
"""
_FIXED = frozenset(_COMPOUNDS.split())
"""Compounds that mean something of their own: no synonym is lent from inside them."""

_FIXED_CHINESE = (
    "老板娘",
    "老师傅",
    "发布会",
    "目标检测",
    "计划生育",
    "电话亭",
    "老婆饼",
    "热狗",
    "更新换代",
    "单车道",
)

_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz")
_WORD = "[a-z]+"
_MOST_WORDS = 3
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""), ("ing", "e"))


def synonyms(lower: str) -> Iterator[tuple[str, str]]:
    """Yield words that mean what words of a folded, lower-case question do, each with the word that it stands for."""
    if lower.isascii() or not _LATIN.isdisjoint(lower):
        yield from _others(_ENGLISH, _english(lower))
    if not lower.isascii():
        yield from _others(_CHINESE, _chinese(lower))


def _others(text: str, found: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for known, word in found.items():
        for group in _groups(text, known):
            yield from ((other, word) for other in group if "_" not in other and other not in found)


def _chinese(lower: str) -> dict[str, str]:
    found = [word for word in _words(_CHINESE) if word in lower and len(word) > 1]
    for fixed in _FIXED_CHINESE:
        if fixed in lower:
            found = [word for word in found if word not in fixed or lower.replace(fixed, "").count(word)]
    return {word: word for word in found if not any(word != longer and word in longer for longer in found)}


def _english(lower: str) -> dict[str, str]:
    """Return the words and phrases of the table that a question has in some form, and that form."""
    known = _words(_ENGLISH)
    words = _free(pattern(_WORD).findall(lower))
    found = {next((form for form in _forms(word) if form in known), ""): word for word in words}
    for size in range(2, _MOST_WORDS + 1):
        for start in range(len(words) - size + 1):
            if (phrase := "_".join(words[start : start + size])) in known:
                found[phrase] = phrase
    found.pop("", None)
    return found


def _free(words: list[str]) -> list[str]:
    """Return the words without those of fixed compounds, whose place stays empty."""
    for place in range(len(words) - 1):
        first, second = words[place], words[place + 1]
        if f"{first}_{second}" in _FIXED or f"{first}_{second.removesuffix('s')}" in _FIXED:
            words[place : place + 2] = ["", ""]
    return words


def _forms(word: str) -> Iterator[str]:
    """Yield what a word may be a form of, itself first."""
    yield word
    if word in IRREGULAR:
        yield IRREGULAR[word]
    for ending, instead in _ENDINGS:
        if word.endswith(ending):
            base = word.removesuffix(ending)
            yield base + instead
            if base[-1:] == base[-2:-1]:
                yield base[:-1]  # planned


def _groups(text: str, word: str) -> Iterator[list[str]]:
    """Yield the groups of a table that a word is in."""
    start = text.find(word)
    while start >= 0:
        end = text.find(";", start)
        group = text[text.rfind(";", 0, start) + 1 : end].split()
        if word in group:
            yield group
            start = end
        start = text.find(word, start + 1)


@cache
def _words(text: str) -> dict[str, None]:
    return dict.fromkeys(text.replace(";", " ").split())
