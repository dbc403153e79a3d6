"""The embedder's object: definitions out, tool calls in, tool messages back."""

from __future__ import annotations

import asyncio
import importlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import replace
from functools import partial
from typing import Any

from ..catalog.checkpoints import Names
from ..catalog.dialects.definitions import Definer
from ..catalog.discovery import Scanner
from ..catalog.store import ToolRegistry
from ..catalog.store import registry as default_registry
from ..catalog.supply import as_names
from ..catalog.why import Story
from ..core.cancel import CancelToken
from ..core.types import Approver, Background, Handler, Message, Schema
from ..pipeline.turn import run_turn
from .face import as_tool_call
from .house import house_of


class Toolbox:
    """Tools for an agent loop of your own. Without a registry it holds the default one.

    What it was last asked to define is what it lets be called. *bindings* are your own handlers of tools
    that need an agent (`todo`, `clarify`), by tool name; `hooks` is where yours are registered. *audit* is a
    folder for a record of all calls; a registry of your own has none otherwise, and shares it with all its toolboxes.
    """

    def __init__(
        self,
        registry: ToolRegistry | None = None,
        *,
        cwd: str | None = None,
        bindings: Mapping[str, Handler] | None = None,
        audit: str = "",
    ) -> None:
        self._house = house_of(default_registry if registry is None else registry)
        if audit:
            self._house.keep_audit(audit)
        self.hooks = self._house.hooks
        self._bindings = dict(bindings or {})
        self._cwd, self._session = cwd, f"toolbox-{os.urandom(6).hex()}"
        self._supplied: frozenset[str] | None = None
        self._definer = Definer(self._house.is_legal)
        self._quarantined: Mapping[str, str] = {}
        self._selection: tuple[Names | None, Names] = (None, ())

    @classmethod
    def discover(cls, package: str, *, cwd: str | None = None) -> Toolbox:
        """A toolbox of the default tools and those of *package*, found by their source."""
        box = cls(cwd=cwd)
        folder = importlib.import_module(package).__path__[0]
        for found in Scanner().scan(os.fspath(folder)):
            run = partial(importlib.import_module, f"{package}.{found.name}")
            box._house.harvest.add(box._house.registry, found, "code", run)
        return box

    def definitions(
        self, dialect: str = "openai", toolsets: Iterable[str] | None = None, disabled: Iterable[str] = ()
    ) -> list[Schema]:
        """The definitions to send to a model, in the form of its API.

        *dialect* is `openai`, `openai-strict`, `anthropic`, `gemini`, `llamacpp` or `mcp`. A tool whose
        schema can't be said in it stays behind; `why` names the reason.
        """
        self._house.servers.begin()
        self._house.servers.settle()
        self._selection = None if toolsets is None else as_names(toolsets), as_names(disabled)
        view = self._house.supply.view(*self._selection)
        defined = self._definer.of(view.definitions, dialect, view.entries)
        self._quarantined = defined.quarantined
        self._supplied = view.names.difference(defined.quarantined)
        return defined.definitions

    def run(self, tool_calls: Iterable[Any], on_ask: Approver | None = None, *, prompt: str = "") -> list[Message]:
        """Run the calls of a reply; tool messages in the order asked. *on_ask* None denies what would ask.

        *prompt* is what the person said, if they said anything new: see `docs/flow.md`.
        """
        turn, cancel = Future[list[Message]](), CancelToken()
        work = threading.Thread(
            target=copy_context().run,
            args=(_settle, turn, lambda: asyncio.run(self._run(tool_calls, on_ask, cancel, prompt))),
            name="handiwork-toolbox",
            daemon=True,
        )
        work.start()  # a thread of its own: the caller's may have a running loop
        try:
            return turn.result()
        except KeyboardInterrupt:
            cancel.cancel()  # else what was begun would go on without anybody waiting for it
            raise

    async def arun(
        self, tool_calls: Iterable[Any], on_ask: Approver | None = None, *, prompt: str = ""
    ) -> list[Message]:
        """The same for async callers."""
        return await self._run(tool_calls, on_ask, None, prompt)

    async def _run(
        self, tool_calls: Iterable[Any], on_ask: Approver | None, cancel: CancelToken | None, prompt: str
    ) -> list[Message]:
        scope = self._house.scope(None, self._session, self._cwd, on_ask, self._supplied, prompt=prompt)
        scope = self._house.pipeline.bind(replace(scope, cancel=cancel, bindings={**scope.bindings, **self._bindings}))
        calls: Sequence[Any] = [as_tool_call(call, scope) for call in tool_calls or ()]
        return [result.message() for result in await run_turn(self._house.pipeline, calls)]

    @property
    def background(self) -> Background:
        """News of what its calls have started in the background, and their end with a turn of yours."""
        return self._house.background(self._session)

    def why(self, name: str) -> Story:
        """Why a tool is visible, or not, in the dialect that was last asked for."""
        return self._house.why(name, *self._selection, bound=None, unsayable=self._quarantined)


def _settle(turn: Future[list[Message]], work: Callable[[], list[Message]]) -> None:
    try:
        turn.set_result(work())
    except BaseException as error:  # noqa: BLE001 - whoever waits for the turn gets it
        turn.set_exception(error)
