"""Reading Python text: its calls of the usual functions on files, processes and the network."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from typing import Final

from ..shell.call import Call
from ..shell.marks import SECRET, UNKNOWN, is_known, veiled
from .doings import Doings
from .python_calls import CALLS, METHODS
from .python_values import MOST_VALUE, Name, Value, decoded, method, text_of, texts_in
from .scripts import read_script

MOST_ITEMS = 500
MOST_DEPTH = 60
_EXECUTES: Final = frozenset(("exec", "eval", "compile", "builtins.exec", "builtins.eval"))


def read_python(code: str, call: Call) -> str:
    """Note what Python text does; what it would print. What isn't Python is read as any other language."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return read_script(code, call, "python")
    reader = _Reader(Doings(call))
    reader.block(tree.body)
    return "".join(reader.printed)


class _Reader:
    """Goes through the statements in order; names hold what was assigned to them last."""

    __slots__ = ("depth", "doings", "loops", "names", "printed")

    def __init__(self, doings: Doings) -> None:
        self.doings = doings
        self.names: dict[str, Value] = {}
        self.printed: list[str] = []
        self.depth = self.loops = 0

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imported(node)
        elif isinstance(node, ast.Assign):
            value = self.value(node.value)
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self.names[target.id] = value
        elif isinstance(node, ast.For):
            self.loop(node)
        elif isinstance(node, ast.Expr):
            self.opened_only(node.value)
            self.value(node.value)
        else:
            self.inside(node)

    def opened_only(self, node: ast.expr) -> None:
        """A file that is opened for writing, and closed or let go at once, is emptied."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "close":
            node = node.func.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
            mode = text_of(self.value(node.args[1])) if len(node.args) > 1 else "r"
            if "w" in mode:
                self.doings.path("truncate", text_of(self.value(node.args[0])))

    def inside(self, node: ast.AST) -> None:
        """Any other statement: its expressions, then the statements in it."""
        self.loops += isinstance(node, ast.While)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.withitem):
                value = self.value(child.context_expr)
                if isinstance(child.optional_vars, ast.Name):
                    self.names[child.optional_vars.id] = value
            elif isinstance(child, ast.stmt):
                self.statement(child)
            else:
                self.inside(child)
        self.loops -= isinstance(node, ast.While)

    def imported(self, node: ast.Import | ast.ImportFrom) -> None:
        prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) and node.module else ""
        for alias in node.names:
            if prefix:
                self.names[alias.asname or alias.name] = Name(prefix + alias.name)
            else:
                bound = alias.asname or alias.name.partition(".")[0]
                self.names[bound] = Name(alias.name if alias.asname else bound)

    def loop(self, node: ast.For) -> None:
        items = self.value(node.iter)
        for item in items[:12] if isinstance(items, list) and items else [None]:
            if isinstance(node.target, ast.Name):
                self.names[node.target.id] = veiled(*texts_in(items)) if item is None else item
            self.block(node.body)

    # ----------------------------------------------------------------------------------- expressions

    def value(self, node: ast.expr) -> Value:
        self.depth += 1
        way = _WAYS.get(type(node)) if self.depth < MOST_DEPTH else None
        found = way(self, node) if way else self.anything(node)
        self.depth -= 1
        return found

    def anything(self, node: ast.expr) -> Value:
        """An expression of no special form: its parts are read, its value is made of theirs."""
        if self.depth >= MOST_DEPTH:
            self.doings.call.effect("unfollowed")
            return None
        parts = [self.value(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
        return veiled(*(text for part in parts for text in texts_in(part)))

    def constant(self, node: ast.Constant) -> Value:
        return node.value if isinstance(node.value, (str, bytes, int)) else None

    def name(self, node: ast.Name) -> Value:
        return self.names.get(node.id, Name(node.id))

    def attribute(self, node: ast.Attribute) -> Value:
        base = self.value(node.value)
        if isinstance(base, Name):
            dotted = f"{base.dotted}.{node.attr}"
            return Name(dotted, UNKNOWN + SECRET if dotted == "os.environ" else base.of)
        return Name("." + node.attr, base)

    def listed(self, node: ast.List | ast.Tuple | ast.Set) -> Value:
        return [self.value(item) for item in node.elts[:MOST_ITEMS]]

    def mapping(self, node: ast.Dict) -> Value:
        return {place: self.value(item) for place, item in enumerate(node.values)}

    def joined(self, node: ast.JoinedStr) -> Value:
        return "".join(text_of(self.value(part)) for part in node.values)

    def formatted(self, node: ast.FormattedValue) -> Value:
        return text_of(self.value(node.value))

    def operation(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if isinstance(node.op, ast.Mod) and isinstance(left, str):
            values = right if isinstance(right, list) else [right]
            for item in values:
                left = left.replace("%s", text_of(item), 1)
            return left
        if isinstance(node.op, ast.Div) and isinstance(left, Name):
            return Name(left.dotted, f"{text_of(left)}/{text_of(right)}")
        if isinstance(node.op, ast.Add) and type(left) is type(right) and isinstance(left, (str, bytes, list)):
            return (left + right)[:MOST_VALUE]
        if isinstance(node.op, ast.Add) and (isinstance(left, str) or isinstance(right, str)):
            return (text_of(left) + text_of(right))[:MOST_VALUE]
        return veiled(*texts_in(left), *texts_in(right))

    def negative(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        return -value if isinstance(node.op, ast.USub) and isinstance(value, int) else value

    def part(self, node: ast.Subscript) -> Value:
        base = self.value(node.value)
        if isinstance(base, (str, bytes)) and ast.unparse(node.slice) in (":  :-1", "::-1"):
            return base[::-1]
        if isinstance(base, list) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            return base[node.slice.value] if -len(base) <= node.slice.value < len(base) else None
        return veiled(*texts_in(base))

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Value:
        first = node.generators[0]
        items = self.value(first.iter)
        items = list(items) if isinstance(items, (str, bytes)) else items
        if not isinstance(items, list) or not isinstance(first.target, ast.Name):
            self.loops += 1
            self.value(node.elt)
            self.loops -= 1
            return None
        self.loops += 1
        found = []
        for item in items[:MOST_ITEMS]:
            self.names[first.target.id] = item
            found.append(self.value(node.elt))
        self.loops -= 1
        return found

    def called(self, node: ast.Call) -> Value:
        function = self.value(node.func)
        args = [self.value(a) for a in node.args]
        keywords = {k.arg or "": self.value(k.value) for k in node.keywords}
        if isinstance(function, Name):
            return self.known_call(function, args, keywords)
        return veiled(*(t for a in args for t in texts_in(a)))

    def known_call(self, function: Name, args: list[Value], keywords: dict[str, Value]) -> Value:
        dotted = function.dotted
        if dotted in _EXECUTES:
            return self.executed(args)
        if (found := self.plain_call(dotted, args)) is not None:
            return found
        if dotted == "os.fork" and self.loops:
            self.doings.call.effect("fork_bomb", "os.fork")
        if (way := CALLS.get(dotted)) is not None:
            return way(self.doings, args, keywords)
        last = dotted.rpartition(".")[2]
        if (way := METHODS.get(last)) is not None and "." in dotted:
            return way(self.doings, [function.of if function.of is not None else None, *args], keywords)
        found = method(function.of, last, args) if "." in dotted else None
        if found is not None:
            return found
        return Name(
            dotted, veiled(*texts_in(function.of), *(t for a in [*args, *keywords.values()] for t in texts_in(a)))
        )

    def executed(self, args: list[Value]) -> Value:
        text = text_of(args[0]) if args else ""
        self.doings.evaluates(text)
        if is_known(text) and self.depth < MOST_DEPTH // 2 and not self.doings.call.shell.is_spent():
            self.printed.append(read_python(text, self.doings.call))
        return UNKNOWN

    def plain_call(self, dotted: str, args: list[Value]) -> Value:
        """Functions without an effect whose values matter."""
        if dotted in ("print", "sys.stdout.write"):
            self.printed.append(" ".join(text_of(a) for a in args) + ("\n" if dotted == "print" else ""))
            return ""
        if dotted in ("__import__", "importlib.import_module") and args:
            return Name(text_of(args[0]))
        if dotted == "getattr" and len(args) > 1 and isinstance(args[0], Name):
            return Name(f"{args[0].dotted}.{text_of(args[1])}", args[0].of)
        if dotted == "map" and len(args) > 1 and isinstance(args[0], Name) and isinstance(args[1], list):
            return [self.known_call(args[0], [item], {}) for item in args[1][:MOST_ITEMS]]
        return self.text_call(dotted, args)

    def text_call(self, dotted: str, args: list[Value]) -> Value:
        """Functions that make a text or a list of others."""
        if dotted in ("chr", "bytes", "bytearray", "str", "list", "reversed", "os.path.join", "tuple"):
            return _built(dotted, args)
        if dotted == "os.path.expanduser" and args:
            return text_of(args[0]).replace("~", self.doings.call.shell.home, 1)
        if dotted in ("os.path.abspath", "os.path.realpath", "shlex.split", "textwrap.dedent", "shlex.quote") and args:
            return text_of(args[0]).split() if dotted == "shlex.split" else args[0]
        return decoded(dotted, args)


def _built(dotted: str, args: list[Value]) -> Value:
    first = args[0] if args else ""
    if dotted == "chr":
        return chr(first) if isinstance(first, int) and 0 < first < 0xD800 else UNKNOWN
    if dotted == "os.path.join":
        return "/".join(text_of(a) for a in args)
    if dotted == "reversed" and isinstance(first, (str, list)):
        return list(reversed(first))
    if dotted in ("bytes", "bytearray") and isinstance(first, list):
        return bytes(b for b in first if isinstance(b, int) and 0 <= b < 256)
    return first


_WAYS: Final[dict[type, Callable[[_Reader, ast.expr], Value]]] = {
    ast.Constant: _Reader.constant,  # type: ignore[dict-item]
    ast.Name: _Reader.name,  # type: ignore[dict-item]
    ast.Attribute: _Reader.attribute,  # type: ignore[dict-item]
    ast.List: _Reader.listed,  # type: ignore[dict-item]
    ast.Tuple: _Reader.listed,  # type: ignore[dict-item]
    ast.Set: _Reader.listed,  # type: ignore[dict-item]
    ast.Dict: _Reader.mapping,  # type: ignore[dict-item]
    ast.JoinedStr: _Reader.joined,  # type: ignore[dict-item]
    ast.FormattedValue: _Reader.formatted,  # type: ignore[dict-item]
    ast.BinOp: _Reader.operation,  # type: ignore[dict-item]
    ast.UnaryOp: _Reader.negative,  # type: ignore[dict-item]
    ast.Subscript: _Reader.part,  # type: ignore[dict-item]
    ast.ListComp: _Reader.comprehension,  # type: ignore[dict-item]
    ast.GeneratorExp: _Reader.comprehension,  # type: ignore[dict-item]
    ast.Call: _Reader.called,  # type: ignore[dict-item]
}
