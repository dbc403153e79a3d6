"""The agent's list of things to do, kept by the session and bound to the `todo` tool."""

from __future__ import annotations

from typing import Any

from ..core.types import Args


class Todos:
    """Items with an id, a text and a state. A call replaces or merges them, and always shows the list."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []

    def __call__(self, args: Args, /, **_: Any) -> dict[str, Any]:
        given = args.get("todos")
        if given is not None:
            self.items = self._merged(given) if args.get("merge") else [dict(item) for item in given]
        done = sum(item.get("status") == "completed" for item in self.items)
        return {"todos": self.items, "done": done, "total": len(self.items)}

    def open_ones(self) -> str:
        """What is still to be done, one line; empty where there is nothing."""
        return "; ".join(
            f"[{i.get('status')}] {i.get('content')}" for i in self.items if i.get("status") != "completed"
        )

    def _merged(self, given: list[dict[str, Any]]) -> list[dict[str, Any]]:
        by_id = {item["id"]: item for item in self.items}
        for item in given:
            by_id[item["id"]] = {**by_id.get(item["id"], {}), **item}
        return list(by_id.values())
