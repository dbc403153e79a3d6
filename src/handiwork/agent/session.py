"""What is kept of a conversation while it happens, so that it outlives its process."""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections import defaultdict
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import StorageError, UsageError
from ..core.types import (
    DELEGATE,
    Answer,
    Approver,
    Artifact,
    Ask,
    Done,
    Entry,
    EntryKind,
    Message,
    Outcome,
    Pending,
    Ready,
    Refusal,
    Scope,
    SessionInfo,
    SessionStore,
    ToolResult,
    Usage,
)
from ..core.usage import usage_document
from ..core.wire import dumps
from ..guard.approval import settle
from ..guard.redaction import redact
from .asked import asked_of
from .file_marks import marks_of_call
from .history import Unanswered, history_of
from .truth import in_short, inner_truths, past_of, truth_about
from .waiting import Question, granting, open_questions, question_about, question_of, redacted, yeses_to

_MOST_TEXT = 100_000
_MOST_TITLE = 80
_MOST_ARTIFACT = 1 << 20


class Unkept:
    """A conversation that nobody stores. Below it is one that is stored."""

    id: str = ""
    problem: str = ""
    history: Sequence[Message] = ()
    granted: Sequence[Question] = ()
    of_person = True  # whether its prompts are what a person said

    def begin(self, prompt: str) -> None:
        """A task is about to begin."""

    def keep_message(self, message: Message, kind: EntryKind, usage: Usage | None = None) -> None:
        """Something was said."""

    def keep_result(self, result: ToolResult, message: Message) -> None:
        """A call has its result, which the model reads as *message*."""

    def hold(self, _: ToolResult, /) -> bool:
        """Whether a call waits for somebody, and gets its result in another process."""
        return False

    def note_refusal(self, ready: Ready, no: Refusal) -> None:
        """A call doesn't run."""

    def end(self, ending: str, reason: str = "") -> None:
        """A task ended; the conversation may go on."""

    def close(self) -> None:
        """Nothing more will be said here."""

    def tell_interrupted(self) -> Mapping[str, str]:
        """What is known of calls that were cut short just now, by their ids."""
        return {}

    def within(self, scope: Scope) -> Scope:
        """The scope for calls of this conversation."""
        return scope

    def past(self) -> Iterator[Entry]:
        """What is stored of it so far."""
        return iter(())


