"""smolagents' tools as they are."""

from __future__ import annotations

from typing import ClassVar

import pytest

from handiwork.adapters import register
from handiwork.core.errors import UsageError

pytest.importorskip("smolagents", reason="the group `adapters` isn't installed")

from PIL import Image
from smolagents import Tool


class Repeat(Tool):
    name = "repeat"
    description = "Repeat a text."
    inputs: ClassVar = {
        "text": {"type": "string", "description": "what"},
        "times": {"type": "integer", "description": "how often", "nullable": True},
        "any": {"type": "any", "description": "whatever", "nullable": True},
    }
    output_type = "string"

    def setup(self):
        self.ready = True
        self.is_initialized = True

    def forward(self, text: str, times: int | None = None, any=None) -> str:
        return text * (times or 2) if self.ready else ""


class Draw(Tool):
    name = "draw"
    description = "Draw."
    inputs: ClassVar = {}
    output_type = "image"

    def forward(self):
        return Image.new("RGB", (2, 2))


class Look(Tool):
    name = "look"
    description = "Look."
    inputs: ClassVar = {"picture": {"type": "image", "description": "a picture"}}
    output_type = "string"

    def forward(self, picture) -> str:
        return ""


def test_inputs_are_the_schema(registry, call):
    assert register(registry, Repeat(), toolset="smol") == ["repeat"]
    parameters = registry.get("repeat").parameters
    assert parameters["properties"]["times"]["type"] == ["integer", "null"] and parameters["required"] == ["text"]
    assert "type" not in parameters["properties"]["any"]
    assert call("repeat", text="ab", times="3").content == "ababab" and call("repeat", text="ab").content == "abab"
    assert call("repeat").is_error


def test_pictures_are_artifacts(registry, call):
    register(registry, Draw(), toolset="smol")
    assert call("draw").artifacts[0].data.startswith(b"\x89PNG")


def test_what_a_model_can_t_write_is_told(registry):
    with pytest.raises(UsageError, match="picture takes image"):
        register(registry, Look(), toolset="smol")
