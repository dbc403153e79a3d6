"""Put the parts together. The only file that knows them all."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ..backends.environment.late import LateEnvironment
from ..backends.http.late import LateHttp
from ..catalog.desk import Desk
from ..catalog.discovery import Scanner
from ..catalog.store import ToolRegistry
from ..catalog.store import registry as default_registry
from ..catalog.supply import Supply, as_names
from ..catalog.toolsets import Toolsets
from ..catalog.why import Story, explain
from ..core.config import Config, home_folder
from ..core.errors import ConfigError, UnknownNameError, UsageError
from ..core.loading import Late
from ..core.sandbox import PLACES, Sandbox, is_elsewhere, is_place
from ..core.secrets import Secret
from ..core.types import (
    Args,
    Background,
    Embedder,
    Judge,
    SessionStore,
    ToolCall,
    ToolEntry,
)
from ..guard.policies import policy
from ..guard.workspace import find_workspace
from ..pipeline.hooks import Hooks
from ..pipeline.limits import Limits
from ..pipeline.line import Pipeline
from ..sources.builtin import load_builtins
from ..sources.codes import Codes
from ..sources.modules import Harvest
from ..sources.plugins import Plugins, Wishes
from ..sources.trial import Plugin
from ..sources.view import Ground
from .audit import open_audit
from .bindings import BY_OUR_AGENT
from .config_file import load_config
from .denials import Denials
from .foreign_names import meaning_of
from .inside import PROFILE_VARIABLE, Inside
from .rulebooks import Rulebooks
from .scopes import Scopes
from .servers import Servers, unconfigured

if TYPE_CHECKING:
    from ..catalog.search import Finder
    from ..guard.rules.rulebook import Rulebook
    from .profiles import Profile

absences = Late("handiwork.sources.absences")
jobs = Late("handiwork.backends.environment.jobs")
search = Late("handiwork.catalog.search")
reaches = Late("handiwork.guard.reach")
secrets = Late("handiwork.apps.secrets")
shutil = Late("shutil")
places = Late("handiwork.backends.environment.table")
profile_files = Late("handiwork.apps.profiles")
hook_commands = Late("handiwork.apps.hook_commands")
hook_config = Late("handiwork.apps.hook_config")
own_programs = Late("handiwork.apps.own_programs")
transcript_files = Late("handiwork.apps.transcript_files")
hook_record = Late("handiwork.apps.hook_record")
embedding_extra = Late("handiwork.backends.embeddings.extra")
embedders = Late("handiwork.backends.embeddings.late")
Names = Iterable[str]


class House:
    """A registry with everything that works on it. `home` "" is a house without files."""

    def __init__(self, registry: ToolRegistry, *, home: str = "", config: Config | None = None) -> None:
        self.registry, self.home, self.config = registry, home, config or Config()
        self.project = ""
        self.toolsets = Toolsets(registry)
        self.rules = Rulebooks(home, registry) if home else None
        self.inside = Inside()
        denials = Denials(self.rules, lambda: self.inside.fences, lambda: self.project)
        self.supply = Supply(registry, self.toolsets, budget=self.config.tools_budget, denial=denials)
        self.embedder = self._open_embedder()
        self._finder: Finder | None = None
        desk = Desk(self.supply, finder=self.finder)
        self.bindings = {} if self.supply.budget is None else desk.handlers()
        self.hooks = Hooks(self._record_failure if home else None)
        self.harvest = Harvest()
        codes = Codes(os.path.join(home, "cache", "plugins.code") if home else "")
        self.ground = Ground(registry, self.hooks, self._call, self.toolsets, codes=codes)
        wishes = Wishes(self.config.plugins_disabled, self.config.plugin_seconds)
        self.plugins = Plugins(self.ground, self.harvest, wishes)
        self.results = os.path.join(home, "results") if home else self._temporary_folder()
        self._programs = own_programs.read_own_programs(self.config.programs) if self.config.programs else None
        self.pipeline = Pipeline(
            registry,
            judge=self._judge(self.rules.book if self.rules else None),
            hooks=self.hooks,
            limits=_limits(self.config, self.results),
            most_at_once=self.config.most_at_once,
        )
        self.pipeline.absence = self._absence
        self.keep_audit(home)
        self.environment = self._open_environment()
        self.http = LateHttp(lambda: reaches.reach(self.config.http.allow))
        self.store: SessionStore | None = None  # opened by whoever first needs one: most never do
        self.scopes = Scopes(self)
        self.scope = self.scopes.open
        self._hook_commands = self._open_hooks()
        self.servers = Servers()
        self._define_toolsets()

    def _judge(self, rules: Callable[[str], Rulebook | None] | None) -> Judge:
        inner = self.inside.fences
        listed = self.config.http.allow
        return policy(
            self.config.mode, (self.results,), listed=listed, rules=rules, programs=self._programs, fences=inner
        )

    @property
    def guard_alone(self) -> Judge:
        """What the guard says without rules of the person's."""
        return self._judge(None)

    def keep_audit(self, folder: str) -> None:
        """Put every call on record in *folder* from now on, as `audit.jsonl`; "" keeps none, as in a plain house."""
        self.audit = self.pipeline.audit = open_audit(folder, self.config)

    def _record_failure(self, who: str, error: str) -> None:
        hook_record.HookRecord(self.home).note(who, error)

    def _open_hooks(self) -> Any:
        """What runs the commands of the configuration; None where it has none."""
        if not self.config.hooks:
            return None
        transcripts = transcript_files.TranscriptFiles(lambda: self.store)
        opened = hook_commands.HookCommands(self.config.mode, self.hooks.note, transcripts.path_of)
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
        known = self.config.secrets
        if known:
            secrets.mask_known(known)
        return LateEnvironment(self.results, self.config.sandbox, self.home, lambda: self._open_vault(known))

    def _open_vault(self, known: tuple[Secret, ...]) -> tuple[Any, ...]:
        return secrets.open_vault(known) if known else ()

    def _define_toolsets(self) -> None:
        try:
            for name, made in self.config.custom_toolsets.items():
                self.toolsets.create(name, made.description, made.tools, made.includes)
        except UsageError as error:
            raise ConfigError(f"configuration, custom_toolsets: {error}", error.hint) from error

    # ------------------------------------------------------------------------------------- filling

    def fill(self, project: str = "") -> None:
        """Load the built-in tools, and the plugins of the person, of installed packages and of the *project*.

        What came of each file is kept in `harvest`.
        """
        self.project = project
        _make_private(self.home)
        scanner = Scanner(os.path.join(self.home, "cache", "discovery.json"))
        load_builtins(self.registry, scanner, self.harvest)
        self.registry.may_override = self._may_override
        self.plugins.load(lambda: self._found_plugins(scanner, project))
        scanner.save()
        # In the place of what a house knew that had this registry before.
        self.registry.whereabouts[:] = [meaning_of, absences.Absences(self.harvest, self.plugins)]
        self.servers.open(self)
        self.registry.whereabouts.append(partial(unconfigured, self.servers))
        if self.rules:
            self.rules.book(find_workspace(os.getcwd()))  # what is wrong with a rule is told now
        self._stand_inside()

    def _stand_inside(self) -> None:
        """The profiles of whoever started this process, and that of the configuration."""
        above = os.environ.get(PROFILE_VARIABLE, "").split(",")
        for name in dict.fromkeys(name for name in (*above, self.config.profile) if name):
            try:
                self.use_profile(name)
            except UsageError as error:
                raise ConfigError(f"configuration, profile {name}: {error}", error.hint) from error

    def _found_plugins(self, scanner: Scanner, project: str) -> Iterator[Plugin]:
        """The person's own first: what comes later can't take their names."""
        yield from self.plugins.of_folder(scanner, os.path.join(self.home, "plugins"))
        yield from self.plugins.of_packages(scanner, project)
        if self.project_plugins:
            yield from self.plugins.of_project(scanner, self.project_plugins, self.home)

    @property
    def project_plugins(self) -> str:
        """Where the plugins of the project are that this house was opened in; "" where it is in none."""
        settings = os.path.join(self.project, ".handiwork") if self.project else ""
        return os.path.join(settings, "plugins") if settings and settings != self.home else ""

    def _may_override(self, origin: str) -> bool:
        """Whether the person lets this origin replace tools of others; a project's plugins by their full name only."""
        kind, _, name = origin.partition(":")
        if kind not in ("plugin", "mcp"):
            return True
        owner, _, short = name.rpartition("/")
        allowed = self.config.plugins_override
        return name in allowed or (owner != "project" and short in allowed)

    def _call(self, name: str, args: Args, task_id: str | None = None) -> str:
        return self.pipeline.run(ToolCall(name, args, scope=self.scope(task_id))).text

    # ------------------------------------------------------------------------------------- calling

    def is_legal(self, entry: ToolEntry, example: Mapping[str, Any]) -> bool:
        """Whether an example is a call that needs no repair."""
        repaired = self.pipeline.plans.of(entry).apply(example)
        return repaired.args is not None and not repaired.notes

    def background(self, session: str) -> Background:
        """What the commands of one session (or task, where it has no session) have started beside it."""
        beside: Background = jobs.SessionJobs(self.environment, session)
        return beside

    def end_session(self, session: str) -> None:
        """End what the commands of a session left running beside it."""
        jobs.SessionJobs(self.environment, session).end_session()

    def move_commands(self, backend: str) -> None:
        """Run commands in another place than the configured one. Raises `UsageError` for what is none.

        Limits that only a sandbox keeps don't go along to a place that is none: whoever names it, wants that.
        """
        if not is_place(backend):
            hint = f"there are {', '.join(PLACES)}, ssh:HOST and docker:CONTAINER"
            raise UsageError(f"no place for commands: {backend!r}", hint)
        self.environment.close()
        self.scopes.forget()
        bare = is_elsewhere(backend) or backend in ("local", "none")
        wishes = Sandbox(backend) if bare else replace(self.config.sandbox, backend=backend)
        self.config = replace(self.config, sandbox=wishes)
        self.environment = self._open_environment()
        inside, self.inside = self.inside, Inside()
        for name in inside.names:  # what keeps them is another now
            self.use_profile(name)

    def use_profile(self, name: str) -> None:
        """Work inside a profile of the configuration from now on, beside those that hold. Raises `UsageError`."""
        said = self.config.profiles.get(name)
        if said is None:
            raise UnknownNameError("profile", name, self.config.profiles, "write it under `profiles` in config.yaml")
        if self.rules is None or name in self.inside:
            return
        names = profile_files.Names(self.rules.vocabulary(), self.registry, self.toolsets)
        found: Profile = profile_files.read_profile(name, said or {}, names, find_workspace(os.getcwd()))
        if found.wants_keeping:
            backend = self.config.sandbox.backend
            found = found.kept(not is_elsewhere(backend) and places.choose(backend, self.home).name != "local")
        self.environment.close()
        self.scopes.forget(shells=True)
        self.inside = self.inside.around(found)
        self.registry.touch()  # what is supplied is less now
        self.config = profile_files.narrowed(self.config, found, names)
        self.environment = self._open_environment()
        self.pipeline.judge = self._judge(self.rules.book)

    def close(self) -> None:
        """End every process that a tool started; what the audit holds back is written."""
        self.servers.close()
        self.environment.close()
        if self.audit:
            self.audit.close()
        if self._hook_commands:
            self._hook_commands.close()

    def supplied(self, enabled: Names | None, disabled: Names | None) -> frozenset[str] | None:
        """The names that a selection shows; None, no restriction, where nothing is selected."""
        if enabled is None and not disabled:
            return None
        return self.supply.view(enabled, disabled).names

    def why(
        self,
        name: str,
        enabled: Names | None = None,
        disabled: Names = (),
        *,
        bound: Collection[str] | None = BY_OUR_AGENT,
        unsayable: Mapping[str, str] | None = None,
    ) -> Story:
        """Why a tool is visible or not under a selection, to an agent that binds *bound*."""
        return explain(self.supply, name, enabled, as_names(disabled), bound=bound, unsayable=unsayable)

    def _absence(self, entry: ToolEntry) -> str:
        """Why a registered tool isn't supplied, in a line; "" where nothing but the selection stops it."""
        return stop.detail if (stop := self.why(entry.name, bound=None).stop) else ""


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


# --------------------------------------------------------------------------------------- which house


class _Houses:
    """The houses of this process: the default one, made when it is first needed, and plain ones."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._default: House | None = None

    def default(self) -> House:
        # The second: a plugin calls back while it loads, in a thread of its own, and must not wait for itself.
        return self._default or _opening.get() or self._open_default()

    def of(self, registry: ToolRegistry) -> House:
        if registry is default_registry:
            return self.default()
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
            return self._default or self._fill_default()

    def _fill_default(self) -> House:
        home, project = home_folder(), find_workspace(os.getcwd())
        house = House(default_registry, home=home, config=load_config(home, project))
        default_registry.companion = house  # a plugin's view of the registry leads here, too
        token = _opening.set(house)
        try:
            house.fill(project)
            self._default = house  # only now: other threads must not meet a house that is half full
            return house
        finally:
            _opening.reset(token)


_opening: ContextVar[House | None] = ContextVar("handiwork_opening", default=None)
_houses = _Houses()
default = _houses.default
house_of = _houses.of
