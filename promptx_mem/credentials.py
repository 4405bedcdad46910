"""Credentials in prose, found by detect-secrets' plugins, which are loaded when a text first needs them."""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from typing import Any

from promptx_mem.core import privacy

_PLUGINS = (
    ("aws", "AWSKeyDetector"),
    ("basic_auth", "BasicAuthDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("jwt", "JwtTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("private_key", "PrivateKeyDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("twilio", "TwilioKeyDetector"),
)
"""Module and class of each plugin that goes by a credential's own shape.

Left out: keyword and entropy plugins, which take hashes and prose for secrets; those whose shape is that of a
hash or a word (Artifactory, Azure, Cloudant, IBM, SoftLayer); npm's, quadratic on slashes; and those that one
of the library's two distributions lacks, which _FORMS makes up for.
"""

_VENDOR_KEY = (
    r"(?<![0-9A-Za-z_-])(?:sk-(?:ant|proj|or|svcacct|admin)-(?=[A-Za-z_-]{0,60}[0-9])[0-9A-Za-z_-]{20,255}"
    r"|sk-(?=[A-Za-z]{0,60}[0-9])[0-9A-Za-z]{20,255}|gsk_[0-9A-Za-z]{40,255}|AIza[0-9A-Za-z_-]{35}"
    r"|hf_[A-Za-z]{30,64}|LTAI[0-9A-Za-z]{12,24}(?![0-9A-Za-z])|AKID[0-9A-Za-z]{32}(?![0-9A-Za-z]))"
)
_FORMS = (
    ("Password", privacy.ASSIGNED_PASSWORD),
    ("Secret", privacy.ASSIGNED_KEY),
    ("API Key", _VENDOR_KEY),
    # An empty user, and characters in a password that the library's expression does not take.
    ("Basic Auth Credentials", r"://[^\s/:@?#\"'<>]{0,64}:(?![$<{*]|%s)[^\s/@\"'<>]{2,128}@[0-9A-Za-z\[]"),
    ("Azure Storage Account access key", r"AccountKey=[0-9A-Za-z+/]{86}=="),
    ("GitHub Token", r"github_pat_[0-9A-Za-z_]{22,255}"),
    ("GitLab Token", r"(?<![0-9A-Za-z])gl(?:pat|dt|ft|rt|soat|ptt|cbt|agent|oas|imt)-[0-9A-Za-z_-]{20,255}"),
    ("NPM tokens", r"(?<![0-9A-Za-z_])npm_[0-9A-Za-z]{36}(?![0-9A-Za-z])"),
    ("Private Key", r"-----BEGIN [0-9A-Z ]{0,40}PRIVATE KEY"),
    ("PyPI Token", r"pypi-Ag[0-9A-Za-z_-]{70,255}"),
    ("Slack Token", r"(?<![0-9A-Za-z])(?:xox[a-z]|xapp)-(?=[A-Za-z-]{0,60}[0-9])[0-9A-Za-z-]{20,255}"),
    ("Telegram Bot Token", r"(?<![0-9A-Za-z])[0-9]{8,10}:AA[0-9A-Za-z_-]{33}(?![0-9A-Za-z_-])"),
)
"""Kind and expression of what the library misses: given to it as plugins."""

_PIECE, _OVERLAP = 8192, 4096
"""Characters: the library's expression for JWTs takes time in the square of its text's length."""


def find_credentials(text: str) -> tuple[str, ...]:
    """Name the kinds of credentials in `text`, sorted, as the library names them; never what they are.

    Offline, writes nothing, and keeps off the library's global settings, so threads may call it.
    """
    pieces = [text[at : at + _PIECE] for at in range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP)]
    plugins, is_placeholder = _load()
    found = {
        str(plugin.secret_type) for plugin in plugins if any(_finds(plugin, is_placeholder, piece) for piece in pieces)
    }
    return tuple(sorted(found))


def _finds(plugin: Any, is_placeholder: Callable[[str], bool], piece: str) -> bool:
    try:
        return any(not is_placeholder(secret) for secret in plugin.analyze_string(piece))
    except RecursionError:
        return True  # JSON nested too deep to be read, in what looks like a JWT


@lru_cache(maxsize=1)
def _load() -> tuple[tuple[Any, ...], Callable[[str], bool]]:
    base = import_module("detect_secrets.plugins.base").RegexBasedDetector
    heuristic = import_module("detect_secrets.filters.heuristic")
    plugins = [getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _PLUGINS]
    for kind, form in _FORMS:
        members = {"secret_type": kind, "denylist": (re.compile(form),)}
        plugins.append(type(kind.replace(" ", ""), (base,), members)())
    return tuple(plugins), heuristic.is_templated_secret
