"""Searching in files and for files: exact totals, newest first, what git ignores left out.

By ripgrep where it is installed, else in Python.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ....core.cancel import CancelToken
from ....core.errors import UsageError
from ....core.types import Files
from ..local import LocalFiles
from .filetypes import globs_of_types
from .globs import Choice, has_open_set, is_glob, names_hidden, split_globs
from .hits import Shown, show_files, show_lines
from .names import AlikeRank, contains_rank
from .page import Order, Orders, Page
from .patterns import spans_lines
from .plain_search import PlainEngine
from .probes import hints, name_hints
from .query import Engine, Needle, Query, Report, Sweep, Watch
from .ripgrep import RipgrepEngine, find_ripgrep
from .trees import FilesTree, LocalTree, Tree, is_ignored

__all__ = ["Found", "Query", "place_of", "search"]

# Rows that are kept for one page at most: to sort by time, what comes before the page is kept as well.
MAX_KEPT_ROWS = 60_000
_MAX_PATTERN = 50_000
_MOST_CLOSED = 5
_orders = Orders()


@dataclass(frozen=True, slots=True)
class Found:
    """One page as text, and how many hits and files there are in all.

    `next_offset` is None on the last page. `complete` is False where the search stopped before its end.
    """

    text: str
    total: int
    files: int
    complete: bool = True
    next_offset: int | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Whose files are searched, and by what."""

    files: Files
    tree: Tree
    engine: Engine

    @property
    def is_here(self) -> bool:
        return self.files.place == LocalFiles.place


def place_of(files: Files | None = None, engine: Engine | None = None) -> Place:
    """This machine, or the place of *files*, which is searched in Python, one directory after the other."""
    if files is None or files.place == LocalFiles.place:
        return Place(LocalFiles(), LocalTree(), engine or default_engine())
    tree = FilesTree(files)
    return Place(files, tree, engine or PlainEngine(tree))


def search(
    query: Query,
    cancel: CancelToken | None = None,
    place: Place | None = None,
    *,
    closed: Callable[[str], str] | None = None,
) -> Found:
    """Run one search. Raises `UsageError` for a bad pattern (with its place) or path.

    Contents of files that are *closed* (it says why, of a path) are looked into only where one is named itself.
    """
    _check(query)
    place = place or place_of()
    if query.target == "files":
        query = replace(query, pattern=query.pattern.strip())
    sweep = sweep_of(query, place)
    watch = Watch(time.monotonic() + query.seconds, cancel)
    order_of = replace(query, limit=0, offset=0, context=0, seconds=0.0)
    page = Page(
        _orders.of(order_of) if query.offset else Order(),
        offset=query.offset,
        limit=query.limit,
        by_file=query.target == "files" or query.output != "lines",
        **({"closed": closed} if closed and query.target == "content" and not sweep.single else {}),
    )
    report = _fill(page, place, query, sweep, watch)
    if report.end == "ended":
        _orders.remember(order_of, page.paths())
    return _found(page, query, sweep, report)


def default_engine() -> Engine:
    """Ripgrep where it is, else Python."""
    program = find_ripgrep()
    return RipgrepEngine(program) if program else PlainEngine()


def _check(query: Query) -> None:
    if query.target == "content" and not query.pattern:
        raise UsageError("the pattern is empty", 'give a regex; to list files, use target="files"')
    if "\0" in query.pattern + query.glob + query.path or len(query.pattern) > _MAX_PATTERN:
        raise UsageError("the pattern is too long or holds a NUL", "search for a shorter text")
    if (query.offset + query.limit) * (2 * query.context + 1) > MAX_KEPT_ROWS:
        raise UsageError("that page is too deep", "narrow the search (path, glob, pattern), or ask for less context")


def _fill(page: Page, place: Place, query: Query, sweep: Sweep, watch: Watch) -> Report:
    if query.target == "files":
        return _fill_with_names(page, place, query, sweep, watch)
    needle = Needle(
        query.pattern,
        literal=query.literal,
        ignore_case=query.ignore_case,
        multiline=query.multiline or _over_lines(query),
        context=query.context if query.output == "lines" else 0,
    )
    report = place.engine.contents(sweep, needle, page, watch)
    if page.total or report.end != "ended":
        return report
    looked = [] if sweep.single else [f"{report.searched} files were searched"]
    return report.noting(*looked, *hints(place.engine, sweep, needle, watch))


def _over_lines(query: Query) -> bool:
    return "\n" in query.pattern if query.literal else spans_lines(query.pattern)


