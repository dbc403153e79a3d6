import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.backends.files.window import Place, read_window
from handiwork.core.errors import UsageError


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("windows")


@given(
    st.text(alphabet="ab é😀\r\n\u2028\x0c", max_size=80),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]),
    st.integers(1, 4),
    st.integers(1, 12),
)
@settings(max_examples=150, deadline=None)
def test_following_next_reads_the_whole_text_once(folder, text, codec, max_lines, max_chars):
    if codec == "utf-16-le":
        text = "plain ascii: " + text.replace("😀", "").replace("\u2028", "")
        if text.encode(codec)[1::2].count(0) <= 0.7 * len(text) or b"\0" in text.encode(codec)[::2]:
            text = "plain ascii"  # too little to be recognised without a mark
    file = folder / "file.txt"
    file.write_bytes(text.encode(codec))
    seen, at = "", Place(1)
    while at is not None:
        window = read_window(file, at, max_lines=max_lines, max_chars=max_chars)
        assert len(window.text) <= max_chars + 1
        assert window.text.count("\n") <= max_lines
        seen, at = seen + window.text, window.next
    assert seen == text.replace("\r\n", "\n")
    assert window.file.lines == len(text.split("\n")) - (text.endswith("\n") or text == "")


@given(st.binary(min_size=1, max_size=200))
@settings(max_examples=150, deadline=None)
def test_no_byte_becomes_a_replacement_character(folder, data):
    file = folder / "bytes"
    file.write_bytes(data)
    try:
        window = read_window(file, Place(1), max_lines=1000, max_chars=1000)
    except UsageError as refused:
        assert "not text" in str(refused) or "but isn't" in str(refused)
        return
    encoding = window.file.encoding
    assert "\ufffd" not in window.text or "\ufffd".encode(encoding.codec) in data
    if b"\r" not in data:
        assert encoding.bom + window.text.encode(encoding.codec) == data


@pytest.mark.parametrize(
    ("data", "encoding", "newline"),
    [
        (b"a\r\nb\r\n", "utf-8", "crlf"),
        (b"a\r\nb\n", "utf-8", "mixed"),
        (b"a", "utf-8", "none"),
        (b"", "utf-8", "none"),
        (b"\xef\xbb\xbfa\n", "utf-8 with BOM", "lf"),
        (b"caf\xe9\n", "latin-1", "lf"),
        ("é\r\n".encode("utf-16"), "utf-16-le with BOM", "crlf"),
        (b"x" * 9000 + b"\xe9\n", "latin-1", "lf"),
        (b"a\r" * (1 << 19) + b"\n", "utf-8", "crlf"),
    ],
)
def test_what_a_file_is(folder, data, encoding, newline):
    file = folder / "kind"
    file.write_bytes(data)
    seen = read_window(file, Place(1), max_lines=1, max_chars=10).file
    assert (str(seen.encoding), seen.newline, seen.size) == (encoding, newline, len(data))


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x00\x01", b"x" * 20_000 + b"\0", bytes(range(1, 32)) * 20, b"\xff\xfe\x00\xd8\x00"]
)
def test_binary_data_is_refused(folder, data):
    file = folder / "binary"
    file.write_bytes(data)
    with pytest.raises(UsageError):
        read_window(file, Place(1), max_lines=10, max_chars=100)


def test_places_behind_the_end_and_before_it(folder):
    file = folder / "short"
    file.write_text("one\ntwo\nthree\n")
    with pytest.raises(UsageError, match="no line 4"):
        read_window(file, Place(4), max_lines=1, max_chars=100)
    with pytest.raises(UsageError, match="before column 9"):
        read_window(file, Place(1, 9), max_lines=1, max_chars=100)
    assert read_window(file, Place(-2), max_lines=9, max_chars=100).text == "two\nthree\n"
    assert read_window(file, Place(-9), max_lines=1, max_chars=100).text == "one\n"


def test_pipes_and_devices_do_not_hang(folder):
    os.mkfifo(folder / "pipe")
    for path in (folder / "pipe", type(folder)("/dev/zero"), folder):
        with pytest.raises(UsageError, match="not a regular file"):
            read_window(path, Place(1), max_lines=1, max_chars=10)


def test_a_huge_file_is_read_in_constant_memory(folder):
    """A sparse-free file of 300 MiB: more than is counted."""
    script = """
import resource, sys
from pathlib import Path
from handiwork.backends.files.window import Place, read_window
file = Path(sys.argv[1])
block = (b"x" * 1023 + b"\\n") * 1024
with file.open("wb") as out:
    for _ in range(300):
        out.write(block)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
window = read_window(file, Place(300_000), max_lines=2, max_chars=5000)
file.unlink()
assert window.file.lines is None and window.next == Place(300_002) and len(window.text) == 2048
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder / "huge")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert float(done.stdout) < 12
