"""Schemas made of schemas: any of, one of, all of, not, if-then-else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .conversion import kind_of
from .nodes import ALL_KINDS, Node
from .trace import WRONG, At, Trace, shown

_NO_TYPES: frozenset[type] = frozenset()


def is_legal(node: Node, value: Any, trace: Trace) -> bool:
    """Whether *value* is right as it stands."""
    attempt = trace.fork()
    return node.fix(value, None, attempt) is not WRONG and attempt.clean


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one branch made of a value."""

    branch: int
    value: Any
    trace: Trace


class UnionNode:
    """`anyOf` and `oneOf`. What is legal in a branch stays; else the one cheapest reading counts.

    `rivals` are, for `oneOf`, the names each branch requires: an object that satisfies two branches
    with different demands says two things at once.
    """

    def __init__(
        self, branches: tuple[Node, ...], *, says: Callable[[], str], rivals: tuple[frozenset[str], ...] = ()
    ) -> None:
        self.branches = branches
        self.says = says
        self.rivals = rivals
        self.plain = _NO_TYPES.union(*(branch.plain for branch in branches)) - {dict}

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset[str]().union(*(branch.kinds for branch in self.branches))

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        if type(value) in self.plain:
            return value
        if not isinstance(value, (dict, list)):
            return self._fix(value, at, trace)
        # Branches often share their inner schemas: without a memory the work would double at each level.
        key = (id(self), id(value))
        memo = trace.memo = {} if trace.memo is None else trace.memo
        if key not in memo:
            attempt = trace.fork()
            memo[key] = (value, self._fix(value, at, attempt), attempt)
        _, fixed, attempt = memo[key]
        trace.join(attempt)
        return fixed

    def _fix(self, value: Any, at: At, trace: Trace) -> Any:
        attempts = []
        for index, branch in enumerate(self.branches):
            attempt = trace.fork()
            attempts.append(_Attempt(index, branch.fix(value, at, attempt), attempt))
            trace.steps = max(trace.steps, attempt.steps)
        legal = [a for a in attempts if a.value is not WRONG and a.trace.clean]
        if legal:
            return self._legal(value, legal, at, trace)
        mended = sorted((a for a in attempts if a.value is not WRONG), key=lambda a: a.trace.cost)
        if not mended:
            return self._explain(value, attempts, at, trace)
        best = mended[0]
        if any(m.trace.cost == best.trace.cost and m.value != best.value for m in mended[1:]):
            return trace.wrong(at, f"expected {self.says()}; {shown(value)} can be read in more than one way")
        trace.join(best.trace)
        return best.value

    def _legal(self, value: Any, legal: list[_Attempt], at: At, trace: Trace) -> Any:
        if len(legal) == 1:
            trace.join(legal[0].trace)
            return legal[0].value
        if self.rivals and isinstance(value, dict):
            demands = [self.rivals[a.branch] for a in legal]
            if all(demands) and len(set(demands)) == len(demands):
                groups = " or ".join(", ".join(sorted(d)) for d in demands)
                return trace.wrong(at, f"give only one of: {groups}")
        return value

    def _explain(self, value: Any, attempts: list[_Attempt], at: At, trace: Trace) -> Any:
        """Tell the problems of the branch that the value comes nearest to."""
        kind = kind_of(value)
        near = [a for a in attempts if kind in self.branches[a.branch].kinds]
        if kind not in ("object", "array") or not near:
            return trace.wrong(at, f"expected {self.says()}, got {shown(value)}")
        nearest = min(near, key=lambda a: len(a.trace.problems))
        trace.join(nearest.trace)
        return WRONG


class AllNode:
    """`allOf`, and keywords that stand beside each other: every part must hold of the repaired value."""

    plain = _NO_TYPES

    def __init__(self, parts: tuple[Node, ...]) -> None:
        self.parts = parts

    @property
    def kinds(self) -> frozenset[str]:
        return ALL_KINDS.intersection(*(part.kinds for part in self.parts))

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        cost, fixed = trace.cost, value
        for part in self.parts:
            fixed = part.fix(fixed, at, trace)
            if fixed is WRONG:
                return WRONG
        if trace.cost == cost:
            return fixed
        # A later part may have changed what an earlier one had passed.
        for part in self.parts:
            if not is_legal(part, fixed, trace):
                return trace.wrong(at, f"{shown(value)} can't satisfy all its conditions at once")
        return fixed


class NotNode:
    """`not`: the value must not be legal under a schema."""

    kinds = ALL_KINDS
    plain = _NO_TYPES

    def __init__(self, node: Node, *, says: Callable[[], str]) -> None:
        self.node = node
        self.says = says

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        if is_legal(self.node, value, trace):
            return trace.wrong(at, f"expected anything but {self.says()}, got {shown(value)}")
        return value


class ConditionalNode:
    """`if`, `then` and `else`."""

    kinds = ALL_KINDS
    plain = _NO_TYPES

    def __init__(self, condition: Node, then: Node, otherwise: Node) -> None:
        self.condition = condition
        self.then = then
        self.otherwise = otherwise

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        chosen = self.then if is_legal(self.condition, value, trace) else self.otherwise
        return chosen.fix(value, at, trace)


class DependentNode:
    """`dependentSchemas`: a name that is present brings a further schema for the whole object."""

    kinds = ALL_KINDS
    plain = _NO_TYPES

    def __init__(self, schemas: dict[str, Node]) -> None:
        self.schemas = schemas

    def fix(self, value: Any, at: At, trace: Trace) -> Any:
        for name, node in self.schemas.items():
            if isinstance(value, dict) and name in value:
                value = node.fix(value, at, trace)
                if value is WRONG:
                    return WRONG
        return value
