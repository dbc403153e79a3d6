"""One module that may register tools: imported, watched, and never allowed to take the house down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..catalog.discovery import Found
from ..catalog.store import ToolRegistry
from ..core.handler import describe_exception
from ..core.loading import Late

logging = Late("logging")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a file: its tools, or why there are none."""

    name: str
    path: str
    origin: str
    tools: tuple[str, ...] = ()
    error: str = ""
    silent: bool = False


def load(registry: ToolRegistry, found: Found, origin: str, run: Callable[[], object]) -> Loaded:
    """Run *run*, which imports the file, and see what it registered as *origin*."""
    if found.style == "unreadable":
        return _failed(found, origin, found.error)
    if not found.registers:
        return Loaded(found.name, found.path, origin, silent=True)
    names: list[str] = []
    try:
        with registry.registering(origin, names):
            run()
    except BaseException as error:  # noqa: BLE001 - somebody else's file: the others go on
        for name in names:  # half a plugin is none
            registry.deregister(name)
        return _failed(found, origin, describe_exception(error))
    return Loaded(found.name, found.path, origin, tuple(names))


def _failed(found: Found, origin: str, error: str) -> Loaded:
    logging.getLogger(__name__).warning("Could not import tool module %s: %s", found.path, error)
    return Loaded(found.name, found.path, origin, error=error)
