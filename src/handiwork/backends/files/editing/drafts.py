"""Changes of several files, made in memory first, and then on the disk: all, or none."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from ....core.errors import UsageError
from ....core.types import Files, FileStat, PlannedFile
from ..text import MAX_EDIT_BYTES, Encoding, TextFile, decode
from .planning import planned_file, refuse_other


@dataclass(frozen=True, slots=True)
class Named:
    """A file as somebody named it, where it really is, and whether the name is a link to there."""

    path: str
    real: str
    is_link: bool = False


@dataclass(slots=True)
class Held:
    """A file as it is on the disk, and as it is to be. None stands for no file; *mode* is of a new one."""

    name: Named
    stamp: FileStat | None
    before: bytes | None
    now: bytes | None
    mode: int | None = None

    def text(self) -> TextFile:
        """The text as it is to be. Raises `UsageError` for what isn't text."""
        return decode(self.now or b"", self.name.path)

    def write(self, text: str) -> None:
        """Have the file hold *text*, in the encoding that it has."""
        encoding = self.text().encoding if self.now else Encoding()
        self.now = TextFile(text, encoding).encoded()


class Draft:
    """The files of one change. Those that it was asked for must be locked while it lives."""

    def __init__(self, files: Files) -> None:
        self._disk = files
        self._files: dict[str, Held] = {}

    def file(self, name: Named) -> Held:
        """A file as the draft has it now. Raises `UsageError` for what is no regular file, or too long."""
        if name.real not in self._files:
            stamp = self._disk.stat(name.real)
            data = self._read(name) if stamp else None
            self._files[name.real] = Held(name, stamp, data, data)
        return self._files[name.real]

    def existing(self, name: Named) -> Held:
        """As `file`; raises `UsageError` where there is none, with the names that it perhaps was to be."""
        file = self.file(name)
        if file.now is None:
            if file.before is None:
                self._disk.open(name.real).close()  # says what is there instead
            raise UsageError(f"{name.path} was deleted or moved before in the same patch", "change it before that")
        return file

    def _read(self, name: Named) -> bytes:
        with self._disk.open(name.real) as file:
            data = file.read(MAX_EDIT_BYTES + 1)
        if len(data) > MAX_EDIT_BYTES:
            raise UsageError(f"{name.path} is too long to edit ({len(data):,} bytes or more)", "use a command like sed")
        return data

    def planned(self) -> tuple[PlannedFile, ...]:
        """What would become of the files."""
        return tuple(planned_file(f.name.path, f.name.real, f.before, f.now) for f in self._changed())

    def _changed(self) -> list[Held]:
        return [file for file in self._files.values() if file.now != file.before]

    def commit(self, planned: Collection[PlannedFile] | None = None) -> None:
        """Make the files what they are here, one after the other; new contents first, then removals.

        Raises `UsageError` where that isn't what was *planned*, and where one of them fails. Those before it
        are then put back; where that fails, too, the error names them.
        """
        if planned is not None:
            refuse_other(planned, self.planned())
        changed = self._changed()
        left: list[str] = []
        try:
            with ExitStack() as undo:
                for file in sorted(changed, key=lambda file: file.now is None):
                    undo.callback(self._put_back, file, self._put(file), left)
                undo.pop_all()
        except UsageError as error:
            if len(changed) == 1:
                raise
            raise UsageError(f"{error}. {_told(left)}", error.hint) from None

    def _put(self, file: Held) -> FileStat | None:
        """Make one file what it is to be; its state then."""
        if file.now is not None:
            return self._disk.replace(file.name.real, file.now, expected=file.stamp, mode=file.mode)
        if file.stamp is not None:
            self._disk.remove(file.name.real, expected=file.stamp)
        return None

    def _put_back(self, file: Held, stamp: FileStat | None, left: list[str]) -> None:
        mode = file.stamp.mode if file.stamp else None
        try:
            if file.before is not None:
                self._disk.replace(file.name.real, file.before, expected=stamp, mode=mode)
            elif stamp is not None:
                self._disk.remove(file.name.real, expected=stamp)
        except UsageError as error:
            left.append(f"{file.name.path} ({error})")


def _told(left: Iterable[str]) -> str:
    """What became of the files before the one that failed."""
    if not left:
        return "Nothing was changed: what had been written was put back"
    return f"These files are changed and couldn't be put back: {', '.join(left)}"
