"""`handiwork replay`: an exported session once more, without model, tools or network."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import Any

from ...core.loading import Late
from ...core.wire import dumps
from ..house import default
from .output import Output, printable
from .parsing import Parser

playing = Late("handiwork.apps.replay")
EXAMPLES = """\
examples:
  handiwork sessions export last --output talk.jsonl
  handiwork replay talk.jsonl
  handiwork replay examples/*.jsonl
"""
_MOST = 160


def configure(parser: Parser) -> None:
    """Arguments of `handiwork replay`."""
    parser.epilog = EXAMPLES
    parser.add_argument("files", nargs="+", metavar="FILE", help="what `sessions export` wrote, as JSON lines")


def run(said: Namespace, out: Output) -> int:
    """Tell every call that would come out differently today. Exit code 1 where there is one."""
    recordings = {file: playing.read_recording(Path(file)) for file in said.files}
    played = {file: asyncio.run(playing.replay(default(), recording)) for file, recording in recordings.items()}
    calls = sum(map(len, played.values()))
    differences = [_difference(file, c) for file, compared in played.items() for c in compared if not c.same]
    same = calls - len(differences)
    lines = [f"{calls} calls, {same} as recorded"]
    for told in differences:
        where = f"{told['file']}: " if len(played) > 1 else ""
        lines.append(printable(f"✗ {where}{told['call']} {told['name']} {_short(told['arguments'])}"))
        lines += [printable(f"    {when}: {_short(': '.join(told[when]))}") for when in ("was", "now")]
    out.show({"calls": calls, "same": same, "differences": differences}, lines)
    return int(bool(differences))


def _difference(file: str, compared: Any) -> dict[str, Any]:
    call = compared.call
    return {
        "file": file,
        "call": call.id,
        "name": call.name,
        "arguments": call.arguments,
        "was": list(compared.was),
        "now": list(compared.now),
    }


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else dumps(value)
    return text if len(text) <= _MOST else f"{text[:_MOST]}…"
