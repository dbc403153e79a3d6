"""Text that comes in pieces is masked as if it had come at once."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handiwork.guard.redaction import redact
from handiwork.guard.streaming import MOST_HELD, StreamRedactor

KNOWN, WITH_BLANKS = "zx9-known-value-77", "correct horse\nbattery staple"
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6" * 3
BROKEN = TOKEN[:20] + "\n" + TOKEN[20:]
KEY = "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIabc\n" + "d8f7" * 40 + "\n-----END RSA PRIVATE " + "KEY-----"
PIECES = [
    KNOWN, KNOWN[:9], WITH_BLANKS, WITH_BLANKS[:14], TOKEN, BROKEN, KEY, KEY[:30],
    "password", " = ", ": ", "=", "hunter2-hunter2!", "Authorization: Bearer ", "abcdef0123456789", "token ",
    "login me password ", "Cookie: a=", "https://me:pw-pw-pw-pw@host/", "plain words here", "\n", " ", "\t", "-", "x",
    "seed phrase: ", "abandon " * 12, "API_KEY", "sk-" + "Z9fE2R9oqMCZ5nIx9Rq2",
]  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def known():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ONE_SECRET_TOKEN", KNOWN)
        patch.setenv("OTHER_SECRET_TOKEN", WITH_BLANKS)
        yield


def in_pieces(text: str, cuts: list[int]) -> str:
    stream, places = StreamRedactor(), [0, *sorted({c % (len(text) + 1) for c in cuts}), len(text)]
    return "".join(stream.feed(text[a:b]) for a, b in pairwise(places)) + stream.finish()


@given(st.lists(st.sampled_from(PIECES), max_size=9), st.lists(st.integers(0, 2000), max_size=12))
@example(["password", " = ", "hunter2-hunter2!"], [9, 12])
def test_any_cut_gives_the_same_as_the_whole(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    assert in_pieces(text, cuts) == redact(text)


@pytest.mark.parametrize("piece", PIECES)
def test_letter_by_letter(piece: str) -> None:
    text = f"before {piece} after"
    assert in_pieces(text, list(range(len(text)))) == redact(text)


def test_plain_words_are_told_at_once() -> None:
    stream = StreamRedactor()
    assert stream.feed("some plain wor") == "some plain "
    assert stream.feed("ds, and zx9-known-") == "words, and "
    assert stream.feed("value-77 ") == "*** "
    assert stream.feed("the password ") == "the "
    assert stream.feed("is short ") == "password is short "


def test_words_without_end_are_not_held_for_ever() -> None:
    stream = StreamRedactor()
    told = sum(len(stream.feed("abcdefgh" * 100)) for _ in range(100))
    assert told > 80_000 - 2 * MOST_HELD


def test_a_key_without_end_is_masked_all_along() -> None:
    stream = StreamRedactor()
    said = stream.feed("x " + KEY[:60]) + "".join(stream.feed("MIIabcd8f7" * 80 + "\n") for _ in range(40))
    said += stream.feed("-----END RSA PRIVATE " + "KEY-----\nafter ") + stream.finish()
    assert "MII" not in said.replace("***", "")
    assert said.endswith("-----\nafter ")
