"""Which tool a written name means, where models write it in other ways than it is spelt."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_LONGEST_REPEATED = 1_000
# What chat templates and other hosts put around a name: functions.NAME, NAME<|channel|>..., `NAME()`.
_AROUND = re.compile(r"^[\s`\"'<]*(?:[\w-]+[./:])*([\w-]+)(?:\s*\(\s*\)|<\|.*)?[\s`\"'>]*$", re.S)
_AFFIXES = re.compile(r"^(?:tool|function|call)(?=[a-z])|(?:tool|function)$")


def names_meant(written: str, known: Collection[str]) -> list[str]:
    """Those of the *known* names that *written* can mean; one is certain, none and several are not.

    The first way of reading that gives any names decides: a name several times in a row, without what
    stands around it, in another case or with other separators, without "tool" before or after it.
    """
    if not written or len(written) > _LONGEST_REPEATED:
        return []
    return next((found for read in _WAYS if (found := list(dict.fromkeys(read(written, known))))), [])


def _repeated(written: str, known: Collection[str]) -> Iterator[str]:
    """Names of which *written* is several copies, as streams make it that send a name twice."""
    period = (written + written).index(written, 1)
    sizes = [size for size in range(period, len(written) // 2 + 1, period) if len(written) % size == 0]
    return (written[:size] for size in sizes if written[:size] in known)


def _bare(written: str, known: Collection[str]) -> Iterator[str]:
    return (name for name in (_inside(written),) if name in known)


def _otherwise_spelt(written: str, known: Collection[str]) -> Iterator[str]:
    return _folding_to(_folded(_inside(written)), known)


def _called_a_tool(written: str, known: Collection[str]) -> Iterator[str]:
    return _folding_to(_AFFIXES.sub("", _folded(_inside(written))), known)


def _folding_to(wanted: str, known: Collection[str]) -> Iterator[str]:
    return (name for name in known if wanted and _folded(name) == wanted)


def _inside(written: str) -> str:
    found = _AROUND.match(written)
    return found[1] if found else written


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


_WAYS = (_repeated, _bare, _otherwise_spelt, _called_a_tool)
