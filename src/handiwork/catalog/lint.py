"""What could be better about a tool: words that say little, missing units and choices, twins, a high price."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.types import ToolEntry
from .cost import definition_text, estimate
from .search import Index
from .words import words

MOST_TOKENS = 400
_LEAST_WORDS = 3
_PLAIN = frozenset({"id", "name", "title", "text", "content", "message", "url", "path"})
_TWIN = 0.65


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend. `where` is a parameter's path such as `edits[].path`, or "" for the tool itself."""

    where: str
    kind: str
    text: str
    fix: str


@dataclass(frozen=True, slots=True)
class Report:
    """One tool: about how many tokens its definition costs, and its problems."""

    tool: str
    tokens: int
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class _Parameter:
    path: str
    name: str
    schema: Mapping[str, Any]

    @property
    def text(self) -> str:
        return str(self.schema.get("description") or "")

    def is_a(self, *kinds: str) -> bool:
        kind = self.schema.get("type")
        return kind in kinds or (isinstance(kind, list) and any(k in kinds for k in kind))


Rule: TypeAlias = Callable[[ToolEntry, _Parameter], "Problem | None"]


def lint(chosen: Iterable[ToolEntry], among: Sequence[ToolEntry]) -> list[Report]:
    """A report on each *chosen* tool, sorted by name; twins are looked for *among* all of those."""
    index = Index(among)
    by_name = {entry.name: entry for entry in among}
    return [_report(entry, index, by_name) for entry in sorted(chosen, key=lambda e: e.name)]


def _report(entry: ToolEntry, index: Index, by_name: Mapping[str, ToolEntry]) -> Report:
    tokens = estimate(definition_text(entry.schema))
    problems = [*_of_description(entry)]
    for parameter in _parameters(entry.parameters, ""):
        problems += [found for rule in _RULES if (found := rule(entry, parameter))]
    problems += [*_twins(entry, index, by_name)]
    if tokens > MOST_TOKENS:
        text = f"its definition costs about {tokens} tokens in every request; most tools do with {MOST_TOKENS}"
        problems.append(Problem("", "price", text, "shorten its texts, split it, or register it with defer=True"))
    return Report(entry.name, tokens, tuple(problems))


def _parameters(schema: Mapping[str, Any], prefix: str) -> Iterator[_Parameter]:
    """Every parameter, at every depth, by its path."""
    properties = schema.get("properties")
    for name, prop in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(prop, Mapping):
            continue
        path = f"{prefix}{name}"
        yield _Parameter(path, name, prop)
        yield from _parameters(prop, f"{path}.")
        if isinstance(items := prop.get("items"), Mapping):
            yield from _parameters(items, f"{path}[].")


# ---------------------------------------------------------------------------------------- descriptions


def _of_description(entry: ToolEntry) -> Iterator[Problem]:
    fix = "say what it does, when to use it and what comes back"
    said = words(entry.description)
    if not entry.description.strip():
        yield Problem("", "description", "it has no description", fix)
    elif len(said) < _LEAST_WORDS or set(said) <= set(words(entry.name)):
        yield Problem("", "description", f"its description says no more than its name: {entry.description!r}", fix)


def _undescribed(entry: ToolEntry, parameter: _Parameter) -> Problem | None:
    """A parameter needs a text unless its choices, or the tool's own description, say what it is."""
    if parameter.text or "enum" in parameter.schema or "const" in parameter.schema:
        return None
    around = {*words(entry.description), *words(str(_parent_text(entry, parameter)))}
    if set(words(parameter.name)) & around or parameter.name in _PLAIN:
        return None
    return Problem(parameter.path, "parameter", "has no description", "say what it is, in a few words")


def _parent_text(entry: ToolEntry, parameter: _Parameter) -> object:
    outer = re.split(r"[.\[]", parameter.path)[0]
    return entry.parameters["properties"][outer].get("description", "")


# ---------------------------------------------------------------------------------- units and choices

_MEASURE = re.compile(
    r"(?:^|_)(?:timeout|delay|interval|duration|wait|ttl|age|size|length|width|height|depth|distance|weight|speed|"
    r"temperature|radius|area|volume|memory|budget)(?:_|$)"
)
_UNIT = re.compile(
    r"\b(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|m?s|bytes?|[kmg]i?b|char(?:acter)?s?|tokens?|"
    r"lines?|words?|pixels?|px|percent|degrees?|celsius|fahrenheit|kelvin|k?m|cm|mm|miles?|feet|foot|inch(?:es)?|"
    r"met(?:er|re)s?|kilomet(?:er|re)s?|k?g|kilograms?|grams?|pounds?|items?|rows?|pages?|results?|entries|files|levels?|"
    r"units?|liters?|litres?|square|cubic|dollars?|usd|number of)\b|%|°",
    re.IGNORECASE,
)


def _without_unit(entry: ToolEntry, parameter: _Parameter) -> Problem | None:
    name = "_".join(part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", parameter.name))
    if not parameter.is_a("integer", "number") or not _MEASURE.search(name):
        return None
    if _UNIT.search(name.replace("_", " ")) or _UNIT.search(parameter.text):
        return None
    return Problem(
        parameter.path, "unit", "is a quantity without a unit", "name its unit, as in timeout_s or in its text"
    )


_QUOTED = r"[\"'`][\w.+-]+[\"'`]"
_CHOICES = re.compile(
    rf"{_QUOTED}(?:\s*(?:,|/|\||or|,\s*or|and)\s*{_QUOTED})+|\b(?:one of|either)\b|\b\w+(?:\s*\|\s*\w+)+", re.IGNORECASE
)
_EXAMPLE = re.compile(r"\b(?:e\.g|for example|for instance|such as|like|example)\b", re.IGNORECASE)


def _choices_in_prose(entry: ToolEntry, parameter: _Parameter) -> Problem | None:
    if not parameter.is_a("string") or any(key in parameter.schema for key in ("enum", "const", "pattern", "format")):
        return None
    found = _CHOICES.search(parameter.text)
    if not found or _EXAMPLE.search(parameter.text[: found.start()]):
        return None
    return Problem(parameter.path, "enum", f"lists its choices in prose: {found[0]!r}", "make them an enum")


_RULES: tuple[Rule, ...] = (_undescribed, _without_unit, _choices_in_prose)

# ------------------------------------------------------------------------------------------------ twins


def _twins(entry: ToolEntry, index: Index, by_name: Mapping[str, ToolEntry]) -> Iterator[Problem]:
    """Tools that a model could take for this one: the same words in the name, or nearly the same meaning."""
    fix = "say in both when to use which, or keep one"
    mine = sorted(words(entry.name))
    alike = {name for name in by_name if name != entry.name and sorted(words(name)) == mine}
    for name in sorted(alike):
        yield Problem("", "twin", f"its name has the same words as {name}", fix)
    said = re.sub(r"[\w-]+", lambda word: "" if word[0] in by_name else word[0], entry.description)
    hits = index.rank(said, 4)
    own = next((hit.score for hit in hits if hit.name == entry.name), None)
    for hit in hits if own else ():
        if hit.name != entry.name and hit.name not in alike and own and hit.score >= _TWIN * own:
            yield Problem("", "twin", f"it says nearly the same as {hit.name}", fix)
