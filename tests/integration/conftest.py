"""Wheels that integration tests read: fetched once; out of reach they skip a test, or fail it where all is required."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import wheels


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Unpacks the wheels of the named packages into one new folder."""

    def unpack(*names: str) -> Path:
        folder = tmp_path_factory.mktemp("wheels")
        try:
            for name in names:
                wheels.unpack(name, folder)
        except wheels.WheelUnreachableError as unreachable:
            if os.environ.get("HANDIWORK_REQUIRE_ALL") == "1":
                raise
            pytest.skip(str(unreachable))
        return folder

    return unpack
