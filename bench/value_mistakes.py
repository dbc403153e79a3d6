"""Mistakes in the values: the wrong type, and choices that are none."""

from __future__ import annotations

import json
import re
from random import Random

from gold import Gold
from grammar import value_mistake
from places import Place, Written, changed, folded, is_boolean, is_choice, is_free_text, is_number, is_whole, pick

_PUZZLING = re.compile(r"[\[{`\"'(]")  # a text that begins like this may be more than a text

# ------------------------------------------------------------------------------------- the wrong type


@value_mistake("restorable")
def number_as_text(gold: Gold, rng: Random) -> Written | None:
    """A number in quotes, maybe with space or a sign."""
    form = rng.choice(("{}", " {} ", "'{}'"))
    return changed(gold, pick(gold, rng, is_number), form.format)


@value_mistake("restorable")
def whole_number_with_a_fraction(gold: Gold, rng: Random) -> Written | None:
    """5.0 for 5, as a number or as text."""
    as_text = rng.random() < 0.5
    return changed(gold, pick(gold, rng, is_whole), lambda n: f"{n}.0" if as_text else float(n))


@value_mistake("restorable")
def boolean_as_text(gold: Gold, rng: Random) -> Written | None:
    """true in quotes, in any case."""
    form = rng.choice((str.lower, str.title, str.upper))
    return changed(gold, pick(gold, rng, is_boolean), lambda b: form(str(b)))


@value_mistake("restorable")
def boolean_as_a_word(gold: Gold, rng: Random) -> Written | None:
    """yes and no, on and off, 1 and 0."""
    words = rng.choice((("no", "yes"), ("off", "on"), (0, 1), ("0", "1")))
    return changed(gold, pick(gold, rng, is_boolean), lambda b: words[b])


@value_mistake("restorable")
def text_as_a_number(gold: Gold, rng: Random) -> Written | None:
    """A text of digits without its quotes."""
    place = pick(gold, rng, lambda p: is_free_text(p) and re.fullmatch(r"[1-9]\d{0,14}", p.value) is not None)
    return changed(gold, place, int)


@value_mistake("restorable")
def list_as_text(gold: Gold, rng: Random) -> Written | None:
    """A list in quotes."""
    return changed(gold, pick(gold, rng, lambda p: p.kind == "array" and len(p.path) == 1), json.dumps)


@value_mistake("restorable")
def object_as_text(gold: Gold, rng: Random) -> Written | None:
    """An object in quotes."""
    return changed(gold, pick(gold, rng, lambda p: p.kind == "object"), json.dumps)


@value_mistake("restorable")
def list_as_python_text(gold: Gold, rng: Random) -> Written | None:
    """A list or object as Python writes it, in quotes."""
    return changed(gold, pick(gold, rng, lambda p: p.kind in ("array", "object") and len(p.path) == 1), repr)


@value_mistake("restorable")
def value_for_a_list_of_one(gold: Gold, rng: Random) -> Written | None:
    """The one member of a list without the list."""

    def fits(place: Place) -> bool:
        if place.kind != "array" or len(place.value) != 1 or isinstance(place.schema.get("items"), list):
            return False
        member, kind = place.value[0], (place.schema.get("items") or {}).get("type")
        plain = not isinstance(member, str) or not (_PUZZLING.match(member) or "," in member or member == "")
        return kind in ("string", "integer", "number", "object") and plain and "array" not in str(place.path[:-1])

    place = pick(gold, rng, lambda p: fits(p) and not any(isinstance(step, int) for step in p.path))
    return changed(gold, place, lambda members: members[0])


@value_mistake("restorable")
def list_of_one_for_a_value(gold: Gold, rng: Random) -> Written | None:
    """A value in a list, where no list is legal."""
    kinds = ("string", "integer", "number", "boolean", "object")
    place = pick(gold, rng, lambda p: p.kind in kinds and not any(isinstance(step, int) for step in p.path))
    return changed(gold, place, lambda value: [value])


@value_mistake("refusable")
def not_a_number(gold: Gold, rng: Random) -> Written | None:
    """NaN or Infinity for a number."""
    return changed(gold, pick(gold, rng, is_number), lambda _: float(rng.choice(("nan", "inf", "-inf"))))


@value_mistake("refusable")
def number_with_a_unit(gold: Gold, rng: Random) -> Written | None:
    """A number with a unit, in quotes."""
    return changed(gold, pick(gold, rng, is_number), lambda n: f"{n}{rng.choice((' km', '%', ' USD', 'k'))}")


@value_mistake("refusable")
def number_with_separators(gold: Gold, rng: Random) -> Written | None:
    """A large number with commas between its thousands, in quotes."""
    return changed(gold, pick(gold, rng, lambda p: is_whole(p) and abs(p.value) > 999), "{:,}".format)


@value_mistake("refusable")
def number_in_words(gold: Gold, rng: Random) -> Written | None:
    """A number in words."""
    return changed(gold, pick(gold, rng, is_number), lambda _: rng.choice(("five", "a few", "unknown")))


@value_mistake("refusable")
def fraction_for_a_whole_number(gold: Gold, rng: Random) -> Written | None:
    """5.5 for an integer."""
    return changed(gold, pick(gold, rng, is_whole), lambda n: n + 0.5)


@value_mistake("refusable")
def boolean_as_another_word(gold: Gold, rng: Random) -> Written | None:
    """A word that is neither true nor false."""
    return changed(gold, pick(gold, rng, is_boolean), lambda _: rng.choice(("maybe", "2", "enabled?")))


@value_mistake("refusable")
def object_for_a_value(gold: Gold, rng: Random) -> Written | None:
    """A value in an object."""
    place = pick(gold, rng, lambda p: p.kind in ("integer", "number", "boolean", "string"))
    return changed(gold, place, lambda value: {"value": value})


@value_mistake("refusable")
def damaged_list_as_text(gold: Gold, rng: Random) -> Written | None:
    """A list in quotes that ends too early."""
    place = pick(gold, rng, lambda p: p.kind == "array" and len(json.dumps(p.value)) > 3)
    return changed(gold, place, lambda value: json.dumps(value)[:-1])


# ------------------------------------------------------------------------------------- choices


@value_mistake("restorable")
def choice_in_another_case(gold: Gold, rng: Random) -> Written | None:
    """A choice in upper, lower or title case."""
    change = rng.choice((str.upper, str.lower, str.title))
    return changed(gold, pick(gold, rng, lambda p: is_choice(p) and _is_single(p)), change)


@value_mistake("restorable")
def choice_with_space(gold: Gold, rng: Random) -> Written | None:
    """Space around a choice, or for its hyphens."""
    change = rng.choice((lambda c: f" {c} ", lambda c: c.replace("_", " "), lambda c: c.replace(" ", "-")))
    return changed(gold, pick(gold, rng, lambda p: is_choice(p) and _is_single(p)), change)


@value_mistake("restorable")
def choice_in_quotes(gold: Gold, rng: Random) -> Written | None:
    """A choice with quotes as part of it."""
    return changed(gold, pick(gold, rng, lambda p: is_choice(p) and _is_single(p)), lambda c: f'"{c}"')


def _is_single(place: Place) -> bool:
    """Whether no other choice looks like this one."""
    alike = [folded(str(choice)) for choice in place.schema["enum"]]
    return alike.count(folded(place.value)) == 1


@value_mistake("refusable")
def another_choice(gold: Gold, rng: Random) -> Written | None:
    """A choice that doesn't exist."""
    return changed(gold, pick(gold, rng, is_choice), lambda choice: f"{choice} or so")
