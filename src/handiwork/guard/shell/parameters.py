"""The values of `$name`, `${...}` and `$((...))`, with their operators."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

from .marks import UNKNOWN, is_known, veiled
from .patterns import compiled
from .session import Shell

_NOWHERE = "?!"  # no variable can be called so
MOST_CHANGED = 2_000

ExpandText: TypeAlias = Callable[[str, Shell], str]

_EXPRESSION = re.compile(
    r"(?P<mark>[!#]?)(?P<name>[A-Za-z_]\w*|\d+|[@*#?!$-])(?:\[(?P<index>[^\]]*)\])?(?P<rest>.*)", re.DOTALL | re.ASCII
)
_SLICE = re.compile(r"\s*(-?\d+)\s*(?::\s*(-?\d+)\s*)?$")
_SUM = re.compile(r"\s*(-?\d{1,15})\s*(?:([-+*%])\s*(-?\d{1,15})\s*)?$")


def variable(name: str, shell: Shell) -> str:
    """The value of `$name`; a place for whatever it is where the command didn't set it."""
    if name.isdigit() and name != "0":
        return shell.positional[int(name) - 1] if int(name) <= len(shell.positional) else ""
    if name in "@*":
        return " ".join(shell.positional)
    value = shell.value(name)
    return shell.outside_value(name) if value is None else value


def parameter(expression: str, shell: Shell, expand_text: ExpandText) -> str:
    """The value of `${expression}`."""
    found = _EXPRESSION.fullmatch(expression)
    if not found:
        return _strange(expression, shell, expand_text)
    name, rest = found["name"], found["rest"]
    if found["mark"] == "!":
        if rest in ("*", "@"):
            return UNKNOWN
        name = _pointed_at(found["name"], shell)
    value = _indexed(name, found["index"], shell) if found["index"] else _set_value(name, shell)
    if found["mark"] == "#" and not rest:
        return str(len(value or "")) if is_known(value or "") else UNKNOWN
    return _operated(name, value, rest, shell, expand_text)


def _strange(expression: str, shell: Shell, expand_text: ExpandText) -> str:
    expand_text(expression, shell)
    return UNKNOWN


def _pointed_at(name: str, shell: Shell) -> str:
    """The name that `${!name}` leads to; one lead after another is followed for a while."""
    target = shell.value(name)
    return target if target is not None and re.fullmatch(r"\w+", target) else _NOWHERE


def _set_value(name: str, shell: Shell) -> str | None:
    if name.isdigit() or name in "@*":
        return variable(name, shell) or None
    return UNKNOWN if name == _NOWHERE else shell.value(name)


def _indexed(name: str, index: str, shell: Shell) -> str | None:
    items = shell.arrays.get(name)
    if items is None:
        return shell.value(name)
    if index in "@*":
        return " ".join(items)
    place = re.fullmatch(r"-?\d+", index)
    if place and -len(items) <= int(index) < len(items):
        return items[int(index)]
    return " ".join(items) if items and not place else None


def _operated(name: str, value: str | None, rest: str, shell: Shell, expand_text: ExpandText) -> str:
    if not rest:
        return shell.outside_value(name) if value is None else value
    operator = rest[:2] if rest[:2] in (":-", ":=", ":+", ":?") else rest[0]
    if operator.lstrip(":") in ("-", "=", "+", "?") and operator != ":":
        return _alternative(name, value, operator, expand_text(_unquoted(rest[len(operator) :]), shell), shell)
    text = shell.outside_value(name) if value is None else value
    if operator == ":":
        return _sliced(text, expand_text(rest[1:], shell))
    if not is_known(text) or len(text) > MOST_CHANGED:
        expand_text(rest, shell)
        return veiled(text)
    return _changed(text, rest, shell, expand_text)


def _unquoted(text: str) -> str:
    """The quotes around a default; inside an expansion they only hold it together."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text.replace('"', "") if '"' in text else text


def _alternative(name: str, value: str | None, operator: str, other: str, shell: Shell) -> str:
    if operator.endswith("?"):
        return shell.outside_value(name) if value is None else value
    if operator.endswith("+"):
        return other
    if value:
        return value
    if operator.endswith("="):
        shell.assign(name, other)
    return other


def _sliced(text: str, bounds: str) -> str:
    found = _SLICE.match(bounds)
    if not found or not is_known(text):
        return veiled(text)
    start = int(found[1])
    start = max(len(text) + start, 0) if start < 0 else start
    if found[2] is None:
        return text[start:]
    length = int(found[2])
    return text[start : len(text) + length] if length < 0 else text[start : start + length]


def _changed(text: str, rest: str, shell: Shell, expand_text: ExpandText) -> str:
    """Cutting (`#`, `%`), replacing (`/`), case (`^`, `,`) and quoting (`@Q`)."""
    sign = rest[0]
    doubled = rest[:2] == sign * 2
    pattern = expand_text(rest[2 if doubled else 1 :], shell)
    if sign in "#%":
        return _cut(text, sign, _unquoted(pattern), greedy=doubled)
    if sign == "/":
        return _replaced(text, pattern, everywhere=doubled)
    if sign == "^":
        return text.upper() if doubled else text[:1].upper() + text[1:]
    if sign == ",":
        return text.lower() if doubled else text[:1].lower() + text[1:]
    return text if rest in ("@Q", "@E") else UNKNOWN


def _cut(text: str, sign: str, pattern: str, *, greedy: bool) -> str:
    matcher = compiled(pattern)
    places = range(len(text) + 1) if (sign == "#") != greedy else range(len(text), -1, -1)
    if sign == "#":
        return next((text[p:] for p in places if matcher.fullmatch(text, 0, p)), text)
    places = range(len(text), -1, -1) if not greedy else range(len(text) + 1)
    return next((text[:p] for p in places if matcher.fullmatch(text, p)), text)


def _replaced(text: str, rest: str, *, everywhere: bool) -> str:
    pattern, _, new = rest.replace("\\/", "\x1f").partition("/")
    pattern, new = _unquoted(pattern.replace("\x1f", "/")), _unquoted(new.replace("\x1f", "/"))
    if not pattern:
        return text
    if pattern[0] in "#%" and not everywhere:
        cut = _cut(text, pattern[0], pattern[1:], greedy=True)
        return text if cut == text else (new + cut if pattern[0] == "#" else cut + new)
    return compiled(pattern).sub(lambda _: new, text, count=0 if everywhere else 1)


def arithmetic(expression: str, shell: Shell, expand_text: ExpandText) -> str:
    """The value of one plain step of arithmetic; substitutions in it are read, everything else is unknown."""
    text = expand_text(expression, shell)
    text = re.sub(r"[A-Za-z_]\w*", lambda m: shell.value(m[0]) or m[0], text)
    if "$(" in text or "`" in text:
        expand_text(text, shell)  # a variable's text is worked out, too
    found = _SUM.match(text)
    if not found:
        return UNKNOWN
    left, sign, right = int(found[1]), found[2], int(found[3] or 0)
    if sign == "%":
        return str(left % right) if right else UNKNOWN
    return str(left * right if sign == "*" else left - right if sign == "-" else left + right)
