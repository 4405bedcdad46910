"""recall: search by words, topics, dates and tags; without a cue, the most important memories."""

from promptx_mem.usecases.recall.answer import recall
from promptx_mem.usecases.recall.question import CONTEXT_BUDGET, Cues, with_context

__all__ = ["CONTEXT_BUDGET", "Cues", "recall", "with_context"]
