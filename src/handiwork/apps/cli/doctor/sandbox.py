"""Where commands run, what is left open there, and why it isn't a stronger place. `guard` says who keeps what."""

from __future__ import annotations

from collections.abc import Iterator

from ....core.errors import HandiworkError
from ....core.loading import Late
from ....core.sandbox import limits_in
from ...house import House
from .finding import Finding

places = Late("handiwork.backends.environment.table")
strengths = Late("handiwork.backends.environment.sandboxes.strength")
GROUP = "sandbox"
# Told by the guard's look, which says who keeps them.
_OF_GUARD = ("files:", "network:", "processes:")


def look(house: House) -> Iterator[Finding]:
    """The place for commands, and how strong it is."""
    wanted = house.config.sandbox
    if ":" in wanted.backend:
        yield Finding(GROUP, "place", "ok", f"{wanted.backend}: commands have the rights of the account there")
        return
    try:
        choice = places.choose(wanted.backend, house.home)
    except HandiworkError as error:
        yield Finding(GROUP, "place", "problem", str(error), error.hint)
        return
    held = strengths.strength_of(choice.name, places.policy_of(wanted))
    bare = not held.keeps
    if bare and (limits := limits_in(wanted)):
        said = f"none, and nothing would keep {', '.join(limits)}: no command runs"
        yield Finding(GROUP, "place", "problem", said, "install the package bubblewrap, or take these out")
        return
    fix = "install the package bubblewrap, or approve with care" if bare else ""
    said = f"none: {'; '.join(held.leaves)}" if bare else choice.name
    yield Finding(GROUP, "place", "warning" if bare else "ok", said, fix)
    for sentence in held.keeps:
        if not sentence.startswith(_OF_GUARD):
            yield Finding(GROUP, "keeps", "ok", sentence)
    for sentence in () if bare else held.leaves:
        yield Finding(GROUP, "leaves open", "warning", sentence, _STRONGER)
    for name, reason in choice.missing.items():
        yield Finding(GROUP, name, "warning", f"isn't used: {reason}", places.REMEDIES[name])


_STRONGER = "approve with care; docs/sandbox.md says what each place keeps"
