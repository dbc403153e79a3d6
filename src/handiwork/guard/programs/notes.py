"""Noting what a call does to paths and other things."""

from __future__ import annotations

import os
from dataclasses import replace

from ..command_policy import PATH_KINDS, Grounds, ruling
from ..shell.call import Call
from ..shell.session import Shell


def note(call: Call, kind: str, found: list[str], why: str = "") -> None:
    """Note one effect for each thing that it is done to; an empty one stands for the command as a whole."""
    for target in found:
        if kind in PATH_KINDS:
            note_path(call, kind, target)
        else:
            call.effect(kind, target or described(call), why)


def note_path(call: Call, kind: str, path: str) -> None:
    """Note an effect on a path; what the command made itself is its own, to throw away as it likes."""
    shell, made = call.shell, call.shell.made
    follows = kind not in ("delete", "move_away") and (kind != "delete_tree" or path.endswith("/"))
    full = shell.lands(path) if follows else shell.resolve(path)
    if full + "/" in made or (kind in ("delete", "truncate") and full in made):
        kind = "own" if kind in ("delete", "delete_tree", "truncate") else kind
    if kind in ("delete", "delete_tree") and full in shell.encrypted:
        kind = "shred"
    call.effect(kind, full)
    if kind in ("write", "append"):
        made.add(full)


def note_folder(call: Call, path: str, *, fetched: bool = False) -> None:
    """A folder that the command makes; its own only if it wasn't there before."""
    full = call.shell.resolve(path)
    if fetched:
        call.shell.fetched.add(full + "/")
    call.effect("write", full)
    if not os.path.isabs(full) or not os.path.lexists(full):
        call.shell.made.add(full + "/")


def described(call: Call) -> str:
    """The program and its first words, for people."""
    return " ".join([call.name, *call.args[:4]])[:80]


def is_harmless(words: list[str], shell: Shell) -> bool:
    """Whether a program with these arguments would be allowed, if it ran here."""
    trial = replace(shell, effects={}, variables=dict(shell.variables), files=dict(shell.files), made=set(shell.made))
    trial.engine.run_words(trial, words)
    grounds = Grounds(shell.home, shell.cwd, shell.workspace)
    return all(ruling(effect, grounds).action == "allow" for effect in trial.effects)
