"""What follows from an effect: allowed, asked about, refused. The table of kinds, and the rules for paths."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from .effects import Effect
from .places import (
    is_disk,
    is_product,
    is_source,
    is_system,
    is_temporary,
    is_vital,
    protected,
    starts_programs,
)
from .shell.marks import is_known, shown, without_marks
from .verdict import READING, Action
from .workspace import is_inside


class Ruling(NamedTuple):
    """An action and the sentence that says why."""

    action: Action
    reason: str = ""


ALLOWED: Final = Ruling("allow")


@dataclass(frozen=True, slots=True)
class Grounds:
    """Where a command stands: the home, the folder it runs in, and the workspace; empty where not known."""

    home: str
    cwd: str = ""
    workspace: str = ""

    def inner(self, path: str) -> str | None:
        """The path as seen from the workspace; None where it lies outside."""
        for folder in (self.workspace, self.cwd):
            if folder and is_inside(path, folder):
                return path[len(folder) :].strip("/") or "."
        if path.startswith(("/", "../")) or path == "..":
            return None
        return path


Judge: TypeAlias = Callable[[Effect, Grounds], Ruling]

# Every kind of effect: what follows from it, and the sentence ({0} is what it is done to).
_FORBIDDEN: Final = {
    "remote_shell": "it hands a shell on this machine to another one",
    "fork_bomb": "it starts copies of itself without end",
    "leak": "it sends secrets away to {0}",
    "power": "it stops or restarts the machine",
    "disk": "it writes over, formats or repartitions a disk ({0})",
    "account": "it changes the accounts of this machine ({0})",
    "kernel": "it changes the running kernel ({0})",
    "mining": "it mines coins",
    "kill_all": "it ends every process",
    "setuid": "it gives a program another user's rights ({0})",
    "fill": "it fills the disk or the memory without end",
    "unmount_root": "it takes the file system away",
}
_ASKED: Final = {
    "access": "it opens this machine or account to others ({0})",
    "cloud": "it destroys or changes something in a cloud ({0})",
    "container": "it destroys or opens up containers, volumes or clusters ({0})",
    "database": "it destroys or changes data in a database ({0})",
    "destroys": "it sounds like destroying something ({0})",
    "device": "it works on a device ({0})",
    "discard": "it throws away work that isn't kept elsewhere ({0})",
    "env_tamper": "it changes what other programs run or trust ({0})",
    "firewall": "it changes the firewall or the network ({0})",
    "hidden": "it hides what it runs ({0})",
    "kill": "it ends processes ({0})",
    "listen": "it opens this machine to the network ({0})",
    "log_wipe": "it wipes traces ({0})",
    "package_remote": "it installs from a place that isn't the usual one ({0})",
    "package_remove": "it removes software ({0})",
    "persistence": "it makes something run later, or at every start ({0})",
    "privilege": "it runs with the rights of another user ({0})",
    "publish": "it publishes something ({0})",
    "read_secret": "it reads a secret ({0})",
    "rewrite": "it rewrites or deletes shared history ({0})",
    "run_fetched_code": "it runs code that a server sends ({0})",
    "run_other": "it hands on a command of its own: {0}",
    "run_temporary": "it runs a program from a folder that anybody can write ({0})",
    "self": "it ends or restarts the agent itself ({0})",
    "send_file": "it sends a file away ({0})",
    "service": "it stops or changes services of this machine ({0})",
    "settings": "it changes settings of this machine ({0})",
    "shred": "it destroys a file beyond recovery ({0})",
    "socket": "it talks to the network through the shell itself ({0})",
    "unfollowed": "it is nested too deeply or too long to be followed",
    "unknown_program": "which program it runs is only known when it runs",
    "unparsed": "a part of it can't be read",
}
# What a command may do unasked.
_ALLOWED: Final = READING | {"run", "run_file", "send", "listen_here", "make", "own", "install"}


def ruling(effect: Effect, grounds: Grounds) -> Ruling:
    """What follows from one effect; one of a kind that nobody knows asks."""
    kind = effect.kind
    if kind in _ALLOWED:
        return ALLOWED if kind != "run_file" else _run_file(effect, grounds)
    judge = _PATHS.get(kind)
    if judge is not None:
        return judge(effect, grounds)
    action: Action = "forbid" if kind in _FORBIDDEN else "ask"
    sentence = effect.why or _FORBIDDEN.get(kind) or _ASKED.get(kind) or "it does something unknown: " + kind
    return Ruling(action, sentence.replace("{0}", shown(effect.target)))


def _run_file(effect: Effect, grounds: Grounds) -> Ruling:
    if is_temporary(effect.target) and grounds.inner(effect.target) is None:
        return Ruling("ask", f"it runs {shown(effect.target)}, from a folder that anybody can write")
    return ALLOWED


_UPWARD: Final = re.compile(r"\.\.(?:/\.\.)*(?:/\*)?\Z")


def _is_scratch(path: str, grounds: Grounds) -> bool:
    """Whether this lies below a folder for temporary files, and not in a workspace that does, too."""
    return is_temporary(path) and grounds.inner(path) is None


def _whole(path: str) -> str:
    """The folder that a pattern for everything in it stands for."""
    while path.endswith(("/*", "/.*", "/**", "/*?", "/.[!.]*", "/{*,.*}")):
        path = path.rpartition("/")[0] or "/"
    return "." if path in ("*", ".*", "**", "*?") else path


def _removal(effect: Effect, grounds: Grounds) -> Ruling:
    """Deleting a file; with the kind `delete_tree` a folder and all below it."""
    path, tree = effect.target, effect.kind == "delete_tree"
    folder = _whole(path)
    if why := _vital_removal(path, folder, grounds, tree=tree):
        return Ruling("forbid", why)
    inner = grounds.inner(folder)
    if is_temporary(folder) and is_known(folder.rpartition("/")[2] or "?") and inner is None:
        return ALLOWED
    if without_marks(path).startswith("/tmp/tmp.") and "/.." not in path:
        return ALLOWED
    if not is_known(path):
        return Ruling("ask", f"what it deletes is only known when it runs ({shown(path)})")
    return _inner_removal(path, inner, tree=tree or folder != path)


def _vital_removal(path: str, folder: str, grounds: Grounds, *, tree: bool) -> str:
    """Why nobody would delete this; empty where somebody might."""
    everything = tree or folder != path
    if is_disk(folder) or is_system(folder) or (everything and is_vital(folder, grounds.home)):
        return f"it deletes {shown(path)}, which the system or a person can't do without"
    if tree and _UPWARD.match(path) and not grounds.cwd:
        return "it deletes the folder above the workspace"
    whole = tree and grounds.inner(folder) == "." and not path.endswith("*?")
    return "it deletes the whole workspace" if whole and not (grounds.cwd and is_temporary(folder)) else ""


def _inner_removal(path: str, inner: str | None, *, tree: bool) -> Ruling:
    if inner is None:
        return Ruling("ask", f"it deletes {shown(path)}, outside the workspace")
    if (why := protected(inner)) and not inner.endswith((".git/index.lock", ".git/HEAD.lock", ".git/config.lock")):
        return Ruling("ask", f"it deletes {shown(path)}, which is {why}")
    if is_product(inner):
        return ALLOWED
    if is_source(inner):
        return Ruling("ask", f"it deletes {shown(path)}, which nothing makes again")
    if tree or any(sign in inner for sign in "*?["):
        return Ruling("ask", f"it deletes {shown(path)} and all that belongs to it")
    return ALLOWED


def _writing(effect: Effect, grounds: Grounds) -> Ruling:
    """Writing a file: a new text, or more of it."""
    path = effect.target
    if path.startswith("/") and (bad := _system_writing(path)):
        return bad
    if not is_known(path):
        return _unknown_writing(path)
    inner = grounds.inner(path)
    why = protected(path if inner is None else inner)
    if why and not path.endswith("/.ssh/known_hosts"):
        return Ruling("ask", f"it writes {path}, which is {why}")
    if inner is None and not is_temporary(path) and not path.startswith("../") and not path.endswith("/known_hosts"):
        return Ruling("ask", f"it writes {path}, outside the workspace")
    return ALLOWED


def _unknown_writing(path: str) -> Ruling:
    bare = without_marks(path)
    if bare.startswith("/") and not is_temporary(bare):
        return Ruling("ask", f"where it writes is only known when it runs ({shown(path)})")
    return ALLOWED


def _system_writing(path: str) -> Ruling | None:
    if path.startswith("/dev/"):
        return _device_writing(path)
    if starts_programs(path):
        return Ruling("ask", f"it writes {shown(path)}, which the system runs later")
    if path.startswith("/usr/local/"):
        return Ruling("ask", f"it writes {shown(path)}, outside the workspace")
    if is_system(path) or path == "/" or path.startswith("/var/run/docker"):
        return Ruling("forbid", f"it writes over {shown(path)}, a part of the system")
    return None


def _device_writing(path: str) -> Ruling:
    if is_disk(path):
        return Ruling("forbid", f"it writes over the disk {shown(path)}")
    if is_system(path) and not path.startswith(("/dev/fd/", "/dev/shm/", "/dev/pts/", "/dev/tty")):
        return Ruling("ask", f"it writes to the device {shown(path)}")
    return ALLOWED


def _emptying(effect: Effect, grounds: Grounds) -> Ruling:
    """Writing nothing over a file: what was in it is gone."""
    written = _writing(effect, grounds)
    path = effect.target
    if (
        written.action != "allow"
        or _is_scratch(path, grounds)
        or path.startswith("/dev/")
        or is_product(grounds.inner(path) or path)
    ):
        return written
    if path.startswith("/var/log/"):
        return Ruling("ask", f"it wipes the log {shown(path)}")
    return Ruling("ask", f"it empties {shown(path)}")


def _mode(effect: Effect, grounds: Grounds) -> Ruling:
    """Changing rights or owner; with the kind `mode_tree` of a folder and all below it."""
    path, folder = effect.target, _whole(effect.target)
    if is_system(folder) and not folder.startswith("/usr/local/"):
        return Ruling("forbid", f"it changes the rights or the owner of {shown(path)}, a part of the system")
    if (effect.kind == "mode_tree" or folder != path) and is_vital(folder, grounds.home):
        return Ruling("forbid", f"it changes the rights or the owner of all below {shown(path)}")
    inner = grounds.inner(folder)
    if "/.git/hooks/" in "/" + path:
        return Ruling("ask", f"it makes {shown(path)} run with every use of git")
    if inner is None and not is_temporary(path):
        return Ruling("ask", f"it changes the rights or the owner of {shown(path)}, outside the workspace")
    return ALLOWED


def _opening(effect: Effect, grounds: Grounds) -> Ruling:
    """Letting everybody write: what is allowed for narrower rights asks here."""
    found = _mode(effect._replace(kind="mode_tree"), grounds)
    if found.action != "allow" or _is_scratch(effect.target, grounds):
        return found
    return Ruling("ask", f"it opens or closes {shown(effect.target)} to everybody")


def _moving(effect: Effect, grounds: Grounds) -> Ruling:
    """Moving something away from where it is."""
    folder = _whole(effect.target)
    if is_vital(folder, grounds.home):
        return Ruling("forbid", f"it moves {shown(effect.target)} away, which the system or a person can't do without")
    inner = grounds.inner(folder)
    if inner is None and not is_temporary(folder) and is_known(folder) and not folder.startswith("../"):
        return Ruling("ask", f"it moves {shown(effect.target)} away, outside the workspace")
    why = protected(inner or folder)
    return Ruling("ask", f"it moves {shown(effect.target)}, which is {why}") if why else ALLOWED


def _shredding(effect: Effect, grounds: Grounds) -> Ruling:
    path = effect.target
    if is_disk(path) or is_system(path) or is_vital(_whole(path), grounds.home):
        return Ruling("forbid", f"it destroys {shown(path)}, which the system or a person can't do without")
    return Ruling("ask", f"it destroys {shown(path)} beyond recovery")


_PATHS: Final[dict[str, Judge]] = {
    **dict.fromkeys(("delete", "delete_tree"), _removal),
    **dict.fromkeys(("write", "append"), _writing),
    **dict.fromkeys(("mode", "mode_tree"), _mode),
    "mode_open": _opening,
    "move_away": _moving,
    "shred": _shredding,
    "truncate": _emptying,
}
PATH_KINDS: Final = frozenset(_PATHS) | {"run_file"}
KINDS: Final = tuple(sorted({*_FORBIDDEN, *_ASKED, *_ALLOWED, *_PATHS}))
