"""Masking secrets. Every test value is put together here, from pieces."""

from __future__ import annotations

import json
import random
import re
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.core.errors import UsageError
from handiwork.guard import redact
from handiwork.guard.redaction import _RUN, is_plain, learn, refuse_masks

_random = random.Random(7)


def made(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    return "".join(_random.choice(alphabet) for _ in range(length - 2)) + "a7"


UPPER = string.ascii_uppercase + string.digits
TOKENS = {
    "github": "gh" + "p_" + made(36),
    "fine": "github" + "_pat_" + made(60),
    "gitlab": "gl" + "pat-" + made(20),
    "openai": "s" + "k-" + made(40),
    "anthropic": "s" + "k-ant-" + made(60),
    "aws": "AK" + "IA" + "".join(_random.choice(UPPER) for _ in range(16)),
    "google": "AI" + "za" + made(35),
    "slack": "xo" + "xb-" + made(30),
    "stripe": "sk_" + "live_" + made(24),
    "npm": "np" + "m_" + made(36),
    "jwt": "ey" + "J" + made(20) + "." + made(30) + "." + made(30),
}
TAIL = made(24)
ASSIGNED = [
    "password=",
    "DB_PASSWORD: ",
    '{"client_secret": "',
    "https://api.example.com/v1?api_key=",
    "Authorization: Bearer ",
    "postgres://user:",
    "Cookie: session=",
    "machine h login u password ",
    "MY_KEY=",
]


@pytest.mark.parametrize("kind", TOKENS)
def test_known_tokens_are_masked_and_their_beginning_stays(kind: str) -> None:
    token = TOKENS[kind]
    masked = redact(f"401 for {token} there")
    assert token[8:] not in masked
    assert masked.startswith("401 for " + token[:2])
    assert masked.endswith("*** there")


@pytest.mark.parametrize("before", ASSIGNED)
def test_assigned_values_are_masked(before: str) -> None:
    after = "@host/x" if "://user" in before else " next"
    masked = redact(before + TAIL + after)
    assert masked == before + "***" + after


def test_private_keys_are_masked_whole() -> None:
    lines = [made(64) for _ in range(3)]
    head, end = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"
    masked = redact("\n".join([head, *lines, end]))
    assert not any(line in masked for line in lines)
    assert masked.startswith(head)
    assert masked.endswith(end)


def test_secret_variables_of_this_process_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    value = "correct horse " + made(6)
    monkeypatch.setenv("SOME_TEST_PASSWORD", value)
    monkeypatch.setenv("SOME_TEST_NAME", "plain-name-value")
    assert redact(f"it is {value}!") == "it is ***!"
    assert redact("it is plain-name-value") == "it is plain-name-value"


@pytest.mark.parametrize(
    "text",
    [
        "password must be at least 8 characters",
        "DB_PASSWORD=${DB_PASSWORD}",
        "OPENAI_API_KEY=your-api-key-here",
        "commit " + "0123456789abcdef" * 2 + "01234567",
        "sha256:" + "0123456789abcdef" * 4,
        "https://github.com/acme/app.git",
        "token = get_token()",
        "max_tokens=4096",
        "the key is under the mat",
        "id=7626c4cd-6e9d-0bf2-3edc-4be0944ca81e",
    ],
)
def test_harmless_text_is_the_same_object(text: str) -> None:
    assert redact(text) == text


def test_a_card_number_is_masked_and_another_number_is_not() -> None:
    number = "4242 " * 3 + "4242"
    assert redact("card: " + number) == "card: ***"
    assert redact("card: 4242 4242 4242 4243") == "card: 4242 4242 4242 4243"


@pytest.mark.parametrize("card", ["{}", "[{}, 1]", "[1, {}]"])
def test_a_number_that_is_masked_leaves_json_behind(card: str) -> None:
    written = card.format("4242" * 4)
    masked = json.loads(redact(f'{{"card": {written}, "password": 1234567890.5, "x": 1}}'))
    assert "***" in str(masked["card"])
    assert "4242" not in str(masked)
    assert (masked["password"], masked["x"]) == ("***", 1)


def test_a_long_number_that_no_card_begins_like_stays() -> None:
    text = '{"binding_card": 1987654321098765}'
    assert redact(text) == text


@given(st.lists(st.sampled_from([*ASSIGNED, *TOKENS.values(), TAIL, " ", "\n", "***", "x", '"', "="]), max_size=12))
def test_masking_twice_changes_nothing_more(pieces: list[str]) -> None:
    once = redact("".join(pieces))
    assert redact(once) == once


@given(
    st.lists(
        st.sampled_from(
            [*ASSIGNED, *TOKENS.values(), TAIL, "gh" + "p_" + "a1\n" * 18, " ", "\n", "\u200b", "x", '"', "="]
        ),
        max_size=6,
    )
)
def test_the_quick_look_never_overlooks_what_is_masked(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert not is_plain(text) or redact(text) == text


@pytest.mark.parametrize(
    "text", ["", "src/main.py", '{"path": "a.txt", "limit": 5}', "limit: '5' -> 5 (number as text)"]
)
def test_the_quick_look_knows_plain_texts(text: str) -> None:
    assert is_plain(text)


def test_the_quick_look_knows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "plain words of it")
    assert not is_plain("say plain words of it now")


@pytest.mark.parametrize("piece", ["password=", "://a", "eyJaaaaaaaaa.", "_auth", "login a password ", "gh" + "p_a\n"])
def test_time_grows_with_the_length_only(piece: str) -> None:
    start = time.process_time()
    redact(piece * 20_000)
    assert time.process_time() - start < 3


# ------------------------------------------------------------------------------- text inside of JSON

TOKEN_LIKE = "gh" + "p_" + "a1B2c3D4e5F6" * 3
IN_FILES = [
    ('password = "hunter2-hunter2!"\nname = "x"', 'password = "***"\nname = "x"'),
    (f"first line\n{TOKEN_LIKE}\nlast", "first line\nghp_***\nlast"),
    ("API_KEY=abcdef1234567890\nDEBUG=true", "API_KEY=***\nDEBUG=true"),
    ('{"api_key": "abcdef1234567890", "n": 1}', '{"api_key": "***", "n": 1}'),
    ("the key: foo\nbar-baz-1234", "the key: foo\nbar-baz-1234"),
    ("path\\to\\file\tpassword:\thunter2-hunter2!", "path\\to\\file\tpassword:\t***"),
]


@pytest.mark.parametrize(("text", "masked"), IN_FILES)
def test_a_text_reads_the_same_whether_it_stands_in_json_or_not(text, masked):
    assert redact(text) == masked
    once = json.dumps({"content": text, "size": 1})
    assert json.loads(redact(once))["content"] == masked
    twice = json.dumps({"result": [once]})
    assert json.loads(json.loads(redact(twice))["result"][0])["content"] == masked


def test_a_value_with_quotes_under_the_name_of_a_secret():
    shown = redact(json.dumps({"password": 'ab"cd\\efgh12', "note": 'a "quoted" word'}))
    assert json.loads(shown) == {"password": "***", "note": 'a "quoted" word'}


def test_json_that_is_cut_off_is_masked_as_far_as_it_goes():
    whole = json.dumps({"content": 'x\npassword = "hunter2-hunter2!"', "more": "text\n" * 20})
    assert "hunter2" not in redact(whole[:-30])


@pytest.mark.parametrize("text", ['{"a": "\\q password=hunter2-hunter2!"}', '["\\ud800 \\n"]', '{"a\\n": "b"', "{\\"])
def test_odd_escapes_break_nothing(text):
    assert "hunter2" not in redact(text)


# ---------------------------------------------------------------------------------------- write-back


def test_a_masked_line_isnt_written_over_the_secret():
    old = "NAME=x\nAPI_KEY=abcdef1234567890\n"
    with pytest.raises(UsageError, match=r"line 2 holds \*\*\*"):
        refuse_masks(".env", old, "NAME=y\n  API_KEY=***\n")
    for new in ("NAME=***\n", "NAME=y\nAPI_KEY=abcdef1234567890\n", "***\nAPI_KEY=new-value-1234\n"):
        refuse_masks(".env", old, new)
    refuse_masks("a.md", "***\n# title\n", "***\n# other\n***\n")


def test_what_was_told_to_us_is_masked():
    redact("x")
    learn("told-to-us-but-plain")
    assert redact("it says told-to-us-but-plain here") == "it says *** here"


@given(st.text(alphabet="aB9_.+/=-\u200b ,:\n'", max_size=80))
def test_a_run_of_twelve_is_found_wherever_it_stands(text):
    assert bool(_RUN.match(text)) == bool(re.search(r"[A-Za-z0-9_.+/=\u200b-]{12}", text))
