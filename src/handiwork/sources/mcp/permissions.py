"""What a server may ask of us: off, ask the person, or on. Read from its entry in the configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Mode: TypeAlias = Literal["off", "ask", "on"]
_MODES: Mapping[Any, Mode] = {"off": "off", False: "off", "ask": "ask", "on": "on", True: "on"}
_A_MODE = "off, ask or on"
_A_MODEL = f"{_A_MODE}, or a mapping with mode, rpm, max_tokens and models"
_FOLDERS = f"{_A_MODE}, or a list of folders"
_RPM, _MAX_TOKENS = 10, 4096


@dataclass(frozen=True, slots=True)
class Permissions:
    """`sampling` lends a server the agent's model, `elicitation` lets it ask the person, `roots` tells it the folders.

    A model is lent `rpm` times a minute at most, for answers of at most `max_tokens`, and only if its name
    fits one of `models` (* stands for any text; none named: any). `folders` none is the workspace.
    """

    sampling: Mode = "off"
    rpm: int = _RPM
    max_tokens: int = _MAX_TOKENS
    models: tuple[str, ...] = ()
    elicitation: Mode = "ask"
    roots: Mode = "on"
    folders: tuple[str, ...] = ()


ASKING = Permissions()


def fits_mode(value: Any) -> bool:
    """Whether this says off, ask or on; YAML reads two of them as false and true."""
    return isinstance(value, (bool, str)) and value in _MODES


def fits_sampling(value: Any) -> bool:
    """Whether this says how a model may be lent."""
    if not isinstance(value, dict):
        return fits_mode(value)
    counts = (value.get(key, 1) for key in ("rpm", "max_tokens"))
    return (
        value.keys() <= {"mode", "rpm", "max_tokens", "models"}
        and fits_mode(value.get("mode", "ask"))
        and all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in counts)
        and _is_texts(value.get("models", []))
    )


def fits_roots(value: Any) -> bool:
    """Whether this says which folders a server hears of."""
    return fits_mode(value) or _is_texts(value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


FIELDS = {
    "sampling": (fits_sampling, _A_MODEL),
    "elicitation": (fits_mode, _A_MODE),
    "roots": (fits_roots, _FOLDERS),
}


def read_permissions(entry: Mapping[str, Any]) -> Permissions:
    """The permissions in an entry whose fields fit."""
    said = entry.get("sampling", "off")
    sampling = said if isinstance(said, dict) else {"mode": said}
    roots = entry.get("roots", "on")
    return Permissions(
        sampling=_MODES[sampling.get("mode", "ask")],
        rpm=sampling.get("rpm", _RPM),
        max_tokens=sampling.get("max_tokens", _MAX_TOKENS),
        models=tuple(sampling.get("models", ())),
        elicitation=_MODES[entry.get("elicitation", "ask")],
        roots="on" if isinstance(roots, list) else _MODES[roots],
        folders=tuple(roots) if isinstance(roots, list) else (),
    )
