"""Hints after a search that found nothing: each was tried before it is given."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ....core.cancel import CancelToken
from .globs import Choice
from .hits import show_path
from .page import FileHits, Order, Page
from .query import Engine, Needle, Sweep, Watch

# All tries together. Seconds.
_SECONDS = 2.0


class _FirstOnly(Page):
    """A page that ends the search with the first file that is put on it."""

    def __init__(self) -> None:
        super().__init__(Order(), offset=0, limit=1, by_file=True)
        self.stop = CancelToken()

    def add(self, found: FileHits) -> None:
        super().add(found)
        self.stop.cancel()

    def path(self) -> str:
        return show_path(self.slices()[0].found.path)


@dataclass(frozen=True, slots=True)
class _Try:
    sweep: Sweep
    needle: Needle
    advice: str


def hints(engine: Engine, sweep: Sweep, needle: Needle, watch: Watch) -> list[str]:
    """The first change to the search that finds something, if there is one."""
    until = min(time.monotonic() + _SECONDS, watch.deadline)
    for attempt in _tries(sweep, needle):
        page = _FirstOnly()
        if time.monotonic() > until or watch.over():
            break
        engine.contents(attempt.sweep, attempt.needle, page, Watch(until, page.stop))
        if page.files:
            return [attempt.advice.format(page.path() or "it")]
    return []


def name_hints(engine: Engine, sweep: Sweep, watch: Watch) -> list[str]:
    """Where the file is after all: further down than the glob says, or among the ignored ones."""
    until = min(time.monotonic() + _SECONDS, watch.deadline)
    deeper = tuple(tuple(_anywhere(glob) for glob in globs) for globs in sweep.choice.sets)
    tries = [(replace(sweep, obey_ignores=False), "there is one among the ignored files: {}")]
    if deeper != sweep.choice.sets:
        choice = replace(sweep.choice, sets=deeper)
        tries.insert(
            0, (replace(sweep, choice=choice), "a glob with a slash begins at path; with **/ before it, it fits {}")
        )
    for attempt, advice in tries:
        page = _FirstOnly()
        if watch.over():
            break
        engine.names(attempt, lambda _path: 0, page, Watch(until, page.stop))
        if page.files:
            return [advice.format(page.path())]
    return []


def _anywhere(glob: str) -> str:
    return f"**/{glob.removeprefix('./').lstrip('/')}" if "/" in glob and not glob.startswith("**/") else glob


def _tries(sweep: Sweep, needle: Needle) -> Iterator[_Try]:
    plain = replace(needle, context=0)
    if not needle.ignore_case and needle.pattern.lower() != needle.pattern.upper():
        yield _Try(sweep, replace(plain, ignore_case=True), "with ignore_case=true it is found, first in {}")
    if not needle.literal and re.escape(needle.pattern) != needle.pattern:
        yield _Try(sweep, replace(plain, literal=True), "as a plain text (literal=true) it is found, first in {}")
    if sweep.single:
        return
    if sweep.choice.sets:
        elsewhere = replace(sweep, choice=Choice(hidden=sweep.choice.hidden))
        yield _Try(elsewhere, plain, "files of other names have it, such as {}: search without glob and type")
    ignored = replace(sweep, obey_ignores=False)
    yield _Try(ignored, plain, "files that are ignored have it, such as {}: give their directory as path")
