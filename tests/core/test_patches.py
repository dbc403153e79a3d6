import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.core.errors import UsageError
from handiwork.core.patches import FileChange, Hunk, parse, paths_of

SECTIONS = """*** Begin Patch
*** Update File: src/a.py
@@ class A
@@     def f(self):
 stays
-goes
+comes
*** End of File

*** Add File: new dir/b.txt
+one
+
*** Delete File: c
*** Update File: d
*** Move to: e/d
@@
-x
+y
*** Update File: f
*** Move to: g
*** End Patch
"""
GIT = """From 0123 Mon Sep 17 00:00:00 2001
Subject: a mail

---
 a.txt | 2 +-

diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -3,3 +3,2 @@ def around():
 stays
--- a text that looks like a header
-goes
+comes
diff --git "a/\\303\\244\\t.txt" b/plain.txt
similarity index 90%
rename from "\\303\\244\\t.txt"
rename to plain.txt
--- "a/\\303\\244\\t.txt"
+++ b/plain.txt
@@ -1 +1 @@
-x
\\ No newline at end of file
+y
diff --git a/empty file b/empty file
new file mode 100755
index 0000000..e69de29
diff --git a/gone b/gone
deleted file mode 100644
index 1..0
--- a/gone
+++ /dev/null
@@ -1,2 +0,0 @@
-1
-2
--\x20
2.39.1

From 4567 another mail
"""


def test_sections_are_read():
    update, add, delete, move, pure = parse(SECTIONS)
    lines = ((" ", "stays\n"), ("-", "goes\n"), ("+", "comes\n"))
    anchors = ("class A", "def f(self):")
    assert update == FileChange("update", "src/a.py", (Hunk(lines, anchors, at_end=True, line=3),), line=2)
    assert (add.kind, add.path, add.hunks[0].new, add.hunks[0].old) == ("add", "new dir/b.txt", "one\n\n", "")
    assert (delete.kind, delete.path, delete.line) == ("delete", "c", 13)
    assert (move.path, move.target, move.hunks[0].old, move.hunks[0].new) == ("d", "e/d", "x\n", "y\n")
    assert (pure.target, pure.hunks) == ("g", ())
    assert paths_of(SECTIONS) == ("src/a.py", "new dir/b.txt", "c", "d", "e/d", "f", "g")


def test_a_mail_of_git_is_read():
    update, move, add, delete = parse(GIT)
    hunk = update.hunks[0]
    assert hunk.old == "stays\n-- a text that looks like a header\ngoes\n" and hunk.new == "stays\ncomes\n"
    assert (hunk.old_at, hunk.new_at, hunk.miscounted, hunk.anchors) == (3, 3, False, ())
    assert (move.path, move.target) == ("ä\t.txt", "plain.txt")
    assert move.hunks[0].old == "x" and move.hunks[0].new == "y\n"
    assert (add.kind, add.path, add.mode, add.hunks) == ("add", "empty file", "100755", ())
    assert (delete.kind, delete.path, delete.hunks[0].old) == ("delete", "gone", "1\n2\n")
    assert paths_of(GIT) == ("a.txt", "ä\t.txt", "plain.txt", "empty file", "gone")


@pytest.mark.parametrize(
    ("head", "path"),
    [
        ("--- a/x.py\t2020-01-01 00:00:00\n+++ b/x.py\t2020-01-02", "x.py"),
        ("--- x.py\n+++ x.py", "x.py"),
        ("--- a/x.py\n+++ a/x.py", "a/x.py"),
        ("--- i/x.py\n+++ w/x.py", "x.py"),
        ("Index: x.py\n=======\n--- x.py\n+++ x.py", "x.py"),
        ('--- "a/\\"x\\".py"\n+++ "b/\\"x\\".py"', '"x".py'),
        ("diff --git x.py x.py\n--- x.py\n+++ x.py", "x.py"),
        ("--- /dev/null\n+++ b/x.py", "x.py"),
    ],
)
def test_names_are_read(head, path):
    body = "@@ -0,0 +1 @@\n+b\n" if "/dev/null" in head else "@@ -1 +1 @@\n-a\n+b\n"
    assert paths_of(f"{head}\n{body}") == (path,)


def test_counts_are_claims():
    """Wrong counts don't decide which lines a hunk has; right ones tell a line from a header."""
    text = "--- x\n+++ x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n@@ -20 +20 @@\n-d\n+e\n f\n"
    first, second = parse(text)[0].hunks
    assert (first.old, first.new, first.miscounted) == ("a\nb\n", "a\nc\n", True)
    assert (second.old, second.new, second.miscounted) == ("d\nf\n", "e\nf\n", True)


