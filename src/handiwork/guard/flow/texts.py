"""The texts of a session in three heaps: what the person said, what is vouched for, what comes from outside."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .atoms import Atom, atoms_of, host_of
from .fields import fields_of
from .folding import fold, words_of
from .orders import is_ordered
from .overlaps import Overlaps
from .passages import Index, Passage
from .targets import How, Target

_MOST_OF_IT = 0.8
_LONGEST_HALVED = 64
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?(?:z|[+-]\d{2}:?\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Heard:
    """A result as it was heard: its text, where it stood, the texts of the call's arguments.

    `runs` is whether commands or code gave it, which may say anything.
    """

    text: str
    where: str
    trusted_fields: frozenset[str] = frozenset()
    outside: bool = True
    asked: tuple[str, ...] = ()
    runs: bool = False


class Texts:
    """What can be told of a value from all that was said and heard."""

    def __init__(self) -> None:
        self.said, self.trusted, self.outside = Index(), Index(), Index()
        self._asked: set[str] = set()
        self._overlaps, self._overlapped = Overlaps(), 0

    def sort(self, heard: Heard) -> None:
        """Take in a result, field by field."""
        for text in heard.asked:
            self._asked.update(words_of(fold(text)))
        for field in fields_of(heard.text, heard.trusted_fields):
            where = f"{heard.where}, field {field.path}" if field.path else heard.where
            vouched = field.vouched or not heard.outside
            for text in field.text.splitlines() if vouched else (field.text,):
                self._put(Passage(text, where), heard, vouched=vouched)

    def _put(self, passage: Passage, heard: Heard, *, vouched: bool) -> None:
        if vouched and passage.is_name:
            if heard.outside or not self._is_echo(passage, heard):
                self.trusted.add(passage)
        elif heard.outside and not self.outside.holds(passage):  # our own prose names nothing, and gives no orders
            self.outside.add(passage)
            for hidden in passage.hidden():
                self.outside.add(hidden)

    def _is_echo(self, passage: Passage, heard: Heard) -> bool:
        """Whether a tool of ours only says what the model put into it, or what a command got from outside."""
        if self._asked.issuperset(words_of(passage.folded)):
            return True
        return heard.runs and any(self.outside.with_atom(atom.kind, atom.value) for atom in passage.atoms)

    def source_of(self, text: str) -> Passage | None:
        """A passage from outside with which *text* shares an address that nobody here named, or many words in a row."""
        folded = fold(text)
        for atom in atoms_of(folded):
            if atom.kind != "date" and not self._is_named(atom):
                found = self.outside.with_atom(atom.kind, atom.value)
                if found:
                    return found
        passages = self.outside.passages
        for number in range(self._overlapped, len(passages)):
            self._overlaps.add(passages[number].folded, number)
        self._overlapped = len(passages)
        shared = self._overlaps.of(folded)
        return None if shared is None else passages[shared]

    def strangers(self, target: Target, *, fetches: bool) -> list[tuple[str, Passage]]:
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
            known = " " not in folded or self.said.with_text(folded) or self.trusted.with_text(folded)
            return None if known else self.outside.with_text(folded)
        return self._origin_of_text(folded) if how == "value" else None

    def _origin_of(self, atom: Atom, *, fetches: bool) -> Passage | None:
        """Where an atom stands outside; None where it is named elsewhere, or nowhere."""
        if self._is_named(atom):
            return None
        passage = self.outside.with_atom(atom.kind, atom.value)
        if passage and atom.kind == "url" and fetches and not is_ordered(atom.value, passage):
            return None  # it was asked to look, and the link carries nothing that wasn't in it
        return passage or self.outside.with_host(host_of(atom.value)) or self._assembled(words_of(atom.value))

    def _is_named(self, atom: Atom) -> bool:
        for index in (self.said, self.trusted):
            if index.with_atom(atom.kind, atom.value) or index.with_text(atom.value):
                return True
            if atom.kind == "url" and index.with_host(host_of(atom.value)):
                return True
        return False

    def _origin_of_text(self, folded: str) -> Passage | None:
        """Where a whole value stands outside; None where it is named elsewhere, or nowhere."""
        if _DAY.fullmatch(folded):
            named = self.said.with_date(folded[:10]) or self.trusted.with_date(folded[:10])
            return None if named else self.outside.with_date(folded[:10])
        if self.said.with_name(folded):
            return None
        if self.trusted.with_value(folded):  # a list that has it doesn't say who chose it
            return next((p for p in self.outside.all_with(folded) if is_ordered(folded, p)), None)
        return self.outside.with_text(folded) or self._spelled(folded)

    def _spelled(self, folded: str) -> Passage | None:
        """Where the parts of a value stand that has a number in it: plain words stand on every long page."""
        words = words_of(folded)
        return self._assembled(words) if any(map(str.isdigit, folded)) else None

    def _assembled(self, words: list[str]) -> Passage | None:
        """Where the parts stand of a value that was put together from outside."""
        strange = [w for w in words if not (self.said.with_word(w) or self.trusted.with_word(w))]
        places = [self.outside.with_word(w) or self._halves(w) for w in strange]
        return places[0] if places and all(places) else None

    def _halves(self, word: str) -> Passage | None:
        """Where both halves of a word stand, for a word that stands nowhere itself."""
        for cut in range(3, min(len(word), _LONGEST_HALVED) - 2):
            first, second = self.outside.with_word(word[:cut]), self.outside.with_word(word[cut:])
            if first and second:
                return first
        return None
