"""Server-sent events: lines in, the data of each event out."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator

DONE = "[DONE]"


async def read_events(lines: AsyncIterable[str]) -> AsyncIterator[str]:
    """The `data` of each event. Comments and other fields are left out; a last event needs no empty line.

    Gateways put events of their own in between, with a name: what is no JSON in them is not for us.
    """
    data: list[str] = []
    name = ""
    async for line in lines:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line.startswith("event:"):
            name = line[6:].strip()
        elif not line:
            if data and _is_ours(name, data[0]):
                yield "\n".join(data)
            data, name = [], ""
    if data and _is_ours(name, data[0]):
        yield "\n".join(data)


def _is_ours(name: str, data: str) -> bool:
    return name in ("", "message", "error") or data.lstrip().startswith(("{", DONE))
