"""The model that the flag, the environment or the configuration names."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from ..backends.models.fallback import FallbackModel
from ..backends.models.table import Place, open_model
from ..core.types import Model
from .house import House


def model_string(house: House, flag: str | None) -> str:
    """What names the model that `choose_model` opens, to open it again later."""
    return flag or os.environ.get("HANDIWORK_MODEL") or house.config.model


def choose_model(house: House, flag: str | None) -> Model:
    """The model of the flag, the environment or the configuration. Raises `ModelUnavailableError`.

    Where the configuration names others to fall back on, it stands for all of them.
    """
    place = Place(Path(house.home), base_url=house.config.base_url)

    def first() -> Model:
        return open_model(flag or "", place, configured=house.config.model)

    others = [partial(open_model, name, place) for name in house.config.fallback_models]
    return FallbackModel([first, *others]) if others else first()
