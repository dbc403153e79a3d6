"""Tracing that nobody asked for: what the parts are made with until somebody hands in his own."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from .types import Tracing


class _Nothing:
    """Nobody follows."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """What went wrong is told by others."""

    def carry(self, work: Callable[[], Any], /) -> Any:
        return work()

    def end(self, _: object, /) -> None:
        """Nobody is told."""

    def ready(self, _: object, /) -> None:
        """Nobody is told."""

    def question(self, *_: object) -> Self:
        return self

    def task(self, *_: object) -> Self:
        return self

    def request(self, *_: object) -> Self:
        return self

    def call(self, _: object, /) -> Self:
        return self


UNTRACED: Tracing = _Nothing()
