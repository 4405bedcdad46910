"""A scripted judge for the simulated half year: it reads a prompt on stdin and prints an answer by fixed rules."""

import json
import re
import sys
import zlib

LASTING = ("名字", "生日", "过敏", "promised", "约定", "always", "一直")


def main() -> None:
    prompt = sys.stdin.read()
    if "put aside" in prompt:
        print(summary(prompt))
    elif "may be core" in prompt:
        subject = prompt.partition("The memory:\n")[2].partition("\n")[0]
        print("[PROMOTE]" if any(word in subject for word in LASTING) else "[KEEP]")
    elif "has faded" in prompt:
        subject = prompt.partition("The memory:\n")[2].partition("\n")[0]
        if "Round 1" in prompt and zlib.crc32(subject.encode()) % 5 == 0:
            print("[SEARCH:plan 计划]")
        else:
            print("[KEEP]" if zlib.crc32(subject.encode()) % 3 == 0 else "[DELETE]")
    else:
        print("[SKIP]")


def summary(prompt: str) -> str:
    topic = re.search(r'user \([^)]*\): "(?:聊聊|about) ([^" ，]+)', prompt)
    name = topic[1] if topic else "everyday"
    fields = {"summary": f"聊了{name}", "topic": f"talk->{name}", "related": [f"life->{name}"], "activation": 0.6}
    return json.dumps(fields, ensure_ascii=False)


main()
