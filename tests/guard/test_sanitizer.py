"""Error texts, cleaned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.guard import sanitize


@pytest.mark.parametrize(
    "token",
    ["<system>", "</tool_result>", "<![CDATA[", "]]>", "```python", "<|im_start|>", "[INST]", "<function_calls>"],
)
def test_structure_is_taken_out(token: str) -> None:
    clean = sanitize(f"KeyError: {token} gone")
    assert token not in clean
    assert clean.startswith("KeyError: ")
    assert clean.endswith(" gone")


def test_halves_do_not_join_to_a_new_token() -> None:
    assert "<system>" not in sanitize("<sys<system>tem>")
    assert "<" not in sanitize("<s" * 20 + "<system>" + "ystem>" * 20)


def test_secrets_are_masked() -> None:
    token = "gh" + "p_" + "a1B2" * 9
    assert token not in sanitize(f"401 with {token}")


def test_plain_text_stays() -> None:
    assert sanitize("FileNotFoundError: 'a.txt' (x < 3, list[int])") == "FileNotFoundError: 'a.txt' (x < 3, list[int])"


@given(st.text(max_size=300), st.integers(min_value=60, max_value=200))
def test_it_is_bounded(text: str, limit: int) -> None:
    assert len(sanitize(text, limit)) <= limit


def test_the_middle_of_a_long_text_is_left_out() -> None:
    clean = sanitize("a" * 50_000 + "the end")
    assert len(clean) <= 2000
    assert "characters left out" in clean
    assert clean.endswith("the end")
