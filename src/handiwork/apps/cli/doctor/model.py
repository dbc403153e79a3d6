"""The model: whether one is chosen that can be opened. It is not asked anything."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ....core.errors import HandiworkError
from ....core.loading import Late
from ...house import House
from .finding import Finding

models = Late("handiwork.apps.chosen_model")


def look(house: House) -> Iterator[Finding]:
    """The chosen model."""
    chosen = os.environ.get("HANDIWORK_MODEL") or house.config.model or os.environ.get("HANDIWORK_BASE_URL")
    try:
        models.choose_model(house, None)
    except HandiworkError as error:
        yield Finding("model", "model", "problem" if chosen else "warning", str(error), error.hint)
    else:
        yield Finding("model", "model", "ok", chosen or house.config.base_url)
