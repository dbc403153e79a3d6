"""What the reader makes of shell text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from handiwork.guard.shell_reader import RawWord, decode_escapes, read


def text_of(word: RawWord) -> str:
    return "".join(part.text for part in word)


def words(line: str) -> list[str]:
    return [text_of(w) for w in read(line).pipelines[0][0].words]


def test_quotes_and_backslashes_join_one_word() -> None:
    assert words("""r'm' "a b" c\\ d 'it''s' e"$x"f""") == ["rm", "a b", "c d", "its", "exf"]


def test_operators_part_commands_and_pipes_join_them() -> None:
    script = read("a | b |& c && d || e; f\ng & h")
    assert [len(p) for p in script.pipelines] == [3, 1, 1, 1, 1, 1]
    assert script.odd == {"a background job"}


def test_redirections_are_not_words() -> None:
    command = read("sort <in 2>&1 >>out 3<>x arg").pipelines[0][0]
    assert [text_of(w) for w in command.words] == ["sort", "arg"]
    assert [(r.op, text_of(r.target)) for r in command.redirects] == [
        ("<", "in"),
        (">&", "1"),
        (">>", "out"),
        ("<>", "x"),
    ]


def test_a_heredoc_ends_at_its_line() -> None:
    script = read("cat <<'END' | sort\nrm x\nEND\nls")
    assert script.pipelines[0][0].redirects[0].body == "rm x"
    assert [text_of(c.words[0]) for p in script.pipelines for c in p] == ["cat", "sort", "ls"]


def test_substitutions_keep_their_text() -> None:
    parts = read("echo $(a \"$(b ')')\" c) `d`").pipelines[0][0].words
    assert [(p.kind, p.text) for w in parts[1:] for p in w] == [("sub", "a \"$(b ')')\" c"), ("sub", "d")]


def test_what_is_not_closed_is_odd() -> None:
    assert read("echo 'a").odd
    assert read('echo "a').odd
    assert read("echo $(a").odd
    assert read("f() { ls; }").odd


def test_escapes() -> None:
    assert decode_escapes(r"\x72\155\t\u0041") == "rm\tA"


@given(st.text(alphabet="ab '\"\\$(){}`<>|&;\n#*~=", max_size=60))
def test_reading_always_ends(text: str) -> None:
    script = read(text)
    assert sum(len(c.words) for p in script.pipelines for c in p) <= len(text)
