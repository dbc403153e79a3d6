import io
import os
import resource

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork.backends.files import window as windows
from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.window import Place, read_window
from handiwork.core.errors import UsageError

TEXTS = st.text(alphabet="ab é😀\r\n\u2028\x0c", max_size=80)
CODECS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])


START = Place(1)


def window(data, place=START, max_lines=1000, max_bytes=100_000, **more):
    return read_window(io.BytesIO(data), "file", place, max_lines=max_lines, max_bytes=max_bytes, **more)


def is_recognised(text, codec):
    """UTF-16 without a mark is known by its zeros, of which there must be enough."""
    data = text.encode(codec)
    return codec != "utf-16-le" or (data[1::2].count(0) > 0.7 * len(text) and b"\0" not in data[::2])


# `counted` 0 has every file read as a long one, of which only the way to the window is looked at.
@given(TEXTS, CODECS, st.integers(1, 4), st.integers(4, 16), st.sampled_from([0, 1 << 20]))
@settings(max_examples=120, deadline=None)
def test_following_next_reads_the_whole_text_once(text, codec, max_lines, max_bytes, counted):
    if not is_recognised(text, codec):
        text = "plain ascii: " + text.encode("ascii", "ignore").decode()
    data, seen, at = text.encode(codec), "", Place(1)
    while at is not None:
        found = window(data, at, max_lines, max_bytes, counted=counted)
        assert len(found.text.encode()) <= max_bytes + 1
        assert found.text.count("\n") <= max_lines
        seen, at = seen + found.text, found.next
    assert seen == text.replace("\r\n", "\n")
    if counted:
        assert found.file.lines == len(text.split("\n")) - (text.endswith("\n") or text == "")


@given(TEXTS, CODECS, st.integers(1, 12), st.sampled_from([0, 1 << 20]), st.integers(4, 16))
@settings(max_examples=120, deadline=None)
def test_counting_from_the_end_and_on(text, codec, count, counted, max_bytes):
    if not is_recognised(text, codec):
        text = "plain ascii: " + text.encode("ascii", "ignore").decode()
    lines = text.splitlines(keepends=True) if "\n" not in text else [x + "\n" for x in text.split("\n")]
    if "\n" in text:
        lines[-1] = lines[-1].removesuffix("\n")
        lines = lines if lines[-1] else lines[:-1]
    else:
        lines = [text]
    seen, at = "", Place(-count)
    while at is not None:
        found = window(text.encode(codec), at, 1000, max_bytes, counted=counted)
        seen, at = seen + found.text, found.next
    assert seen == "".join(lines[-count:]).replace("\r\n", "\n")


@given(st.binary(min_size=1, max_size=200), st.sampled_from([0, 1 << 20]))
@settings(max_examples=120, deadline=None)
def test_no_byte_becomes_a_replacement_character(data, counted):
    try:
        found = window(data, counted=counted)
    except UsageError as refused:
        assert " not text" in str(refused) or "but isn't" in str(refused)
        return
    encoding = found.file.encoding
    assert "\ufffd" not in found.text or "\ufffd".encode(encoding.codec) in data
    if b"\r" not in data and not found.stops:
        assert encoding.bom + found.text.encode(encoding.codec) == data


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
def test_what_a_file_is(data, encoding, newline):
    seen = window(data, max_lines=1, max_bytes=10).file
    assert (str(seen.encoding), seen.newline, seen.size) == (encoding, newline, len(data))


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x00\x01", b"x" * 20_000 + b"\0", bytes(range(1, 32)) * 20, b"\xff\xfe\x00\xd8\x00"]
)
def test_binary_data_is_refused(data):
    with pytest.raises(UsageError):
        window(data)


def test_places_behind_the_end_and_before_it():
    for counted in (0, 1 << 20):
        data = b"one\ntwo\nthree\n"
        for line in (4, 9):
            with pytest.raises(UsageError, match=f"no line {line}") as caught:
                window(data, Place(line), counted=counted)
            assert "3 lines" in caught.value.hint
        with pytest.raises(UsageError, match="before column 9"):
            window(data, Place(1, 9), counted=counted)
        assert window(data, Place(-2), counted=counted).text == "two\nthree\n"
        assert window(data, Place(-9), max_lines=1, counted=counted).text == "one\n"
        assert window(data, Place(2, 2), max_lines=1, counted=counted).text == "wo\n"
    assert window(data, Place(-2), max_lines=1, counted=0).next == Place(-1)


def test_a_long_line_is_divided_and_read_on_by_columns():
    line = "é" * 300_000
    data, at, seen, steps = f"short\n{line}\nlast".encode(), Place(2), "", 0
    while at.line == 2:
        found = window(data, at, max_lines=1, max_bytes=60_000, counted=0)
        seen, at, steps = seen + found.text, found.next, steps + 1
    assert seen == line + "\n" and at == Place(3) and steps == 11


def test_a_long_file_that_turns_out_not_to_be_utf_8_says_so_for_the_part_that_is_shown():
    data = b"plain\n" * 20_000 + b"caf\xe9\n"
    assert window(data, counted=0, max_lines=1).file.encoding.codec == "utf-8"
    end = window(data, Place(-1), counted=0)
    assert end.text == "café\n" and end.file.encoding.codec == "latin-1" and end.file.encoding.guessed


def test_text_before_a_hole_is_shown_and_the_hole_told():
    data = b"line\n" * 3_000 + b"\0" * 100_000
    found = window(data, max_lines=5_000, counted=0)
    assert found.text == "line\n" * 3_000 and "NUL" in found.stops and found.next is None
    with pytest.raises(UsageError, match="binary data there"):
        window(data, Place(3_001), counted=0)


def test_pipes_and_devices_do_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", type(tmp_path)("/dev/zero"), tmp_path):
        with pytest.raises(UsageError, match="not a regular file"):
            LocalFiles().open(str(path))


class Counting(io.FileIO):
    """Counts what is read."""

    taken = 0

    def readinto(self, buffer):
        count = super().readinto(buffer)
        self.taken += count
        return count


@pytest.mark.integration
def test_a_huge_file_is_read_in_constant_memory_and_only_where_needed(tmp_path):
    path, page = tmp_path / "huge", b"a line of the log\n" * 5_000
    with path.open("wb") as out:
        out.write(page)
        out.truncate(5 << 30)
        out.seek(0, os.SEEK_END)
        out.write(b"\n" + page)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for place, most in ((Place(1), 1 << 20), (Place(-3_000), 1 << 20)):
        raw = Counting(path)
        found = read_window(io.BufferedReader(raw), str(path), place, max_lines=10, max_bytes=60_000)
        assert found.text == "a line of the log\n" * 10 and found.file.lines is None
        assert raw.taken < most
    os.truncate(path, 1 << 29)
    with path.open("ab") as out:
        out.write(b"\n" + page)
    with path.open("rb") as file:
        far = read_window(file, str(path), Place(5_002), max_lines=2, max_bytes=60_000)
    assert far.text == "a line of the log\n" * 2 and far.next == Place(5_004)
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024 < 12
    assert windows.COUNTED_BYTES < 5 << 30
