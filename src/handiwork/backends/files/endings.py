"""Line ends of a text that is given anew: the ones that its file had."""

from __future__ import annotations

from difflib import SequenceMatcher

_MOST_COMPARED = 20_000


def with_endings(new: str, old: str) -> str:
    """*new* with the line ends of *old*: all CRLF, or line by line where they are mixed.

    A text that brings a CRLF of its own is taken as it is.
    """
    crlf = old.count("\r\n")
    brings_its_own = "\r\n" in new and "\r\r\n" not in old  # of CR CR LF a reader is shown CR LF
    if not crlf or brings_its_own:
        return new
    if crlf == old.count("\n"):
        return new.replace("\n", "\r\n")
    return _mixed(new.split("\n"), old.split("\n"))


def _mixed(new: list[str], old: list[str]) -> str:
    """Lines that stayed keep their end; one that was changed has that of the line it stands for."""
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in old]
    usual = max(("\n", "\r\n"), key=ends.count)
    if len(new) + len(old) > _MOST_COMPARED:
        return usual.join(new)
    chosen = [usual] * len(new)
    matcher = SequenceMatcher(None, [line.removesuffix("\r") for line in old], new, autojunk=False)
    for _, i, i_end, j, j_end in matcher.get_opcodes():
        for step in range(min(i_end - i, j_end - j)):
            chosen[j + step] = ends[i + step]
    return "".join(line + end for line, end in zip(new[:-1], chosen, strict=False)) + new[-1]
