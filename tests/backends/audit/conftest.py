"""An audit in a folder of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from handiwork.backends.audit.writer import AuditWriter, Keep


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "audit"


@pytest.fixture
def open_writer(folder: Path) -> Callable[..., AuditWriter]:
    def open_one(**keep: int) -> AuditWriter:
        return AuditWriter(str(folder), Keep(**keep), lambda: {"who": "test"})

    return open_one


@pytest.fixture
def write(open_writer: Callable[..., AuditWriter]) -> Callable[..., None]:
    """Writes so many lines as one process would, from its beginning to its end."""

    def write_all(count: int, name: str = "x") -> None:
        writer = open_writer()
        for number in range(count):
            writer.add(f'"event":"call","n":{number},"name":"{name}"')
        writer.close()

    return write_all
