"""How the modules of a plugin are made: each with the plugin's own built-in names, and gone when it fails."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

from .codes import Codes

Read = Callable[[str], bytes]


class PluginLoader(SourceFileLoader):
    """Runs a file with *given* as its built-in names.

    The code of a file comes from *codes*, never from byte code beside it: that is known by whole seconds, an editor
    is quicker, and in a project it came with the repository. Without *codes* it is an installed module like any
    other. *read* gives the bytes of a path that may be run.
    """

    def __init__(
        self, name: str, path: str, given: Mapping[str, Any], *, codes: Codes | None = None, read: Read | None = None
    ) -> None:
        super().__init__(name, path)
        self._given, self._codes, self._read = given, codes, read

    def exec_module(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = self._given
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType | None:
        if self._codes is None:
            return super().get_code(fullname)
        if self._read:
            return self._compiled()
        stat = os.stat(self.path)
        return self._codes.get(self.path, (stat.st_mtime_ns, stat.st_size), self._compiled)

    def get_data(self, path: str) -> bytes:
        return self._read(path) if self._read else super().get_data(path)

    def sibling(self, name: str, path: str) -> PluginLoader:
        """The loader of another module of the same plugin."""
        return PluginLoader(name, path, self._given, codes=self._codes, read=self._read)

    def _compiled(self) -> CodeType:
        code: CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code


class PluginFinder:
    """Finds the modules below a plugin's first one, so that they are made in the same way."""

    def __init__(self) -> None:
        self._loaders: dict[str, PluginLoader] = {}

    def know(self, root: str, loader: PluginLoader) -> None:
        """*loader* is that of the modules at and below *root*."""
        self._loaders[root] = loader
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def forget(self, root: str) -> None:
        """The modules at and below *root* are like all others again."""
        self._loaders.pop(root, None)

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """As importlib's finders do."""
        known = self._known(name)
        spec = PathFinder.find_spec(name, path, target) if known else None
        if known and spec and spec.origin and type(spec.loader) is SourceFileLoader:
            spec.loader = known.sibling(name, spec.origin)
        return spec

    def _known(self, name: str) -> PluginLoader | None:
        while name:
            if name in self._loaders:
                return self._loaders[name]
            name = name.rpartition(".")[0]
        return None


_finder = PluginFinder()


def run_file(name: str, loader: PluginLoader) -> ModuleType:
    """The module *name*, made of the loader's file. Raises whatever that raises; `put_back_modules` clears up."""
    is_package = loader.path.endswith("/__init__.py")
    spec = ModuleSpec(name, loader, origin=loader.path, is_package=is_package)
    spec.has_location = True
    if is_package:
        spec.submodule_search_locations = [os.path.dirname(loader.path)]
        _finder.know(name, loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


def run_installed(name: str, given: Mapping[str, Any]) -> ModuleType:
    """The installed module *name*; it and its neighbours in the package import by what is *given*."""
    top = name.partition(".")[0]
    _finder.know(top, PluginLoader(top, "", given))
    try:
        return importlib.import_module(name)
    except BaseException:
        _finder.forget(top)
        raise


def modules_below(name: str) -> dict[str, ModuleType]:
    """The module *name* and those inside it."""
    if name not in sys.modules:  # most often; all the others need not be looked at
        return {}
    return {known: module for known, module in [*sys.modules.items()] if known == name or known.startswith(f"{name}.")}


def put_back_modules(name: str, modules: Mapping[str, ModuleType]) -> None:
    """At and below *name* there are these modules, and no others."""
    for made in [known for known in [*sys.modules] if known == name or known.startswith(f"{name}.")]:
        del sys.modules[made]
    sys.modules.update(modules)
