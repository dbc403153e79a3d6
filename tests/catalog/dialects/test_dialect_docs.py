"""The page on schemas says what the table says."""

from __future__ import annotations

from pathlib import Path

from handiwork.catalog.dialects import DIALECTS
from handiwork.catalog.dialects.keywords import KNOWN

PAGE = Path(__file__).parents[3] / "docs" / "schemas.md"


def rows() -> list[str]:
    """One row a keyword, one column a dialect."""
    words = sorted({"allOf", *KNOWN, *(k for d in DIALECTS.values() for k in d.keywords)} - {"$defs", "example"})
    cells = [[f"`{word}`", *("yes" if word in d.keywords else "" for d in DIALECTS.values())] for word in words]
    lines = [["", *(f"`{name}`" for name in DIALECTS)], ["---"] * (len(DIALECTS) + 1), *cells]
    return ["| " + " | ".join(line).strip() + " |" for line in lines]


def test_the_page_has_the_table() -> None:
    table = "\n".join(rows())
    assert table in PAGE.read_text("utf-8"), f"put this into docs/schemas.md:\n{table}"
