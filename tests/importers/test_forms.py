"""Formats that import reads: recognised by content, and the items read from samples written as each program does."""

import json

import pytest

from promptx_mem.importers import FORMS, form_of
from promptx_mem.importers.form import Form, Item, Reading, Source, moment
from tests.tables import rows, sample

DPML, RULES, BASIC = (sample(__file__, name) for name in ("declarative.dpml", "rules.txt", "coffee.txt"))


def read(name: str, text: str) -> tuple[str, Reading]:
    """Return the name of the recognised format, and the items read."""
    source = Source(name, text)
    form = form_of(source, None)
    assert form is not None
    return form.name, form.read(source)


def texts(reading: Reading) -> list[str]:
    return [item.text for item in reading.items]


def test_promptx_dpml_items_are_read() -> None:
    form, reading = read("declarative.dpml", DPML)
    assert form == "promptx-dpml"
    first, second = reading.items
    assert first.text == "转义 <script>alert('x')</script>\n\n- 第二行 A & B"
    assert (first.tags, first.score, first.duration) == (("测试", "xml", "工具使用"), 8.0, "长期")
    assert (first.at, first.line) == ("2025-06-26T14:01:00", 3)
    assert (second.text, second.tags) == ("一行 <b> &amp; </content>", ("其他",))
    assert [rest.why for rest in reading.leftovers] == ["an item without content"]


MCP = [
    {"type": "entity", "name": "John_Smith", "entityType": "person", "observations": ["Speaks Spanish", "Likes tea"]},
    {"type": "entity", "name": "Empty", "entityType": "thing", "observations": []},
    {"type": "relation", "from": "John_Smith", "to": "Anthropic", "relationType": "works_at"},
]


def test_mcp_memory_entities_and_relations_are_read() -> None:
    form, reading = read("memory.jsonl", "".join(json.dumps(one) + "\n" for one in MCP))
    assert form == "mcp-memory"
    assert texts(reading) == ["John_Smith: Speaks Spanish", "John_Smith: Likes tea", "John_Smith works_at Anthropic"]
    assert reading.items[0].tags == ("John_Smith", "person")
    assert [(rest.line, rest.text) for rest in reading.leftovers] == [(2, "Empty")]


def test_mem0_memories_are_read() -> None:
    dev = {"id": "892db2ae-06d9-49e5", "user_id": "dev", "memory": "Dev works at TechCorp", "updated_at": None}
    dev |= {"categories": ["professional_details"], "metadata": {"category": "work life"}}  # type: ignore[dict-item]
    results = [{**dev, "created_at": "2025-07-01T06:27:38.116802-07:00"}, {"id": "2", "memory": ""}]
    for written in map(json.dumps, ({"results": results}, results, {"memories": results})):
        form, reading = read("export.json", written)
        assert form == "mem0"
        (item,) = reading.items
        assert (item.text, item.tags) == ("Dev works at TechCorp", ("professional_details", "work-life"))
        assert item.at == "2025-07-01T06:27:38-07:00"
        assert [rest.why for rest in reading.leftovers] == ["an item without a text"]


def test_mem0_archived_and_deleted_items_and_relations_are_skipped() -> None:
    states = ("active", "paused", "archived", "deleted")
    items = [{"id": state, "content": f"{state} one", "created_at": 1e30, "state": state} for state in states]
    items[1] |= {"user_id": "dev", "metadata": {"category": "a", "city": "Rome"}, "created_at": "0000-13-45"}
    graph = [{"source": "alex", "relationship": "likes", "target": "cricket"}]
    form, reading = read("export.json", json.dumps({"results": items, "relations": graph}))
    assert (form, texts(reading)) == ("mem0", ["active one", "paused one"])
    assert [rest.why for rest in reading.leftovers] == ["it is archived at the source", "it is deleted at the source"]
    assert reading.all_notes() == [
        "keys that are not imported: metadata.city, user_id", "not imported: 1 relation",
        "2 invalid times (write 2026-12-31 15:00): '1e+30', '0000-13-45'",
    ]  # fmt: skip


