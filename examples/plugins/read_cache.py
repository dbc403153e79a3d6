"""Results of tools that only read, kept for a while. Copy it to ~/.handiwork/plugins/ and change SECONDS.

A call with the same arguments is answered from here without being run. The guard judges it all the same.
What names a file is only good as long as the file is as it was.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import OrderedDict

SECONDS = {"read_file": 600.0, "web_search": 300.0, "web_extract": 300.0}
MOST_KEPT = 200


class ReadCache:
    """Keeps results by tool, arguments and, where there is a path, what the file looks like now."""

    def __init__(self, seconds=SECONDS, now=time.monotonic):
        self._seconds, self._now = seconds, now
        self._kept = OrderedDict()
        self._lock = threading.Lock()

    def look_up(self, tool_name, args, cwd):
        key = self._key(tool_name, args, cwd)
        with self._lock:
            until, result = self._kept.get(key, (0.0, ""))
        if key is None or until <= self._now():
            return None
        return {"action": "answer", "result": result}

    def keep(self, tool_name, args, cwd, result, status):
        key = self._key(tool_name, args, cwd)
        if key is None or status != "ok":
            return
        with self._lock:
            self._kept.setdefault(key, (self._now() + self._seconds[tool_name], result))
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def _key(self, tool_name, args, cwd):
        """None where a result can't be kept."""
        if tool_name not in self._seconds:
            return None
        path = args.get("path")
        if path is None:
            return tool_name, json.dumps(args, sort_keys=True), None
        try:
            seen = os.stat(os.path.join(cwd, os.path.expanduser(path)))
        except OSError:
            return None
        # A file that was written a moment ago may be written again within one tick of its clock.
        if time.time() - seen.st_mtime < 1:
            return None
        state = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
        return tool_name, json.dumps({**args, "cwd": cwd}, sort_keys=True), state


def register(ctx):
    cache = ReadCache()
    ctx.register_hook("pre_tool_call", cache.look_up)
    ctx.register_hook("post_tool_call", cache.keep)
