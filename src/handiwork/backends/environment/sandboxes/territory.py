"""Which files a sandboxed command may see and write: the policy, laid over this machine."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ....core.errors import UsageError
from ....core.types import SandboxPolicy
from .gitdirs import gitdirs
from .nesting import deepest, inside, outermost, placed

# Where every sandbox has its own, instead of what the machine has there.
PRIVATE = ("/tmp", "/var/tmp", "/dev/shm")
# Folders that look empty: other people's files, sockets of the system's services, other disks.
_HIDDEN = (
    *("/home", "/root", "/run", "/mnt", "/media", "/var/spool/cron"),
    *("/etc/ssl/private", "/etc/letsencrypt", "/etc/wireguard", "/etc/NetworkManager/system-connections"),
)
# Files that root could read and no command needs.
_MASKED = (
    *("/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/krb5.keytab"),
    *(f"/etc/ssh/ssh_host_{kind}_key" for kind in ("rsa", "dsa", "ecdsa", "ed25519")),
)
# What names and addresses are looked up with, often a link into a hidden folder.
_LOOKED_UP = ("/etc/resolv.conf", "/etc/hosts", "/etc/localtime")
# What tools need of a home, to read. Nothing here holds a key or a login.
_SHOWN = (
    *(".cargo/bin", ".cargo/config", ".cargo/config.toml", ".cargo/env", ".rustup", "go/bin", "go/sdk"),
    *(".nvm", ".volta", ".bun/bin", ".deno/bin", ".pyenv", ".asdf", ".sdkman", ".rbenv", ".juliaup"),
    *(".local/bin", ".local/lib", ".local/pipx", ".local/share/uv", ".local/share/pipx", ".local/share/mise"),
    *(".gitconfig", ".config/git/config", ".config/git/ignore", ".config/git/attributes"),
)
# Never shown with a folder around them, only where somebody listed just that.
_SECRET = (
    *(".ssh", ".aws", ".azure", ".gnupg", ".netrc", ".npmrc", ".pypirc", ".git-credentials", ".kube", ".docker"),
    *(".config/gh", ".config/gcloud", ".config/git/credentials", ".cargo/credentials", ".cargo/credentials.toml"),
    *(".local/share/keyrings", ".mozilla", ".password-store", ".bash_history", ".zsh_history"),
)
# Variables whose folders hold tools.
_TOOL_FOLDERS = ("VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "GOROOT", "NVM_DIR", "RUSTUP_HOME", "NODE_PATH")


@dataclass(frozen=True, slots=True)
class Person:
    """Whose machine it is: home, variables, and where Handiwork keeps its own state and long results."""

    home: str = field(default_factory=lambda: os.path.realpath(os.path.expanduser("~")))
    env: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    own: str = ""
    results: str = ""


@dataclass(frozen=True, slots=True)
class Territory:
    """What there is for the commands of one workspace. The links on the way to a path are resolved.

    `hidden` folders look empty but for what of `readable` and `writable` lies in them; `masked` are
    files and folders out of sight even there; `own` is our own state. Whatever is in none of these may be read.
    """

    workspace: str
    home: str
    writable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()
    own: str = ""

    def sees(self, path: str) -> bool:
        """Whether a command sees what the machine has at *path*: the innermost rule decides."""
        shown = deepest(path, (*self.writable, *self.readable))
        return shown >= deepest(path, (*self.hidden, *self.masked))

    def writes(self, path: str) -> bool:
        """Whether a command may change what the machine has at *path*."""
        return self.sees(path) and deepest(path, self.writable) >= 0

    def check(self, cwd: str, sandbox: str) -> None:
        """Refuse a folder of this machine that commands can't be in. Raises `UsageError`."""
        if not os.path.isdir(cwd):
            raise UsageError(f"there is no directory {cwd}", "give an existing directory as cwd")
        if not self.sees(os.path.realpath(cwd)):
            raise UsageError(
                f"the sandbox ({sandbox}) hides {cwd}", f"allow it by `sandbox.readable: [{cwd}]` in config"
            )

    def is_own(self, path: str) -> bool:
        """Whether *path* is of our own state."""
        return bool(self.own) and inside(path, self.own)


