"""Fills a part file over HTTP, from where it broke off."""

from __future__ import annotations

import importlib
from typing import Any
from urllib.parse import urlsplit

from handiwork.core.errors import ModelError

from .partfile import PartFile
from .wording import refusal

_CONNECT_S, _IDLE_S = 10.0, 60.0
_STEP = 2**22


class UnreachableError(ModelError):
    """The place where a model's file lies can't be reached from here."""


def download(url: str, part: PartFile) -> None:
    """Fetches what is missing. Raises UnreachableError, or ModelError for what the server refuses."""
    http = importlib.import_module("httpx")
    host = urlsplit(url).hostname
    begin = part.size
    headers = {"Accept-Encoding": "identity"}
    if begin:
        headers["Range"] = f"bytes={begin}-"
    timeout = http.Timeout(_IDLE_S, connect=_CONNECT_S)
    try:
        with http.stream("GET", url, headers=headers, timeout=timeout, follow_redirects=True) as response:
            _take(response, part, str(host))
    except http.HTTPError as fault:
        part.report("broken off")
        kept = f"; {part.size / 1e6:.0f} MB are kept, and the next pull goes on from there" if part.size else ""
        raise UnreachableError(f"{host} can't be reached ({fault}){kept}", "check the connection") from None


def _take(response: Any, part: PartFile, host: str) -> None:
    if response.status_code == 416:
        return  # nothing is missing: the check of the whole says whether that is true
    if response.status_code == 200:
        part.cut(0)
    elif response.status_code != 206:
        raise refusal(response.status_code, response.read().decode("utf-8", "replace"), host)
    told = 0
    for block in response.iter_bytes():  # as they come: what has arrived when it breaks off is kept
        part.append(block)
        told += len(block)
        if told >= _STEP:
            part.report(f"from {host}")
            told = 0
    part.report(f"from {host}")
