"""One module that may register tools: imported, watched, and never allowed to take the house down."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

from ..catalog.discovery import Found
from ..catalog.origins import Source
from ..catalog.store import ToolRegistry
from ..core.handler import describe_exception
from ..core.loading import Late

logging = Late("logging")
traceback = Late("traceback")
_LINE = re.compile(r"line (\d+)\)?$")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a file that registers tools: its tools, or why there are none.

    `error` is the cause in a line, `line` where in the file it arose (0: nobody knows), `story` all of it.
    """

    name: str
    path: str
    origin: str
    tools: tuple[str, ...] = ()
    error: str = ""
    line: int = 0
    story: str = ""

    @property
    def place(self) -> str:
        """The file, and the line in it that failed."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(slots=True)
class Harvest:
    """All files that were looked at: those that were loaded, or failed to, and those that register nothing."""

    loaded: list[Loaded] = field(default_factory=list)
    silent: list[Found] = field(default_factory=list)

    def add(self, registry: ToolRegistry, found: Found, origin: str, run: Callable[[], object]) -> None:
        """Load *found* by *run* if it registers tools."""
        if found.style == "none":
            self.silent.append(found)
        else:
            self.loaded.append(load(registry, found, origin, run))


def load(registry: ToolRegistry, found: Found, origin: str, run: Callable[[], object]) -> Loaded:
    """Run *run*, which imports a file that registers tools, and see what it registered as *origin*."""
    if found.style == "unreadable":
        return unreadable(found, origin)
    source = Source(origin)
    try:
        with registry.registering(source):
            run()
    except KeyboardInterrupt:  # the person wants to stop, not to go on without this file
        raise
    except BaseException as error:  # noqa: BLE001 - somebody else's file: the others go on
        registry.take_back(source)  # half a file is none
        return failed(found, origin, error)
    return Loaded(found.name, found.path, origin, source.names)


def unreadable(found: Found, origin: str) -> Loaded:
    """A file that can't be parsed."""
    line = _LINE.search(found.error)
    return _told(Loaded(found.name, found.path, origin, (), found.error, int(line.group(1)) if line else 0))


def failed(found: Found, origin: str, error: BaseException) -> Loaded:
    """A file that raised *error*."""
    steps = traceback.extract_tb(error.__traceback__)
    story = _story(found, steps) + "".join(traceback.format_exception_only(error))
    line = _line_in(found.path, error)
    return _told(Loaded(found.name, found.path, origin, (), describe_exception(error), line, story))


def late(found: Found, origin: str, seconds: float, frame: FrameType | None) -> Loaded:
    """A file that wasn't done after its time; *frame* is where it was then."""
    said = f"not done after {seconds:g} s, so it was left behind; what it registers later is refused"
    story = _story(found, traceback.extract_stack(frame)) if frame else ""
    while frame and frame.f_code.co_filename != found.path:
        frame = frame.f_back
    return _told(Loaded(found.name, found.path, origin, (), said, frame.f_lineno if frame else 0, story))


def _story(found: Found, steps: Sequence[Any]) -> str:
    """The way to where it ended, from the file on: what led there is ours, and no help."""
    own = next((at for at, step in enumerate(steps) if step.filename == found.path), 0)
    return "".join(traceback.format_list(steps[own:]))


def _line_in(path: str, error: BaseException) -> int:
    """The last line of the file that had a part in *error*; 0 where it had none."""
    if isinstance(error, SyntaxError) and error.filename == path:
        return error.lineno or 0
    line, step = 0, error.__traceback__
    while isinstance(step, TracebackType):
        if step.tb_frame.f_code.co_filename == path:
            line = step.tb_lineno
        step = step.tb_next
    return line


def _told(loaded: Loaded) -> Loaded:
    logging.getLogger(__name__).warning("Could not import tool module %s: %s", loaded.place, loaded.error)
    return loaded
