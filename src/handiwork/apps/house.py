"""Put the parts together. The only file that knows them all."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..backends.environment.late import LateEnvironment
from ..catalog.desk import Desk
from ..catalog.discovery import Scanner
from ..catalog.store import ToolRegistry
from ..catalog.store import registry as default_registry
from ..catalog.supply import Supply, as_names
from ..catalog.toolsets import Toolsets
from ..catalog.why import Story, Wells, explain
from ..core.config import Config, home_folder
from ..core.errors import ConfigError, UsageError
from ..core.loading import Late
from ..core.sandbox import PLACES, Sandbox, is_elsewhere, is_place
from ..core.types import (
    EMPTY_SCOPE,
    Approver,
    Args,
    Background,
    Embedder,
    Scope,
    SessionStore,
    ShellState,
    ToolCall,
    ToolEntry,
)
from ..guard.policies import policy
from ..guard.workspace import find_workspace
from ..pipeline.hooks import Hooks
from ..pipeline.limits import Limits
from ..pipeline.line import Pipeline
from ..sources.builtin import load_builtins
from ..sources.modules import Harvest
from ..sources.plugins import Ground, load_plugins
from .audit import open_audit
from .config_file import load_config

if TYPE_CHECKING:
    from ..catalog.search import Finder
    from ..core.types import Marks
    from ..guard.flow import Ledger

flow = Late("handiwork.guard.flow")
jobs = Late("handiwork.backends.environment.jobs")
marked = Late("handiwork.backends.files.marked")
search = Late("handiwork.catalog.search")
shutil = Late("shutil")
hook_commands = Late("handiwork.apps.hook_commands")
hook_config = Late("handiwork.apps.hook_config")
hook_record = Late("handiwork.apps.hook_record")
embedding_extra = Late("handiwork.backends.embeddings.extra")
embedders = Late("handiwork.backends.embeddings.late")
_MOST_SCOPES = 256
_MOST_SHELLS = 4096
Names = Iterable[str]


class House:
    """A registry with everything that works on it. `home` "" is a house without files."""

    def __init__(self, registry: ToolRegistry, *, home: str = "", config: Config | None = None) -> None:
        self.registry, self.home, self.config = registry, home, config or Config()
        self.toolsets = Toolsets(registry)
        self.supply = Supply(registry, self.toolsets, budget=self.config.tools_budget)
        self.embedder = self._open_embedder()
        self._finder: Finder | None = None
        desk = Desk(self.supply, finder=self.finder)
        self._bindings = {} if self.supply.budget is None else desk.handlers()
        self.hooks = Hooks(self._record_failure if home else None)
        self.harvest = Harvest()
        results = os.path.join(home, "results") if home else self._temporary_folder()
        self.pipeline = Pipeline(
            registry,
            judge=policy(mode=self.config.mode, readable=(results,)),
            hooks=self.hooks,
            limits=_limits(self.config, results),
        )
        self.keep_audit(home)
        self._results = results
        self._environment = self._open_environment()
        self.store: SessionStore | None = None  # opened by whoever first needs one: most never do
        self._marks: Marks | None = None
        self._ledgers: dict[tuple[Any, ...], Ledger] = {}
        self._scopes: dict[tuple[Any, ...], Scope] = {}
        self._shells: dict[tuple[Any, ...], ShellState] = {}
        self._hook_commands = self._open_hooks()
        self._define_toolsets()

    def keep_audit(self, folder: str) -> None:
        """Put every call on record in *folder* from now on, as `audit.jsonl`; "" keeps none, as in a plain house."""
        self.audit = self.pipeline.audit = open_audit(folder, self.config)

    def _record_failure(self, who: str, error: str) -> None:
        hook_record.HookRecord(self.home).note(who, error)

    def _open_hooks(self) -> Any:
        """What runs the commands of the configuration; None where it has none."""
        if not self.config.hooks:
            return None
        opened = hook_commands.HookCommands(self.config.mode, self.hooks.note)
        opened.register(hook_config.read_hooks(self.config.hooks), self.hooks)
        return opened

    def _open_embedder(self) -> Embedder | None:
        """None where nobody wants it or its extra isn't there, which `handiwork doctor` tells."""
        if not self.config.tool_search_embeddings or embedding_extra.missing():
            return None
        folder = os.path.join(self.home, "cache") if self.home else ""
        opened: Embedder = embedders.LateEmbedder(folder, languages=embedding_extra.knows_languages())
        return opened

    def finder(self) -> Finder:
        """What searches the tools, for all sessions: one index for each generation of the registry."""
        self._finder = self._finder or search.Finder(self.registry, self.embedder)
        return self._finder

    def _temporary_folder(self) -> str:
        """A folder for long results, made when one comes, gone with the house.

        What lies there is read unasked, so nobody may guess its name.
        """
        folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"handiwork-{os.getuid()}-{os.urandom(8).hex()}")
        weakref.finalize(self, _remove_folder, folder)
        return folder

    def _open_environment(self) -> LateEnvironment:
        return LateEnvironment(self._results, self.config.sandbox, self.home)

    def _define_toolsets(self) -> None:
        try:
            for name, made in self.config.custom_toolsets.items():
                self.toolsets.create(name, made.description, made.tools, made.includes)
        except UsageError as error:
            raise ConfigError(f"configuration, custom_toolsets: {error}", error.hint) from error

    # ------------------------------------------------------------------------------------- filling

    def fill(self) -> None:
        """Load the built-in tools and the person's plugins; what came of each file is kept in `harvest`."""
        _make_private(self.home)
        scanner = Scanner(os.path.join(self.home, "cache", "discovery.json"))
        load_builtins(self.registry, scanner, self.harvest)
        ground = Ground(self.registry, self.hooks.register, self._call)
        self.registry.may_override = self._may_override
        folder = os.path.join(self.home, "plugins")
        load_plugins(ground, folder, scanner, self.harvest, owner="user", disabled=self.config.plugins_disabled)
        scanner.save()

    def _may_override(self, origin: str) -> bool:
        return not origin.startswith(("plugin:", "mcp:")) or origin.rpartition("/")[2] in self.config.plugins_override

    def _call(self, name: str, args: Args) -> str:
        return self.pipeline.run(ToolCall(name, args, scope=self.scope())).text

    # ------------------------------------------------------------------------------------- calling

    def is_legal(self, entry: ToolEntry, example: Mapping[str, Any]) -> bool:
        """Whether an example is a call that needs no repair."""
        repaired = self.pipeline.plans.of(entry).apply(example)
        return repaired.args is not None and not repaired.notes

    def scope(
        self,
        task_id: str | None = None,
        session_id: str = "",
        cwd: str | None = None,
        approver: Approver | None = None,
        supplied: frozenset[str] | None = None,
        platform: str = "python",
        prompt: str = "",
    ) -> Scope:
        """A scope of this house, bound to its pipeline. Equal requests share one.

        With a *prompt*, which is what the person said, account is kept from now on of where the texts of this
        task and session come from.
        """
        where = os.path.abspath(cwd) if cwd else os.getcwd()
        origins = self._account((task_id, session_id), prompt)
        # the scope keeps the approver and the account alive
        key = (task_id, session_id, where, id(approver), supplied, platform, id(origins))
        known = self._scopes.get(key)
        if known is not None:
            return known
        scope = Scope(
            session_id=session_id,
            task_id=task_id or EMPTY_SCOPE.task_id,
            platform=platform,
            cwd=where,
            workspace=find_workspace(where),
            environment=self._environment,
            bindings=self._bindings,
            supplied=supplied,
            approver=approver,
            shell=self._shell((task_id, session_id, where)),
            origins=origins,
        )
        _make_room(self._scopes, _MOST_SCOPES)
        bound = self._scopes[key] = self.pipeline.bind(scope)
        return bound

    def _shell(self, key: tuple[Any, ...]) -> ShellState:
        """What the commands of one session share, whatever else differs between its scopes."""
        _make_room(self._shells, _MOST_SHELLS)
        return self._shells.setdefault(key, ShellState(key[-1]))

    def _account(self, key: tuple[Any, ...], prompt: str) -> Ledger | None:
        """What is known of where the texts of one task and session come from; None before its first prompt."""
        if not prompt:
            return self._ledgers.get(key) if self._ledgers else None
        _make_room(self._ledgers, _MOST_SCOPES)
        ledger = self._ledgers.setdefault(key, self.open_ledger())
        ledger.trust(prompt)
        return ledger

    def open_ledger(self) -> Ledger:
        """An account of where the texts of a new session come from; files are known from earlier ones."""
        if self._marks is None:
            self._marks = marked.MarkedFiles(os.path.join(self.home, "from-outside.jsonl") if self.home else "")
        opened: Ledger = flow.Ledger(self._marks, own=(self.home, self._results), vouching=self.config.trusted_sources)
        return opened

    def background(self, session: str) -> Background:
        """What the commands of one session (or task, where it has no session) have started beside it."""
        beside: Background = jobs.SessionJobs(self._environment, session)
        return beside

    def end_session(self, session: str) -> None:
        """End what the commands of a session left running beside it."""
        jobs.SessionJobs(self._environment, session).end_session()

    def move_commands(self, backend: str) -> None:
        """Run commands in another place than the configured one. Raises `UsageError` for what is none.

        Limits that only a sandbox keeps don't go along to a place that is none: whoever names it, wants that.
        """
        if not is_place(backend):
            hint = f"there are {', '.join(PLACES)}, ssh:HOST and docker:CONTAINER"
            raise UsageError(f"no place for commands: {backend!r}", hint)
        self._environment.close()
        self._scopes.clear()
        bare = is_elsewhere(backend) or backend in ("local", "none")
        wishes = Sandbox(backend) if bare else replace(self.config.sandbox, backend=backend)
        self.config = replace(self.config, sandbox=wishes)
        self._environment = self._open_environment()

    def close(self) -> None:
        """End every process that a tool started; what the audit holds back is written."""
        self._environment.close()
        if self.audit:
            self.audit.close()
        if self._hook_commands:
            self._hook_commands.close()

    def supplied(self, enabled: Names | None, disabled: Names | None) -> frozenset[str] | None:
        """The names that a selection shows; None, no restriction, where nothing is selected."""
        if enabled is None and not disabled:
            return None
        return self.supply.view(enabled, disabled).names

    def why(self, name: str, enabled: Names | None = None, disabled: Names = ()) -> Story:
        """Why a tool is visible or not under a selection."""
        wells = Wells(
            failures={f.path: f.error for f in self.harvest.loaded if f.error},
            silent=tuple(f.path for f in self.harvest.silent),
        )
        return explain(self.supply, name, enabled, as_names(disabled), wells)


