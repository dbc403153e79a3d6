"""What each session knows of files: what it was shown of them, and how they were then.

Sessions don't see each other's. Nothing of a file's content is kept.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from ...core.types import EMPTY_SCOPE, FileStat, Scope

_MOST_SESSIONS = 256
_MOST_FILES = 1_024
_MOST_WINDOWS = 64

Asked = tuple[int, int | None, int]


@dataclass(slots=True)
class _Known:
    """A file as it was when the session last read or wrote it, and the windows of it that were delivered."""

    state: FileStat
    windows: dict[Asked, bool] = field(default_factory=dict)


class Session:
    """The memory of one session. `named` is False for callers who share it because they name no session."""

    def __init__(self, *, named: bool) -> None:
        self.named = named
        self._files: OrderedDict[str, _Known] = OrderedDict()
        self._lock = threading.Lock()

    def changed(self, key: str, now: FileStat | None) -> bool:
        """Whether the file isn't any more what this session read or wrote. One never met isn't changed."""
        with self._lock:
            known = self._files.get(key)
        return known is not None and now is not None and not known.state.same_state(now)

    def noted(self, key: str, state: FileStat, window: Asked | None = None) -> None:
        """The session has read or written the file; *window* was delivered whole."""
        with self._lock:
            known = self._files.pop(key, None)
            if known is None or not known.state.same_state(state):
                known = _Known(state)
            self._files[key] = known
            if window is not None and len(known.windows) < _MOST_WINDOWS:
                known.windows[window] = True
            if len(self._files) > _MOST_FILES:
                self._files.popitem(last=False)

    def repeats(self, key: str, now: FileStat, window: Asked) -> bool:
        """Whether the session has this very window of the unchanged file. True every other time only.

        Who asks again after hearing so needs the text again: nobody is locked out.
        """
        with self._lock:
            known = self._files.get(key)
            if not self.named or known is None or not known.state.same_state(now):
                return False
            return known.windows.pop(window, False)


class Sessions:
    """The memories of all sessions; those that were used last are kept."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, str], Session] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, scope: Scope | None) -> Session:
        """The memory of the session that *scope* belongs to."""
        scope = scope or EMPTY_SCOPE
        name = (scope.session_id, scope.task_id)
        with self._lock:
            session = self._known.pop(name, None) or Session(
                named=name != (EMPTY_SCOPE.session_id, EMPTY_SCOPE.task_id)
            )
            self._known[name] = session
            if len(self._known) > _MOST_SESSIONS:
                self._known.popitem(last=False)
        return session


SESSIONS = Sessions()
