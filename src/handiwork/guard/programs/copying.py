"""Readers of programs that copy, move and link: the last operand is written, the others are read."""

from __future__ import annotations

import re

from ..places import is_disk, is_system, is_vital, sensitive
from ..shell.call import Call
from ..shell.marks import ENDLESS, FETCHED, SECRET, is_known, veiled
from .arguments import Arguments
from .notes import note_path
from .table_names import known_name

_IMAGE = re.compile(
    r"(?i)\.(?:img|iso|bin|raw|dat|qcow2|vdi|vmdk|swap)$|test|temp|tmp|fill|zero|swap|bench|disk|dummy" r"|sample|out"
)
_REMOTE = re.compile(r"(?:[\w.-]+@)?[\w.-]{2,}::?|\w+://")


def _target(arguments: Arguments) -> tuple[list[str], str]:
    """The sources, and what they go to."""
    given = arguments.of(("-t", "--target-directory"))
    if given:
        return arguments.operands, given[0]
    return (
        (arguments.operands[:-1], arguments.operands[-1]) if len(arguments.operands) > 1 else (arguments.operands, "")
    )


def read_cp(call: Call, arguments: Arguments) -> str:
    """`cp from to`."""
    sources, target = _target(arguments)
    read = "".join(call.shell.reads(source) for source in sources)
    if target:
        _arrives(call, sources, target, read)
    return ""


def _arrives(call: Call, sources: list[str], target: str, read: str = "") -> None:
    """Something is put at *target*: it may empty it, and it may be a program under a new name."""
    if sources == ["/dev/null"]:
        note_path(call, "truncate", target)
        return
    inner = (
        target.rstrip("/") + "/" + sources[0].rpartition("/")[2] if target.endswith(("/", "/.")) and sources else target
    )
    note_path(call, "write", inner)
    if len(sources) == 1 and is_known(inner):
        source = sources[0]
        text = call.shell.content(source)
        if text is not None:
            call.shell.files[call.shell.resolve(inner)] = text
        elif SECRET in read:
            call.shell.files[call.shell.resolve(inner)] = read
        elif known_name(source.rpartition("/")[2]) and "/" in source:
            call.shell.aliases[call.shell.resolve(inner)] = source


def read_mv(call: Call, arguments: Arguments) -> str:
    """`mv from to`: the sources are gone from where they were."""
    sources, target = _target(arguments)
    for source in sources:
        note_path(call, "move_away", source)
    if target == "/dev/null":
        for source in sources:
            note_path(call, "delete_tree", source)
    elif target:
        _arrives(call, sources, target)
    return ""


def read_ln(call: Call, arguments: Arguments) -> str:
    """`ln from to`: a link to a secret or a disk is one more door to it."""
    sources, target = _target(arguments)
    read = "".join(call.shell.reads(source) for source in sources)
    if target:
        _arrives(call, sources, target, read)
    return ""


def read_install(call: Call, arguments: Arguments) -> str:
    """`install [-m mode] from to`."""
    for mode in arguments.of(("-m", "--mode")):
        if re.fullmatch(r"[4267]\d{3}", mode) or re.search(r"[ug]\+?=?[rwx]*s", mode):
            call.effect("setuid", " ".join(arguments.operands))
    if arguments.has(("-d", "--directory")):
        for path in arguments.operands:
            note_path(call, "write", path)
        return ""
    return read_cp(call, arguments)


def read_dd(call: Call, _arguments: Arguments) -> str:
    """`dd if=from of=to`: without a count it fills what it writes."""
    said = dict(a.split("=", 1) for a in call.args if "=" in a)
    target, source = said.get("of", ""), said.get("if", "")
    text = call.text_of(source) if source else call.stdin
    if target:
        full = call.shell.resolve(target)
        endless = source in ("/dev/zero", "/dev/urandom", "/dev/random")
        if source == "/dev/null" or (endless and not _IMAGE.search(target)) or (not source and text == ""):
            note_path(call, "truncate", target)
        else:
            note_path(call, "write", target)
        call.shell.write(target, text)
        if full.startswith("/dev/") and not is_disk(full) and not is_system(full):
            call.effect("device", full)
        if endless and "count" not in said and not full.startswith("/dev/"):
            call.effect("fill", full)
        return ""
    if source:
        return veiled(text.replace(ENDLESS, "") if text and "count" in said else text)
    return text or ""


def read_rsync(call: Call, arguments: Arguments) -> str:
    """`rsync from to`, `scp from to`: to another machine it sends, `--delete` takes away what isn't in the source."""
    for text in arguments.of(("-e", "--rsh", "--rsync-path", "-S", "-o")):
        _runs_shell(call, text)
    sources, target = _target(arguments)
    remote = bool(_REMOTE.match(target))
    for source in sources:
        _sends(call, source, target, remote=remote)
    if target and not remote:
        note_path(call, "write", target)
        if any(_REMOTE.match(s) for s in sources):
            call.shell.write(target, FETCHED)
    if (
        target
        and any(name.startswith("--del") for name, _ in arguments.options)
        and not arguments.has(("-n", "--dry-run"))
    ):
        _deletes(call, target, remote=remote)
    if arguments.has(("--remove-source-files",)):
        for source in sources:
            note_path(call, "delete", source)
    return veiled(call.stdin)


def _sends(call: Call, source: str, target: str, *, remote: bool) -> None:
    """One source of a copy: to another machine it leaves this one."""
    full = call.shell.resolve(source)
    if _REMOTE.match(source):
        return
    if remote and (sensitive(full) or SECRET in (call.shell.content(source) or "")):
        call.effect("leak", target)
    elif remote and is_vital(full, call.shell.home):
        call.effect("send_file", source)
    else:
        call.shell.reads(source)


def _deletes(call: Call, target: str, *, remote: bool) -> None:
    if remote:
        call.effect("discard", f"what isn't in the source at {target}")
    else:
        note_path(call, "delete_tree", target.rstrip("/") or "/")


def _runs_shell(call: Call, text: str) -> None:
    command = re.sub(r"^\s*ProxyCommand[= ]\s*", "", text)
    if command != text or not re.match(r"\s*(?:ssh|rsh|sudo rsync|rsync)\b|[\w]+=", text):
        call.runs(command)