def test_jrnl_entries_are_read() -> None:
    entries = [
        {"title": "Met Ada.", "body": "We spoke about tea.", "date": "2023-08-21", "time": "09:01",
         "tags": ["@ada", "@tea"], "starred": True},
        {"title": "Rain.", "body": "", "date": "2023-08-22", "time": "14:42", "tags": [], "starred": False},
    ]  # fmt: skip
    form, reading = read("journal.json", json.dumps({"tags": {"@ada": 1}, "entries": entries}))
    assert form == "jrnl"
    assert texts(reading) == ["Met Ada.\nWe spoke about tea.", "Rain."]
    assert reading.items[0].tags == ("ada", "tea", "starred")
    assert reading.items[0].at == "2023-08-21T09:01:00"


def test_csv_rows_are_read() -> None:
    rows = '正文,tags,score,创建时间,owner\n"likes ""green"" tea,\nhot",drink、＃habit,8.5,2025-03-01 10:00,me\nbad,x,eleven,,\n,,,,\nlast,＃a＃b,,上周,\nlast,甲；乙,,胡说,\n'
    form, reading = read("facts.csv", rows)
    assert form == "csv"
    first, *_, last = reading.items
    assert first.text == 'likes "green" tea,\nhot'
    assert (first.tags, first.score, first.at, first.line) == (("drink", "habit"), 8.5, "2025-03-01T10:00:00", 2)
    assert (last.text, last.score, last.at, last.line) == ("last", None, None, 7)
    assert [item.tags for item in reading.items[1:]] == [("a", "b"), ("甲", "乙")]
    assert [(rest.line, rest.text) for rest in reading.leftovers] == [(4, "bad")]
    assert reading.all_notes()[0] == "columns that are not imported: owner"
    assert reading.all_notes()[1] == "2 invalid times (write 2026-12-31 15:00): line 6: '上周', line 7: '胡说'"


def test_table_without_a_text_column_is_named() -> None:
    form, reading = read("facts.csv", "foo,bar\n1,2\n")
    assert (form, texts(reading)) == ("csv", [])
    assert "rename a column to one of: text, content" in reading.leftovers[0].why
    assert read("facts.csv", "title,notes\nDeploy,on Fridays\n")[1].items[0].text == "on Fridays"


CLAUDE = """---
name: Answer first
description: the user wants the answer before the reasons
type: feedback
---
Lead with the answer.

**Why:** said on 2025-11-02.
"""


def test_claude_code_memory_file_is_read() -> None:
    form, reading = read("feedback_answer.md", CLAUDE)
    assert form == "claude-code"
    (item,) = reading.items
    assert item.text.startswith("Answer first: the user wants the answer before the reasons\n\nLead with the answer.")
    assert (item.type, reading.leftovers, reading.notes) == ("feedback", [], [])


def test_links_in_the_index_of_claude_code_are_skipped() -> None:
    index = "- [Answer first](feedback_answer.md) — before the reasons\n- a fact of its own\n"
    _, reading = read("MEMORY.md", index)
    assert texts(reading) == ["a fact of its own"]
    assert [rest.line for rest in reading.leftovers] == [1]


def test_a_cursor_rule_is_one_memory() -> None:
    rule = "---\ndescription: how tests are named\nglobs: *.test.ts\nalwaysApply: false\n---\n- name the rule\n- not the case\n"
    form, reading = read("tests.mdc", rule)
    assert form == "claude-code"
    assert texts(reading) == ["how tests are named\n\n- name the rule\n- not the case"]
    assert reading.notes == ["not imported from its front matter: alwaysApply, globs"]


def test_basic_memory_observations_and_relations_are_read() -> None:
    form, reading = read("coffee.md", BASIC)
    assert form == "basic-memory"
    own = "|".join(text.removeprefix("Coffee Brewing Methods") for text in texts(reading))
    listed = ": Pour over is clear|: Ethiopian beans (lighter roasts)|: buy a scale"
    assert own == f"{listed}| relates_to Coffee Bean Origins| relates_to Tea"
    first = reading.items[0]
    assert {"Coffee-Brewing-Methods", "coffee", "brewing", "method", "filter"} <= set(first.tags)
    assert "Observations" not in first.tags
    assert first.at == "2025-01-10T08:00:00"
    assert [rest.text for rest in reading.leftovers] == ["Some prose."]


