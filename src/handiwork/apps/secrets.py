"""The secrets of a configuration: masked wherever they turn up, and handed to whatever starts commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import UsageError
from ..core.loading import Late
from ..core.secrets import Secret

redaction = Late("handiwork.guard.redaction")
vault = Late("handiwork.backends.environment.secrets.vault")


def mask_known(known: Sequence[Secret]) -> None:
    """Have those masked whose values are at hand. One that can't be read is told when a command needs it."""
    for secret in known:
        if secret.kind != "command":
            try:
                redaction.learn(vault.read_value(secret))
            except UsageError:
                continue


def open_vault(known: Sequence[Secret]) -> tuple[Any, ...]:
    """The secrets with their values, all of which are masked from now on. Raises `UsageError` for one without."""
    opened = tuple(vault.held(secret) for secret in known)
    for one in opened:
        redaction.learn(one.value)
    return opened
