"""One module that may register tools: imported, watched, and never allowed to take the house down."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..catalog.discovery import Found
from ..catalog.store import ToolRegistry
from ..core.handler import describe_exception
from ..core.loading import Late

logging = Late("logging")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a file that registers tools: its tools, or why there are none."""

    name: str
    path: str
    origin: str
    tools: tuple[str, ...] = ()
    error: str = ""


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
        return _failed(found, origin, found.error)
    names: list[str] = []
    try:
        with registry.registering(origin, names):
            run()
    except KeyboardInterrupt:  # the person wants to stop, not to go on without this file
        raise
    except BaseException as error:  # noqa: BLE001 - somebody else's file: the others go on
        for name in names:  # half a plugin is none
            registry.deregister(name)
        return _failed(found, origin, describe_exception(error))
    return Loaded(found.name, found.path, origin, tuple(names))


def _failed(found: Found, origin: str, error: str) -> Loaded:
    logging.getLogger(__name__).warning("Could not import tool module %s: %s", found.path, error)
    return Loaded(found.name, found.path, origin, error=error)
