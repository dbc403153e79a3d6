"""What a text says to a reader who decodes: codes that a model reads as easily as plain words."""

from __future__ import annotations

import binascii
import codecs
import html
import re
from base64 import b32decode, b64decode
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_MOST_BLOBS = 50
_SHORTEST = 8
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{8,4000}={0,2}(?![A-Za-z0-9+/=])")
_BASE32 = re.compile(r"\b[A-Z2-7]{16,4000}={0,6}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:\\x|0x)?(?:[0-9a-fA-F]{2}(?:[ :]|\\x)?){6,4000}")
_CODES = re.compile(r"\b\d{2,3}(?:[ ,]+\d{2,3}){5,400}\b")
_SPACED = re.compile(r"(?<!\S)(?:\S[ \-_*|]){4,200}\S(?!\S)")
_AT = re.compile(r"\s{0,3}[(\[{<]?\s{0,3}\b(?:at|arroba)\b\s{0,3}[)\]}>]?\s{0,3}", re.IGNORECASE)
_DOT = re.compile(r"\s{0,3}[(\[{<]?\s{0,3}\b(?:dot|punto|point|punkt)\b\s{0,3}[)\]}>]?\s{0,3}", re.IGNORECASE)
_BRACKETS = re.compile(r"[\[({]\s{0,3}([.@:/])\s{0,3}[\])}]")
_ADDRESS = re.compile(r"\w@\w|://|\w\.[A-Za-z]{2,4}\b|\d{8}")
_GLUE = re.compile(r"[\"'`]\s{0,9}(?:[+.&,]\s{0,9})?[\"'`]")


def readings_of(text: str) -> list[str]:
    """The readings of *text* that differ from its face; each could give an address that the face doesn't show."""
    whole = (html.unescape(unquote(text)), _spelled_out(text), _BRACKETS.sub(r"\1", text), _GLUE.sub("", text))
    turned = (text[::-1], codecs.decode(text, "rot13"), text.replace("hxxp", "http"))
    found = [reading for reading in (*whole, *turned) if _ADDRESS.search(reading)]
    found += [m[0][::2] for m in _SPACED.finditer(text)]
    found += _blobs(text)
    return [reading for reading in dict.fromkeys(found) if reading != text]


def _spelled_out(text: str) -> str:
    """`mark dot black at example dot com` with the signs in place of their names."""
    return _DOT.sub(".", _AT.sub("@", text))


def _blobs(text: str) -> Iterator[str]:
    for pattern, decode in _DECODERS:
        for number, match in enumerate(pattern.finditer(text)):
            if number >= _MOST_BLOBS:
                break
            if plain := _decoded(decode, match[0]):
                yield plain


def _decoded(decode: Callable[[str], bytes], blob: str) -> str:
    """What a blob decodes to, where that is text."""
    try:
        plain = decode(blob).decode()
    except (ValueError, binascii.Error):
        return ""
    return plain if len(plain) >= _SHORTEST // 2 and plain.isprintable() else ""


def _from_base64(blob: str) -> bytes:
    plain = blob.rstrip("=").replace("-", "+").replace("_", "/")
    return b64decode(plain + "=" * (-len(plain) % 4))


def _from_base32(blob: str) -> bytes:
    plain = blob.rstrip("=")
    return b32decode(plain + "=" * (-len(plain) % 8))


def _from_hex(blob: str) -> bytes:
    return bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", blob.replace("0x", "").replace("\\x", "")))


def _from_codes(blob: str) -> bytes:
    return bytes(int(code) for code in re.findall(r"\d+", blob))


_DECODERS: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
    (_BASE64, _from_base64),
    (_BASE32, _from_base32),
    (_HEX, _from_hex),
    (_CODES, _from_codes),
)
