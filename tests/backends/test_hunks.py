import difflib
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from handiwork.backends.files.editing.hunks import apply_hunks
from handiwork.core.errors import UsageError
from handiwork.core.patches import parse


def hunks(body):
    return parse(f"*** Begin Patch\n*** Update File: x\n{body}*** End Patch\n")[0].hunks


def numbered(body):
    return parse(f"--- x\n+++ x\n{body}")[0].hunks


def applied(text, found):
    return apply_hunks(text, found).text


def refusal(text, found):
    with pytest.raises(UsageError) as caught:
        apply_hunks(text, found)
    return f"{caught.value} {caught.value.hint}"


def lines_of(text):
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], lines[-1][:-1]] if lines[-1] != "\n" else lines[:-1]


def unified(old, new, context):
    diff = difflib.unified_diff(lines_of(old), lines_of(new), "a/x", "b/x", n=context)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in diff)


def sections(old, new):
    """The whole text as one hunk, as a model writes it: without line ends."""
    diff = difflib.ndiff(*([line.rstrip("\r\n") for line in lines_of(text)] for text in (old, new)))
    body = "".join(f"{line[0]}{line[2:]}\n" for line in diff if line[0] != "?")
    return f"*** Begin Patch\n*** Update File: x\n@@\n{body}*** End Patch\n"


words = st.sampled_from(["a", "b", "", " ", "  x", "é", "-- y", "@@", "\\", "a\rb"])
ends = st.sampled_from(["\n", "\n", "\r\n"])
texts = st.builds(
    lambda rows, last: "".join(map("".join, rows)) + last, st.lists(st.tuples(words, ends), max_size=14), words
)


@given(texts, texts, st.integers(1, 4))
@settings(deadline=None)
def test_a_diff_of_two_texts_makes_the_second_of_the_first(old, new, context):
    assume(old != new)
    assert applied(old, parse(unified(old, new, context))[0].hunks) == new


@given(texts, texts)
@settings(max_examples=60, deadline=None)
def test_so_does_the_other_form_with_the_line_ends_of_the_file(old, new):
    end = "\r\n" if "\r\n" in old else "\n"
    old, new = (text.replace("\r", "").rstrip("\n").replace("\n", end) + end for text in (old, new))
    assume(old != new)
    assert applied(old, parse(sections(old, new))[0].hunks) == new


@pytest.mark.integration
@given(texts, texts)
@settings(max_examples=40, deadline=None)
def test_so_do_the_diffs_of_git(tmp_path_factory, old, new):
    assume(old != new)
    folder = tmp_path_factory.mktemp("git")
    (folder / "x").write_bytes(old.encode())
    (folder / "y").write_bytes(new.encode())
    ran = subprocess.run(["git", "diff", "--no-index", "x", "y"], cwd=folder, capture_output=True, check=False)
    assert applied(old, parse(ran.stdout.decode().replace("b/y", "b/x"))[0].hunks) == new


@given(st.permutations(range(12)), st.lists(st.integers(0, 11), min_size=1, max_size=4, unique=True), ends, st.data())
@settings(max_examples=50, deadline=None)
def test_only_the_edited_lines_change_and_again_says_already(order, changed, end, data):
    """Each line keeps its own end, and what stands apart isn't touched."""
    lines = [f"line {n}" + data.draw(ends) for n in order]
    body = "".join(f"@@\n-line {order[at]}\n+changed {at}\n" for at in sorted(changed))
    text = "".join(lines)
    done = apply_hunks(text, hunks(body))
    want = [line.replace(line.rstrip(), f"changed {at}") if at in changed else line for at, line in enumerate(lines)]
    assert done.text == "".join(want) and done.places == len(changed)
    again = apply_hunks(done.text, hunks(body))
    assert again.text == done.text and again.places == 0 and "already" in again.notes[0]


@given(st.lists(st.integers(0, 99), min_size=4, max_size=20, unique=True), st.data())
@settings(max_examples=50, deadline=None)
def test_a_diff_that_was_applied_is_told_apart(numbers, data):
    old = "".join(f"line {n}\n" for n in numbers)
    new = "".join(f"line {n}\n" for n in numbers if data.draw(st.booleans())) + "a new last line\n"
    assume(old != new)
    found = parse(unified(old, new, 3))[0].hunks
    assert apply_hunks(new, found).places == 0


