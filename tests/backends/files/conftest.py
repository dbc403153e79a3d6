"""The same files, reached in every way there is: by the kernel's one call, by walking, and by a shell's commands."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from handiwork.backends.files import exact
from handiwork.backends.files.local import LocalFiles
from handiwork.backends.files.shell import ShellFiles


class LocalShell:
    """Runs scripts as another machine would: a fresh shell each, with no more than a PATH and a home."""

    def __init__(self, home: Path, *argv: str, path: str = os.defpath) -> None:
        self.argv, self.home, self.path, self.count = argv or ("sh",), home, path, 0

    def __call__(self, script: str, stdin: bytes = b"", /) -> tuple[int, bytes, bytes]:
        self.count += 1
        done = subprocess.run(
            [*self.argv, "-c", os.fsencode(script)], input=stdin, capture_output=True, cwd="/",
            env={"PATH": self.path, "HOME": str(self.home)}, timeout=60, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr


@pytest.fixture
def shell(tmp_path_factory):
    return LocalShell(tmp_path_factory.mktemp("far-home"))


def busybox_shell(tmp_path_factory) -> LocalShell:
    busybox = shutil.which("busybox")
    if busybox is None:
        pytest.skip("busybox isn't installed")
    folder = tmp_path_factory.mktemp("busybox")
    applets = "sh readlink stat find dd wc sha256sum cksum chown chmod sync ln mv rm cat mkdir"
    for name in applets.split():
        (folder / name).symlink_to(busybox)
    return LocalShell(tmp_path_factory.mktemp("far-home"), str(folder / "sh"), path=str(folder))


FAR = [pytest.param(name, marks=pytest.mark.integration) for name in ("shell", "busybox")]


@pytest.fixture(params=["local", "walked", *FAR])
def files(request, monkeypatch, tmp_path_factory):
    match request.param:
        case "local":
            return LocalFiles()
        case "walked":
            monkeypatch.setattr(exact, "_kernel", lambda: None)
            return LocalFiles()
        case "shell":
            return ShellFiles(LocalShell(tmp_path_factory.mktemp("far-home")), "far")
    return ShellFiles(busybox_shell(tmp_path_factory), "far")
