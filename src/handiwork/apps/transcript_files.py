"""Sessions as files that hook commands can read: all that is stored so far, in the lines of `sessions export`."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable

from ..backends.storage.kept import kept_folder
from ..backends.storage.sqlite import SqliteStore
from ..core.wire import dumps
from .transcripts import as_jsonl, entry_document

_NAME = "transcript.jsonl"


class TranscriptFiles:
    """Writes them when somebody asks, beside the files that *store* keeps for its sessions, and gone with those.

    The first time in a process a file is written whole, since another one may have died over it; after that what is
    new is put at its end.
    """

    def __init__(self, store: Callable[[], object]) -> None:
        self._store = store
        self._written: dict[str, int] = {}
        self._lock = threading.Lock()

    def path_of(self, session: str) -> str:
        """The file of the session of that id, up to date; "" where it isn't stored.

        Raises `StorageError` where it can't be read, `OSError` where it can't be written.
        """
        store = self._store()
        if not isinstance(store, SqliteStore) or not session or not (number := store.number_of(session)):
            return ""
        path = os.path.join(kept_folder(store.path), f"{session}-{_NAME}")
        with self._lock:
            known = self._written.pop(session, 0)  # if this fails, the next time writes it whole
            entries = list(store.entries(number, known))
            if not known:
                _write(path, as_jsonl(store.numbered([number])[number], entries))
            elif entries:
                _append(path, (dumps(entry_document(entry)) for entry in entries))
            self._written[session] = entries[-1].seq if entries else known
        return path


def _write(path: str, lines: Iterable[str]) -> None:
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
    beside = f"{path}.{os.getpid()}"
    _append(beside, lines)
    os.replace(beside, path)


def _append(path: str, lines: Iterable[str]) -> None:
    """Half a surrogate pair, as broken streams make them, is written as JSON can spell it."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(f"{line}\n" for line in lines)
