import hashlib
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.patching import Asked, Place, run
from handiwork.core.errors import UsageError


@pytest.fixture
def apply(tmp_path):
    def apply(patch="", **asked):
        return run(Asked(patch=patch, **asked), Place(str(tmp_path), LocalFiles()))

    return apply


@pytest.fixture
def refused(apply):
    def refused(patch="", **asked):
        with pytest.raises(UsageError) as caught:
            apply(patch, **asked)
        return f"{caught.value} {caught.value.hint}"

    return refused


def sections(body):
    return f"*** Begin Patch\n{body}*** End Patch\n"


FULL = sections(
    "*** Update File: a.py\n@@\n one\n-two\n+TWO\n*** Add File: sub/new.py\n+x = 1\n*** Delete File: old.py\n"
    "*** Update File: from.py\n*** Move to: to.py\n@@\n-name = 1\n+name = 2\n"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.py").write_bytes("\ufeffone\r\ntwo\r\n".encode())
    (tmp_path / "old.py").write_text("x\n")
    (tmp_path / "from.py").write_text("name = 1\n")
    (tmp_path / "from.py").chmod(0o751)
    return tmp_path


def test_a_patch_of_several_files(apply, folder):
    answer = apply(FULL)
    assert answer == {
        "files": [
            {
                "path": "a.py",
                "change": "updated",
                "replaced": 1,
                "note": "line ends were read as those of the file",
                "diff": "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n ",
            },
            {"path": "sub/new.py", "change": "added", "lines": 1},
            {"path": "old.py", "change": "deleted"},
            {
                "path": "from.py",
                "change": "moved",
                "to": "to.py",
                "replaced": 1,
                "diff": "@@ -1,2 +1,2 @@\n-name = 1\n+name = 2\n ",
            },
        ]
    }
    assert (folder / "a.py").read_bytes() == "\ufeffone\r\nTWO\r\n".encode()
    assert (folder / "sub/new.py").read_text() == "x = 1\n" and (folder / "to.py").read_text() == "name = 2\n"
    assert stat.S_IMODE((folder / "to.py").stat().st_mode) == 0o751
    assert not (folder / "old.py").exists() and not (folder / "from.py").exists()


def test_a_patch_that_was_applied_changes_nothing(apply, folder):
    apply(FULL)
    again = apply(FULL)["files"]
    assert [f["change"] for f in again] == ["unchanged"] * 4
    assert all("already" in f["note"] or "no such file" in f["note"] for f in again)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ((" one\n-two", " one\n-nowhere"), "a.py: the hunk at line 3"),
        (("-name = 1", "-name = 3"), "from.py: the hunk"),
        (("sub/new.py", "from.py"), "from.py is there already"),
        (("Move to: to.py", "Move to: a.py"), "a.py is there already"),
        (("Delete File: old.py", "Delete File: odl.py"), "odl.py can't be deleted: there is no such file"),
        (("Update File: from.py", "Update File: form.py"), "did you mean from.py"),
        (("Add File: sub/new.py", "Add File: a.py/new.py"), "a.py"),
    ],
)
def test_one_fault_and_nothing_is_changed(refused, folder, damage, said):
    before = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert said in refused(FULL.replace(*damage))
    assert {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_parts_of_one_patch_build_on_each_other(apply, folder):
    apply(sections("*** Add File: n\n+1\n*** Update File: n\n-1\n+2\n*** Update File: n\n*** Move to: m\n"))
    assert (folder / "m").read_text() == "2\n" and not (folder / "n").exists()
    moves = (("a.py", "t"), ("m", "a.py"), ("t", "m"))
    apply(sections("".join(f"*** Update File: {old}\n*** Move to: {new}\n" for old, new in moves)))
    assert (folder / "a.py").read_text() == "2\n" and (folder / "m").read_bytes().endswith(b"two\r\n")


def test_git_diffs_are_applied(apply, folder):
    (folder / "x.bin").write_bytes(b"\0\1")
    answer = apply(
        "diff --git a/x.bin b/y.bin\nsimilarity index 100%\nrename from x.bin\nrename to y.bin\n"
        "diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n@@ -0,0 +1 @@\n+echo\n"
        "\\ No newline at end of file\n"
        "diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )["files"]
    assert (folder / "y.bin").read_bytes() == b"\0\1" and (folder / "run.sh").read_text() == "echo"
    assert not (folder / "old.py").exists() and "chmod" in answer[1]["note"]


def test_a_file_that_holds_more_is_not_deleted(refused, folder):
    (folder / "old.py").write_text("x\nnew work\n")
    assert "holds more" in refused("--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
    assert (folder / "old.py").exists()


def test_links(apply, refused, folder):
    (folder / "link").symlink_to("old.py")
    apply(sections("*** Update File: link\n-x\n+y\n"))
    assert (folder / "link").is_symlink() and (folder / "old.py").read_text() == "y\n"
    assert "is a link" in refused(sections("*** Delete File: link\n"))
    assert "is a link" in refused(sections("*** Update File: link\n*** Move to: other\n"))


def test_what_was_judged_is_what_is_changed(folder):
    """A link that is swapped after the verdict changes nothing behind it."""
    (folder / "link").symlink_to("old.py")
    judged = {"link": str(folder / "from.py")}
    place = Place(str(folder), LocalFiles(), judged)
    run(Asked(path="link", old_string="name = 1", new_string="name = 2"), place)
    run(Asked(patch=sections("*** Update File: link\n-name = 2\n+name = 3\n")), place)
    assert (folder / "from.py").read_text() == "name = 3\n" and (folder / "old.py").read_text() == "x\n"


def test_several_edits_are_made_or_none(apply, refused, folder):
    edits = [{"old_string": "one", "new_string": "1"}, {"old_string": "two", "new_string": "2", "replace_all": True}]
    assert apply(path="a.py", edits=edits)["replaced"] == 2
    assert "edit 1 of 2 (none was made)" in refused(path="a.py", edits=edits)
    assert (folder / "a.py").read_bytes() == "\ufeff1\r\n2\r\n".encode()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "give path, old_string and new_string"),
        ({"path": "a.py"}, "it isn't said what to change"),
        ({"path": "a.py", "old_string": "one"}, "it isn't said what to change"),
        ({"old_string": "a", "new_string": "b"}, "not a path"),
        ({"path": "a.py", "patch": FULL}, "names its files itself"),
        ({"edits": [{}], "patch": FULL}, "names its files itself"),
        ({"path": "a.py", "old_string": "a", "new_string": "b", "edits": [{}]}, "put all of them into edits"),
    ],
)
def test_half_a_request_says_what_is_missing(refused, folder, asked, said):
    assert said in refused(**asked)


