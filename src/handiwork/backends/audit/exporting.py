"""An audit as a document that can be handed on, and that can be checked without the files it came from."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from ...core.wire import dumps
from .chain import stamp
from .checking import Checked, Fault

FORMAT = 1
_MARK = '{"handiwork_audit":'
_COLUMNS = (
    *("at", "event", "session", "task", "call", "platform", "tool", "origin", "verdict", "by", "rule", "status"),
    *("duration_ms", "size", "sha256", "args", "reasons", "answers", "repairs", "paths", "hosts", "effects", "labels"),
    *("seg", "seq", "place"),
)


def export(entries: Iterable[dict[str, Any]], form: str) -> Iterator[str]:
    """The lines of a document, `jsonl` or `csv`, the last of which is a manifest of the hashes of all before it."""
    hashes, segments = [], dict[str, Any]()
    for line, entry in _rows(entries, form):
        hashes.append(_short(line))
        if "seg" in entry:
            segments.setdefault(entry["seg"], []).append(entry["seq"])
        yield line
    manifest = {
        "handiwork_audit": FORMAT,
        "made": stamp(),
        "lines": len(hashes),
        "segments": {name: [min(seqs), max(seqs), len(seqs)] for name, seqs in segments.items()},
        "hashes": hashes,
    }
    text = dumps(manifest)[:-1]
    yield f'{text},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}'


def _rows(entries: Iterable[dict[str, Any]], form: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if form == "csv":
        yield ",".join(_COLUMNS), {}
    for entry in entries:
        yield (_csv_row(entry) if form == "csv" else dumps(entry)), entry


def _csv_row(entry: dict[str, Any]) -> str:
    row = io.StringIO()
    cells = (entry.get(name, "") for name in _COLUMNS)
    csv.writer(row, lineterminator="").writerow([c if isinstance(c, (str, int, float)) else dumps(c) for c in cells])
    return row.getvalue().replace("\r", "\\r").replace("\n", "\\n")


def _short(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()[:16]


def check_export(text: str) -> Checked:
    """Whether an exported document is as it was made, by its manifest."""
    found = Checked()
    lines = text.split("\n")
    while lines and not lines[-1]:
        lines.pop()
    manifest = _manifest(lines[-1]) if lines else None
    if manifest is None:
        found.faults.append(Fault(f"line {len(lines)}", "no manifest, or one that was changed"))
        return found
    found.lines, found.segments = len(lines) - 1, len(manifest["segments"])
    for number, (line, known) in enumerate(zip(lines, manifest["hashes"], strict=False), 1):
        if _short(line) != known:
            found.faults.append(Fault(f"line {number}", "changed, or a line before it was removed or inserted"))
            return found
    if found.lines != manifest["lines"]:
        found.faults.append(Fault(f"line {len(lines)}", f"{manifest['lines']} lines were exported"))
    return found


def _manifest(line: str) -> dict[str, Any] | None:
    text, _, told = line.rpartition(',"sha256":"')
    if not line.startswith(_MARK) or told != hashlib.sha256(text.encode()).hexdigest() + '"}':
        return None
    value: dict[str, Any] = json.loads(line)
    return value
