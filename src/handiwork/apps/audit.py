"""The audit of a house: observes its pipeline, and writes an account of every call and of what else is decided."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..core.config import Config
from ..core.loading import Late
from ..core.types import Ready, Refusal, ToolCall, ToolEntry, ToolResult
from ..core.wire import dumps

if TYPE_CHECKING:
    from ..backends.audit.writer import AuditWriter
    from ..guard.accounts import Written

# Loaded with the first call: listing tools writes nothing.
accounts = Late("handiwork.guard.accounts")
chain = Late("handiwork.backends.audit.chain")
hashlib = Late("hashlib")
writing = Late("handiwork.backends.audit.writer")
_FREE = "free some space or mend its permissions; `audit: true` in config.yaml lets calls go on without a record"


@dataclass(slots=True)
class _Line:
    """What is put on record of a call at one moment: its number in this process, whose it is, what was asked for
    and decided, what came of it. A request that `is_raw` is masked together with those of its batch.
    """

    event: str
    number: int
    whose: str
    request: str = ""
    is_raw: bool = False
    rest: str = ""
    at: float = 0.0

    def body(self, request: str) -> str:
        asked = f"{accounts.members(request)}," if request else ""
        return f'"at":"{chain.stamp(self.at)}","event":"{self.event}","n":{self.number},{self.whose},{asked}{self.rest}'


def _bodies(batch: list[_Line | str]) -> Iterator[str]:
    """The lines of a batch, without secrets. Those that aren't about a call are so already."""
    lines = [line for line in batch if isinstance(line, _Line)]
    masked = iter(accounts.mask_all([line.request for line in lines if line.is_raw]))
    for line in batch:
        if isinstance(line, str):
            yield line
        else:
            yield line.body(next(masked) if line.is_raw else line.request)


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
                self._opened = writing.AuditWriter(self.folder, keep, self._about, _bodies)
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
        line = self._line(ready.call, ready.entry, accounts.request(ready))
        line.rest = accounts.verdict(ready, ready)
        if not self._required and ready.entry.traits.resolved_effect() == "read":
            return line
        line.event, line.at = "begin", time.time()
        problem = self._writer.put(line)
        if problem and self._required:
            return Refusal(f"this call can't be put on record: {problem}", "audit", _FREE)
        return line

    def end(self, mark: object, known: Ready | None, end: Ready | Refusal, result: ToolResult, /) -> None:
        """Put on record what came of a call."""
        line = mark if isinstance(mark, _Line) else self._unbegun(known, end, result)
        came = accounts.outcome(result)
        if line.event == "begin":
            line = _Line("end", line.number, line.whose, rest=came)
        else:
            line.rest = f"{line.rest},{came}"
        line.at = time.time()
        self._writer.add(line)

    def _unbegun(self, known: Ready | None, end: Ready | Refusal, result: ToolResult) -> _Line:
        """A refused call: what it asked for, as far as that was understood."""
        asked = accounts.request(known) if known and known.args else accounts.request_as_written(result.call)
        line = self._line(result.call, known.entry if known else None, asked)
        line.rest = accounts.verdict(known, end)
        return line

    def _line(self, call: ToolCall, entry: ToolEntry | None, asked: Written) -> _Line:
        return _Line("call", next(self._numbers), accounts.identity(call, entry), *asked)

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
