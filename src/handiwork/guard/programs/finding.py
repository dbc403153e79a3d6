"""Readers of `find` and its kin: what they do to what they find."""

from __future__ import annotations

import itertools
from typing import Final

from ..places import secret
from ..shell.call import Call
from ..shell.marks import veiled
from .arguments import Arguments
from .notes import note_path

_RUNS: Final = frozenset(("-exec", "-execdir", "-ok", "-okdir"))
_WRITES: Final = frozenset(("-fprint", "-fprint0", "-fprintf", "-fls"))
_NARROWS: Final = frozenset(
    ("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-lname", "-empty")
)
_PROGRAM_END: Final = frozenset((";", "+", "\\;"))
_SPARES: Final = frozenset(
    ("-mtime", "-mmin", "-ctime", "-atime", "-size", "-newer", "-user", "-perm", "-inum", "-links")
)


def read_find(call: Call, _arguments: Arguments) -> str:
    """`find roots tests actions`: `-delete` and `-exec` are done to what the tests leave of the roots."""
    args = call.args
    first = next(
        (i for i, a in enumerate(args) if a[:1] in ("-", "(", "!") and a not in ("-L", "-H", "-P", "-O3")), len(args)
    )
    roots = [a for a in args[:first] if not a.startswith("-")] or ["."]
    found = _what_is_found(args[first:], roots)
    for path in found:
        if (
            path.startswith(("/", call.shell.home))
            and secret(path)
            and path.rpartition("/")[0].rstrip("/") in ("", call.shell.home, "/home", "/root", "/etc")
        ):
            call.effect("read_secret", path, f"it looks for secrets: {path}")
    for at in range(first, len(args)):
        word = args[at]
        if (
            word == "-perm"
            and any(sign in "".join(args[at + 1 : at + 2]) for sign in ("4000", "u=s", "6000", "2000", "u+s"))
            and "/" in roots
        ):
            call.effect("read_secret", "/", "it looks for programs with another user's rights")
        if word == "-delete":
            for path in found:
                _delete(call, path)
        elif word in _RUNS:
            end = next((i for i in range(at + 1, len(args)) if args[i] in _PROGRAM_END), len(args))
            _run(call, args[at + 1 : end], found)
        elif word in _WRITES and at + 1 < len(args):
            note_path(call, "write", args[at + 1])
    return "\n".join(found) + "\n"


def _what_is_found(tests: list[str], roots: list[str]) -> list[str]:
    """Paths that stand for what is found: the roots with a pattern below, or the roots and everything in them."""
    names = [b for a, b in itertools.pairwise(tests) if a in _NARROWS and a != "-empty"]
    if "-empty" in tests and not names:
        return [f"{root}/empty.tmp" for root in roots]
    if not names:
        narrowed = any(t in _SPARES or t in {"-maxdepth", "-type"} for t in tests)
        return [f"{root}/*?" if narrowed else root for root in roots]
    return [f"{root}/{name.lstrip('/').removeprefix('./')}" for root in roots for name in names[:8]]


def _delete(call: Call, path: str) -> None:
    note_path(call, "delete_tree", path)


def _run(call: Call, words: list[str], found: list[str]) -> None:
    """The program once for each thing that stands for what is found."""
    for path in found[:6]:
        call.runs_words([word.replace("{}", path) for word in words], stdin="")


def read_fd(call: Call, arguments: Arguments) -> str:
    """`fd pattern -x program`."""
    for flag in ("-x", "--exec", "-X", "--exec-batch"):
        if flag in call.args:
            words = call.args[call.args.index(flag) + 1 :]
            if not any("{}" in w for w in words):
                words = [*words, "{}"]
            roots = arguments.operands[1:2] or ["."]
            endings = [f"*.{e}" for e in arguments.of(("-e", "--extension"))]
            names = endings or [f"*{o}*" for o in arguments.operands[:1]] or ["*?"]
            _run(call, words, [f"{roots[0]}/{name}" for name in names])
            break
    return veiled()
