"""Connection parameters: no setting weakens TLS, and passwords in a DSN are refused and never shown."""

import pytest

from tests.api import PromptxMemError
from tests.team.inside import postgres

pytest.importorskip("psycopg")

REMOTE: dict[str, tuple[str, dict[str, str]]] = {
    "a host": ("host=db.example.org", {}),
    "sslmode in the DSN": ("host=db.example.org sslmode=disable", {}),
    "a URI": ("postgresql://alice@db.example.org/memory?sslmode=prefer", {}),
    "an address behind loopback": ("host=localhost hostaddr=203.0.113.7", {}),
    "one of several hosts": ("host=localhost,db.example.org", {}),
    "the environment's host": ("dbname=memory", {"PGHOST": "db.example.org"}),
    "the environment's address": ("host=localhost", {"PGHOSTADDR": "203.0.113.7"}),
    "a service": ("service=team", {}),
    "the environment's service": ("host=localhost", {"PGSERVICE": "team"}),
    "GSSAPI instead": ("host=db.example.org gssencmode=require", {}),
    "an old TLS": ("host=db.example.org ssl_min_protocol_version=TLSv1", {}),
}
LOCAL: dict[str, tuple[str, dict[str, str]]] = {
    "a socket": ("host=/run/postgresql", {}),
    "no host": ("dbname=memory", {}),
    "loopback": ("host=127.0.0.1 sslmode=disable", {}),
    "localhost": ("postgresql://localhost/memory", {}),
}


@pytest.mark.parametrize("name", REMOTE)
def test_remote_host_always_gets_verified_tls(name: str) -> None:
    text, environment = REMOTE[name]
    values = postgres.parameters(text, environment)
    assert values["sslmode"] == "verify-full"
    assert values["gssencmode"] == "disable"
    assert values["ssl_min_protocol_version"] == "TLSv1.2"


@pytest.mark.parametrize("name", LOCAL)
def test_local_host_may_connect_without_tls(name: str) -> None:
    assert postgres.parameters(*LOCAL[name]).get("sslmode") in (None, "disable")


def test_parameters_override_environment_and_service_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pytest.TempPathFactory
) -> None:
    """They are merged by libpq, whose connection returns the result."""
    import psycopg

    monkeypatch.setenv("PGSSLMODE", "disable")
    monkeypatch.setenv("PGGSSENCMODE", "require")
    service = f"{tmp_path}/services"
    with open(service, "w", encoding="utf-8") as file:
        file.write("[team]\nhost=127.0.0.1\nport=1\nsslmode=disable\nconnect_timeout=2\n")
    monkeypatch.setenv("PGSERVICEFILE", service)
    values = postgres.parameters("service=team")
    raw = " ".join(f"{name}={value}" for name, value in values.items())
    connection = psycopg.pq.PGconn.connect_start(raw.encode())
    merged = {option.keyword: option.val for option in connection.info}
    assert merged[b"sslmode"] == b"verify-full"
    assert merged[b"gssencmode"] == b"disable"
    assert merged[b"host"] == b"127.0.0.1"
    connection.finish()


@pytest.mark.parametrize(
    "text",
    [
        "host=db.example.org password=hunter2",
        "postgresql://alice:hunter2@db.example.org/memory",
        "postgresql://db.example.org/memory?password=hunter2",
        "host=db.example.org sslpassword=hunter2",
        "host=db.example.org nonsense=hunter2",
        "host='hunter2",
    ],
)
def test_dsn_with_a_password_is_refused_without_showing_it(text: str) -> None:
    with pytest.raises(PromptxMemError) as caught:
        postgres.parameters(text, {})
    assert caught.value.code in ("password_in_dsn", "bad_dsn")
    assert "hunter2" not in caught.value.message + caught.value.hint


def test_missing_psycopg_prints_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(PromptxMemError) as caught:
        postgres.parse("host=db")
    assert caught.value.code == "no_extra"
    assert "pip install '.[postgres]'" in caught.value.hint
    assert "pipx install --force '.[postgres]'" in caught.value.hint
