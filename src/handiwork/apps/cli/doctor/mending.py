"""`handiwork doctor --fix`: what can be mended safely is shown, asked about, done, and told."""

from __future__ import annotations

from collections.abc import Iterable

from ....core.errors import HandiworkError
from ..asking import is_attended, read_line
from ..output import Output, printable
from .finding import Finding, Mend


def mend_all(findings: Iterable[Finding], out: Output, *, yes: bool) -> list[dict[str, str]]:
    """Go through what can be mended; what became of each."""
    return [_row(finding, finding.mend, out, yes=yes) for finding in findings if finding.mend]


def _row(finding: Finding, mend: Mend, out: Output, *, yes: bool) -> dict[str, str]:
    out.note(printable(f"{finding.name}: {finding.detail}\n  would do: {mend.what}"))
    if not _may(mend, yes=yes):
        done = "left as it is" + (": this needs an answer at a terminal" if mend.careful and not is_attended() else "")
    else:
        done = _done(mend)
    out.note(printable(f"  {done}"))
    return {"name": finding.name, "would": mend.what, "done": done}


def _may(mend: Mend, *, yes: bool) -> bool:
    if yes and not mend.careful:
        return True
    if not is_attended():
        return False
    try:
        return read_line("  Do it? (y = yes, Enter = no) ").strip().lower() in ("y", "yes")
    except EOFError:
        return False


def _done(mend: Mend) -> str:
    try:
        return mend.do()
    except (OSError, HandiworkError) as error:
        return f"couldn't: {error}"
