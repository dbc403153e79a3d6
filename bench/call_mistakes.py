"""Mistakes in the call: names, wrappers, and how the strings in it are spelt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from gold import Args, Gold
from grammar import value_mistake
from places import AsText, Written, folded, is_free_text, pick, put

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WRAPPING = frozenset((
    "arguments", "parameters", "name", "type", "function", "id", "properties", "toolcall", "input", "args", "method",
    "params", "thought", "action", "required",
))  # fmt: skip


@value_mistake("restorable")
def name_in_another_style(gold: Gold, rng: Random) -> Written | None:
    """camelCase, snake_case, kebab-case, Title Case or CAPITALS for a name."""
    known = list(gold.schema.get("properties", {}))
    fits = [n for n in gold.args if n in known and [folded(k) for k in known].count(folded(n)) == 1]
    styles = [style for style in _STYLES if not gold.schema.get("additionalProperties")]
    if not fits or not styles:
        return None
    name, style = rng.choice(fits), rng.choice(styles)
    spelt = style(_WORDS.findall(name))
    if spelt in known or folded(spelt) != folded(name):
        return None
    return {spelt if n == name else n: value for n, value in gold.args.items()}, gold.args


_STYLES: tuple[Callable[[list[str]], str], ...] = (
    lambda words: "".join([words[0].lower(), *(w.title() for w in words[1:])]),
    lambda words: "_".join(words).lower(),
    lambda words: "-".join(words).lower(),
    lambda words: " ".join(words).title(),
    lambda words: "_".join(words).upper(),
)


@value_mistake("refusable")
def misspelt_name(gold: Gold, rng: Random) -> Written | None:
    """A required name with a letter too many."""
    needed = [n for n in gold.schema.get("required", ()) if n in gold.args and f"{n}z" not in gold.args]
    if not needed:
        return None
    name = rng.choice(needed)
    return {f"{n}z" if n == name else n: value for n, value in gold.args.items()}, gold.args


@value_mistake("refusable")
def required_left_out(gold: Gold, rng: Random) -> Written | None:
    """A required argument is missing."""
    properties = gold.schema.get("properties", {})
    needed = [n for n in gold.schema.get("required", ()) if n in gold.args and "default" not in properties.get(n, {})]
    if not needed:
        return None
    name = rng.choice(needed)
    return {n: value for n, value in gold.args.items() if n != name}, gold.args


@value_mistake("restorable")
def unknown_name_beside(gold: Gold, rng: Random) -> Written | None:
    """An argument nobody asked for: kept where the schema allows it."""
    if gold.schema.get("additionalProperties") is False:
        return None
    made = {**gold.args, "explanation_of_this_call": "because"}
    return made, made


@value_mistake("restorable")
def nothing_for_an_optional(gold: Gold, rng: Random) -> Written | None:
    """null, or the word for it, for what may be left out."""
    properties, needed = gold.schema.get("properties", {}), gold.schema.get("required", ())
    kinds = ("integer", "number", "boolean", "array", "object")
    absent = [n for n, p in properties.items() if n not in gold.args and n not in needed and p.get("type") in kinds]
    if not absent:
        return None
    return {**gold.args, rng.choice(absent): rng.choice((None, "null", "None", ""))}, gold.args


# ------------------------------------------------------------------------------------- wrappers


def _wrapped(gold: Gold, wrap: Callable[[Args], Any]) -> Written | None:
    """A wrapper, unless the tool has arguments of the wrapper's names."""
    names = {folded(name) for name in gold.schema.get("properties", {})}
    return None if names & _WRAPPING or gold.schema.get("additionalProperties") else (wrap(gold.args), gold.args)


@value_mistake("restorable")
def wrapped_in_arguments(gold: Gold, rng: Random) -> Written | None:
    """{"arguments": {...}} or {"parameters": {...}}."""
    word = rng.choice(("arguments", "parameters", "input"))
    return _wrapped(gold, lambda args: {word: args})


@value_mistake("restorable")
def whole_call(gold: Gold, rng: Random) -> Written | None:
    """{"name": ..., "arguments": {...}}, the arguments as object or as text."""
    as_text = rng.random() < 0.5
    return _wrapped(gold, lambda args: {"name": gold.tool, "arguments": json.dumps(args) if as_text else args})


