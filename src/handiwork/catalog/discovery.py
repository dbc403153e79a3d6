"""Find the files that register tools by reading them; what was read once is remembered."""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..core.loading import Late

logging = Late("logging")

Style: TypeAlias = Literal["none", "statement", "context", "unreadable"]
CACHE_VERSION = 1

# Where a top-level registration can begin: parsing a file costs 100 times as much as this look.
_MAY_REGISTER = re.compile(rb"(?:^(?:\xef\xbb\xbf)?|[\r\n\f])(?:registry\b|@|[(\\]|def\s+register\b)|;[ \t]*[(r]")


@dataclass(frozen=True, slots=True)
class Found:
    """A Python file and how it registers tools.

    `statement`: a top-level `registry.register(...)` or an `@tool` function; `context`: a top-level
    `def register(ctx)`; `none`: not at all, so it is never executed; `unreadable`: with the `error`.
    """

    path: str
    style: Style
    error: str = ""

    @property
    def name(self) -> str:
        """The file's name without `.py`; for a package the name of its folder."""
        stem = self.path.removesuffix("/__init__.py").removesuffix(".py")
        return stem[stem.rfind("/") + 1 :]


class Scanner:
    """Reads folders for files that register tools. *cache* is a JSON file; "" remembers nothing.

    A file with the same path, modification time (ns) and size is not read again.
    """

    def __init__(self, cache: str = "") -> None:
        self._cache = cache
        self._known = _load(cache) if cache else {}
        self._changed = False

    def scan(self, folder: str) -> list[Found]:
        """The files of *folder* and the `__init__.py` of its packages, sorted by path."""
        return [self._judge(path, stat) for path, stat in sorted(_candidates(folder))]

    def save(self) -> None:
        """Write down what was learnt, whole or not at all."""
        if not self._cache or not self._changed:
            return
        try:
            _write(self._cache, self._known)
        except OSError as error:
            logging.getLogger(__name__).debug("discovery is not remembered: %s", error)  # a read-only home: only slower

    def _judge(self, path: str, stat: os.stat_result) -> Found:
        known = self._known.get(path)
        if known and known[0] == stat.st_mtime_ns and known[1] == stat.st_size:
            return Found(path, known[2], known[3])
        style, error = read_style(path)
        self._known[path] = [stat.st_mtime_ns, stat.st_size, style, error]
        self._changed = True
        return Found(path, style, error)


def read_style(path: str) -> tuple[Style, str]:
    """How the file at *path* registers tools, found by parsing it, never by running it."""
    try:
        with open(path, "rb") as file:
            source = file.read()
        if not _MAY_REGISTER.search(source):
            return "none", ""
        body = ast.parse(source, path).body
    except (OSError, SyntaxError, ValueError) as error:
        return "unreadable", f"{type(error).__name__}: {error}"
    if any(map(_is_registration, body)):
        return "statement", ""
    return ("context", "") if any(map(_is_register_function, body)) else ("none", "")


def _is_registration(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("registry"), "register"))):
            return True
        case ast.FunctionDef(decorator_list=marks) | ast.AsyncFunctionDef(decorator_list=marks):
            return any(map(_is_tool_mark, marks))
    return False


def _is_tool_mark(mark: ast.expr) -> bool:
    match mark:
        case ast.Call(called):
            return _is_tool_mark(called)
        case ast.Name("tool") | ast.Attribute(ast.Name("handiwork"), "tool"):
            return True
    return False


def _is_register_function(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "register" and len(node.args.args) == 1


def _candidates(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    try:
        entries = [*os.scandir(folder)]
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        if entry.name.startswith(("_", ".")):
            continue
        if entry.name.endswith(".py"):
            if entry.is_file():
                yield entry.path, entry.stat()
        elif entry.is_dir():
            init = os.path.join(entry.path, "__init__.py")
            if os.path.isfile(init):
                yield init, os.stat(init)


def _load(cache: str) -> dict[str, list[Any]]:
    """What an earlier run remembered; a cache that is absent, old or damaged is an empty one."""
    try:
        with open(cache, encoding="utf-8") as file:
            data = json.load(file)
        known = data["files"] if data["version"] == CACHE_VERSION else {}
        return {path: row for path, row in known.items() if len(row) == 4}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write(cache: str, known: dict[str, list[Any]]) -> None:
    os.makedirs(os.path.dirname(cache), exist_ok=True)
    temporary = f"{cache}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"version": CACHE_VERSION, "files": known}, file)
    os.replace(temporary, cache)
