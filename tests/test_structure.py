"""The shape of the code that every change keeps to; import-linter has the rooms."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src" / "handiwork"
FILES = sorted(SRC.rglob("*.py"))
Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


KINDS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ExceptHandler, ast.Global)


@cache
def nodes_of_all() -> list[tuple[str, ast.AST]]:
    """Every node of one of the kinds that are asked for, with its place: walking takes longer than all the rest."""
    return [
        (f"{path.relative_to(SRC)}:{node.lineno}", node)
        for path in FILES
        for node in ast.walk(tree_of(path))
        if isinstance(node, KINDS)
    ]


def nodes(kind: type | tuple[type, ...]) -> Iterator[tuple[str, ast.AST]]:
    """Every node of a kind, with its place."""
    return ((place, node) for place, node in nodes_of_all() if isinstance(node, kind))


def functions() -> list[tuple[str, Function]]:
    return [(place, n) for place, n in nodes((ast.FunctionDef, ast.AsyncFunctionDef)) if isinstance(n, Function)]


def test_functions_are_short():
    lengths = {place: (n.end_lineno or 0) - n.lineno + 1 for place, n in functions()}
    assert len(lengths) > 1000
    longest = sorted(lengths.items(), key=lambda item: -item[1])[:5]
    assert statistics.median(lengths.values()) <= 10
    assert statistics.quantiles(lengths.values(), n=20)[-1] <= 42, longest
    assert longest[0][1] <= 100, longest


def test_a_file_reads_in_one_sitting():
    long = {str(p.relative_to(SRC)): n for p in FILES if (n := len(p.read_text("utf-8").splitlines())) > 400}
    assert not long


def test_nothing_is_swallowed_and_nothing_is_global():
    silent = [
        place
        for place, n in nodes(ast.ExceptHandler)
        if isinstance(n, ast.ExceptHandler) and all(_does_nothing(statement) for statement in n.body)
    ]
    assert not silent
    assert not [place for place, _ in nodes(ast.Global)]


def _does_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Pass) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def test_no_function_imports_our_own_rooms():
    found = [
        f"{place} {ast.unparse(inner)}"
        for place, function in functions()
        for inner in ast.walk(function)
        if isinstance(inner, (ast.Import, ast.ImportFrom)) and _is_own(inner)
    ]
    assert not found


def _is_own(statement: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(statement, ast.ImportFrom) and statement.level:
        return True
    names = [a.name for a in statement.names] if isinstance(statement, ast.Import) else [statement.module or ""]
    return any(name.split(".")[0] == "handiwork" for name in names)


def test_everything_public_says_what_it_is():
    silent = [place for path in FILES for place in _undocumented(path)]
    assert not silent


def _undocumented(path: Path) -> Iterator[str]:
    module = tree_of(path)
    if ast.get_docstring(module) is None:
        yield str(path.relative_to(SRC))
    for node in module.body:
        named = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if not named or any(ast.unparse(d) == "overload" for d in node.decorator_list):
            continue
        if not node.name.startswith("_") and ast.get_docstring(node) is None:
            yield f"{path.relative_to(SRC)}:{node.lineno} {node.name}"


@pytest.mark.parametrize("word", ["TODO", "FIXME", "XXX"])
def test_no_leftovers_of_the_workshop(word):
    found = [str(p.relative_to(SRC)) for p in FILES if word in p.read_text("utf-8")]
    assert not found
