"""What a person is shown of a change before it is made, and that nothing else is then written."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from ....core.errors import UsageError
from ....core.types import PlannedFile
from ..text import decode_if_text


def planned_file(path: str, real: str, before: bytes | None, after: bytes | None) -> PlannedFile:
    """The change of one file from *before* to *after*; None stands for no file."""
    return PlannedFile(path, real, _text(before), _text(after), digest_of(before), digest_of(after))


def digest_of(data: bytes | None) -> str:
    """What tells one content from all others."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def _text(data: bytes | None) -> str | None:
    found = decode_if_text(data) if data is not None else None
    return found.text if found else None


def refuse_other(planned: Collection[PlannedFile], now: Collection[PlannedFile]) -> None:
    """Raise `UsageError` where *now* isn't what was *planned*, naming a file that makes the difference."""
    asked, there = (set(map(_key, files)) for files in (planned, now))
    if asked == there:
        return
    other = next((f for f in (*now, *planned) if (_key(f) in asked) != (_key(f) in there)), None)
    name = other.path if other else "a file"
    raise UsageError(
        f"{name} was changed between the question and the write, which would no longer be what was approved; "
        "nothing is written",
        "read it again, and ask for the change anew",
    )


def _key(file: PlannedFile) -> tuple[str, str, str]:
    return file.real, file.before, file.after
