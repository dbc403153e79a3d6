"""What objects and lists ask of their members: names, positions, what may be left out and what is filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from handiwork.core.errors import near_names
from handiwork.core.wire import copy_json

from .conversion import kind_of, means_nothing
from .nodes import ChoiceNode, NeverNode, Node
from .trace import WRONG, At, Trace, shown

_SEPARATORS = re.compile(r"[\W_]+")
_MOST_MISSPELT = 100
_LIST_TEXT = ("[", "(")
_LONGEST_NAME = 200


def folded_name(name: str) -> str:
    """A name without case and separators: filePath, file-path and File_Path are one."""
    return _SEPARATORS.sub("", name).casefold()


@dataclass(frozen=True, slots=True)
class Members:
    """The rules of an object: `defaults` as the schema gives them, `others` judges names not listed.

    `renames` says whether a name that isn't listed may be a misspelt listed one: always, only for a
    required one that is missing, or never (where names are data).
    """

    children: Mapping[str, Node]
    required: frozenset[str]
    defaults: Mapping[str, Any]
    patterns: tuple[tuple[re.Pattern[str], Node], ...]
    others: Node | None
    names: Node | None
    renames: str
    says: Callable[[str], str]


class ObjectShape:
    """Repairs and checks the members of an object."""

    def __init__(self, members: Members) -> None:
        self.members = members
        self.children = members.children
        self.required = members.required
        self._fills: dict[str, Any] | None = None if members.defaults else {}
        self.plain = {
            name: next(iter(child.plain)) for name, child in members.children.items() if len(child.plain) == 1
        }
        self._by_fold: dict[str, tuple[str, ...]] | None = None

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        plain, children, result, strays, failed = self.plain, self.children, value, False, False
        for name, item in value.items():
            if plain.get(name) is type(item):
                continue
            child = children.get(name)
            if child is None:
                strays = True
                continue
            before = len(trace.problems)
            fixed = child.fix(item, (at, name), trace)
            if fixed is item:
                continue
            result = dict(value) if result is value else result
            if fixed is not WRONG:
                result[name] = fixed
            elif not self._leave_out(name, result, trace, (at, before)):
                failed = True
        if strays:
            result, misplaced = self._place_strays(value, result, at, trace)
            failed = failed or misplaced
        if not self.required <= result.keys():
            failed = self._report_missing(result, at, trace) or failed
        if failed:
            return WRONG
        return self._filled(value, result, at, trace) if self.members.defaults else result

    def _filled(self, value: Any, result: Any, at: At, trace: Trace) -> Any:
        if id(self) in trace.filling:
            return trace.wrong(at, "a default that holds itself has no end")
        for name, default in self._defaults(trace).items():
            if name not in result:
                result = dict(value) if result is value else result
                result[name] = copy_json(default) if isinstance(default, (dict, list)) else default
        return result

    def _defaults(self, trace: Trace) -> dict[str, Any]:
        """The defaults that are legal, or can be made so. Others would only break the call."""
        if self._fills is not None:
            return self._fills
        if id(self) in trace.filling:
            return {}
        attempts = {name: self._default(name, trace) for name in self.members.defaults}
        found = {name: default for name, default in attempts.items() if default is not WRONG}
        if not trace.filling:
            self._fills = found
        return found

    def _default(self, name: str, trace: Trace) -> Any:
        default, child = self.members.defaults[name], self.children[name]
        if type(default) in child.plain:
            return default
        attempt = Trace()
        attempt.filling = (*trace.filling, id(self))
        return child.fix(default, None, attempt)

    def _leave_out(self, name: str, result: dict[str, Any], trace: Trace, mark: tuple[At, int]) -> bool:
        """Null, or a word for it where no such text is allowed, means that an optional argument is left out."""
        item = result[name]
        if not means_nothing(item) or (isinstance(item, str) and _takes_text(self.children[name])):
            return False
        if name in self.required and name not in self._defaults(trace):
            return False
        at, before = mark
        del trace.problems[before:]
        del result[name]
        trace.repaired((at, name), f"{shown(item)} means left out", 2)
        return True

    def _report_missing(self, result: Mapping[str, Any], at: At, trace: Trace) -> bool:
        """A default stands in for a required name, but not where that was given and misspelt."""
        filled = self._defaults(trace)
        absent = [n for n in self.children if n in self.required and n not in result]
        absent += sorted(n for n in self.required if n not in self.children and n not in result)
        strays = [n for n in islice(result, _MOST_MISSPELT) if isinstance(n, str) and n not in self.children]
        found = {name: near_names(name, strays, 1) if strays else [] for name in absent}
        missing = {name: near for name, near in found.items() if name not in filled or _is_slip(name, near)}
        for name, near in missing.items():
            given = f" (you gave {shown(near[0])})" if near else ""
            trace.wrong((at, name), f"required but missing, expected {self.members.says(name)}{given}")
        return bool(missing)

    # ---------------------------------------------------------------------------------------- strays

    def _place_strays(self, value: Any, result: Any, at: At, trace: Trace) -> tuple[Any, bool]:
        """Names that aren't listed: a listed name spelt otherwise, a pattern's, an extra one, or wrong."""
        strays = [name for name in value if name not in self.children]
        few = len(strays) <= _MOST_MISSPELT
        if not few and self._takes_any_name(strays):
            return result, False
        draft, failed = dict(result), False
        for name in strays:
            meant = self._meant(str(name), value) if few else ()
            if len(meant) > 1:
                failed = True
                trace.wrong((at, str(name)), f"may be {' or '.join(meant)}: which one?")
            elif meant:
                failed |= not self._rename((name, meant[0]), draft, at, trace)
            elif not self._keep(name, draft, at, trace):
                failed = True
            if trace.full:
                break
        unchanged = not failed and all(name in draft and draft[name] is value[name] for name in strays)
        return (result, False) if unchanged else (draft, failed)

    def _takes_any_name(self, names: list[Any]) -> bool:
        members = self.members
        return members.others is members.names is None and not members.patterns and {str}.issuperset(map(type, names))

    def _meant(self, name: str, value: Mapping[str, Any]) -> tuple[str, ...]:
        """The listed names that *name* can mean, if none of them is given."""
        if self.members.renames == "never" or len(name) > _LONGEST_NAME:
            return ()
        if self._by_fold is None:
            folds: dict[str, tuple[str, ...]] = {}
            for known in self.children:
                fold = folded_name(known)
                folds[fold] = (*folds.get(fold, ()), known)
            self._by_fold = folds
        meant = self._by_fold.get(folded_name(name), ())
        if not value.keys().isdisjoint(meant):
            return ()
        return meant if self.members.renames == "always" or not self.required.isdisjoint(meant) else ()

    def _rename(self, names: tuple[Any, str], draft: dict[str, Any], at: At, trace: Trace) -> bool:
        name, meant = names
        item = draft.pop(name)
        if meant in draft:
            trace.wrong((at, meant), f"given more than once under other names, such as {shown(str(name))}")
            return False
        trace.repaired((at, meant), f"was spelt {shown(str(name))}")
        before = len(trace.problems)
        draft[meant] = item
        fixed = self.children[meant].fix(item, (at, meant), trace)
        if fixed is WRONG:
            return self._leave_out(meant, draft, trace, (at, before))
        draft[meant] = fixed
        return True

    def _keep(self, name: Any, draft: dict[str, Any], at: At, trace: Trace) -> bool:
        """Fix the value of a name that isn't listed, in its place; a name that is no text becomes one."""
        text = str(name)
        if text != name and text in draft:
            trace.wrong((at, text), "given twice, as text and as another kind of name")
            return False
        fixed = self._extra(text, draft[name], at, trace)
        if text != name:
            del draft[name]
        if fixed is WRONG:
            return False
        draft[text] = fixed
        return True

    def _extra(self, name: str, item: Any, at: At, trace: Trace) -> Any:
        members = self.members
        matching = [node for pattern, node in members.patterns if pattern.search(name)]
        others = members.others if not matching else None
        if isinstance(others, NeverNode):
            return trace.wrong((at, name), self._unknown(name))
        if members.names is not None and members.names.fix(name, (at, name), trace) != name:
            return trace.wrong((at, name), "this name isn't allowed here")
        for node in (*matching, *((others,) if others else ())):
            item = node.fix(item, (at, name), trace)
            if item is WRONG:
                return WRONG
        return item

    def _unknown(self, name: str) -> str:
        near = near_names(name[:100], self.children)
        if near:
            return f"unknown argument; did you mean {' or '.join(near)}?"
        return f"unknown argument; the known ones are {', '.join(list(self.children)[:20]) or 'none'}"