def test_markdown_list_items_are_read() -> None:
    form, reading = read("CLAUDE.md", RULES)
    assert (form, reading.items[-1].score) == ("markdown", 9)  # one item with a score is not a store
    assert vars(read("CLAUDE.md", RULES.replace("score:9", "评分:9"))[1]) == vars(reading)
    assert read("notes.md", "# notes\n- user likes tea #a 评分:9\n")[0] == "markdown"
    form, reading = read("notes.md", "- tea，#a，#b，score:9。\n- coffee #a 评分:8\n- milk #a 时长：永久 评分:11\n")
    assert (form, reading.leftovers, len(reading.notes)) == ("promptx", [], 1)
    assert [item[:1] + item[2:5] for item in reading.items] == [
        ("tea", ("a", "b"), 9, None), ("coffee", ("a",), 8, None), ("milk", ("a",), None, "永久")
    ]  # fmt: skip
    listed = RULES.replace(" score:9", "")
    form, reading = read("CLAUDE.md", listed)
    assert form == "markdown"
    assert texts(reading) == [
        "Use tabs\n- also in Python\n  * deeply\n\na second paragraph",
        "star item", "plus item", "first", "done", "中文", "dot", "不用 npm", "quoted", "see `#123`, which is #123",
        "lazy first\ncontinues here", "below it",
    ]  # fmt: skip
    tags = [item.tags for item in reading.items]
    assert tags[0] == ("Project-X-rules", "Code-style")
    assert tags[4] == ("Project-X-rules", "Code-style", "todo")
    assert tags[-1] == ("Project-X-rules", "Setext-heading")
    assert [item.bare for item in reading.items].count(False) == 1
    assert reading.items[0].line == 7
    assert [rest.line for rest in reading.leftovers] == [3, 31]


def test_items_of_our_markdown_export_are_read_in_any_markdown() -> None:
    form, reading = read(
        "CLAUDE.md", "## (no topic)\n- user likes tea\n  hot #a (2026-10-01, score 6.5, 30d)\n- b #c\n"
    )
    assert (form, reading.items[1].text) == ("markdown", "b")
    assert reading.items[0] == Item("user likes tea\nhot", 2, ("a",), 6.5, "30d", "2026-10-01T00:00:00")
    _, reading = read("memory.md", "# Memory\n\n## a\n\n- b #c (2026-10-01, score 6, 短期)\n* by hand #d\nprose\n")
    assert [(item.text, item.topic) for item in reading.items] == [("b", "a"), ("by hand\nprose", None)]


def test_unscored_memory_is_not_imported() -> None:
    one = {"id": "m_0123456789", "text": "tea", "score": 7, "duration": "30d", "at": "2026-10-01", "tags": ["a"]}
    _, reading = read("all.json", json.dumps([one, {**one, "text": "coffee", "unscored": True}]))
    assert texts(reading) == ["tea"]
    assert reading.notes[0].startswith("not imported: 1 unscored memory;")


def test_code_block_in_a_list_item_is_part_of_its_text() -> None:
    _, reading = read("AGENTS.md", "- run it:\n\n  ```sh\n  - make\n  ```\n- next\n")
    assert texts(reading) == ["run it:\n\n```sh\n- make\n```", "next"]
    assert not reading.leftovers


def test_promptx_lines_are_read() -> None:
    old = "# 陈述性记忆\n\n说明文字\n1. 一\n\n- 2025/06/05 18:47 喜欢茶 --tags 饮料 ##其他 #评分:8 #有效期:长期\n"
    old += "- 2025/07/13 23:22 START\n# 标题\n- 一\n--tags #其他 #评分:9 #有效期:短期\n- END\n"
    form, reading = read("declarative.md", old)
    assert form == "promptx"
    assert texts(reading) == ["喜欢茶", "# 标题\n- 一"]
    assert [(item.score, item.duration) for item in reading.items] == [(8.0, "长期"), (9.0, "短期")]
    assert [(rest.line, rest.text) for rest in reading.leftovers] == [(3, "说明文字"), (4, "1. 一")]


