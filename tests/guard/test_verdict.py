"""The lazily filled face of the guard."""

from __future__ import annotations

import subprocess
import sys

import pytest

import handiwork.guard as guard


def test_every_public_name_loads() -> None:
    for name in guard.__all__:
        assert getattr(guard, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        guard.nonsense  # noqa: B018


def test_importing_the_guard_loads_none_of_its_modules() -> None:
    code = "import sys, handiwork.guard; print([m for m in sys.modules if m.startswith('handiwork.guard.')])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
