"""Which model is meant: the flag, the environment, the configuration, in this order."""

from __future__ import annotations

import os

from ..core.config import Config
from ..core.loading import Late

table = Late("handiwork.backends.models.table")


def configured_model(config: Config, flag: str | None = None) -> str:
    """The model string that holds, or ""."""
    return flag or os.environ.get("HANDIWORK_MODEL", "") or config.model
