"""The table of checkpoints in the documentation is the one that the code asks.

To write it anew: `python tests/docs/test_checkpoint_table.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

from handiwork.catalog.checkpoints import CHECKPOINTS

PAGE = Path(__file__).parents[2] / "docs" / "troubleshooting.md"
_PLACE = re.compile(r"(?<=<!-- checkpoints: made from the code -->\n).*?(?=<!-- /checkpoints -->)", re.S)


def table() -> str:
    lines = ["| checkpoint | the question | answered by | a no is mended by |", "|---|---|---|---|"]
    lines += [f"| {c.name} | {c.question} | {c.how} | {c.mend} |" for c in CHECKPOINTS]
    return "\n".join(lines) + "\n"


def test_the_page_shows_every_checkpoint():
    found = _PLACE.search(PAGE.read_text())
    assert found and found[0] == table()


if __name__ == "__main__":
    PAGE.write_text(_PLACE.sub(lambda _: table(), PAGE.read_text()))
