"""Tools and collections of smolagents."""

from __future__ import annotations

from typing import Any

from ..core.errors import UsageError
from ..core.types import Args, Schema
from .adapted import Adapted, Context
from .blocks import done_of_value

_PLAIN = frozenset({"string", "boolean", "integer", "number", "array", "object", "null"})


def adapt_collection(collection: Any, context: Context) -> list[Adapted]:
    """The tools of a collection."""
    return [adapted for one in collection.tools for adapted in adapt(one, context)]


def adapt(tool: Any, _: Context) -> list[Adapted]:
    """One tool. Raises `UsageError` where it takes pictures or sound, which no model's call holds."""
    properties = {name: _property(tool.name, name, said) for name, said in tool.inputs.items()}
    required = [name for name, said in tool.inputs.items() if not said.get("nullable")]

    def run(args: Args) -> Any:
        value = tool(**args)
        return done_of_value(value.to_raw() if hasattr(value, "to_raw") else value)

    parameters = {"type": "object", "properties": properties, "required": required}
    return [Adapted(tool.name, tool.description, parameters, run)]


def _property(tool: str, name: str, said: Any) -> Schema:
    kinds = said["type"] if isinstance(said["type"], list) else [said["type"]]
    foreign = [kind for kind in kinds if kind not in _PLAIN and kind != "any"]
    if foreign:
        raise UsageError(f"{tool}: {name} takes {foreign[0]}, which a model can't write", "wrap it in a function")
    made = {key: value for key, value in said.items() if key not in ("type", "nullable")}
    if "any" in kinds:
        return made
    kinds += ["null"] if said.get("nullable") and "null" not in kinds else []
    return {**made, "type": kinds[0] if len(kinds) == 1 else kinds}
