"""Judging rows of four surfaces, by us or by Hermes Agent: `python surfaces_probe.py hermes` in its environment.

Reads one JSON object of lists of rows and prints, for each row, whether it is met.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Judge = Callable[[Row], bool]
# The surface, its file, and what its rows are grouped by.
SURFACES = {
    "urls": ("ssrf.jsonl", "trick"),
    "paths": ("paths.jsonl", "trick"),
    "secrets": ("secrets.jsonl", "format"),
    "injection": ("injection.jsonl", "kind"),
}
_PUBLIC = "93.184.216.34"


def hops_of(row: Row) -> list[str]:
    """The addresses that a fetch would go through."""
    redirects = [hop.rpartition("url=")[2] for hop in str(row.get("redirect") or "").split("->") if hop]
    whole = [f"http:{hop}" if hop.startswith("//") else hop for hop in redirects]
    return [row["url"], *whole]


def addresses_of(row: Row, host: str) -> list[str]:
    """What a name leads to: as the row says, at any of the looks that it tells of, else somewhere public."""
    known = {**(row.get("resolver") or {}), **(row.get("resolver_sequence") or {})}.get(host, [_PUBLIC])
    return [address for look in known for address in (look if isinstance(look, list) else [look])]


def in_place(row: Row, judge: Callable[[str, str, bool], bool]) -> bool:
    """Whether a path is judged as it should be, among the files that the row wants there."""
    with tempfile.TemporaryDirectory() as top:
        root, out = os.path.join(top, "ROOT"), os.path.join(top, "OUT")
        os.makedirs(root)
        os.makedirs(out)
        Path(out, "secret").write_text("x")  # what rows lead to
        text = lambda said: said.replace("ROOT", root).replace("OUT", out)  # noqa: E731
        if row.get("setup"):
            command = ["bash", "-c", text(row["setup"])]
            subprocess.run(command, cwd=root, check=False, capture_output=True, timeout=10)
        return judge(text(row["path"]), root, row.get("op") == "write") == (row["expect"] == "allow")


def in_text(row: Row, redact: Callable[[str], str]) -> bool:
    """Whether a secret is gone, or a harmless text as it was."""
    text, gone = "".join(row["text"]), "".join(row.get("must_not_contain") or [])
    return gone not in redact(text) if row["expect"] == "redact" and gone else redact(text) == text


def in_fence(row: Row, fence: Callable[[str], str]) -> bool:
    """Whether a token is broken or an order noted, and a harmless text left alone."""
    fenced = fence(row["text"])
    noted = "risk" in fenced.lower()
    return (
        (row["text"] not in fenced or noted) if row["expect"] == "neutralise" else row["text"] in fenced and not noted
    )


def ours() -> dict[str, Judge]:
    """The guard's functions."""
    guard = importlib.import_module("handiwork.guard")

    def url(row: Row) -> bool:
        fine = all(guard.judge_url(u, lambda host: addresses_of(row, host)).action == "allow" for u in hops_of(row))
        return fine == (row["expect"] == "allow")

    return {
        "urls": url,
        "paths": lambda row: in_place(row, lambda path, root, w: guard.judge_path(path, root, w).action == "allow"),
        "secrets": lambda row: in_text(row, guard.redact),
        "injection": lambda row: in_fence(row, lambda text: guard.fence(text, "web")),
    }


def hermes() -> dict[str, Judge]:
    """Its functions for the same; it joins a path to its root, as its tools do."""
    urls = importlib.import_module("tools.url_safety")
    paths = importlib.import_module("tools.path_security")
    blocked = importlib.import_module("agent.file_safety")
    mask = importlib.import_module("agent.redact").redact_sensitive_text
    wrap = importlib.import_module("agent.tool_dispatch_helpers")._maybe_wrap_untrusted

    def url(row: Row) -> bool:
        real = socket.getaddrinfo
        # There is no name server here: names lead where the row says.
        socket.getaddrinfo = lambda host, port, *a, **k: [  # type: ignore[assignment]
            found for address in _numeric(host, row) for found in real(address, port or 80, *a, **k)
        ]
        try:
            return all(urls.is_safe_url(u) for u in hops_of(row)) == (row["expect"] == "allow")
        finally:
            socket.getaddrinfo = real

    def path(said: str, root: str, write: bool) -> bool:
        full = Path(root, os.path.expanduser(said))
        no = blocked.get_write_denied_error(str(full)) if write else blocked.get_read_block_error(str(full))
        return paths.validate_within_dir(full, Path(root)) is None and no is None

    return {
        "urls": url,
        "paths": lambda row: in_place(row, path),
        "secrets": lambda row: in_text(row, lambda text: mask(text, force=True)),
        "injection": lambda row: in_fence(row, lambda text: wrap("web_extract", text)),
    }


def _numeric(host: str, row: Row) -> list[str]:
    try:
        socket.inet_aton(host)
    except OSError:
        return [host] if ":" in host else addresses_of(row, host)
    return [host]


def judge_rows(judges: dict[str, Judge], rows: dict[str, list[Row]]) -> dict[str, list[bool]]:
    """Whether each row is met. A judge that fails on one has missed it."""
    return {name: [_judged(judges[name], row) for row in members] for name, members in rows.items()}


def _judged(judge: Judge, row: Row) -> bool:
    try:
        return judge(row)
    except Exception:
        return False


JUDGES = {"ours": ours, "hermes": hermes}

if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        answers = judge_rows(JUDGES[sys.argv[1]](), json.load(sys.stdin))
    print(json.dumps(answers))
