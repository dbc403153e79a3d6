"""The guard's public names mean the same, whatever was loaded before."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import handiwork.guard


def test_no_name_is_both_a_module_and_what_is_in_it():
    modules = {path.stem for path in Path(handiwork.guard.__file__).parent.glob("*.py")}
    assert not modules & set(handiwork.guard.__all__)


def test_names_are_functions_after_every_module_was_loaded():
    code = (
        "import importlib, pkgutil, handiwork.guard as guard\n"
        "[importlib.import_module(f'handiwork.guard.{m.name}') for m in pkgutil.iter_modules(guard.__path__)]\n"
        "print(all(callable(getattr(guard, name)) for name in guard.__all__), guard.redact('x'))"
    )
    src = str(Path(handiwork.guard.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": src}, timeout=60
    )
    assert done.stdout.split() == ["True", "x"]
