"""Which hosts get which secrets, and whether commands are kept from their values. No value is shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from ....core.errors import HandiworkError
from ....core.loading import Late
from ....core.secrets import Secret
from ...house import House
from .finding import Finding

places = Late("handiwork.backends.environment.table")
taps = Late("handiwork.backends.environment.secrets.extra")
vault = Late("handiwork.backends.environment.secrets.vault")
GROUP = "secrets"


def look(house: House) -> Iterator[Finding]:
    """The secrets of the configuration."""
    known = house.config.secrets
    if not known:
        return
    if problem := taps.missing():
        yield Finding(GROUP, "bound", "problem", problem, taps.FIX)
    with suppress(HandiworkError):  # told by the look at the sandbox
        wanted = house.config.sandbox
        place = wanted.backend if ":" in wanted.backend else places.choose(wanted.backend, house.home).name
        if loose := taps.looseness(place, wanted.network):
            yield Finding(GROUP, "place", "warning", loose, "use bubblewrap or landlock, with a network")
    yield from map(_one, known)


def _one(secret: Secret) -> Finding:
    to, parts = ", ".join(secret.hosts), ", ".join(secret.places)
    if secret.kind == "command":
        return Finding(GROUP, secret.name, "ok", f"from a command, to {to} ({parts})")
    try:
        vault.read_value(secret)
    except HandiworkError as error:
        return Finding(GROUP, secret.name, "problem", str(error), error.hint)
    return Finding(GROUP, secret.name, "ok", f"from {secret.kind} {secret.source}, to {to} ({parts})")
