"""Every test that SECURITY.md names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_NAMED = re.compile(r"`((?:\w+/)+test_\w+\.py)(?:::(test_\w+))?`")
NAMED = sorted(set(_NAMED.findall((ROOT / "SECURITY.md").read_text("utf-8"))))


def test_some_are_named():
    assert len(NAMED) > 15


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_it_is_there(file, test):
    text = (ROOT / "tests" / file.removeprefix("tests/")).read_text("utf-8")
    assert f"def {test}(" in text if test else "def test_" in text
