"""What a path's text says about it: protected, part of the system, a disk, or vital.

Nothing here touches the disk; `paths` resolves and then asks here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def names(text: str) -> frozenset[str]:
    """The names in a text with blanks between them."""
    return frozenset(text.split())


_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_SLASHES = str.maketrans(dict.fromkeys("∕⁄⧸／", "/"))

# One entry: the reason, then a pattern over the plain lower-case path (with a leading slash).
_PROTECTED: tuple[tuple[str, str], ...] = (
    (
        "an environment file with secrets",
        r"/\.env(?!\.(?:example|sample|template|dist|defaults?)(?:/|$))(?:\.[^/]*|rc)?(?:/|$)",
    ),
    ("SSH, GPG or cloud keys", r"/\.(?:ssh|gnupg|aws|kube|azure|password-store|docker|oci|gcloud)(?:/|$)"),
    (
        "a credentials file",
        r"/\.(?:netrc|pgpass|npmrc|pypirc|git-credentials|my\.cnf|s3cfg|boto|dockercfg|vault-token|htpasswd)$",
    ),
    ("a credentials file", r"/(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|csv|db|txt|env))?$"),
    (
        "a private key",
        r"/id_(?:rsa|dsa|ecdsa|ed25519)[^/]*$|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)$",
    ),
    (
        "program settings with secrets",
        r"/\.config/(?:gcloud|gh|hub|rclone|op|doctl|heroku|sops)(?:/|$)|/service[-_]?account[^/]*\.json$",
    ),
    (
        "a browser's or keyring's store",
        r"/(?:\.mozilla|\.config/(?:google-chrome|chromium)|\.local/share/keyrings|keychains)(?:/|$)",
    ),
    (
        "a shell start-up file",
        r"/\.(?:bash|zsh|k?sh|csh|tcsh|login|logout|profile|zprofile|zlogin|inputrc)(?:rc|env|_profile|_login|_logout|_aliases)?$",
    ),
    ("a shell's or program's history", r"/\.[a-z_]*_?history$|/\.lesshst$"),
    (
        "settings that start programs",
        r"/\.config/(?:systemd|autostart|fish|environment\.d)(?:/|$)|/library/launch(?:agents|daemons)(?:/|$)|/\.(?:xinitrc|xprofile|pam_environment)$",
    ),
    (
        "the internals of version control",
        r"/(?:\.git|git~\d|\.hg|\.svn|\.jj|\.bzr)(?:/|$)|/\.(?:gitmodules|gitconfig)$",
    ),
    (
        "settings that an editor or agent obeys",
        r"/\.(?:vscode|idea|cursor|claude|codex|handiwork)(?:/|$)|/\.(?:mcp\.json|envrc)$",
    ),
    (
        "the system's passwords",
        r"^/(?:private/)?etc/(?:g?shadow-?|sudoers|master\.passwd|security)(?:\.d)?(?:/|$)",
    ),
    (
        "a process's memory or environment",
        r"^/proc/.*(?:environ|mem|maps|root|cwd|fd|task|kcore|kmem|sysrq-trigger)(?:/|$)",
    ),
    (
        "a socket that controls the machine",
        r"/(?:docker|containerd|podman|crio)\.sock$|^/(?:var/)?run/(?:secrets|docker)",
    ),
)
_PROTECTED_RE = re.compile("|".join(f"(?P<p{i}>{pattern})" for i, (_, pattern) in enumerate(_PROTECTED)))

_DISK = re.compile(
    r"^/dev/(?:(?:sd|hd|vd|xvd)[a-z]|nvme|mmcblk|r?disk\b|r?disk\d|mapper/|md\d|md/|dm-|sr\d|mtd|nbd|zd\d|zvol|(?:k?mem|port)$)"
)
_SYSTEM = re.compile(r"^/(?:etc|usr|bin|sbin|lib|lib32|lib64|libx32|boot|sys|proc|dev|private/etc|system)(?:/|$)")
_VITAL_TOP = names(
    "etc usr bin sbin lib lib32 lib64 boot sys proc dev var root home opt srv mnt media users system library"
)
_HOME_FOLDERS = names("documents desktop pictures downloads music videos movies .ssh .gnupg .aws .config .local .kube")
_HARMLESS_DEVICES = frozenset(("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"))


def plain(path: str) -> str:
    """The path with look-alike and invisible characters turned into what they pass for."""
    if path.isascii():
        return path
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", path)).translate(_SLASHES)


def squeeze(path: str) -> str:
    """The path without doubled slashes, `.` and `..`; a relative path stays relative."""
    kept: list[str] = []
    for piece in path.split("/"):
        if piece == ".." and kept and kept[-1] != "..":
            kept.pop()
        elif piece not in ("", ".") and not (piece == ".." and path.startswith("/")):
            kept.append(piece)
    return ("/" if path.startswith("/") else "") + "/".join(kept) or "."


@lru_cache(maxsize=4096)
def protected(path: str) -> str:
    """Why this path is protected, in any spelling of its text; empty if it isn't."""
    folded = plain(path).lower()
    folded = squeeze(folded)
    folded = folded if folded.startswith("/") else "/" + folded
    found = _PROTECTED_RE.search(folded.rstrip(". ") or folded)
    return _PROTECTED[int((found.lastgroup or "p0")[1:])][0] if found else ""


def is_disk(path: str) -> bool:
    """Whether this names a disk or the machine's memory."""
    return bool(_DISK.match(squeeze(plain(path))))


def is_system(path: str) -> bool:
    """Whether this lies in a folder that belongs to the operating system (harmless devices don't)."""
    squeezed = squeeze(plain(path))
    return bool(_SYSTEM.match(squeezed.lower())) and squeezed not in _HARMLESS_DEVICES


def is_vital(path: str, home: str) -> bool:
    """Whether losing this whole folder would lose the system, a home, or a person's documents."""
    folder = squeeze(plain(path))
    while folder.endswith(("/*", "/.*", "/**")):
        folder = folder.rpartition("/")[0] or "/"
    if folder == "/" or folder.rstrip("/") == home.rstrip("/"):
        return True
    if not folder.startswith("/"):
        return False
    pieces = folder.lower().strip("/").split("/")
    if is_system(folder) or (len(pieces) == 1 and pieces[0] in _VITAL_TOP):
        return True
    if pieces[:2] in (["var", "lib"], ["var", "log"]) and len(pieces) == 2:
        return True
    return _is_home_like(pieces, folder, home)


def _is_home_like(pieces: list[str], folder: str, home: str) -> bool:
    if pieces[0] in ("home", "users"):
        return len(pieces) == 2 or (len(pieces) == 3 and pieces[2] in _HOME_FOLDERS)
    parent, _, last = folder.rpartition("/")
    return last.lower() in _HOME_FOLDERS and parent in (home.rstrip("/"), "/root")
