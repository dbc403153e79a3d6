"""Hunks of a patch, made in a text: each where it stands for certain, all or none."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from ....core.errors import UsageError
from ....core.patches import Hunk
from .edits import Edited
from .nearest import describe_nearest
from .sight import Seen, Sight
from .views import ENDS, line_at

_MAX_LISTED = 10
_TELLING_CHARS = 4


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a hunk goes: a span of the text, what to put there, and with how little care it was found.

    `made` says that the text has it already.
    """

    hunk: Hunk
    start: int
    end: int
    new: str
    note: str = ""
    made: bool = False


def apply_hunks(text: str, hunks: Sequence[Hunk]) -> Edited:
    """*text* after all *hunks*. Line numbers and anchors decide only between several places that fit.

    Raises `UsageError` naming the hunk whose lines stand nowhere, or in several places.
    """
    sight = Sight(text)
    if all(h.new_at and h.new for h in hunks) and any(_all_made(seen, hunks) for seen in islice(sight, 2)):
        return Edited(text, 0, ("nothing was changed: the patch was applied already",))
    found = [_place(hunk, sight) for hunk in hunks]
    fresh = sorted((p for p in found if not p.made), key=lambda p: (p.start, p.end))
    _refuse_overlap(fresh)
    return Edited(_together(text, fresh), len(fresh), tuple(_notes(text, found)))


def _all_made(seen: Seen, hunks: Sequence[Hunk]) -> bool:
    """Whether all hunks stand as they would afterwards, line numbers and all, and not as before."""
    return all(seen.stand(seen.plain(h.new), seen.start_of(h.new_at)) for h in hunks) and not all(
        h.old and seen.stand(seen.plain(h.old), seen.start_of(h.old_at)) for h in hunks
    )


def _place(hunk: Hunk, sight: Sight) -> _Place:
    """The one place of a hunk. Raises `UsageError` where there is none, or more than one."""
    if not hunk.old:
        return _end(hunk, sight)
    for find, cares in ((_claimed, 2), (_where, 4)):  # the claims first: to look through the text takes time
        for seen in islice(sight, cares):
            at = find(hunk, seen, seen.plain(hunk.old))
            if at is not None:
                return _fitted(hunk, seen, at)
    for seen in islice(sight, 2):
        if (at := _made_at(hunk, seen)) is not None:
            return _Place(hunk, *seen.span(at, ""), "", made=True)
    near = describe_nearest(ENDS.plain(sight.text), ENDS.plain(hunk.old))
    raise UsageError(f"{_name(hunk)}: its lines weren't found. {near}", "read the file again; nothing was changed")


def _name(hunk: Hunk) -> str:
    return f"the hunk at line {hunk.line} of the patch"


def _claimed(hunk: Hunk, seen: Seen, old: str) -> int | None:
    """The place that the line number names, if *old* stands there."""
    at = seen.start_of(hunk.old_at)
    return at if seen.stand(old, at) else None


def _where(hunk: Hunk, seen: Seen, old: str) -> int | None:
    """The only place of *old*, or the one that the claims leave. With little care blank lines are found nowhere."""
    if seen.care and seen.care.trailing and not old.strip():
        return None
    if (at := _claimed(hunk, seen, old)) is not None:
        return at
    there = seen.places(old)
    if len(there) < 2:
        return there[0] if there else None
    for few in _narrowed(hunk, seen, old, there):
        if len(few) == 1:
            return few[0]
    listed = ", ".join(str(line_at(seen.whole, seen.span(at, old)[0])) for at in there[:_MAX_LISTED])
    more = ", ..." * (len(there) > _MAX_LISTED)
    raise UsageError(
        f"{_name(hunk)}: its lines stand in {len(there)} places, at lines {listed}{more}",
        "add neighbouring lines until it is the only one; nothing was changed",
    )


def _narrowed(hunk: Hunk, seen: Seen, old: str, there: list[int]) -> Iterator[list[int]]:
    """The places that the end of the file, or the anchors, leave."""
    if hunk.at_end:
        yield [at for at in there if seen.is_last(old, at)]
    if hunk.anchors:
        blocks = seen.blocks(hunk.anchors)
        yield [at for at in there if any(a <= at < b for a, b in blocks)]
        if len(blocks) == 1:
            yield [at for at in there if at >= blocks[0][0]]


