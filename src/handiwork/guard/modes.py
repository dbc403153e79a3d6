"""What the mode of a session makes of a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from handiwork.core.config import Mode
from handiwork.core.loading import Late
from handiwork.core.types import ALLOW, Allow, Ask, Forbid, Ready, Standing, ToolEntry, Verdict

from .raters import Rated

auto = Late("handiwork.guard.auto")
standing = Late("handiwork.guard.standing")


def in_mode(verdict: Verdict, entry: ToolEntry, mode: Mode, *, proven: bool) -> Verdict:
    """The verdict as it holds in *mode*. *proven* says that the call's commands are known to only read."""
    if mode == "yolo" and isinstance(verdict, Ask):
        return ALLOW
    reads = proven or entry.traits.resolved_effect() == "read"
    if mode == "read-only" and not isinstance(verdict, Forbid) and not reads:
        return Forbid("this session may only read", "leave the mode read-only, or use a tool that only reads")
    return verdict


def in_session(
    verdict: Verdict,
    ready: Ready,
    *,
    mode: Mode,
    stand: Standing,
    found: Sequence[Rated],
    clean: Callable[[Ready], bool] | None,
) -> Verdict:
    """The verdict as it holds after what the session's person has answered so far.

    What they said no to is asked about again, by whichever door it comes. In mode `auto` what needs nobody
    passes, by what was *found* of each thing that the call touches, as far as it is *clean* of text from
    outside.
    """
    if stand.denied and mode in ("accept-edits", "auto") and not isinstance(verdict, Forbid):
        verdict = _reminded(verdict, ready)
    if mode != "auto":
        return verdict
    stand.counts = True
    if stand.demoted:
        return _told(verdict, stand)
    is_clean = clean or auto.is_clean_of_outside
    if isinstance(verdict, Ask) and is_clean(ready) and auto.needs_nobody(ready, verdict, found):
        verdict = ALLOW
    return _counted(verdict, stand)


def _reminded(verdict: Allow | Ask, ready: Ready) -> Verdict:
    """A question where the person said no before to what the call would do."""
    no = standing.earlier_no(ready)
    if not no:
        return verdict
    if isinstance(verdict, Ask):
        return replace(verdict, reason=f"{no}; {verdict.reason}", firm=True)
    return Ask(no, (f"again:{no}",), firm=True)


def _counted(verdict: Verdict, stand: Standing) -> Verdict:
    """Denials in a row are counted; the one that ends the mode says so."""
    if isinstance(verdict, Allow):
        stand.noes = 0
    if not isinstance(verdict, Forbid):
        return verdict
    standing.note_denial(stand)
    return replace(verdict, reason=f"{verdict.reason}; {standing.DEMOTED}") if stand.demoted else verdict


def _told(verdict: Verdict, stand: Standing) -> Verdict:
    """That the mode is over is told with the first question after it."""
    if stand.told or not isinstance(verdict, Ask):
        return verdict
    stand.told = True
    return replace(verdict, reason=f"{standing.DEMOTED}; {verdict.reason}")
