"""Texts of a session, each with where it stood, and what can be looked up in many of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from .atoms import Atom, Kind, atoms_of, host_of
from .decoding import readings_of
from .folding import fold, stands_in, words_of

_MOST_NAME_WORDS = 12
_MOST_WORDS_BESIDE = 3


class Passage:
    """One text: a prompt, or a field of a result. `where` says where it stood, for a person to read."""

    def __init__(self, text: str, where: str) -> None:
        self.text, self.where = text, where

    @cached_property
    def folded(self) -> str:
        """The text in the form in which texts are compared."""
        return fold(self.text)

    @cached_property
    def atoms(self) -> list[Atom]:
        """What in it an effect can be aimed at."""
        return atoms_of(self.folded)

    @property
    def without_dates(self) -> str:
        """The folded text with its dates struck out: who says a day has named no other thing of that number."""
        text = self.folded
        for atom in self.atoms:
            if atom.kind == "date":
                text = f"{text[: atom.start]}{' ' * (atom.end - atom.start)}{text[atom.end :]}"
        return text

    def hidden(self) -> Iterator[Passage]:
        """What it says to a reader who decodes."""
        for reading in readings_of(self.text):
            yield Passage(reading, f"{self.where} (encoded)")

    @cached_property
    def is_name(self) -> bool:
        """Whether it can name a thing. What says a sentence, or holds an address among words, names nothing."""
        words = len(words_of(self.folded))
        inside = [words_of(atom.value) for atom in self.atoms if atom.kind != "date"]
        return words <= _MOST_NAME_WORDS and (not inside or words - sum(map(len, inside)) <= _MOST_WORDS_BESIDE)


class Index:
    """Many passages, for asking whether a value stands in one of them."""

    def __init__(self) -> None:
        self.passages: list[Passage] = []
        self._atoms: dict[tuple[Kind, str], Passage] = {}
        self._words: dict[str, Passage] = {}
        self._hosts: dict[str, Passage] = {}
        self._whole: dict[str, Passage] = {}

    def add(self, passage: Passage) -> None:
        """Take a passage in. The first one that says a thing is the one that is named for it."""
        self.passages.append(passage)
        self._whole.setdefault(passage.folded, passage)
        for atom in passage.atoms:
            self._atoms.setdefault((atom.kind, atom.value), passage)
            if atom.kind == "url":
                self._hosts.setdefault(host_of(atom.value), passage)
        for word in words_of(passage.folded):
            self._words.setdefault(word, passage)

    def holds(self, passage: Passage) -> bool:
        """Whether a passage that reads like it is here."""
        return passage.folded in self._whole

    def with_value(self, folded: str) -> Passage | None:
        """The passage that gives *folded*. A bare number must be all of it: parts of dates and sizes name nothing."""
        return self._whole.get(folded) if folded.isdigit() else self.with_text(folded)

    def with_name(self, folded: str) -> Passage | None:
        """The passage in which *folded* stands as a whole; for a bare number, not only as a part of a date."""
        found = self.all_with(folded)
        return next((p for p in found if not folded.isdigit() or stands_in(folded, p.without_dates)), None)

    def with_text(self, folded: str) -> Passage | None:
        """The passage in which *folded* stands as a whole."""
        return next(self.all_with(folded), None)

    def all_with(self, folded: str) -> Iterator[Passage]:
        """All passages in which *folded* stands as a whole."""
        if not folded or any(word not in self._words for word in words_of(folded)):
            return iter(())  # in most cases, and without looking through the texts
        return (p for p in self.passages if stands_in(folded, p.folded))

    def with_atom(self, kind: Kind, value: str) -> Passage | None:
        """The passage with that atom."""
        return self._atoms.get((kind, value))

    def with_host(self, host: str) -> Passage | None:
        """The passage with a link to that host, or to one that it is a part of."""
        while host.count("."):
            if host in self._hosts:
                return self._hosts[host]
            host = host.partition(".")[2]
        return None

    def with_word(self, word: str) -> Passage | None:
        """The passage with that word."""
        return self._words.get(word)

    def with_date(self, day: str) -> Passage | None:
        """The passage with that day, or with that day of every year."""
        return self._atoms.get(("date", day)) or self._atoms.get(("date", f"*{day[4:]}"))
