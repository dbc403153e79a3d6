"""What a session remembers of the answers: yeses by their exact keys, noes by what they were about."""

from __future__ import annotations

import os
import re
from typing import Final

from handiwork.core.loading import Late
from handiwork.core.types import Answer, Ask, Ready, Standing

from .deeds import CHANGES, deeds
from .effects import Effect
from .verdict import READING

offering = Late("handiwork.guard.rules.offers")

# After so many denials in a row the mode `auto` asks as the mode `ask` does.
MOST_NOES: Final = 3
DEMOTED: Final = f"{MOST_NOES} calls in a row were denied, so this session asks before every change from now on"
# What happens with nearly every command says nothing about what a person didn't want.
_COMMON: Final = READING | {"run", "run_file", "make"}


def covers(ready: Ready, ask: Ask) -> bool:
    """Whether what *ask* is about was said yes to for the session. An ask without keys, or a firm one, never is."""
    standing = ready.call.scope.standing
    if standing is None or not ask.keys or ask.firm:
        return False
    if standing.granted.issuperset(ask.keys):
        return True
    return bool(standing.rules) and not ask.rule and offering.answers(tuple(standing.rules), ready)


def remember(ready: Ready, ask: Ask, answer: Answer) -> None:
    """Keep what a person answered: a yes that isn't for once, and every no, until a yes takes it back."""
    standing = ready.call.scope.standing
    if standing is None:
        return
    about = [_subject(deed) for deed in deeds(ready) if deed.kind not in _COMMON]
    if answer.allowed:
        standing.noes = 0
        for subject in about:
            standing.denied.pop(subject, None)
        _keep(standing, ask, answer)
        return
    note_denial(standing)
    said = f"{ready.entry.name}, {ask.reason}"
    standing.denied.update(dict.fromkeys(about, said))


def _keep(standing: Standing, ask: Ask, answer: Answer) -> None:
    """A yes for longer than once: as the rule that it names, for the session too, and as exactly what was asked."""
    if answer.keep == "once":
        return
    standing.granted.update(ask.keys)
    if answer.rule and answer.rule not in standing.rules:
        standing.rules.append(answer.rule)


def note_denial(standing: Standing) -> None:
    """One more call was denied."""
    if standing.counts:
        standing.noes += 1
        standing.demoted |= standing.noes >= MOST_NOES


def new_state(ready: Ready) -> str:
    """What the model is told with the denial that ends the mode `auto`; empty with any other."""
    standing = ready.call.scope.standing
    return f"; {DEMOTED}" if standing and standing.counts and standing.noes == MOST_NOES else ""


def _subject(deed: Effect) -> tuple[str, str]:
    """What a no is about: a file, however it is changed; else the kind of effect and what it is done to."""
    return ("change" if deed.kind in CHANGES else deed.kind, deed.target)


def earlier_no(ready: Ready) -> str:
    """What a person said no to before that *ready* would do after all, by whichever door; empty for nothing."""
    standing = ready.call.scope.standing
    if standing is None or not standing.denied:
        return ""
    doing = deeds(ready)
    for subject, said in standing.denied.items():
        if any(_meets(deed, subject) for deed in doing) or _names(ready, doing, subject):
            kind, target = subject
            what = f"changing {target}" if kind == "change" else f"this ({target})"
            return f"you said no to {what} before ({said})"
    return ""


def _meets(deed: Effect, subject: tuple[str, str]) -> bool:
    kind, target = subject
    if kind != "change" or deed.kind not in CHANGES:
        return _subject(deed) == subject and deed.kind not in _COMMON
    own = os.path.realpath(deed.target) if deed.target.startswith("/") else deed.target
    return own == target or (deed.kind in ("delete_tree", "move_away") and target.startswith(own.rstrip("/*") + "/"))


def _names(ready: Ready, doing: tuple[Effect, ...], subject: tuple[str, str]) -> bool:
    """Whether a command or code that may do anything names the file that wasn't to be changed."""
    kind, target = subject
    name = os.path.basename(target)
    if kind != "change" or not name or all(deed.kind in READING for deed in doing):
        return False
    touches = ready.entry.traits.touches
    texts = (str(ready.args.get(argument, "")) for argument, touch in touches.items() if touch in ("command", "code"))
    return any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text) for text in texts)
