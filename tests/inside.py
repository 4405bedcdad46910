"""Internals that tests change or read, imported in one place: if code moves, only this file changes.

Tests of behaviour import from `tests.api`; tests of rules with tables import their rule directly.
"""

from promptx_mem import errors, places, processes, result, session
from promptx_mem import memory as long_lived
from promptx_mem.cli import app
from promptx_mem.cli import audit as cli_audit
from promptx_mem.cli import recall as cli_recall
from promptx_mem.cli import review as cli_review
from promptx_mem.cli import sync as cli_sync
from promptx_mem.cli.commands import COMMANDS, handler_of, payload_of
from promptx_mem.cli.options import COMMON, Argument, Common, Option
from promptx_mem.cli.parser import load
from promptx_mem.cli.plain import declared
from promptx_mem.cli.recall import as_text
from promptx_mem.core import bundle, document
from promptx_mem.core import journal as core_journal
from promptx_mem.core import prompt_block as budget
from promptx_mem.core.digest import MAX_BYTES as INDEX_BYTES
from promptx_mem.core.digest import MAX_LINES as INDEX_LINES
from promptx_mem.core.entry import CATEGORIES, FIELDS, SOURCES, TYPES
from promptx_mem.core.glyphs import unprintable
from promptx_mem.core.ids import short_hash
from promptx_mem.core.json_text import as_line, load_object, objects
from promptx_mem.core.labels import normalise_tag
from promptx_mem.core.prompt_block import block
from promptx_mem.core.slices import PURGED, ROLES, Reference, Slice, Unit, is_unit, parse_reference
from promptx_mem.core.state import MOST_FOREIGN as MOST
from promptx_mem.core.state import NOTICE, OWN, importance_at
from promptx_mem.core.text import clean, escape_json, printable, printable_lines
from promptx_mem.core.times import iso
from promptx_mem.core.topics import parse_path
from promptx_mem.hooks import guard, host, store_in_use
from promptx_mem.hooks import prompt as hooks_prompt
from promptx_mem.hooks import session as hooks_session
from promptx_mem.hooks.guard import commands
from promptx_mem.hooks.hosts import HOSTS, MAX_CHARACTERS
from promptx_mem.judge import judge as judge_failure
from promptx_mem.judge.judge import JudgeError
from promptx_mem.mcp_server import answers as words
from promptx_mem.mcp_server.catalogue import INSTRUCTIONS, TOOLS
from promptx_mem.mcp_server.tools import Tools
from promptx_mem.places import OFF
from promptx_mem.result import Text
from promptx_mem.search import build as search_build
from promptx_mem.search import cache as search_cache
from promptx_mem.search import current, memories, ranking, writes
from promptx_mem.search.cache import Place
from promptx_mem.search.ranking import SIGNALS
from promptx_mem.store import (
    acknowledged,
    archive,
    audit,
    checks,
    conversations,
    disk,
    episodes,
    files,
    hosts,
    intent,
    location,
    members,
    outside,
    parsing,
    recalled,
    rewrite,
    settings,
    sources,
    store,
    trust,
    violations,
    writer,
)
from promptx_mem.store import append as lock
from promptx_mem.store import members as member_notes
from promptx_mem.store import writer as creation
from promptx_mem.store.append import WAIT_SECONDS, Lock
from promptx_mem.store.disk import disk_errors
from promptx_mem.store.git import tracks
from promptx_mem.store.settings import ENVIRONMENT, Binding
from promptx_mem.usecases import context as outcome
from promptx_mem.usecases import converse as transcripts
from promptx_mem.usecases import converse as turns
from promptx_mem.usecases import index as usecase_index
from promptx_mem.usecases import intake as plan
from promptx_mem.usecases import retention, review
from promptx_mem.usecases.audit_log import Audit, Finding
from promptx_mem.usecases.converse import read_messages
from promptx_mem.usecases.decay import Decay
from promptx_mem.usecases.export import export
from promptx_mem.usecases.init import SNIPPET
from promptx_mem.usecases.intake import Import
from promptx_mem.usecases.monitor import Outcome
from promptx_mem.usecases.review import Review
from promptx_mem.view import page as view_page

__all__ = ["CATEGORIES", "COMMANDS", "COMMON", "ENVIRONMENT", "FIELDS", "HOSTS", "INDEX_BYTES", "INDEX_LINES", "INSTRUCTIONS", "MAX_CHARACTERS", "MOST", "NOTICE", "OFF", "OWN", "PURGED", "ROLES", "SIGNALS", "SNIPPET", "SOURCES", "TOOLS", "TYPES", "WAIT_SECONDS", "Argument", "Audit", "Binding", "Common", "Decay", "Finding", "Import", "JudgeError", "Lock", "Option", "Outcome", "Place", "Reference", "Review", "Slice", "Text", "Tools", "Unit", "acknowledged", "app", "archive", "as_line", "as_text", "audit", "block", "budget", "bundle", "checks", "clean", "cli_audit", "cli_recall", "cli_review", "cli_sync", "commands", "conversations", "core_journal", "creation", "current", "declared", "disk", "disk_errors", "document", "episodes", "errors", "escape_json", "export", "files", "guard", "handler_of", "hooks_prompt", "hooks_session", "host", "hosts", "importance_at", "intent", "is_unit", "iso", "judge_failure", "load", "load_object", "location", "lock", "long_lived", "member_notes", "members", "memories", "normalise_tag", "objects", "outcome", "outside", "parse_path", "parse_reference", "parsing", "payload_of", "places", "plan", "printable", "printable_lines", "processes", "ranking", "read_messages", "recalled", "result", "retention", "review", "rewrite", "search_build", "search_cache", "session", "settings", "short_hash", "sources", "store", "store_in_use", "tracks", "transcripts", "trust", "turns", "unprintable", "usecase_index", "view_page", "violations", "words", "writer", "writes"]  # fmt: skip
