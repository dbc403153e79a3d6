"""What the kernel holds commands to, what only rules do, and whether it is put on record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ....core.errors import HandiworkError
from ....core.loading import Late
from ...house import House
from .finding import Finding, State

enforcement = Late("handiwork.backends.environment.sandboxes.enforcement")
places = Late("handiwork.backends.environment.table")
GROUP = "guard"
_STRONGER = {
    "files": "install the package bubblewrap, or approve with care",
    "network": "set sandbox: {network: off}, or a list of hosts, in config.yaml; see docs/sandbox.md",
    "processes": "install the package bubblewrap, or approve with care",
}
_BY = {"kernel": "by the kernel", "rules": "by rules only", "nobody": "by nobody"}


def look(house: House) -> Iterator[Finding]:
    """The mode, who enforces what, and the profiles that stand around this process."""
    wanted = house.config.sandbox
    careless = house.config.mode == "yolo"
    fix = "handiwork config set mode accept-edits" if careless else ""
    yield Finding(GROUP, "mode", "warning" if careless else "ok", house.config.mode, fix)
    if house.inside.names:
        yield Finding(GROUP, "profile", "ok", f"inside {', '.join(house.inside.names)}")
    with suppress(HandiworkError):  # told by the look at the sandbox, and then no command runs
        name = wanted.backend if ":" in wanted.backend else places.choose(wanted.backend, house.home).name
        for held in enforcement.enforced_in(name, places.policy_of(wanted)):
            state: State = "warning" if held.by == "rules" else "ok"
            fix = _STRONGER[held.subject] if state == "warning" else ""
            yield Finding(GROUP, held.subject, state, f"{_BY[held.by]}: {held.how}", fix)
