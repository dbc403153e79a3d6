import io
import json
import struct
import zipfile

import pytest

from handiwork.backends.files import documents, reading
from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.reading import Wanted, read_page
from handiwork.backends.files.seen import Session
from handiwork.backends.files.shell import ShellFiles
from handiwork.backends.files.target import Target
from handiwork.core.errors import UsageError


@pytest.fixture
def read(tmp_path):
    session = Session(named=True)

    def read_one(name, *wanted, files=None, room=None):
        target = Target(files or LocalFiles(), name, str(tmp_path.resolve() / name))
        return read_page(target, Wanted(*wanted), session, room)

    return read_one


def follow(read, answer):
    name, _, arguments = answer["next"].partition(" ")
    assert name == "read_file"
    given = json.loads(arguments)
    return read(given["path"], given["offset"], given.get("limit"), given.get("column", 1))


def test_the_budget_of_bytes_decides_not_the_lines(read, tmp_path):
    (tmp_path / "many").write_text("x\n" * 30_000)
    assert "next" not in read("many")
    (tmp_path / "cjk").write_text(("語" * 100 + "\n") * 400, encoding="utf-8")
    first = read("cjk")
    assert 59_000 < len(first["content"].encode()) <= reading.PAGE_BYTES
    assert (
        first["content"] + follow(read, first)["content"] + follow(read, follow(read, first))["content"]
        == ("語" * 100 + "\n") * 400
    )


@pytest.mark.parametrize("room", [1_000, 3_000, 20_000])
@pytest.mark.parametrize("line", ['"quoted\\"\t\x01"\n', "plain text of a line\n", "😀" * 9 + "\n"])
def test_a_page_fits_where_results_are_cut(read, tmp_path, room, line):
    text = line * 2_000
    (tmp_path / "a").write_text(text)
    answer, seen = read("a", room=room), ""
    for _ in range(5):
        assert len(json.dumps(answer, ensure_ascii=False)) <= room
        seen += answer["content"]
        if "next" not in answer:
            break
        given = json.loads(answer["next"].partition(" ")[2])
        answer = read("a", given["offset"], None, given.get("column", 1), room=room)
    assert text.startswith(seen) and len(seen) > 0.8 * min(room, len(text))


def test_a_window_shown_whole_is_not_shown_twice_but_anyone_may_insist(read, tmp_path):
    (tmp_path / "a").write_text("one\ntwo\nthree\n")
    assert read("a")["content"] == "one\ntwo\nthree\n"
    again = read("a")
    assert "content" not in again and "line 1 on, to the end" in again["unchanged"] and "once more" in again["again"]
    assert read("a")["content"] == "one\ntwo\nthree\n"
    assert "unchanged" in read("a")
    assert read("a", 2)["content"] == "two\nthree\n"
    assert read("a", 1, 2)["content"] == "one\ntwo\n"
    assert "up to 2 lines" in read("a", 1, 2)["unchanged"]
    (tmp_path / "a").write_text("changed\n")
    assert read("a")["content"] == "changed\n"


def test_a_read_that_was_cut_never_counts_as_read(read, tmp_path):
    (tmp_path / "long").write_text("".join(f"line {n} of the file\n" for n in range(9_172)))
    for _ in range(4):
        answer = read("long")
        assert "unchanged" not in answer and answer["next"] and "of 9172" in answer["lines"]
    (tmp_path / "one").write_text("x" * 200_000)
    for _ in range(3):
        assert "column" in read("one")["next"]
    for _ in range(3):
        assert read("long", 1, 5_000, room=9_000)["next"]


def test_sessions_do_not_share_what_they_saw(tmp_path):
    (tmp_path / "a").write_text("x\n")
    target = Target(LocalFiles(), "a", str(tmp_path.resolve() / "a"))
    one, other, nobody = Session(named=True), Session(named=True), Session(named=False)
    assert "content" in read_page(target, Wanted(), one)
    assert "content" in read_page(target, Wanted(), other)
    assert "unchanged" in read_page(target, Wanted(), one)
    for _ in range(3):
        assert "content" in read_page(target, Wanted(), nobody)


def test_the_same_is_read_far_away_by_few_commands(read, tmp_path, shell):
    text = "".join(f"line {n}\n" for n in range(200_000))
    (tmp_path / "a").write_text(text)
    files = ShellFiles(shell, "far")
    answer = read("a", files=files)
    assert text.startswith(answer["content"]) and answer["lines"].endswith("of very many")
    assert shell.count <= 2
    assert read("a", -2, files=files)["content"] == "line 199998\nline 199999\n"


def test_what_is_no_text_says_what_it_is_and_what_to_do(read, tmp_path):
    cases = {
        b"\x7fELF\x02\x01\x01\0": ("a Linux program or library", "strings"),
        b"SQLite format 3\0\x10\0": ("an SQLite database", "sqlite3"),
        b"\x1f\x8b\x08\0\0\0": ("gzip-compressed data", "zcat"),
        b"PK\3\4\x14\0\0\0xl/workbook.xml": ("an Excel workbook (xlsx)", "convert"),
        b"\0" * 257 + b"ustar\0": ("a tar archive", "tar tf"),
        bytes(range(1, 9)) * 40: ("a binary file", "xxd"),
    }
    for number, (data, (kind, advice)) in enumerate(cases.items()):
        (tmp_path / str(number)).write_bytes(data)
        with pytest.raises(UsageError, match="not text") as caught:
            read(str(number))
        assert kind in str(caught.value) and advice in caught.value.hint


