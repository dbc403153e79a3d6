"""The register itself. It stores and finds; it knows nothing of presets, safety or sessions."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..core.handler import accepted_keywords, as_text, call_handler, error_text
from ..core.loading import Late
from ..core.types import UNDECLARED, Traits
from ..core.wire import tool_error
from .entries import RejectionError, build_entry, mentioned_names
from .gate import Closed, Gate
from .origins import Rejection, Source, current_source

if TYPE_CHECKING:
    from ..core.types import Handler, Requires, Schema, ToolEntry

bridge = Late("handiwork.core.bridge")
logging = Late("logging")


class ToolRegistry:
    """Tools by name, toolset checks, toolset aliases. Writes lock; reads take lock-free snapshots.

    `generation` grows with every change, so whatever is derived from the registry can be cached by it.
    """

    def __init__(self, *, gate: Gate | None = None) -> None:
        self.gate = gate or Gate()
        self.generation = 0
        self.may_override: Callable[[str], bool] = _code_may_override
        self._lock = threading.RLock()
        self._tools: dict[str, ToolEntry] = {}
        self._accepts: dict[str, frozenset[str]] = {}
        self._mentions: dict[str, frozenset[str]] = {}
        self._members: defaultdict[str, dict[str, ToolEntry]] = defaultdict(dict)
        self._checks: dict[str, Callable[[], object]] = {}
        self._aliases: dict[str, str] = {}
        self._announced: set[str] = set()
        self._rejections: list[Rejection] = []
        # Who may know why a tool isn't here, such as a server of tools that is down.
        self.whereabouts: list[Callable[[str], Closed | None]] = []
        # What a higher floor built around this registry: kept here so that both go together.
        self.companion: object | None = None

    # ------------------------------------------------------------------------------------ writing

    def register(
        self,
        name: str,
        toolset: str,
        schema: Schema,
        handler: Handler,
        check_fn: Callable[[], object] | None = None,
        requires_env: Iterable[str | Iterable[str]] | None = None,
        is_async: bool = False,
        description: str = "",
        emoji: str = "",
        max_result_size_chars: int | None = None,
        dynamic_schema_overrides: Callable[[], Schema] | None = None,
        override: bool = False,
        *,
        traits: Traits = UNDECLARED,
        output_schema: Schema | None = None,
        examples: Iterable[Any] = (),
        defer: bool = False,
        requires: Requires | None = None,
        search_hint: str = "",
        preview: Callable[..., Any] | None = None,
        origin: str | None = None,
    ) -> None:
        """Add one tool.

        A tool that can't work, or whose name another toolset or origin holds, is refused: kept in
        `rejections`, logged at ERROR, never raised, so that one intruder can't stop the others.
        """
        source = current_source.get()
        origin = origin or source.origin
        try:
            entry = build_entry(
                name=name, toolset=toolset, schema=schema, handler=handler, check_fn=check_fn,
                requires_env=requires_env, is_async=is_async, description=description, emoji=emoji,
                max_result_size_chars=max_result_size_chars, dynamic_schema_overrides=dynamic_schema_overrides,
                traits=traits, output_schema=output_schema, examples=examples, defer=defer,
                requires=requires, search_hint=search_hint, preview=preview, origin=origin,
            )  # fmt: skip
        except RejectionError as no:
            self._reject(Rejection(str(name), str(toolset), origin, str(no)))
            return
        with self._lock:
            holder = self._tools.get(entry.name)
            why_not = holder and self._conflict(holder, entry, override)
            why_not = source.over or why_not
            if why_not:
                self._reject(Rejection(entry.name, entry.toolset, origin, why_not))
            else:
                self._put(entry, holder)
                source.note("tool", entry.name, holder)

    def deregister(self, name: str) -> None:
        """Take a tool away; a name that nobody holds is no error."""
        with self._lock:
            entry = self._tools.pop(name, None)
            if entry is not None:
                self._remove_traces(entry)
                self.generation += 1

    def register_toolset_check(self, toolset: str, check: Callable[[], object]) -> None:
        """Give a toolset a check of its own, apart from those of its tools."""
        self._set("check", toolset, check)

    def register_toolset_alias(self, alias: str, toolset: str) -> None:
        """Let *alias* stand for *toolset*, as `github` for `mcp-github`."""
        self._set("alias", alias, toolset)

    def announce_toolset(self, name: str) -> None:
        """A toolset of that name may get tools later: enabling it is no mistake until then."""
        with self._lock:
            self._announced.add(name)
            self.generation += 1

    def touch(self) -> None:
        """Something that supplies are derived from has changed."""
        with self._lock:
            self.generation += 1

    @contextmanager
    def registering(self, source: Source) -> Iterator[None]:
        """What is registered inside comes from *source*, and is noted there."""
        token = current_source.set(source)
        try:
            yield
        finally:
            current_source.reset(token)

    def take_back(self, source: Source, kept: Container[tuple[str, str]] = ()) -> None:
        """Take away what came from *source*, but for what is *kept*; who held its names before has them again."""
        with self._lock:
            for (kind, name), holder in source.before.items():
                if (kind, name) in kept:
                    continue
                if kind == "tool":
                    self._give_back(source.origin, name, holder)
                else:
                    self._set(kind, name, holder)

    def forget_rejections(self, origin: str) -> None:
        """What was refused from *origin* is asked for anew."""
        with self._lock:
            self._rejections = [r for r in self._rejections if r.origin != origin]

    # ------------------------------------------------------------------------------------ reading

    def get(self, name: str) -> ToolEntry | None:
        """The tool of that name."""
        return self._tools.get(name)

    def entries(self) -> list[ToolEntry]:
        """All tools, in the order of registration."""
        return list(self._tools.copy().values())

    def names(self) -> Iterable[str]:
        """The names of all tools: a snapshot."""
        return self._tools.copy().keys()

    def members(self, toolset: str) -> Mapping[str, ToolEntry]:
        """The tools that say they belong to *toolset*, by name: a snapshot."""
        members = self._members.get(toolset)
        return members.copy() if members else {}

    def toolsets(self) -> list[str]:
        """Names of all toolsets that have a tool, sorted."""
        return sorted(name for name, members in self._members.copy().items() if members)

    def is_announced(self, name: str) -> bool:
        """Whether a toolset may get tools later."""
        return name in self._announced

    def aliases(self) -> Mapping[str, str]:
        """Toolset aliases: a snapshot."""
        return self._aliases.copy()

    def missed(self, name: str) -> Closed | None:
        """Why a tool of that name isn't here, where a source of tools knows."""
        return next((known for ask in self.whereabouts if (known := ask(name))), None)

    def accepts(self, name: str) -> frozenset[str]:
        """Which of the offered keywords the tool's handler takes."""
        return self._accepts.get(name, frozenset())

    def mentions(self, name: str) -> frozenset[str]:
        """Identifiers in the texts of the tool's schema that might be names of other tools."""
        return self._mentions.get(name, frozenset())

    def rejections(self, name: str | None = None) -> list[Rejection]:
        """Refused registrations, of one name or all."""
        return [r for r in list(self._rejections) if name is None or r.name == name]

    def get_definitions(self, names: Iterable[str]) -> list[Schema]:
        """OpenAI definitions of those *names* that exist and whose gates are open, sorted by name."""
        entries = [e for n in sorted(set(names)) if (e := self._tools.get(n))]
        closed, _ = self.gate.survey(entries)
        return [{"type": "function", "function": e.schema} for e in entries if e.name not in closed]

    def is_toolset_available(self, toolset: str) -> bool:
        """True if the toolset's own check passes, and any of its tools' gates is open."""
        name = self._aliases.get(toolset, toolset)
        check = self._checks.get(name)
        if check is not None and not self.gate.passes(check):
            return False
        members = self.members(name)
        return any(not self.gate.closed(entry) for entry in members.values())

    def dispatch(self, name: str, args: dict[str, Any], **kw: Any) -> str:
        """Run the handler and nothing else: the raw last step of a call. Never raises."""
        entry = self._tools.get(name)
        if entry is None:
            return tool_error(f"Unknown tool: {name}")
        try:
            value = call_handler(entry.handler, self._accepts[name], args, kw)
            if type(value) is str:
                return value
            return as_text(bridge.tools_bridge.run(value, label=name) if hasattr(value, "__await__") else value)
        except BaseException as error:  # noqa: BLE001 - a tool that breaks is an answer
            return error_text(error)

    # ----------------------------------------------------------------------------------- conflicts

    def _conflict(self, holder: ToolEntry, entry: ToolEntry, override: bool) -> str | None:
        if override and self.may_override(entry.origin):
            return None
        if holder.toolset == entry.toolset:
            if holder.origin == entry.origin:
                return None
            return f"{holder.origin} holds the name in the same toolset"
        if holder.toolset.startswith("mcp-") and entry.toolset.startswith("mcp-"):
            return None
        return f"toolset {holder.toolset!r} ({holder.origin}) holds the name"

    def _reject(self, rejection: Rejection) -> None:
        with self._lock:
            if rejection in self._rejections:
                return
            self._rejections.append(rejection)
        logging.getLogger(__name__).error("Tool registration REJECTED: %s", rejection)

    def _set(self, kind: str, name: str, value: Any) -> None:
        """A toolset's check or alias; None takes it away."""
        table: dict[str, Any] = self._checks if kind == "check" else self._aliases
        source = current_source.get()
        with self._lock:
            if source.over:
                self._reject(Rejection(name, name, source.origin, source.over))
                return
            source.note(kind, name, table.pop(name, None))
            if value is not None:
                table[name] = value
            self.generation += 1

    def _give_back(self, origin: str, name: str, holder: ToolEntry | None) -> None:
        """A tool's name to whoever held it before, unless somebody else has it by now."""
        entry = self._tools.get(name)
        if entry is not None and entry.origin == origin:
            self.deregister(name)
            if holder is not None:
                self._put(holder, None)

    def _put(self, entry: ToolEntry, holder: ToolEntry | None) -> None:
        if holder is not None:
            self._remove_traces(holder)
        name = entry.name
        self._accepts[name] = accepted_keywords(entry.handler)
        if mentions := mentioned_names(entry):
            self._mentions[name] = mentions
        self._members[entry.toolset][name] = entry
        self._tools[name] = entry
        self.generation += 1

    def _remove_traces(self, entry: ToolEntry) -> None:
        self._members[entry.toolset].pop(entry.name, None)
        self._mentions.pop(entry.name, None)
        self._accepts.pop(entry.name, None)


def _code_may_override(origin: str) -> bool:
    return not origin.startswith(("plugin:", "mcp:"))


registry = ToolRegistry()
