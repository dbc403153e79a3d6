"""A form that a server wants the person to fill in: read, refused where it asks for secrets, filled field by field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Whole words of a name or a title; an answer would go to the server in plain text, and into its logs.
_SECRET = re.compile(
    r"(?:^|[^a-z])(?:pass(?:word|wd|phrase|code)?|pwd|secrets?|(?:access|auth|bearer|refresh|api)?tokens?|api ?keys?"
    r"|private ?keys?|access ?keys?|credentials?|pins?|cvv|cvc|otp|mfa|2fa|ssn|seed ?phrase|iban"
    r"|card ?numbers?)(?![a-z])"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-./]+")
_YES, _NO = ("yes", "y", "true", "1"), ("no", "n", "false", "0")


@dataclass(frozen=True, slots=True)
class Field:
    """One value that is asked for. `choices` maps what the person reads to what the server gets."""

    name: str
    title: str
    kind: str
    required: bool
    choices: Mapping[str, Any]
    schema: Mapping[str, Any]

    @property
    def has_default(self) -> bool:
        """Whether the server says what it takes unless told otherwise."""
        return "default" in self.schema

    def question(self) -> str:
        """The words that ask for it."""
        about = self.schema.get("description", "")
        hints = [self.kind if self.kind != "string" else "", "" if self.required else "may be left out"]
        hints += [f"default {self.schema['default']!r}"] if self.has_default else []
        said = f"{self.title}: {about}" if about else self.title
        return f"{said} ({', '.join(filter(None, hints))})" if any(hints) else said

    def read(self, said: str) -> Any:
        """The value that the person's words stand for. Raises `ValueError` with what was expected."""
        text = said.strip()
        if self.kind == "array":
            return [self._chosen(part.strip()) for part in text.split(",") if part.strip()]
        if self.choices:
            return self._chosen(text)
        if self.kind == "boolean":
            if text.lower() not in (*_YES, *_NO):
                raise ValueError("yes or no is expected")
            return text.lower() in _YES
        return self._in_bounds(_number(self.kind, text)) if self.kind in ("integer", "number") else self._fitting(text)

    def _chosen(self, text: str) -> Any:
        for shown, value in self.choices.items():
            if text.lower() in (shown.lower(), str(value).lower()):
                return value
        raise ValueError(f"one of {', '.join(self.choices)} is expected")

    def _in_bounds(self, value: float) -> float:
        low, high = self.schema.get("minimum"), self.schema.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            raise ValueError(f"a number from {low} to {high} is expected")
        return value

    def _fitting(self, text: str) -> str:
        least, most = self.schema.get("minLength", 0), self.schema.get("maxLength")
        if len(text) < least or (most is not None and len(text) > most):
            raise ValueError(f"{least} to {most} characters are expected")
        return text


def _number(kind: str, text: str) -> float:
    try:
        return int(text) if kind == "integer" else float(text)
    except ValueError:
        raise ValueError(f"a {'whole ' if kind == 'integer' else ''}number is expected") from None


def read_form(schema: Mapping[str, Any]) -> list[Field]:
    """The fields of a form, in order. Raises `ValueError` for a form that is none."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        raise ValueError("it has no fields")  # noqa: TRY004 - what a server wrote, not how we were called
    required = schema.get("required") or ()
    return [_field(name, said, name in required) for name, said in properties.items()]


def _field(name: str, said: Any, required: bool) -> Field:
    if not isinstance(said, Mapping) or said.get("type") not in ("string", "integer", "number", "boolean", "array"):
        raise ValueError(f"the field {name!r} is of no kind that a form may have")
    source = said.get("items", {}) if said["type"] == "array" else said
    return Field(name, str(said.get("title") or name), said["type"], required, _choices(source), said)


def _choices(said: Mapping[str, Any]) -> dict[str, Any]:
    """In the forms of all versions: titled by `oneOf` or `anyOf`, or by `enumNames`, or bare."""
    titled = said.get("oneOf") or said.get("anyOf")
    if titled:
        return {str(option.get("title") or option["const"]): option["const"] for option in titled if "const" in option}
    values = said.get("enum") or ()
    names = said.get("enumNames") or ()
    return {str(names[i] if i < len(names) else value): value for i, value in enumerate(values)}


def secrets_in(fields: list[Field]) -> list[str]:
    """The fields that ask for something that no server may be told in a form."""
    return [f.name for f in fields if _is_secret(f.name) or _is_secret(f.title) or f.schema.get("format") == "password"]


def _is_secret(name: str) -> bool:
    return bool(_SECRET.search(_CAMEL.sub(" ", name).lower()))


def defaults_of(fields: list[Field]) -> dict[str, Any] | None:
    """The form as the server would fill it in itself; None where it needs more than it says."""
    if any(f.required and not f.has_default for f in fields):
        return None
    return {f.name: f.schema["default"] for f in fields if f.has_default}
