"""The body of a reply, read up to a limit, unpacked as it comes: a bomb is found while it is still small."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable

from ...core.errors import FetchError

UNPACKS = "gzip, deflate"
_WBITS_ANY, _WBITS_RAW = 47, -15


async def read_body(parts: AsyncIterable[bytes], packed: str, most: int) -> bytes:
    """The whole body, at most *most* bytes as sent and as unpacked. Raises `FetchError`.

    *packed* is the reply's Content-Encoding.
    """
    unpacker = _unpacker(packed, most)
    sent, body = 0, bytearray()
    async for part in parts:
        sent += len(part)
        body += unpacker.feed(part, most - len(body)) if unpacker else part
        if max(sent, len(body)) > most:
            raise too_much(most)
    if unpacker and sent and not unpacker.whole:
        raise FetchError("the packed body breaks off", "try again")
    return bytes(body)


def too_much(most: int) -> FetchError:
    """The body is more than *most* bytes."""
    return FetchError(f"the body is more than {most:,} bytes", "ask for less, or raise the limit")


def _unpacker(packed: str, most: int) -> _Unpacker | None:
    match packed.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip" | "deflate":
            return _Unpacker(most)
    raise FetchError(f"the body is packed as {packed!r}, which was not asked for", f"only {UNPACKS} are unpacked")


class _Unpacker:
    """gzip, in one member or several, and deflate, with its header or without."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._stream, self._begun = zlib.decompressobj(_WBITS_ANY), False

    @property
    def whole(self) -> bool:
        """Whether the packed stream has come to its end."""
        return self._stream.eof

    def feed(self, data: bytes, room: int) -> bytes:
        """What *data* unpacks to, at most a byte more than there is *room* for. Raises `FetchError`."""
        out = bytearray()
        while data and len(out) <= room:
            if self._stream.eof:
                if not data.strip(b"\0"):  # padding
                    break
                self._stream = zlib.decompressobj(_WBITS_ANY)
            out += self._unpack(data, room + 1 - len(out))
            data = self._stream.unused_data or self._stream.unconsumed_tail
        return bytes(out)

    def _unpack(self, data: bytes, most: int) -> bytes:
        try:
            out = self._stream.decompress(data, most)
        except zlib.error as error:
            if self._begun:
                raise FetchError(f"the packed body is damaged: {error}", "try again") from error
            self._stream, self._begun = zlib.decompressobj(_WBITS_RAW), True
            return self._unpack(data, most)
        self._begun = True
        return out
