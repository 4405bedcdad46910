import pytest

from promptx_mem.hooks import requests
from tests.hooks import request_again, request_more, request_table

TABLES = (request_table, request_more, request_again)
TABLE = [row for table in TABLES for row in (*table.ENGLISH, *table.CHINESE)]
IDLE = [message for table in TABLES for message in table.NONE]

EXPLICIT = (
    ("记住我喜欢深色主题", "我喜欢深色主题"),
    ("请记住：我的生日是3月5日。", "我的生日是3月5日"),
    ("帮我记住，我们的部署环境是 k8s", "我们的部署环境是 k8s"),
    ("你要记住这个项目用 pnpm。", "这个项目用 pnpm"),
    ("先看一下代码，然后记住不要动 main 分支", "不要动 main 分支"),
    ("牢记：接口返回的时间都是 UTC", "接口返回的时间都是 UTC"),
    ("我对花生过敏，请记住。", "我对花生过敏"),
    ("我对花生过敏。记住这一点！", "我对花生过敏"),
    ("记得我每周三不开会", "我每周三不开会"),
    ("别忘了我喜欢喝茶", "我喜欢喝茶"),
    ("帮我记一下：wifi 在三楼", "wifi 在三楼"),
    ("把这个写入记忆：数据库在 5433 端口", "数据库在 5433 端口"),
    ("Remember that I prefer tabs.", "I prefer tabs"),
    ("remember: the staging server is eu-3", "the staging server is eu-3"),
    ("Please remember this: my name is Ada.", "my name is Ada"),
    ("Can you remember that we deploy on Fridays?", "we deploy on Fridays"),
    ("Fix the test. Also remember that CI runs on 3.11.", "CI runs on 3.11"),
    ("Remember to always use uv here", "always use uv here"),
    ("Don't forget that the API is rate limited", "the API is rate limited"),
    ("Keep in mind that our users read Chinese", "our users read Chinese"),
    ("Save this to your memory: port 5433", "port 5433"),
    ("The key rotates monthly. Remember this.", "The key rotates monthly"),
    ("Make a note that Bob owns billing", "Bob owns billing"),
)

STRESS = (
    "这很重要",
    "这一点非常重要，别改错",
    "重要：不要删除旧数据",
    "这是重点",
    "保持兼容至关重要",
    "This is very important to me.",
    "It's critical that the output stays sorted",
    "IMPORTANT: keep the old API",
)

LATER = (
    "下次我提到蓝色项目，就是指 promptx",
    "以后我问部署，就用这个流程",
    "下次再提到它的时候用中文",
    "以后都用 pnpm",
    "Next time I ask for a report, use this template",
    "From now on answer in Chinese",
    "When I mention the big one, I mean prod",
    "For future reference, staging is eu-3",
)

NONE = (
    "",
    "hello",
    "你还记得我喜欢什么吗？",
    "你记住了吗？",
    "我记得昨天改过这个文件",
    "我记不住这个命令",
    "怎么让用户记住密码？",
    "给登录页增加“记住我”功能",
    "记住密码功能坏了，修一下",
    "记得跑测试",
    "别忘了提交代码",
    "记录一下日志到文件",
    "重要吗？",
    "这个不重要",
    "最重要的是什么？",
    "重要性排序算法怎么写",
    "下次发布是什么时候？",
    "之前的实现在哪里",
    "Do you remember what I said?",
    "I can't remember the flag",
    "I remember it was in utils.py",
    "Add a 'remember me' checkbox",
    "Remember me should survive a restart",
    "Implement remember() in memory.py",
    "Remember to run the tests",
    "How do I make git remember my password?",
    "What does `remember that` do?",
    "Is this important?",
    "How important is the order here?",
    "Run `promptx-mem remember x` and show the output",
    "> remember that I said so",
    "```\nremember that this is code\n```",
    "import the module and mention it in the future tense section",
    "the next time the cron job runs it fails",
    "Rename importantThing to thing",
    "keep the file in mind.py",
)


@pytest.mark.parametrize(("message", "fact"), EXPLICIT)
def test_an_instruction_is_seen_with_what_is_to_be_remembered(message: str, fact: str) -> None:
    assert requests.read(message).facts == (fact,)


@pytest.mark.parametrize("message", STRESS)
def test_stress_is_seen(message: str) -> None:
    assert requests.read(message).stress


@pytest.mark.parametrize("message", LATER)
def test_a_hint_of_later_use_is_seen(message: str) -> None:
    assert requests.read(message).later


@pytest.mark.parametrize("message", NONE)
def test_ordinary_messages_are_not_requests(message: str) -> None:
    assert not requests.read(message)


def test_the_table_is_large() -> None:
    assert len(EXPLICIT) + len(STRESS) + len(LATER) + len(NONE) >= 60


@pytest.mark.parametrize(
    "piece", ["记住", "remember ", "please and also ", "这", "，请", "in the future ", ". A", "`", " ", "你要"]
)
def test_a_long_message_is_read_in_linear_time(piece: str) -> None:
    assert isinstance(requests.read(piece * 10_000), requests.Requests)  # backtracking would not come to an end


@pytest.mark.parametrize(("message", "facts"), TABLE)
def test_a_request_is_taken_word_for_word(message: str, facts: tuple[str, ...]) -> None:
    assert requests.read(message).facts == facts


@pytest.mark.parametrize("message", IDLE)
def test_what_only_speaks_of_remembering_is_not_a_request(message: str) -> None:
    assert requests.read(message).facts == ()


@pytest.mark.parametrize("message", request_again.HINTS)
def test_stress_and_later_use_are_not_requests_but_seen(message: str) -> None:
    heard = requests.read(message)
    assert not heard.facts
    assert heard.stress or heard.later


def test_the_table_of_requests_is_large() -> None:
    assert len({*TABLE, *IDLE}) >= 500
