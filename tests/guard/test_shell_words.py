"""Words: quotes, braces, variables and substitutions, as a shell resolves them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handiwork.guard.programs.running import Programs
from handiwork.guard.shell.escapes import decode_escapes
from handiwork.guard.shell.marks import SECRET, UNKNOWN, is_known, shown, veiled
from handiwork.guard.shell.patterns import compiled, may_match, unfold_braces
from handiwork.guard.shell.printers import printed
from handiwork.guard.shell.session import Shell
from handiwork.guard.shell.statements import Scripts
from handiwork.guard.shell.words import expand, expand_one


def shell(**variables: str) -> Shell:
    return Shell(Scripts(Programs()), "/home/alice", "/work", variables=dict(variables))


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("plain", ["plain"]),
        ("'a b'\"c d\"e", ["a bc de"]),
        ("a\\ b", ["a b"]),
        ("$'\\x41\\102\\n'", ["AB\n"]),
        ('$"x"', ["x"]),
        ("$x", ["one", "two"]),
        ('"$x"', ["one two"]),
        ("a$x", ["aone", "two"]),
        ("${x%% *}", ["one"]),
        ("${x#one }", ["two"]),
        ("${x/one/1}", ["1", "two"]),
        ("${x//[aeiou]/_}", ["_n_", "tw_"]),
        ("${x^^}", ["ONE", "TWO"]),
        ("${x:4}", ["two"]),
        ("${x:0:3}", ["one"]),
        ("${x: -3}", ["two"]),
        ("${#x}", ["7"]),
        ("${y:-else}", ["else"]),
        ("${x:+other}", ["other"]),
        ("${!p}", ["one", "two"]),
        ("$y", [UNKNOWN]),
        ('"$empty"', [""]),
        ("$empty", []),
        ("~", ["/home/alice"]),
        ("~/a", ["/home/alice/a"]),
        ("~bob/a", ["/home/bob/a"]),
        ("~root", ["/root"]),
        ("a~", ["a~"]),
        ("{a,b}c", ["ac", "bc"]),
        ("{1..3}", ["1", "2", "3"]),
        ("'{a,b}'", ["{a,b}"]),
        ("{a}", ["{a}"]),
        ("$((2 * 3))", ["6"]),
        ("$(echo a b)", ["a", "b"]),
        ('"$(echo a b)"', ["a b"]),
        ("`echo x`", ["x"]),
        ("$(pwd)", ["/work"]),
        ("*.py", ["*.py"]),
        ("$1", []),
        ('"it\'s"', ["it's"]),
    ],
)
def test_a_word_becomes_what_a_shell_makes_of_it(raw: str, words: list[str]) -> None:
    assert expand(raw, shell(x="one two", empty="", p="x")) == words


def test_separators_can_be_changed() -> None:
    assert expand("$c", shell(c="rm,-rf,/", IFS=",")) == ["rm", "-rf", "/"]
    assert expand_one("$c", shell(c="a b")) == "a b"


def test_what_is_not_known_keeps_its_origin() -> None:
    assert expand_one("$SOME_TOKEN", shell()) == UNKNOWN + SECRET
    assert SECRET in expand_one("x-${SOME_TOKEN:0:4}", shell())
    assert SECRET in expand_one("$(cat .env | base64)", shell())
    assert veiled("a", UNKNOWN + SECRET) == UNKNOWN + SECRET
    assert shown(f"a{UNKNOWN}") == "a..."


@given(st.text(alphabet="ab'\"\\$(){}`~*, \n", max_size=30))
def test_any_word_can_be_read(raw: str) -> None:
    assert all(isinstance(word, str) for word in expand(raw, shell()))


@given(st.text(max_size=30))
def test_single_quotes_keep_everything(text: str) -> None:
    text = text.replace("'", "")
    assert expand(f"'{text}'", shell()) == [text]


def test_braces_stay_few() -> None:
    assert len(unfold_braces("{a,b}" * 40)) <= 70
    assert unfold_braces("{" * 5000) == ["{" * 5000]


def test_patterns() -> None:
    assert compiled("a*[!x]?").fullmatch("abcd")
    assert not compiled("[").fullmatch("x")
    assert may_match("dir/.e*", ".env")
    assert not may_match("*", "id_rsa")
    assert not may_match("*nv", ".env")


@pytest.mark.parametrize(
    ("name", "args", "fed", "out"),
    [
        ("echo", ["-e", "a\\x41"], None, "aA\n"),
        ("echo", ["-n", "a", "b"], None, "a b"),
        ("printf", ["%s-%s\\n", "a", "b", "c", "d"], None, "a-b\nc-d\n"),
        ("printf", ["100%%"], None, "100%"),
        ("base64", ["-d"], "cm0=", "rm"),
        ("base64", ["--decode"], "!!", ""),
        ("xxd", ["-r", "-p"], "726d", "rm"),
        ("rev", [], "mr", "rm"),
        ("tr", ["a-z", "b-za"], "ql", "rm"),
        ("tr", ["-d", "_"], "r_m", "rm"),
        ("cut", ["-c2-3"], "xrm", "rm"),
        ("cut", ["-d:", "-f2"], "a:rm:b", "rm"),
        ("sed", ["s/x/m/;s/q/r/g"], "qx", "rm"),
        ("head", ["-c", "2"], "rmx", "rm"),
        ("seq", ["2", "4"], None, "2\n3\n4\n"),
        ("basename", ["/a/b"], None, "b\n"),
        ("unheard-of", [], "x", None),
    ],
)
def test_what_programs_print(name: str, args: list[str], fed: str | None, out: str | None) -> None:
    assert printed(name, args, fed) == out


@given(st.text(max_size=40))
def test_escapes_never_make_a_mark(text: str) -> None:
    clean = "".join(c for c in text if not 0xE000 <= ord(c) <= 0xE0FF)
    assert is_known(decode_escapes(clean + "\\ue000\\U0000e001"))
