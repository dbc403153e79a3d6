import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.backends.files.editing.edits import Edit, apply_edit, apply_edits
from handiwork.core.errors import UsageError


def edited(text, old, new, everywhere=False):
    return apply_edit(text, Edit(old, new, everywhere)).text


def refusal(text, old, new, everywhere=False):
    with pytest.raises(UsageError) as caught:
        apply_edit(text, Edit(old, new, everywhere))
    return f"{caught.value} {caught.value.hint}"


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("a\nb\nc\n", "b", "B", "a\nB\nc\n"),
        # a CRLF file edited with LF strings keeps CRLF, and a backslash stays a backslash
        ("one\r\ntwo\r\nthree\r\n", "one\ntwo", "x\ndir\\run_x.bat", "x\r\ndir\\run_x.bat\r\nthree\r\n"),
        # mixed line ends: every line keeps its own
        ("a\r\nb\nc\r\n", "b", "B", "a\r\nB\nc\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\n"),
        ("a\r\nb\nc\r\nd", "a\nb\nc\nd", "a\nx\ny\nb\nc\nd", "a\r\nx\r\ny\r\nb\nc\r\nd"),
        ("a\r\nb\r\n", "b\r\n", "B\r\nC\r\n", "a\r\nB\r\nC\r\n"),
        ("a\nb\n", "a\r\nb", "A\r\nB", "A\nB\n"),
        ("a\r\nb\r\nc\r\n", "\nb\n", "\n", "a\r\nc\r\n"),
        # the strings were escaped twice
        ("line1\nline2\n", r"line1\nline2", r"lineA\nlineB", "lineA\nlineB\n"),
        ('say "x"\nb\n', r'say "x"\nb', r'say "y"\nc\\d', 'say "y"\nc\\d\n'),
        # ... unless the text really has a backslash and an n
        ("x = 'a\\nb'\n", r"a\nb", r"a\nc", "x = 'a\\nc'\n"),
        # line numbers of a listing
        ("a\n  x = 1\ny\n", "     2:   x = 1\n     3: y", "     2:   x = 2\n     3: z", "a\n  x = 2\nz\n"),
        ("a\nx = 1\n", "2|x = 1", "x = 2", "a\nx = 2\n"),
        ("a\nx = 1\n", "2|x = 1", "", "a\n\n"),
        # ... unless they are in the text
        ("7: x = 1\n", "7: x = 1", "8: x = 1", "8: x = 1\n"),
    ],
)
def test_an_edit_at_its_only_place(text, old, new, after):
    assert edited(text, old, new) == after


def test_everywhere():
    done = apply_edit("a b a\r\na\n", Edit("a", "x\ny", everywhere=True))
    assert done.places == 3
    assert done.text == "x\ny b x\ny\r\nx\ny\n"


def test_several_places_are_counted_and_listed_and_nothing_is_guessed():
    said = refusal("x = 1\ny\nx = 1\n", "x = 1", "x = 2")
    assert "2 times" in said and "lines 1, 3" in said and "replace_all" in said


def test_a_block_whose_middle_differs_is_not_taken():
    text = "def f():\n    alpha\n    beta\n    return alpha\n"
    said = refusal(text, "def f():\n    gamma\n    delta\n    return alpha", "x")
    assert "line 2\n-     gamma\n+     alpha" in said and "line 3\n-     delta\n+     beta" in said


def test_white_space_that_differs_is_made_visible():
    said = refusal("if x:\n\treturn 1\n", "if x:\n    return 1", "y")
    assert "····return·1" in said and "→return·1" in said


def test_characters_that_look_alike_are_told_by_their_numbers():
    said = refusal("a – b\n", "a - b", "y")
    assert "(column 3 is U+002D)" in said and "(column 3 is U+2013)" in said
    assert "U+00A0" in refusal("x =\u00a01\n", "x = 1", "y")
    assert "U+0430" in refusal("p\u0430ss\n", "pass", "y")


@pytest.mark.parametrize(
    ("text", "old", "new", "after", "said"),
    [
        ("say(“a”)\n", 'say("a")', 'say("a", 1)', "say(“a”, 1)\n", "quotes"),
        ("it’s\nx\n", "it's\nx", "it's\ny", "it’s\ny\n", "quotes"),
        ('say("a")\n', "say(“a”)", "say(“b”)", 'say("b")\n', "quotes"),
        ("a  \nb\n", "a\nb", "a\nc", "a  \nc\n", "white space"),
        ("a\nb\n", "a \nb", "a \nc", "a\nc\n", "white space"),
        ("  a\t\r\nb\r\n", "  a\nb\n", "  a\nc\nd\n", "  a\t\r\nc\r\nd\r\n", "white space"),
        ("say(‘a’) \nb\n", "say('a')\nb", "say('a')\nc", "say(‘a’) \nc\n", "quotes"),
        ("a\r\nb\r\n", "a\nb", "a\nc", "a\r\nc\r\n", "line ends"),
    ],
)
def test_what_cannot_change_the_meaning_is_disregarded_said_and_kept(text, old, new, after, said):
    done = apply_edit(text, Edit(old, new))
    assert done.text == after and said in done.notes[0]


