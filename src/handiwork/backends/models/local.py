"""A GGUF model run in this process, held to replies that are one call or one answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from handiwork.core.errors import ModelError
from handiwork.core.types import ModelReply, ModelRequest, Schema

from .completion import tool_names
from .constrained import AnswerStream, read_reply, reply_schema
from .dialogue import plain_dialogue, tool_dialogue
from .engine import Engine, check
from .identity import identify
from .profile import SMALL, Profile
from .table import Place
from .textcalls import read_calls
from .weights import path_of
from .writing import Writing


class LocalModel:
    """A `Model` over a GGUF file. Nothing is loaded before the first reply, which takes some seconds more.

    Raises ModelUnavailableError at once where the package xllamacpp or the file is missing.
    """

    dialect = "llamacpp"
    provider = "local"
    at_once = 1  # who asks while it writes waits for its end

    def __init__(self, path: Path, *, name: str = "", profile: Profile = SMALL) -> None:
        check(path)
        self.name = name or path.stem
        self.profile = profile
        self.context_tokens = profile.context
        self._engine = Engine(path, profile)

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        """One reply. Cancelling it stops the generation. Raises ModelError for what llama.cpp refuses."""
        return await (self._act(request) if request.tools else self._talk(request))

    def close(self) -> None:
        """Lets go of the model's memory."""
        self._engine.close()

    async def _talk(self, request: ModelRequest) -> ModelReply:
        payload = self._payload(request, plain_dialogue(request).messages)
        written = await self._generate(payload, Writing(_on_this_loop(request.on_text)))
        self._raise_error(written)
        return ModelReply(written.text, (), written.usage, written.cut_off)

    async def _act(self, request: ModelRequest) -> ModelReply:
        dialogue = tool_dialogue(request, self.profile)
        without = [dialogue.repeated] if dialogue.repeated and self.profile.break_repeats else []
        payload = self._payload(request, dialogue.messages)
        written = await self._write(payload, request, without)
        if written.circling:
            # at the same temperature it would run into the same circle
            payload["temperature"] = self.profile.loop_temperature
            written = await self._write(payload, request, without)
        return self._read(written, request)

    async def _write(self, payload: dict[str, Any], request: ModelRequest, without: Sequence[str]) -> Writing:
        """What the model writes under the schema, or a looser one where no grammar can be made of it."""
        written = await self._under(reply_schema(request.tools, self.profile, without=without), payload, request)
        if written.is_form_refused:
            loose = reply_schema(request.tools, self.profile, without=without, loose=True)
            written = await self._under(loose, payload, request)
        self._raise_error(written)
        return written

    async def _under(self, schema: Schema, payload: dict[str, Any], request: ModelRequest) -> Writing:
        form = {"type": "json_schema", "json_schema": {"schema": schema}}
        writing = Writing(_on_this_loop(request.on_text), AnswerStream())
        return await self._generate({**payload, "response_format": form}, writing)

    async def _generate(self, payload: dict[str, Any], writing: Writing) -> Writing:
        await self._engine.stream(payload, writing.take)
        return writing

    def _read(self, written: Writing, request: ModelRequest) -> ModelReply:
        reply = read_reply(written.text, self.profile)
        if reply is None:
            reading = read_calls(written.text, tool_names(request.tools))
            reply = ModelReply(reading.text, reading.calls)
        calls = identify(reply.calls, request.messages)
        return ModelReply(reply.text, calls, written.usage, written.cut_off or written.circling)

    def _payload(self, request: ModelRequest, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {
            "messages": messages,
            "stream": True,
            "return_progress": True,  # a sign of life for each prompt batch: the place to hear a cancel
            "temperature": self.profile.temperature,
            "seed": self.profile.seed,
            "max_tokens": request.max_tokens or self.profile.max_tokens,
        }

    def _raise_error(self, written: Writing) -> None:
        if written.error:
            raise ModelError(f"model {self.name}: {written.error}", _advice(written.error))


def _on_this_loop(tell: Callable[[str], None] | None) -> Callable[[str], None] | None:
    """*tell*, called from the generating thread, run where the caller lives."""
    if tell is None:
        return None
    loop, heard = asyncio.get_running_loop(), tell
    return lambda text: _hand_over(loop, heard, text)


def _hand_over(loop: asyncio.AbstractEventLoop, tell: Callable[[str], None], text: str) -> None:
    loop.call_soon_threadsafe(tell, text)


def _advice(error: str) -> str:
    if "context size" in error:
        return "start a new session, or use a model with a longer context"
    return "try again, or use another model"


def open_local(name: str, place: Place) -> LocalModel:
    """A model of the store by name, or a GGUF file by path."""
    return LocalModel(path_of(name, place.home), name=f"local/{Path(name).name}")