def test_the_diffs_of_many_files_are_short_together(apply, tmp_path):
    for n in range(30):
        (tmp_path / f"{n}").write_text("a\n" * 50)
    body = "".join(f"*** Update File: {n}\n" + "@@\n" + "-a\n+b\n" * 50 for n in range(30))
    diffs = [f["diff"].count("\n") for f in apply(sections(body))["files"]]
    assert sum(diffs) < 150


WORKER = """
import sys
from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.patching import Asked, Place, run
folder, name, times = sys.argv[1:]
for n in range(int(times)):
    run(Asked(path="f", old_string=f"<{name}:{n}>", new_string=f"<{name}:{n + 1}>"), Place(folder, LocalFiles()))
"""


@pytest.mark.integration
def test_no_update_is_lost_between_eight_processes_and_eight_threads(apply, tmp_path):
    (tmp_path / "f").write_text("".join(f"{name}: <{name}:0>\n" for name in range(16)))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path), str(name), "12"], env=env) for name in range(8)
    ]

    def work(name):
        for n in range(12):
            apply(path="f", old_string=f"<{name}:{n}>", new_string=f"<{name}:{n + 1}>")

    threads = [threading.Thread(target=work, args=(name,)) for name in range(8, 16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(60) for process in processes] == [0] * 8
    assert (tmp_path / "f").read_text() == "".join(f"{name}: <{name}:12>\n" for name in range(16))


SIZES = {"small": 1_000, "middle": 200_000, "big": 50_000_000}
KILLS = int(os.environ.get("HANDIWORK_TEST_KILLS", "40"))


def texts_of(size):
    line = "0123456789" * 9 + "\n"
    return [f"{mark}\n{line * (size // len(line))}".encode() for mark in ("first", "second")]


def flip(apply, folder, names):
    """One patch over several files that turns each mark into the other, told by what each holds now."""
    parts = []
    for name in names:
        with open(folder / name, "rb") as file:
            now = file.readline().decode().strip()
        other = "second" if now == "first" else "first"
        parts.append(f"*** Update File: {name}\n@@\n-{now}\n+{other}\n")
    apply(sections("".join(parts)))


def killed_in(change, after_s):
    """Run *change* in a process of its own, and SIGKILL that."""
    hear, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(tell, b"!")
        change()
        os._exit(0)
    os.read(hear, 1)
    time.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(hear)
    os.close(tell)


@pytest.mark.integration
@pytest.mark.parametrize(("names", "share"), [(["small", "middle"], 3), (["small", "middle", "big"], 1)])
def test_a_kill_leaves_each_file_old_or_new(apply, tmp_path, names, share):
    dice, digests = random.Random(7), {}
    for name in names:
        texts = texts_of(SIZES[name])
        digests[name] = {hashlib.sha1(text).digest() for text in texts}
        (tmp_path / name).write_bytes(texts[0])
    begin = time.monotonic()
    flip(apply, tmp_path, names)
    usual, seen = time.monotonic() - begin, set()
    kills = KILLS * share // 4
    for turn in range(kills):  # from the beginning to beyond the end, however busy the machine is
        after_s = usual * 2 * (turn + dice.random()) / kills
        killed_in(lambda: flip(apply, tmp_path, names), after_s)
        state = tuple(hashlib.sha1((tmp_path / name).read_bytes()).digest() for name in names)
        assert all(digest in digests[name] for name, digest in zip(names, state, strict=True))
        seen.add(state)
    assert len(seen) > 1  # some kills fell behind the first file
    left = len(os.listdir(tmp_path)) - len(names)
    assert left <= 1 + KILLS // 10  # a name exists only between the link and the rename