@pytest.mark.parametrize(
    ("text", "old"), [("x = 1 + 2\n", "x = 1 "), ("ab\nc d\n", "b \nc"), ("\ta\nb\n", "a\n b"), ("a\n\n\n", " \n \n")]
)
def test_white_space_inside_or_before_lines_is_never_disregarded(text, old):
    assert text.count(old) == 1 or refusal(text, old, "y")


def test_what_was_added_is_not_added_twice():
    for new in ("import a\nimport b\n", "import b\nimport a\n", "import a, c\n"):
        done = apply_edit("x\r\nimport a\n", Edit("import a\n", new))
        again = apply_edit(done.text, Edit("import a\n", new))
        assert done.places == 1 and again.text == done.text and not again.places
    some = apply_edit("f(x)\nf(x, 1)\n", Edit("f(x", "f(x, 1", everywhere=True))
    assert some.text == "f(x, 1)\nf(x, 1)\n" and some.places == 1


def test_places_that_overlap_are_several():
    assert "2 times" in refusal("aaa", "aa", "b")


def test_several_edits_are_made_in_order_or_not_at_all():
    edits = [Edit("a", "b"), Edit("b", "c", everywhere=True), Edit(r"1\n2", r"x\ny")]
    done = apply_edits("a\n1\n2\n", edits)
    assert done.text == "c\nx\ny\n" and done.places == 3 and done.notes[0].startswith("edit 3: ")
    with pytest.raises(UsageError, match=r"edit 2 of 2 \(none was made\): old_string was not found"):
        apply_edits("a\n", [Edit("a", "b"), Edit("nowhere", "c")])


def test_a_line_that_looks_alike_is_named():
    assert "line 3\n- def g()\n+ def g():" in refusal("aaa\nbbb\ndef g():\n", "def g()\n", "y")
    assert "line 2" in refusal("aaa\nresult = compute_all(x)\n", "result = compute_al(x)", "y")


def test_text_that_is_nowhere_near_and_text_that_goes_on_behind_the_end():
    assert "Nothing in the file" in refusal("abc\n", "zzzzzzzz", "y")
    assert "(the file ends)" in refusal("first\nsecond line", "second line\nthird", "y")
    assert "but for line breaks" in refusal("first\nlast line", "last line\n", "y")


def test_an_edit_that_was_made_already_is_told_apart():
    done = apply_edit("new\r\ntext\r\n", Edit("old", "new\ntext"))
    assert done.places == 0 and done.text == "new\r\ntext\r\n" and "at line 1" in done.notes[0]
    # a text that is found anywhere is no proof
    assert "not found" in refusal("x\ny\n", "old", "x")
    assert "not found" in refusal("again\nagain\n", "old", "again")
    assert "at line 1" in apply_edit("again\nagain\n", Edit("old", "again", everywhere=True)).notes[0]


@pytest.mark.parametrize(("old", "new"), [("", "x"), ("a", "a"), ("1:", ""), ("1: ", "2: ")])
def test_edits_that_mean_nothing(old, new):
    assert refusal("a", old, new)


@given(st.lists(st.integers(0, 99), min_size=2, max_size=12, unique=True), st.data())
@settings(max_examples=50, deadline=None)
def test_edits_that_were_made_are_told_apart(numbers, data):
    ends = st.sampled_from(["\n", "\r\n"])
    text = "".join(f"line {n}{data.draw(ends)}" for n in numbers)
    chosen = data.draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=4, unique=True))
    news = [data.draw(st.sampled_from([f"new {n:03}\n", f"line {n}\nmore {n:03}\n"])) for n in chosen]
    edits = [Edit(f"line {n}\n", new) for n, new in zip(chosen, news, strict=True)]
    done = apply_edits(text, edits)
    again = apply_edits(done.text, edits)
    assert done.places == len(edits) and again.text == done.text and again.places == 0


texts = st.text(alphabet="ab \\n:1\r\n", max_size=60)


@given(texts, texts, st.text(alphabet="xyz\n", max_size=10), texts)
def test_only_the_place_changes(before, after, new, old):
    """Whatever surrounds the place stays byte for byte, CRs, lone CRs and all."""
    text = f"{before}<{old}>{after}"
    place = f"<{old}>"
    result = apply_edit(text, Edit(place, f"[{new}]"))
    assert result.places == 1
    assert result.text.startswith(before + "[") and result.text.endswith("]" + after)
    middle = result.text[len(before) + 1 : len(result.text) - len(after) - 1]
    assert middle.replace("\r\n", "\n") == new


@given(st.lists(st.sampled_from(["\r\n", "\n"]), min_size=1, max_size=8), st.data())
def test_changing_one_line_leaves_all_line_ends(ends, data):
    lines = [f"line {n}" for n in range(len(ends))]
    which = data.draw(st.integers(0, len(ends) - 1))
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    old = "\n".join(lines)
    new = old.replace(f"line {which}", "changed")
    assert edited(text, old, new) == text.replace(f"line {which}", "changed")
    assert edited(text, f"line {which}", "changed") == text.replace(f"line {which}", "changed")


@given(texts, texts, texts)
def test_an_edit_never_succeeds_unless_the_text_is_there(text, old, new):
    try:
        done = apply_edit(text, Edit(old, new))
    except UsageError:
        return
    if done.places == 0:
        assert done.text == text and new.replace("\r\n", "\n") in text.replace("\r\n", "\n")
    elif not done.notes:
        assert text.replace("\r\n", "\n").count(old.replace("\r\n", "\n")) == 1 or text.count(old) == 1
