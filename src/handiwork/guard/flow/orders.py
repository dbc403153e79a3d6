"""Text that tells its reader to do something with a value, rather than mentioning it."""

from __future__ import annotations

import re

from .passages import Passage

_MOST_BEFORE = 120
_VERBS = (
    "visit open go click browse navigate follow fetch load download call access request retrieve get use run execute"
    " delete remove erase send forward email mail post publish share transfer pay wire move copy update change set"
    " modify cancel add invite grant reply book reserve buy order schedule create write append upload submit install"
    " subscribe enable disable reset replace"
)
_ORDER = re.compile(
    r"(?:^|[.!?:;>*_-]\s*|\b(?:please|must|should|now|then|and|to|first|also)\s+)"
    rf"(?:{'|'.join(_VERBS.split())})\b(?:[^.!?]|[.](?! ))*$"
)


def is_ordered(value: str, passage: Passage) -> bool:
    """Whether *value* stands in a sentence of the passage that begins like an order. Both are folded."""
    text = passage.folded
    at = text.find(value)
    while at >= 0:
        if _ORDER.search(text[max(0, at - _MOST_BEFORE) : at]):
            return True
        at = text.find(value, at + 1)
    return False