def _stands_around(hunk: Hunk, seen: Seen, at: int) -> bool:
    """Whether what the hunk only adds, before or behind lines that stay, is there already."""
    before = len(list(takewhile(lambda line: line[0] == "+", hunk.lines)))
    behind = len(list(takewhile(lambda line: line[0] == "+", reversed(hunk.lines))))
    stays = hunk.lines[before : len(hunk.lines) - behind]
    if before + behind == 0 or any(mark != " " for mark, _ in stays):
        return False
    head = "".join(text for _, text in hunk.lines[:before])
    return seen.stand(seen.plain(hunk.new), at - len(seen.plain(head)))


def _made_at(hunk: Hunk, seen: Seen) -> int | None:
    """Where the new lines stand, as they are said to or in one place, if they are enough to tell."""
    new = seen.plain(hunk.new)
    if len(new.strip()) < _TELLING_CHARS:
        return None
    claimed = seen.start_of(hunk.new_at)
    if hunk.new_at and seen.stand(new, claimed):
        return claimed
    there = seen.places(new)
    return there[0] if len(there) == 1 else None


def _end(hunk: Hunk, sight: Sight) -> _Place:
    """The place of lines that are only added: an empty file, or the end that the hunk names."""
    text, seen = sight.text, next(iter(sight))
    if not text:
        return _Place(hunk, 0, 0, hunk.new)
    made = _made_at(hunk, seen)
    if made is not None and (not hunk.at_end or text.endswith(hunk.new)):
        return _Place(hunk, made, made, "", made=True)
    if not hunk.at_end:
        raise UsageError(
            f"{_name(hunk)} only adds lines, and nothing says where",
            "give lines that stay before or behind them; nothing was changed",
        )
    gap = "" if text.endswith("\n") else seen.usual
    return _Place(hunk, len(text), len(text), gap + ENDS.plain(hunk.new).replace("\n", seen.usual))


def _fitted(hunk: Hunk, seen: Seen, at: int) -> _Place:
    """The hunk at a place, its new lines as they must be there."""
    text, (start, end) = seen.whole, seen.span(at, seen.plain(hunk.old))
    new = hunk.new if seen.care is None else _woven(hunk, text[start:end], seen.usual)
    if end < len(text) and new and not new.endswith("\n"):
        new += seen.usual
    note = seen.care.note if seen.care else ""
    return _Place(hunk, start, end, new, note, new == text[start:end] or _stands_around(hunk, seen, at))


def _woven(hunk: Hunk, there: str, usual: str) -> str:
    """The new lines, those that stay as they stand *there*, the others with the ends of those they replace."""
    stands = iter(_lines(there))
    lines, ends = list[str](), deque[str]()
    for mark, text in hunk.lines:
        if mark == "+":
            end = ends.popleft() if ends else usual
            lines.append(_bare(text) + (end if text.endswith("\n") else ""))
            continue
        line = next(stands)
        if mark == " ":
            lines.append(line)
            ends.clear()
        else:
            ends.append(line[len(_bare(line)) :] if text.endswith("\n") else usual)
    inner = (line if line.endswith("\n") else f"{line}{usual}" for line in lines[:-1])
    return "".join([*inner, *lines[-1:]])


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _lines(text: str) -> list[str]:
    """The lines with their ends. Only line feeds end them: `splitlines` knows others, too."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _refuse_overlap(fresh: list[_Place]) -> None:
    for one, other in pairwise(fresh):
        if one.end > other.start:
            first, second = sorted((one.hunk.line, other.hunk.line))
            raise UsageError(
                f"the hunks at lines {first} and {second} of the patch change the same lines",
                "make them one hunk; nothing was changed",
            )


def _together(text: str, fresh: list[_Place]) -> str:
    parts, last = list[str](), 0
    for place in fresh:
        parts += [text[last : place.start], place.new]
        last = place.end
    return "".join([*parts, text[last:]])


def _notes(text: str, found: list[_Place]) -> Iterator[str]:
    """What was taken with less care than the patch was written, each once."""
    yield from dict.fromkeys(p.note for p in found if p.note and not p.made)
    if any(p.hunk.miscounted for p in found):
        yield "a hunk has other lines than its header counts: it was read by their marks"
    numbered = islice((p for p in found if p.hunk.old_at and not p.made), _MAX_LISTED)
    claims = [(line_at(text, p.start), p.hunk.old_at) for p in numbered]
    if said := ", ".join(f"{there} (not {claimed})" for there, claimed in claims if there != claimed):
        yield f"the line numbers didn't fit: applied at line {said}"
    if made := [p for p in found if p.made]:
        what = "nothing was changed: the patch" if len(made) == len(found) else f"{len(made)} of {len(found)} hunks"
        lines = ", ".join(str(line_at(text, p.start)) for p in made[:_MAX_LISTED])
        yield f"{what} was applied already: the new lines are there, at line {lines}"
