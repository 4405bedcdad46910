"""guard as text: the host's own form, nothing where the call passes."""

import json
from typing import Any


def text(data: dict[str, Any]) -> str:
    return json.dumps(data["answer"]) + "\n" if data["answer"] else ""
