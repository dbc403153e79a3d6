"""The examples of the documentation, run as a reader would run them.

In a page, ```console blocks are commands (`$ `) with what they print; `...` stands for any text. Nothing
shown means that only the exit code counts, which must be 0. ```python blocks of a page run together in one
program, after its commands; a `print` with a comment behind or below it must print that. A comment before a block may
say `file: PATH` (the block is that file's content) or `not run: REASON`. A page that says `in a clone` gets a
copy of the sources to work in.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).resolve().parents[2]
PAGES = [str(p.relative_to(ROOT)) for p in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")))]
_BLOCK = re.compile(
    r"(?:^<!-- (?P<order>file|not run): (?P<word>.+?) -->\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.M | re.S
)
_PRINTED = re.compile(r"^ *print\(.*\)(?:  |\n *)# (.*)$", re.M)
_MARK = "--8<--"


@dataclass(frozen=True)
class Block:
    """One fenced block: what kind, where it stands, and what the comment before it says."""

    kind: str
    text: str
    line: int
    order: str = ""
    word: str = ""


@dataclass(frozen=True)
class Step:
    """One command and what the page says that it prints; None where nothing is shown."""

    command: str
    shown: str | None


def blocks_of(text: str) -> list[Block]:
    return [
        Block(m["kind"], m["text"], text.count("\n", 0, m.start("text")), m["order"] or "", m["word"] or "")
        for m in _BLOCK.finditer(text)
    ]


def steps_of(text: str) -> Iterator[Step]:
    """Commands begin with `$ ` and go on with `> `; what follows is their output."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        lines = part.splitlines()
        words = [lines.pop(0)]
        while lines and lines[0].startswith("> "):
            words.append(lines.pop(0)[2:])
        yield Step("\n".join(words), "\n".join(lines).strip("\n") if lines else None)


def matches(shown: str, printed: str) -> bool:
    """Whether *printed* is what was *shown*, `...` standing for any text and a line of it for any lines."""
    pattern = re.escape("\n".join(line.rstrip() for line in shown.splitlines())).replace(r"\.\.\.", ".*?")
    plain = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, plain, re.S) is not None


class Machine:
    """A new user's machine: an empty home, a folder to work in, and `handiwork` on PATH."""

    def __init__(self, folder: Path) -> None:
        self.home, self.work, commands = folder / "home", folder / "work", folder / "bin"
        for made in (self.home, self.work / ".handiwork", commands):
            made.mkdir(parents=True)
        for name, words in (("handiwork", "-m handiwork"), ("python", "")):
            (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
            (commands / name).chmod(0o755)
        path = os.pathsep.join((str(commands), os.environ.get("PATH", os.defpath)))
        self.environment = {"PATH": path, "HOME": str(self.home), "PYTHONPATH": str(ROOT / "src"), "LANG": "C.UTF-8"}
        self.environment["PYTHONUNBUFFERED"] = "1"  # as on a terminal, where output comes in the order of printing

    def clone(self) -> None:
        """Work in a copy of the sources, as a contributor does."""
        for name in ("src", "examples", "tests/conftest.py", "pyproject.toml"):
            source, copy = ROOT / name, self.work / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, copy)
        self.environment["PYTHONPATH"] = str(self.work / "src")

    def write(self, name: str, text: str) -> None:
        path = Path(name.replace("~", str(self.home), 1)) if name.startswith("~") else self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def bash(self, commands: list[str]) -> list[tuple[str, int]]:
        """What each command prints on either stream, and its exit code. They share one shell."""
        script = "".join(f'{c}\nrc=$?; printf "\\n{_MARK}%s\\n" $rc; (exit $rc)\n' for c in commands)
        said = self._run(["bash", "-c", f"exec 2>&1\n{script}"])
        parts = re.split(rf"\n{_MARK}(\d+)\n", said.stdout)
        return [(printed, int(code)) for printed, code in zip(parts[::2], parts[1::2], strict=False)]

    def python(self, source: str, name: str) -> subprocess.CompletedProcess[str]:
        (self.work / name).write_text(source)
        return self._run([sys.executable, name])

    def _run(self, command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def run_commands(machine: Machine, block: Block) -> None:
    steps = list(steps_of(block.text))
    ended = machine.bash([step.command for step in steps])
    assert len(ended) == len(steps), f"line {block.line}: the shell ended early"
    for step, (printed, code) in zip(steps, ended, strict=True):
        if step.shown is None:
            assert code == 0, f"$ {step.command}\n{printed}"
        else:
            assert matches(step.shown, printed), f"$ {step.command}\n{printed}\n--- but the page shows\n{step.shown}"


def program_of(page: str, blocks: list[Block]) -> str:
    """The page's Python with everything else left empty, so that a line has its number in the page."""
    lines = [""] * (page.count("\n") + 1)
    for block in blocks:
        lines[block.line : block.line + block.text.count("\n")] = block.text.splitlines()
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_the_page_do_what_it_says(page: str, machine: Machine) -> None:
    text = (ROOT / page).read_text()
    blocks = [b for b in blocks_of(text) if b.order != "not run"]
    if "<!-- in a clone -->" in text:
        machine.clone()
    for block in blocks:
        if block.order == "file":
            machine.write(block.word, block.text)
        elif block.kind == "console":
            run_commands(machine, block)
    source = program_of(text, [b for b in blocks if b.kind == "python" and not b.order])
    if source.strip():
        ran = machine.python(source, Path(page).name.replace(".md", ".py"))
        assert ran.returncode == 0, ran.stderr
        assert matches("\n".join(_PRINTED.findall(source)), ran.stdout), ran.stdout


@pytest.mark.parametrize("page", PAGES)
def test_every_command_is_shown_as_one(page: str) -> None:
    for block in blocks_of((ROOT / page).read_text()):
        if block.kind == "console":
            assert block.text.startswith("$ "), f"{page}:{block.line + 1}"


def test_an_example_that_is_wrong_is_noticed(machine: Machine) -> None:
    wrong = Block("console", "$ handiwork --version\nhandiwork 9.9.9\n", 1)
    with pytest.raises(AssertionError, match="but the page shows"):
        run_commands(machine, wrong)
    silent = Block("console", "$ handiwork nosuch\n", 1)
    with pytest.raises(AssertionError, match="unknown command"):
        run_commands(machine, silent)


def test_dots_stand_for_any_text_and_nothing_else_does() -> None:
    assert matches("a ... c\n...\nend", "a b c\nx\ny\nend\n")
    assert not matches("a ... c", "a b d")
    assert not matches("a", "a\nb")
