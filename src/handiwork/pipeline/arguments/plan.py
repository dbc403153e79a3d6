"""A tool's plan: its parameter schema, compiled once, and what a call's arguments become under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .compiler import Compiler, names_of
from .envelope import inside_of, is_open_map
from .nodes import Node, TypedNode
from .reading import read_object, strict_object
from .shapes import folded_name
from .strings import Unreadable
from .trace import WRONG, At, Source, Trace, shown
from .wording import example_call

_NOTHING = frozenset(("", "null", "none", "undefined"))
_OBJECT: dict[str, Any] = {"type": "object", "properties": {}}
_NOT_RUN = "Nothing was run."


@dataclass(slots=True)
class Repaired:
    """What a call's arguments became: either `args`, or an `error` for the model; `notes` tell each repair."""

    args: dict[str, Any] | None
    error: str | None
    notes: list[str]


class Plan:
    """How to read, repair and check the arguments of one tool. Immutable in effect; safe to share."""

    __slots__ = ("_compiler", "_fixer", "_known", "_listed", "_node", "_parameters", "_required", "_wrappable")

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self._compiler = Compiler(parameters)
        self._parameters = listing = self._compiler.listing(parameters)
        self._node = self._compiler.compile(
            parameters if parameters.keys() >= _OBJECT.keys() else {**_OBJECT, **parameters}
        )
        self._fixer = _without_detour(self._node)
        listed = listing.get("properties")
        self._listed = frozenset(filter(_is_text, listed)) if isinstance(listed, Mapping) else frozenset[str]()
        self._known = frozenset(map(folded_name, self._listed))
        self._required = frozenset(map(folded_name, names_of(listing.get("required"))))
        self._wrappable = not is_open_map(listing)

    def apply(self, raw: Any) -> Repaired:
        """Repair what the model wrote: a text, or an already parsed value.

        Exactly one of `args` and `error` of the result is set. Never raises; applying it to its own
        `args` changes nothing. A dict that is right comes back as the same object.
        """
        trace = Trace()
        try:
            if type(raw) is not dict:
                raw = self._read(raw, trace)
            fixed = self._fix(raw, trace)
        except Unreadable as unreadable:
            return self._refusal(f"The arguments could not be read: {unreadable}", None, trace)
        except RecursionError:
            return self._refusal("The arguments are nested too deeply.", None, trace)
        if fixed is WRONG:
            return self._refusal("\n".join(["The arguments are wrong.", *trace.problems]), raw, trace)
        return Repaired(fixed, None, trace.notes)

    def _fix(self, value: Any, trace: Trace) -> Any:
        if self._wrappable and len(value) <= 8 and not self._listed.issuperset(value):
            value = self._unwrapped(value, trace)
        return self._fixer(value, None, trace)

    # --------------------------------------------------------------------------------------- reading

    def _read(self, raw: Any, trace: Trace) -> dict[str, Any]:
        """The object in *raw*; raises `Unreadable` where there is none."""
        value = raw
        if type(value) is str:
            trace.source = Source(value)
            if (found := strict_object(value)) is not None:
                return found  # type: ignore[no-any-return]
        if isinstance(value, (bytes, bytearray)):
            value = _decoded(bytes(value))
        if isinstance(value, str):
            trace.source = Source(value)
            value = None if value.strip().lower() in _NOTHING else self._read_text(value, trace)
        if value is None:
            return {}
        if isinstance(value, (list, tuple)) and len(value) == 1 and isinstance(value[0], Mapping):
            trace.repaired(None, "the object was written in a list")
            value = value[0]
        if not isinstance(value, Mapping):
            raise Unreadable(f"expected one JSON object, got {shown(value)}")
        return value if isinstance(value, dict) else dict(value)

    def _read_text(self, text: str, trace: Trace) -> Any:
        """What the text spells. A missing last brace is put in only where no further argument can be missing."""
        try:
            return read_object(text, trace.notes)
        except Unreadable as unreadable:
            members = unreadable.members
            if members is None or not self._listed or not self._wrappable or not self._listed <= members.keys():
                raise
            trace.repaired(None, "the last brace was missing")
            return members

    def _unwrapped(self, value: dict[str, Any], trace: Trace) -> dict[str, Any]:
        """The arguments inside `{"arguments": {...}}` and the like, where that is what they are."""
        while True:
            inside = inside_of(value, self._known, self._required)
            if isinstance(inside, str):
                inside = self._text_inside(inside)
            if not isinstance(inside, dict) or not self._is_ours(inside):
                return value
            trace.repaired(None, "taken out of a wrapper around them")
            value = inside

    def _text_inside(self, text: str) -> Any:
        """What a wrapper's text spells; a damaged object in it is damage, not an unknown argument."""
        try:
            return read_object(text, [])
        except Unreadable:
            if text.lstrip()[:1] == "{":
                raise
            return None

    def _is_ours(self, inside: dict[str, Any]) -> bool:
        """Whether an inner object can be the arguments: empty, another wrapper, or with a known name."""
        names = {folded_name(n) for n in inside if isinstance(n, str)}
        return (
            not names or not names.isdisjoint(self._known) or inside_of(inside, self._known, self._required) is not None
        )

    # --------------------------------------------------------------------------------------- refusing

    def example(self) -> str:
        """One line of JSON that is a right call."""
        return example_call(self._parameters, self._compiler.resolve, given={}, wanted=set())

    def _refusal(self, why: str, given: Any, trace: Trace) -> Repaired:
        """The error: what is wrong, and one right call built on what was right in this one."""
        wrong = {problem.partition(":")[0].partition(".")[0].partition("[")[0] for problem in trace.problems}
        right = {k: v for k, v in given.items() if k not in wrong} if isinstance(given, dict) else {}
        call = example_call(self._parameters, self._compiler.resolve, given=right, wanted=wrong)
        return Repaired(None, f"{why}\n{_NOT_RUN} A right call: {call}", trace.notes)


def _without_detour(node: Node) -> Callable[[Any, At, Trace], Any]:
    """The way to fix arguments, which are known to be an object, in one step less where that is all."""
    if isinstance(node, TypedNode) and "object" in node.kinds and "object" not in node.checks:
        return node.shapes["object"].fix if "object" in node.shapes else node.fix
    return node.fix


def _is_text(name: object) -> bool:
    return isinstance(name, str)


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Unreadable(f"it is not UTF-8 text ({error.reason} at byte {error.start})") from None


def compile_plan(parameters: Any) -> Plan:
    """The plan of a tool, from the JSON Schema of its parameters (anything else means "any object")."""
    return Plan(parameters if isinstance(parameters, Mapping) else {})
