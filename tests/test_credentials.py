"""Credentials in prose: texts that are reported, texts that are not, and no side effects of the search."""

import base64
import json
import logging
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.core import credential_forms, credentials
from promptx_mem.core.credential_forms import FORMS
from promptx_mem.core.credentials import MARKS, find_credentials
from tests.tables import rows

# Invented, and assembled here: no line of this file looks like a credential to a scanner.
BODY = "k7Qw2ZtR9xLm4NvB8cYp1HsD6fJg3TaXe5UiOr0WqSzEyVbKnMh" * 4
DIGITS = "482915730642" * 2
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def _part(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


JWT = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part({'sub': '1234567890', 'name': 'zs'})}.{BODY[:43]}"
PEM = "-----BEGIN {} KEY-----\n" + BODY[:64] + "\n-----END {} KEY-----"

FOUND = [
    (f"我的 GitHub token 是 ghp_{BODY[:36]}，别外传", "GitHub Token"),
    (f"用github_pat_{BODY[:22]}_{BODY[:59]}登录", "GitHub Token"), (f"the key sk-{BODY[:48]} works", "API Key"),
    (f"OpenAI: sk-proj-{BODY[:40]}-{BODY[:40]}_{BODY[:30]}", "API Key"),
    (f"claude用sk-ant-api03-{BODY[:93]}AA", "API Key"), (f"谷歌地图 AIza{BODY[:35]}", "API Key"),
    (f"阿里云 LTAI5t{BODY[:18]}", "API Key"), ("AWS id AKIA" + "Q7ZT2M4XN8B6C1VY in us-east-1", "AWS Access Key"),
    (f"aws_secret_access_key = '{BODY[:40]}'", "AWS Access Key"),
    (f"slack xoxb-{DIGITS[:12]}-{DIGITS[:13]}-{BODY[:24]}", "Slack Token"),
    (f"https://hooks.slack.com/services/T0{BODY[:8]}/B0{BODY[:8]}/{BODY[:24]}", "Slack Token"),
    (f"gitlab glpat-{BODY[:20]}", "GitLab Token"), (f"登录头 {JWT}", "JSON Web Token"),
    (PEM.format("RSA PRIVATE", "RSA PRIVATE"), "Private Key"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVYBGN", "Private Key"),
    (f"sk_live_{BODY[:24]}", "Stripe Access Key"), (f"npm_{BODY[:36]}", "NPM tokens"),
    (f"pypi-AgEIcHlwaS5vcmc{BODY[:80]}", "PyPI Token"), (f"SG.{BODY[:22]}.{BODY[:43]}", "SendGrid API Key"),
    (f"机器人 4829157306:AA{BODY[:33]}", "Telegram Bot Token"),
    (f"AccountKey={BODY[:86]}==", "Azure Storage Account access key"),
    ("postgres://user:pass@host/db", "Basic Auth Credentials"),
    ("连接串 mysql://root:s3cr3t@10.0.0.3:3306/app", "Basic Auth Credentials"),
    ("https://bot:a$b!c&d@git.example.com/x.git", "Basic Auth Credentials"), ("password: hunter2secret", "Password"),
    ("密码是 hunter2secret", "Password"), ("paſſword: hunter2secret", "Password"), ("数据库口令：Abc12345!", "Password"),
    ("密码（测试环境）：abc12345", "Password"), ("密码已改为 n3wSecret", "Password"), ("密码：123456", "Password"), ("密 码：Abc12345xyz", "Password"), ("支付密码六位数字 128934", "Password"),
    ("The root password is correct-horse-9", "Password"), ("export DB_PASSWORD=Tr0ub4dor", "Password"),
    ('{"password": "letmein"}', "Password"), (f"api_key={HEX[:32]}", "Secret"),
    (f"client_secret is {BODY[:24]}", "Secret"), (f"密钥：{BODY[:20]}", "Secret"),
    (f"secretAccessKey: {BODY[:40]}", "Secret"), (f"//registry.npmjs.org/:_authToken={BODY[:36]}", "Registry Login"),
]  # fmt: skip

PASSES = rows(__file__, "no_credentials.txt")

LONG_ONLY = "sk- azdo eyj aaaaaaaaaaaaaaa .atlasv1. -us xox xapp- 00d _mmk nral pk_ sat. jqqj99 pat. sk.eyj : aws"
"""Marks of rows whose matches have a run of 20 letters; `aws` is followed by a key, a token or a password."""

KINDS = frozenset(kind for _, kind in FOUND)


def test_credentials_are_found_with_their_kind() -> None:
    assert [(text, kind) for text, kind in FOUND if kind not in find_credentials(text)] == []


def test_quick_check_passes_every_text_with_a_credential() -> None:
    assert [text for text, _ in FOUND if not credentials.may_hold(credentials.plain(text))] == []


def test_quick_check_has_every_mark_except_those_of_long_runs() -> None:
    """A mark that the quick check lacks must be of a row whose every match has a run of 20 letters without a space."""
    lacking = {mark for _, marks, _ in FORMS for mark in marks if not any(one in mark for one in MARKS)}
    assert lacking == set(LONG_ONLY.split())


def test_texts_without_credentials_are_not_reported() -> None:
    assert [text for text in PASSES if find_credentials(text)] == []


PIECES = st.sampled_from(
    [
        "password", "PASSWORD", "paſſword", "密码", "口令", "token", ": ", "=", "：", " is ", "是", "已改为", "hunter2secret",
        "123456", "letmein", "p@ss", "$x", "A_B2", "glpat-", "AIza", "eyJ", JWT, "SG.", "AKIA", BODY[:11], BODY[:24],
        BODY[:36], HEX[:40], HEX[:32], "AC", "npm_", "pypi-Ag", "hf_", "LTAI", "AKID", "rk_live_",
    ]
)  # fmt: skip


@given(st.lists(PIECES | st.text(max_size=3), max_size=8))
def test_quick_check_passes_every_text_that_the_tables_match(pieces: list[str]) -> None:
    text = credentials.plain("".join(pieces))
    assert credentials.may_hold(text) or not set(credential_forms.kinds(text, credentials.joined(text)))


def test_result_has_sorted_kinds_only_and_logs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        found = [find_credentials(f"{text}\n{kind}") for text, kind in FOUND]
    assert all(set(kinds) <= KINDS and kinds == tuple(sorted(set(kinds))) for kinds in found)
    assert not caplog.records


@settings(deadline=None)  # the machine may be busy
@given(st.integers(min_value=0, max_value=30_000), st.sampled_from([f"ghp_{BODY[:36]}", JWT, "密码是 hunter2secret"]))
def test_credential_is_found_at_any_depth_of_a_long_text(depth: int, secret: str) -> None:
    text = ("没有 " * 10_000)[:depth] + " " + secret + " " + "没有 " * 2_000
    assert find_credentials(text)


def test_tables_are_loaded_only_for_a_text_with_a_mark() -> None:
    code = (
        "import sys; from promptx_mem.core.credentials import find_credentials as find; table = 'promptx_mem.core.credential_forms';"
        "find('the user likes green tea, 用户喜欢龙井茶'); before = table in sys.modules; find('a key'); print(before, table in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
