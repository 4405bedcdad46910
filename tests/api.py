"""The API that tests use: `Memory`, its arguments and results, its errors, and the lines of its files."""

from promptx_mem.cli.app import run
from promptx_mem.core.description import Description, Recall
from promptx_mem.core.entry import Entry
from promptx_mem.core.fold import fold_all
from promptx_mem.core.ids import make_id
from promptx_mem.core.journal import Event, format_event, parse_event
from promptx_mem.core.line import format_line, parse_line
from promptx_mem.core.prompt_block import tokens
from promptx_mem.core.request import Request
from promptx_mem.core.slices import Message, unit_of
from promptx_mem.core.state import State, lives
from promptx_mem.core.times import epoch
from promptx_mem.errors import BusyError, ConfigError, NotFoundError, PromptxMemError, Refused, StoreError, UsageError
from promptx_mem.hooks import run as hooks_run
from promptx_mem.judge.judge import COMMAND
from promptx_mem.memory import Memory
from promptx_mem.result import Result, complete
from promptx_mem.store import layout
from promptx_mem.store.layout import Layout
from promptx_mem.usecases.audit_log import Filters
from promptx_mem.usecases.decay import Plan
from promptx_mem.usecases.export import FullMemory, Wants
from promptx_mem.usecases.gate import Remember
from promptx_mem.usecases.intake import Options
from promptx_mem.usecases.recall import Cues
from promptx_mem.usecases.view import PageOptions as PageWants

__all__ = ["COMMAND", "BusyError", "ConfigError", "Cues", "Description", "Entry", "Event", "Filters", "FullMemory", "Layout", "Memory", "Message", "NotFoundError", "Options", "PageWants", "Plan", "PromptxMemError", "Recall", "Refused", "Remember", "Request", "Result", "State", "StoreError", "UsageError", "Wants", "complete", "epoch", "fold_all", "format_event", "format_line", "hooks_run", "layout", "lives", "make_id", "parse_event", "parse_line", "run", "tokens", "unit_of"]  # fmt: skip
