"""Text that doesn't show what it is: characters that a terminal hides, and letters that pass for others."""

from __future__ import annotations

import re
import unicodedata

from .effects import Effect

_PLAIN = re.compile(r"[\n\t\x20-\x7e]*\Z")
_SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07|\x1b.|\x9b[0-9;?]*[A-Za-z]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb\ue000-\ue0ff\U000e0000-\U000e007f]"
)
_BLANKS = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u2028\u2029]")
_FOREIGN = re.compile("[\u0131\u0261\u0370-\u052f\uff01-\uff5e\u2215\u2044\u29f8\u1d00-\u1dbf\U0001d400-\U0001d7ff]")
_LONG_DASH = re.compile("(?<!\\S)[\u2010-\u2015\u2212]{1,2}(?=[A-Za-z])")
# Cyrillic and Greek letters, and slashes, that look like plain ones: the look-alike, then what it passes for.
_PAIRS = (
    "\u0430a \u0441c \u0501d \u0435e \u04bbh \u0456i \u0458j \u043eo \u0440p \u051bq \u0455s \u051dw"
    " \u0445x \u0443y \u0432b \u043ak \u043cm \u0442t \u043dn \u0433r \u0437z \u0131i \u0261g"
    " \u04cfl \u0410A \u0412B \u0421C \u0415E \u041dH \u0406I \u0408J \u041aK \u041cM \u041eO \u0420P"
    " \u0405S \u0422T \u0425X \u03bfo"
    " \u03b9i \u03bak \u03bdv \u03c1p \u03c4t \u03c5u \u03c7x \u03b1a \u2215/ \u2044/ \u29f8/"
)
LOOK_ALIKES = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}


def undisguised(text: str) -> tuple[str, list[Effect]]:
    """The text as it is read by a shell that isn't fooled, and what speaks of a disguise."""
    if _PLAIN.match(text):
        return text, []
    text = text.replace("\r\n", "\n")
    clean = _HIDDEN.sub("", _SEQUENCE.sub("", text))
    found = [Effect("hidden", "", why="it holds characters that a terminal doesn't show")] if clean != text else []
    latin = _latin(clean)
    if latin != clean:
        found.append(Effect("hidden", "", why="it is written with letters that pass for others"))
    return latin, found


def _latin(text: str) -> str:
    """The text with its look-alikes in plain letters, where they stand among plain ones."""
    text = _BLANKS.sub(" ", _LONG_DASH.sub("-", text))
    return re.sub(r"[^\s'\"]+", lambda m: _plain_word(m[0]), text) if _FOREIGN.search(text) else text


def _plain_word(word: str) -> str:
    """A whole word of another alphabet is that; only a mixed or a widened one is a disguise."""
    widened = unicodedata.normalize("NFKC", word)
    mixed = re.search(r"[A-Za-z]", widened) or "/" in word
    plain = widened.translate(LOOK_ALIKES) if mixed else widened
    return plain if plain.isascii() else word