class Session(Unkept):
    """A stored conversation, and the journal of its effects.

    It begins with its first task. When something can't be saved, `problem` says so, nothing more is
    written, and a call whose intent could not be noted doesn't run. One that *waits* leaves calls that need
    a person, or a job, unanswered: they are answered later, by `sessions answer`.
    """

    def __init__(self, store: SessionStore, info: SessionInfo, *, waits: bool = False) -> None:
        self._store, self.info, self._waits = store, info, waits
        self.id = info.id  # "" before its first task
        self.of_person = info.platform != DELEGATE
        self.history: Sequence[Message] = ()
        self._next = itertools.count(info.entries + 1)
        self._asked: dict[str, dict[str, Any]] = {}
        self._begun: dict[int, tuple[Ready, int]] = {}  # the call is kept, so that nothing else gets its id()
        self._ending = "interrupted"
        self._closed = False
        self._yeses: list[Question] = []
        self._past: defaultdict[tuple[str, str], list[Done]] = defaultdict(list)

    @classmethod
    def resume(cls, store: SessionStore, info: SessionInfo, *, waits: bool = False) -> Session:
        """Go on with a stored session. Calls that were cut short are answered with what became of them.

        Raises `SessionBusyError` while another process works on it, `UsageError` while it waits for an answer.
        """
        store.claim(info)
        entries = list(store.entries(info.number))
        if not entries:
            raise StorageError(f"nothing is left of session {info.id}", "handiwork check --repair")
        if unanswered := open_questions(entries):
            store.release(info, "waiting")
            raise UsageError(
                f"session {info.id} waits for an answer: {unanswered[0].text}",
                f"handiwork sessions answer {info.id} {unanswered[0].call} ...",
            )
        session = cls(store, replace(info, entries=entries[-1].seq), waits=waits)
        session._ending = info.state  # as long as no further task ends
        session._append("resumed", "", {})
        session._mend(history_of(entries).unanswered)
        session.history = history_of(store.entries(info.number)).messages
        return session

    def _mend(self, unanswered: Sequence[Unanswered]) -> None:
        """Answer what has no answer, but for the calls that were granted: they are to run."""
        for missing in unanswered:
            question = question_of(missing)
            if question and question.is_granted:
                self._grant(question, missing)
                continue
            truth = truth_about(missing.id, missing.notes)
            done = in_short(inner_truths(missing.id, missing.notes))
            content, state = (question.content(done), "answered") if question else (truth.content(), truth.state)
            self._append("mended", missing.id, {"message": missing.answer(content), "state": state})

    def _grant(self, question: Question, missing: Unanswered) -> None:
        """The call is to run, with what it has done within itself before."""
        self.granted = [*self.granted, question]
        self._yeses += yeses_to(missing)
        for what, done in past_of(missing.id, missing.notes):
            self._past[missing.id, what].append(done)

    def begin(self, prompt: str) -> None:
        """A task is about to begin; the first one gives a new session its title."""
        if self.info.number or self.problem:
            return
        try:
            self.info = self._store.begin(replace(self.info, title=title_of(prompt)))
            self.id = self.info.id
            self._next = itertools.count(2)
        except StorageError as error:
            self.problem = str(error)

    def keep_message(self, message: Message, kind: EntryKind, usage: Usage | None = None) -> None:
        """Something was said: a `prompt` or `nudge` to the model, its `reply`, or an answer that was `mended`."""
        used = {"usage": usage_document(usage)} if usage else {}
        self._keep(kind, str(message.get("tool_call_id", "")), {"message": message, **used})

    def keep_result(self, result: ToolResult, message: Message) -> None:
        """A call has its result. Of one that was cut, the file that holds the whole is noted with its hash."""
        facts: dict[str, Any] = {
            "message": message,
            "status": result.status,
            "duration_ms": round(result.duration_ms, 3),
        }
        if result.by:
            facts["by"] = result.by
        if result.shown is not None:
            facts["content"] = result.content
        if result.labels:
            facts["labels"] = [[label.integrity, label.source] for label in result.labels]
        if result.kept and not self.problem:
            facts["whole"] = self._kept(result.kept)
        if result.artifacts:
            facts["artifacts"] = list(map(_stored, result.artifacts))
        self._keep("result", result.call.id, facts)

    def intent(self, ready: Ready, /) -> None:
        """An effect is about to happen. Raises `StorageError` where that can't be noted: it must not happen then."""
        if self.problem or not self.info.number:
            return
        facts: dict[str, Any] = {"tool": ready.entry.name, "args": ready.args, "files": marks_of_call(ready)}
        if ready.repairs:
            facts["repairs"] = list(ready.repairs)
        if "tool" in ready.entry.traits.touches.values():
            facts["through"] = True  # what it does is noted under the tool that it calls
        if (within := ready.call.outermost.id) != ready.call.id:
            facts["within"] = within
        try:
            self._begun[id(ready)] = ready, self._append("intent", ready.call.id, facts)
        except StorageError as error:
            self.problem = str(error)
            raise StorageError(f"not run, since it can't be noted: {error}", error.hint) from error

    def outcome(self, ready: Ready, outcome: Outcome, /) -> None:
        """What came of an effect."""
        _, intent = self._begun.pop(id(ready), (ready, 0))
        if not intent:
            return
        facts: dict[str, Any] = {"intent": intent, **_told(outcome)}
        if source := _outside_source(ready, outcome):
            facts["outside"] = source
        if files := marks_of_call(ready):
            facts["files"] = files
        self._keep("outcome", ready.call.id, facts)

    def hold(self, result: ToolResult, /) -> bool:
        """Whether the call waits for somebody; what for is noted, and it gets its result in another process."""
        asked = question_about(result) if self._waits and not self.problem else None
        if asked:
            asked |= self._asked.pop(result.call.id, {}) if asked["about"] == "approval" else {}
            self._keep("question", result.call.id, asked)
        return bool(asked) and not self.problem

    def note_refusal(self, ready: Ready, no: Refusal) -> None:
        """What somebody would have been asked about, had they been there, is kept for when they are."""
        if self._waits and no.by == "approval" and ready.asks:
            self._asked[ready.call.id] = {"facts": redacted(asked_of(ready, ready.asks).document())}

    def end(self, ending: str, reason: str = "") -> None:
        """A task ended so."""
        self._ending = ending
        if self.info.number:
            self._keep("ended", "", {"ending": ending, "reason": reason})

    def close(self) -> None:
        """Let others go on with it."""
        if self._closed or self.problem or not self.info.number:
            return
        self._closed = True
        try:
            self._store.release(self.info, self._ending)
        except StorageError as error:
            self.problem = str(error)

    def tell_interrupted(self) -> Mapping[str, str]:
        """What is known of calls that were cut short just now, by their ids."""
        if self.problem or not self.info.number:
            return {}
        try:
            unanswered = history_of(self._store.entries(self.info.number)).unanswered
        except StorageError as error:
            self.problem = str(error)
            return {}
        return {m.id: truth_about(m.id, m.notes, settled=False).content() for m in unanswered}

    def within(self, scope: Scope) -> Scope:
        """The scope for calls of this session: its effects are journaled, what its approver says is kept."""
        asked = granting(self._yeses, scope.approver) if self._yeses else scope.approver
        checks = (*scope.checks, self._recall) if self._past else scope.checks
        asked = asked and self._witness(asked)
        return replace(scope, session_id=self.id, journal=self, approver=asked, checks=checks, waits=self._waits)

    def _recall(self, ready: Ready, /) -> Ready:
        """A call within one that is run again isn't: it came to something before."""
        call = ready.call.outermost
        past = self._past.get((call.id, dumps([ready.entry.name, ready.args]))) if call is not ready.call else None
        return replace(ready, answer=past.pop(0)) if past else ready

    def past(self) -> Iterator[Entry]:
        """What is stored of it so far. Raises `StorageError`."""
        return self._store.entries(self.info.number) if self.info.number else iter(())

    def _witness(self, approver: Approver) -> Approver:
        def ask(ready: Ready, ask: Ask, /) -> Any:
            said = approver(ready, ask)
            return self._awaited(ready, ask, said) if hasattr(said, "__await__") else self._decided(ready, ask, said)

        return ask

    async def _awaited(self, ready: Ready, ask: Ask, said: Awaitable[bool | Answer]) -> Any:
        return self._decided(ready, ask, await said)

    def _decided(self, ready: Ready, ask: Ask, said: Any) -> Any:
        answer = settle(said)
        facts = {"tool": ready.entry.name, "reason": ask.reason, "keys": ask.keys, "allowed": answer.allowed}
        self._keep("decision", ready.call.id, {**facts, "keep": answer.keep, "note": answer.note})
        return said

    def _keep(self, kind: EntryKind, call: str, body: dict[str, Any]) -> None:
        """Note what has happened already: if that can't be saved, it is told at the end."""
        if self.problem or not self.info.number:
            return
        try:
            self._append(kind, call, body)
        except StorageError as error:
            self.problem = str(error)

    def _kept(self, path: str) -> dict[str, Any]:
        try:
            return _described(self._store.keep_file(self.id, path))
        except (StorageError, OSError) as error:
            return {"path": path, "problem": str(error)}

    def _append(self, kind: EntryKind, call: str, body: dict[str, Any]) -> int:
        seq = next(self._next)
        self._store.append(self.info.number, seq, kind, call=call, body=dumps(body))
        return seq