def test_blank_lines_between_parts_are_no_lines_of_the_file():
    text = "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n\n@@\n c\n\n-d\n\n*** End Patch\n"
    assert [h.old for h in parse(text)[0].hunks] == ["a\n", "c\n\nd\n"]


def test_fences_and_line_ends_around_the_patch_are_left_out():
    assert parse(f"\n```diff\n{GIT}```\n")[0].path == "a.txt"
    assert parse(SECTIONS.replace("\n", "\r\n"))[0].hunks[0].new == "stays\ncomes\n"
    ends = parse("--- x\n+++ x\n@@ -1 +1 @@\n-a\r\n+b\r\n")[0].hunks[0]
    assert (ends.old, ends.new) == ("a\r\n", "b\r\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no file"),
        ("some words\n", "names no file"),
        ("*** Begin Patch\n*** Update File: x\n-a\n+b\n", "line 5 (the end): `*** End Patch` is missing"),
        ("*** Begin Patch\n*** Update File: x\n*** End Patch", "line 3"),
        ("*** Begin Patch\n*** Update File:  \n-a\n*** End Patch", "line 2"),
        ("*** Begin Patch\n*** Change File: x\n*** End Patch", "line 2"),
        ("*** Begin Patch\n*** Add File: x\n+a\nb\n*** End Patch", "line 4 ('b'): each line of a new file"),
        ("*** Begin Patch\n*** Update File: x\n@@\n a\n*** End Patch", "changes nothing"),
        ("*** Begin Patch\n*** Delete File: x\n*** End Patch\nmore", "line 4"),
        ("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "the names differ: x and y"),
        ("--- a/x\n+++ b/x\nno hunk\n", "line 3"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\nforgot the blank\n", "line 6 ('forgot the blank')"),
        ("--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n-a\n+b\n", "merge"),
        ("--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "a new file can't"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "a deleted file keeps no lines"),
        ("--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n", "names no file"),
        ("--- a/\n+++ b/\n@@ -1 +1 @@\n-a\n", "names no file"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline\n-b\n", "said to be the last"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n\\ No newline\n-b\n", "no line before"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "use chmod"),
        ("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n", "no plain file"),
        ("diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "copies"),
        ("diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "binary"),
        ("diff --git a/x b/y\nrename from x\nrename to y\n--- a/z\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "names differ"),
        ("diff --git a/x b/y\nindex 1..2\n", "names differ"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, said):
    with pytest.raises(UsageError) as caught:
        parse(text)
    assert said in f"{caught.value} {caught.value.hint}"


pieces = st.sampled_from(
    [*SECTIONS.splitlines(keepends=True), *GIT.splitlines(keepends=True), "\n", "\r\n", "+", "-", " ", "\\", "@@", "\0"]
)


@given(st.lists(pieces, max_size=25).map("".join), st.text(max_size=5), st.data())
@settings(max_examples=50, deadline=None)
def test_a_damaged_patch_is_read_or_refused(text, junk, data):
    at = data.draw(st.integers(0, len(text)))
    for damaged in (
        text,
        text[:at] + junk + text[at:],
        SECTIONS[:at] + junk + SECTIONS[at + 1 :],
        GIT[:at] + GIT[at + 3 :],
    ):
        try:
            changes = parse(damaged)
        except UsageError as error:
            assert "line" in str(error)
        else:
            assert all(change.path and "\0" not in change.path for change in changes)
            assert set(paths_of(damaged)) == {p for c in changes for p in (c.path, c.target) if p}


LONG = "x" * 60


@pytest.mark.integration
@pytest.mark.parametrize(
    "part",
    [
        f"@@ -7 +7 @@\n-{LONG}\n+{LONG}\n",
        f"-{LONG}\n+{LONG}\n",
        f"@@ {LONG}\n",
        "\n",
        f" {LONG}\n",
        '"\\',
        "diff --git a/x b/x\n",
    ],
)
def test_five_megabytes_take_no_more_than_ten_times_as_long_as_half_a_one(part):
    def took(size):
        text = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n" + part * (size // len(part))
        begin = time.process_time()
        with suppress(UsageError):
            parse(text)
        return time.process_time() - begin

    assert took(5_000_000) < 25 * took(500_000) + 0.2