def test_line_numbers_are_hints():
    body = "@@ -40,3 +40,3 @@\n a\n-b\n+B\n c\n"
    done = apply_hunks("1\n2\na\nb\nc\n", numbered(body))
    assert done.text == "1\n2\na\nB\nc\n" and "line 3 (not 40)" in done.notes[0]
    twice = "a\nb\nc\n--\na\nb\nc\n"
    assert "2 places, at lines 1, 5" in refusal(twice, numbered(body))
    assert applied(twice, numbered(body.replace("40", "5"))) == "a\nb\nc\n--\na\nB\nc\n"
    assert "counts" in apply_hunks("a\nb\nc\n", numbered(body.replace("-40,3", "-1,9"))).notes[0]


CLASSES = "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n"


@pytest.mark.parametrize("anchors", ["@@ class B:", "@@ class B:\n@@     def f(self):", "@@ class B\n@@ def f"])
def test_anchors_choose_between_places(anchors):
    done = applied(CLASSES, hunks(f"{anchors}\n-        return 1\n+        return 2\n"))
    assert done == CLASSES[:-2] + "2\n"


def test_anchors_that_leave_several_places_or_none_choose_nothing():
    for anchor in ("@@", "@@ def f(self):", "@@ class C:"):
        assert "2 places" in refusal(CLASSES, hunks(f"{anchor}\n-        return 1\n+        return 2\n"))
    done = applied("[a]\nx = 1\n[b]\nx = 1\n", hunks("@@ [b]\n-x = 1\n+x = 2\n"))
    assert done == "[a]\nx = 1\n[b]\nx = 2\n"


def test_the_end_of_the_file_is_a_place():
    assert applied("x\ny\nx\n", hunks("@@\n-x\n+z\n*** End of File\n")) == "x\ny\nz\n"
    assert applied("a", hunks("@@\n+b\n*** End of File\n")) == "a\nb\n"
    assert applied("a\r\n", hunks("@@\n+b\n*** End of File\n")) == "a\r\nb\r\n"
    assert "nothing says where" in refusal("a\n", hunks("@@\n+b\n"))
    assert "nothing says where" in refusal("a\nb\n", numbered("@@ -1,0 +2 @@\n+x\n"))


@pytest.mark.parametrize(
    ("text", "body", "after", "said"),
    [
        ("a\r\nb\r\nc", "@@\n a\n-b\n+B\n+D\n c\n", "a\r\nB\r\nD\r\nc", "line ends"),
        ("a  \nb\nc\t\n", "@@\n a\n-b\n+B\n c\n", "a  \nB\nc\t\n", "white space at the ends"),
        ("say(“x”)\nb\n", '@@\n say("x")\n-b\n+B\n', "say(“x”)\nB\n", "quotes"),
        ("say(“x”) \nb\n", '@@\n say("x")\n-b\n+B\n', "say(“x”) \nB\n", "quotes"),
        ("a\nb", "@@\n a\n-b\n+c\n", "a\nc", "line ends"),
        ("a\nb", "@@\n a\n b\n+c\n", "a\nb\nc\n", "line ends"),
        ("a\nb\n", "@@\n a\n-b\n", "a\n", ""),
    ],
)
def test_what_cannot_change_the_meaning_is_disregarded_and_said(text, body, after, said):
    done = apply_hunks(text, hunks(body))
    assert done.text == after and done.places == 1
    assert any(said in note for note in done.notes) if said else not done.notes


def test_indentation_and_middles_are_never_disregarded():
    text = "if x:\n\treturn 1\n"
    assert "····return·1" in refusal(text, hunks("@@\n if x:\n-    return 1\n+    return 2\n"))
    said = refusal("def f():\n    alpha\n    beta\n", hunks("@@\n def f():\n-    gamma\n+    x\n     beta\n"))
    assert "line 3 of the patch" in said and "- " in said and "gamma" in said and "nothing was changed" in said


def test_what_is_only_added_is_not_added_twice():
    for body in ("@@\n import a\n+import b\n", "@@\n+import b\n import c\n", "@@\n import a\n+import b\n import c\n"):
        done = applied("import a\nimport c\n", hunks(body))
        assert done == "import a\nimport b\nimport c\n"
        assert apply_hunks(done, hunks(body)).places == 0


def test_what_is_too_short_to_tell_is_no_proof():
    assert "weren't found" in refusal("x\n", hunks("@@\n-old text\n+x\n"))


def test_hunks_may_not_overlap():
    assert "change the same lines" in refusal("a\nb\nc\n", hunks("@@\n a\n-b\n+B\n@@\n-b\n-c\n+C\n"))


def test_many_hunks_in_a_long_text_are_quick():
    text = "".join(f"line {n}\n" for n in range(20_000))
    body = "".join(f"@@ -{n} +{n} @@\n-line {n - 1}\n+x{n}\n" for n in range(1, 20_000, 10))
    assert apply_hunks(text.replace("\n", "\r\n"), numbered(body)).places == 2000
