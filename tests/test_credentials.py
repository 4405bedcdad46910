"""Credentials in prose: what is found, what passes, and what the search must not do."""

import base64
import json
import logging
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from promptx_mem.core import credentials
from promptx_mem.core.credential_forms import FORMS
from promptx_mem.core.credentials import MARKS, find_credentials

# Made up, and put together here: no line of this file looks like a credential to a scanner.
BODY = "k7Qw2ZtR9xLm4NvB8cYp1HsD6fJg3TaXe5UiOr0WqSzEyVbKnMh" * 4
DIGITS = "482915730642" * 2
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"


def _part(data: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(data).encode()).decode().rstrip("=")


JWT = f"{_part({'alg': 'HS256', 'typ': 'JWT'})}.{_part({'sub': '1234567890', 'name': 'zs'})}.{BODY[:43]}"
PEM = "-----BEGIN {} KEY-----\n" + BODY[:64] + "\n-----END {} KEY-----"

FOUND = [
    (f"我的 GitHub token 是 ghp_{BODY[:36]}，别外传", "GitHub Token"),
    (f"gho_{BODY[:36]}", "GitHub Token"),
    (f"use ghs_{BODY[:36]}.", "GitHub Token"),
    (f"用github_pat_{BODY[:22]}_{BODY[:59]}登录", "GitHub Token"),
    (f"the key sk-{BODY[:48]} works", "API Key"),
    (f"sk-{BODY[:20]}T3BlbkFJ{BODY[:20]}", "API Key"),
    (f"OpenAI: sk-proj-{BODY[:40]}-{BODY[:40]}_{BODY[:30]}", "API Key"),
    (f"claude用sk-ant-api03-{BODY[:93]}AA", "API Key"),
    (f"sk-or-v1-{HEX}", "API Key"),
    (f"谷歌地图 AIza{BODY[:35]}", "API Key"),
    (f"hf_{'QwErTyUiOpAsDfGhJkLzXcVbNmQwErTyUi'}", "API Key"),
    (f"gsk_{BODY[:52]}", "API Key"),
    (f"阿里云 LTAI5t{BODY[:18]}", "API Key"),
    (f"腾讯云 AKID{BODY[:32]}", "API Key"),
    ("AWS id AKIA" + "Q7ZT2M4XN8B6C1VY in us-east-1", "AWS Access Key"),
    ("ASIA" + "Q7ZT2M4XN8B6C1VY", "AWS Access Key"),
    (f"aws_secret_access_key = '{BODY[:40]}'", "AWS Access Key"),
    (f"slack xoxb-{DIGITS[:12]}-{DIGITS[:13]}-{BODY[:24]}", "Slack Token"),
    (f"xoxp-{DIGITS[:12]}-{DIGITS[:12]}-{BODY[:20]}", "Slack Token"),
    (f"xapp-1-A0{BODY[:10]}-{DIGITS[:13]}-{HEX}", "Slack Token"),
    (f"https://hooks.slack.com/services/T0{BODY[:8]}/B0{BODY[:8]}/{BODY[:24]}", "Slack Token"),
    (f"gitlab glpat-{BODY[:20]}", "GitLab Token"),
    (f"部署用 glrt-{BODY[:20]}", "GitLab Token"),
    (f"登录头 {JWT}", "JSON Web Token"),
    (f"see ({JWT})", "JSON Web Token"),
    (PEM.format("RSA PRIVATE", "RSA PRIVATE"), "Private Key"),
    (PEM.format("PRIVATE", "PRIVATE"), "Private Key"),
    (PEM.format("OPENSSH PRIVATE", "OPENSSH PRIVATE"), "Private Key"),
    (PEM.format("EC PRIVATE", "EC PRIVATE"), "Private Key"),
    ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVYBGN", "Private Key"),
    (PEM.format("ENCRYPTED PRIVATE", "ENCRYPTED PRIVATE").replace("\n", "<br>"), "Private Key"),
    (f"sk_live_{BODY[:24]}", "Stripe Access Key"),
    (f"npm_{BODY[:36]}", "NPM tokens"),
    (f"pypi-AgEIcHlwaS5vcmc{BODY[:80]}", "PyPI Token"),
    (f"SG.{BODY[:22]}.{BODY[:43]}", "SendGrid API Key"),
    (f"机器人 4829157306:AA{BODY[:33]}", "Telegram Bot Token"),
    (f"AccountKey={BODY[:86]}==", "Azure Storage Account access key"),
    ("postgres://user:pass@host/db", "Basic Auth Credentials"),
    ("连接串 mysql://root:s3cr3t@10.0.0.3:3306/app", "Basic Auth Credentials"),
    ("redis://:p4ssw0rd@cache:6379", "Basic Auth Credentials"),
    ("https://bot:a$b!c&d@git.example.com/x.git", "Basic Auth Credentials"),
    ("password: hunter2secret", "Password"),
    ("Password：hunter2secret", "Password"),
    ("密码是 hunter2secret", "Password"),
    ("密码是hunter2secret。", "Password"),
    ("数据库口令：Abc12345!", "Password"),
    ("**密码**：`Tr0ub4dor&3`", "Password"),
    ("密码（测试环境）：abc12345", "Password"),
    ("wifi 密码 abc12345", "Password"),
    ("密码已改为 n3wSecret", "Password"),
    ("密码改成 n3wSecret 了", "Password"),
    ("密码：123456", "Password"),
    ("开机密码是 20481024", "Password"),
    ("The root password is correct-horse-9", "Password"),
    ("login admin password Tr0ub4dor&3", "Password"),
    ("I changed the wifi password to Sunny2day.", "Password"),
    ("passwd=hunter2secret", "Password"),
    ("export DB_PASSWORD=Tr0ub4dor", "Password"),
    ("db-pass: x9y8z7", "Password"),
    ('{"password": "letmein"}', "Password"),
    ("pwd -> p@ssword", "Password"),
    ("passphrase: 'blue7whale'", "Password"),
    (f"api_key={HEX[:32]}", "Secret"),
    ("API key: 550e8400-e29b-41d4-a716-446655440000", "Secret"),
    (f"client_secret is {BODY[:24]}", "Secret"),
    ('const secret = "hunter2";', "Secret"),
    (f"密钥：{BODY[:20]}", "Secret"),
    (f"令牌为 {BODY[:16]}", "Secret"),
    (f"curl -H 'Authorization: Bearer {BODY[:40]}'", "Secret"),
    (f"secretAccessKey: {BODY[:40]}", "Secret"),
    (f"//registry.npmjs.org/:_authToken={BODY[:36]}", "Registry Login"),
]

