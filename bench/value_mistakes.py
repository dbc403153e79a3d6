"""Mistakes in the values: the wrong type, the wrong name, the wrong wrapper."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from gold import Args, Gold
from grammar import value_mistake

Written = tuple[Any, Args]
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WRAPPING = frozenset((
    "arguments", "parameters", "name", "type", "function", "id", "properties", "toolcall", "input", "args", "method",
    "params", "thought", "action", "required",
))  # fmt: skip
_PUZZLING = re.compile(r"[\[{`\"'(]")  # a text that begins like this may be more than a text


class AsText(str):
    """Arguments that are written already, in a way that no value has."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A value inside the arguments: where it is and what its schema says."""

    path: tuple[Any, ...]
    value: Any
    schema: Mapping[str, Any]

    @property
    def kind(self) -> str:
        kind = self.schema.get("type")
        return kind if isinstance(kind, str) else ""


def _places(value: Any, schema: Any, path: tuple[Any, ...] = ()) -> Iterator[_Place]:
    """Every typed value at every depth, the arguments themselves left out."""
    schema = schema if isinstance(schema, Mapping) else {}
    if path:
        yield _Place(path, value, schema)
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _places(member, schema.get("properties", {}).get(name), (*path, name))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _places(member, schema.get("items"), (*path, index))


def _pick(gold: Gold, rng: Random, fits: Callable[[_Place], bool]) -> _Place | None:
    found = [place for place in _places(gold.args, gold.schema) if fits(place)]
    return rng.choice(found) if found else None


def _put(args: Args, path: tuple[Any, ...], value: Any) -> Args:
    made = copy.deepcopy(args)
    inside: Any = made
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return made


def _changed(gold: Gold, place: _Place | None, change: Callable[[Any], Any]) -> Written | None:
    return None if place is None else (_put(gold.args, place.path, change(place.value)), gold.args)


def _is_number(place: _Place) -> bool:
    return place.kind in ("integer", "number") and "enum" not in place.schema


def _is_whole(place: _Place) -> bool:
    return place.kind == "integer" and "enum" not in place.schema and abs(place.value) < 2**53


def _is_boolean(place: _Place) -> bool:
    return place.kind == "boolean"


def _is_choice(place: _Place) -> bool:
    return "enum" in place.schema and isinstance(place.value, str) and place.value != ""


def _is_free_text(place: _Place) -> bool:
    return place.kind == "string" and not {"enum", "pattern", "format", "maxLength"} & place.schema.keys()


# ------------------------------------------------------------------------------------- the wrong type


@value_mistake("restorable")
def number_as_text(gold: Gold, rng: Random) -> Written | None:
    """A number in quotes, maybe with space or a sign."""
    form = rng.choice(("{}", " {} ", "'{}'"))
    return _changed(gold, _pick(gold, rng, _is_number), form.format)


@value_mistake("restorable")
def whole_number_with_a_fraction(gold: Gold, rng: Random) -> Written | None:
    """5.0 for 5, as a number or as text."""
    as_text = rng.random() < 0.5
    return _changed(gold, _pick(gold, rng, _is_whole), lambda n: f"{n}.0" if as_text else float(n))


@value_mistake("restorable")
def boolean_as_text(gold: Gold, rng: Random) -> Written | None:
    """true in quotes, in any case."""
    form = rng.choice((str.lower, str.title, str.upper))
    return _changed(gold, _pick(gold, rng, _is_boolean), lambda b: form(str(b)))


@value_mistake("restorable")
def boolean_as_a_word(gold: Gold, rng: Random) -> Written | None:
    """yes and no, on and off, 1 and 0."""
    words = rng.choice((("no", "yes"), ("off", "on"), (0, 1), ("0", "1")))
    return _changed(gold, _pick(gold, rng, _is_boolean), lambda b: words[b])


@value_mistake("restorable")
def text_as_a_number(gold: Gold, rng: Random) -> Written | None:
    """A text of digits without its quotes."""
    place = _pick(gold, rng, lambda p: _is_free_text(p) and re.fullmatch(r"[1-9]\d{0,14}", p.value) is not None)
    return _changed(gold, place, int)


@value_mistake("restorable")
def list_as_text(gold: Gold, rng: Random) -> Written | None:
    """A list in quotes."""
    return _changed(gold, _pick(gold, rng, lambda p: p.kind == "array" and len(p.path) == 1), json.dumps)


@value_mistake("restorable")
def object_as_text(gold: Gold, rng: Random) -> Written | None:
    """An object in quotes."""
    return _changed(gold, _pick(gold, rng, lambda p: p.kind == "object"), json.dumps)


@value_mistake("restorable")
def list_as_python_text(gold: Gold, rng: Random) -> Written | None:
    """A list or object as Python writes it, in quotes."""
    return _changed(gold, _pick(gold, rng, lambda p: p.kind in ("array", "object") and len(p.path) == 1), repr)


@value_mistake("restorable")
def value_for_a_list_of_one(gold: Gold, rng: Random) -> Written | None:
    """The one member of a list without the list."""

    def fits(place: _Place) -> bool:
        if place.kind != "array" or len(place.value) != 1 or isinstance(place.schema.get("items"), list):
            return False
        member, kind = place.value[0], (place.schema.get("items") or {}).get("type")
        plain = not isinstance(member, str) or not (_PUZZLING.match(member) or "," in member or member == "")
        return kind in ("string", "integer", "number", "object") and plain and "array" not in str(place.path[:-1])

    place = _pick(gold, rng, lambda p: fits(p) and not any(isinstance(step, int) for step in p.path))
    return _changed(gold, place, lambda members: members[0])


