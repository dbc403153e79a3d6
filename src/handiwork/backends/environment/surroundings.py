"""What a child process may know of our environment: an allow-list, never our keys."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from ...core.delegation import DEPTH_VARIABLE, depth_of

_KEPT = re.compile(
    r"HOME|PATH|USER|LOGNAME|SHELL|HOSTNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|XDG_[A-Z_]+"
    r"|VIRTUAL_ENV|CONDA_(?:PREFIX|DEFAULT_ENV)|PYTHONPATH|NODE_PATH|NVM_DIR|JAVA_HOME|GOPATH|GOROOT|GOPROXY"
    r"|CARGO_HOME|RUSTUP_HOME|PKG_CONFIG_PATH|LD_LIBRARY_PATH|PIP_(?:INDEX_URL|EXTRA_INDEX_URL|CONFIG_FILE|CERT)"
    r"|UV_(?:DEFAULT_)?INDEX(?:_URL)?|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS"
    r"|(?i:https?_proxy|all_proxy|no_proxy)"
)
_LOGIN_IN_URL = re.compile(r"://[^/\s]*@")

# Nobody sits at a terminal: pagers, editors and prompts would wait for ever.
_QUIET = {
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "SYSTEMD_PAGER": "cat",
    "EDITOR": "true",
    "VISUAL": "true",
    "GIT_EDITOR": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "DEBIAN_FRONTEND": "noninteractive",
    "PIP_NO_INPUT": "1",
    # What a program printed before it was ended would otherwise be lost in its own buffer.
    "PYTHONUNBUFFERED": "1",
}


def child_environment(
    added: Mapping[str, str], passed: Iterable[str] = (), *, base: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The variables for a child: the allow-list from *base* (ours), *passed* names, then *added*.

    What *added* gives as "" is left out, whoever else gives it.
    A listed variable that holds a login inside a URL stays behind, unless *passed* names it.
    """
    ours = os.environ if base is None else base
    kept = {k: v for k, v in ours.items() if _KEPT.fullmatch(k) and not _LOGIN_IN_URL.search(v)}
    kept.update((k, ours[k]) for k in passed if k in ours)
    if not any(k in kept for k in ("LANG", "LC_ALL", "LC_CTYPE")):
        kept["LANG"] = "C.UTF-8"
    whole = {**kept, **_QUIET, DEPTH_VARIABLE: str(depth_of(ours) + 1), **added}
    return {name: value for name, value in whole.items() if value or name not in added}
