"""What is kept in the home: sessions, the audit, long results, caches. Looked at cheaply."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing
from functools import partial

from ....backends.storage import FILE
from ....core.loading import Late
from ...house import House
from .finding import Finding, Mend

sqlite3 = Late("sqlite3")
chain = Late("handiwork.backends.audit.chain")
segments = Late("handiwork.backends.audit.files")
checking = Late("handiwork.backends.storage.checking")
repairing = Late("handiwork.backends.storage.repairing")
spills = Late("handiwork.core.spills")
GROUP = "stores"
_WHOLE_LOOK_BYTES = 4 << 20
_MUCH_BYTES = 1 << 30
_TAIL_BYTES = 1 << 16
_TEMPORARY = re.compile(r".+\.(\d+)")
_FOLDERS = ("", "cache", "mcp", os.path.join("mcp", "known"))


def look(house: House) -> Iterator[Finding]:
    """Each store that is there."""
    yield from _sessions(os.path.join(house.home, FILE))
    yield _record(house)
    yield from _results(os.path.join(house.home, "results"))
    yield from look_at_caches(house.home)


def look_at_caches(home: str) -> Iterator[Finding]:
    """What was to be quick and isn't whole any more."""
    yield from _caches(os.path.join(home, "cache", "discovery.json"))
    yield from _left_behind(home)


def _sessions(path: str) -> Iterator[Finding]:
    if not os.path.exists(path):
        return
    size = _bytes(os.path.getsize(path))
    if damage := _damage_in(path):
        mend = Mend(
            f"handiwork check --repair ({path} as it is now is set aside)", partial(_repair, path), careful=True
        )
        yield Finding(GROUP, "sessions", "problem", f"{path} ({size}): {damage}", "handiwork check --repair", mend)
    else:
        yield Finding(GROUP, "sessions", "ok", f"{path} ({size}); `handiwork check` looks at all of it")


def _damage_in(path: str) -> str:
    """What a short look finds amiss with a database: at all of a small one, at the list of tables of a large one."""
    ask = (
        "PRAGMA quick_check(1)" if os.path.getsize(path) <= _WHOLE_LOOK_BYTES else "SELECT count(*) FROM sqlite_master"
    )
    try:
        with closing(
            sqlite3.connect(f"file:{path.replace('?', '%3f').replace('#', '%23')}?mode=ro", uri=True)
        ) as database:
            (said,) = database.execute(ask).fetchone()
    except sqlite3.Error as error:
        return str(error)
    return "" if said == "ok" or isinstance(said, int) else str(said)


def _repair(path: str) -> str:
    done = repairing.repair(path, checking.find_damage(path))
    return "; ".join(done) or "nothing was found that could be repaired"


def _record(house: House) -> Finding:
    if house.audit is None:
        return Finding(GROUP, "audit", "warning", "calls aren't put on record", "handiwork config set audit true")
    path = segments.current(house.home)
    needed = ", and none runs that can't be" if house.config.audit == "required" else ""
    there = path if os.path.exists(path) else house.home
    if os.path.exists(there) and not os.access(there, os.W_OK):
        return Finding(GROUP, "audit", "warning", f"{path} can't be written{needed}", f"make {there} writable")
    if not _ends_well(path):
        said = f"the last line of {path} is not what was written"
        return Finding(GROUP, "audit", "warning", said, "handiwork audit verify")
    return Finding(GROUP, "audit", "ok", f"calls are put on record in {path}{needed}")


def _ends_well(path: str) -> bool:
    """Whether the last line of a record can be read; one that was cut short isn't a line."""
    try:
        with open(path, "rb") as file:
            file.seek(max(os.path.getsize(path) - _TAIL_BYTES, 0))
            tail = file.read()
    except OSError:
        return True
    lines = tail.splitlines(keepends=True)
    return not lines or (lines[-1].endswith(b"\n") and (len(lines) == 1 or chain.read(lines[-1]) is not None))


def _results(folder: str) -> Iterator[Finding]:
    if not os.path.isdir(folder):
        return
    with os.scandir(folder) as entries:
        sizes = [entry.stat(follow_symlinks=False).st_size for entry in entries]
    total, said = sum(sizes), f"{len(sizes)} long results, {_bytes(sum(sizes))}, in {folder}"
    if total <= _MUCH_BYTES:
        yield Finding(GROUP, "results", "ok", said)
        return
    mend = Mend(f"remove from {folder} what is older than {spills.KEPT_DAYS} days", partial(_sweep, folder))
    yield Finding(GROUP, "results", "warning", said, "handiwork doctor --fix removes old ones", mend)


def _sweep(folder: str) -> str:
    return f"{spills.sweep(folder)} old results are removed"


def _caches(path: str) -> Iterator[Finding]:
    if not os.path.lexists(path):
        return
    try:
        with open(path, encoding="utf-8") as file:
            json.load(file)
    except (OSError, ValueError) as error:
        mend = Mend(f"remove {path}; it is made anew", partial(_remove, path))
        yield Finding(GROUP, "cache", "warning", f"{path} can't be read ({error}): starts are slow", mend.what, mend)


def _left_behind(home: str) -> Iterator[Finding]:
    """Files that a process was writing when it was killed."""
    for folder in (os.path.join(home, name) for name in _FOLDERS):
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            found = _TEMPORARY.fullmatch(name)
            if found and not os.path.exists(f"/proc/{found[1]}") and os.path.isfile(os.path.join(folder, name)):
                path = os.path.join(folder, name)
                mend = Mend(f"remove {path}", partial(_remove, path))
                yield Finding(GROUP, "left behind", "warning", f"{path} was never finished", mend.what, mend)


def _remove(path: str) -> str:
    os.unlink(path)
    return f"{path} is removed"


def _bytes(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
