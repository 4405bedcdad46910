"""Personal data in texts, and the first look for credentials."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import credentials
from promptx_mem.core.personal_data import personal_data, redacted

ROWS = Path(__file__).parent / "rows"
HELD = [row.split("|") for row in (ROWS / "personal.txt").read_text("utf-8").splitlines()]
"""Texts, each with the kinds of personal data that it holds."""

NOT_HELD = (ROWS / "not_personal.txt").read_text("utf-8").splitlines()


def test_finds_personal_data() -> None:
    found = {text: personal_data(text) for text, _ in HELD}
    assert found == {text: tuple(kinds.split()) for text, kinds in HELD}


def test_lets_other_numbers_pass() -> None:
    assert [text for text in NOT_HELD if personal_data(text)] == []


@given(st.text(), st.text(), st.sampled_from(HELD))
def test_is_found_in_the_middle_of_any_text(before: str, after: str, row: list[str]) -> None:
    text, kinds = row
    assert set(kinds.split()) <= set(personal_data(f"{before}\n。{text}。\n{after}"))


ORDINARY = """\
用户喜欢喝咖啡
密码策略要求至少12位
token 数量是 4096
密码是保密的，不要告诉别人
他忘了密码，密码找回要三天
令牌环网络
授权码过期了
password policy requires 12 characters
Reset the password first.
the key to success
tokens: 128000
max_tokens=4096
部署脚本在 tools/deploy.sh
The task-management system has risk-free trials.
见 https://example.com/docs?page=2#token
commit d670460b4b4aece5915caf5c68d12f560a9fe3e4
id 550e8400-e29b-41d4-a716-446655440000
m_7k2q9x4htb
keyboard layout: Dvorak
密码是 SHA256 存的
the AWS region is ap-east-1""".splitlines()


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_texts_have_no_credential(text: str) -> None:
    assert credentials.find_credentials(text) == ()


@pytest.mark.parametrize("text", ["password: hunter2secret", "密码是 hunter2secret", "paſſword: hunter2secret"])
def test_a_password_is_found(text: str) -> None:
    assert credentials.find_credentials(text)


@pytest.mark.parametrize(
    ("text", "expected", "kinds"),
    [
        ("nothing here", "nothing here", ()),
        ("电话13812345678，邮箱zhang@example.com。", "电话[phone]，邮箱[email]。", ("phone", "email")),
        ("ssn 123-45-6789 and +1 415 555 2671", "ssn [ssn] and [phone]", ("phone", "ssn")),
        ("护照 E12345678 住北京", "护照 [passport] 住北京", ("passport",)),
        ("４１１１ １１１１ １１１１ １１１１ 是卡", "[bank_card] 是卡", ("bank_card",)),
        ("write to jörg@example.com today", "write to [email] today", ("email",)),
    ],
)
def test_it_is_masked_where_it_lies(text: str, expected: str, kinds: tuple[str, ...]) -> None:
    assert redacted(text) == (expected, kinds)


@given(
    st.lists(
        st.sampled_from(
            ["13812345678", "zhang@example.com", "123-45-6789", " ", "，", "电话", "1", "-", "x@", "+86", "6222"]
        ),
        max_size=12,
    )
)
def test_nothing_that_is_known_is_left(parts: list[str]) -> None:
    text = "".join(parts)
    masked, kinds = redacted(text)
    assert personal_data(masked) == ()
    assert set(personal_data(text)) <= set(kinds)
    assert masked == text or kinds
