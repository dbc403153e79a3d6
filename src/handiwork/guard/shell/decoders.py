"""What decoding programs print: base64, hexadecimal, and their kin."""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Callable
from typing import Final

from .marks import is_known

_HEX = re.compile(r"[^0-9a-fA-F]")
MOST_DECODED = 50_000


def _decoded(decode: Callable[[str], bytes], fed: str | None) -> str | None:
    """The text that comes out; what can't be decoded gives nothing that is known."""
    if fed is None or not is_known(fed):
        return fed
    try:
        raw = decode(fed)
    except (binascii.Error, ValueError, zlib.error):
        return None
    text = raw.decode("utf-8", "surrogateescape")[:MOST_DECODED]
    return text if is_known(text) else None


def from_base64(text: str) -> bytes:
    """The bytes of base64 text, whether or not its padding is there."""
    return base64.b64decode(re.sub(r"[^A-Za-z0-9+/]", "", text.replace("-", "+").replace("_", "/")) + "==")


def _asks(args: list[str], letter: str, long: str) -> bool:
    return any(a.lower() == long or (a[:1] == "-" and a[:2] != "--" and letter in a.lower()) for a in args) or any(
        len(a) > 3 and long.startswith(a) for a in args
    )


def _base64(args: list[str], fed: str | None) -> str | None:
    if _asks(args, "d", "--decode"):
        return _decoded(from_base64, fed)
    return base64.b64encode(fed.encode("utf-8", "surrogateescape")).decode() + "\n" if fed and is_known(fed) else fed


def _base32(args: list[str], fed: str | None) -> str | None:
    return (
        _decoded(lambda text: base64.b32decode(re.sub(r"\s", "", text)), fed) if _asks(args, "d", "--decode") else None
    )


def _openssl(args: list[str], fed: str | None) -> str | None:
    encoded = {"base64", "-base64", "-a", "-A"} & set(args)
    return _decoded(from_base64, fed) if encoded and "-d" in args and not _names_cipher(args) else None


def _names_cipher(args: list[str]) -> bool:
    return any(re.match(r"-(?:aes|des|rc4|camellia|chacha)", a) for a in args)


def _xxd(args: list[str], fed: str | None) -> str | None:
    if any(a.startswith("-") and "r" in a for a in args):
        return _decoded(lambda text: bytes.fromhex(_HEX.sub("", text)), fed)
    return fed.encode("utf-8", "surrogateescape").hex() + "\n" if fed and is_known(fed) and "-p" in args else fed


def _basenc(args: list[str], fed: str | None) -> str | None:
    if "--base16" in args:
        return _decoded(lambda text: base64.b16decode(re.sub(r"\s", "", text), casefold=True), fed)
    return _base32(args, fed) if "--base32" in args else _base64(args, fed)


def _unpack(_args: list[str], fed: str | None) -> str | None:
    """`gunzip` of what `base64 -d` gave; a bomb is cut off."""
    return _decoded(lambda text: _inflated(text.encode("utf-8", "surrogateescape")), fed)


def _inflated(packed: bytes) -> bytes:
    if packed[:2] != b"\x1f\x8b":
        raise ValueError("not packed")
    return zlib.decompressobj(16 + zlib.MAX_WBITS).decompress(packed, MOST_DECODED)


DECODERS: Final[dict[str, Callable[[list[str], str | None], str | None]]] = {
    **dict.fromkeys(("gunzip", "gzip", "zcat"), _unpack),
    "base32": _base32,
    "base64": _base64,
    "basenc": _basenc,
    "gbase64": _base64,
    "openssl": _openssl,
    "xxd": _xxd,
}
