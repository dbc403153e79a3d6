"""A login in a browser: the page is opened, and what it sends back is caught here or pasted by the person."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from mcp.shared.auth import AuthorizationCodeResult

from ..core.errors import HandiworkError

_PATH = "/callback"
_MOST_BYTES = 16_384
_DONE = "You are logged in. This page can be closed."
_NOT_DONE = "The login was not completed. See the terminal."


class BrowserLogin:
    """A `Person` at a terminal. *tell* shows a line; *ask* puts a question and answers with what was typed.

    With *pastes*, no browser is opened and nothing is listened to: the person carries the answer over.
    """

    def __init__(self, tell: Callable[[str], object], ask: Callable[[str], str], *, pastes: bool = False) -> None:
        self._tell, self._ask, self._pastes = tell, ask, pastes
        self._door = socket.socket()
        self._door.bind(("127.0.0.1", 0))
        self.redirect_uri = f"http://127.0.0.1:{self._door.getsockname()[1]}{_PATH}"

    def close(self) -> None:
        """Listen no more."""
        self._door.close()

    async def approves(self, origin: str, /) -> bool:
        """Whether the person agrees to log in at a place that isn't the server's own."""
        said = await asyncio.to_thread(self._ask, f"The login is made at {origin}. Is that right? [y/N] ")
        return said.strip().lower() in ("y", "yes")

    async def visits(self, url: str, /) -> AuthorizationCodeResult:
        """The code that the page gives. Raises `HandiworkError` where it gives none."""
        self._tell(f"log in here:\n  {url}")
        if self._pastes:
            said = await asyncio.to_thread(self._ask, "then paste the address that the browser ends at: ")
            return _code_in(said.strip())
        caught = asyncio.get_running_loop().create_future()
        server = await asyncio.start_server(lambda r, w: _catch(r, w, caught), sock=self._door)
        try:
            await asyncio.to_thread(webbrowser.open, url)
            address: str = await caught
        finally:
            server.close()
        return _code_in(address)


async def _catch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, caught: asyncio.Future[str]) -> None:
    """One request of the browser's; those for anything else are turned away."""
    try:
        head = (await reader.readuntil(b"\r\n"))[:_MOST_BYTES].decode("latin-1").split(" ")
        is_answer = len(head) >= 2 and head[0] == "GET" and urlsplit(head[1]).path == _PATH
        words = (_DONE if "code=" in head[1] else _NOT_DONE) if is_answer else "Nothing is here."
        status = "200 OK" if is_answer else "404 Not Found"
        about = f"Content-Type: text/plain\r\nContent-Length: {len(words)}\r\nConnection: close\r\n"
        writer.write(f"HTTP/1.1 {status}\r\n{about}\r\n{words}".encode())
        await writer.drain()
    finally:
        writer.close()
    if is_answer and not caught.done():
        caught.set_result(head[1])


def _code_in(address: str) -> AuthorizationCodeResult:
    said = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
    if "code" not in said:
        why = said.get("error_description") or said.get("error") or "the address holds no code"
        raise HandiworkError(f"the login was not completed: {why}", "try again")
    return AuthorizationCodeResult(code=said["code"], state=said.get("state"), iss=said.get("iss"))