def _fill_with_names(page: Page, place: Place, query: Query, sweep: Sweep, watch: Watch) -> Report:
    wanted, engine = query.pattern, place.engine
    if sweep.single:
        raise UsageError(f"{query.path} is a file", 'give a directory, or search in the file with target="content"')
    by_name = bool(wanted) and not is_glob(wanted)
    report = engine.names(sweep, (lambda path: contains_rank(wanted, path)) if by_name else _any, page, watch)
    if by_name and not page.total and report.end == "ended":
        anything = sweep_of(replace(query, pattern=""), place)
        report = engine.names(anything, AlikeRank(wanted), page, watch)
        if page.total:
            return report.noting(f"no name contains {wanted!r}; these resemble it, the nearest first")
    if page.total or report.end != "ended":
        return report
    return report.noting(*name_hints(engine, sweep, watch))


def _any(_path: str) -> int:
    return 0


def sweep_of(query: Query, place: Place) -> Sweep:
    """Where to search. Raises `UsageError` where there is nothing to search in."""
    path = query.path or "."
    root = query.root or place.files.real(path if path.startswith("~") else os.path.join(query.cwd, path))
    single = _is_single(root, query, place)
    wanted, excluded = split_globs(query.glob)
    if broken := next(filter(has_open_set, excluded), None):
        raise UsageError(f"the [ in the glob !{broken} is never closed", "close it, or leave it out")
    types = globs_of_types(query.types)
    named, unnamed = _name_globs(query)
    sets = tuple(globs for globs in (named, wanted, types) if globs)
    hidden = any(names_hidden(glob) for glob in (*named, *wanted))
    ignored = is_ignored(place.tree, root)  # whoever names an ignored directory wants to look into it
    return Sweep(root, single, Choice(sets, hidden), (*excluded, *unnamed), obey_parents=not ignored)


def _name_globs(query: Query) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The globs that the pattern stands for when files are looked for."""
    if query.target != "files" or not query.pattern:
        return (), ()
    return split_globs(query.pattern) if is_glob(query.pattern) else ((query.pattern,), ())


def _is_single(root: str, query: Query, place: Place) -> bool:
    """Whether *root* is a file. Raises `UsageError` for what can't be searched."""
    about = place.files.stat(root)
    if about is None or about.kind not in ("file", "directory"):
        raise _no_place(query)
    folder = about.kind == "directory"
    if place.is_here and not os.access(root, os.R_OK | os.X_OK if folder else os.R_OK):
        raise UsageError(f"{query.path} can't be read: permission denied", "search somewhere else, or ask a person")
    return not folder


def _no_place(query: Query) -> UsageError:
    place = os.path.join(query.cwd, query.path)
    if os.path.islink(place):
        return UsageError(f"{query.path} is a link that leads nowhere", "search in a directory or file that exists")
    if os.path.exists(place):
        return UsageError(f"{query.path} is no file with contents", "search in a directory or a regular file")
    return UsageError(f"there is no {query.path}", "search in a directory or file that exists")


def _found(page: Page, query: Query, sweep: Sweep, report: Report) -> Found:
    shown = _shown(page, query, _prefix(query, sweep))
    following = query.offset + shown.units
    notes = [*_end_notes(report, query), *report.notes, *_closed_notes(page)]
    if page.total and not shown.units:
        notes.append(f"offset is beyond the last of {page.total}")
    return Found(
        shown.text,
        page.files if query.target == "files" else page.hits,
        page.files,
        complete=report.end == "ended",
        next_offset=following if shown.units and page.total > following else None,
        notes=tuple(notes),
    )


def _closed_notes(page: Page) -> Iterator[str]:
    if names := sorted(page.left_out):
        more = f" and {len(names) - _MOST_CLOSED} more" if len(names) > _MOST_CLOSED else ""
        said = (
            "a file that may hold secrets has" if len(names) == 1 else f"{len(names)} files that may hold secrets have"
        )
        yield f"{said} hits that aren't shown: {', '.join(names[:_MOST_CLOSED])}{more}; name one as path, which asks"


def _shown(page: Page, query: Query, prefix: str) -> Shown:
    if query.target == "content" and query.output == "lines":
        return show_lines(page.slices(), prefix, query.context)
    return show_files(page.slices(), prefix, counts=query.target == "content" and query.output == "counts")


def _prefix(query: Query, sweep: Sweep) -> str:
    """What stands before the paths found, so that they are relative to `cwd`, or absolute, as `path` is."""
    path = query.path.rstrip("/") or query.path
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    if sweep.single:
        return path
    return "" if path in ("", ".") else path if path.endswith("/") else f"{path}/"


def _end_notes(report: Report, query: Query) -> Iterator[str]:
    match report.end:
        case "timed_out":
            yield f"stopped after {query.seconds:.0f} s: there may be more than this"
        case "cancelled":
            yield "the search was cancelled: there may be more than this"
        case "hung":
            yield "the search was given up: make the pattern simpler"
        case "enough":
            yield "counting stopped here: there are more hits than this; narrow the search"
