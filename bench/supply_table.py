"""What the rows of bench/supply.py say together, and the part of docs/supply.md that they write."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
HEADINGS = (
    "model", "supplied", "questions", "right tool", "95 %", "right arguments", "95 %",
    "prompt tokens", "seconds", "first",
)  # fmt: skip
_PART = re.compile(r"(<!-- measured -->\n).*?(<!-- end of measured -->)", re.DOTALL)
_Z = 1.959964


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, z2 = hits / count, _Z * _Z
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = _Z * math.sqrt(share * (1 - share) / count + z2 / (4 * count * count)) / (1 + z2 / count)
    return max(0.0, middle - half), min(1.0, middle + half)


def cells(model: str, title: str, rows: Sequence[Row]) -> tuple[str, ...]:
    """One line: shares with their intervals, medians, and the seconds of the first question."""
    count = len(rows)
    shares = []
    for key in ("right_tool", "right_arguments"):
        hits = sum(row[key] for row in rows)
        low, high = wilson(hits, count)
        shares += [f"{hits} ({hits / count:.0%})", f"{low:.0%} to {high:.0%}"]
    tokens = statistics.median(row["prompt_tokens"] for row in rows)
    seconds = statistics.median(row["seconds"] for row in rows)
    return (model, title, str(count), *shares, f"{tokens:,.0f}", f"{seconds:.1f}", f"{rows[0]['seconds']:.1f}")


def pairs(model: str, title: str, fewer: Sequence[Row], everything: Sequence[Row]) -> str:
    """How often one side alone chose the right tool, and how likely that is by chance (exact sign test)."""
    whole = {row["question"]: row["right_tool"] for row in everything}
    both = [(row["right_tool"], whole[row["question"]]) for row in fewer if row["question"] in whole]
    gained, lost = both.count((True, False)), both.count((False, True))
    chance = sign_test(gained, lost)
    return f"{model}: {title} instead of all put {gained} right and {lost} wrong (p = {chance:.2f})."


def sign_test(gained: int, lost: int) -> float:
    """Two-sided chance of a split at least this uneven."""
    count = gained + lost
    tail = sum(math.comb(count, k) for k in range(min(gained, lost) + 1)) / 2**count
    return min(1.0, 2 * tail)


def markdown(table: Sequence[Sequence[str]], notes: Sequence[str]) -> str:
    """A table, and a list of sentences."""
    lines = [HEADINGS, ("---", "---", *["--:"] * (len(HEADINGS) - 2)), *table]
    return "\n".join(["| " + " | ".join(line) + " |" for line in lines] + ["", *[f"- {note}" for note in notes]])


def write_into(page: Path, text: str) -> None:
    """Put *text* between the marks of *page*. Raises ValueError where it has none."""
    before = page.read_text(encoding="utf-8")
    if not _PART.search(before):
        raise ValueError(f"{page.name} has no <!-- measured --> part")
    page.write_text(_PART.sub(lambda m: f"{m[1]}\n{text}\n\n{m[2]}", before), encoding="utf-8")
