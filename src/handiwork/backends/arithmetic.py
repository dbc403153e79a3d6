"""Arithmetic on text: exact as long as it can be, bounded always, and never code."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from ..core.errors import UsageError

Number: TypeAlias = Fraction | float
Value: TypeAlias = "Number | list[Number]"

MAX_CHARS = 1_000
MAX_DEPTH = 60
# About 4,200 digits; Python itself refuses to print more than 4,300.
MAX_BITS = 14_000
_DIGITS_SHOWN = 30
_EXACT_IN_JSON = 1 << 53

_SPELLINGS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "–": "-", "π": "pi"})
_LITERAL = re.compile(r"(\d[\d_]*)?(\.[\d_]*)?(?:[eE]([+-]?\d{1,4}))?")

_OPERATORS: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_CONSTANTS: dict[str, Number] = {"pi": math.pi, "e": math.e, "tau": math.tau}


def calculate(expression: str) -> int | float | str:
    """The value of *expression*: a number where JSON holds it exactly, else its digits as text.

    Whole numbers and decimals are exact through + - * / // % and **. Raises `UsageError` saying
    what can't be calculated.
    """
    if len(expression) > MAX_CHARS:
        raise UsageError(f"the expression is longer than {MAX_CHARS:,} characters", "calculate it in parts")
    source = expression.translate(_SPELLINGS).strip()
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{expression[:80]!r} is not an expression", "write it like (2 + 3) * 4 ** 2") from None
    try:
        value = _value(tree.body, source, MAX_DEPTH)
    except ZeroDivisionError:
        raise UsageError("division by zero") from None
    except (OverflowError, ValueError) as error:
        raise UsageError(f"can't be calculated: {error}") from None
    return _shown(_number(value))


def _value(node: ast.expr, source: str, depth: int) -> Value:
    if depth == 0:
        raise UsageError(f"the expression is nested more than {MAX_DEPTH} deep", "calculate it in parts")
    match node:
        case ast.Constant():
            return _literal(ast.get_source_segment(source, node) or "")
        case ast.Name():
            return _constant(node.id)
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            inner = _number(_value(node.operand, source, depth - 1))
            return -inner if isinstance(node.op, ast.USub) else inner
        case ast.BinOp():
            left, right = (_number(_value(side, source, depth - 1)) for side in (node.left, node.right))
            return _bounded(_combined(node.op, left, right))
        case ast.Call(func=ast.Name(id=name), keywords=[]):
            return _call(name, [_value(arg, source, depth - 1) for arg in node.args])
        case ast.List() | ast.Tuple():
            return [_number(_value(item, source, depth - 1)) for item in node.elts]
    raise UsageError(f"{ast.unparse(node)[:80]!r} is not arithmetic", "use numbers, operators and functions only")


def _literal(text: str) -> Number:
    found = _LITERAL.fullmatch(text)
    if not found or not text.strip("_"):
        raise UsageError(f"{text} is not a number", "write plain decimal numbers")
    return _bounded(Fraction(text.replace("_", "")))


def _constant(name: str) -> Number:
    if name not in _CONSTANTS:
        raise UsageError(f"{name} is unknown", f"constants are {', '.join(_CONSTANTS)}")
    return _CONSTANTS[name]


def _combined(op: ast.operator, left: Number, right: Number) -> Number:
    if isinstance(op, ast.Pow):
        return _power(left, right)
    if isinstance(op, ast.BitXor):
        raise UsageError("^ is not a power here", "write ** for powers")
    if type(op) not in _OPERATORS:
        raise UsageError("only + - * / // % ** are known", "write it with those")
    return Fraction(result) if isinstance(result := _OPERATORS[type(op)](left, right), int) else result


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, Fraction) and isinstance(exponent, Fraction) and exponent.denominator == 1:
        if _bits(base) * abs(exponent) > MAX_BITS and base not in (0, 1, -1):
            raise UsageError(f"the power has more than {MAX_BITS:,} bits", "use log() to compare sizes")
        return Fraction(base ** int(exponent))
    result = complex(float(base) ** float(exponent))
    if result.imag:
        raise UsageError("a fractional power of a negative number is not real")
    return result.real


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _bounded(value: Number) -> Number:
    if isinstance(value, Fraction) and _bits(value) > MAX_BITS:
        raise UsageError(f"the number has more than {MAX_BITS:,} bits", "calculate with smaller numbers")
    return value


def _number(value: Value) -> Number:
    if isinstance(value, list):
        raise UsageError("a list is not a number", "write numbers without thousands separators; lists go into sum()")
    return value


# ----------------------------------------------------------------------------------------- functions


def _square_root(value: Number) -> Number:
    """Exact for exact squares."""
    if isinstance(value, Fraction) and value >= 0:
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        if root * root == value:
            return root
    return math.sqrt(value)


def _round(value: Number, places: Number = Fraction(0)) -> Number:
    digits = _whole(places)
    if abs(digits) > 1000:
        raise UsageError("round() takes at most 1000 places")
    if isinstance(value, float):
        return round(value, digits)
    return round(value, digits)


def _whole(value: Number) -> int:
    if value != int(value):
        raise UsageError(f"{_shown(value)} is not a whole number")
    return int(value)


def _factorial(value: Number) -> Number:
    if (n := _whole(value)) > 1_400:
        raise UsageError("factorial() takes at most 1400", "use lgamma(n + 1) for its logarithm")
    return Fraction(math.factorial(n))


def _combinations(n: Number, k: Number) -> Number:
    if _whole(n) > MAX_BITS:
        raise UsageError(f"comb() takes at most {MAX_BITS}")
    return Fraction(math.comb(_whole(n), _whole(k)))


def _gathered(function: Callable[[list[Number]], Number]) -> Callable[..., Number]:
    """*function* over its arguments, or over the one list it is given."""

    def gathered(*values: Value) -> Number:
        numbers = values[0] if len(values) == 1 and isinstance(values[0], list) else [_number(v) for v in values]
        if not numbers:
            raise UsageError("it needs at least one number")
        return function(numbers)

    return gathered


def _sum(numbers: list[Number]) -> Number:
    return sum(numbers, Fraction(0))


_FUNCTIONS: dict[str, Callable[..., Number]] = {
    "sqrt": _square_root,
    "round": _round,
    "abs": abs,
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
    "trunc": lambda x: Fraction(math.trunc(x)),
    "min": _gathered(min),
    "max": _gathered(max),
    "sum": _gathered(_sum),
    "mean": _gathered(lambda numbers: _sum(numbers) / len(numbers)),
    "factorial": _factorial,
    "comb": _combinations,
    "gcd": lambda *values: Fraction(math.gcd(*map(_whole, values))),
    "lcm": lambda *values: Fraction(math.lcm(*map(_whole, values))),
    "pow": _power,
    "log": math.log,
    "atan2": math.atan2,
    "hypot": math.hypot,
    **{
        function.__name__: function
        for function in (
            *(math.exp, math.log2, math.log10, math.lgamma, math.degrees, math.radians),
            *(math.sin, math.cos, math.tan, math.asin, math.acos, math.atan, math.sinh, math.cosh, math.tanh),
        )
    },
}


def _call(name: str, values: list[Value]) -> Number:
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UsageError(f"there is no function {name}()", f"there are {', '.join(sorted(_FUNCTIONS))}")
    try:
        return _bounded(function(*values))
    except TypeError:
        raise UsageError(f"{name}() can't take these {len(values)} arguments", "give it plain numbers") from None


# ------------------------------------------------------------------------------------------- showing


def _shown(value: Number) -> int | float | str:
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError("the result is not a finite number")
        return int(value) if value.is_integer() and abs(value) < _EXACT_IN_JSON else value
    if value.denominator == 1:
        return value.numerator if abs(value.numerator) <= _EXACT_IN_JSON else str(value.numerator)
    digits = _digits(value)
    return float(digits) if len(digits) <= 16 and "e" not in digits else digits


def _digits(value: Fraction) -> str:
    """*value* as a decimal of at most 30 significant digits."""
    whole = len(str(abs(value.numerator) // value.denominator))
    places = max(_DIGITS_SHOWN - whole, 0)
    if whole == 1:  # small numbers have zeros before their first digit
        places += max(0, value.denominator.bit_length() - value.numerator.bit_length()) * 30103 // 100_000
    scaled = round(abs(value) * 10**places)
    text = f"{scaled:0{places + 1}d}"
    cut = len(text) - places
    fraction = text[cut:].rstrip("0")
    return ("-" if value < 0 else "") + text[:cut] + (f".{fraction}" if fraction else "")
