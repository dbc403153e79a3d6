import json
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.arithmetic import MAX_CHARS, calculate
from handiwork.core.errors import UsageError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("6*7", 42),
        ("0.1 + 0.2", 0.3),
        ("1/3*3", 1),
        ("10/4", 2.5),
        ("7//2", 3),
        ("-7 % 3", 2),
        ("2**100", str(2**100)),
        ("2**-2", 0.25),
        ("(17 + 4) × 2**10 ÷ 3 − 1", 7167),
        ("sqrt(16)", 4),
        ("sqrt(1/4)", 0.5),
        ("sqrt(2)", 2**0.5),
        ("4**0.5", 2),
        ("round(2.675, 2)", 2.68),
        ("sum([1, 2, 3.5])", 6.5),
        ("max(1, 2) + min(3, 4)", 5),
        ("mean(1, 2)", 1.5),
        ("factorial(20)", "2432902008176640000"),
        ("gcd(12, 18) + comb(5, 2)", 16),
        ("1_000 * 2", 2000),
        ("1.5e3", 1500),
        ("9007199254740993", "9007199254740993"),
        ("1/3", "0." + "3" * 29),
        ("1/30000", "0.0000" + "3" * 29),
        ("-2/3*10**20", "-66666666666666666666.6666666667"),
        ("floor(-2.5) + ceil(2.1) + abs(-3)", 3),
    ],
)
def test_values(expression, value):
    result = calculate(expression)
    assert result == value and type(result) is type(value)


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("9**9**9", "power"),
        ("10**10**10", "power"),
        ("(2**10000)*(2**10000)", "bits"),
        ("1e9999", "bits"),
        ("1e99999", "not a number"),
        ("factorial(100000)", "at most"),
        ("comb(10**9, 10**8)", "at most"),
        ("round(1/3, 10**9)", "at most"),
        ("round(1, 2, 3)", "can't take"),
        ("__import__('os').system('true')", "not arithmetic"),
        ("open('x')", "not a number"),
        ("().__class__", "not arithmetic"),
        ("[x for x in (1, 2)]", "not arithmetic"),
        ("sqrt(*[4])", "not arithmetic"),
        ("unknown(1)", "no function"),
        ("x + 1", "unknown"),
        ("2^3", "write **"),
        ("1,000 + 1", "thousands"),
        ("5%", "not an expression"),
        ("1/0", "division by zero"),
        ("sqrt(-1)", "domain"),
        ("(-8)**(1/3)", "not real"),
        ("exp(10000)", "range"),
        ("True + 1", "not a number"),
        ("", "not an expression"),
        ("-" * 500 + "1", "nested"),
        ("(" * 400 + "1" + ")" * 400, "not an expression"),
        ("1+" * MAX_CHARS + "1", "longer"),
        ("sum()", "at least one"),
    ],
)
def test_what_can_not_be_calculated_says_why_at_once(expression, said):
    begin = time.monotonic()
    with pytest.raises(UsageError) as caught:
        calculate(expression)
    assert said in f"{caught.value} {caught.value.hint}"
    assert time.monotonic() - begin < 1


leaves = st.integers(0, 10**6).map(str) | st.decimals(0, 1000, places=3).map(str)
expressions = st.recursive(
    leaves,
    lambda inner: st.builds(lambda a, op, b: f"({a}{op}{b})", inner, st.sampled_from("+-*"), inner),
    max_leaves=8,
)


@given(expressions)
def test_sums_and_products_of_decimals_are_exact(expression):
    exact = eval(__import__("re").sub(r"[\d.]+", lambda m: f"Fraction('{m.group()}')", expression))
    result = calculate(expression)
    shown = Fraction(result) if isinstance(result, str) else Fraction(repr(result))
    assert isinstance(exact, Fraction)
    if len(str(abs(exact.numerator))) < 28:
        assert shown == exact


@given(st.text(alphabet="0123456789+-*/%().,e[]^! sqrtmax", max_size=40))
def test_any_text_is_a_value_or_a_clear_refusal(expression):
    try:
        json.dumps(calculate(expression), allow_nan=False)
    except UsageError as refused:
        assert str(refused)