def test_our_line_without_a_journal_is_read_with_a_note() -> None:
    line = '- a fact #t score:9 duration:永久 <!-- {"id":"m_7k2q9x4htb","at":"2026-01-01T00:00:00+00:00",'
    line += '"topic":"a->b","category":"core","verified":true,"source":"system","reason":"why"} -->\n'
    form, reading = read("declarative.md", line)
    assert form == "promptx"
    assert reading.items == [Item("a fact", 1, ("t",), 9.0, "永久", "2026-01-01T00:00:00+00:00", "a->b", reason="why")]
    assert "no journal.jsonl for this file" in reading.notes[0]


def test_superseded_line_is_not_imported_without_a_journal() -> None:
    old = '- old #t score:8 duration:长期 <!-- {"id":"m_7k2q9x4htb","at":"2026-01-01T00:00:00+00:00"} -->\n'
    new = '- new #t score:8 duration:长期 <!-- {"id":"m_0123456789","at":"2026-01-02T00:00:00+00:00","supersedes":"m_7k2q9x4htb"} -->\n'
    _, reading = read("declarative.md", old + new)
    assert texts(reading) == ["new"]
    assert reading.notes[0] == "not imported: 1 memory that another line of the file replaced"
    assert not reading.leftovers


def chatgpt_conversation(*, current: str | None) -> dict[str, object]:
    def node(ident: str, parent: str | None, role: str, text: str, **more: object) -> dict[str, object]:
        message = {"author": {"role": role}, "create_time": 1736209412.3, "weight": 1.0,
                   "content": {"content_type": "text", "parts": [text]}, **more}  # fmt: skip
        return {"id": ident, "parent": parent, "children": [], "message": message}

    nodes: dict[str, object] = {"root": {"id": "root", "parent": None, "children": ["s"], "message": None}}
    nodes["s"] = node("s", "root", "system", "you are helpful", weight=0.0)
    nodes["u"] = node("u", "s", "user", "What is a daemon?")
    nodes["old"] = node("old", "u", "assistant", "An answer that was made again.")
    nodes["a"] = node("a", "u", "assistant", "A process in the background.")
    nodes["t"] = node("t", "a", "tool", "{}")
    return {"title": "Daemons", "conversation_id": "8f3a", "create_time": 1736209400, "current_node": current,
            "mapping": nodes}  # fmt: skip


@pytest.mark.parametrize("current", ["t", None])
def test_chatgpt_conversations_are_read(current: str | None) -> None:
    form, reading = read("conversations.json", json.dumps([chatgpt_conversation(current=current)]))
    assert form == "chatgpt"
    (one,) = reading.talks
    assert one.name == "chatgpt:8f3a"
    assert [(message.role, message.text) for message in one.messages] == [
        ("user", "What is a daemon?"),
        ("assistant", "A process in the background."),
    ]
    assert one.messages[0].at == "2025-01-07T00:23:32+00:00"
    assert not reading.items


def test_chatgpt_saved_memories_are_read() -> None:
    form, reading = read("memories.txt", "User is learning Rust.\n\n[2025-01-03] - User prefers short answers.\n")
    assert form == "chatgpt-memories"
    assert texts(reading) == ["User is learning Rust.", "User prefers short answers."]
    assert reading.items[1].at == "2025-01-03T00:00:00"
    lines = "2026-08-02：换工作。\n2026年8月2日：换工作。\n- 2026/8/2 换工作。\n【2026年8月2日】 换工作。\n- 2026-08-02 - 换工作。\n"
    form, reading = read("memories.txt", lines)
    assert (form, {item[0:6:5] for item in reading.items}) == (
        "chatgpt-memories",
        {("换工作。", "2026-08-02T00:00:00")},
    )


