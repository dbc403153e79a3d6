"""Whether a text is what its name says: JSON, YAML, TOML or Python, checked without running any of it."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import yaml

# Longer texts are written unchecked: the readers take too long. Characters.
MAX_CHECKED = 1 << 20
_AT = "(at line "


@dataclass(frozen=True, slots=True)
class Problem:
    """The first fault of a text. `line` and `column` count from 1; 0 where the reader didn't say."""

    language: str
    message: str
    line: int
    column: int

    def __str__(self) -> str:
        where = f"line {self.line}, column {self.column}" if self.line else "no place named"
        return f"{self.language} syntax error at {where}: {self.message}"


def problem_of(name: str, text: str) -> Problem | None:
    """What is wrong with *text* as a file called *name*; None for right ones and for other kinds of file."""
    check = _CHECKS.get(name.rpartition(".")[2].lower()) if "." in name else None
    if check is None or len(text) > MAX_CHECKED:
        return None
    try:
        return check(text)
    except (RecursionError, MemoryError):  # nested deeper than the reader goes, which makes it no worse
        return None


def _json(text: str) -> Problem | None:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return Problem("JSON", error.msg, error.lineno, error.colno)
    return None


def _yaml(text: str) -> Problem | None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _ in yaml.parse(text, Loader=loader):
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        at = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        return Problem("YAML", error.problem or "it can't be read", *at)
    except yaml.YAMLError as error:
        return Problem("YAML", str(error).splitlines()[0], 0, 0)
    return None


def _toml(text: str) -> Problem | None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).partition(_AT)
        line, _, column = place.rstrip(")").partition(", column ")
        known = line.isdigit() and column.isdigit()
        last = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        return Problem("TOML", message.strip(), *((int(line), int(column)) if known else last))
    return None


def _python(text: str) -> Problem | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        return Problem("Python", error.msg, error.lineno or 0, error.offset or 0)
    except ValueError as error:  # NUL characters
        return Problem("Python", str(error), 0, 0)
    return None


_CHECKS: dict[str, Callable[[str], Problem | None]] = {
    "json": _json,
    "ipynb": _json,
    "yaml": _yaml,
    "yml": _yaml,
    "toml": _toml,
    "py": _python,
    "pyi": _python,
}
