"""`handiwork plugins trust`: what a project would run, shown before the person says yes to it."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator

from ...backends.trust.contents import Contents
from ...backends.trust.projects import ProjectTrust
from ...catalog.discovery import Found, Scanner
from ...core.errors import UsageError
from ..house import House
from .asking import is_attended, read_line
from .output import Output, printable
from .parsing import Parser

_DENIED = 5


def configure(parser: Parser) -> None:
    """The flags of `plugins trust`."""
    parser.add_argument("--yes", action="store_true", help="trust it without being asked")


def trust(house: House, said: Namespace, out: Output) -> int:
    """Show the plugins of the project in which we are; trust them as they are, if the person says so."""
    folder = house.project_plugins
    if not folder or not os.path.isdir(folder):
        raise UsageError("this project has no plugins", "they are looked for in .handiwork/plugins/ of a project")
    keeper = ProjectTrust(house.home)
    contents = keeper.folder(folder)
    run = [found for found in Scanner().scan(folder) if found.style != "none"]
    if keeper.holds(contents):
        out.show(_document(contents, run, trusted=True), [f"{folder} is trusted as it is (as it was)"])
        return 0
    if not out.json:
        for line in _shown(contents, run):
            out.note(printable(line))
    agreed = said.yes or (is_attended() and _asked())
    if agreed:
        keeper.trust(contents)
    done = "is trusted as it is now; a change of any of its files asks again"
    not_done = "is not trusted: nothing of it runs (`handiwork plugins trust --yes` says yes without a terminal)"
    out.show(_document(contents, run, trusted=agreed), [f"{folder} {done if agreed else not_done}"])
    return 0 if agreed else _DENIED


def _shown(contents: Contents, run: list[Found]) -> Iterator[str]:
    yield f"{contents.folder} (sha256 {contents.digest[:16]}...)"
    yield "these would run in this process, with your rights, at every start in this project:"
    for found in run:
        note = {"context": "register(ctx)", "unreadable": found.error}.get(found.style, "registers tools")
        yield f"  {os.path.relpath(found.path, contents.folder)}  {found.stamp[1]:,} bytes  {note}"
    others = sorted(set(contents.files) - {os.path.relpath(found.path, contents.folder) for found in run})
    if others:
        yield f"with these files beside them: {', '.join(others)}"


def _document(contents: Contents, run: list[Found], *, trusted: bool) -> dict[str, object]:
    return {
        "folder": str(contents.folder),
        "sha256": contents.digest,
        "runs": [os.path.relpath(found.path, contents.folder) for found in run],
        "files": sorted(contents.files),
        "trusted": trusted,
    }


def _asked() -> bool:
    try:
        return read_line("Trust them? (y = yes, Enter = no) ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
