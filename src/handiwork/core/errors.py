"""Errors that a person can act on: what happened, and what to do next.

Each carries the exit code that the command line ends with.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class HandiworkError(Exception):
    """Base of all errors that are told without a traceback. `hint` is the next step."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HandiworkError):
    """The caller asked for something that can't be: a wrong flag, bad JSON, an unknown name."""

    exit_code = 2


class FolderError(UsageError):
    """The folder where something should run isn't there, or can't be entered."""


class UnknownNameError(UsageError):
    """A name that nobody knows, with the ones it was perhaps meant to be."""

    def __init__(self, kind: str, name: str, known: Iterable[str], hint: str = "") -> None:
        near = near_names(name, known)
        meant = f"did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"unknown {kind}: {name!r}", " ".join(x for x in (meant, hint) if x))
        self.kind, self.name, self.near = kind, name, near


class ModelUnavailableError(HandiworkError):
    """No model is configured, or its key is missing."""

    exit_code = 3


class ModelError(HandiworkError):
    """The model's endpoint is down, slow, or answers nonsense."""

    exit_code = 1


class ModelSwitchedError(ModelError):
    """A model failed, and another one stands ready: ask again."""


class ConfigError(HandiworkError):
    """A configuration file that can't be read, with the place."""

    exit_code = 6


class LimitError(HandiworkError):
    """A limit was reached before anything was done."""

    exit_code = 4


class StorageError(HandiworkError):
    """The store of sessions can't be read or written."""


class FetchError(HandiworkError):
    """Something couldn't be fetched: it isn't allowed, doesn't answer, or is too much."""


class SessionBusyError(UsageError):
    """Another process works on the session."""


def near_names(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that *name* was perhaps meant to be, best first; at most *most*."""
    by_lower = {k.lower(): k for k in sorted(known)}
    close = get_close_matches(name.lower(), by_lower, n=most, cutoff=0.7)
    if close:
        return [by_lower[k] for k in close]
    return [k for low, k in by_lower.items() if name and name.lower() in low][:most]