def title_of(text: str) -> str:
    """The first line of *text* as the title of a session: without secrets, and short."""
    title = redact((text.strip().splitlines() or [""])[0])
    return title if len(title) <= _MOST_TITLE else f"{title[: _MOST_TITLE - 1]}…"


def _told(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON: its kind, its text without secrets, and where it can be found again."""
    if isinstance(outcome, Done):
        text = outcome.value if isinstance(outcome.value, str) else dumps(outcome.value)
        error = {"is_error": True} if outcome.is_error else {}
        return {"kind": "done", "text": redact(text[:_MOST_TEXT]), **error}
    if isinstance(outcome, Pending):
        return {"kind": "pending", "text": redact(outcome.note), "handle": outcome.handle}
    return {"kind": "needs_input", "text": redact(outcome.message), "handle": outcome.handle, "form": outcome.form}


def _outside_source(ready: Ready, outcome: Outcome) -> str:
    """Where the text came from, if it isn't to be obeyed."""
    labels = outcome.labels if isinstance(outcome, Done) else ()
    named = next((label.source for label in labels if label.integrity == "outside"), "")
    entry = ready.entry
    return named or (entry.name if entry.traits.open_world or entry.origin.startswith("mcp:") else "")


def _described(path: str) -> dict[str, Any]:
    with open(path, "rb") as file:
        data = file.read()
    return {"path": path, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _stored(artifact: Artifact) -> dict[str, Any]:
    about = {"mime": artifact.mime, "name": artifact.name, "path": artifact.path, "size": len(artifact.data)}
    small = 0 < len(artifact.data) <= _MOST_ARTIFACT
    return about | ({"base64": base64.b64encode(artifact.data).decode()} if small else {})
