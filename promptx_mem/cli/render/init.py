"""init as text: one line."""

from typing import Any


def text(data: dict[str, Any]) -> str:
    kind = "shared through git" if data["shared"] else "private: git does not see it (--shared changes that)"
    return f"{'made' if data['created'] else 'kept'} {data['store']}, {kind}\n"