def test_dates_of_headings_and_list_items_are_read() -> None:
    text = "# Log\n## 2026-03-14\n- a\n### Bugs\n- b\n### 2026-03-15\n- c\n## Payments\n- 2026-04-03 10:15 d\n"
    others = ("2026-03-14.log is full", "03/04/2026: f", "2026-13-45: g", "2026-03-14", "2026-03-14 - 2026-03-20: e")
    form, reading = read("notes.md", text + "".join(f"- {other}\n" for other in others))
    assert (form, [(item.text, item.at, item.tags[1:]) for item in reading.items[:4]]) == ("markdown", [
        ("a", "2026-03-14T00:00:00", ()), ("b", "2026-03-14T00:00:00", ("Bugs",)), ("c", "2026-03-15T00:00:00", ()),
        ("d", "2026-04-03T10:15:00", ("Payments",)),
    ])  # fmt: skip
    assert [item[0:6:5] for item in reading.items[4:]] == [
        *((text, None) for text in others[:3]), *((text, "2026-03-14T00:00:00") for text in others[3:])
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "just a sentence, nothing more.\n", "[]", "[" * 100_000])
def test_unknown_content_has_no_format(text: str) -> None:
    assert form_of(Source("x", text), None) is None


ODD = (
    "", "{}", "[{}]", '[{"mapping": {"a": 1}}]', '{"entries": [1]}', '{"results": [1, null]}', '{"type": "entity"}\n7',
    "---\n- a\n---\nx", "---\n&a [*a]\n---\n", "<memory><item></memory>", 'text,tags\n"a', "- a\n" * 3,
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=[form.name for form in FORMS])
def test_no_format_fails_on_content_of_other_formats(form: Form) -> None:
    """--from sets the format without a look at the content."""
    assert all(isinstance(form.read(Source("x.md", text)), Reading) for text in ODD)


@pytest.mark.parametrize(("written", "expected"), rows(__file__, "times.jsonl"))
def test_times_are_parsed(written: object, expected: str | None) -> None:
    assert moment(written) == expected


def test_a_list_with_one_promptx_line_is_read_as_markdown() -> None:
    mixed = "## 家\n- [x] NAS got a disk\n- 密码 #网络 #评分:8 #有效期:长期\n1. Pi-hole\n* backups\n"
    form, reading = read("g.md", mixed)
    assert (form, reading.leftovers, {item.tags[0] for item in reading.items}) == ("markdown", [], {"家"})
    assert [(item.text, item.score, item.duration) for item in reading.items] == [
        ("NAS got a disk", None, None), ("密码", 8, "长期"), ("Pi-hole", None, None), ("backups", None, None)
    ]  # fmt: skip
    assert read("g.md", "## 家\n- 密码 #网络 #评分:8 #有效期:长期\n")[0] == "promptx"


def test_words_that_are_no_score_or_duration_stay_in_the_text() -> None:
    words = ["retry policy: attempts:3 duration:5min", "rule: score:TBD", "评审 score:待定", "weird #a score:11"]
    _, reading = read("notes.md", "".join(f"- {text}\n" for text in words))
    assert [(item.text, item.tags, item.score) for item in reading.items] == [(text, (), None) for text in words]
    note = "---\ntitle: N\npermalink: n\n---\n- [x1] policy duration:5min\n"
    assert texts(read("n.md", note)[1]) == ["N: policy duration:5min"]


def test_line_of_an_export_that_is_cut_off_is_damaged() -> None:
    whole = json.dumps({"id": "1", "memory": "One", "user_id": "u"})
    entity = json.dumps({"type": "entity", "name": "Ann", "entityType": "person", "observations": ["Likes tea", 3]})
    for name, first, others in (("torn.jsonl", whole, []), ("memory.jsonl", entity, ["an observation without a text"])):
        _, reading = read(name, f"{first}\n{first[:20]}")
        found = [(rest.why, rest.is_damaged) for rest in reading.leftovers]
        assert found == [*((why, False) for why in others), ("it is not valid JSON", True)]
