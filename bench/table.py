"""Rows, bars and verdicts, and the table that shows them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import asdict, dataclass
from typing import Literal

from harness import Book

Verdict = Literal["met", "MISSED", "no figure", ""]


@dataclass(frozen=True, slots=True)
class Row:
    """One line: our figure, the anchor's, and the figure that our bar is a ratio to.

    Keys are names in the book; `anchor` is empty where the anchor has no such thing. `bar` is the largest
    ratio of ours to `against` that counts as met; None shows a figure without judging it.
    """

    title: str
    unit: str
    ours: str
    anchor: str = ""
    against: str = ""
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A row with its figures. `ratio` is ours over `against`."""

    title: str
    unit: str
    ours: float | None
    anchor: float | None
    against: str
    reference: float | None
    ratio: float | None
    bar: float | None
    verdict: Verdict


HEADINGS = ("row", "unit", "ours", "anchor", "measured against", "ratio", "bar", "")


def judge(row: Row, book: Book) -> Line:
    """Put the medians into a row and say whether its bar is met."""
    ours, reference = book.median(row.ours), book.median(row.against)
    ratio = ours / reference if ours is not None and reference else None
    anchor = book.median(row.anchor)
    return Line(row.title, row.unit, ours, anchor, row.against, reference, ratio, row.bar, _verdict(ratio, row.bar))


def as_data(lines: Iterable[Line]) -> list[dict[str, object]]:
    """The lines as plain data, for a file."""
    return [asdict(line) for line in lines]


def render(lines: Sequence[Line]) -> str:
    """One aligned table."""
    return aligned([HEADINGS, *(_cells(line) for line in lines)], words={0, 1, 4, 7})


def aligned(rows: Sequence[Sequence[str]], *, words: Set[int]) -> str:
    """Rows of cells as text: the columns in `words` to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(_padded(row, widths, words) for row in rows)


def number(value: float | None) -> str:
    """A figure with about three digits that count; a dash where there is none."""
    if value is None:
        return "-"
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4
    return f"{value:.{decimals}f}"


def _verdict(ratio: float | None, bar: float | None) -> Verdict:
    if bar is None:
        return ""
    if ratio is None:
        return "no figure"
    return "met" if ratio <= bar else "MISSED"


def _cells(line: Line) -> tuple[str, ...]:
    bar = "" if line.bar is None else f"<= {number(line.bar)}"
    numbers = (number(line.ours), number(line.anchor), _reference(line), number(line.ratio), bar)
    return (line.title, line.unit, *numbers, line.verdict)


def _reference(line: Line) -> str:
    if not line.against:
        return ""
    side, _dot, key = line.against.partition(".")
    if side == "anchor":
        return "anchor"
    return f"{key.rpartition('_')[0]} {number(line.reference)}"


def _padded(row: Sequence[str], widths: Sequence[int], words: Set[int]) -> str:
    sized = enumerate(zip(row, widths, strict=True))
    return "  ".join(cell.ljust(w) if i in words else cell.rjust(w) for i, (cell, w) in sized).rstrip()
