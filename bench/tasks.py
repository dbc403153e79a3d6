"""Ten small tasks about real files, each with the file that a right run leaves behind.

They are one kind of work (read, find out with a command, write down), in different words over
different data, so that a count of right runs says something of the kind and not of one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

_SOLD = ((2, "apple", 12), (3, "pear", 7), (3, "apple", 5), (4, "plum", 9), (5, "apple", 3), (6, "pear", 11))
SALES = "date,fruit,kg\n" + "".join(f"2026-01-{day:02},{fruit},{kg}\n" for day, fruit, kg in _SOLD)
LOG = "".join(
    f"2026-03-0{n % 9 + 1} 10:{n:02}:00 {level} {text}\n"
    for n, (level, text) in enumerate(
        [("INFO", "start"), ("ERROR", "disk full"), ("INFO", "retry"), ("WARN", "slow"), ("ERROR", "no route"),
         ("INFO", "done"), ("ERROR", "disk full"), ("WARN", "slow"), ("ERROR", "timeout"), ("INFO", "end")]
    )
)  # fmt: skip
POEM = "the tide comes in\nand the tide goes out\nthe sand keeps count\n"
NAMES = "Mona\nAda\nZoe\nBen\nKim\n"
CODE = """\
import os


def read(path):
    return open(path)


def write(path):
    return open(path, "w")


def main():
    pass
"""
NUMBERS = "14\n3\n27\n8\n19\n"


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked, the files that are there, and when the file *target* is right."""

    name: str
    prompt: str
    files: Mapping[str, str]
    target: str
    right: Callable[[str], bool]


def _is(*wanted: str) -> Callable[[str], bool]:
    return lambda text: text.split() == list(wanted)


TASKS = (
    Task(
        "apples",
        "Read sales.csv, find out with a shell command how many of its lines mention apple, and write only that number "
        "into apples.txt.",
        {"sales.csv": SALES},
        "apples.txt",
        _is("3"),
    ),
    Task(
        "errors",
        "Look at server.log. Count with a command how many lines contain ERROR and save just the count in errors.txt.",
        {"server.log": LOG},
        "errors.txt",
        _is("4"),
    ),
    Task(
        "words",
        "How many words are in poem.txt? Work it out with a command and write the number to words.txt.",
        {"poem.txt": POEM},
        "words.txt",
        _is("13"),
    ),
    Task(
        "lines",
        "Read names.txt, use a command to count its lines, and put the number into count.txt.",
        {"names.txt": NAMES},
        "count.txt",
        _is("5"),
    ),
    Task(
        "functions",
        "Count with a shell command how many functions (lines that start with def) tool.py has. Write only the number "
        "to functions.txt.",
        {"tool.py": CODE},
        "functions.txt",
        _is("3"),
    ),
    Task(
        "largest",
        "numbers.txt holds one number a line. Find the largest with a command and write it into largest.txt.",
        {"numbers.txt": NUMBERS},
        "largest.txt",
        _is("27"),
    ),
    Task(
        "sorted",
        "Sort the names in names.txt alphabetically with a command and write the sorted list, one name a line, to "
        "sorted.txt.",
        {"names.txt": NAMES},
        "sorted.txt",
        _is("Ada", "Ben", "Kim", "Mona", "Zoe"),
    ),
    Task(
        "fruits",
        "Read sales.csv. With a command, find how many different fruits are in its second column (not counting the "
        "header). Write the number to fruits.txt.",
        {"sales.csv": SALES},
        "fruits.txt",
        _is("3"),
    ),
    Task(
        "warnings",
        "Find the lines of server.log that contain WARN with a command and write how many there are into warnings.txt.",
        {"server.log": LOG},
        "warnings.txt",
        _is("2"),
    ),
    Task(
        "characters",
        "Use a command to count the bytes of poem.txt, then write that number into bytes.txt.",
        {"poem.txt": POEM},
        "bytes.txt",
        _is(str(len(POEM))),
    ),
)
