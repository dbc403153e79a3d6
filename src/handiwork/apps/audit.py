"""The audit of a house: observes its pipeline, and writes an account of every call and of what else is decided."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import __version__
from ..core.config import Config
from ..core.loading import Late
from ..core.types import Ready, Refusal, ToolResult
from ..core.wire import dumps

if TYPE_CHECKING:
    from ..backends.audit.writer import AuditWriter

# Loaded with the first call: listing tools writes nothing.
accounts = Late("handiwork.guard.accounts")
chain = Late("handiwork.backends.audit.chain")
hashlib = Late("hashlib")
writing = Late("handiwork.backends.audit.writer")
_FREE = "free some space or mend its permissions; `audit: true` in config.yaml lets calls go on without a record"


class _Mark(NamedTuple):
    """A call that began: its number in this process, whose it is, and what its line is still to say of it."""

    number: int
    whose: str
    request: str


class HouseAudit:
    """Writes to the audit in *folder*: a line for a call that only reads, two for one that may change something.

    The first of the two is on disk before the call runs; everything else within a tenth of a second.
    """

    def __init__(self, folder: str, config: Config) -> None:
        self.folder = folder
        self._config = config
        self._required = config.audit == "required"
        self._numbers = itertools.count(1)
        self._opened: AuditWriter | None = None
        self._opening = threading.Lock()

    @property
    def _writer(self) -> AuditWriter:
        return self._opened or self._open()

    def _open(self) -> AuditWriter:
        with self._opening:
            if self._opened is None:
                keep = writing.Keep(self._config.audit_file_bytes, self._config.audit_files)
                self._opened = writing.AuditWriter(self.folder, keep, self._about)
            return self._opened

    def _about(self) -> dict[str, object]:
        """What holds for all calls of this process: a change between two segments shows here."""
        text = dumps(self._config)
        return {
            "version": __version__,
            "mode": self._config.mode,
            "sandbox": self._config.sandbox.backend,
            "config": hashlib.sha256(text.encode()).hexdigest()[:16],
        }

    # ------------------------------------------------------------------------------------------ the pipeline's

    def begin(self, ready: Ready, /) -> object | Refusal:
        """Put on record what is about to run, where it may change something."""
        number, whose = next(self._numbers), accounts.identity(ready.call, ready.entry)
        request = f"{accounts.request(ready)},{accounts.verdict(ready, ready)}"
        if not self._required and ready.entry.traits.resolved_effect() == "read":
            return _Mark(number, whose, request)
        problem = self._writer.put(f'"at":"{chain.stamp()}","event":"begin","n":{number},{whose},{request}')
        if problem and self._required:
            return Refusal(f"this call can't be put on record: {problem}", "audit", _FREE)
        return _Mark(number, whose, "")

    def end(self, mark: object, known: Ready | None, end: Ready | Refusal, result: ToolResult, /) -> None:
        """Put on record what came of a call."""
        if not isinstance(mark, _Mark):
            mark = self._unbegun(known, end, result)
        event, request = ("call", f"{mark.request},") if mark.request else ("end", "")
        head = f'"at":"{chain.stamp()}","event":"{event}","n":{mark.number},{mark.whose}'
        self._writer.add(f"{head},{request}{accounts.outcome(result)}")

    def _unbegun(self, known: Ready | None, end: Ready | Refusal, result: ToolResult) -> _Mark:
        """A refused call: what it asked for, as far as that was understood."""
        whose = accounts.identity(result.call, known.entry if known else None)
        asked = accounts.request(known) if known and known.args else accounts.request_as_written(result.call)
        return _Mark(next(self._numbers), whose, f"{asked},{accounts.verdict(known, end)}")

    # ------------------------------------------------------------------------------------------ of the house

    def decided(self, what: str, facts: Mapping[str, Any]) -> None:
        """Put a decision on record that is no call: a changed setting, a thing that is trusted from now on."""
        told = accounts.told({"what": what, **facts})
        self._writer.put(f'"at":"{chain.stamp()}","event":"decided",{told}')

    def flush(self) -> None:
        """Write what waits."""
        if self._opened is not None:
            self._opened.flush()

    def close(self) -> None:
        """Write what waits, and that this process's part ends here."""
        if self._opened is not None:
            self._opened.close()


def open_audit(home: str, config: Config) -> HouseAudit | None:
    """The audit in *home*, which is opened with the first call; None where there is none to be kept."""
    return HouseAudit(home, config) if home and config.audit is not False else None


def put_decision(home: str, config: Config, what: str, facts: Mapping[str, Any]) -> None:
    """Put a decision on record that is made outside of a house. What can't be written is told, not raised."""
    audit = open_audit(os.path.abspath(home), config)
    if audit is not None:
        audit.decided(what, facts)
        audit.close()
