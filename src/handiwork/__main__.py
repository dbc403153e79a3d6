"""`python -m handiwork`, and the `handiwork` and `hw` commands."""

from __future__ import annotations

import sys

from . import __version__
from .core.loading import load


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    words = sys.argv[1:] if argv is None else argv
    if words in (["--version"], ["-V"]):
        print(f"handiwork {__version__}")
        return 0
    try:
        code: int = load("handiwork.apps.cli.main:main")(words)
    except KeyboardInterrupt:  # before the command line listens
        return 130
    return code


if __name__ == "__main__":
    sys.exit(main())
