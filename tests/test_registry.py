"""server.json keeps the rules of the registry of MCP servers, in the version of its schema that it names."""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

SERVER = json.loads((Path(__file__).parents[1] / "server.json").read_text("utf-8"))
VERSION = "2025-12-11"

TEXT = {"type": "string"}
INPUT = {
    "type": "object",
    "properties": {
        "description": TEXT,
        "default": TEXT,
        "value": TEXT,
        "placeholder": TEXT,
        "choices": {"type": "array", "items": TEXT},
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
        "isSecret": {"type": "boolean"},
        "isRepeated": {"type": "boolean"},
    },
}
NAMED = {"required": ["type", "name"], "properties": {"type": {"const": "named"}, "name": TEXT}}
POSITIONAL = {
    "required": ["type"],
    "properties": {"type": {"const": "positional"}, "valueHint": TEXT},
    "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}],
}
ARGUMENTS = {"type": "array", "items": {"allOf": [INPUT, {"anyOf": [NAMED, POSITIONAL]}]}}
REMOTE = {
    "required": ["type", "url"],
    "properties": {"type": {"enum": ["streamable-http", "sse"]}, "url": {"pattern": r"^(https?://\S+|\{\w+\}\S*)$"}},
}
PACKAGE = {
    "type": "object",
    "required": ["registryType", "identifier", "transport"],
    "properties": {
        "registryType": TEXT,
        "registryBaseUrl": {"type": "string", "pattern": "^https://"},
        "identifier": TEXT,
        "version": {"type": "string", "minLength": 1, "maxLength": 255, "not": {"const": "latest"}},
        "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
        "runtimeHint": TEXT,
        "runtimeArguments": ARGUMENTS,
        "packageArguments": ARGUMENTS,
        "environmentVariables": {
            "type": "array",
            "items": {"allOf": [INPUT, {"required": ["name"], "properties": {"name": TEXT}}]},
        },
        "transport": {"anyOf": [{"required": ["type"], "properties": {"type": {"const": "stdio"}}}, REMOTE]},
    },
    "dependentRequired": {"runtimeArguments": ["runtimeHint"]},
}
RULES = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["$schema", "name", "description", "version"],
    "properties": {
        "$schema": {"const": f"https://static.modelcontextprotocol.io/schemas/{VERSION}/server.schema.json"},
        "name": {"type": "string", "minLength": 3, "maxLength": 200, "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {"type": "string", "maxLength": 255, "pattern": r"^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$"},
        "websiteUrl": {"type": "string", "pattern": "^https://"},
        "repository": {
            "type": "object",
            "required": ["url", "source"],
            "properties": {"url": {"type": "string", "pattern": "^https://"}, "source": TEXT, "subfolder": TEXT},
        },
        "packages": {"type": "array", "minItems": 1, "items": PACKAGE},
        "remotes": {"type": "array", "items": REMOTE},
    },
    # The schema lets more stand there, and the registry drops it unseen: of ours all is meant.
    "additionalProperties": False,
}
"""What the published schema asks for, in our words; of versions also that they are none of the ranges it refuses."""


def broken(path: str, value: Any) -> Any:
    """server.json with another value in one place; None takes it out."""
    server = deepcopy(SERVER)
    *places, last = path.split(".")
    at: Any = server
    for place in places:
        at = at[int(place) if place.isdecimal() else place]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return server


def faults(server: Any) -> list[str]:
    jsonschema: Any = pytest.importorskip("jsonschema", reason="needs jsonschema: pip install -e '.[dev]'")
    return [error.message for error in jsonschema.Draft202012Validator(RULES).iter_errors(server)]


def test_it_keeps_every_rule() -> None:
    assert faults(SERVER) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("name", "promptx-mem"), ("name", "io.github.a/b/c"), ("description", "x" * 101), ("description", None),
        ("version", "latest"), ("version", "^1.2.3"), ("version", None), ("$schema", "https://example.com/other"),
        ("repository", {"url": "https://example.com"}), ("licence", "MIT"), ("packages", []),
        ("packages.0.transport", None), ("packages.0.transport", {"type": "pipe"}), ("packages.0.version", "latest"),
        ("packages.0.identifier", None), ("packages.0.runtimeHint", None),
        ("packages.0.runtimeArguments", [{"type": "named"}]), ("packages.0.packageArguments", [{"type": "positional"}]),
        ("packages.0.environmentVariables", [{"description": "no name"}]),
        ("packages.0.environmentVariables.0.isRequired", "no"),
    ],
)  # fmt: skip
def test_each_rule_is_looked_at(path: str, value: Any) -> None:
    assert faults(broken(path, value))


def test_what_it_runs_is_the_server_with_its_extra() -> None:
    [package] = SERVER["packages"]
    assert package["transport"] == {"type": "stdio"}
    runtime = [part for one in package["runtimeArguments"] for part in (one["name"], one["value"])]
    words = [
        package["runtimeHint"],
        *runtime,
        package["identifier"],
        *(one["value"] for one in package["packageArguments"]),
    ]
    assert words == ["uvx", "--with", "promptx-mem[mcp]", "promptx-mem", "mcp"]
    assert re.fullmatch(r"io\.github\.[\w-]+/promptx-mem", SERVER["name"])
    assert package["registryType"] == "pypi"
