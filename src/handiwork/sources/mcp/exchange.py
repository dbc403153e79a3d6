"""One call of a server's tool: sent, waited for, and said truthfully what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from ...core.types import Args, Done
from ...core.wire import tool_error
from .asking.callers import Patience
from .faults import LateError, LostError, ServerError
from .results import outcome_of

if TYPE_CHECKING:
    from mcp.shared.dispatcher import ProgressFnT
    from mcp_types import CallToolResult

    from .asking.callers import Caller
    from .connection import Connection
    from .definitions import Definition
    from .supervisor import Supervisor


@dataclass(frozen=True, slots=True)
class Call:
    """What is to be called, until when (monotonic), and whether that may be done twice."""

    definition: Definition
    args: Args
    deadline: float
    caller: Caller
    may_replay: bool = False
    on_progress: ProgressFnT | None = None


async def carry_out(supervisor: Supervisor, call: Call) -> Done:
    """Call a tool; a server that is away is waited for. Raises `ServerError` where it can't be had.

    A connection that ends under the call is followed by a second try only where the server can't have heard
    of the first, or where twice is as good as once; so is an answer that a page must be opened first.
    """
    server, tool = supervisor.settings.name, call.definition.tool
    for attempt in (1, 2):
        connection = await supervisor.usable(call.deadline)
        try:
            return outcome_of(await _timed(supervisor, connection, call), call.definition.output_schema)
        except LostError as lost:
            if attempt == 2 or (lost.sent and not call.may_replay):
                return _lost(server, tool, lost)
        except (LateError, TimeoutError):
            return _late(server, tool, supervisor.settings.timeout)
        except ServerError as error:
            return _failed(server, "login", str(error), hint=error.hint)
        except MCPError as error:
            if attempt == 2 or not await supervisor.answers.opens_all(call.caller, error):
                return _refused(server, error)
        except ValidationError as error:
            said = f"{tool!r} has run, but its answer breaks the protocol and can't be read"
            return _failed(server, "protocol", said, detail=str(error).splitlines()[0])
    raise AssertionError("a call ends in the loop")


async def _timed(supervisor: Supervisor, connection: Connection, call: Call) -> CallToolResult:
    """Wait for the answer as long as there are signs of life, and until the call's deadline at most."""

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        patience.sign()
        if call.on_progress:
            await call.on_progress(progress, total, message)

    async with Patience(supervisor.settings.timeout, call.deadline) as patience:
        with supervisor.callers.calling(call.caller, patience):
            return await connection.call(call.definition, call.args, on_progress=hear)


def _refused(server: str, error: MCPError) -> Done:
    data = {} if error.data is None else {"data": error.data}
    return _failed(server, "protocol", f"{error.message} (code {error.code})", **data)


def _failed(server: str, kind: str, reason: str, **more: Any) -> Done:
    return Done(tool_error(reason, kind=kind, server=server, **more), is_error=True)


def _lost(server: str, tool: str, lost: LostError) -> Done:
    if not lost.sent:
        return _failed(server, "transport", f"{tool!r} was not called: {lost}")
    said = (
        f"the connection to the MCP server was lost while {tool!r} ran: {lost}. The outcome is unknown: it may "
        "have done its work. It was not called again; find out what it did before you do"
    )
    return _failed(server, "transport", said, outcome="unknown")


def _late(server: str, tool: str, silence_s: float) -> Done:
    said = (
        f"{tool!r} gave no answer and no sign of life in time (limit {silence_s:g} s) and was told to stop. "
        "The outcome is unknown: it may have done its work"
    )
    return _failed(server, "timeout", said, outcome="unknown")
