"""Mistakes in the text: everything between the arguments a model means and strict JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from grammar import text_mistake

_QUOTES = set("\"'“”‘’`\\")
_KEY = re.compile(r'"([A-Za-z_]\w*)": ')


def _text(args: Any) -> str:
    return json.dumps(args, ensure_ascii=False)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _strings(member)
    elif isinstance(value, list):
        for member in value:
            yield from _strings(member)


def _has_quotes(args: Any) -> bool:
    return any(not _QUOTES.isdisjoint(text) for text in _strings(args))


# -------------------------------------------------------------------------------------- one reading


@text_mistake("restorable")
def python_literal(args: Any, _: Random) -> str:
    """`repr` of the dict: single quotes, True, None."""
    return repr(args)


@text_mistake("restorable")
def single_quotes(args: Any, _: Random) -> str | None:
    """Single quotes for double ones."""
    return None if _has_quotes(args) else _text(args).replace('"', "'")


@text_mistake("restorable")
def typographic_quotes(args: Any, _: Random) -> str | None:
    """“Typographic” quotes around keys and strings."""
    return None if _has_quotes(args) else re.sub(r'"([^"]*)"', "“\\1”", _text(args))


@text_mistake("restorable")
def keys_without_quotes(args: Any, _: Random) -> str | None:
    """Bare keys, as in JavaScript."""
    text = _KEY.sub(r"\1: ", _text(args))
    return None if any(_KEY.search(s) for s in _strings(args)) or '"' in "".join(_strings(args)) else text


@text_mistake("restorable")
def trailing_commas(args: Any, _: Random) -> str | None:
    """A comma behind the last member of every object and list."""
    if any(c in text for text in _strings(args) for c in "]}"):
        return None
    return re.sub(r"(?<![{\[])([}\]])", r",\1", _text(args))


@text_mistake("restorable")
def comments(args: Any, rng: Random) -> str | None:
    """Comments of the three usual kinds between members."""
    lines = json.dumps(args, ensure_ascii=False, indent=1).split("\n")
    marks = rng.choice((" // as asked", " # as asked", " /* as asked */"))
    return "\n".join(line + (marks if line.endswith((",", "{", "[")) else "") for line in lines)


@text_mistake("restorable")
def full_width_punctuation(args: Any, _: Random) -> str | None:
    """Full-width commas and colons between members."""
    if any(c in text for text in _strings(args) for c in ",:"):
        return None
    return _text(args).replace(", ", "，").replace(": ", "：")


@text_mistake("restorable")
def code_fence(args: Any, rng: Random) -> str:
    """A code fence around it."""
    return f"```{rng.choice(('json', '', 'JSON'))}\n{_text(args)}\n```"


@text_mistake("restorable")
def open_code_fence(args: Any, _: Random) -> str:
    """A code fence that is opened and never closed."""
    return f"```json\n{_text(args)}\n"


@text_mistake("restorable")
def inline_code(args: Any, _: Random) -> str:
    """Single backticks around it."""
    return f"`{_text(args)}`"


@text_mistake("restorable")
def prose_before(args: Any, rng: Random) -> str:
    """A sentence before it."""
    said = rng.choice(("Sure! Here are the arguments:", "**Arguments**", "json", "I will call the tool with\n\n"))
    return f"{said} {_text(args)}"


@text_mistake("restorable")
def prose_after(args: Any, rng: Random) -> str:
    """A sentence after it."""
    return f"{_text(args)}\n\n{rng.choice(('Let me know if that works.', 'This will do what you asked for.'))}"


@text_mistake("restorable")
def prose_and_a_fence(args: Any, _: Random) -> str:
    """Markdown: a sentence, a fence, a sentence."""
    return f"Calling the tool now.\n\n```json\n{json.dumps(args, indent=2)}\n```\n\nDone."


@text_mistake("restorable")
def tool_call_tags(args: Any, _: Random) -> str:
    """The tags of a chat template around it."""
    return f"<tool_call>\n{_text(args)}\n</tool_call>"


@text_mistake("restorable")
def reasoning_before(args: Any, _: Random) -> str:
    """The thoughts of a model before it."""
    return f"<think>\nThe person wants a call.\n</think>\n{_text(args)}"


@text_mistake("restorable")
def byte_order_mark(args: Any, _: Random) -> str:
    """A byte order mark, and space, before it."""
    return f"\ufeff \n{_text(args)}\n"


@text_mistake("restorable")
def double_encoding(args: Any, _: Random) -> str:
    """JSON inside a JSON string."""
    return json.dumps(_text(args))


@text_mistake("restorable")
def triple_encoding(args: Any, _: Random) -> str:
    """JSON inside a JSON string inside a JSON string."""
    return json.dumps(json.dumps(_text(args)))


@text_mistake("restorable")
def escaped_quotes(args: Any, _: Random) -> str:
    """A double encoding without its outer quotes."""
    return json.dumps(_text(args))[1:-1]


@text_mistake("restorable")
def surplus_brace(args: Any, rng: Random) -> str:
    """Closing brackets too many at the end."""
    return _text(args) + rng.choice(("}", "}}", "]}", "\n}"))


@text_mistake("restorable")
def written_twice(args: Any, rng: Random) -> str:
    """The same object twice, as glued streams have it."""
    return rng.choice(("", "\n", " ")).join([_text(args)] * 2)


@text_mistake("restorable")
def empty_object_first(args: Any, _: Random) -> str:
    """An empty object before the real one."""
    return "{}" + _text(args)


@text_mistake("restorable")
def key_repeated_with_its_value(args: Any, _: Random) -> str:
    """The first member once more at the end."""
    name, value = next(iter(args.items()))
    return f"{_text(args)[:-1]}, {json.dumps(name)}: {_text(value)}}}"


@text_mistake("restorable")
def wide_layout(args: Any, rng: Random) -> str:
    """Space, tabs and line breaks between all parts."""
    gap = rng.choice(("\n", "\t", "\r\n", "  "))
    return f"{gap}{json.dumps(args, indent=4, separators=(gap + ',' + gap, gap + ':' + gap))}{gap}"


@text_mistake("restorable")
def ascii_escapes(args: Any, _: Random) -> str | None:
    """Every letter of every string as a \\u escape. Strict JSON, but rarely seen."""
    if not "".join(_strings(args)).isascii():
        return None
    return re.sub(r'"(?:[^"\\]|\\.)*"', _escaped, json.dumps(args))


def _escaped(found: re.Match[str]) -> str:
    return '"' + "".join(f"\\u{ord(letter):04x}" for letter in json.loads(found[0])) + '"'


@text_mistake("restorable")
def reordered_members(args: Any, rng: Random) -> str:
    """The members in another order. Strict JSON, but not the schema's order."""
    names = list(args)
    rng.shuffle(names)
    return _text({name: args[name] for name in names})


