"""A person types the commands of these tests, unless a test says otherwise."""

import pytest


@pytest.fixture(autouse=True)
def _person(person: None) -> None:
    """Purge, verify and trust as a person does."""
