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
        r"/\.env(?!(?:\.[\w-]+)*\.(?:example|sample|template|dist|defaults?)(?:/|$))(?:\.[^/]*|rc)?(?:/|$)",
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
        r"/\.(?:bash|zsh|k?sh|csh|tcsh|login|logout|profile|zprofile|zlogin|inputrc)(?:rc|env|_profile"
        r"|_login|_logout|_aliases)?$",
    ),
    ("a shell's or program's history", r"/\.[a-z_]*_?history$|/\.lesshst$"),
    (
        "settings that start programs",
        r"/\.config/(?:systemd|autostart|fish|environment\.d)(?:/|$)|/library/launch(?:agents"
        r"|daemons)(?:/|$)|/\.(?:xinitrc|xprofile|pam_environment)$",
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

# Where protected files may be read unasked: they hold no secrets, but what starts or steers programs.
_NO_SECRET = frozenset(
    (
        "a shell start-up file",
        "settings that start programs",
        "the internals of version control",
        "settings that an editor or agent obeys",
    )
)
_PUBLIC = re.compile(r"\.pub$|/\.ssh/(?:config|known_hosts|authorized_keys)$|(?:\.cert|cacert|/cert|ca|chain)\.pem$")
_SIGNED = re.compile(r"\.(?:asc|gpg)$", re.IGNORECASE)
_SENSITIVE = re.compile(
    r"^/etc/(?:passwd|group)$|/\.config/?$"
    r"|/\.git/config$|(?:^|/)\.(?:ssh|aws|gnupg)/?$"
)

_STARTS = re.compile(
    r"^/etc/(?:cron|systemd|profile\.d|init\.d|sudoers\.d|udev|xdg|apt|yum|rc\.local|rc\.d|environment$"
    r"|modprobe|anacron"
    r"|pam\.d|update-motd|network|NetworkManager|bash\.bashrc|zsh)|^/var/spool/cron|^/(?:usr/lib|lib)/systemd/"
)
_TEMPORARY = re.compile(r"^(?:/private)?(?:/tmp|/var/tmp|/dev/shm)/(?!$)")
_PRODUCT = re.compile(
    r"(?:^|/)(?:build|dist|out|output|target|node_modules|bower_components|__pycache__|_?site|public/build|coverage"
    r"|htmlcov|obj|logs?|te?mp|\.te?mp|te?st-results|test-output|playwright-report|storybook-static|venv|\.venv|env"
    r"|bundle|cmake-build-[\w-]+|debug|release|deriveddata|pods|lib-cov|esm|cjs|libesm|dist-[\w-]+|build-[\w-]+|junk"
    r"|\.(?:pytest|mypy|ruff|parcel|sass|rpt2|angular|npm|yarn|vite|eslint|webpack|rollup|ts-node"
    r"|hypothesis|import_linter)_?-?(?:cache)?"
    r"|\.(?:tox|nox|cache|nyc_output|next|nuxt|turbo|svelte-kit|gradle|eggs|build|output|vercel|serverless|terraform"
    r"|docusaurus|expo|stack-work|dart_tool|bundle|browser|coverage|ipynb_checkpoints|pytype|pnpm-store|wrangler)"
    r"|[^/]*\.(?:egg-info|dist-info|dSYM))(?:/|$)"
    r"|[^/]*(?:\.(?:py[co]|o|obj|class|log|tmp|temp|bak|bck|backup|old|orig|rej|sw[op]|gcda|gcno"
    r"|tsbuildinfo|lcov|lo|la|a|so"
    r"|exe|out|aux|toc|fls|fdb_latexmk|synctex\.gz|cache|pid|prof|d|stackdump|d\.ts|js\.map|whl|vsix)|~)(?:\.\d+)?$"
    r"|(?:^|/)(?:\.coverage[\w.*-]*|\.DS_Store|Thumbs\.db|core\.[\d*]+|package-lock\.json|yarn\.lock"
    r"|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|Gemfile\.lock|composer\.lock|uv\.lock|npm-debug\.log.*"
    r"|a\.out|nohup\.out)$",
    re.IGNORECASE,
)
_DISK = re.compile(
    r"^/dev/(?:(?:sd|hd|vd|xvd)[a-z]|nvme|mmcblk|r?disk\b|r?disk\d|mapper/|md\d|md/|dm-|sr\d|mtd|nbd|zd\d"
    r"|zvol|(?:k?mem|port)$)"
)
_SYSTEM = re.compile(r"^/(?:etc|usr|bin|sbin|lib|lib32|lib64|libx32|boot|sys|proc|dev|private/etc|system)(?:/|$)")
_TOP_PATTERN = re.compile("/[^/]*[*?\\[\ue000][^/]*\\Z")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]?\Z|[A-Za-z]:[/\\]windows|/mnt/[a-z](?:/windows|/users)?\Z", re.IGNORECASE)
_VITAL_TOP = names(
    "etc usr bin sbin lib lib32 lib64 boot sys proc dev var root home opt srv mnt media users system"
    " library applications nix"
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
    if _TOP_PATTERN.match(folder) or _DRIVE.match(folder):
        return True
    while folder.endswith(("/*", "/.*", "/**", "/*?")):
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


# Names of files that a pattern may bring up.
SECRET_NAMES = (
    *(".env", ".env.local", ".env.production", ".netrc", ".npmrc", ".pgpass", ".git-credentials"),
    *("id_rsa", "id_ed25519", "server.key", "credentials", "credentials.json", "secrets.yaml", "key.pem"),
)


def secret(path: str) -> str:
    """Why what this file holds shouldn't be shown; empty for any other file, protected or not."""
    why = protected(path)
    if why and why not in _NO_SECRET and not _PUBLIC.search(path):
        signed = _SIGNED.search(path) and "/.gnupg/" not in path and not re.search(r"(?i)secret|private|pass", path)
        return "" if signed else why
    return ""


def sensitive(path: str) -> bool:
    """Whether this may be read here, but shouldn't leave the machine."""
    return bool(_SENSITIVE.search(path)) or bool(secret(path))


def starts_programs(path: str) -> bool:
    """Whether what stands here is run later by the system: timers, services, login scripts."""
    return bool(_STARTS.match(path))


def is_temporary(path: str) -> bool:
    """Whether this lies below a folder for temporary files."""
    return bool(_TEMPORARY.match(path))


_SOURCE = re.compile(
    r"^(?:src|lib|app|apps|packages|internal|pkg|cmd|tests?|docs|migrations|config|data)/.*\.\w+$"
    r"|\.(?:db|sqlite3?|sql|dump|mdb|accdb|parquet|tfstate|kdbx)$",
    re.IGNORECASE,
)


def is_source(path: str) -> bool:
    """Whether a relative path's name says that people wrote it, or that it is a store of data."""
    return bool(_SOURCE.search(path))


def is_product(path: str) -> bool:
    """Whether a relative path's name says that a build, a test or an editor made it and can make it again."""
    return bool(_PRODUCT.search(path))
