"""llama.cpp in this process: one model file, one generation at a time, on a thread of its own."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

from handiwork.core.errors import ModelError, ModelUnavailableError

from .profile import Profile
from .wording import one_line

Payload: TypeAlias = dict[str, Any]
OnChunk: TypeAlias = Callable[[Payload], bool]
_MAGIC = b"GGUF"


class Engine:
    """Loads the file on first use, which takes seconds, and keeps it until `close` or the process ends."""

    def __init__(self, path: Path, profile: Profile) -> None:
        self._path, self._profile = path, profile
        self._server: Any = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="handiwork-llama")

    async def stream(self, payload: Payload, on_chunk: OnChunk) -> None:
        """Generates, telling each chunk to *on_chunk* on the generating thread; true from it means stop.

        When the caller is cancelled, the generation stops at the next token or prompt batch.
        What llama.cpp refuses is told as a chunk with `error`.
        """
        stop = threading.Event()
        job = self._thread.submit(self._run, payload, lambda chunk: stop.is_set() or on_chunk(chunk))
        try:
            await asyncio.wrap_future(job)
        except asyncio.CancelledError:
            stop.set()
            raise

    def close(self) -> None:
        """Lets go of the model after what is running has ended."""
        self._thread.shutdown(wait=True)
        self._server = None

    def _run(self, payload: Payload, on_chunk: OnChunk) -> None:
        if self._server is None:
            self._server = load(self._path, self._profile)
        if on_chunk({}):
            return
        try:
            self._server.handle_chat_completions(payload, on_chunk)
        except (ValueError, RuntimeError) as fault:  # some refusals come as exceptions, others as a chunk
            on_chunk({"error": {"message": one_line(str(fault))}})


def load(path: Path, profile: Profile) -> Any:
    """A llama.cpp server object for *path*. Raises ModelUnavailableError where package or file is missing."""
    check(path)
    llama = importlib.import_module("xllamacpp")
    parameters = llama.CommonParams()
    parameters.model.path = str(path)
    _configure(parameters, profile)
    try:
        return llama.Server(parameters)
    except RuntimeError as fault:
        raise ModelError(
            f"llama.cpp can't load {path.name}: {fault}", "is there enough memory? free about 2 GB"
        ) from None


def check(path: Path) -> None:
    """Raises ModelUnavailableError unless the package is there and *path* is a GGUF file."""
    if importlib.util.find_spec("xllamacpp") is None:
        raise ModelUnavailableError(
            "running a model in this process needs the package xllamacpp", "pip install 'handiwork[local]'"
        )
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as fault:
        raise ModelUnavailableError(f"can't read the model file {path}: {fault.strerror}", "check the path") from None
    if magic != _MAGIC:
        raise ModelUnavailableError(f"{path} is not a GGUF file", "pull it again: handiwork model pull NAME")


def _configure(parameters: Any, profile: Profile) -> None:
    cores = len(os.sched_getaffinity(0))
    parameters.n_ctx, parameters.n_parallel = profile.context, 1
    parameters.n_batch = parameters.n_ubatch = profile.batch
    parameters.cpuparams.n_threads = profile.threads or max(1, cores - 1)
    parameters.cpuparams_batch.n_threads = profile.threads or cores
    parameters.verbosity = -1
    parameters.warmup = parameters.ui = parameters.endpoint_slots = False
    parameters.cache_ram_mib = 0
    # llama.cpp opens a port on loopback whether wanted or not: nobody but this process gets in
    parameters.hostnames, parameters.api_keys = ["127.0.0.1"], [secrets.token_hex(16)]
