"""A store with a few sessions in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.types import SessionInfo
from handiwork.core.wire import dumps


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "home" / "sessions.db")


@pytest.fixture
def store(path: str) -> Iterator[SqliteStore]:
    opened = SqliteStore(path)
    yield opened
    opened.close()


@pytest.fixture
def add(store: SqliteStore) -> Callable[..., SessionInfo]:
    """A session that was begun, said *texts*, and ended."""

    def begin(*texts: str, title: str = "a title", ended: bool = True) -> SessionInfo:
        info = store.begin(SessionInfo("", title=title, model="m", cwd="/w", started=1_790_000_000_000))
        bodies: list[Any] = [("prompt", {"message": {"role": "user", "content": text}}) for text in texts]
        bodies += [("ended", {"ending": "answered", "reason": ""})] if ended else []
        for seq, (kind, body) in enumerate(bodies, 2):
            store.append(info.number, seq, kind, call="", body=dumps(body))
        if ended:
            store.release(info, "answered")
        return store.find(info.id)

    return begin
