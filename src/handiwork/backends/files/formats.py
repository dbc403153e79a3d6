"""What a file that isn't text is, by the bytes it begins with, and what one does with it."""

from __future__ import annotations

from dataclasses import dataclass

_LIST = "list or unpack it with a command"
_PLAY = "a command such as ffprobe says what is in it"
_TABLE = "convert it with a command or a few lines of Python"
_UNKNOWN = "use a command that understands its format, such as file or xxd"


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: its name with an article, and what to do instead of reading it as text."""

    name: str
    advice: str


# Where the bytes stand, the bytes, and what they say. The first that fits wins.
_MAGIC: tuple[tuple[int, bytes, Format], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", Format("a PNG image", "")),
    (0, b"\xff\xd8\xff", Format("a JPEG image", "")),
    (0, b"GIF8", Format("a GIF image", "")),
    (8, b"WEBP", Format("a WebP image", "")),
    (0, b"BM", Format("a BMP image", "convert it to PNG with a command")),
    (0, b"II*\0", Format("a TIFF image", "convert it to PNG with a command")),
    (0, b"MM\0*", Format("a TIFF image", "convert it to PNG with a command")),
    (0, b"\0\0\1\0", Format("an icon", "convert it to PNG with a command")),
    (0, b"%PDF-", Format("a PDF document", "")),
    (0, b"\xd0\xcf\x11\xe0", Format("an old Office document", "convert it with libreoffice --convert-to txt")),
    (0, b"PK\3\4", Format("a ZIP archive", "list it with unzip -l")),
    (0, b"PK\5\6", Format("an empty ZIP archive", _LIST)),
    (0, b"\x1f\x8b", Format("gzip-compressed data", "read it with zcat")),
    (0, b"BZh", Format("bzip2-compressed data", "read it with bzcat")),
    (0, b"\xfd7zXZ\0", Format("xz-compressed data", "read it with xzcat")),
    (0, b"\x28\xb5\x2f\xfd", Format("zstd-compressed data", "read it with zstdcat")),
    (0, b"7z\xbc\xaf\x27\x1c", Format("a 7z archive", _LIST)),
    (0, b"Rar!", Format("a RAR archive", _LIST)),
    (257, b"ustar", Format("a tar archive", "list it with tar tf")),
    (0, b"\x7fELF", Format("a Linux program or library", "a command such as file, nm or strings says more")),
    (0, b"MZ", Format("a Windows program", "a command such as file or strings says more")),
    (0, b"\xca\xfe\xba\xbe", Format("a Java class or macOS program", "a command such as file or javap says more")),
    (0, b"\0asm", Format("a WebAssembly module", "a command such as wasm-objdump says more")),
    (0, b"SQLite format 3\0", Format("an SQLite database", "ask it with sqlite3 FILE .schema")),
    (0, b"PAR1", Format("a Parquet table", _TABLE)),
    (0, b"ARROW1", Format("an Arrow table", _TABLE)),
    (0, b"\x93NUMPY", Format("a NumPy array", _TABLE)),
    (0, b"\x89HDF", Format("an HDF5 file", _TABLE)),
    (0, b"GGUF", Format("a GGUF model", "handiwork model runs it")),
    (0, b"ID3", Format("an MP3 sound", _PLAY)),
    (0, b"OggS", Format("an Ogg sound or film", _PLAY)),
    (0, b"fLaC", Format("a FLAC sound", _PLAY)),
    (8, b"WAVE", Format("a WAV sound", _PLAY)),
    (4, b"ftyp", Format("an MP4 film or sound", _PLAY)),
    (0, b"\x1a\x45\xdf\xa3", Format("a Matroska or WebM film", _PLAY)),
    (0, b"wOF", Format("a web font", "")),
    (0, b"\0\1\0\0\0", Format("a TrueType font", "")),
    (0, b"OTTO", Format("an OpenType font", "")),
)
# Written inside a ZIP archive; its first names stand in plain bytes near the start.
_OFFICE = (
    (b"word/", Format("a Word document (docx)", "")),
    (b"xl/", Format("an Excel workbook (xlsx)", _TABLE)),
    (b"ppt/", Format("a PowerPoint presentation (pptx)", _TABLE)),
    (b"mimetypeapplication/epub", Format("an EPUB book", _LIST)),
    (b"mimetypeapplication/vnd.oasis", Format("an OpenDocument file", "convert it with libreoffice --convert-to txt")),
)
_BINARY = Format("a binary file", _UNKNOWN)


def format_of(head: bytes) -> Format:
    """What the first bytes say that the file is; "a binary file" where they say nothing known."""
    found = next((kind for at, magic, kind in _MAGIC if head.startswith(magic, at)), _BINARY)
    if found.name != "a ZIP archive":
        return found
    return next((kind for inner, kind in _OFFICE if inner in head[:8192]), found)