PASSES = [
    *(
        "",
        "用户喜欢喝咖啡",
        "记得改密码",
        "密码策略要求至少12位",
        "密码长度：12 位以上",
        "密码：见 1Password",
        "忘记密码怎么办？",
    ),
    *(
        "token 数量",
        "token 数量是 128000",
        "每次最多 4096 tokens",
        "tokens: 128000",
        "max_tokens=4096",
        "token: 4096",
    ),
    *(
        "password policy requires 12 characters",
        "password: required",
        "password: min 12 chars",
        "password is required!",
    ),
    *("The password is stored in 1Password.", "password: 1Password", "password is 12-character minimum"),
    *(
        "password 90-day rotation",
        "password: 12chars",
        "the password was changed on 2026-11-20",
        "password: 2026-11-20",
    ),
    *(
        "密码是 SHA256 加盐存的",
        "密码是 bcrypt 哈希",
        "密码用 argon2id",
        "password: argon2id",
        "口令是 base64 编码的",
    ),
    *(
        "token: OAuth2.0",
        "the token is RS256 signed",
        "令牌是 JWT",
        "secret: AES-256-GCM",
        "密码: UTF-8 文本",
    ),
    *(
        "密码：******",
        "password: ********",
        "password: <your-password>",
        "password=${DB_PASSWORD}",
        "密码：xxxxxx",
    ),
    *(
        "password: {{ vault_pw2 }}",
        "password=$PASSWORD2",
        "password: %s",
        "token=$(cat token2.txt)",
        "API key: YOUR_API_KEY_2",
    ),
    *(
        "password = os.environ['DB_PASSWORD_2']",
        "password = getpass()",
        "token = jwt.encode2(x)",
        "token = tokens2x[i]",
    ),
    *("token = req.headers.auth2", "def check(password: str, token: bytes) -> bool:", '"password": "string"'),
    *(
        "secret: secrets/prod2.yaml",
        "private key: ~/.ssh/id_ed25519",
        "private key: id_ed25519",
        "密钥在 k8s2.pem",
    ),
    *(
        "token: https://example.com/v2/token",
        "token_url: oauth2/token",
        "tokenizer: cl100k_base",
        "password_hash: 5f4dcc3b",
    ),
    *(
        HEX,
        HEX[:40],
        "commit d670460b4b4aece5915caf5c68d12f560a9fe3e4",
        "md5 5d41402abc4b2a76b9719d911017c592",
    ),
    *("550e8400-e29b-41d4-a716-446655440000", "m_7k2q9x4htb", "sha256:" + HEX, "sha512-" + HEX + HEX + "=="),
    *(
        "https://example.com/a:b",
        "https://medium.com/@user:8080/x",
        "http://localhost:8080/a@b",
        "ssh://git@github.com/u/r",
    ),
    *(
        "postgres://user:${PASS}@host/db",
        "https://user:<token>@host",
        "git@github.com:user/repo.git",
        "zs@qq.com",
    ),
    *(
        "task-management-system-for-teams-v2",
        "sk-learn-based-classification-model",
        "sk-fading-circle-container-12",
    ),
    *(
        "ghp_ 开头的是 GitHub token",
        "xoxb- tokens are for bots",
        "keys start with sk-ant-",
        "AKIA prefix",
        "eyJ means JSON",
    ),
    *(
        "-----BEGIN PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----",
        "public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5",
    ),
    *(
        "ACCESS_CONTROL_ALLOW_ORIGIN_HEADER_VALUE",
        "SKIPPED_TESTS_BECAUSE_OF_NETWORK",
        "hf_hub_download",
        "npm_config_registry",
    ),
    *(
        "for key, value in table.items(): total += value",
        "import { useState } from 'react'",
        "SELECT * FROM users WHERE id = 42",
    ),
    *(
        "const map = new Map<string, number>()",
        "print(f'{name}: {score:.2f}')",
        "eyJub3QianNvbg.abc.def",
        "glpat 怎么申请",
    ),
    *(
        "bearer of bad news",
        "Bearer authentication is used",
        "pip install pypi-simple",
        "PASS: test_login_2 (0.3 s)",
        "a secret garden",
    ),
]