def _limits(config: Config, folder: str) -> Limits:
    return Limits(
        max_chars=config.max_result_chars,
        turn_chars=config.turn_result_chars,
        context_tokens=config.context_tokens,
        folder=folder,
        named=config.result_chars,
    )


def _make_private(home: str) -> None:
    """A new home is its owner's alone. One that can't be made is told by whoever has something to store there."""
    with suppress(OSError):
        os.makedirs(os.path.dirname(home), exist_ok=True)
        os.mkdir(home, 0o700)


def _remove_folder(folder: str) -> None:
    if os.path.isdir(folder):
        shutil.rmtree(folder, ignore_errors=True)


def _make_room(known: dict[tuple[Any, ...], Any], most: int) -> None:
    if len(known) >= most:
        known.pop(next(iter(known)))


# --------------------------------------------------------------------------------------- which house


class _Houses:
    """The houses of this process: the default one, made when it is first needed, and plain ones."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._default: House | None = None
        self._opening: House | None = None

    def default(self) -> House:
        return self._default or self._open_default()

    def of(self, registry: ToolRegistry) -> House:
        if registry is default_registry:
            return self._default or self._open_default()
        house = registry.companion
        return house if isinstance(house, House) else self._build_plain(registry)

    def _build_plain(self, registry: ToolRegistry) -> House:
        with self._lock:
            house = registry.companion
            if not isinstance(house, House):
                house = registry.companion = House(registry)
            return house

    def _open_default(self) -> House:
        with self._lock:
            opened = self._default or self._opening  # the latter: a plugin calls back while it loads
            return opened or self._fill_default()

    def _fill_default(self) -> House:
        home = home_folder()
        project = find_workspace(os.getcwd())
        self._opening = House(default_registry, home=home, config=load_config(home, project))
        try:
            self._opening.fill()
            self._default = self._opening  # only now: other threads must not meet a house that is half full
            return self._default
        finally:
            self._opening = None


_houses = _Houses()
default = _houses.default
house_of = _houses.of
