"""From a model string to a model: one table of kinds, each loaded when it is asked for.

`scripted:FILE`, `local/NAME`, `local/FILE.gguf`, `openai/NAME`, `anthropic/NAME`, `gemini/NAME`,
`ollama/NAME`, `openrouter/NAME`, `http://HOST/v1#NAME`, or any name together with a base URL.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from handiwork.core.errors import ModelUnavailableError, UnknownNameError
from handiwork.core.types import Model

_HERE = __name__.rpartition(".")[0]
_OPENERS: Mapping[str, str] = {
    "scripted": "scripted:open_scripted",
    "local": "local:open_local",
    "openai": "openai:open_openai",
    "ollama": "openai:open_ollama",
    "openrouter": "openai:open_openrouter",
    "anthropic": "anthropic:open_anthropic",
    "gemini": "gemini:open_gemini",
}
_AT_URL = "openai:open_at_url"
_FIRST_MODEL = "qwen2.5-coder-1.5b"
_KEYS: Mapping[str, str] = {
    "ANTHROPIC_API_KEY": "anthropic/NAME",
    "OPENAI_API_KEY": "openai/NAME",
    "GEMINI_API_KEY": "gemini/NAME",
    "OPENROUTER_API_KEY": "openrouter/NAME",
}


@dataclass(frozen=True, slots=True)
class Place:
    """What a model string is read against: the home folder, the environment, and a base URL ("" for none)."""

    home: Path
    env: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    base_url: str = ""

    def key(self, *names: str) -> str:
        """The first API key that is set; `HANDIWORK_API_KEY` goes before all."""
        return next((self.env[name] for name in ("HANDIWORK_API_KEY", *names) if self.env.get(name)), "")

    def needed_key(self, *names: str) -> str:
        """The same. Raises ModelUnavailableError where none is set."""
        key = self.key(*names)
        if not key:
            raise ModelUnavailableError(f"no API key: {names[0]} is not set", f"export {names[0]}=...")
        return key


Opener: TypeAlias = Callable[[str, Place], Model]


def open_model(chosen: str, place: Place, *, configured: str = "") -> Model:
    """The model that *chosen* names, else `HANDIWORK_MODEL`, else *configured*.

    Opens no connection and loads no weights. Raises ModelUnavailableError with the command that mends it
    where there is no model, no key or no file, and UnknownNameError for a kind that doesn't exist.
    """
    base_url = place.env.get("HANDIWORK_BASE_URL") or place.base_url
    place = Place(place.home, place.env, base_url)
    spec = chosen or place.env.get("HANDIWORK_MODEL") or configured
    if not spec and not base_url:
        raise no_model(place)
    opener, name = _opener_for(spec, base_url)
    return _load(opener)(name, place)


def _opener_for(spec: str, base_url: str) -> tuple[str, str]:
    """The dotted name of who opens *spec*, and the name to hand to it."""
    if spec.startswith(("http://", "https://")):
        return _AT_URL, spec
    kind, name = _split(spec)
    if name and kind in _OPENERS:
        return _OPENERS[kind], name
    if base_url:
        return _AT_URL, f"{base_url}#{spec}"
    if not name:
        hint = f"a model string has a kind, such as local/{spec} or ollama/{spec}"
        raise UnknownNameError("model", spec, (), hint)
    raise UnknownNameError("kind of model", kind, _OPENERS, f"there are: {', '.join(_OPENERS)}")


def _split(spec: str) -> tuple[str, str]:
    """Kind and name: `scripted:FILE` is the one with a colon, as a file may hold slashes."""
    kind, colon, name = spec.partition(":")
    if colon and kind == "scripted":
        return kind, name
    kind, _, name = spec.partition("/")
    return kind, name


def _load(dotted: str) -> Opener:
    module, _, name = dotted.partition(":")
    opener: Opener = getattr(importlib.import_module(f"{_HERE}.{module}"), name)
    return opener


def no_model(place: Place) -> ModelUnavailableError:
    """The error for "nothing is configured", with what would mend it on this machine."""
    stored = sorted(file.stem for file in (place.home / "models").glob("*.gguf"))
    ways = [f"handiwork config set model local/{name}" for name in stored[:1]]
    ways += [f"export HANDIWORK_MODEL={spec} ({key} is set)" for key, spec in _KEYS.items() if place.env.get(key)]
    if not stored:
        ways.append(
            f"handiwork model pull {_FIRST_MODEL} && handiwork config set model local/{_FIRST_MODEL} "
            "(runs on this machine)"
        )
    ways.append("export HANDIWORK_MODEL=ollama/NAME, openai/NAME, anthropic/NAME, gemini/NAME or openrouter/NAME")
    return ModelUnavailableError("no model is configured", "; or ".join(ways))
