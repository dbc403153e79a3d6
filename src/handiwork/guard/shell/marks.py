"""Marks inside a text for the parts that are only known at run time, and for what is known of them.

A value travels as one `str`: known characters stand for themselves, one mark, a
private character that the shell takes for a letter, stands for an unknown stretch.
So a mark goes wherever the text goes: through quotes, variables, pipes and files.
"""

from __future__ import annotations

import re

UNKNOWN = "\ue000"  # anything
SECRET = "\ue001"  # something that should stay here: a key, a token
FETCHED = "\ue002"  # something that a stranger's server sent
REMOTE = "\ue003"  # something that a stranger types over an open connection
ENDLESS = "\ue004"  # something that never ends

_MARKS = re.compile("[\ue000-\ue004]")
_LABELS = (SECRET, FETCHED, REMOTE)


def is_known(text: str) -> bool:
    """Whether nothing of the text is left to run time."""
    return _MARKS.search(text) is None


def without_marks(text: str) -> str:
    """The known characters alone."""
    return _MARKS.sub("", text)


def shown(text: str) -> str:
    """The text for people: an unknown stretch is three dots."""
    return _MARKS.sub("...", text)


def veiled(*texts: str | None) -> str:
    """An unknown value that is made from *texts*: what is known of their origin stays known."""
    origin = "".join(t for t in texts if t)
    return UNKNOWN + "".join(label for label in _LABELS if label in origin)
