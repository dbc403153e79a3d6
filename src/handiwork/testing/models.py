"""The scripted model, under the name that tests import."""

from __future__ import annotations

from ..backends.models.scripted import ScriptedModel

__all__ = ["ScriptedModel"]
