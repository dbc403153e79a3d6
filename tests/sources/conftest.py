"""Plugins written into a folder and loaded by a house of their own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from handiwork.apps.house import House
from handiwork.catalog.discovery import Scanner
from handiwork.core.config import Config
from handiwork.sources.modules import Loaded

NOTHING = '{"type": "object", "properties": {}}'


@dataclass
class Shelf:
    """A folder of plugins and the house that loads them."""

    folder: Path
    house: House
    scanner: Scanner = field(default_factory=Scanner)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / (name if "." in name else f"{name}.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def load(self) -> dict[str, Loaded]:
        self.house.plugins.load(lambda: self.house.plugins.of_folder(self.scanner, str(self.folder)))
        return self.loaded

    @property
    def loaded(self) -> dict[str, Loaded]:
        return {one.name: one for one in self.house.harvest.loaded}

    @property
    def names(self) -> list[str]:
        return sorted(self.house.registry.names())

    def call(self, name: str, **args: object) -> str:
        return self.house._call(name, args)

    def refresh(self) -> list[str]:
        return [str(change) for change in self.house.plugins.refresh()]


@pytest.fixture
def make_shelf(registry, tmp_path) -> Iterator[Callable[..., Shelf]]:
    def make(**config: object) -> Shelf:
        return Shelf(tmp_path / "plugins", House(registry, home=str(tmp_path), config=Config(**config)))

    yield make
    for name in [n for n in sys.modules if n.startswith("handiwork_plugins")]:
        del sys.modules[name]


@pytest.fixture
def shelf(make_shelf) -> Shelf:
    return make_shelf()
