"""Which way a server is logged in to: by a person, as a program with a secret or a key, or on somebody's word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata
from pydantic import AnyUrl

from ..settings import ServerSettings
from .faults import NeedsLoginError
from .keeping import LoginFile, folder_of
from .login import Login, Storage
from .person import Person
from .visits import Visits

_NOWHERE = "http://127.0.0.1/callback"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


def login_of(settings: ServerSettings, home: str, person: Person | None) -> Login | None:
    """What authorises the requests of a server whose settings are filled; None where its headers do."""
    said = settings.auth if isinstance(settings.auth, Mapping) else {}
    if settings.auth in ("none", False) or any(name.lower() == "authorization" for name in settings.headers):
        return None
    storage = Storage(LoginFile(folder_of(home), settings.url))
    visits = Visits(settings.name, settings.url, [*storage.kept.approved, *said.get("origins", ())], person)
    way = _Way(settings, said, storage, visits, person)
    grant = said.get("grant", "authorization_code")
    inner = {
        "authorization_code": way.by_person,
        "client_credentials": way.by_program,
        "identity_assertion": way.for_somebody,
    }[grant]()
    stops = grant == "authorization_code" and person is None
    return Login(settings.name, inner, storage, visits, stops=stops)


class _Way:
    """What the ways have in common."""

    def __init__(
        self, settings: ServerSettings, said: Mapping[str, Any], storage: Storage, visits: Visits, person: Person | None
    ) -> None:
        self._settings, self._said, self._storage = settings, said, storage
        self._visits, self._person = visits, person
        self._page = ""

    def by_person(self) -> OAuthClientProvider:
        """The person logs in with a browser; we are known by a document, by registering, or beforehand."""
        kept, person, said = self._storage.kept, self._person, self._said
        metadata = OAuthClientMetadata(
            client_name="Handiwork",
            redirect_uris=[AnyUrl(person.redirect_uri if person else _NOWHERE)],
            scope=kept.wanted_scope or said.get("scope"),
        )
        if "client_id" in said:
            known = {**metadata.model_dump(exclude_none=True), **_client(said)}
            self._storage.registered = OAuthClientInformationFull.model_validate(known)
        elif person and kept.client and not kept.tokens and person.redirect_uri not in kept.client["redirect_uris"]:
            kept.client = None  # it was registered to be sent somewhere else
        return OAuthClientProvider(
            self._settings.url,
            metadata,
            self._storage,
            redirect_handler=self._show,
            callback_handler=self._visit,
            client_metadata_url=said.get("client_metadata_url"),
        )

    async def _show(self, url: str) -> None:
        await self._visits.check(url)
        self._page = url

    async def _visit(self) -> AuthorizationCodeResult:
        if self._person is None:
            raise NeedsLoginError(self._settings.name, "it wants a login")
        return await self._person.visits(self._page)

    def by_program(self) -> OAuthClientProvider:
        """A program that is known by a secret, or signs with a key."""
        said, url = self._said, self._settings.url
        more = {"scope": said.get("scope"), "issuer": said.get("issuer")}
        if "private_key" not in said:
            how = said.get("token_endpoint_auth_method", "client_secret_basic")
            return ClientCredentialsOAuthProvider(
                url, self._storage, said["client_id"], said["client_secret"], token_endpoint_auth_method=how, **more
            )
        signed = SignedJWTParameters(
            issuer=said["client_id"],
            subject=said["client_id"],
            signing_key=said["private_key"],
            signing_algorithm=said.get("algorithm", "RS256"),
        )
        signs = signed.create_assertion_provider()
        return PrivateKeyJWTOAuthProvider(url, self._storage, said["client_id"], signs, **more)

    def for_somebody(self) -> httpx2.Auth:
        """Somebody who is logged in at a company's own service, whose word the server's issuer takes."""
        said = self._said
        how = said.get("token_endpoint_auth_method", "client_secret_basic")
        return IdentityAssertionOAuthProvider(
            self._settings.url,
            self._storage,
            said["client_id"],
            said["client_secret"],
            said["issuer"],
            self._identity,
            scope=said.get("scope"),
            token_endpoint_auth_method=how,
        )

    async def _identity(self, audience: str, resource: str) -> str:
        """The company's word that this is somebody, for one issuer and one server."""
        said = self._said
        await self._visits.check(said["idp_token_endpoint"])
        asked = {
            "grant_type": _EXCHANGE,
            "requested_token_type": "urn:ietf:params:oauth:token-type:id-jag",
            "subject_token": said["id_token"],
            "subject_token_type": "urn:ietf:params:oauth:token-type:id_token",
            "audience": audience,
            "resource": resource,
            "client_id": said["idp_client_id"],
        }
        async with httpx2.AsyncClient() as client:
            response = await client.post(said["idp_token_endpoint"], data=asked)
        if response.status_code != 200:
            raise NeedsLoginError(self._settings.name, f"{said['idp_token_endpoint']} gave no word for you")
        word: str = response.json()["access_token"]
        return word


def _client(said: Mapping[str, Any]) -> dict[str, Any]:
    """A client that was registered beforehand."""
    secret = {"client_secret": said["client_secret"]} if "client_secret" in said else {}
    how = said.get("token_endpoint_auth_method") or ("client_secret_basic" if secret else "none")
    return {"client_id": said["client_id"], **secret, "token_endpoint_auth_method": how}
