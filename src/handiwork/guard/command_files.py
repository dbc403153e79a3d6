"""What speaks against reading a file that a command names."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import os
from collections.abc import Iterator

from .paths import judge_path
from .places import plain, protected, squeeze
from .shell_values import Word, World

MOST_MATCHES = 200
MOST_SEARCHED = 5_000
_PROTECTED_NAMES = (
    *(".env", ".env.local", ".netrc", ".npmrc", ".git", ".ssh", ".aws", ".bashrc", ".git-credentials"),
    *("id_rsa", "id_ed25519", "server.pem", "private.key", "cert.p12", "credentials", "credentials.json"),
    *("secrets.yaml", "secrets.json", "service-account.json", "key.asc"),
)


def file_doubts(word: Word, world: World, workspace: str, *, content: bool) -> Iterator[str]:
    """Why an argument, taken as a file, shouldn't be read unasked.

    What is joined to a flag counts too. *content* says that the program shows what is in the file.
    Without a *workspace* only the text is looked at.
    """
    text = word.text
    if text.startswith("-"):
        text = text.partition("=")[2] or text[2:]
    if text:
        yield from _text_doubts(text, word, world, content=content)
        yield from _real_doubts(_fixed_part(text) if word.glob else text, world, workspace)
        if word.glob and content and workspace:
            yield from _match_doubts(text, world, workspace)


def _text_doubts(text: str, word: Word, world: World, *, content: bool) -> Iterator[str]:
    if why := protected(text) or (":" in text and protected(text.rpartition(":")[2])):
        yield f"{text} is {why}"
    full = squeeze(plain(text))
    if content and full in ("/", world.home):
        yield f"it reads everything below {text}"
    if word.glob and content and _may_match_protected(text):
        yield f"the pattern {text} may match protected files"
    if full.startswith(("/dev/", "/proc/", "/sys/")) and full != "/dev/null":
        yield f"{text} is a device or the kernel's own"


def _real_doubts(text: str, world: World, workspace: str) -> Iterator[str]:
    """Only what looks like a path, or is a file's name, is resolved."""
    if not workspace or not ("/" in text or text in ("..", "~") or _exists(world.cwd, text)):
        return
    verdict = judge_path(text, workspace, cwd=world.cwd)
    if verdict.action != "allow":
        yield "; ".join(verdict.reasons)


def _match_doubts(pattern: str, world: World, workspace: str) -> Iterator[str]:
    """What the pattern matches now: a link may lead anywhere."""
    found = list(itertools.islice(glob.iglob(pattern, root_dir=world.cwd or workspace), MOST_MATCHES + 1))
    if len(found) > MOST_MATCHES:
        yield f"the pattern {pattern} matches more files than are looked at"
    for path in found:
        verdict = judge_path(path, workspace, cwd=world.cwd)
        if verdict.action != "allow":
            yield "; ".join(verdict.reasons)


def tree_doubts(tree: str, world: World, workspace: str) -> Iterator[str]:
    """Why a whole folder shouldn't be searched: something protected lies in it, or it is too large to look."""
    seen = 0
    for folder, folders, files in os.walk(os.path.join(world.cwd, tree)) if workspace else ():
        seen += len(folders) + len(files)
        shown = next((n for n in (*folders, *files) if protected(n)), "")
        if shown or seen > MOST_SEARCHED:
            yield f"the search would show {folder}/{shown}" if shown else f"{tree} holds too many files to look at"
            return


def _may_match_protected(pattern: str) -> bool:
    """Whether a part of the pattern matches the name of a protected file; `*` doesn't match a leading dot."""
    return any(
        fnmatch.fnmatchcase(name, part) and (name[0] != "." or part[0] == ".")
        for part in pattern.split("/")
        if any(c in part for c in "*?[")
        for name in _PROTECTED_NAMES
    )


def _fixed_part(pattern: str) -> str:
    """The folder that every match of the pattern lies below; `..` where it climbs after a pattern."""
    parts = pattern.split("/")
    first = next((i for i, part in enumerate(parts) if any(c in part for c in "*?[")), len(parts))
    return ".." if ".." in parts[first:] else "/".join(parts[:first]) or ("/" if pattern.startswith("/") else ".")


def _exists(cwd: str, name: str) -> bool:
    return os.path.lexists(f"{cwd}/{name}" if cwd else name)
