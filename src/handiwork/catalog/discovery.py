"""Find the files that register tools by reading them; what was read once is remembered."""

from __future__ import annotations

import ast
import json
import os
import re
import stat
from collections.abc import Callable, Container, Iterator
from typing import Any, Literal, NamedTuple, TypeAlias

from ..core.loading import Late

logging = Late("logging")

Style: TypeAlias = Literal["none", "statement", "context", "unreadable"]
CACHE_VERSION = 2

# Where a top-level registration can begin: parsing a file costs 100 times as much as this look.
_MAY_REGISTER = re.compile(rb"(?:^(?:\xef\xbb\xbf)?|[\r\n\f])(?:registry\b|@|[(\\]|def\s+register\b)|;[ \t]*[(r]")


class Found(NamedTuple):  # made a thousand times at a start: a dataclass takes three times as long
    """A Python file and how it registers tools.

    `statement`: a top-level `registry.register(...)` or an `@tool` function; `context`: a top-level
    `def register(ctx)`, which is called; `none`: not at all, so it is never executed; `unreadable`: with the `error`.
    `stamp` is its modification time (ns) and its size in bytes.
    """

    path: str
    style: Style
    error: str = ""
    stamp: tuple[int, int] = (0, 0)

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
        self._known, self._others = _load(cache) if cache else ({}, {})
        self._changed = False

    def scan(self, folder: str) -> list[Found]:
        """The files of *folder* and the `__init__.py` of its packages, sorted by path."""
        return sorted(self._judge(path, found) for path, found in _candidates(folder.rstrip("/")))

    def save(self) -> None:
        """Write down what was learnt, whole or not at all."""
        if not self._cache or not self._changed:
            return
        try:
            _write(self._cache, {"files": self._known, "others": self._others})
        except OSError as error:
            logging.getLogger(__name__).debug("discovery is not remembered: %s", error)  # a read-only home: only slower

    def recall(self, place: str, stamp: int, look: Callable[[], Any]) -> Any:
        """What *look* found at a *place* that had this *stamp*, as JSON: asked again when that changes."""
        known = self._others.get(place)
        if not isinstance(known, list) or known[:1] != [stamp]:
            known = self._others[place] = [stamp, look()]
            self._changed = True
        return known[1]

    def _judge(self, path: str, found: os.stat_result) -> Found:
        known, stamp = self._known.get(path), (found.st_mtime_ns, found.st_size)
        if known and known[0] == stamp[0] and known[1] == stamp[1]:
            return Found(path, known[2], known[3], stamp)
        style, error = read_style(path)
        self._known[path] = [*stamp, style, error]
        self._changed = True
        return Found(path, style, error, stamp)


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
    if any(_is_register_function(node, ("ctx", "context")) for node in body):  # beside it there may be statements
        return "context", ""
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


def _is_register_function(node: ast.stmt, parameters: Container[str] | None = None) -> bool:
    if not isinstance(node, ast.FunctionDef) or node.name != "register" or len(node.args.args) != 1:
        return False
    return parameters is None or node.args.args[0].arg in parameters


def _candidates(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """The Python files of a folder, asked for by their names in it: a whole path takes a third longer to look at."""
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        for name in os.listdir(place):
            if not name.startswith(("_", ".")):
                inner = name if name.endswith(".py") else f"{name}/__init__.py"
                found = _regular(inner, place)
                if found:
                    yield f"{folder}/{inner}", found
    finally:
        os.close(place)


def _regular(name: str, place: int) -> os.stat_result | None:
    try:
        found = os.stat(name, dir_fd=place)
    except OSError:  # a link that leads nowhere, a folder without that file
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _load(cache: str) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """What an earlier run remembered of files and of other places; an absent, old or damaged cache is an empty one."""
    try:
        with open(cache, encoding="utf-8") as file:
            data = json.load(file)
        known = data["files"] if data["version"] == CACHE_VERSION else {}
        others = data.get("others", {})
        return {path: row for path, row in known.items() if len(row) == 4}, others if isinstance(others, dict) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}, {}


def _write(cache: str, known: dict[str, Any]) -> None:
    os.makedirs(os.path.dirname(cache), exist_ok=True)
    temporary = f"{cache}.{os.getpid()}"
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump({"version": CACHE_VERSION, **known}, file)
    os.replace(temporary, cache)