def survey(workspace: str, policy: SandboxPolicy, person: Person) -> Territory:
    """The territory of *workspace*. A home, or what holds one, is no workspace: nothing is writable there.

    Raises `UsageError` for a policy that would let commands write in the whole home or in our own.
    """
    home, own = person.home, os.path.realpath(person.own) if person.own else ""
    room = os.path.realpath(workspace) if workspace else ""
    room = "" if room and inside(home, room) else room
    asked = tuple(_expanded(path, home) for path in policy.writable)
    _refuse_too_much(asked, home, own)
    # Without what lies in another: a command could put a link to anywhere in that place.
    place = (room, *gitdirs(room)) if room else ()
    writable = outermost((*(place if policy.workspace_writes else ()), *asked))
    open_to_us = tuple(path for path in _HIDDEN if os.access(path, os.R_OK | os.X_OK))
    _refuse_own_inside(own, writable)
    hidden = _real((*open_to_us, *PRIVATE, home, _home_of_record(), own))
    listed = tuple(_expanded(path, home) for path in policy.readable)
    listed += () if policy.workspace_writes else place
    secret = (path for name in _SECRET if (path := os.path.join(home, name)) not in (*asked, *listed))
    return Territory(
        room,
        home,
        writable,
        tuple(sorted({*_shown(listed, person, own, hidden), *_real((person.results,))})),
        hidden,
        tuple(sorted(path for path in (*secret, *_MASKED, *policy.hidden) if os.access(path, os.R_OK))),
        own,
    )


def _real(paths: tuple[str, ...]) -> tuple[str, ...]:
    real = {os.path.realpath(path) for path in paths if path}
    return tuple(sorted(real - {"/"}))


def _refuse_too_much(asked: tuple[str, ...], home: str, own: str) -> None:
    for path in asked:
        if inside(home, path):
            hint = "list the folders in it that commands shall write in"
            raise UsageError(f"sandbox.writable: {path} holds the whole home", hint)
        if own and (inside(path, own) or inside(own, path)):
            raise UsageError(f"sandbox.writable: {path}: Handiwork's own settings aren't for commands to write")


def _refuse_own_inside(own: str, writable: tuple[str, ...]) -> None:
    """Our own state in a writable folder can be kept where it is its child: no command can exchange it there."""
    for folder in writable:
        if own and inside(own, folder) and os.path.dirname(own) != folder:
            hint = "set HANDIWORK_HOME to a folder outside"
            raise UsageError(f"{own}, where Handiwork keeps its settings, lies in {folder}, which commands write", hint)


def _expanded(path: str, home: str) -> str:
    """A path of the configuration: `~` is the home."""
    return os.path.realpath(home + path[1:] if path == "~" or path.startswith("~/") else path)


def _home_of_record() -> str:
    """The home that the system knows, whatever HOME says."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a user without an entry, as in many containers
        return ""


def _shown(listed: tuple[str, ...], person: Person, own: str, hidden: tuple[str, ...]) -> Iterator[str]:
    """What is read although it lies in a hidden folder; nothing of our own state."""
    for path in (*listed, *map(placed, _tools(person)), *map(os.path.realpath, _LOOKED_UP)):
        if deepest(path, hidden) >= 0 and not (own and inside(path, own)):
            yield path


def _tools(person: Person) -> Iterator[str]:
    """The programs of the home: those on PATH, and the folders that tools are known to keep."""
    home = person.home
    known = [os.path.join(home, name) for name in _SHOWN]
    named = [person.env.get(name, "") for name in _TOOL_FOLDERS]
    # These may lie in a workspace, where a command could have put a link to anything in their place.
    named += person.env.get("PATH", "").split(os.pathsep)
    found = [entry for entry in named if os.path.isabs(entry) and not os.path.islink(entry)]
    for entry in (*known, *found):
        if os.path.exists(entry):
            yield from (path for path in (entry, *_virtual_environment(entry)) if _is_harmless(path, home))


def _virtual_environment(entry: str) -> Iterator[str]:
    """All of a virtual environment whose programs are on PATH, and the Python that it stands on."""
    folder = os.path.dirname(entry) if os.path.basename(entry) == "bin" else entry
    try:
        with open(os.path.join(folder, "pyvenv.cfg"), encoding="utf-8") as file:
            lines = [line.partition("=") for line in file]
    except (OSError, UnicodeDecodeError):  # it is none
        return
    yield folder
    for key, _, value in lines:
        base = os.path.dirname(os.path.realpath(value.strip())) if key.strip() == "home" and "\0" not in value else ""
        if base and _is_python(base):
            yield base


def _is_python(folder: str) -> bool:
    """Whether a Python is installed in *folder*: what a file in a workspace says of it is no proof."""
    program = os.path.join(folder, "bin", "python3")
    return os.access(program, os.X_OK) and os.path.isdir(os.path.join(folder, "lib"))


def _is_harmless(path: str, home: str) -> bool:
    """Whether showing *path* shows neither the home itself nor its keys."""
    secrets = [os.path.join(home, name) for name in _SECRET]
    for real in {placed(path), os.path.realpath(path)}:
        if inside(home, real) or any(inside(secret, real) or inside(real, secret) for secret in secrets):
            return False
    return True
