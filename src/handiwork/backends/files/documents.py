"""The text of documents: notebooks by themselves, PDF and Word by the libraries of the extra `documents`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any, BinaryIO

from ...core.errors import UsageError
from ...core.loading import Late

# Of the extra `documents`; 300 and 100 ms.
pypdf = Late("pypdf")
mammoth = Late("mammoth")

MAX_BYTES = 64 << 20


def reader_of(name: str, head: bytes) -> Callable[[BinaryIO, str], str] | None:
    """What makes text of a file with this name that begins with *head*; None where it isn't a document."""
    if head.startswith(b"%PDF-"):
        return _pdf
    if head.startswith(b"PK\3\4") and name.lower().endswith(".docx"):
        return _docx
    if name.lower().endswith(".ipynb") and head.lstrip()[:1] == b"{":
        return _notebook
    return None


def _pdf(file: BinaryIO, name: str) -> str:
    _need("pypdf", name, "a PDF document")
    try:
        pages = [page.extract_text().strip() for page in pypdf.PdfReader(file).pages]
    except (
        pypdf.errors.PyPdfError,
        ValueError,
        KeyError,
        TypeError,
        RecursionError,
    ) as error:  # what damaged files make of it
        raise _unreadable(name, "PDF document", error) from error
    if not any(pages):
        raise UsageError(f"the {len(pages)} pages of {name} hold no text", "they are pictures: use text recognition")
    return "".join(f"[page {number} of {len(pages)}]\n{text}\n" for number, text in enumerate(pages, 1))


def _docx(file: BinaryIO, name: str) -> str:
    _need("mammoth", name, "a Word document")
    try:
        return str(mammoth.extract_raw_text(file).value)
    except (zipfile.BadZipFile, KeyError, ValueError, SyntaxError, AttributeError) as error:
        raise _unreadable(name, "Word document", error) from error


def _need(module: str, name: str, what: str) -> None:
    if find_spec(module) is None:
        raise UsageError(
            f"{name} is {what}, and what reads those isn't installed", "pip install 'handiwork[documents]'"
        )


def _unreadable(name: str, what: str, error: Exception) -> UsageError:
    return UsageError(f"{name} can't be read as a {what}: {error}", "it may be damaged; try another program")


def _notebook(file: BinaryIO, name: str) -> str:
    try:
        cells = json.load(file)["cells"]
        return "".join(line for number, cell in enumerate(cells, 1) for line in _cell(number, cell))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable(name, "notebook", error) from error


def _cell(number: int, cell: dict[str, Any]) -> Iterator[str]:
    yield f"[cell {number}, {cell['cell_type']}]\n{_joined(cell['source'])}"
    for output in cell.get("outputs", ()):
        yield f"[output of cell {number}]\n{_joined(_shown(output))}"


def _shown(output: dict[str, Any]) -> Any:
    """The text of an output; of a picture only what kind it is."""
    if "traceback" in output:
        return f"{output.get('ename', '')}: {output.get('evalue', '')}"
    data = output.get("data", {})
    return output.get("text") or data.get("text/plain") or f"({', '.join(data) or 'nothing'})"


def _joined(lines: str | list[str]) -> str:
    """Notebooks keep texts as lists of lines."""
    text = lines if isinstance(lines, str) else "".join(lines)
    return text if text.endswith("\n") else f"{text}\n"


def text_of(make: Callable[[BinaryIO, str], str], file: BinaryIO, name: str) -> BinaryIO:
    """The text of a document as a file of UTF-8. Raises `UsageError` for what is too long or damaged."""
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"{name} is longer than {MAX_BYTES >> 20} MiB", "convert it with a command")
    text = make(io.BytesIO(data), name).replace("\0", "")
    return io.BytesIO(text.encode("utf-8", "replace"))
