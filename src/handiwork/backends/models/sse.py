"""Server-sent events: lines in, the data of each event out."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator

DONE = "[DONE]"


async def read_events(lines: AsyncIterable[str]) -> AsyncIterator[str]:
    """The `data` of each event. Comments and other fields are left out; a last event needs no empty line."""
    data: list[str] = []
    async for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []
    if data:
        yield "\n".join(data)