# -------------------------------------------------------------------------------------- no certain reading


@text_mistake("refusable")
def cut_off(args: Any, rng: Random) -> str:
    """The text ends too early, at any place."""
    text = _text(args)
    return text[: rng.randrange(1, len(text))]


@text_mistake("refusable")
def cut_off_in_a_fence(args: Any, rng: Random) -> str:
    """The text in a fence ends too early; the fence doesn't."""
    text = _text(args)
    return f"```json\n{text[: rng.randrange(1, len(text))]}\n```"


@text_mistake("refusable")
def last_brace_left_out(args: Any, _: Random) -> str:
    """The final brace is missing."""
    return _text(args)[:-1]


@text_mistake("refusable")
def inner_closers_left_out(args: Any, _: Random) -> str | None:
    """A closing bracket inside is missing."""
    text = _text(args)
    if any(c in string for string in _strings(args) for c in "]}"):
        return None
    places = [i for i, c in enumerate(text[:-1]) if c in "]}"]
    return text[: places[0]] + text[places[0] + 1 :] if places else None


@text_mistake("refusable")
def opening_brace_left_out(args: Any, _: Random) -> str:
    """The first brace is missing."""
    return _text(args)[1:]


@text_mistake("refusable")
def comma_left_out(args: Any, _: Random) -> str | None:
    """A comma between two members is missing."""
    return _text(args).replace(", ", " ", 1) if len(args) > 1 and not _has_commas(args) else None


@text_mistake("refusable")
def semicolons(args: Any, _: Random) -> str | None:
    """Semicolons for commas."""
    return _text(args).replace(", ", "; ") if len(args) > 1 and not _has_commas(args) else None


def _has_commas(args: Any) -> bool:
    return any("," in text for text in _strings(args))


@text_mistake("refusable")
def equals_signs(args: Any, _: Random) -> str | None:
    """Equals signs for colons."""
    return None if any(":" in text for text in _strings(args)) else _text(args).replace(": ", "=")


@text_mistake("refusable")
def keyword_call(args: Any, _: Random) -> str:
    """A Python call for an object."""
    return f"tool({', '.join(f'{k}={v!r}' for k, v in args.items())})"


@text_mistake("refusable")
def ellipsis_at_the_end(args: Any, _: Random) -> str:
    """Three dots for the rest."""
    return f"{_text(args)[:-1]}, ...}}"


@text_mistake("refusable")
def unescaped_quotes(args: Any, _: Random) -> str | None:
    """Quotes inside a string without their backslashes."""
    word = next((t for t in _strings(list(args.values())) if " " in t and '"' not in t), None)
    if word is None:
        return None
    first, _space, rest = word.partition(" ")
    return _text(args).replace(_text(word), f'"{first} "{rest}" "', 1)


@text_mistake("refusable")
def two_different_objects(args: Any, _: Random) -> str:
    """A second object that says something else."""
    name = next(iter(args))
    return _text(args) + _text({**args, name: "something else"})


@text_mistake("refusable")
def key_repeated_with_another_value(args: Any, _: Random) -> str:
    """The first member once more at the end, with another value."""
    return f'{_text(args)[:-1]}, {json.dumps(next(iter(args)))}: "something else"}}'


@text_mistake("refusable")
def prose_only(args: Any, _: Random) -> str:
    """A sentence and no object."""
    return "I would call the tool with " + ", ".join(f"{k} set to {v}" for k, v in args.items() if v != {})
