"""The table of hook points in the documentation is the one that the code reads.

To write it anew: `python tests/docs/test_hook_table.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from handiwork.pipeline.hook_points import POINTS

PAGE = Path(__file__).parents[2] / "docs" / "hooks.md"
_PLACE = re.compile(r"(?<=<!-- points: made from the code -->\n).*?(?=<!-- /points -->)", re.S)


def table() -> str:
    lines = ["| hook | when | keywords | may answer |", "|---|---|---|---|"]
    for name, point in POINTS.items():
        answers = ", ".join(point.answers) or "nothing: it observes"
        guards = "; guards" if point.guards else ""
        keywords = ", ".join(f"`{word}`" for word in point.keywords)
        lines.append(f"| `{name}` | {point.when} | {keywords} | {answers}{guards} |")
    return "\n".join(lines) + "\n"


def test_the_page_shows_every_point():
    found = _PLACE.search(PAGE.read_text())
    assert found and found[0] == table()


if __name__ == "__main__":
    PAGE.write_text(_PLACE.sub(lambda _: table(), PAGE.read_text()))
