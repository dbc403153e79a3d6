"""A certificate authority of one session: it vouches for the hosts that secrets go to, to the sandbox alone."""

from __future__ import annotations

import importlib
import os
import ssl
import threading
from functools import lru_cache
from pathlib import Path
from typing import Any

from ....core.errors import UsageError

# The variables by which programs find the authorities that they trust.
CA_VARIABLES = (
    *("SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO", "PIP_CERT"),
    *("AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "DENO_CERT"),
)
_MOST_HOSTS = 256
_OURS = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


class Authority:
    """Its key is in this process's memory only, and goes with it."""

    def __init__(self) -> None:
        self._ca = _library().CA(organization_name="Handiwork, this session", organization_unit_name="sandbox")
        self._trusted = _trusted_here()
        self._lock = threading.Lock()
        self._server_context = lru_cache(_MOST_HOSTS)(self._new_server_context)
        self.upstream = ssl.create_default_context(cadata=self._trusted)
        self.upstream.set_alpn_protocols(["http/1.1"])

    def bundle(self) -> str:
        """What programs in the sandbox trust: the authorities of this machine, and this one."""
        own: bytes = self._ca.cert_pem.bytes()
        return f"{self._trusted.rstrip()}\n{own.decode('ascii')}"

    def context_for(self, host: str) -> ssl.SSLContext:
        """What answers in the name of *host*."""
        with self._lock:
            return self._server_context(host)

    def _new_server_context(self, host: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        self._ca.issue_cert(host).configure_cert(context)
        return context


def _library() -> Any:
    try:
        return importlib.import_module("trustme")
    except ImportError as error:
        raise UsageError(
            "secrets that are bound to hosts need the package trustme", "pip install 'handiwork[secrets]'"
        ) from error


def _trusted_here() -> str:
    """The authorities that this process trusts: the person's own bundle, else the system's, else the library's."""
    named = (os.environ.get(name) for name in _OURS)
    system = ssl.get_default_verify_paths().cafile
    for path in (*named, system, importlib.import_module("certifi").where()):
        if path and os.path.isfile(path):
            return Path(path).read_text(encoding="utf-8", errors="replace")
    raise UsageError("no list of certificate authorities was found", "set SSL_CERT_FILE to one")
