"""The reference is what the schemas say, and no link leads nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _build(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(root / "docs" / "build.py"), *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The builder beside two pages of its own, which are built."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "docs").mkdir()
    (folder / "docs" / "build.py").write_text((ROOT / "docs" / "build.py").read_text())
    (folder / "README.md").write_text("# Start\n\n[tools](docs/reference.md#toolset-file)\n")
    assert _build(folder).returncode == 0
    return folder


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def test_the_documentation_is_up_to_date_and_its_links_lead_somewhere() -> None:
    said = _build(ROOT, "--check")
    assert said.returncode == 0, said.stderr


def test_an_old_reference_is_noticed(copy: Path) -> None:
    page = copy / "docs" / "reference.md"
    page.write_text(page.read_text().replace("### read_file", "### read_files"))
    said = _build(copy, "--check")
    assert said.returncode == 1
    assert "docs/reference.md is old" in said.stderr


@pytest.mark.parametrize("address", ["docs/none.md", "docs/reference.md#nowhere", "none.svg", "../outside.md"])
def test_a_dead_link_is_noticed(copy: Path, address: str) -> None:
    (copy / "README.md").write_text(f"# Start\n\n[text]({address})\n")
    said = _build(copy, "--check")
    assert said.returncode == 1
    assert f"README.md: dead link {address}" in said.stderr


def test_the_site_links_its_own_pages(built: Path) -> None:
    site = built / "site"
    assert 'href="docs/reference.html#toolset-file"' in (site / "index.html").read_text()
    assert 'id="toolset-file"' in (site / "docs" / "reference.html").read_text()
    assert 'href="../index.html"' in (site / "docs" / "reference.html").read_text()
