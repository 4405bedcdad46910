"""Personal data in texts, and the first look for credentials."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptx_mem.core import credentials
from promptx_mem.core.personal_data import personal_data, redacted

HELD = [
    ("手机号13812345678", "phone"),
    ("电话：138-1234-5678。", "phone"),
    ("打 138 1234 5678 9点以后", "phone"),
    ("138 12345678", "phone"),
    ("我的手机是+8613812345678", "phone"),
    ("+86 138-1234-5678", "phone"),
    ("+86-13812345678", "phone"),
    ("(+86)13812345678", "phone"),
    ("（＋８６）１３８１２３４５６７８", "phone"),
    ("008613812345678", "phone"),
    ("8613812345678", "phone"),
    ("手机-19912345678", "phone"),
    ("13812345678/13912345678", "phone"),
    ("13812345678 2026-11-20", "phone"),
    ("１３８１２３４５６７８", "phone"),
    ("call +1 (415) 555-2671", "phone"),
    ("call +1.415.555.2671 now", "phone"),
    ("+14155552671", "phone"),
    ("+44 20 7946 0958", "phone"),
    ("+47 22 12 34 56", "phone"),
    ("+49 (0)30 901820", "phone"),
    ("+852 2345 6789", "phone"),
    ("+886912345678", "phone"),
    ("+86 10 6552 9988", "phone"),
    ("+39 06 6982", ""),
    ("zhang.san@example.com", "email"),
    ("邮箱是zhangsan@qq.com谢谢", "email"),
    ("a+tag@mail.example.co.uk,", "email"),
    ("ＺＳ: zs＠163．com", "email"),
    ("<mailto:x_y@sub.example.org>", "email"),
    ("git@example.com", "email"),
    ("身份证11010519491231002X", "id_card"),
    ("11010519491231002x", "id_card"),
    ("110105 19491231 002X", "id_card"),
    ("１１０１０５１９４９１２３１００２Ｘ".replace("Ｘ", "X"), "id_card"),
    ("440524188001010014", "id_card"),
    ("620102195001010099", "id_card"),  # of Gansu: begins as a UnionPay card does, and passes Luhn's test too
    ("A123456789", "id_card"),
    ("HKID A123456(3)", "id_card"),
    ("香港身份证 G123456（A）", "id_card"),
    ("AB987654(3)", "id_card"),
    ("卡号4111111111111111", "bank_card"),
    ("4111 1111 1111 1111 12/27", "bank_card"),
    ("4111-1111-1111-1111", "bank_card"),
    ("４１１１１１１１１１１１１１１１", "bank_card"),
    ("5500 0000 0000 0004", "bank_card"),
    ("2221 0000 0000 0009", "bank_card"),
    ("378282246310005", "bank_card"),
    ("3782 822463 10005", "bank_card"),
    ("30569309025904", "bank_card"),
    ("3530111333300000", "bank_card"),
    ("6011000990139424", "bank_card"),
    ("银行卡 6222021234567890128", "bank_card"),
    ("622202 1234567890128", "bank_card"),
    ("张三 13812345678 zs@qq.com", "phone email"),
    ("座机 010-65529988", "phone"),
    ("公司电话 0755-26881234", "phone"),
    ("(021) 62345678", "phone"),
    ("call (415) 555-2671", "phone"),
    ("415-555-2671", "phone"),
    ("020 7946 0958", "phone"),
    ("07700 900123", "phone"),
    ("06 12 34 56 78", "phone"),
    ("Tel. 030 901820", "phone"),
    ("my phone number is 5552671", "phone"),
    ("write to zhang at example dot com", "email"),
    ("护照号 E12345678", "passport"),
    ("护照：EA1234567", "passport"),
    ("my passport number is 123456789", "passport"),
    ("passport no. X1234567", "passport"),
    ("IBAN DE89 3704 0044 0532 0130 00", "iban"),
    ("GB29NWBK60161331926819", "iban"),
    ("FR1420041010050500013M02606", "iban"),
    ("SSN 123-45-6789", "ssn"),
    ("123-45-6789", "ssn"),
    ("social security number 123456789", "ssn"),
    ("身份证号 110105491231002", "id_card"),
    ("军官证 南字12345678", "id_card"),
    ("港澳通行证 C12345678", "id_card"),
    ("澳门身份证 1234567(8)", "id_card"),
    ("驾驶证号 110105194912310021", "id_card"),
    ("driver's license D1234567", "id_card"),
    ("National Insurance number QQ 12 34 56 C", "id_card"),
    ("SIN 046 454 286", "id_card"),
    ("Aadhaar 2341 2341 2346", "id_card"),
    ("PAN ABCDE1234F", "id_card"),
    ("123.456.789-09", "id_card"),
    ("CPF 12345678909", "id_card"),
    ("900101-1234568", "id_card"),
    ("マイナンバー 1234 5678 9018", "id_card"),
    ("DNI 12345678Z", "id_card"),
    ("codice fiscale RSSMRA85T10A562S", "id_card"),
    ("4111111111111111, 11010519491231002X, zs@qq.com, +14155552671", "phone email id_card bank_card"),
]

NOT_HELD = [
    *("", "版本 1.13.8123.45678", "v2.10.0", "python 3.11.13812345678", "0.13812345678", "13812345678.5"),
    *("m_7k2q9x4htb", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "d670460b4b4aece5915caf5c68d12f560a9fe3e4"),
    *("1763650023123456", "1763650023123456789", "1763650023123", "at 1763650023", "k=1763650023123456"),
    *("2026-11-20T22:47:03+08:00", "20261120224703", "UTC+08:00", "GMT+0800", "C++17", "2025/05/21 22:47"),
    *("ISBN 978-7-111-12345-6", "9787111123456", "ISBN 7-302-02368-9", "4006381333931", "EAN 4901234567894"),
    *("192.168.1.1", "10.0.0.255:8080", "2001:db8::8a2e:370:7334", "127.0.0.1"),
    *("¥12999.00", "$1,234,567.89", "价格 138123元", "+250000000 users", "+3.14159265358", "+1000000000"),
    *("550e8400-e29b-41d4-a716-446655440000", "订单号 202611201234567890", "JD13812345678", "x_13812345678"),
    *("138123456789", "0138123456780", "id-13812345678", "12012345678", "14012345678", "138 1234 5678 9012"),
    *("1381234567", "13812345678abc", "point 138-1234-56789"),
    *("icon@2x.png", "react@18.0.0", "react@18.0.0-rc.next", "lodash@4.17.21", "@app.route", "a @ b.com"),
    *(
        "git@github.com:user/repo.git",
        "ssh://git@github.com/user/repo",
        "postgres://user:pass@db.example.com/app",
    ),
    *("user@localhost", "@user.name", "foo@bar", "a@b..com"),
    *(
        "110105194912310021",
        "110105194902310026",
        "110105194913310025",
        "991010194912310020",
        "110105491231002",
    ),
    *("A123456788", "a123456789", "AA123456789", "A12345678", "A123456(4)", "A123456[3]", "func A123456(3a)"),
    *(
        "电话会议 2026-11-20 15:00",
        "手机 20 部",
        "telemetry 1234567",
        "phone firmware 20241120",
        "cell 1234567890123456",
    ),
    *("DE89 3704 0044 0532 0130 01", "000-12-3456", "900-12-3456", "passport policy 2026", "护照有效期 10 年"),
    *(
        "123.456.789-00",
        "111.111.111-11",
        "900101-1234567",
        "SIN 046 454 287",
        "Aadhaar 2341 2341 2347",
        "DNI 12345678A",
    ),
    *("pan to 1234567", "license Apache-2.0", "sin(1.2345678)", "meet at noon dot", "012-3456789", "2026-11-20 10:20"),
    *("4111111111111112", "4111 1111 1111 1112", "1111111111111117", "0000000000000000", "9999999999999995"),
    *(
        "41111111111111111111111",
        "a4111111111111111",
        "4111111111111111.5",
        "4111 1111 1111",
        "4222222222222",
    ),
]


def test_finds_personal_data() -> None:
    found = {text: personal_data(text) for text, _ in HELD}
    assert found == {text: tuple(kinds.split()) for text, kinds in HELD}


def test_lets_other_numbers_pass() -> None:
    assert [text for text in NOT_HELD if personal_data(text)] == []


@given(st.text(), st.text(), st.sampled_from(HELD))
def test_is_found_in_the_middle_of_any_text(before: str, after: str, row: tuple[str, str]) -> None:
    text, kinds = row
    assert set(kinds.split()) <= set(personal_data(f"{before}\n。{text}。\n{after}"))


ORDINARY = [
    *(
        "",
        "用户喜欢喝咖啡",
        "记得改密码",
        "密码策略要求至少12位",
        "token 数量",
        "token 数量是 4096",
        "每月换一次口令",
    ),
    *(
        "密码是保密的，不要告诉别人",
        "他忘了密码，密码找回要三天",
        "令牌环网络",
        "密钥管理由运维负责",
        "授权码过期了",
    ),
    *(
        "password policy requires 12 characters",
        "The password is stored in the vault.",
        "Reset the password first.",
    ),
    *("He keeps a secret.", "the key to success", "a token of thanks", "tokens: 128000", "max_tokens=4096"),
    *(
        "每周五 15:00 开会，地点 A-301",
        "部署脚本在 tools/deploy.sh",
        "The task-management system has risk-free trials.",
    ),
    *("Asia/Shanghai is the time zone", "见 https://example.com/docs?page=2#token", "邮箱 zs@qq.com"),
    *("commit d670460b4b4aece5915caf5c68d12f560a9fe3e4", "id 550e8400-e29b-41d4-a716-446655440000"),
    *(
        "run_the_nightly_integration_tests_again",
        "m_7k2q9x4htb",
        "keyboard layout: Dvorak",
        "bypass the monkey house",
    ),
    *(
        "use bcrypt for passwords",
        "密码是 SHA256 存的",
        "the bearer of this letter",
        "the AWS region is ap-east-1",
    ),
]


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