LONG_ONLY = "sk- azdo eyj aaaaaaaaaaaaaaa .atlasv1. -us xox xapp- 00d _mmk nral pk_ sat. jqqj99 pat. sk.eyj : aws"
"""Marks of rows whose matches have a run of 20 letters; after `aws` stands a key, a token or a password."""

KINDS = frozenset(kind for _, kind in FOUND)


def test_finds() -> None:
    assert [(text, kind) for text, kind in FOUND if kind not in find_credentials(text)] == []


def test_first_look_clears_no_text_that_a_row_finds() -> None:
    assert [text for text, _ in FOUND if not credentials.may_hold(credentials.plain(text))] == []


def test_every_mark_of_a_row_is_a_mark_of_the_first_look_or_of_a_long_run() -> None:
    """A mark that the first look lacks must be of a row whose every match has a run of 20 letters without a space."""
    lacking = {mark for _, marks, _ in FORMS for mark in marks.split("|") if not any(one in mark for one in MARKS)}
    assert lacking == set(LONG_ONLY.split())


def test_lets_pass() -> None:
    assert [text for text in PASSES if find_credentials(text)] == []


PIECES = st.sampled_from(
    [
        *(
            "password",
            "PASSWORD",
            "paſſword",
            "密码",
            "口令",
            "token",
            "Secret_Key",
            "api-key",
            "db-pass",
            "pwd",
            "bearer ",
        ),
        *(
            ": ",
            "=",
            "：",
            " is ",
            "是",
            "已改为",
            " to ",
            "->",
            " ",
            "\n",
            "`",
            '"',
            "'",
            "（测试）",
            "changed the ",
        ),
        *(
            "hunter2secret",
            "123456",
            "letmein",
            "p@ss",
            "$x",
            "A_B2",
            "sk-",
            "xoxb-1-a",
            "xoxb-１-a",
            "ghp_",
            "github_pat_",
        ),
        *(
            "glpat-",
            "AIza",
            "eyJ",
            JWT,
            "SG.",
            "AKIA",
            "AccountKey=",
            "sq0csp-",
            "://",
            "u:p@h",
            ":",
            "@",
            ".",
            "aws",
        ),
        *(
            BODY[:11],
            BODY[:24],
            BODY[:36],
            HEX[:40],
            HEX[:32],
            "AC",
            "-us1",
            "4829157306:AA",
            "BEGIN PRIVATE KEY",
            "----",
        ),
        *(
            "npm_",
            "pypi-Ag",
            "hf_",
            "LTAI",
            "AKID",
            "rk_live_",
            "HTTPS://HOOKS.SLACK.COM/services/T1/B1/x",
            "MTA",
            "/",
            "é",
        ),
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=8))
def test_first_look_clears_nothing_that_the_tables_find(pieces: list[str]) -> None:
    text = credentials.plain("".join(pieces))
    assert credentials.may_hold(text) or not set(credentials.kinds(text, None))


def test_names_kinds_and_no_more(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        found = [find_credentials(f"{text}\n{kind}") for text, kind in FOUND]
    assert all(set(kinds) <= KINDS and kinds == tuple(sorted(set(kinds))) for kinds in found)
    assert not caplog.records


@settings(deadline=None)  # a busy machine is no fault
@given(
    st.integers(min_value=0, max_value=30_000),
    st.sampled_from([f"ghp_{BODY[:36]}", JWT, "密码是 hunter2secret"]),
)
def test_finds_at_any_depth_of_a_long_text(depth: int, secret: str) -> None:
    text = ("没有 " * 10_000)[:depth] + " " + secret + " " + "没有 " * 2_000
    assert find_credentials(text)


def test_opens_no_connection_and_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.chdir(tmp_path)
    assert all(kind in find_credentials(text) for text, kind in FOUND)
    assert list(tmp_path.iterdir()) == []


def test_threads_agree() -> None:
    texts = [text for text, _ in FOUND] + PASSES
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(find_credentials, texts)) == [find_credentials(text) for text in texts]


def test_the_tables_are_loaded_only_for_a_text_with_a_mark() -> None:
    code = (
        "import sys; from promptx_mem.core.credentials import find_credentials as find; table = 'promptx_mem.core.credential_forms';"
        "find('the user likes green tea, 用户喜欢龙井茶'); before = table in sys.modules; find('a key'); print(before, table in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True"]
