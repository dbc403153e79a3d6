"""Several models in order: when one fails for good, the next one goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from handiwork.core.errors import ModelError, ModelSwitchedError, ModelUnavailableError
from handiwork.core.types import Model, ModelReply, ModelRequest


class FallbackModel:
    """A `Model` that stands for the first of *openers* that works.

    A failure moves on to the next one and is told by `ModelSwitchedError`: the caller asks again, with the
    definitions in the dialect of the moment. Raises what the last one raises.
    """

    def __init__(self, openers: Sequence[Callable[[], Model]]) -> None:
        self._left = list(openers)
        self._current = self._left.pop(0)()
        self.name = self._current.name

    @property
    def dialect(self) -> str:
        """Which form of tool definitions the model of the moment takes."""
        return str(getattr(self._current, "dialect", "openai"))

    @property
    def loads_found(self) -> bool:
        """Whether the model of the moment takes deferred tools and loads what a tool search finds."""
        return bool(getattr(self._current, "loads_found", False))

    @property
    def provider(self) -> str:
        """Whose price list holds for the model of the moment."""
        return str(getattr(self._current, "provider", ""))

    @property
    def context_tokens(self) -> int | None:
        """What the model of the moment holds, where it says so."""
        known: int | None = getattr(self._current, "context_tokens", None)
        return known

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        """One reply, or the news that another model has to be asked."""
        try:
            return await self._current.reply(request)
        except ModelSwitchedError:
            raise  # it stays, and takes another form of request
        except (ModelError, ModelUnavailableError) as failure:
            self._move_on(failure)
            raise ModelSwitchedError(f"{failure}; going on with {self.name}") from failure

    def _move_on(self, failure: ModelError | ModelUnavailableError) -> None:
        """Open the next one. Raises *failure* where there is none that opens."""
        while self._left:
            try:
                self._current = self._left.pop(0)()
                self.name = self._current.name
                return
            except ModelUnavailableError:
                continue  # its key is missing here: the one behind it may have one
        raise failure
