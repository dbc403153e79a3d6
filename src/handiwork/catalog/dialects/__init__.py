"""Any JSON Schema in the form that a model's API takes. See `table` for what each form can say."""

from __future__ import annotations

from ...core.errors import UnknownNameError
from ...core.types import Schema
from .adapting import Adapting
from .notes import Adapted, Note, UnsayableSchemaError
from .table import DIALECTS

__all__ = ["DIALECTS", "Adapted", "Note", "UnsayableSchemaError", "adapt", "adapt_schema"]

_MOST_PASSES = 4


def adapt_schema(parameters: object, dialect: str) -> Schema:
    """The schema of a tool's *parameters* in the form of a dialect: a new plain dict.

    Dialects: `openai`, `openai-strict`, `anthropic`, `gemini`, `llamacpp`. What was legal stays legal; what
    the dialect can't say is widened. Adapting twice changes nothing. Raises `UnknownNameError` for another
    dialect, `UnsayableSchemaError` for a schema that isn't one of an object.
    """
    return adapt(parameters, dialect).schema


def adapt(parameters: object, dialect: str) -> Adapted:
    """The same, with notes on what was mended, widened or narrowed."""
    if dialect not in DIALECTS:
        raise UnknownNameError("dialect", dialect, DIALECTS, f"known: {', '.join(DIALECTS)}")
    adapting = Adapting(parameters, DIALECTS[dialect])
    adapted = adapting.run()
    schema, passes = adapted.schema, 1
    # A union's members may have become one, and what was left out may have made a reference endless.
    while not adapting.is_settled and passes < _MOST_PASSES:
        before, adapting = schema, Adapting(schema, DIALECTS[dialect])
        schema, passes = adapting.run().schema, passes + 1
        if schema == before:
            break
    return Adapted(schema, adapted.notes)
