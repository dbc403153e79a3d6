"""A server without an SDK that asks back whatever it is told to: `asking_peer.py legacy|modern`.

Its tool `ask` passes a request on to the client, in the way of its era, and answers with what the client said.
"""

from __future__ import annotations

import json
import sys
from typing import Any

ERA = sys.argv[1] if len(sys.argv) > 1 else "legacy"
MODERN = "2026-07-28"
ANY = {"type": "object"}
PAGE = {"mode": "url", "elicitationId": "e1", "url": "https://pay.example.com/x", "message": "Pay"}
TOOLS = [
    {"name": "ask", "description": "Ask the client.", "inputSchema": ANY},
    {"name": "declared", "description": "What the client can do.", "inputSchema": ANY},
    {"name": "pay", "description": "Needs a page to be opened first.", "inputSchema": ANY},
    {"name": "shout", "description": "Say something beside the answer.", "inputSchema": ANY},
    {"name": "touch", "description": "Change a note.", "inputSchema": ANY},
]
CAPABILITIES = {
    "tools": {},
    "resources": {"subscribe": True},
    "prompts": {},
    "completions": {},
    "logging": {},
}
NOTE = "note://a"
PROMPT = {
    "name": "greet",
    "description": "Greets.",
    "arguments": [{"name": "who", "description": "Whom", "required": True}],
}
told: dict[str, Any] = {"capabilities": {}, "asked": 0, "paid": 0, "watched": []}


def send(message: dict[str, Any]) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def text(value: Any) -> dict[str, Any]:
    said = value if isinstance(value, str) else json.dumps(value)
    return {"resultType": "complete", "content": [{"type": "text", "text": said}]}


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message: dict[str, Any] = json.loads(line)
    return message


def ask_now(request: dict[str, Any]) -> Any:
    """The old way: a request of ours while the client waits for its own."""
    told["asked"] += 1
    ours = f"q{told['asked']}"
    send({"id": ours, **request})
    while True:
        message = read()
        if message.get("id") == ours and "method" not in message:
            return message.get("result", {"error": message.get("error")})
        handle(message)


def call(params: dict[str, Any]) -> dict[str, Any]:
    name, args = params["name"], params.get("arguments") or {}
    if name == "declared":
        meta = params.get("_meta") or {}
        return text(meta.get("io.modelcontextprotocol/clientCapabilities", told["capabilities"]))
    if name == "ask" and ERA == "legacy":
        return text(ask_now(args))
    if name == "ask":
        answers = params.get("inputResponses")
        if answers and not args.get("again"):
            return text(answers["q"])
        return {"resultType": "input_required", "inputRequests": {"q": args}, "requestState": "s"}
    if name == "pay":
        told["paid"] += 1
        if told["paid"] % 2:
            raise ValueError
        return text("paid")
    if name == "shout":
        send({"method": "notifications/message", "params": {"level": "warning", "data": "the disk is nearly full"}})
        return text("said")
    for uri in told["watched"]:
        send({"method": "notifications/resources/updated", "params": {"uri": uri}})
    return text("touched")


def initialize(params: dict[str, Any]) -> dict[str, Any]:
    told["capabilities"] = params["capabilities"]
    about = {"name": "asking", "version": "1"}
    return {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES, "serverInfo": about}


def list_resources(params: dict[str, Any]) -> dict[str, Any]:
    if params.get("cursor"):
        return {"resources": [{"uri": "note://b", "name": "b", "mimeType": "image/png"}], **SHORT}
    return {"resources": [{"uri": NOTE, "name": "a", "description": "A note"}], "nextCursor": "2", **SHORT}


def read_resource(params: dict[str, Any]) -> dict[str, Any]:
    body = {"blob": "iVBORw0KGgo=", "mimeType": "image/png"} if params["uri"] == "note://b" else {"text": "hi"}
    return {"contents": [{"uri": params["uri"], **body}], **SHORT}


def subscribe(params: dict[str, Any]) -> dict[str, Any]:
    told["watched"].append(params["uri"])
    return {}


def get_prompt(params: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "text", "text": f"Say hello to {params['arguments']['who']}."}
    return {"messages": [{"role": "user", "content": said}]}


SHORT = {"ttlMs": 0, "cacheScope": "private"}
ANSWERS: dict[str, Any] = {
    "tools/list": lambda _: {"tools": TOOLS, **SHORT},
    "tools/call": call,
    "resources/list": list_resources,
    "resources/read": read_resource,
    "prompts/list": lambda _: {"prompts": [PROMPT], **SHORT},
    "prompts/get": get_prompt,
    "completion/complete": lambda _: {"completion": {"values": ["Ada", "Alan"], "hasMore": False}},
}
TEMPLATES = {"resourceTemplates": [{"uriTemplate": "note://{id}", "name": "notes"}], **SHORT}
if ERA == "legacy":
    ANSWERS |= {"initialize": initialize, "resources/subscribe": subscribe, "ping": lambda _: {}}
else:
    discovered = {"supportedVersions": [MODERN], "capabilities": CAPABILITIES, **SHORT}
    ANSWERS |= {"server/discover": lambda _: discovered, "resources/templates/list": lambda _: TEMPLATES}


def handle(message: dict[str, Any]) -> None:
    if "id" not in message or "method" not in message:
        return
    try:
        result = ANSWERS[message["method"]](message.get("params") or {})
    except KeyError:
        send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
    except ValueError:
        error = {"code": -32042, "message": "a page must be opened first", "data": {"elicitations": [PAGE]}}
        send({"id": message["id"], "error": error})
    else:
        modern = {"resultType": "complete"} if ERA == "modern" else {}
        send({"id": message["id"], "result": {**modern, **result}})


if __name__ == "__main__":
    while True:
        handle(read())
