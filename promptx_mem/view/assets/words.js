// The texts of the page in two languages. Values replace {n} and the like.

const WORDS = {
  en: {
    title: "Memories of {store}", other: "中文", otherName: "把页面切换为中文", skip: "Skip to the memories",
    written: "As of {at} · {count}", memories: "{n} memories", memories1: "1 memory",
    list: "Memories", memory: "Memory", timeline: "Timeline", topics: "Topics", review: "Pending reviews",
    fading: "Ending soon", views: "Views",
    search: "Search", searchHint: "words or #tag", clear: "Clear all", more: "Filters",
    tag: "Tag", topic: "Topic", type: "Type", category: "Category", scope: "Scope", origin: "Origin", state: "State",
    sort: "Order", time: "Time", from: "from", to: "to", any: "any", none: "(none)",
    living: "active", ended: "ended", all: "all", superseded: "replaced", forgotten: "forgotten", deleted: "deleted",
    faded: "faded", expired: "expired", purged: "purged",
    place: "most important first", newest: "newest first", oldest: "oldest first", ends: "ending first",
    best: "best match first",
    noted: "stored", used: "used", fades: "end",
    shown: "{n} of {all} memories", cut: "Only the first {n} memories are printed. Use the filters to select fewer.",
    score: "Score", importance: "Importance", duration: "Duration", source: "Source", verified: "Verified",
    unverified: "Unverified",
    session: "Session", reason: "Reason", related: "Related topics", dims: "Dimensions", id: "ID",
    yes: "yes", no: "no", lastUsed: "Last used", notYet: "never", willEnd: "Ends", endedAt: "Ended", never: "never",
    back: "Close", why: "Rank", history: "Replacements", events: "Events", commands: "Commands",
    supersedes: "It replaced", supersededBy: "It was replaced by", notHere: "not on this page",
    commandsNote: "This page changes nothing. Copy a command and run it in a shell.",
    commandsPlace: "Run it in the project's directory.", copy: "Copy", copied: "Copied", copyName: "Copy: {what}",
    whyPlace: "Number {n} of {all} active memories.",
    band1: "It is a core or system memory. These memories are first.",
    band2: "You asked for it, you confirmed it, or its score is 8 or more. Such facts are before the others.",
    band3: "It is one of the other facts. The most important ones are first, then those used last.",
    band4: "It comes from a conversation. Such memories are after the facts.",
    whyEnded: "It has ended ({end}), so it has no rank.", whyBegan: "Its importance began at {n}, by score and category.",
    whyNow: "Its importance is now {n}.", whyPace: "After 7 days without use, it loses {percent} % every {days}.",
    whySteady: "It does not fade.", whyReview: "Pending review: {what}",
    promotion: "promote it to core?", fadingReview: "is it still useful?",
    unscoredReview: "no person has confirmed it: keep it?",
    day: "{n} days", day1: "day", stored: "stored", adopted: "first seen", repeated: "repeated", boosted: "boosted",
    recalled: "recalled", kept: "kept in a review", promoted: "promoted to core", restored: "restored",
    imported: "imported", owned: "marked as yours",
    cBoost: "Increase its importance", cVerify: "Confirm it", cEdit: "Edit it", cForget: "Forget it",
    cRestore: "Restore it", cKeep: "Keep it", cPromote: "Promote it to core", cDelete: "Delete it",
    cRecall: "Show it in the shell",
    month: "Month", dayColumn: "Day", now: "now", timelineNote: "Click a number to list these memories.",
    topicsNote: "Active memories of each topic and its subtopics. Click a name to list them.",
    open: "Open {what}", shut: "Close {what}",
    emptyStore: "No memories yet. To store the first one:",
    emptyAsked: "No memory matches. To search with other words:",
    emptyMatch: "No memory matches. Use fewer filters or other words. The state “all” includes ended memories.",
    emptyTopics: "No memory here has a topic. To store one with a topic:",
    emptyReview: "No pending reviews.", emptyFading: "No memory here fades.",
    filtered: "This page contains only memories that match {cues}.",
    redacted: "Personal data was removed: {kinds}. Other kinds, such as names and places, can remain.",
    redactedNone: "No personal data was recognised. Some kinds, such as names and places, can remain.",
    phone: "telephone numbers", email: "e-mail addresses", id_card: "identity numbers", bank_card: "bank cards",
    passport: "passports", iban: "bank accounts", ssn: "social security numbers",
    user: "user", fact: "fact", core: "core", episode: "episode", system: "system", feedback: "feedback",
    project: "project", reference: "reference", background_ai: "an agent", own: "yours", clone: "came with a clone",
    import: "imported", 短期: "short", 中期: "medium", 长期: "long", 永久: "permanent",
  },
  zh: {
    title: "{store} 的记忆", other: "English", otherName: "Show the page in English", skip: "跳到记忆",
    written: "截至 {at} · {count}", memories: "{n} 条记忆", memories1: "1 条记忆",
    list: "记忆", memory: "内容", timeline: "时间线", topics: "主题", review: "待复核", fading: "即将淡出",
    views: "视图",
    search: "搜索", searchHint: "词语，或 #标签", clear: "全部清除", more: "筛选",
    tag: "标签", topic: "主题", type: "类型", category: "类别", scope: "范围", origin: "来源", state: "状态",
    sort: "排序", time: "时间", from: "从", to: "到", any: "不限", none: "（无）",
    living: "有效", ended: "已结束", all: "全部", superseded: "已被取代", forgotten: "已忘记", deleted: "已删除",
    faded: "已淡出", expired: "已到期", purged: "已销毁",
    place: "最重要的在前", newest: "最新的在前", oldest: "最早的在前", ends: "最先淡出的在前", best: "最相符的在前",
    noted: "记下", used: "用到", fades: "结束或将淡出",
    shown: "共 {all} 条记忆，显示 {n} 条", cut: "只打印前 {n} 条；用页面上的筛选可以减少。",
    score: "评分", importance: "重要度", duration: "有效期", source: "记录者", verified: "已确认", unverified: "未核实",
    session: "会话", reason: "理由", related: "相关主题", dims: "维度", id: "ID",
    yes: "是", no: "否", lastUsed: "最近用到", notYet: "还没有", willEnd: "将淡出", endedAt: "结束于", never: "永不",
    back: "关闭", why: "为什么排在这里", history: "取代关系", events: "经过", commands: "更改",
    supersedes: "它取代了", supersededBy: "它已被取代，取代者是", notHere: "不在本页",
    commandsNote: "本页不能更改任何内容。请复制命令，在终端运行。",
    commandsPlace: "请在项目目录中运行。", copy: "复制", copied: "已复制", copyName: "复制：{what}",
    whyPlace: "在有效的 {all} 条中排第 {n}。",
    band1: "它属于核心或系统，这类排在最前。",
    band2: "由你要求、确认，或评分不低于 8：这类排在其他事实之前，重要的在前。",
    band3: "它是普通的事实：先看重要度，再看最近用到的时间。",
    band4: "它来自对话，排在事实之后。",
    whyEnded: "它已结束（{end}），所以没有位次。", whyBegan: "按评分和类别，起始重要度为 {n}。",
    whyNow: "现在的重要度为 {n}。", whyPace: "7 天不用之后，每{days}减少 {percent}%。",
    whySteady: "它不会淡出。", whyReview: "有一项复核待定：{what}",
    promotion: "是否属于核心？", fadingReview: "是否还有价值？",
    unscoredReview: "尚未有人确认：要保留吗？",
    day: " {n} 天", day1: "天", stored: "记下", adopted: "首次见到", repeated: "再次提到", boosted: "提升",
    recalled: "被召回", kept: "复核后保留", promoted: "升为核心", restored: "恢复",
    imported: "导入", owned: "认作自己的",
    cBoost: "确实用到了：提升", cVerify: "属实：确认", cEdit: "修改文字",
    cForget: "让它结束", cRestore: "恢复", cKeep: "保留", cPromote: "升为核心", cDelete: "放弃",
    cRecall: "在终端查看",
    month: "月份", dayColumn: "日期", now: "现在", timelineNote: "点数字可列出这些记忆。",
    topicsNote: "每个主题及其下级的有效记忆数。点名称可列出。", open: "展开 {what}", shut: "收起 {what}",
    emptyStore: "还没有存入任何记忆。从第一条开始：",
    emptyAsked: "记忆中没有所要求的内容。换个词也许会找到：",
    emptyMatch: "没有相符的记忆。请减少筛选或换个词；状态选“全部”也会找到已结束的。",
    emptyTopics: "这里没有带主题的记忆。存入时可以给出主题：",
    emptyReview: "没有待定的复核。", emptyFading: "这里没有会淡出的记忆。",
    filtered: "本页只含所要求的内容：{cues}。",
    redacted: "已去掉个人信息：{kinds}。其他个人信息（如姓名、地点）可能仍在。",
    redactedNone: "查过个人信息，没有认出。其他个人信息（如姓名、地点）可能仍在。",
    phone: "电话号码", email: "电子邮箱", id_card: "证件号码", bank_card: "银行卡", passport: "护照", iban: "银行账户",
    ssn: "社会保障号",
    user: "用户", fact: "事实", core: "核心", episode: "对话片段", system: "系统", feedback: "反馈", project: "项目",
    reference: "参考", background_ai: "智能体", own: "自己的", clone: "随克隆而来", import: "导入",
    短期: "短期", 中期: "中期", 长期: "长期", 永久: "永久",
  },
};

