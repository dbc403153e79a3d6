"""How a question about a call looks on a terminal: what would happen, who asks and why, and what each answer means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...agent.asked import Asked, Change, effect_lines
from ...core.types import Keep
from .output import printable

Paint = Callable[[str, str], str]
_MOST_DIFF, _MOST_EFFECTS, _MOST_TEXT, _MOST_LINE = 24, 12, 2_000, 200
_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_BREADTHS = {"exact": "exactly this", "prefix": "by its beginning", "path": "by its folder", "tool": "the whole tool"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to say yes: its key, for how long, the rule that is kept and the file in which."""

    key: str
    keep: Keep
    label: str
    rule: str = ""
    file: str = ""


def question_lines(asked: Asked, paint: Paint, *, whole: bool = False) -> Iterator[str]:
    """What would be done, where, for whom, and why that asks."""
    yield ""
    yield paint(printable(f"● {asked.tool}"), "bold") + printable(f"  ({asked.origin}), for {asked.who}")
    if not asked.changes:
        yield from _indented(asked.text if whole else _short(asked.text))
    for change in asked.changes:
        yield from _change_lines(change, paint, whole=whole)
    yield printable(f"  in {asked.cwd}")
    yield from _effects(asked.effects, whole=whole)
    yield from (f"  {line.lstrip()}" for line in _indented(f"asks because: {asked.reason}"))


def _effects(effects: Sequence[tuple[str, str]], *, whole: bool) -> Iterator[str]:
    shown = effects if whole else effects[:_MOST_EFFECTS]
    if shown:
        yield "  it would:"
        yield from (f"    {printable(line if whole else _cut(line))}" for line in effect_lines(shown))
    if len(shown) < len(effects):
        yield f"    ... and {len(effects) - len(shown)} more ([d] shows all)"


def _indented(text: str) -> Iterator[str]:
    return (f"  {line}" for line in printable(text).splitlines())


def _change_lines(change: Change, paint: Paint, *, whole: bool) -> Iterator[str]:
    note = f" ({change.note})" if change.note else ""
    yield printable(f"  {change.path}  {change.counts if change.lines else ''}{note}".rstrip())
    lines = change.lines if whole else change.lines[:_MOST_DIFF]
    for line in lines:
        text = printable(line if whole else _cut(line)).replace("\n", "\\n")
        colour = _COLOURS.get(line[:1])
        yield f"  │ {paint(text, colour) if colour else text}"
    if len(lines) < len(change.lines):
        yield f"  │ ... {len(change.lines) - len(lines)} more lines ([d] shows all)"


def _cut(line: str) -> str:
    """A line that isn't longer than a few of a terminal; what is left out is said to be there."""
    over = len(line) - _MOST_LINE
    return line if over <= 0 else f"{line[:_MOST_LINE]} ... [{over} more characters; [d] shows all]"


def _short(text: str) -> str:
    """Both ends of a long text: what is hidden in its middle is said to be there."""
    if len(text) <= _MOST_TEXT:
        return text
    half = _MOST_TEXT // 2
    return f"{text[:half]} ... [{len(text) - 2 * half} characters not shown; [d] shows all] ... {text[-half:]}"


def choices_of(asked: Asked, breadth: str, files: dict[Keep, str]) -> list[Choice]:
    """The ways to say yes. *files* are where a rule for the project, or for always, would be kept."""
    rule = next((rule for name, rule, _ in asked.offers if name == breadth), "")
    session = "this call as it is shown" if breadth in ("", "exact") or not rule else rule
    choices = [Choice("1", "once", "yes, once"), Choice("2", "session", f"yes, this session: {session}")]
    if session == rule:
        choices[1] = Choice("2", "session", f"yes, this session: {rule}", rule)
    for key, keep, words in (("3", "project", "yes, in this project"), ("4", "always", "yes, always")):
        file = files.get(keep, "")  # type: ignore[call-overload]
        if rule and file:
            choices.append(Choice(key, keep, f"{words}: {rule} -> {file}", rule, file))  # type: ignore[arg-type]
    return choices


def choice_lines(asked: Asked, choices: Sequence[Choice], breadth: str) -> Iterator[str]:
    """The answers that can be given, each with exactly what would be stored."""
    for choice in choices:
        yield printable(f"  [{choice.key}] {choice.label}")
    if len(asked.offers) > 1:
        others = [f"{_BREADTHS[name]}: {rule}" for name, rule, _ in asked.offers if name != breadth]
        yield printable(f"  [b] keep it {_BREADTHS[breadth]} (now), or {', or '.join(others)}")
    yield "  [n] no   [w] no, and say why   [d] show all of it"


def facts_lines(call: str, facts: Mapping[str, Any]) -> Iterator[str]:
    """The same facts from the queue, about the call of that id."""
    if not facts:
        return
    changes = tuple(Change(c["path"], tuple(c["diff"].splitlines()), c["note"]) for c in facts["changes"])
    effects = tuple((kind, target) for kind, target in facts["effects"])
    asked = Asked(call, facts["origin"], facts["who"], facts["cwd"], facts["reason"], facts["text"], effects, changes)
    yield from question_lines(asked, _plain)
    for breadth, rule, label in facts["offers"]:
        yield printable(f"  --keep session|project|always --breadth {breadth}: {rule} ({label})")


def _plain(text: str, _: str) -> str:
    return text
