"""The agent's model, lent to a server that its tools are on."""

from __future__ import annotations

from typing import Any

from ..core.errors import ModelSwitchedError
from ..core.types import Args, Model, ModelReply


class LentModel:
    """A binding that no tool has: who it is lent to, how often and for how much is the lender's business."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def model_name(self) -> str:
        """The name of the model of the moment."""
        return self._model.name

    async def __call__(self, args: Args, /, **_: Any) -> ModelReply:
        """One reply to `args["request"]`. Raises `ModelError`."""
        while True:
            try:
                return await self._model.reply(args["request"])
            except ModelSwitchedError:
                continue  # another model stands ready
