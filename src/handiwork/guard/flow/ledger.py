"""What a session knows of where its texts came from, and of each value of a call, where that stood."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from handiwork.core.types import Label, Ready, ToolResult

from .atoms import Atom, atoms_of, host_of
from .fields import fields_of
from .folding import fold, words_of
from .orders import is_ordered
from .passages import Index, Passage
from .targets import How, Target, targets_of

_MOST_SHOWN = 80
_MOST_OF_IT = 0.8
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class _Note:
    """A result as it was heard, to be read when a call first asks."""

    text: str
    where: str
    trusted_fields: tuple[str, ...]
    outside: bool


class Ledger:
    """The texts of one session by where they came from. Safe between threads.

    What a person said, and the results of tools that don't bring text from outside, is trusted. A value that
    stands there passes; one that stands only in text from outside is labelled with where that was.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said = Index()
        self._trusted = Index()
        self._outside = Index()
        self._heard: list[_Note] = []

    def trust(self, text: str) -> None:
        """Take in what the person said."""
        with self._lock:
            self._said.add(Passage(text, "what you said"))

    @property
    def is_asked(self) -> bool:
        """Whether a person has said anything: without that there is nothing to compare with."""
        return bool(self._said.passages)

    def note(self, ready: Ready, result: ToolResult) -> None:
        """Take in what a call gave."""
        outside = any(label.integrity == "outside" for label in result.labels)
        names = [value for value in ready.args.values() if isinstance(value, str)]
        where = " ".join((ready.entry.name, *(_short(name) for name in names[:1])))
        with self._lock:
            trusted = ready.entry.traits.trusted_fields
            self._heard.append(_Note(result.content, where, trusted, outside))

    def trace(self, ready: Ready) -> Mapping[str, Label]:
        """The arguments whose values come from outside alone, each with where they stood."""
        with self._lock:
            if not self._said.passages or not self._is_outside_heard():
                return {}
            self._read()
            found: dict[str, list[str]] = {}
            for target in targets_of(ready):
                for value, passage in self._strangers(target, fetches=_only_fetches(ready)):
                    found.setdefault(target.argument, []).append(f"{_short(value)!r} from {passage.where}")
            return {name: Label("outside", "; ".join(dict.fromkeys(what))) for name, what in found.items()}

    def _is_outside_heard(self) -> bool:
        return bool(self._outside.passages) or any(note.outside for note in self._heard)

    def _read(self) -> None:
        """Sort what was heard since into the indexes."""
        heard, self._heard = self._heard, []
        for note in heard:
            for field in fields_of(note.text, note.trusted_fields):
                where = f"{note.where}, field {field.path}" if field.path else note.where
                vouched = field.vouched or not note.outside
                for text in field.text.splitlines() if vouched else (field.text,):
                    self._sort(Passage(text, where), vouched=vouched)

    def _sort(self, passage: Passage, *, vouched: bool) -> None:
        if vouched and passage.is_name:
            self._trusted.add(passage)
            return
        self._outside.add(passage)
        for hidden in passage.hidden():
            self._outside.add(hidden)

    def _strangers(self, target: Target, *, fetches: bool) -> list[tuple[str, Passage]]:
        """The values in a target that nobody but text from outside named."""
        folded = fold(target.text)
        atoms = [a for a in atoms_of(folded) if a.kind != "date"]
        found = [(a.value, p) for a in atoms if (p := self._origin_of(a, fetches=fetches))]
        if not found and not any(a.end - a.start > len(folded) * _MOST_OF_IT for a in atoms):
            passage = self._origin_by(target.how, folded)
            return [(target.text, passage)] if passage else []
        return found

    def _origin_by(self, how: How, folded: str) -> Passage | None:
        """Where a text stands outside that is a target itself."""
        if how == "command":
            known = " " not in folded or self._said.with_text(folded) or self._trusted.with_text(folded)
            return None if known else self._outside.with_text(folded)
        return self._origin_of_text(folded) if how == "value" else None

    def _origin_of(self, atom: Atom, *, fetches: bool) -> Passage | None:
        """Where an atom stands outside; None where it is named elsewhere, or nowhere."""
        if self._is_named(atom):
            return None
        passage = self._outside.with_atom(atom.kind, atom.value)
        if passage and atom.kind == "url" and fetches and not is_ordered(atom.value, passage):
            return None  # it was asked to look, and the link carries nothing that wasn't in it
        return passage or self._outside.with_host(host_of(atom.value)) or self._assembled(words_of(atom.value))

    def _is_named(self, atom: Atom) -> bool:
        for index in (self._said, self._trusted):
            if index.with_atom(atom.kind, atom.value) or index.with_text(atom.value):
                return True
            if atom.kind == "url" and index.with_host(host_of(atom.value)):
                return True
        return False

    def _origin_of_text(self, folded: str) -> Passage | None:
        """Where a whole value stands outside; None where it is named elsewhere, or nowhere."""
        if _DAY.fullmatch(folded):
            named = self._said.with_date(folded[:10]) or self._trusted.with_date(folded[:10])
            return None if named else self._outside.with_date(folded[:10])
        if self._said.with_text(folded):
            return None
        if self._trusted.with_value(folded):  # a list that has it doesn't say who chose it
            return next((p for p in self._outside.all_with(folded) if is_ordered(folded, p)), None)
        return self._outside.with_text(folded) or self._assembled(words_of(folded))

    def _assembled(self, words: list[str]) -> Passage | None:
        """Where the parts stand of a value that was put together from outside."""
        strange = [w for w in words if not (self._said.with_word(w) or self._trusted.with_word(w))]
        places = [self._outside.with_word(w) or self._halves(w) for w in strange]
        return places[0] if places and all(places) else None

    def _halves(self, word: str) -> Passage | None:
        """Where both halves of a word stand, for a word that stands nowhere itself."""
        for cut in range(3, len(word) - 2):
            first, second = self._outside.with_word(word[:cut]), self._outside.with_word(word[cut:])
            if first and second:
                return first
        return None


def _only_fetches(ready: Ready) -> bool:
    """Whether the call only reads a link."""
    return ready.entry.traits.resolved_effect() == "read"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 1]}…"