@value_mistake("restorable")
def list_of_one_for_a_value(gold: Gold, rng: Random) -> Written | None:
    """A value in a list, where no list is legal."""
    kinds = ("string", "integer", "number", "boolean", "object")
    place = _pick(gold, rng, lambda p: p.kind in kinds and not any(isinstance(step, int) for step in p.path))
    return _changed(gold, place, lambda value: [value])


@value_mistake("refusable")
def not_a_number(gold: Gold, rng: Random) -> Written | None:
    """NaN or Infinity for a number."""
    return _changed(gold, _pick(gold, rng, _is_number), lambda _: float(rng.choice(("nan", "inf", "-inf"))))


@value_mistake("refusable")
def number_with_a_unit(gold: Gold, rng: Random) -> Written | None:
    """A number with a unit, in quotes."""
    return _changed(gold, _pick(gold, rng, _is_number), lambda n: f"{n}{rng.choice((' km', '%', ' USD', 'k'))}")


@value_mistake("refusable")
def number_with_separators(gold: Gold, rng: Random) -> Written | None:
    """A large number with commas between its thousands, in quotes."""
    return _changed(gold, _pick(gold, rng, lambda p: _is_whole(p) and abs(p.value) > 999), "{:,}".format)


@value_mistake("refusable")
def number_in_words(gold: Gold, rng: Random) -> Written | None:
    """A number in words."""
    return _changed(gold, _pick(gold, rng, _is_number), lambda _: rng.choice(("five", "a few", "unknown")))


@value_mistake("refusable")
def fraction_for_a_whole_number(gold: Gold, rng: Random) -> Written | None:
    """5.5 for an integer."""
    return _changed(gold, _pick(gold, rng, _is_whole), lambda n: n + 0.5)


@value_mistake("refusable")
def boolean_as_another_word(gold: Gold, rng: Random) -> Written | None:
    """A word that is neither true nor false."""
    return _changed(gold, _pick(gold, rng, _is_boolean), lambda _: rng.choice(("maybe", "2", "enabled?")))


@value_mistake("refusable")
def object_for_a_value(gold: Gold, rng: Random) -> Written | None:
    """A value in an object."""
    place = _pick(gold, rng, lambda p: p.kind in ("integer", "number", "boolean", "string"))
    return _changed(gold, place, lambda value: {"value": value})


@value_mistake("refusable")
def damaged_list_as_text(gold: Gold, rng: Random) -> Written | None:
    """A list in quotes that ends too early."""
    place = _pick(gold, rng, lambda p: p.kind == "array" and len(json.dumps(p.value)) > 3)
    return _changed(gold, place, lambda value: json.dumps(value)[:-1])


# ------------------------------------------------------------------------------------- choices


@value_mistake("restorable")
def choice_in_another_case(gold: Gold, rng: Random) -> Written | None:
    """A choice in upper, lower or title case."""
    change = rng.choice((str.upper, str.lower, str.title))
    return _changed(gold, _pick(gold, rng, lambda p: _is_choice(p) and _is_single(p)), change)


@value_mistake("restorable")
def choice_with_space(gold: Gold, rng: Random) -> Written | None:
    """Space around a choice, or for its hyphens."""
    change = rng.choice((lambda c: f" {c} ", lambda c: c.replace("_", " "), lambda c: c.replace(" ", "-")))
    return _changed(gold, _pick(gold, rng, lambda p: _is_choice(p) and _is_single(p)), change)


@value_mistake("restorable")
def choice_in_quotes(gold: Gold, rng: Random) -> Written | None:
    """A choice with quotes as part of it."""
    return _changed(gold, _pick(gold, rng, lambda p: _is_choice(p) and _is_single(p)), lambda c: f'"{c}"')


def _is_single(place: _Place) -> bool:
    """Whether no other choice looks like this one."""
    folded = [_folded(str(choice)) for choice in place.schema["enum"]]
    return folded.count(_folded(place.value)) == 1


def _folded(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


@value_mistake("refusable")
def another_choice(gold: Gold, rng: Random) -> Written | None:
    """A choice that doesn't exist."""
    return _changed(gold, _pick(gold, rng, _is_choice), lambda choice: f"{choice} or so")


# ------------------------------------------------------------------------------------- names


@value_mistake("restorable")
def name_in_another_style(gold: Gold, rng: Random) -> Written | None:
    """camelCase, snake_case, kebab-case, Title Case or CAPITALS for a name."""
    known = list(gold.schema.get("properties", {}))
    fits = [n for n in gold.args if n in known and [_folded(k) for k in known].count(_folded(n)) == 1]
    styles = [style for style in _STYLES if not gold.schema.get("additionalProperties")]
    if not fits or not styles:
        return None
    name, style = rng.choice(fits), rng.choice(styles)
    spelt = style(_WORDS.findall(name))
    if spelt in known or _folded(spelt) != _folded(name):
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
    names = {_folded(name) for name in gold.schema.get("properties", {})}
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
    place = _pick(gold, rng, _is_free_text)
    if place is None:
        return None
    marked, expected = _put(gold.args, place.path, "@@"), _put(gold.args, place.path, meant)
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
