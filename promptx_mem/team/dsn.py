"""Where a server is, and how it is reached: TLS with chain and name verified, and no password on any list."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from promptx_mem.errors import UsageError, no_extra

if TYPE_CHECKING:
    from types import ModuleType

SECRETS = ("password", "sslpassword", "oauth_client_secret")
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
CONNECT_SECONDS = 10
_LEAST_TLS = "TLSv1.2"
_ROOT = os.path.join("~", ".postgresql", "root.crt")
_SHOWN = ("host", "hostaddr", "port", "dbname", "user", "service")


def psycopg() -> "ModuleType":
    """The library. Raises UsageError where the extra is not installed."""
    try:
        import psycopg as library
    except ImportError:
        raise no_extra("sync needs an extra that is not installed, or whose libpq is missing", "postgres") from None
    return library


def parse(dsn: str) -> dict[str, str]:
    """The parameters of a DSN. Raises UsageError for one that is wrong, or that holds a password; neither shows it."""
    library = psycopg()
    from psycopg.conninfo import conninfo_to_dict

    try:
        values = {name: str(value) for name, value in conninfo_to_dict(dsn).items() if value not in (None, "")}
    except library.Error:
        raise UsageError(
            "this is no DSN of PostgreSQL",
            code="bad_dsn",
            hint="usage: promptx-mem sync --join 'host=<server> dbname=<database> user=<role>' --space <name>",
        ) from None
    if any(name in values for name in SECRETS):
        raise UsageError(
            "a DSN with a password stands in the process list and in files: it is refused, and should count as known",
            code="password_in_dsn",
            hint="leave it out: libpq takes it from ~/.pgpass, PGPASSWORD or a certificate; then change the password",
        )
    return values


def parameters(dsn: str, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a connection is made with. What stands here goes before a service file and before the environment."""
    values = parse(dsn)
    around = os.environ if environment is None else environment
    values |= {"connect_timeout": str(CONNECT_SECONDS), "application_name": "promptx-mem"}
    # With a GSSAPI channel libpq would use no TLS at all.
    values |= {"gssencmode": "disable", "ssl_min_protocol_version": _LEAST_TLS}
    if not is_near(values, around):
        values["sslmode"] = "verify-full"
        if not any((values.get("sslrootcert"), around.get("PGSSLROOTCERT"), os.path.exists(os.path.expanduser(_ROOT)))):
            values["sslrootcert"] = "system"
    return values


def is_near(values: Mapping[str, str], around: Mapping[str, str]) -> bool:
    """Whether a connection cannot leave this machine: a Unix socket or loopback. A service may name any host."""
    if values.get("service") or around.get("PGSERVICE"):
        return False
    address = values.get("hostaddr") or around.get("PGHOSTADDR") or ""
    host = values.get("host") or around.get("PGHOST") or ""
    hosts = [*(address or host).split(",")]
    return all(not one or one.startswith(("/", "@")) or one in LOOPBACK for one in hosts)


def shown(dsn: str) -> str:
    """A DSN for people: where, and as whom."""
    values = parse(dsn)
    return " ".join(f"{name}={values[name]}" for name in _SHOWN if name in values) or "the default of libpq"
