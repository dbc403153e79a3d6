"""Unified diffs: of `diff -u`, of `git diff`, and of git's mails."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .changes import FileChange, Kind
from .hunks import read_hunks
from .names import NONE, bare, name_of, names_of
from .reader import Reader

_BETWEEN = ("diff ", "Index: ", "=====", "Only in ")
_SIGNATURE = re.compile(r"\d+\.\d+")
_HEADS = {
    "old mode ": "old",
    "new mode ": "mode",
    "new file mode ": "added",
    "deleted file mode ": "deleted",
    "rename from ": "from",
    "rename to ": "to",
    "similarity index ": "",
    "dissimilarity index ": "",
    "index ": "",
}
_REFUSED = {
    "copy from ": ("copies aren't known", "add the file with its content"),
    "Binary files ": ("it is about a binary file", "use a command"),
    "GIT binary patch": ("it is about a binary file", "use a command"),
}
_FILE_MODES = ("100644", "100755")


def read_diffs(reader: Reader) -> Iterator[FileChange]:
    """The changes of files. What stands before the first is no part of the patch, as in a mail."""
    inside = False
    while not reader.ended:
        if reader.starts("diff --git "):
            yield _git_diff(reader)
        elif _is_pair(reader):
            yield _plain_diff(reader)
        else:
            if inside and reader.line.strip() and not reader.starts(*_BETWEEN):
                reader.fail("expected the header of a hunk or file", "a hunk's lines begin with a space, + or -")
            reader.at += 1
            continue
        reader.skip_blank()
        inside = not _is_signature(reader)  # behind it comes the head of the next mail


def _is_pair(reader: Reader) -> bool:
    return reader.starts("--- ") and reader.following.startswith("+++ ")


def _is_signature(reader: Reader) -> bool:
    return reader.shows("--") and bool(_SIGNATURE.match(reader.following))


def _is_over(reader: Reader) -> bool:
    odd = reader.line.strip() and not reader.starts("@@", " ", "+", "-", "\\")
    return reader.ended or bool(odd) or _is_pair(reader) or _is_signature(reader)


def _plain_diff(reader: Reader) -> FileChange:
    start, (old, new) = reader.at + 1, _pair(reader)
    if old != new and NONE not in (old, new):
        reader.at = start - 1
        reader.fail(f"the names differ: {old} and {new}", "give the same name twice, or /dev/null")
    change = _change(reader, old, new, {}, start)
    if not change.hunks:
        reader.fail("expected a hunk, which begins with @@")
    return change


def _pair(reader: Reader) -> tuple[str, str]:
    """The two names above the hunks."""
    old, new = name_of(reader, reader.line[4:]), name_of(reader, reader.following[4:])
    reader.at += 2
    return bare(old, new)


def _git_diff(reader: Reader) -> FileChange:
    start = reader.at + 1
    both = reader.line.removeprefix("diff --git ")
    reader.at += 1
    heads = _heads(reader)
    if "from" in heads or "to" in heads:
        old, new = (reader.path(heads.get(end, "")) for end in ("from", "to"))
        named = _pair(reader) if _is_pair(reader) else (old, new)
    else:
        old, new = named = _pair(reader) if _is_pair(reader) else names_of(reader, both)
    if named != (old, new) or (old != new and NONE not in named and "from" not in heads):
        reader.at = start - 1
        reader.fail(f"the names differ: {' and '.join(dict.fromkeys((old, new, *named)))}", "make them agree")
    return _change(reader, old, new, heads, start)


def _heads(reader: Reader) -> dict[str, str]:
    """What git says between the names and the hunks."""
    heads: dict[str, str] = {}
    while not reader.ended:
        for refused, why in _REFUSED.items():
            if reader.starts(refused):
                reader.fail(*why)
        word = next((w for w in _HEADS if reader.starts(w)), None)
        if word is None:
            break
        said = reader.line.removeprefix(word)
        heads[_HEADS[word]] = name_of(reader, said) if word.startswith("rename") else said.strip()
        reader.at += 1
    odd = next((m for key in ("added", "deleted", "mode") if (m := heads.get(key)) and m not in _FILE_MODES), "")
    if odd:
        reader.fail(f"mode {odd} is no plain file's", "use a command for links and submodules")
    return heads


def _change(reader: Reader, old: str, new: str, heads: dict[str, str], start: int) -> FileChange:
    kind: Kind = "add" if old == NONE or "added" in heads else "update"
    kind = "delete" if new == NONE or "deleted" in heads else kind
    path = new if old == NONE else old
    if not reader.starts("@@") and not _is_over(reader):
        reader.fail("expected a hunk, which begins with @@")
    hunks = tuple(read_hunks(reader, _is_over)) if reader.starts("@@") else ()
    if "" in (old, new) or path == NONE:
        reader.fail(f"line {start} names no file", "give its path")
    _check(reader, kind, "".join(h.new if kind == "delete" else h.old for h in hunks), path)
    target = new if kind == "update" and new != old else ""
    if kind == "update" and not hunks and not target:
        reader.fail(f"there is no change to the text of {path}", "to change a mode, use chmod")
    return FileChange(kind, path, hunks, target, heads.get("added") or heads.get("mode", ""), start)


def _check(reader: Reader, kind: Kind, other: str, path: str) -> None:
    """A new file has no old lines, a deleted one no new ones."""
    if kind != "update" and other:
        what = "a new file can't have lines that stay or go" if kind == "add" else "a deleted file keeps no lines"
        reader.fail(f"{what}: {path}", "begin its lines with " + ("+" if kind == "add" else "-"))
