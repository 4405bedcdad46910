"""recall: by words, topics, dates, tags; without a cue, what matters most now."""

from promptx_mem.usecases.recall.answer import recall
from promptx_mem.usecases.recall.question import CONTEXT_BUDGET, Cues, with_context

__all__ = ["CONTEXT_BUDGET", "Cues", "recall", "with_context"]
