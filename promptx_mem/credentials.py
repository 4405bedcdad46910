"""Credentials in prose: detect-secrets' plugins, loaded when a text first needs them, and our own forms beside them."""

from functools import lru_cache
from importlib import import_module
from typing import Any

from promptx_mem.core import credential_look

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
of the library's two distributions lacks, which our forms make up for.
"""

_PIECE, _OVERLAP = 8192, 4096
"""Characters: the library's expression for JWTs takes time in the square of its text's length."""


def find_credentials(text: str) -> tuple[str, ...]:
    """Name the kinds of credentials in `text`, sorted, as the library names them; never what they are.

    Offline, writes nothing, and keeps off the library's global settings, so threads may call it.
    """
    text = credential_look.plain(text)
    pieces = [text[at : at + _PIECE] for at in range(0, max(1, len(text) - _OVERLAP), _PIECE - _OVERLAP)]
    kinds = {str(plugin.secret_type) for plugin in _plugins() if any(_finds(plugin, piece) for piece in pieces)}
    return tuple(sorted(kinds.union(credential_look.our_kinds(text))))


def _finds(plugin: Any, piece: str) -> bool:
    try:
        return any(not credential_look.is_placeholder(secret) for secret in plugin.analyze_string(piece))
    except RecursionError:
        return True  # JSON nested too deep to be read, in what looks like a JWT


@lru_cache(maxsize=1)
def _plugins() -> tuple[Any, ...]:
    return tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _PLUGINS)
