"""One exchange with a model's endpoint over HTTP: asked patiently, read as it streams, faults in words."""

from __future__ import annotations

import asyncio
import importlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from handiwork.core.clock import SYSTEM_CLOCK, Clock
from handiwork.core.errors import ModelError, UsageError
from handiwork.core.types import ModelReply, ModelRequest

from .reading import Reading
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

    `idle_s` is the longest silence: before the first word and between two of them. `provider` is who runs
    it, as OpenTelemetry names them; "" where that isn't known.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    connect_s: float = 10.0
    idle_s: float = 300.0
    retry: Retry = PATIENT
    provider: str = ""

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

    def url(self, path: str) -> str:
        return self.base_url.rstrip("/") + path

    @property
    def is_loopback(self) -> bool:
        return urlsplit(self.base_url).hostname in _LOOPBACK


def _is_base_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that don't close, a port that is none
        return False


def endpoint_of(model: str, place: Place, *, url: str, keys: tuple[str, ...], provider: str) -> Endpoint:
    """The provider's own *url* with one of its *keys*, or the place's base URL.

    Only HANDIWORK_API_KEY goes to the latter: the providers' own keys are for the providers.
    """
    if place.base_url:
        return Endpoint(place.base_url, model, place.key())
    return Endpoint(url, model, place.needed_key(*keys), provider=provider)


class HttpModel(ABC):
    """A `Model` over HTTP. One connection is kept per event loop; `aclose` lets it go.

    A provider's own is what it says: where it is asked, with which headers and body, how its reply reads.
    """

    dialect = "openai"

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.name, self.provider = endpoint.model, endpoint.provider
        self.endpoint, self._sleep, self._clock = endpoint, sleep, clock
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @abstractmethod
    def path(self) -> str:
        """What follows the base URL."""

    @abstractmethod
    def headers(self) -> Mapping[str, str]:
        """Headers that say who asks."""

    @abstractmethod
    def body(self, request: ModelRequest) -> dict[str, Any]:
        """The request in the provider's form."""

    @abstractmethod
    def reading(self, request: ModelRequest) -> Reading:
        """What takes the reply in."""

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
        wait_s = self.endpoint.retry.wait_s(response.status_code, tries, response.headers, self._clock.wall())
        if wait_s is None:
            raise refusal(response.status_code, body, self.endpoint.where)
        return wait_s

    @asynccontextmanager
    async def _exchange(self, request: ModelRequest) -> AsyncIterator[httpx.Response]:
        """The border to the network: what goes wrong there leaves as a ModelError."""
        http = _httpx()
        try:
            url = self.endpoint.url(self.path())
            async with self._connected().stream("POST", url, json=self.body(request)) as response:
                yield response
        except http.ConnectTimeout:
            raise self._fault(f"didn't take the connection within {self.endpoint.connect_s:g} s") from None
        except http.TimeoutException:
            raise self._fault(f"was silent for {self.endpoint.idle_s:g} s") from None
        except http.ConnectError as fault:
            raise self._fault(f"can't be reached ({fault or 'connection failed'})") from None
        except (http.HTTPError, http.InvalidURL) as fault:
            raise self._fault(f"broke the connection ({str(fault) or type(fault).__name__})") from None

    def _fault(self, what: str) -> ModelError:
        return ModelError(
            f"{self.endpoint.where} {what}",
            f"check that a server runs at {self.endpoint.base_url}, or set HANDIWORK_BASE_URL",
        )

    def _connected(self) -> httpx.AsyncClient:
        """The client of the running loop: one from another loop can't be used here."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = self._new_client(), loop
        return self._client

    def _new_client(self) -> httpx.AsyncClient:
        http, end = _httpx(), self.endpoint
        client: httpx.AsyncClient = http.AsyncClient(
            timeout=http.Timeout(end.idle_s, connect=end.connect_s),
            headers=dict(self.headers()),
            trust_env=not end.is_loopback,  # a proxy for the outside must not get what stays on this machine
        )
        return client

    async def _read(self, response: httpx.Response, request: ModelRequest) -> ModelReply:
        reading = self.reading(request)
        if "text/event-stream" in response.headers.get("content-type", ""):
            return await reading.take_events(read_events(response.aiter_lines()))
        body = (await self._whole(response)).lstrip("\ufeff \r\n\t")
        if body.startswith("data:"):
            return await reading.take_events(read_events(_as_lines(body)))
        return reading.take_document(body)

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
