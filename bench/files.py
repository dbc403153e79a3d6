"""Milliseconds of reading and writing files, ours beside plain ways and the anchor's: `python bench/files.py`.

Wall time, the median of a number of calls in one process, through the whole line of a call (repair, guard,
handler, limits) on either side. The files lie in a temporary folder; the one of 5 GB is sparse.
The anchor is measured where its environment is built already (`python bench/spine.py` builds it) or with --anchor.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import environments

REPOSITORY = Path(__file__).resolve().parents[1]
READS = ("1 KB", "1 MB", "5 GB sparse", "10 MB in one line")
WRITES = {"1 KB": 1_000, "1 MB": 1_000_000}
LINE = "a line of text as it stands in a log or in a program, more or less\n"
PAGE = 60_000

Figures = dict[str, float]
Read = Callable[[str], str]
Write = Callable[[str, str], str]


def lay_out(folder: Path) -> None:
    """The files that are read."""
    (folder / "1 KB").write_text((LINE * 20)[:1_000])
    (folder / "1 MB").write_text((LINE * 20_000)[:1_000_000])
    with (folder / "5 GB sparse").open("w") as file:
        file.write(LINE * 5_000)
        file.truncate(5 << 30)
    (folder / "10 MB in one line").write_text("x" * 10_000_000)


def measure(read: Read, write: Write, folder: Path) -> Figures:
    """Every row once; a read must give text, a write the right bytes."""
    figures = {}
    for name in READS:
        path = str(folder / name)
        start = ("x" if "one line" in name else LINE)[:40]
        assert start in read(path), f"{name}: the text isn't in the answer"
        figures[f"read {name}"] = _median_ms(lambda path=path: read(path), 5 if "5 GB" in name else 40)
    for name, size in WRITES.items():
        path, texts = folder / "written", [((mark + LINE) * size)[:size] for mark in "ab"]
        turn = iter(range(1_000_000))

        def change(path: Path = path, texts: list[str] = texts, turn: Iterator[int] = turn) -> str:
            return write(str(path), texts[next(turn) % 2])

        figures[f"write {name}"] = _median_ms(change, 20)
        assert path.read_text() in texts
    return figures


def _median_ms(work: Callable[[], object], calls: int) -> float:
    work()
    spent = []
    for _ in range(calls):
        started = time.perf_counter()
        work()
        spent.append((time.perf_counter() - started) * 1e3)
    return statistics.median(spent)


def ours(folder: Path) -> Figures:
    """Handiwork's tools, called as an embedder calls them."""
    sys.path.insert(0, str(REPOSITORY / "src"))
    call = importlib.import_module("handiwork").handle_function_call
    return measure(
        lambda path: json.loads(call("read_file", {"path": path}))["content"],
        lambda path, text: call("write_file", {"path": path, "content": text}),
        folder,
    )


def anchor(folder: Path) -> Figures:
    """The anchor's tools, called as its agent calls them; its memory of what was read is emptied before each call."""
    call = importlib.import_module("model_tools").handle_function_call
    forget = importlib.import_module("tools.file_tools").reset_file_dedup

    def read(path: str) -> str:
        forget()
        return str(call("read_file", {"path": path}))

    return measure(read, lambda path, text: call("write_file", {"path": path, "content": text}), folder)


def command(folder: Path) -> Figures:
    """`cat FILE | head`, and a shell that writes its input: what a model does without file tools."""

    def read(path: str) -> str:
        line = f"cat -- {json.dumps(path)} | head -c {PAGE}"
        return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True).stdout

    def write(path: str, text: str) -> str:
        subprocess.run(["sh", "-c", 'cat > "$0"', path], input=text, text=True, check=True)
        return path

    return measure(read, write, folder)


def plain(folder: Path) -> Figures:
    """`open` and no more: nothing is checked, nothing is safe from a kill."""

    def write(path: str, text: str) -> str:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(path: str) -> str:
        with open(path, encoding="utf-8") as file:
            return file.read(PAGE)

    return measure(read, write, folder)


SIDES: dict[str, Callable[[Path], Figures]] = {"ours": ours, "anchor": anchor, "command": command, "plain": plain}


def probe(side: str, python: str, folder: Path) -> Figures | str:
    """The figures of one side, taken in a process of its own; or the last words of one that failed."""
    home = folder / f"home-{side}"
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    environment |= {"HANDIWORK_HOME": str(home / "hw"), "HERMES_HOME": str(home / "hermes")}
    done = subprocess.run(
        [python, __file__, "--probe", side, str(folder)],
        capture_output=True, text=True, cwd=folder, env=environment, timeout=600, check=False,
    )  # fmt: skip
    if done.returncode:
        return done.stderr.strip()[-300:]
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def anchor_python(*, build: bool) -> str:
    """The anchor's interpreter; empty where it isn't built and shouldn't be."""
    if build:
        return str(environments.python_of(environments.ANCHOR))
    built = sorted(environments.cache_folder().glob(f"{environments.ANCHOR.distribution}-*/ready"))
    return str(built[0].parent / "bin" / "python") if built else ""


def main() -> int:
    """Measure all sides and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--anchor", action="store_true", help="build the anchor's environment if it isn't there")
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument("--probe", nargs=2, metavar=("SIDE", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.probe:
        side, where = options.probe
        print(json.dumps(SIDES[side](Path(where))))
        return 0
    pythons = dict.fromkeys(SIDES, sys.executable) | {"anchor": anchor_python(build=options.anchor)}
    with tempfile.TemporaryDirectory(prefix="bench-files-") as name:
        folder = Path(name)
        lay_out(folder)
        found = {side: probe(side, python, folder) for side, python in pythons.items() if python}
    show(found)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n")
    return 1 if isinstance(found["ours"], str) else 0


def show(found: dict[str, Figures | str]) -> None:
    """One row a task, one column a side, in milliseconds."""
    good = {side: figures for side, figures in found.items() if not isinstance(figures, str)}
    print(f"{'milliseconds':26}" + "".join(f"{side:>12}" for side in good))
    for row in next(iter(good.values()), {}):
        print(f"{row:26}" + "".join(f"{figures[row]:12.2f}" for figures in good.values()))
    for side, words in found.items():
        if isinstance(words, str):
            print(f"{side} failed: {words}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
