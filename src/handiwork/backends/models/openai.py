"""Any endpoint that speaks OpenAI's chat completions: Ollama, llama.cpp, vLLM, OpenRouter, OpenAI."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from handiwork.core.clock import SYSTEM_CLOCK, Clock
from handiwork.core.errors import ModelError, ModelUnavailableError, UsageError
from handiwork.core.types import ModelReply, ModelRequest

from .completion import Completion
from .history import valid_history
from .retry import PATIENT, Retry
from .sse import read_events
from .table import Place
from .wording import refusal

if TYPE_CHECKING:
    import httpx

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_MOST_CHARS = 16 * 2**20


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked, and how patiently. Times are in seconds.

    `idle_s` is the longest silence: before the first word and between two of them.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    connect_s: float = 10.0
    idle_s: float = 300.0
    retry: Retry = PATIENT

    def __post_init__(self) -> None:
        if not _is_base_url(self.base_url):
            raise UsageError(
                f"not a base URL: {self.base_url!r}",
                "it looks like http://127.0.0.1:11434/v1 or https://host/v1",
            )

    @property
    def where(self) -> str:
        """Model and host, for messages."""
        return f"model {self.model} at {urlsplit(self.base_url).netloc.rpartition('@')[2]}"

    @property
    def url(self) -> str:
        return self.base_url.rstrip("/") + "/chat/completions"

    @property
    def is_loopback(self) -> bool:
        return urlsplit(self.base_url).hostname in _LOOPBACK


def _is_base_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that don't close, a port that is none
        return False


class OpenAIModel:
    """A `Model` over HTTP. One connection is kept per event loop; `aclose` lets it go."""

    dialect = "openai"

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.name = endpoint.model
        self._endpoint, self._sleep, self._clock = endpoint, sleep, clock
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def reply(self, request: ModelRequest, /) -> ModelReply:
        """Asks, and asks again where the endpoint is only busy.

        Raises ModelUnavailableError where the key isn't taken, ModelError for every other fault.
        """
        tries = 0
        while True:
            tries += 1
            answer = await self._ask(request, tries)
            if isinstance(answer, ModelReply):
                return answer
            await self._sleep(answer)

    async def aclose(self) -> None:
        """Closes the connection, if there is one."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _ask(self, request: ModelRequest, tries: int) -> ModelReply | float:
        """The reply, or the seconds after which to ask again."""
        async with self._exchange(request) as response:
            if response.status_code == 200:
                return await self._read(response, request)
            body = (await response.aread()).decode("utf-8", "replace")
        wait_s = self._endpoint.retry.wait_s(response.status_code, tries, response.headers, self._clock.wall())
        if wait_s is None:
            raise refusal(response.status_code, body, self._endpoint.where)
        return wait_s

    @asynccontextmanager
    async def _exchange(self, request: ModelRequest) -> AsyncIterator[httpx.Response]:
        """The border to the network: what goes wrong there leaves as a ModelError."""
        http = _httpx()
        try:
            async with self._connected().stream("POST", self._endpoint.url, json=self._body(request)) as response:
                yield response
        except http.ConnectTimeout:
            raise self._fault(f"didn't take the connection within {self._endpoint.connect_s:g} s") from None
        except http.TimeoutException:
            raise self._fault(f"was silent for {self._endpoint.idle_s:g} s") from None
        except http.ConnectError as fault:
            raise self._fault(f"can't be reached ({fault or 'connection failed'})") from None
        except (http.HTTPError, http.InvalidURL) as fault:
            raise self._fault(f"broke the connection ({str(fault) or type(fault).__name__})") from None

    def _fault(self, what: str) -> ModelError:
        return ModelError(
            f"{self._endpoint.where} {what}",
            f"check that a server runs at {self._endpoint.base_url}, or set HANDIWORK_BASE_URL",
        )

    def _connected(self) -> httpx.AsyncClient:
        """The client of the running loop: one from another loop can't be used here."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._new_client(), loop
        return self._client

    def _new_client(self) -> httpx.AsyncClient:
        http, end = _httpx(), self._endpoint
        client: httpx.AsyncClient = http.AsyncClient(
            timeout=http.Timeout(end.idle_s, connect=end.connect_s),
            headers={"Authorization": f"Bearer {end.api_key}"} if end.api_key else {},
            trust_env=not end.is_loopback,  # a proxy for the outside must not get what stays on this machine
        )
        return client

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": valid_history(request.messages),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.tools:
            body["tools"] = list(request.tools)
        if request.max_tokens is not None:
            body["max_tokens"] = request.max_tokens
        return body

    async def _read(self, response: httpx.Response, request: ModelRequest) -> ModelReply:
        completion = Completion(request, self._endpoint.where)
        if "text/event-stream" in response.headers.get("content-type", ""):
            return await completion.take_events(read_events(response.aiter_lines()))
        body = (await self._whole(response)).lstrip("\ufeff \r\n\t")
        if body.startswith("data:"):
            return await completion.take_events(read_events(_as_lines(body)))
        return completion.take_document(body)

    async def _whole(self, response: httpx.Response) -> str:
        parts, size = [], 0
        async for part in response.aiter_text():
            parts.append(part)
            size += len(part)
            if size > _MOST_CHARS:
                raise self._fault(f"sent more than {_MOST_CHARS >> 20} MiB at once")
        return "".join(parts)


def _httpx() -> Any:
    """The HTTP library, on first use: it costs a tenth of a second, which start-up must not pay."""
    return importlib.import_module("httpx")


async def _as_lines(body: str) -> AsyncIterator[str]:
    for line in body.splitlines():
        yield line


def open_openai(name: str, place: Place) -> OpenAIModel:
    """OpenAI itself, or another place that the base URL names."""
    if place.base_url:
        return open_at_url(f"{place.base_url}#{name}", place)
    return OpenAIModel(Endpoint("https://api.openai.com/v1", name, _needed_key(place, "OPENAI_API_KEY")))


def open_openrouter(name: str, place: Place) -> OpenAIModel:
    """A model behind OpenRouter."""
    return OpenAIModel(Endpoint("https://openrouter.ai/api/v1", name, _needed_key(place, "OPENROUTER_API_KEY")))


def open_ollama(name: str, place: Place) -> OpenAIModel:
    """A model that Ollama serves, on this machine unless the base URL says otherwise."""
    return OpenAIModel(Endpoint(place.base_url or "http://127.0.0.1:11434/v1", name, place.key()))


def open_at_url(name: str, place: Place) -> OpenAIModel:
    """`URL#MODEL`. Only HANDIWORK_API_KEY goes there: the providers' own keys are for the providers."""
    url, _, model = name.partition("#")
    return OpenAIModel(Endpoint(url, model or "default", place.key()))


def _needed_key(place: Place, variable: str) -> str:
    key = place.key(variable)
    if not key:
        raise ModelUnavailableError(f"no API key: {variable} is not set", f"export {variable}=...")
    return key
