"""Everything that is stored about one call: what was asked, who allowed it, what it did, what came back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..backends.storage.kept import read_kept
from ..core.errors import UnknownNameError
from ..core.types import Entry


@dataclass(frozen=True, slots=True)
class CallStory:
    """The entries about a call. `asked` is the call as the model wrote it; None where that was lost."""

    id: str
    asked: dict[str, Any] | None
    entries: Sequence[Entry]

    @property
    def name(self) -> str:
        """The tool's name."""
        return str(self.asked["function"]["name"]) if self.asked else "?"

    @property
    def arguments(self) -> str:
        """The arguments as the model wrote them."""
        return str(self.asked["function"]["arguments"]) if self.asked else ""

    def last(self, *kinds: str) -> Entry | None:
        """The latest entry of one of these kinds."""
        return next((e for e in reversed(self.entries) if e.kind in kinds), None)

    def result(self) -> tuple[str, str]:
        """The complete result, and what is wrong with it where it isn't complete."""
        ended = self.last("result", "mended")
        if ended is None:
            return "", "it has no result yet"
        body = ended.body
        shown = body.get("content", body["message"]["content"])
        if "whole" not in body:
            return str(shown), ""
        text, state = read_kept(body["whole"])
        return (text, "") if state == "whole" else (str(shown), f"the file that held the whole of it is {state}")


def story_of(entries: Sequence[Entry], call: str) -> CallStory:
    """The story of the call of that id. Raises `UnknownNameError`."""
    asked = {c["id"]: c for e in entries if e.kind == "reply" for c in e.body["message"].get("tool_calls") or ()}
    about = [e for e in entries if e.call == call]
    if call not in asked and not about:
        raise UnknownNameError("call", call, asked, "see `handiwork sessions show`")
    return CallStory(call, asked.get(call), about)
