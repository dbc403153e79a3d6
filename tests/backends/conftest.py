"""What runs where: processes are found by their directory, which `env -i` and `setsid` don't change."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest


def _at(folder: Path) -> list[str]:
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/cwd") == str(folder):
                state = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[0]
                words = Path(f"/proc/{entry}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
                found += [f"{entry} {words}"] if state not in "ZX" else []
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            continue
    return found


@pytest.fixture
def living(tmp_path: Path) -> Callable[..., list[str]]:
    """The processes that have the test's directory as theirs, after at most *within* seconds of waiting for none."""

    def look(within: float = 0, folder: Path = tmp_path) -> list[str]:
        deadline = time.monotonic() + within
        while (found := _at(folder)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    return look
