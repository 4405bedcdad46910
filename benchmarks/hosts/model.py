"""A scripted model: it sends steps to a host's program on 127.0.0.1, and records every request."""

import http.server
import json
import threading
from typing import Any, Self

Json = dict[str, Any]

SIDE = {"reasoning": "x", "next_speaker": "user", "complexity_reasoning": "x", "complexity_score": 1}
SIDE_TOOLS = 3
"""Requests with at most so many tools are the host's own, such as for a title: they use no step."""


class Model:
    """A step is `{"tool": NAME, "input": {…}}` or `{"text": TEXT}`; the last is repeated."""

    def __init__(self, steps: list[Json]) -> None:
        self.steps, self.requests = steps, list[list[Any]]()
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None: ...

            def do_HEAD(self) -> None:
                self._send(b"")

            def do_GET(self) -> None:
                self._send(b'{"models": [], "data": []}')

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
                self._send(*model.answer(self.path, body))

            def _send(self, data: bytes, kind: str = "application/json") -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str, body: Json) -> tuple[bytes, str]:
        if "count" in path.lower():
            return b'{"input_tokens": 10, "totalTokens": 10}', "application/json"
        if "enerateContent" in path:
            answer = json.dumps(self._gemini(body)).encode()
            if "stream" in path:
                return b"data: %s\r\n\r\n" % answer, "text/event-stream"
            return answer, "application/json"
        if path.startswith("/v1/messages"):
            events = self._claude(body)
        elif path.startswith("/v1/responses"):
            events = self._codex(body)
        else:
            return b"{}", "application/json"
        lines = (f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
        return "".join(lines).encode(), "text/event-stream"

    def _step(self, tools: int, messages: list[Any]) -> tuple[Json, int]:
        if tools <= SIDE_TOOLS:
            return {"text": json.dumps(SIDE)}, 0
        with self._lock:
            self.requests.append(messages)
            number = len(self.requests)
        return self.steps[min(number, len(self.steps)) - 1], number

    def _claude(self, body: Json) -> list[Json]:
        step, number = self._step(len(body.get("tools") or []), body["messages"])
        part: Json = {"type": "text", "text": ""}
        delta: Json = {"type": "text_delta", "text": step.get("text")}
        if "tool" in step:
            part = {"type": "tool_use", "id": f"toolu_{number}", "name": step["tool"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(step["input"])}
        message: Json = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": []}
        message |= {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 9}}
        end = {"stop_reason": "tool_use" if "tool" in step else "end_turn", "stop_sequence": None}
        return [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": part},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": end, "usage": {"output_tokens": 9}},
            {"type": "message_stop"},
        ]

    def _codex(self, body: Json) -> list[Json]:
        step, number = self._step(SIDE_TOOLS + 1, body["input"])
        item: Json = {"status": "completed", "call_id": f"call_{number}"}
        if "text" in step:
            text = {"type": "output_text", "text": step["text"], "annotations": []}
            item = {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": [text]}
        else:
            item |= {"type": "function_call", "name": step["tool"], "arguments": json.dumps(step["input"])}
            item |= {"namespace": step["space"]} if "space" in step else {}
        usage = {"input_tokens": 9, "output_tokens": 9, "total_tokens": 18}
        answer = {"id": f"resp_{number}", "status": "completed", "output": [item], "usage": usage}
        return [
            {"type": "response.created", "response": {**answer, "status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": answer},
        ]

    def _gemini(self, body: Json) -> Json:
        tools = sum(len(tool.get("functionDeclarations", [])) for tool in body.get("tools") or [])
        step, _ = self._step(tools, body.get("contents") or [])
        call = {"functionCall": {"name": step.get("tool"), "args": step.get("input")}}
        content = {"role": "model", "parts": [call if "tool" in step else {"text": step["text"]}]}
        usage = {"promptTokenCount": 9, "candidatesTokenCount": 9, "totalTokenCount": 18}
        return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
