"""Parts for testing tools and agents; shipped to users.

A fresh registry, a clock that is moved by hand, a model that says what it is told, an environment
that answers without running anything.
"""

from __future__ import annotations

from .clock import FakeClock
from .environment import MockEnvironment
from .models import ScriptedModel
from .registry import fresh_registry

__all__ = ["FakeClock", "MockEnvironment", "ScriptedModel", "fresh_registry"]
