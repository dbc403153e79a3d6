"""Handiwork and its peers, one line each, measured in the same rounds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import environments
import harness
import table
from environments import Library
from harness import Book, Figures, Task

HERE = Path(__file__).resolve().parent
ROUNDS = 3
HEADINGS = ("library", "version", "import ms", "one call us", "50 definitions us", "1,000 async ms")
KEYS = ("import_ms", "call_us", "defs50_again_us", "gather1000_ms")


def measure_and_show(rounds: int) -> dict[str, dict[str, float | None]]:
    """Measure all of them, print their table, and return the medians by library and figure."""
    libraries = (environments.our_library(), *environments.PEERS)
    book = Book()
    with harness.fresh_home() as home:
        imports = [_import(library, home) for library in libraries]
        harness.take_rounds(Book(), imports, 1)
        harness.take_rounds(book, imports, rounds)
        harness.take_rounds(book, [_probe(library, home) for library in libraries], ROUNDS)
    print("\n" + table.aligned([HEADINGS, *(_cells(library, book) for library in libraries)], words={0, 1}))
    for name, reason in book.failures.items():
        print(f"\n{name} failed: {reason}")
    return {lib.distribution: {key: book.median(f"{lib.distribution}.{key}") for key in KEYS} for lib in libraries}


def _module(library: Library) -> str:
    return library.distribution.removesuffix("-slim").replace("-", "_")


def _import(library: Library, home: Path) -> Task:
    argv = (str(environments.python_of(library)), "-c", f"import {_module(library)}")

    def measure() -> Figures:
        return {"import_ms": harness.cpu_ms(argv, home)}

    return Task(library.distribution, "import_ms", measure)


def _probe(library: Library, home: Path) -> Task:
    argv = (str(environments.python_of(library)), str(HERE / "peers.py"), _module(library))
    return Task(library.distribution, "probe", lambda: harness.probe(argv, home))


def _cells(library: Library, book: Book) -> Sequence[str]:
    version = environments.version_in(environments.python_of(library), library.distribution)
    figures = (table.number(book.median(f"{library.distribution}.{key}")) for key in KEYS)
    return (library.distribution, version, *figures)
