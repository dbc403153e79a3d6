"""Three schemas as servers and plugins bring them, in every dialect, as they were reviewed.

After a change that is meant, write them anew: `HANDIWORK_WRITE_GOLDENS=1 pytest tests/catalog/dialects`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from handiwork.catalog.dialects import DIALECTS, adapt

FOLDER = Path(__file__).parent / "goldens"
NAMES = ("issue_tracker", "query", "page_blocks")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str, dialect: str) -> None:
    adapted = adapt(json.loads((FOLDER / f"{name}.json").read_text("utf-8")), dialect)
    made = json.dumps({"schema": adapted.schema, "notes": [*map(str, adapted.notes)]}, indent=1, ensure_ascii=False)
    golden = FOLDER / f"{name}.{dialect}.json"
    if os.environ.get("HANDIWORK_WRITE_GOLDENS") == "1":
        golden.write_text(made + "\n", encoding="utf-8")
    assert golden.read_text("utf-8") == made + "\n"
