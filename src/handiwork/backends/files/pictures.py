"""The size of a picture, read from its first bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture's format, and its width and height in pixels (0 where the header doesn't say)."""

    format: str
    width: int
    height: int


def picture_of(head: bytes) -> Picture | None:
    """The picture whose file begins with *head* (64 KiB are enough for most), None for anything else."""
    if b"\0" not in head:  # a text that begins with BM, say
        return None
    for magic, measure in _READERS.items():
        if head.startswith(magic):
            try:
                return measure(head)
            except struct.error:
                return None
    return None


def _png(head: bytes) -> Picture:
    return Picture("PNG", *struct.unpack_from(">II", head, 16))


def _gif(head: bytes) -> Picture:
    return Picture("GIF", *struct.unpack_from("<HH", head, 6))


def _bmp(head: bytes) -> Picture:
    width, height = struct.unpack_from("<ii", head, 18)
    return Picture("BMP", width, abs(height))


def _webp(head: bytes) -> Picture | None:
    kind = head[12:16]
    if head[8:12] != b"WEBP":
        return None
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") + 1 for at in (24, 27))
        return Picture("WebP", width, height)
    if kind == b"VP8L":
        bits = int(struct.unpack_from("<I", head, 21)[0])
        return Picture("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
    width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", head, 26))
    return Picture("WebP", width, height)


def _jpeg(head: bytes) -> Picture:
    """Segments follow each other up to the one that says how large the picture is."""
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", head, at + 5)
            return Picture("JPEG", width, height)
        at += 1 if marker == 0xFF else 2 + int(struct.unpack_from(">H", head, at + 2)[0])
    return Picture("JPEG", 0, 0)


_READERS = {b"\x89PNG\r\n\x1a\n": _png, b"GIF8": _gif, b"BM": _bmp, b"RIFF": _webp, b"\xff\xd8\xff": _jpeg}
