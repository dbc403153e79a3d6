import subprocess
import time

from hypothesis import example, given, settings
from hypothesis import strategies as st

from handiwork.backends.files.editing.diffs import short_diff

lines = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=30)


@given(lines, lines)
@example(["b", "b", "b", "a", "b", "b", "b", "a"], ["b", "b", "b", "b", "a"])
@settings(max_examples=40, deadline=None)
def test_the_real_patch_program_makes_the_new_text_of_it(tmp_path_factory, old, new):
    a, b = ("\n".join([*x, "last"]) + "\n" for x in (old, new))
    diff = short_diff(a, b)
    if a == b:
        assert diff == ""
        return
    folder = tmp_path_factory.mktemp("diff")
    (folder / "f").write_text(a)
    # what stands behind the last line break is an empty line to us and nothing to patch
    text = "--- f\n+++ f\n" + "\n".join(diff.split("\n")) + "\n"
    subprocess.run(["patch", "-p0", "-s", "f"], input=text, text=True, cwd=folder, check=True)
    assert (folder / "f").read_text().rstrip("\n") == b.rstrip("\n")


def test_line_ends_do_not_show():
    assert short_diff("a\r\nb\r\n", "a\nc\n") == "@@ -1,3 +1,3 @@\n a\n-b\n+c\n "


def test_a_long_diff_is_cut_and_a_hopeless_one_only_told():
    assert "more lines of diff" in short_diff("", "\n".join(map(str, range(500))))
    assert "too many to show" in short_diff("a\n" * 5000, "b\n" * 5000)


def test_one_changed_line_of_a_long_text_is_quick():
    old = "".join(f"line {n}\n" for n in range(300_000))
    begin = time.monotonic()
    assert short_diff(old, old.replace("line 150000\n", "x\n")).startswith("@@ -149998,7 +149998,7 @@\n")
    assert time.monotonic() - begin < 1
