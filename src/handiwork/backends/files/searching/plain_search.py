"""Searching without ripgrep: in Python, through any `Tree`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ....core.errors import UsageError
from .matcher import FILE_SECONDS, Asked, Matcher
from .page import FileHits, Page
from .query import MAX_COUNTED, Needle, Rank, Report, Sweep, Watch
from .trees import LocalTree, Tree, TreeFile, Walk

MAX_FILE_BYTES = 64 << 20
_BATCH_BYTES = 1 << 20
_BATCH_FILES = 64
_LOOK_AT_THE_CLOCK_EVERY = 256


class PlainEngine:
    """An `Engine` in Python. Its answers are ripgrep's, for patterns that both understand."""

    def __init__(self, tree: Tree | None = None, file_seconds: float = FILE_SECONDS) -> None:
        self._tree: Tree = tree or LocalTree()
        self._file_seconds = file_seconds

    def contents(self, sweep: Sweep, needle: Needle, page: Page, watch: Watch) -> Report:
        """Find the needle, file by file, in a process of its own. Raises `UsageError` for a bad pattern."""
        found = _Finding(self._tree, page)
        walk = _walk(self._tree, sweep)
        with Matcher(needle, watch, self._file_seconds) as matcher:
            for batch in found.batches(self._wanted(walk, sweep, watch)):
                for asked, hits in matcher.answers(batch):
                    found.put(asked.file, hits)
                if page.hits >= MAX_COUNTED or matcher.gave_up or watch.over():
                    break
            end = watch.over() or matcher.gave_up or ("enough" if page.hits >= MAX_COUNTED else "ended")
        return Report(end, found.searched, (*matcher.notes, *found.notes(), *_unreadable(walk)))

    def names(self, sweep: Sweep, rank: Rank, page: Page, watch: Watch) -> Report:
        """Find files by their paths."""
        walk = _walk(self._tree, sweep)
        for file in self._wanted(walk, sweep, watch):
            place = rank(file.path)
            if place is not None:
                page.add(FileHits(file.path, file.mtime_ns, rank=place))
        return Report(watch.over() or "ended", None, _unreadable(walk))

    def _wanted(self, walk: Walk, sweep: Sweep, watch: Watch) -> Iterator[TreeFile]:
        if sweep.single:
            yield self._single(PurePosixPath(sweep.root))
            return
        for number, file in enumerate(walk.files()):
            if number % _LOOK_AT_THE_CLOCK_EVERY == 0 and watch.over():
                return
            if sweep.choice.fits(file.path):
                yield file

    def _single(self, path: PurePosixPath) -> TreeFile:
        for name, _kind, size, mtime_ns in self._tree.entries(str(path.parent)):
            if name == path.name:
                return TreeFile("", size, mtime_ns, absolute=str(path))
        raise UsageError(f"there is no {path}", "search in a directory or file that exists")


class _Finding:
    """Reads files for the matcher, puts its answers on the page, and counts what was left out."""

    def __init__(self, tree: Tree, page: Page) -> None:
        self._tree, self._page = tree, page
        self._binary: list[str] = []
        self._too_big = self._unread = self.searched = 0

    def batches(self, files: Iterator[TreeFile]) -> Iterator[list[Asked]]:
        batch: list[Asked] = []
        size = 0
        for file in files:
            data = self._read(file)
            if data is None:
                continue
            batch.append(Asked(file, data, self._page.room(file.path, file.mtime_ns)))
            size += len(data)
            if size >= _BATCH_BYTES or len(batch) == _BATCH_FILES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _read(self, file: TreeFile) -> bytes | None:
        if file.size > MAX_FILE_BYTES:
            self._too_big += 1
            return None
        try:
            with self._tree.open(file.absolute) as opened:
                return opened.read(MAX_FILE_BYTES)
        except OSError:  # gone meanwhile, or not ours to read
            self._unread += 1
            return None

    def put(self, file: TreeFile, hits: FileHits | None) -> None:
        self.searched += 1
        if hits is None:
            self._binary.append(file.path)
        elif hits.count:
            self._page.add(hits)

    def notes(self) -> Iterator[str]:
        if "" in self._binary:  # only a file that was named itself has no path below the place searched
            yield "it is a binary file: search it with a command that understands its format"
        if self._too_big:
            yield f"{self._too_big} files of more than {MAX_FILE_BYTES >> 20} MiB were not searched"
        if self._unread:
            yield f"{self._unread} files could not be read"


def _walk(tree: Tree, sweep: Sweep) -> Walk:
    return Walk(
        tree,
        sweep.root,
        hidden=sweep.choice.hidden,
        excluded=sweep.excluded,
        obey_ignores=sweep.obey_ignores,
        obey_parents=sweep.obey_parents,
    )


def _unreadable(walk: Walk) -> tuple[str, ...]:
    return (f"{walk.unreadable} directories could not be read",) if walk.unreadable else ()
