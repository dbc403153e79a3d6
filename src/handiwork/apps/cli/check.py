"""`handiwork check`: whether what is stored is still what was written, and its repair."""

from __future__ import annotations

import os
from argparse import Namespace

from ...core.loading import Late
from ..house import default
from ..sessions import store_path
from .output import Output
from .parsing import Parser

checking = Late("handiwork.backends.storage.checking")
repairing = Late("handiwork.backends.storage.repairing")
EXAMPLES = """\
examples:
  handiwork check
  handiwork check --repair
"""


def configure(parser: Parser) -> None:
    """Flags of `handiwork check`."""
    parser.epilog = EXAMPLES
    parser.add_argument("--repair", action="store_true", help="mend what is found; the old files are set aside")


def run(said: Namespace, out: Output) -> int:
    """Look at sessions.db and the files of its sessions. Exit code 1 where something is, and stays, damaged."""
    path = store_path(default())
    damages = checking.find_damage(path) if os.path.exists(path) else []
    done = repairing.repair(path, damages) if said.repair and damages else []
    left = checking.find_damage(path) if done else damages
    document = {
        "file": path,
        "damages": [{"where": d.where, "what": d.what} for d in damages],
        "repairs": done,
        "left": [{"where": d.where, "what": d.what} for d in left],
    }
    lines = [f"✗ {d.where}: {d.what}" for d in damages] or ["✓ everything stored is whole"]
    lines += [f"  repaired: {what}" for what in done]
    if damages and not said.repair:
        lines.append("  mend it: handiwork check --repair")
    out.show(document, lines)
    return int(bool(left))
