"""Authorises the requests of one server: with what is kept, renewed where it has run out, or by a person."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.utils import extract_field_from_www_auth, extract_scope_from_www_auth, union_scopes
from mcp.shared.auth import OAuthClientInformationFull, OAuthMetadata, OAuthToken, ProtectedResourceMetadata

from .faults import AwayError, NeedsLoginError
from .keeping import LoginFile, expiry_of
from .visits import Visits

_AWAY = 500
# A token is renewed so long before it ends: a request is on its way for a while.
_MARGIN_S = 10.0
Flow = AsyncGenerator[httpx2.Request, httpx2.Response]


class Storage:
    """What the SDK's providers keep their tokens in; more is kept than they ask for.

    `registered` is as whom we were registered beforehand; nothing that a server says takes its place.
    """

    def __init__(self, file: LoginFile, registered: OAuthClientInformationFull | None = None) -> None:
        self.file, self.registered = file, registered
        self.kept = file.load()

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens, as long as they still hold."""
        kept = self.kept
        if kept.tokens is None:
            return None
        left = {} if kept.expires_at is None else {"expires_in": int(kept.expires_at - time.time())}
        return OAuthToken.model_validate({**kept.tokens, **left})

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep new ones, with the moment at which they end."""
        self.kept.tokens = tokens.model_dump(mode="json", exclude_none=True)
        self.kept.expires_at = expiry_of(self.kept.tokens)
        self.file.save(self.kept)

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """As whom we are registered."""
        if self.registered or self.kept.client is None:
            return self.registered
        return OAuthClientInformationFull.model_validate(self.kept.client)

    async def set_client_info(self, client: OAuthClientInformationFull) -> None:
        """Keep as whom we were registered."""
        self.kept.client = client.model_dump(mode="json", exclude_none=True)
        self.kept.issuer = client.issuer or ""
        self.file.save(self.kept)

    def authorise(self, request: httpx2.Request) -> None:
        """Put the access token on a request, if there is one."""
        if self.kept.tokens and (self.kept.expires_at is None or time.time() < self.kept.expires_at):
            request.headers["Authorization"] = f"Bearer {self.kept.tokens['access_token']}"


class Login(httpx2.Auth):
    """Stands around a provider of the SDK's: no place that nobody agreed to, no flow where nobody is.

    *stops* says that the provider can't get a token by itself, and nobody is there who could.
    """

    def __init__(self, server: str, inner: httpx2.Auth, storage: Storage, visits: Visits, *, stops: bool) -> None:
        self._server, self._inner, self._storage, self._visits = server, inner, storage, visits
        self._stops, self._begun = stops, False

    async def async_auth_flow(self, request: httpx2.Request) -> Flow:
        """Authorise *request*; further requests are yielded on the way.

        The SDK's own flow holds a lock while a request waits for its answer, so that calls would queue: it is
        only entered when an answer says that a login is wanted.
        """
        if isinstance(self._inner, OAuthClientProvider):
            async with aclosing(_passed_on(self._renew(self._inner))) as renewing:
                async for asked in renewing:
                    asked.response = yield asked.request
        self._storage.authorise(request)
        sent_with = request.headers.get("Authorization")
        response = yield request
        if not _wants_login(response):
            return
        if self._stops:
            self._stop_at(response)
        known: httpx2.Response | None = response
        async with aclosing(_passed_on(self._inner.async_auth_flow(request))) as flow:  # it holds a lock
            async for asked in flow:
                if asked.request is not request:
                    await self._visits.check(str(asked.request.url))
                elif request.headers.get("Authorization") == sent_with and known is not None:
                    asked.response, known = known, None  # what comes of that
                    continue
                asked.response = yield asked.request
        self._note(self._inner)

    def _stop_at(self, response: httpx2.Response) -> None:
        """Nobody is there: what a login should ask for is kept for when somebody is."""
        narrow = response.status_code != 401
        kept = self._storage.kept
        if narrow:
            granted = (kept.tokens or {}).get("scope")
            kept.wanted_scope = union_scopes(granted, extract_scope_from_www_auth(response)) or ""
            self._storage.file.save(kept)
        was = "its login has ended" if kept.tokens else "it wants a login"
        raise NeedsLoginError(self._server, "it wants a login with more rights" if narrow else was)

    # ----------------------------------------------------------------------------------------- renewing

    async def _renew(self, provider: OAuthClientProvider) -> Flow:
        """Take what is kept, and renew it where it has run out: once, however many want that at once."""
        context = provider.context
        if not self._begun:
            await self._restore(provider)
        if context.current_tokens is None or _holds(context.token_expiry_time):
            return
        async with self._storage.file.alone():
            await self._restore(provider)
            if _holds(context.token_expiry_time) or not context.can_refresh_token():
                return
            asked = await provider._refresh_token()
            await self._visits.check(str(asked.url))
            response = yield asked
            if response.status_code >= _AWAY:
                raise AwayError(f"its login service answers with HTTP status {response.status_code}", "try again later")
            await provider._handle_refresh_response(response)

    async def _restore(self, provider: OAuthClientProvider) -> None:
        """The SDK forgets when a token ends and where it came from: without either it would never be renewed."""
        self._begun = True
        self._storage.kept = kept = self._storage.file.load()
        self._visits.approved[:] = dict.fromkeys([*self._visits.approved, *kept.approved])
        await provider._initialize()
        context = provider.context
        context.token_expiry_time = kept.expires_at if kept.tokens else None
        if context.oauth_metadata is None and kept.metadata:
            context.oauth_metadata = OAuthMetadata.model_validate(kept.metadata)
            context.auth_server_url = kept.issuer or None
        if context.protected_resource_metadata is None and kept.resource_metadata:
            context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(kept.resource_metadata)

    def _note(self, inner: Any) -> None:
        """Keep where the tokens came from, and what was agreed to on the way."""
        context = getattr(inner, "context", None)
        kept = self._storage.kept
        before = (kept.metadata, kept.resource_metadata, kept.approved)
        if context is not None and context.oauth_metadata is not None:
            kept.metadata = context.oauth_metadata.model_dump(mode="json", exclude_none=True)
            kept.issuer = str(context.oauth_metadata.issuer)
        if context is not None and context.protected_resource_metadata is not None:
            kept.resource_metadata = context.protected_resource_metadata.model_dump(mode="json", exclude_none=True)
        kept.approved = list(self._visits.approved)
        if kept.tokens and before != (kept.metadata, kept.resource_metadata, kept.approved):
            self._storage.file.save(kept)


def _wants_login(response: httpx2.Response) -> bool:
    """A login, or one with more rights."""
    narrow = response.status_code == 403 and extract_field_from_www_auth(response, "error") == "insufficient_scope"
    return narrow or response.status_code == 401


def _holds(expiry: float | None) -> bool:
    return expiry is None or time.time() < expiry - _MARGIN_S


class _Asked:
    """A request of an inner flow, and what came back."""

    def __init__(self, request: httpx2.Request) -> None:
        self.request = request
        self.response: httpx2.Response | None = None


async def _passed_on(flow: Flow) -> AsyncGenerator[_Asked]:
    """The requests of a flow, each answered before the next is made."""
    try:
        asked = _Asked(await anext(flow))
        while True:
            yield asked
            assert asked.response is not None
            asked = _Asked(await flow.asend(asked.response))
    except StopAsyncIteration:
        return
    finally:
        await flow.aclose()
