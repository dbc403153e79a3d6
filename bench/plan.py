"""What is run on which side: commands for the start-up figures, probes for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import environments
import harness
import samples
from harness import Figures, Task

HERE = Path(__file__).resolve().parent
# The end of every one-line probe: what the process looks like once the work is done.
_LOOK = "import sys; sys.path.append({here!r}); import timing; import json; print(json.dumps({figures}))"
_PEAK = '{{"{name}_mb": timing.peak_mb(), "{name}_modules": modules}}'


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two systems: its interpreter, its command, and how its words are spelt."""

    name: str
    python: Path
    command: Path
    import_all: str
    registry_import: str
    version: str


@dataclass(frozen=True, slots=True)
class Sides:
    """Both of them."""

    ours: Side
    anchor: Side


def sides() -> Sides:
    """Build or find both environments."""
    ours = environments.python_of(environments.our_library())
    anchor = environments.python_of(environments.ANCHOR)
    return Sides(
        ours=Side(
            name="ours",
            python=ours,
            command=ours.with_name("handiwork"),
            import_all="import handiwork; handiwork.discover()",
            registry_import="from handiwork import registry",
            version=environments.version_in(ours, "handiwork"),
        ),
        anchor=Side(
            name="anchor",
            python=anchor,
            command=anchor.with_name("hermes"),
            import_all="import model_tools",
            registry_import="from tools.registry import registry",
            version=environments.version_in(anchor, environments.ANCHOR.distribution),
        ),
    )


def versions(both: Sides) -> str:
    """The versions that were measured, as their own environments report them."""
    return f"handiwork {both.ours.version} beside {environments.ANCHOR.distribution} {both.anchor.version}"


def furnish(home: Path) -> None:
    """Give the anchor the settings file it looks for at every supply: it is slower without one."""
    settings = home / ".hermes" / "config.yaml"
    settings.parent.mkdir(parents=True)
    settings.write_text("{}\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Plan:
    """All tasks of a run. `home` is a folder for the homes of the measured processes."""

    both: Sides
    home: Path

    def starts(self) -> Sequence[Task]:
        """Whole processes from start to end."""
        ours, anchor = self.both.ours, self.both.anchor
        return [
            self._process("floor", "start_ms", (str(ours.python), "-c", "pass")),
            self._memory("floor", ours, "start", "pass"),
            self._process("ours", "import_ms", (str(ours.python), "-c", "import handiwork; handiwork.registry")),
            *(task for side in (ours, anchor) for task in self._starts_of(side)),
        ]

    def firsts(self) -> Sequence[Task]:
        """What is slow once a process: first definitions, and the scan of a folder of plugins."""
        both = (self.both.ours, self.both.anchor)
        return [
            *(self._probe(side, what) for side in both for what in ("definitions", "many")),
            *(self._discovery(side) for side in both),
        ]

    def loops(self) -> Sequence[Task]:
        """Figures in the microseconds, each already the median of five rounds in its process."""
        floors = Task("floor", "calls", lambda: self._run(self.both.ours.python, "floors.py"))
        both = (self.both.ours, self.both.anchor)
        whats = ("calls", "bridge", "concurrency")
        return [floors, *(self._probe(side, what) for what in whats for side in both)]

    def _starts_of(self, side: Side) -> Sequence[Task]:
        command = str(side.command)
        return [
            self._process(side.name, "discover_ms", (str(side.python), "-c", side.import_all)),
            self._memory(side.name, side, "discover", side.import_all),
            self._process(side.name, "version_ms", (command, "--version"), says=side.version),
            self._process(side.name, "list_ms", (command, "tools", "list"), says="terminal"),
            self._process(side.name, "doctor_ms", (command, "doctor"), says="\n", may_find=True),
        ]

    def _process(self, side: str, key: str, argv: Sequence[str], *, says: str = "", may_find: bool = False) -> Task:
        def measure() -> Figures:
            return {key: harness.cpu_ms(argv, self.home, says=says, may_find=may_find)}

        return Task(side, key, measure)

    def _memory(self, name: str, side: Side, key: str, work: str) -> Task:
        look = _LOOK.format(here=str(HERE), figures=_PEAK.format(name=key))
        code = f"{work}; import sys; modules = len(sys.modules); {look}"
        return Task(name, f"{key}_mb", lambda: harness.probe((str(side.python), "-c", code), self.home))

    def _probe(self, side: Side, what: str) -> Task:
        return Task(side.name, what, lambda: self._run(side.python, f"{side.name}.py", what))

    def _run(self, python: Path, script: str, *arguments: str) -> Figures:
        return harness.probe((str(python), str(HERE / script), *arguments), self.home)

    def _discovery(self, side: Side) -> Task:
        return Task(side.name, "discovery", lambda: _discover_twice(side))


def _discover_twice(side: Side) -> Figures:
    """A folder nobody has seen, then the same folder at the next start."""
    with harness.fresh_home() as home:
        furnish(home)
        folder = home / "scanned"
        samples.write_plugins(folder, side.registry_import)
        argv = (str(side.python), str(HERE / f"{side.name}.py"), "discovery", str(folder))
        first, again = harness.probe(argv, home), harness.probe(argv, home)
    return {"discovery_first_ms": first["discovery_ms"], "discovery_again_ms": again["discovery_ms"]}