@value_mistake("restorable")
def whole_tool_call(gold: Gold, rng: Random) -> Written | None:
    """The tool call of OpenAI's protocol around it."""
    return _wrapped(
        gold,
        lambda args: {
            "id": "call_1",
            "type": "function",
            "function": {"name": gold.tool, "arguments": json.dumps(args)},
        },
    )


@value_mistake("restorable")
def other_protocols(gold: Gold, rng: Random) -> Written | None:
    """The call of another protocol around it: Gemini, Anthropic, JSON-RPC, ReAct."""
    made: tuple[Callable[[Args], Any], ...] = (
        lambda args: {"functionCall": {"name": gold.tool, "args": args}},
        lambda args: {"type": "tool_use", "id": "c1", "name": gold.tool, "input": args},
        lambda args: {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": args}},
        lambda args: {"thought": "so", "action": gold.tool, "action_input": args},
        lambda args: {"tool_calls": [{"function": {"name": gold.tool, "arguments": json.dumps(args)}}]},
    )
    return _wrapped(gold, rng.choice(made))


@value_mistake("restorable")
def the_tools_name_around_it(gold: Gold, rng: Random) -> Written | None:
    """{"tool": {...}}, where something is required."""
    return _wrapped(gold, lambda args: {gold.tool: args}) if gold.schema.get("required") else None


@value_mistake("restorable")
def schema_echoed(gold: Gold, rng: Random) -> Written | None:
    """The schema's own outer form with values in it."""
    return _wrapped(gold, lambda args: {"type": "object", "properties": args, "required": list(args)})


@value_mistake("restorable")
def object_in_a_list(gold: Gold, rng: Random) -> Written | None:
    """The object as the one member of a list."""
    return [gold.args], gold.args


# ------------------------------------------------------------------------------------- inside strings


def _respelt(gold: Gold, rng: Random, meant: str, written: str) -> Written | None:
    """A text of the call becomes *meant*, spelt as *written* (with its quotes)."""
    place = pick(gold, rng, is_free_text)
    if place is None:
        return None
    marked, expected = put(gold.args, place.path, "@@"), put(gold.args, place.path, meant)
    return AsText(json.dumps(marked, ensure_ascii=False).replace('"@@"', written)), expected


@value_mistake("restorable")
def raw_line_breaks(gold: Gold, rng: Random) -> Written | None:
    """Line breaks and tabs in a string as they are."""
    text = rng.choice(("first\nsecond\n", "a\tb", "def f():\n\treturn 1\r\n"))
    return _respelt(gold, rng, text, f'"{text}"')


@value_mistake("restorable")
def illegal_escapes(gold: Gold, rng: Random) -> Written | None:
    """A regular expression with single backslashes."""
    text = rng.choice((r"\d+\.\w*", r"^\s+$", r"\(x\)", r"C:\Data\Sales"))
    return _respelt(gold, rng, text, f'"{text}"')


@value_mistake("restorable")
def escaped_apostrophe(gold: Gold, rng: Random) -> Written | None:
    """An apostrophe with a backslash."""
    return _respelt(gold, rng, "it's", '"it\\\'s"')


@value_mistake("restorable")
def triple_quotes(gold: Gold, rng: Random) -> Written | None:
    """Python's triple quotes around a text of several lines."""
    return _respelt(gold, rng, 'say "hi"\nand go', '"""say "hi"\nand go"""')


@value_mistake("restorable")
def backticks(gold: Gold, rng: Random) -> Written | None:
    """A template string."""
    return _respelt(gold, rng, 'say "hi"\nand go', '`say "hi"\nand go`')


@value_mistake("refusable")
def windows_path(gold: Gold, rng: Random) -> Written | None:
    """A path whose single backslashes partly look like escapes."""
    text = rng.choice((r"C:\Users\new", r"D:\data\table.csv", r"C:\Temp\notes"))
    return _respelt(gold, rng, text, f'"{text}"')


@value_mistake("refusable")
def python_escapes(gold: Gold, rng: Random) -> Written | None:
    """An escape that Python knows and JSON doesn't."""
    return _respelt(gold, rng, "A", rng.choice(('"\\x41"', '"\\U00000041"')))


@value_mistake("refusable")
def joined_strings(gold: Gold, rng: Random) -> Written | None:
    """Two strings with a plus between them."""
    return _respelt(gold, rng, "ab", '"a" + "b"')
