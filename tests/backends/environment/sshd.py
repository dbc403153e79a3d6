"""A real sshd on loopback with a key of its own, for one test session."""

from __future__ import annotations

import getpass
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def missing() -> str:
    """Why there can't be one here; empty where there can."""
    for program in ("ssh", "ssh-keygen"):
        if not shutil.which(program):
            return f"{program} isn't installed"
    return "" if server() else "sshd isn't installed"


def server() -> str:
    return shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin") or ""


@contextmanager
def sshd(folder: Path) -> Iterator[tuple[str, ...]]:
    """Starts it, gives the options for the client, ends it."""
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    (folder / "allowed").write_bytes((folder / "key.pub").read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kind, key, *_ = (folder / "host.pub").read_text().split()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {kind} {key}\n")
    lines = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "allowed",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "PermitRootLogin": "yes",
    }
    (folder / "sshd_config").write_text("".join(f"{name} {value}\n" for name, value in lines.items()))
    (folder / "ssh_config").write_text(
        f"Host there\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {folder / 'key'}\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder / 'known'}\n"
    )
    Path("/run/sshd").mkdir(exist_ok=True)
    log = (folder / "log").open("wb")
    running = subprocess.Popen([server(), "-D", "-e", "-f", folder / "sshd_config"], stderr=log)
    try:
        _await(port, running, folder / "log")
        yield ("-F", str(folder / "ssh_config"))
    finally:
        running.terminate()
        running.wait(10)
        log.close()


def _await(port: int, running: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(200):
        if running.poll() is not None:
            raise RuntimeError(log.read_text())
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError("sshd doesn't answer")
