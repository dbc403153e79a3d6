"""Every function of the Berkeley Function Calling Leaderboard, which its package ships as data.

Its documents name types as Python and Java do: they are the wrong names that real tools bring.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from handiwork.catalog.dialects import DIALECTS, adapt
from handiwork.catalog.dialects.keywords import TYPES

from .shapes import as_json_schema, keywords_of

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "handiwork-tests"


def wheel() -> Path:
    """The package's wheel: fetched once, read as data, never installed."""
    if not (found := sorted(CACHE.glob("bfcl_eval-*.whl"))):
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "bfcl-eval"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            if done.returncode:
                _skip(f"bfcl-eval can't be fetched: {done.stderr.strip()[-200:]}")
            found = [p.replace(CACHE / p.name) for p in Path(folder).glob("*.whl")]
    return found[-1]


def _skip(reason: str) -> None:
    if os.environ.get("HANDIWORK_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


def _documents(path: Path) -> Iterator[dict[str, Any]]:
    with zipfile.ZipFile(path) as data:
        for name in data.namelist():
            if "/data/" in name and name.endswith(".json") and "answer" not in name and "format_sens" not in name:
                for line in data.read(name).decode().splitlines():
                    yield json.loads(line) if line.startswith("{") else {}


@pytest.fixture(scope="module")
def functions() -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for document in _documents(wheel()):
        listed = document.get("function") or ([document] if "parameters" in document else [])
        for function in [listed] if isinstance(listed, dict) else listed:
            found[json.dumps(function, sort_keys=True)] = function
    return list(found.values())


def types_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        kind = schema.get("type", ())
        yield from [kind] if isinstance(kind, str) else kind
        for inner in (*schema.get("properties", {}).values(), schema.get("items"), *schema.get("anyOf", ())):
            yield from types_in(inner)


def sayable(names: Iterable[str], dialect: str) -> list[str]:
    """The names of parameters that an API takes."""
    form = DIALECTS[dialect].root_names
    return [name for name in names if not form or re.fullmatch(form, name)]


@pytest.mark.integration
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_function_is_sayable(dialect: str, functions: list[dict[str, Any]]) -> None:
    assert len({f["name"] for f in functions}) >= 1693
    for function in functions:
        schema = adapt(function["parameters"], dialect).schema
        Draft202012Validator.check_schema(as_json_schema(schema))
        assert keywords_of(schema) <= DIALECTS[dialect].keywords
        assert set(types_in(schema)) <= set(TYPES)
        assert list(schema["properties"]) == sayable(function["parameters"].get("properties", {}), dialect)
        required = sayable(function["parameters"].get("required", ()), dialect)
        assert set(required) & set(schema["properties"]) <= set(schema.get("required", ()))
        assert json.dumps(adapt(schema, dialect).schema) == json.dumps(schema)


@pytest.mark.integration
def test_other_names_of_types_are_told(functions: list[dict[str, Any]]) -> None:
    notes = {n.text for f in functions for n in adapt(f["parameters"], "openai").notes}
    assert {"the type 'dict' is read as 'object'", "the type 'float' is read as 'number'"} <= notes
    assert {"the type 'tuple' is read as 'array'", "the type 'any' is read as any value"} <= notes
    assert not [text for text in notes if "no such type" in text]