def test_a_picture_tells_its_format_and_size(read, tmp_path):
    jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc0\0\x11\x08" + struct.pack(">HH", 30, 40) + b"\3"
    pictures = {
        "PNG": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 40, 30),
        "GIF": b"GIF89a" + struct.pack("<HH", 40, 30),
        "BMP": b"BM" + b"\0" * 16 + struct.pack("<ii", 40, -30),
        "JPEG": jpeg,
        "WebP": b"RIFF\0\0\0\0WEBPVP8X" + b"\0" * 8 + (39).to_bytes(3, "little") + (29).to_bytes(3, "little"),
    }
    lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f" + struct.pack("<I", 39 | 29 << 14)
    simple = b"RIFF\0\0\0\0WEBPVP8 " + b"\0" * 10 + struct.pack("<HH", 40, 30)
    for kind, data in [*pictures.items(), ("WebP", lossless), ("WebP", simple)]:
        (tmp_path / "picture").write_bytes(data)
        answer = read("picture")
        assert (answer["image"], answer["width"], answer["height"]) == (kind, 40, 30)
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    with pytest.raises(UsageError, match="a PNG image, not text"):
        read("picture")
    for text in ("BMW is a maker of cars\n", "GIF89a is a format\n", "RIFF\n"):
        (tmp_path / "text").write_text(text)
        assert read("text")["content"] == text


def notebook():
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "words"]},
        {
            "cell_type": "code",
            "source": "print(1)\n",
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["..."]},
            ],
        },
    ]
    return json.dumps({"cells": cells, "nbformat": 4})


def test_a_notebook_is_shown_as_its_cells(read, tmp_path):
    (tmp_path / "a.ipynb").write_text(notebook())
    answer = read("a.ipynb")
    assert answer["content"] == (
        "[cell 1, markdown]\n# Title\nwords\n[cell 2, code]\nprint(1)\n[output of cell 2]\n1\n"
        "[output of cell 2]\n(image/png)\n[output of cell 2]\nValueError: bad\n"
    )
    assert "can't be edited by this text" in answer["note"]
    (tmp_path / "b.ipynb").write_text('{"cells": [{}]}')
    with pytest.raises(UsageError, match="can't be read as a notebook"):
        read("b.ipynb")


def pdf(text):
    """A document of one page that says *text*."""
    stream = b"BT /F1 24 Tf 72 720 Td (%s) Tj ET" % text if text else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, places = io.BytesIO(b"%PDF-1.4\n"), []
    out.seek(0, io.SEEK_END)
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    table = out.tell()
    out.write(b"xref\n0 6\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in places))
    out.write(b"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % table)
    return out.getvalue()


def docx(*paragraphs):
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    kinds = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{kinds}/content-types"/>')
        link = f'<Relationship Id="r" Type="{office}" Target="word/document.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{kinds}/relationships">{link}</Relationships>')
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{word}"><w:body>{body}</w:body></w:document>')
    return out.getvalue()


@pytest.mark.integration
def test_documents_are_read_by_the_libraries_of_the_extra(read, tmp_path):
    pytest.importorskip("pypdf")
    pytest.importorskip("mammoth")
    (tmp_path / "a.pdf").write_bytes(pdf(b"Hello from a page"))
    assert read("a.pdf")["content"] == "[page 1 of 1]\nHello from a page\n"
    (tmp_path / "a.docx").write_bytes(docx("first", "second"))
    assert read("a.docx")["content"].split() == ["first", "second"]
    (tmp_path / "scan.pdf").write_bytes(pdf(b""))
    with pytest.raises(UsageError, match="hold no text"):
        read("scan.pdf")
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4\nnothing of the kind")
    (tmp_path / "bad.docx").write_bytes(b"PK\3\4 nothing of the kind word/")
    for name in ("bad.pdf", "bad.docx"):
        with pytest.raises(UsageError, match="can't be read as a"):
            read(name)


def test_without_the_extra_a_document_is_refused_and_the_extra_named(read, tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "find_spec", lambda name: None)
    (tmp_path / "a.pdf").write_bytes(pdf(b"x"))
    (tmp_path / "a.docx").write_bytes(docx("x"))
    for name in ("a.pdf", "a.docx"):
        with pytest.raises(UsageError, match="isn't installed") as caught:
            read(name)
        assert "handiwork[documents]" in caught.value.hint


def test_a_folder_is_listed_in_pages_with_marks(read, tmp_path):
    for name in ("b", "a", "é"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "way").symlink_to("nowhere")
    answer = read(".")
    assert answer["entries"] == ["a", "b", "sub/", "way@", "é"] and answer["total"] == 5
    first = read(".", 1, 2)
    assert first["entries"] == ["a", "b"] and follow(read, first)["entries"] == ["sub/", "way@"]
    assert read(".", -1)["entries"] == ["é"]
    with pytest.raises(UsageError, match="no entry 9"):
        read(".", 9)
