"""Whatever the cuts, the whole is exchanged; nothing else changes, and no length does."""

from __future__ import annotations

from base64 import b64encode
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.backends.environment.secrets.swapping import Swap, swapped_headers, swapped_query
from handiwork.backends.environment.secrets.vault import held, placeholder_for, read_value
from handiwork.core.config import Config, as_field, problem_with
from handiwork.core.errors import UsageError
from handiwork.core.secrets import Secret

KEY, VALUE = b"hwAAAABBBB", b"0123456789"
TABLE = {KEY: VALUE, b"hwAACCCC": b"abcdefgh"}


@given(
    st.lists(
        st.sampled_from([KEY, b"hwAACCCC", b"hwAAAA", b"hw", b"h", b"w", b"BBBB", b"text ", b"\0\xff"]), max_size=12
    ),
    st.lists(st.integers(0, 90), max_size=8),
)
def test_any_cut_gives_the_same_as_the_whole(pieces: list[bytes], cuts: list[int]) -> None:
    text = b"".join(pieces)
    swap, places = Swap(TABLE), [0, *sorted(c for c in cuts if c <= len(text)), len(text)]
    fed = b"".join(swap.feed(text[a:b]) for a, b in pairwise(places)) + swap.finish()
    assert fed == Swap(TABLE).whole(text)
    assert len(fed) == len(text)


def test_little_is_held_back() -> None:
    swap = Swap(TABLE)
    assert swap.feed(b"plain text, nothing begun") == b"plain text, nothing begun"
    assert swap.feed(b"so far hwAAAAB") == b"so far "
    assert swap.feed(b"BBB!") == VALUE + b"!"


def test_headers_and_the_logins_in_them() -> None:
    login = b64encode(b"me:" + KEY)
    given_headers = [(b"authorization", b"Bearer " + KEY), (b"x", b"Basic " + login), (b"y", b"Basic !!"), (b"z", b"1")]
    headers, changed = swapped_headers(given_headers, Swap(TABLE))
    new = b64encode(b"me:" + VALUE)
    assert headers == [
        (b"authorization", b"Bearer " + VALUE),
        (b"x", b"Basic " + new),
        (b"y", b"Basic !!"),
        (b"z", b"1"),
    ]
    assert changed == {login: new}


def test_a_query_is_encoded_and_a_path_left() -> None:
    assert swapped_query(b"/" + KEY + b"?a=" + KEY, {KEY: b"a&b=c /d?e"}) == b"/" + KEY + b"?a=a%26b%3Dc%20%2Fd%3Fe"


@pytest.mark.parametrize("value", ["12345678", "x" * 40, "a-b_c.d/e+f=="])
def test_a_placeholder_is_as_long_and_different_each_time(value: str) -> None:
    made = {placeholder_for(value) for _ in range(20)}
    assert {len(one) for one in made} == {len(value)}
    assert len(made) == 20


# ------------------------------------------------------------------------------------------- values


def test_values_come_from_where_they_are_kept(tmp_path, monkeypatch) -> None:
    (tmp_path / "token").write_text("from-a-file\r\n")
    monkeypatch.setenv("SOME_VARIABLE", "from-a-variable")
    hosts = ("api.example.com",)
    assert read_value(Secret("T", "file", str(tmp_path / "token"), hosts)) == "from-a-file"
    assert read_value(Secret("T", "env", "SOME_VARIABLE", hosts)) == "from-a-variable"
    assert read_value(Secret("T", "command", "printf 'from-a-%s\\n' command", hosts)) == "from-a-command"


@pytest.mark.parametrize(
    ("kind", "source", "says"),
    [("env", "NOT_SET_AT_ALL", "isn't set"), ("file", "/nowhere/at/all", "can't be read"),
     ("command", "exit 3", "failed"), ("command", "echo short", "one line"), ("command", "seq 9", "one line"),
     ("command", "printf 'm\\303\\274ller-m\\303\\274ller'", "ASCII")],
)  # fmt: skip
def test_what_is_no_value_is_told(kind: str, source: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        held(Secret("TOKEN", kind, source, ("api.example.com",)))


def test_a_value_doesnt_show(monkeypatch) -> None:
    monkeypatch.setenv("KEPT", "not-to-be-shown")
    one = held(Secret("TOKEN", "env", "KEPT", ("api.example.com", "x.example:8443")))
    assert "not-to-be-shown" not in repr(one)
    assert one.goes_to("api.example.com", 443)
    assert one.goes_to("x.example", 8443)
    assert not one.goes_to("api.example.com", 80)
    assert not one.goes_to("a.api.example.com", 443)


def test_the_configuration() -> None:
    said = {
        "GH": {"env": "GITHUB_TOKEN", "hosts": ["api.github.com"]},
        "S": {"file": "~/s", "hosts": ["*.x.org"], "in": ["body"]},
    }
    assert problem_with("secrets", said) is None
    assert Config(secrets=as_field("secrets", said)).secrets == (
        Secret("GH", "env", "GITHUB_TOKEN", ("api.github.com",)),
        Secret("S", "file", "~/s", ("*.x.org",), ("body",)),
    )


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"a b": {}}, "can't be a variable"),
        ({"A": "x"}, "expected a mapping"),
        ({"A": {"hosts": ["x.org"]}}, "expected one of env"),
        ({"A": {"env": "X", "file": "y", "hosts": ["x.org"]}}, "expected one of env"),
        ({"A": {"env": "X"}}, "hosts: expected"),
        ({"A": {"env": "X", "hosts": ["http://x"]}}, "is no host"),
        ({"A": {"env": "X", "hosts": ["x.org"], "in": ["cookie"]}}, "in: expected"),
        ({"A": {"env": "X", "hosts": ["x.org"], "to": 1}}, "unknown key 'to'"),
    ],
)
def test_the_configurations_mistakes(said, says) -> None:
    assert says in str(problem_with("secrets", said))