let language = (navigator.language || "en").toLowerCase().startsWith("zh") ? "zh" : "en";

function say(key, values = {}) {
  const one = values.n === 1 && WORDS[language][`${key}1`];
  const text = one || WORDS[language][key];
  const put = (one) => (typeof one === "number" ? count(one) : String(one));
  return text.replace(/\{(\w+)\}/g, (all, name) => (Object.hasOwn(values, name) ? put(values[name]) : all));
}

// Translate a word of the store if the page has a translation.
function term(word) {
  return Object.hasOwn(WORDS[language], word) ? WORDS[language][word] : word;
}

const LOCALES = { en: "en-GB", zh: "zh-CN" };
const UNITS = [["minute", 60, 60], ["hour", 3600, 24], ["day", 86400, 14], ["week", 604800, 9], ["month", 2629800, 24]];

function count(number) {
  return formats().number.format(number);
}

// Formats of numbers and dates, made once for each language, since making them is slow.
const FORMATS = {};

function formats() {
  const locale = LOCALES[language];
  FORMATS[locale] ??= {
    number: new Intl.NumberFormat(locale),
    relative: new Intl.RelativeTimeFormat(locale, { numeric: "auto" }),
    exact: new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" }),
  };
  return FORMATS[locale];
}

// Return a relative date such as "3 weeks ago". Times are in milliseconds.
function ago(time, now) {
  const seconds = (time - now) / 1000;
  const relative = formats().relative;
  if (Math.abs(seconds) < 60) return relative.format(0, "second");
  for (const [unit, size, most] of UNITS) {
    const amount = Math.trunc(seconds / size);
    if (Math.abs(amount) < most) return relative.format(amount, unit);
  }
  return relative.format(Math.trunc(seconds / 31557600), "year");
}

function exact(time) {
  return formats().exact.format(time);
}
