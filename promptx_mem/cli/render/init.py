"""init as text: what there is now, and the command that comes next; with --agent the text for an agent, alone."""

from typing import Any


def text(data: dict[str, Any]) -> str:
    if data.get("agent"):
        return str(data["agent"])
    made = "made" if data["created"] else "kept"
    if data["shared"]:
        how = f"{data['store']} is shared from now on" if data["opened"] else f"{made} {data['store']}, shared"
        return (
            f"{how}; to hand it to git: git add {data['store']}\n"
            "on a machine that has a store of its own, do the same and commit, before git pull replaces it\n"
        )
    return f"{made} {data['store']}, private: git does not see it; to share it: promptx-mem init --shared\n"
