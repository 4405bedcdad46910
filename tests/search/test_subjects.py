"""What a text begins with: told by its first word where that is enough."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from promptx_mem.search import candidates, tokens
from tests.search.store import Store

_WORDS = st.sampled_from(
    ["the", "Tea", "tea:", "went", "goes", "Children", "child", "主库", "is", "PG", "don't", "C++", "7", ""]
)


@given(st.lists(_WORDS, max_size=6), st.sampled_from(["tea", "go", "child", "主库", "pg", "c++"]))
@example(["went"], "go")
@example(["the", "Tea"], "tea")
def test_who_is_passed_over_begins_with_no_term(words: list[str], term: str) -> None:
    text = " ".join(words)
    initials = {term[0]}
    begun = [word for word in candidates._first_words(text)[:1] if tokens.initial(word) in initials]
    assert candidates._may_begin(text, initials) or not begun


def test_what_begins_with_the_question_stands_first() -> None:
    store = Store()
    store.texts(["we met for lunch and spoke of Porto", "Porto is where Clara lives now", "lunch was late, then Porto"])
    assert store.find("porto")[0] == 2
