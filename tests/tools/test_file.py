import hashlib
import json
import os
import random
import signal
import stat
import time
from pathlib import Path

import pytest

from handiwork import registry
from handiwork.backends.files import swap
from handiwork.backends.files.editing import patching
from handiwork.core.types import Scope
from handiwork.tools import file as file_tools


@pytest.fixture
def call(tmp_path):
    """Calls a tool as the pipeline does, with defaults filled, in a directory of its own."""

    def run(name, **args):
        answer = json.loads(registry.dispatch(name, args, scope=Scope(cwd=str(tmp_path))))
        assert isinstance(answer, dict)
        return answer

    return run


def test_reading_says_what_there_is_and_how_to_go_on(call, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    assert call("read_file", path="a.txt", limit=2) == {
        "path": "a.txt",
        "size": 17,
        "lines": "1-2 of 3",
        "encoding": "utf-8",
        "newline": "crlf",
        "next": 'read_file {"path": "a.txt", "offset": 3, "limit": 2}',
        "content": "one\ntwo\n",
    }
    assert call("read_file", path="a.txt", offset=-1)["content"] == "three\n"


def test_the_named_next_call_works_until_the_end(call, tmp_path):
    text = "".join(f"line {n}\n" for n in range(30_000)) + "x" * 200_000
    (tmp_path / "a.txt").write_text(text)
    answer, seen = call("read_file", path="a.txt"), ""
    while True:
        seen += answer["content"]
        if "next" not in answer:
            break
        name, _, arguments = answer["next"].partition(" ")
        answer = call(name, **json.loads(arguments))
    assert seen == text


def test_an_ordinary_source_file_is_read_in_one_call(call, tmp_path):
    (tmp_path / "a.py").write_text("x = 1  # c\n" * 4900)
    assert "next" not in call("read_file", path="a.py")


def test_file_text_is_never_altered(call, tmp_path):
    line = "SECRET_" + "KEY=os.environ.get('SECRET_" + "KEY', '...')\n"
    (tmp_path / "settings.py").write_text(line)
    assert call("read_file", path="settings.py")["content"] == line


def test_an_empty_file_a_directory_and_a_file_that_is_not_there(call, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "empty.txt").touch()
    assert call("read_file", path="empty.txt")["lines"] == "none"
    assert call("read_file", path=".")["entries"] == ["empty.txt", "sub/"]
    assert "did you mean empty.txt" in call("read_file", path="emty.txt")["error"]
    assert "no directory" in call("read_file", path="nowhere/x")["error"]
    assert "not a path" in call("read_file", path="")["error"]


def test_a_long_directory_is_paged(call, tmp_path):
    for number in range(510):
        (tmp_path / f"{number:03}").touch()
    first = call("read_file", path=".")
    rest = call("read_file", **json.loads(first["next"].partition(" ")[2]))
    assert first["total"] == 510 and len(first["entries"] + rest["entries"]) == 510
    assert rest["entries"][-1] == "509"


def test_a_new_file_has_its_directories_and_the_mode_of_the_umask(call, tmp_path):
    old = os.umask(0o022)
    try:
        answer = call("write_file", path="x/y/new.txt", content="é\n")
    finally:
        os.umask(old)
    assert answer == {"path": "x/y/new.txt", "bytes": 3, "created": True}
    assert stat.S_IMODE((tmp_path / "x/y/new.txt").stat().st_mode) == 0o644
    assert os.listdir(tmp_path / "x/y") == ["new.txt"]


def test_replacing_keeps_mode_link_encoding_and_line_ends_and_shows_a_diff(call, tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_bytes("\ufeffcafé\r\nb\r\n".encode())
    real.chmod(0o660)
    link.symlink_to("real.txt")
    answer = call("write_file", path="link.txt", content="cafés\nb\n")
    assert real.read_bytes() == "\ufeffcafés\r\nb\r\n".encode()
    assert link.is_symlink() and stat.S_IMODE(real.stat().st_mode) == 0o660
    assert answer["diff"] == "@@ -1,3 +1,3 @@\n-café\n+cafés\n b\n "


def test_latin_1_survives_reading_and_writing_back(call, tmp_path):
    file = tmp_path / "latin.txt"
    file.write_bytes(b"caf\xe9\nb\n")
    content = call("read_file", path="latin.txt")["content"]
    call("write_file", path="latin.txt", content=content)
    assert file.read_bytes() == b"caf\xe9\nb\n"
    call("patch", path="latin.txt", old_string="b", new_string="é")
    assert file.read_bytes() == b"caf\xe9\n\xe9\n"
    assert "can't be written in latin-1" in call("patch", path="latin.txt", old_string="caf", new_string="€")["error"]
    assert file.read_bytes() == b"caf\xe9\n\xe9\n"


def test_bytes_are_written_as_given(call, tmp_path):
    call("write_file", path="a", content="dir\\run_x.bat\\n\ttab\rx\n")
    assert (tmp_path / "a").read_bytes() == b"dir\\run_x.bat\\n\ttab\rx\n"
    assert "error" in call("write_file", path="b", content="\ud800")
    assert not (tmp_path / "b").exists()


def test_errors_name_the_file_its_trouble_and_a_way_out(call, tmp_path):
    (tmp_path / "plain").write_text("x")
    error = call("write_file", path="plain/under/it", content="y")["error"]
    assert "plain/under/it" in error and "choose another path" in error and ".tmp" not in error
    assert "choose a shorter name" in call("write_file", path="n" * 300, content="y")["error"]
    (tmp_path / "sub").mkdir()
    assert "sub" in call("write_file", path="sub", content="y")["error"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_stays_as_it_is(call, tmp_path):
    (tmp_path / "fixed").write_text("x")
    (tmp_path / "fixed").chmod(0o444)
    assert "read-only" in call("write_file", path="fixed", content="y")["error"]
    assert (tmp_path / "fixed").read_text() == "x"


def test_a_patch_answers_what_it_did(call, tmp_path):
    (tmp_path / "a.py").write_text("".join(f"l{n}\n" for n in range(1, 10)))
    answer = call("patch", path="a.py", old_string="l5", new_string="five\nand more")
    assert answer["replaced"] == 1
    assert answer["diff"] == "@@ -2,7 +2,8 @@\n l2\n l3\n l4\n-l5\n+five\n+and more\n l6\n l7\n l8"
    again = call("patch", path="a.py", old_string="l5\n", new_string="five\nand more\n")
    assert again["replaced"] == 0 and "new_string is, at line 5" in again["note"]


def test_a_patch_that_fails_leaves_every_byte(call, tmp_path):
    data = b"a\r\nb\nx = 1\nx = 1\n"
    (tmp_path / "a").write_bytes(data)
    for old in ("nowhere", "x = 1", ""):
        assert "error" in call("patch", path="a", old_string=old, new_string="y")
    assert (tmp_path / "a").read_bytes() == data


def test_a_file_that_changed_meanwhile_is_not_overwritten(call, tmp_path, monkeypatch):
    (tmp_path / "a").write_text("one")
    apply = patching.apply_edits

    def meanwhile(*args):
        (tmp_path / "a").write_text("somebody else's")
        return apply(*args)

    monkeypatch.setattr(patching, "apply_edits", meanwhile)
    assert "changed meanwhile" in call("patch", path="a", old_string="one", new_string="two")["error"]
    assert (tmp_path / "a").read_text() == "somebody else's"


def test_searching_pages_and_counts(call, tmp_path):
    (tmp_path / "a.txt").write_text("hit\n" * 7)
    assert call("search_files", pattern="hit", limit=2, offset=4) == {
        "total": 7,
        "files": 1,
        "next": 'search_files {"pattern": "hit", "limit": 2, "offset": 6}',
        "hits": "a.txt\n5: hit\n6: hit",
    }
    assert call("search_files", pattern="*.txt", target="files") == {"total": 1, "hits": "a.txt"}
    error = call("search_files", pattern="hit(")["error"]
    assert "hit(\n   ^" in error and "literal=true" in error
    assert call("search_files", pattern="Hit(", literal=True, type="md") == {
        "total": 0,
        "files": 0,
        "note": "0 files were searched",
        "hits": "",
    }


def test_the_next_call_of_a_search_is_exact(call, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/a.txt").write_text("Hit\n" * 5)
    asked = {"pattern": "hit", "path": "sub", "type": "txt", "ignore_case": True, "limit": 2, "context": 1}
    answer = call("search_files", **asked)
    name, _, arguments = answer["next"].partition(" ")
    assert name == "search_files" and json.loads(arguments) == {**asked, "offset": 2}
    assert call(name, **json.loads(arguments))["hits"] == "sub/a.txt\n2- Hit\n3: Hit\n4: Hit"


def _killed_in(change, *, begun, after_s):
    """Run *change* again and again in a process of its own; SIGKILL it within its *begun*-th time."""
    hear, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        while True:
            os.write(tell, b"!")
            change()
    for _ in range(begun):
        os.read(hear, 1)
    time.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(hear)
    os.close(tell)


def _changes(call, file, tool, line, lines):
    """Something that makes the file, one of two contents, the other one; and the digests of both."""
    contents = [f"{mark}\n" + line * lines for mark in ("first", "second")]

    def change():
        is_first = file.read_text()[:5] == "first"
        if tool == "patch":
            old, new = ("first", "second") if is_first else ("second", "first")
            call("patch", path=file.name, old_string=old, new_string=new)
        else:
            call("write_file", path=file.name, content=contents[is_first], force=True)

    file.write_text(contents[0])
    return change, {hashlib.sha256(text.encode()).digest() for text in contents}


@pytest.mark.integration
@pytest.mark.parametrize(
    ("tool", "size", "kills"),
    [("write_file", 1_000, 20), ("write_file", 200_000, 14), ("write_file", 50_000_000, 3), ("patch", 20_000_000, 5)],
)
def test_a_kill_leaves_the_old_or_the_new_content(call, tmp_path, tool, size, kills):
    file, line = tmp_path / "big.txt", "0123456789" * 20 + "\n"
    change, digests = _changes(call, file, tool, line, size // len(line))
    begin = time.monotonic()
    change()
    usual = time.monotonic() - begin
    dice = random.Random(5)
    changed = set()
    for turn in range(kills):
        _killed_in(change, begun=1 + turn % 2, after_s=usual * dice.random())
        digest = hashlib.sha256(file.read_bytes()).digest()
        assert digest in digests
        changed.add(digest)
        left = [name for name in os.listdir(tmp_path) if name != "big.txt"]
        assert len(left) <= 1, left  # a name exists only between the link and the rename
    assert len(changed) == 2 or kills < 10  # the kills did fall among the writes
    swap._swept.clear()  # as in a process that starts now
    change()
    assert os.listdir(tmp_path) == ["big.txt"]


def test_schemas_are_small_and_closed():
    for name in ("read_file", "write_file", "patch", "search_files"):
        schema = registry.get(name).schema
        assert len(json.dumps(schema)) < 1400
        assert all(p.get("type") for p in schema["parameters"]["properties"].values())
    assert Path(file_tools.__file__).stem == "file" and not registry.rejections()


def test_a_search_looks_where_the_path_led_when_it_was_judged(tmp_path):
    for name in ("judged", "later"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"{name} here\n")
    (tmp_path / "link").symlink_to("later")  # put there in between
    args = {"pattern": "here", "path": "link"}
    real_paths = {"link": str(tmp_path / "judged")}
    told = registry.dispatch("search_files", args, scope=Scope(cwd=str(tmp_path)), real_paths=real_paths)
    assert "judged here" in json.loads(told)["hits"] and "later" not in told


def test_what_was_masked_is_not_written_back(call, tmp_path):
    old = "NAME=x\nAPI_KEY=" + "abcdef" * 3 + "12\nPORT=1\n"
    (tmp_path / "settings.txt").write_text(old)
    masked = "NAME=y\nAPI_KEY=***\nPORT=1\n"
    assert "line 2 holds ***" in call("write_file", path="settings.txt", content=masked, force=True)["error"]
    assert (
        "line 2" in call("patch", path="settings.txt", old_string=old[7:], new_string="API_KEY=***\nPORT=2\n")["error"]
    )
    body = f"@@\n-NAME=x\n-{old.splitlines()[1]}\n+NAME=z\n+API_KEY=***\n PORT=1\n"
    sent = f"*** Begin Patch\n*** Update File: settings.txt\n{body}*** End Patch"
    assert "line 2" in call("patch", patch=sent)["error"]
    assert (tmp_path / "settings.txt").read_text() == old
    assert "error" not in call("patch", path="settings.txt", old_string="NAME=x", new_string="NAME=y")
    assert (tmp_path / "settings.txt").read_text() == old.replace("=x", "=y")


@pytest.mark.parametrize("output", ["lines", "files", "counts"])
def test_a_search_leaves_out_what_holds_secrets_and_says_so(call, tmp_path, output):
    for name in (".env", ".env.local", "id_rsa", ".env.example", "a.txt", "sub/credentials.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a needle\n")
    found = call("search_files", pattern="needle", output=output)
    assert found["total"] == 1 and "a.txt" in found["hits"] and "id_rsa" not in found["hits"]
    assert "a file that may hold secrets has hits that aren't shown: sub/credentials.json" in found["note"]
    assert call("search_files", pattern="needle", path=".env")["total"] == 1  # who names it, was asked about it
    assert call("search_files", pattern="credentials", target="files")["total"] == 1
