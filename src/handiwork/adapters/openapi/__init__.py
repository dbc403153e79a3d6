"""An OpenAPI document as a toolset: its operations are the tools, its server the only host that they reach."""

from __future__ import annotations

from .toolset import register_openapi

__all__ = ["register_openapi"]
