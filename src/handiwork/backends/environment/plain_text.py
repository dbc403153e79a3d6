"""Terminal output as plain text: no colours, no redrawn progress bars."""

from __future__ import annotations

import re

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor moves
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]"  # the short ones
)
_OTHER_CONTROLS = re.compile(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def plain_text(raw: bytes) -> str:
    """Text of *raw* as a person would see it on a screen, lines ending in a newline.

    Bytes that are no UTF-8, and zeros, are shown as `\\xff`.
    """
    text = raw.decode("utf-8", "backslashreplace").replace("\r\n", "\n").replace("\0", "\\x00")
    if "\x1b" in text:
        text = _ESCAPES.sub("", text)
    if "\b" in text:
        text = _rubbed_out(text)
    if "\r" in text:
        text = "\n".join(map(_last_drawn, text.split("\n")))
    return _OTHER_CONTROLS.sub("", text)


def _last_drawn(line: str) -> str:
    """What a line that was drawn several times over itself shows in the end."""
    return next((part for part in reversed(line.split("\r")) if part), "")


def _rubbed_out(text: str) -> str:
    kept: list[str] = []
    for char in text:
        if char != "\b":
            kept.append(char)
        elif kept and kept[-1] != "\n":
            kept.pop()
    return "".join(kept)
