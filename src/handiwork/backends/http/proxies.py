"""The proxy that the person's variables name for an address (`https_proxy`, `http_proxy`, `no_proxy`)."""

from __future__ import annotations

from urllib.request import getproxies_environment, proxy_bypass

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def proxy_for(scheme: str, host: str, port: int) -> str:
    """The proxy's URL, empty where the way is direct. What stays on this machine goes to no proxy."""
    named = getproxies_environment()
    proxy = named.get(scheme, "")
    if not proxy or host in _LOOPBACK or proxy_bypass(f"{host}:{port}"):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"
