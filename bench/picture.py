"""The picture of a run in the README: a real run's transcript, drawn as SVG.

    python bench/picture.py          draw docs/picture.svg from docs/picture.ansi
    python bench/picture.py --run    run the task with a local model first and keep its transcript

The same transcript always gives the same bytes.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).resolve().parents[1] / "docs"
TRANSCRIPT, PICTURE = DOCS / "picture.ansi", DOCS / "picture.svg"
MODEL = os.environ.get("MODEL", "local/qwen2.5-coder-1.5b")
TASK = (
    "Read sales.csv, find out with a shell command how many of its lines mention apple, "
    "and write only that number into apples.txt."
)
SALES = "date,fruit,kg\n2026-01-02,apple,12\n2026-01-03,pear,7\n2026-01-03,apple,5\n2026-01-04,plum,9\n"

COLUMNS, CHAR, LINE, MARGIN, BAR = 112, 7.8, 19, 20, 36
COLOURS = {"32": "#7ee787", "31": "#ff7b72", "33": "#e3b341", "36": "#79c0ff", "2": "#8b949e", "1": "#ffffff"}
PLAIN, BACKGROUND = "#e6edf3", "#161b22"
FONTS = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"
_COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
_OTHER_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-ln-z]|[\x00-\x08\x0b-\x1a\x1c-\x1f]")

Run = tuple[str, str]  # a colour and the text in it


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true", help="run the task anew, with a local model that is here")
    if parser.parse_args().run:
        TRANSCRIPT.write_text(record(), encoding="utf-8")
    PICTURE.write_text(draw(TRANSCRIPT.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{PICTURE.relative_to(DOCS.parent)} is drawn")


# ----------------------------------------------------------------------------------------- recording


def record() -> str:
    """What a person sees on a terminal who runs the task and looks at what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "sales.csv").write_text(SALES, encoding="utf-8")
        Path(folder, ".handiwork").mkdir()
        options = ["--model", MODEL, "--toolsets", "file,terminal"]
        ran = on_terminal([sys.executable, "-m", "handiwork", "run", TASK, *options], folder)
        left = on_terminal(["cat", "apples.txt"], folder)
    return f'$ handiwork run "{TASK}"\n{ran}$ cat apples.txt\n{left}\n'.replace("\r\n", "\n")


def on_terminal(command: list[str], folder: str) -> str:
    """The output of *command* on a terminal of its own, colours included."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color"}
    child = subprocess.Popen(command, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    output = b"".join(_read(master))
    os.close(master)
    if child.wait():
        raise SystemExit(f"{command[0]} ended with {child.returncode}:\n{output.decode(errors='replace')}")
    return output.decode("utf-8", "replace")


def _read(master: int) -> Iterator[bytes]:
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # how Linux says that the other end of a terminal is closed
            return
        if not block:
            return
        yield block


# ------------------------------------------------------------------------------------------- drawing


def draw(transcript: str) -> str:
    """The transcript as an SVG document."""
    lines = [piece for line in transcript.rstrip("\n").split("\n") for piece in wrapped(runs_of(line))]
    width, height = round(COLUMNS * CHAR + 2 * MARGIN), BAR + len(lines) * LINE + MARGIN
    body = "\n".join(_text(line, BAR + (n + 1) * LINE) for n, line in enumerate(lines))
    dots = "".join(f'<circle cx="{MARGIN + 18 * n}" cy="18" r="5" fill="#30363d"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="A terminal: handiwork run does a task with tools">\n'
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACKGROUND}"/>\n{dots}\n'
        f'<g font-family="{FONTS}" font-size="13" fill="{PLAIN}" xml:space="preserve">\n{body}\n</g>\n</svg>\n'
    )


def runs_of(line: str) -> list[Run]:
    """The pieces of a line, each with its colour."""
    pieces = _COLOUR.split(_OTHER_CONTROL.sub("", line))
    first = "#ffffff" if line.startswith("$ ") else PLAIN
    colours = [first, *(COLOURS.get(code, PLAIN) for code in pieces[1::2])]
    return [(colour, text) for colour, text in zip(colours, pieces[::2], strict=True) if text]


def wrapped(runs: list[Run]) -> Iterator[list[Run]]:
    """Lines of at most so many columns, broken at a blank where there is one."""
    while sum(len(text) for _, text in runs) > COLUMNS:
        whole = "".join(text for _, text in runs)
        end = whole.rfind(" ", COLUMNS // 2, COLUMNS) + 1 or COLUMNS
        before, after = _cut(runs, end)
        yield before
        runs = [(PLAIN, "  "), *after]
    yield runs


def _cut(runs: list[Run], at: int) -> tuple[list[Run], list[Run]]:
    before: list[Run] = []
    after: list[Run] = []
    for colour, text in runs:
        before += [(colour, text[:at])] if text[:at] else []
        after += [(colour, text[at:])] if text[at:] else []
        at = max(0, at - len(text))
    return before, after


def _text(runs: list[Run], y: int) -> str:
    """Each run stands at its own column, so that a font of another width shifts nothing."""
    parts, column = [], 0
    for colour, text in runs:
        fill = "" if colour == PLAIN else f' fill="{colour}"'
        parts.append(f'<tspan x="{MARGIN + column * CHAR:g}"{fill}>{escape(text)}</tspan>')
        column += len(text)
    return f'<text y="{y}">{"".join(parts)}</text>'


if __name__ == "__main__":
    main()
