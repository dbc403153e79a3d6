"""What a server may ask of us, answered: nothing that isn't switched on, and nobody there is a no."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from mcp.client.session import ClientRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    URL_ELICITATION_REQUIRED,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitationRequiredErrorData,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    ErrorData,
    ListRootsResult,
    Root,
    SamplingCapability,
    SamplingToolsCapability,
)
from pydantic import FileUrl, ValidationError

from ....core.errors import HandiworkError
from ....core.types import Ask
from ....guard.workspace import find_workspace
from ..settings import ServerSettings
from .callers import Caller, Callers
from .forms import Field, defaults_of, read_form, secrets_in
from .links import read_link
from .sampling import RefusedSamplingError, Sampling

REFUSED = -1  # the protocol's code for a person who says no
MOST_ROUNDS = 8
_TRIES = 3
_DECLINED = ElicitResult(action="decline")
_CANCELLED = ElicitResult(action="cancel")
Note: TypeAlias = Callable[[str], object]


class Answers:
    """Answers the questions of one server. *note* is told what was declined, and why."""

    def __init__(self, settings: ServerSettings, callers: Callers, note: Note) -> None:
        self._settings, self._callers, self._note = settings, callers, note
        self._sampling = Sampling(settings.name, settings.may)

    def keywords(self) -> Mapping[str, Any]:
        """Keywords of the SDK's `Client`: what isn't among them is not declared to the server."""
        may = self._settings.may
        said: dict[str, Any] = {"input_required_max_rounds": MOST_ROUNDS}
        if may.sampling != "off":
            said |= {
                "sampling_callback": self.sample,
                "sampling_capabilities": SamplingCapability(tools=SamplingToolsCapability()),
            }
        if may.elicitation != "off":
            said["elicitation_callback"] = self.elicit
        if may.roots != "off":
            said["list_roots_callback"] = self.list_roots
        return said

    # ---------------------------------------------------------------------------------------- sampling

    async def sample(
        self, _: ClientRequestContext, params: CreateMessageRequestParams
    ) -> CreateMessageResult | CreateMessageResultWithTools | ErrorData:
        """Ask the agent's model for the server."""
        caller = self._callers.asked()
        if caller is None:
            return self._refuse("there is nobody whose model could be asked")
        try:
            return await self._sampling.answer(caller, params)
        except RefusedSamplingError as refused:
            return self._refuse(str(refused))
        except HandiworkError as error:  # the model failed
            return ErrorData(code=INTERNAL_ERROR, message=str(error))

    def _refuse(self, why: str) -> ErrorData:
        self._note(f"sampling was refused: {why}")
        return ErrorData(code=REFUSED, message=why)

    # ------------------------------------------------------------------------------------- elicitation

    async def elicit(self, _: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult | ErrorData:
        """Have the person fill in a form, or open a page."""
        caller = self._callers.asked()
        if isinstance(params, ElicitRequestURLParams):
            return ElicitResult(action="accept") if await self.opens(caller, params) else _DECLINED
        try:
            fields = read_form(params.requested_schema)
        except ValueError as error:
            return self._decline(f"a form that can't be shown: {error}")
        if asked_for := secrets_in(fields):
            return self._decline(f"a form that asks for a secret ({', '.join(asked_for)})")
        return await self._fill_in(caller, params, fields)

    def _decline(self, what: str) -> ElicitResult:
        self._note(f"declined {what}")
        return _DECLINED

    async def _fill_in(
        self, caller: Caller | None, params: ElicitRequestFormParams, fields: list[Field]
    ) -> ElicitResult:
        if caller is not None and "clarify" in caller.call.scope.bindings:
            with caller.question():
                return await self._ask_fields(caller, params.message, fields)
        defaults = defaults_of(fields)
        if defaults is None:
            return self._decline("a form that nobody is there to fill in")
        if self._settings.may.elicitation == "on":
            return ElicitResult(action="accept", content=defaults)
        ask = Ask(f"{self._who}: {params.message}; it takes these values if you say yes")
        if caller is None or not await self._agreed(caller, "answer", defaults, ask):
            return self._decline("a form that nobody agreed to")
        return ElicitResult(action="accept", content=defaults)

    @property
    def _who(self) -> str:
        return f"the MCP server {self._settings.name!r} asks"

    async def _agreed(self, caller: Caller, what: str, args: dict[str, Any], ask: Ask) -> bool:
        with caller.question():
            return (await caller.approve(f"{self._settings.name}: {what}", args, ask)).allowed

    async def _ask_fields(self, caller: Caller, message: str, fields: list[Field]) -> ElicitResult:
        """One question a field; the first one says who asks, and for what."""
        content: dict[str, Any] = {}
        intro = f"{self._who}: {message}\n"
        if not fields and await _said(caller, f"{intro}Go on?", ["yes", "no"]) != "yes":
            return _DECLINED
        for field in fields:
            try:
                value = await _value_of(caller, intro, field)
            except ValueError as error:
                self._note(f"declined a form: {field.name}: {error}")
                return _CANCELLED
            content |= {} if value is None else {field.name: value}
            intro = ""
        return ElicitResult(action="accept", content=content)

    async def opens(self, caller: Caller | None, params: ElicitRequestURLParams) -> bool:
        """Whether the person opens a page, and has done there what it asks; it isn't fetched before, or by us."""
        try:
            link = read_link(params.url)
        except ValueError as error:
            self._note(f"declined to open {params.url!r}: {error}")
            return False
        ask = Ask(f"{self._who} you to open {link.words()} ({params.message}); say yes once you are done there")
        if caller is not None and await self._agreed(caller, "open a page", {"url": params.url}, ask):
            return True
        self._note(f"nobody opened {params.url}")
        return False

    async def opens_all(self, caller: Caller, error: MCPError) -> bool:
        """Whether *error* says that pages must be opened first, and the person has opened them all."""
        if error.code != URL_ELICITATION_REQUIRED or self._settings.may.elicitation == "off":
            return False
        try:
            wanted = ElicitationRequiredErrorData.model_validate(error.data).elicitations
        except ValidationError:
            return False
        for params in wanted:
            if not await self.opens(caller, params):
                return False
        return bool(wanted)

    # -------------------------------------------------------------------------------------------- roots

    async def list_roots(self, _: ClientRequestContext) -> ListRootsResult | ErrorData:
        """The folders that the server may take for ours: of the configuration, or the workspace of the call.

        Some servers serve these in place of those on their command line: what the person wrote there stands.
        """
        caller = self._callers.asked()
        scope = caller.call.scope if caller else None
        here = (scope.workspace or scope.here) if scope else find_workspace(os.getcwd())
        folders = _whole(self._settings.may.folders) or _named_folders(self._settings) or [here]
        if self._settings.may.roots == "ask":
            ask = Ask(f"{self._who} which folders you work in", (f"mcp roots {self._settings.name}",))
            if caller is None or not await self._agreed(caller, "tell the folders", {"folders": folders}, ask):
                return ListRootsResult(roots=[])
        return ListRootsResult(roots=[Root(uri=FileUrl(Path(f).as_uri()), name=Path(f).name) for f in folders])


def _whole(folders: tuple[str, ...]) -> list[str]:
    return [os.path.abspath(os.path.expanduser(folder)) for folder in folders]


def _named_folders(settings: ServerSettings) -> list[str]:
    """The folders on a program's command line."""
    if settings.kind != "stdio":
        return []
    filled = settings.filled(os.environ)
    paths = [os.path.join(filled.folder, os.path.expanduser(word)) for word in filled.args if not word.startswith("-")]
    return [os.path.abspath(path) for path in paths if os.path.isdir(path)]


async def _value_of(caller: Caller, intro: str, field: Field) -> Any:
    """What the person answers for *field*; None leaves it out. Raises `ValueError` where that is no answer."""
    problem = ""
    for _ in range(_TRIES):
        said = await _said(caller, f"{intro}{field.question()}{problem}", list(field.choices) or _yes_no(field))
        if not said:
            if field.has_default:
                return field.schema["default"]
            if not field.required:
                return None
            raise ValueError("the person gave no answer")
        try:
            return field.read(said)
        except ValueError as error:
            problem = f" - {error}"
    raise ValueError("no answer fitted")


def _yes_no(field: Field) -> list[str]:
    return ["yes", "no"] if field.kind == "boolean" else []


async def _said(caller: Caller, question: str, choices: list[str]) -> str:
    """The person's words; "" where they gave none, or can only give them another time."""
    said = await caller.run_bound("clarify", {"question": question, "choices": choices})
    return str(said.get("answer", "")) if isinstance(said, dict) else ""
