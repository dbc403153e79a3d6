"""The scopes of a house, and what those of one session share: its shell, the answers of its person, its account."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..core.loading import Late
from ..core.types import EMPTY_SCOPE, Approver, Scope, ShellState, Standing
from ..guard.workspace import find_workspace

if TYPE_CHECKING:
    from ..core.types import Marks
    from ..guard.flow import Ledger
    from .house import House

flow = Late("handiwork.guard.flow")
in_time = Late("handiwork.pipeline.in_time")
marked = Late("handiwork.backends.files.marked")
_MOST_SCOPES = 256
_MOST_SESSIONS = 4096


class Scopes:
    """Opens scopes of a *house*. Equal requests share one."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._marks: Marks | None = None
        self._ledgers: dict[tuple[Any, ...], Ledger] = {}
        self._scopes: dict[tuple[Any, ...], Scope] = {}
        self._shells: dict[tuple[Any, ...], ShellState] = {}
        self._standings: dict[tuple[Any, ...], Standing] = {}

    def forget(self, *, shells: bool = False) -> None:
        """Scopes that are asked for from now on are new: what they hold of the house has changed."""
        self._scopes.clear()
        if shells:
            self._shells.clear()

    def open(
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
            environment=self._house.environment,
            bindings=self._house.bindings,
            supplied=supplied,
            approver=self._in_time(approver, platform),
            shell=self._shell((task_id, session_id, where)),
            http=self._house.http,
            standing=self._standing(session_id),
            origins=origins,
        )
        _make_room(self._scopes, _MOST_SCOPES)
        bound = self._scopes[key] = self._house.pipeline.bind(scope)
        return bound

    def _shell(self, key: tuple[Any, ...]) -> ShellState:
        """What the commands of one session share, whatever else differs between its scopes."""
        _make_room(self._shells, _MOST_SESSIONS)
        return self._shells.setdefault(key, ShellState(key[-1], self._house.inside.variables))

    def _in_time(self, approver: Approver | None, platform: str) -> Approver | None:
        """The callback of an embedder, for as long as a person may take. The other faces keep the time themselves."""
        seconds = self._house.config.approval_seconds
        if approver is None or seconds is None or platform != "python":
            return approver
        timed: Approver = in_time.InTime(approver, seconds)
        return timed

    def _standing(self, session: str) -> Standing:
        """What the person of a session has answered so far, wherever it works. Without one, it is the scope's."""
        if not session:
            return Standing()
        _make_room(self._standings, _MOST_SESSIONS)
        return self._standings.setdefault((session,), Standing())

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
        house = self._house
        if self._marks is None:
            self._marks = marked.MarkedFiles(os.path.join(house.home, "from-outside.jsonl") if house.home else "")
        own, vouching = (house.home, house.results), house.config.trusted_sources
        opened: Ledger = flow.Ledger(self._marks, own=own, vouching=vouching)
        return opened


def _make_room(known: dict[tuple[Any, ...], Any], most: int) -> None:
    if len(known) >= most:
        known.pop(next(iter(known)))
