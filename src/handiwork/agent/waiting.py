"""Calls that wait for somebody: for a yes, for an answer, for a job that runs elsewhere.

A session that waits has ended its process. Each question is in its entries, and so is its one answer, which
any process may give; whoever resumes the session then goes on from there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..core.errors import UnknownNameError, UsageError
from ..core.types import Answer, Approver, Ask, Entry, Keep, Ready, ToolCall, ToolResult
from ..core.wire import dumps, tool_error
from ..guard.redaction import redact
from ..guard.sanitizer import sanitize
from ..pipeline.nested import mark_of
from ..pipeline.repair import repair_arguments
from .asked import digests_of
from .history import Unanswered

About: TypeAlias = Literal["approval", "input", "job"]
_ABOUT: Mapping[str, About] = {"needs_input": "input", "pending": "job"}


@dataclass(frozen=True, slots=True)
class Question:
    """What call *call* waits for. `text` says it to a person, `form` is the JSON Schema of an answer to it.

    `handle` finds the work or the form again, `inside` is the mark of the call within it that asks. `facts` are
    what a person is told who is to say yes (see `agent.asked`). `answer` is what was said, None so far.
    """

    seq: int
    call: str
    about: About
    tool: str
    arguments: Any
    text: str
    form: Mapping[str, Any] = field(default_factory=dict)
    handle: str = ""
    inside: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    answer: Mapping[str, Any] | None = None

    @property
    def is_granted(self) -> bool:
        """Whether the call may run now."""
        return self.about == "approval" and self.answer is not None and bool(self.answer.get("allowed"))

    def content(self, done: Sequence[str] = ()) -> str:
        """What the model reads as the answer to its call; *done* is what was done within it before it asked."""
        answer = self.answer or {}
        if self.about == "approval":
            note = f": {answer['note']}" if answer.get("note") else ""
            within = {"done_within": list(done)} if done else {}
            return tool_error(f"not executed: not approved ({self.text}){note}", refused_by="approval", **within)
        return dumps({"answer": answer.get("value")})


def question_about(result: ToolResult) -> dict[str, Any] | None:
    """What must be asked before a call has a result, as the body of an entry; None where nothing must be."""
    facts = {"tool": result.call.name, "arguments": result.call.arguments}
    if result.status in _ABOUT:
        said = _said(result.content)
        text = said.get("needs_input") or said.get("note") or said.get("pending") or result.content
        handle = said.get("handle") or said.get("pending") or ""
        return {**facts, "about": _ABOUT[result.status], "text": text, "form": said.get("form", {}), "handle": handle}
    if result.status == "refused" and result.by == "approval":
        said = _said(result.content)
        inside = {"inside": said["inside"]} if "inside" in said else {}
        return {**facts, "about": "approval", "text": said.get("error", result.content), **inside}
    return None


def _said(content: str) -> dict[str, Any]:
    """The fields of a result; none where a hook has put it otherwise."""
    try:
        value = json.loads(content)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def questions_in(entries: Iterable[Entry]) -> list[Question]:
    """The questions of a session, with their answers, in order."""
    entries = list(entries)
    answers = {e.body["question"]: e.body for e in entries if e.kind == "answer"}
    return [Question(e.seq, e.call, **e.body, answer=answers.get(e.seq)) for e in entries if e.kind == "question"]


def open_questions(entries: Iterable[Entry]) -> list[Question]:
    """Those that nobody has answered yet."""
    return [question for question in questions_in(entries) if question.answer is None]


def question_of(missing: Unanswered) -> Question | None:
    """The question that an unanswered call waits for. Once it was granted and begun, it waits for nothing."""
    asked = [q for q in questions_in(missing.notes) if q.call == missing.id]
    if not asked:
        return None
    begun = any(e.seq > asked[-1].seq and _is_intent_of(missing.id, e) for e in missing.notes)
    return None if begun else asked[-1]


def _is_intent_of(call: str, entry: Entry) -> bool:
    return entry.kind == "intent" and call in (entry.call, entry.body.get("within"))


def yeses_to(missing: Unanswered) -> list[Question]:
    """All that was said yes to for an unanswered call, which may have been run in part several times."""
    return [q for q in questions_in(missing.notes) if q.call == missing.id and q.is_granted]


def answer_body(
    question: Question, said: str, note: str = "", *, keep: Keep = "once", rule: str = ""
) -> dict[str, Any]:
    """The body of the entry that answers *question* with *said*. Raises `UsageError` for what is no answer to it.

    A yes is kept for *keep*, as *rule*, where it names one.
    """
    if question.about == "approval":
        if said.lower() not in ("yes", "no"):
            raise UsageError(f"{said!r} is no answer to whether {question.tool} may run", "say yes or no")
        allowed = said.lower() == "yes"
        kept = {"keep": keep, "rule": rule} if allowed and keep != "once" else {}
        return {"question": question.seq, "allowed": allowed, "note": note, **kept}
    return {"question": question.seq, "value": _fitting(said, question.form), "note": note}


def _fitting(said: str, form: Mapping[str, Any]) -> Any:
    schema = {"type": "object", "properties": {"answer": dict(form)}, "required": ["answer"]}
    repaired = repair_arguments({"answer": said}, schema)
    if repaired.args is None:
        raise UsageError(f"that doesn't fit what is asked: {repaired.error}")
    return repaired.args["answer"]


def pick(questions: Iterable[Question], call: str) -> Question:
    """The open question of a call. Raises `UnknownNameError`, and `UsageError` where it is answered already."""
    asked = {question.call: question for question in questions}
    if call not in asked:
        raise UnknownNameError("waiting call", call, asked, "see `handiwork sessions pending`")
    if asked[call].answer is not None:
        raise UsageError(f"{call} is answered already", "handiwork sessions resume")
    return asked[call]


def redacted(value: Any) -> Any:
    """The same JSON without secrets in its texts."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redacted(inner) for key, inner in value.items()}
    return [redacted(inner) for inner in value] if isinstance(value, list) else value


def granting(questions: Iterable[Question], otherwise: Approver | None) -> Approver:
    """An approver that says yes to what was said yes to, just that, and leaves the rest to *otherwise*.

    Just that is the reason as it was shown, and the change of files, where one was. Within a call each yes is for
    one call: of two that are alike both are asked about.
    """
    granted = list(questions)
    used: Counter[tuple[str, str, str]] = Counter()

    def ask(ready: Ready, asked: Ask, /) -> Any:
        call, reason = ready.call.outermost, redact(sanitize(asked.reason))  # as it was shown
        inside = "" if call is ready.call else mark_of(ready.call)
        about = [q for q in granted if q.call == call.id and q.inside == inside and reason in q.text]
        yeses = [q for q in about if _is_same_change(q, ready)]
        key = (call.id, inside, reason)
        used[key] += bool(inside)
        if yeses and used[key] <= len(yeses):
            said = yeses[-1].answer or {}
            return Answer(True, said.get("keep", "once"), rule=said.get("rule", ""))
        return otherwise(ready, asked) if otherwise else False

    return ask


def _is_same_change(question: Question, ready: Ready) -> bool:
    """Whether files are as they were when the question was put: else what would be written isn't what was shown."""
    shown = question.facts.get("digests")
    return shown is None or shown == digests_of(ready)


def calls_of(questions: Iterable[Question]) -> Iterator[ToolCall]:
    """The calls that may run now, as the model wrote them."""
    return (ToolCall(question.tool, question.arguments, question.call) for question in questions)