def _takes_text(node: Node) -> bool:
    """Whether any text may be meant; where only some are allowed, the word for nothing means nothing."""
    return "string" in node.kinds and not isinstance(node, ChoiceNode)


def _is_slip(name: str, near: list[str]) -> bool:
    """Whether a stray name is *name* with a letter or two off."""
    return bool(near) and abs(len(near[0]) - len(name)) <= 2


class ArrayShape:
    """Repairs and checks the items of a list: `first` by position, `items` for the rest."""

    def __init__(self, items: Node, *, first: tuple[Node, ...] = (), contains: Contains | None = None) -> None:
        self.items = items
        self.first = first
        self.contains = contains
        self.plain = items.plain if not first and contains is None else frozenset()

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        if self.plain and self.plain.issuperset(map(type, value)):
            return value
        result, failed = value, False
        for index, item in enumerate(value):
            node = self.first[index] if index < len(self.first) else self.items
            if type(item) in node.plain:
                continue
            fixed = self._item(node, item, (at, index), trace)
            if fixed is item:
                continue
            if fixed is WRONG:
                failed = True
                if trace.full:
                    break
            elif trace.tired:
                return trace.wrong(at, "too many members are of the wrong type")
            result = list(value) if result is value else result
            result[index] = fixed
        if not failed and self.contains is not None:
            failed = not self.contains.holds(result, at, trace)
        return WRONG if failed else result

    def _item(self, node: Node, item: Any, at: At, trace: Trace) -> Any:
        """In a list of lists a bare item is refused: [1, 2] may mean [[1, 2]] or [[1], [2]]."""
        if node.kinds == {"array"} and kind_of(item) != "array" and not _spells_list(item):
            return trace.wrong(at, f"expected a list, got {shown(item)}")
        return node.fix(item, at, trace)


def _spells_list(item: Any) -> bool:
    return isinstance(item, tuple) or (isinstance(item, str) and item.lstrip()[:1] in _LIST_TEXT)


@dataclass(frozen=True, slots=True)
class Contains:
    """`contains` with its bounds: how many items must be legal under a schema."""

    node: Node
    least: float
    most: float

    def holds(self, value: list[Any], at: At, trace: Trace) -> bool:
        """Whether the list keeps the bounds; if not, the problem is noted."""
        count = 0
        for item in value:
            attempt = trace.fork()
            count += self.node.fix(item, None, attempt) is not WRONG and attempt.clean
        if self.least <= count <= self.most:
            return True
        trace.wrong(at, f"expected at least {self.least} items of the required form, found {count}")
        return False
