"""Readers of archivers: where they unpack to, what they pack, and the programs that they can be told to run."""

from __future__ import annotations

import re

from ..places import sensitive
from ..shell.call import Call
from ..shell.marks import SECRET, veiled
from .arguments import Arguments
from .notes import note_path

_TAR_VALUES = frozenset(
    [
        "-f",
        "--file",
        "-C",
        "--directory",
        "-I",
        "--use-compress-program",
        "-F",
        "--info-script",
        "--checkpoint-action",
        "--to-command",
        "-T",
        "--files-from",
        "-X",
        "--exclude-from",
        "--exclude",
        "--transform",
        "--xform",
        "--rsh-command",
        "--rmt-command",
        "--strip-components",
        "-g",
        "-b",
        "-H",
        "--format",
        "--owner",
        "--group",
        "--mode",
        "--mtime",
        "-K",
        "-N",
        "-V",
        "-L",
        "--new-volume-script",
    ]
)
_TAR_RUNS = (
    "-I",
    "--use-compress-program",
    "--to-command",
    "-F",
    "--info-script",
    "--new-volume-script",
    "--rsh-command",
)


def read_tar(call: Call, _arguments: Arguments) -> str:
    """`tar -x|-c|-t ...`, also in the old form without a hyphen."""
    args = list(call.args)
    if args and re.fullmatch(r"[A-Za-z]{1,12}", args[0]):
        args[0] = "-" + args[0]
    arguments = Arguments(_in_order(args), _TAR_VALUES)
    for text in arguments.of(_TAR_RUNS):
        call.runs(text)
    for action in arguments.of(("--checkpoint-action",)):
        if action.startswith("exec="):
            call.runs(action[5:].strip("'\""))
    letters = "".join(name[1:] for name, _ in arguments.options if name[:2] != "--")
    files = arguments.of(("-f", "--file"))
    folder = (arguments.of(("-C", "--directory")) or ["."])[-1]
    if "x" in letters or arguments.has(("--extract", "--get")):
        return _unpacks(call, arguments, folder)
    if "c" in letters or "r" in letters or "u" in letters or arguments.has(("--create", "--append", "--update")):
        return _packs(call, arguments, files[-1] if files else "-", folder)
    return veiled(call.stdin)


def _in_order(args: list[str]) -> list[str]:
    """Old clusters name their values after the cluster: `f` is put last, so that it takes the next argument."""
    first = args[0] if args else ""
    if re.fullmatch(r"-[A-Za-z]{2,12}", first) and "f" in first and not first.endswith("f"):
        return [first.replace("f", "") + "f", *args[1:]]
    return args


def _unpacks(call: Call, arguments: Arguments, folder: str) -> str:
    if not arguments.has(("-O", "--to-stdout")):
        note_path(call, "write", folder)
    if arguments.has(("-P", "--absolute-names")):
        call.effect("run_other", "it unpacks to wherever the archive says")
    return veiled(call.stdin)


def _packs(call: Call, arguments: Arguments, file: str, folder: str) -> str:
    base = "" if folder == "." else folder.rstrip("/") + "/"
    packed = "".join(call.shell.reads(base + source) for source in arguments.operands)
    if any(sensitive(call.shell.resolve(base + source)) for source in arguments.operands):
        packed += SECRET
    if arguments.has(("--remove-files",)):
        for source in arguments.operands:
            note_path(call, "delete_tree", base + source)
    if file not in ("-", "/dev/null"):
        note_path(call, "write", file)
        call.shell.write(file, veiled(packed))
    return veiled(packed)


def read_unzip(call: Call, arguments: Arguments) -> str:
    """`unzip archive -d folder`, and its kin."""
    given = [*arguments.of(("-d", "-C", "--output-directory")), *(v[2:] for v in call.args if re.match(r"-o[./\w]", v))]
    if not arguments.has(("-l", "-p", "-t", "-Z", "-v", "-c")) and call.args[:1] not in (["l"], ["t"]):
        for folder in given or ["."]:
            note_path(call, "write", folder)
    return veiled(call.stdin)


def read_zip(call: Call, arguments: Arguments) -> str:
    """`zip archive files`: `-TT` names a program that tests the archive, `-m` moves the files into it."""
    for text in arguments.of(("-TT", "--unzip-command")):
        call.runs(text)
    packed = "".join(call.shell.reads(source) for source in arguments.operands[1:])
    for source in arguments.operands[1:]:
        if arguments.has(("-m", "--move")):
            note_path(call, "delete_tree", source)
    if arguments.operands and arguments.operands[0] != "-":
        note_path(call, "write", arguments.operands[0])
        call.shell.write(arguments.operands[0], veiled(packed))
    return veiled(call.stdin)
