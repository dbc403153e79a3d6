"""What a session knows of where its texts came from, and of each value of a call, where that stood."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from handiwork.core.types import Label, Marks, Ready, ToolResult

from .fields import vouched_fields
from .passages import Passage
from .places import Touched, is_strange, touched_by
from .targets import targets_of
from .texts import Heard, Texts

_MOST_SHOWN = 80


class Ledger:
    """The texts of one session by where they came from (core.types `Origins`). Safe between threads.

    What a person said, and the results of tools that don't bring text from outside, is trusted. A value that
    stands there passes; one that stands only in text from outside is labelled with where that was. *marks* are
    the files that hold text from outside, *own* are folders beside the workspace whose files are the person's,
    *vouching* the origins of tools whose word about their fields the person takes.
    """

    def __init__(
        self, marks: Marks | None = None, *, own: Collection[str] = (), vouching: Collection[str] = ()
    ) -> None:
        self._lock = threading.Lock()
        self._marks, self._own, self._vouching = marks, tuple(own), frozenset(vouching)
        self._texts = Texts()
        self._heard: list[Heard] = []
        self._clean: set[str] = set()

    def trust(self, text: str) -> None:
        """Take in what the person said."""
        with self._lock:
            passage = Passage(text, "what you said")
            if not self._texts.said.holds(passage):  # a caller may repeat it with each call
                self._texts.said.add(passage)

    def distrust(self, text: str, where: str) -> None:
        """Take in text from outside that no call of this session gave."""
        with self._lock:
            self._heard.append(Heard(text, where))

    def hear(self, ready: Ready, result: ToolResult) -> None:
        """Take in what a call gave, perhaps long ago."""
        entry, label = ready.entry, _outside_in(result.labels)
        texts = tuple(_texts_in(ready.args))
        runs = not {"command", "code"}.isdisjoint(entry.traits.touches.values())
        heard = Heard(
            result.content,
            _where(entry.name, texts, label),
            vouched_fields(entry, self._vouching),
            outside=label is not None,
            asked=texts,
            runs=runs,
        )
        with self._lock:
            self._heard.append(heard)

    def note(self, ready: Ready, result: ToolResult) -> None:
        """Take in what a call gave just now, and what it has written."""
        self.hear(ready, result)
        with self._lock:
            self._mark_written(ready, tuple(_texts_in(ready.args)))
        self.keep(result)

    def keep(self, result: ToolResult) -> None:
        """The whole of a result lies in its `kept` file now."""
        label = _outside_in(result.labels)
        if self._marks and result.kept and label:
            self._marks.put(os.path.realpath(result.kept), label.source)

    def trace(self, ready: Ready) -> Mapping[str, Label]:
        """The arguments whose values come from outside alone, each with where they stood."""
        with self._lock:
            if not self._texts.said.passages or not self._is_outside_heard():
                return {}
            texts, fetches = self._read(), _only_fetches(ready)
            found: dict[str, dict[str, Passage]] = {}
            for target in targets_of(ready):
                found.setdefault(target.argument, {}).update(texts.strangers(target, fetches=fetches))
            return {name: _label(values) for name, values in found.items() if values}

    def labels(self, ready: Ready, result: ToolResult) -> tuple[Label, ...]:
        """What the files and hosts that a call touched say of its result."""
        if not ready.entry.traits.touches:
            return ()
        touched = touched_by(ready)
        sources = [f"the network ({host})" for host in touched.fetched]
        sources += self._sources_of(ready, touched, result.content)
        return tuple(Label("outside", source) for source in dict.fromkeys(sources))

    def source_of(self, text: str) -> str:
        """Where *text* has an address or a passage from that stands outside alone; "" for nowhere."""
        with self._lock:
            return self._source_of(text) if self._is_outside_heard() else ""

    # ------------------------------------------------------------------------------------- files

    def _sources_of(self, ready: Ready, touched: Touched, output: str) -> Iterator[str]:
        """Where the files come from that a call has read, those that nobody here wrote."""
        reads = ready.entry.traits.resolved_effect() == "read" or touched.words
        for path in touched.paths:
            if self._marks and (source := self._marks.at(path)):
                yield _file(ready, path, source)
            elif reads and path not in self._clean and is_strange(path, ready, self._own):
                yield _file(ready, path, "outside the workspace")
        for path in self._marks.paths() if self._marks else ():
            if path not in touched.paths and self._marks and touched.reaches(path, output):
                yield _file(ready, path, self._marks.at(path))

    def _mark_written(self, ready: Ready, texts: Iterable[str]) -> None:
        """Remember of each file that the call wrote whether anything from outside went into it."""
        traits = ready.entry.traits
        if self._marks is None or not traits.touches or (traits.resolved_effect() == "read"):
            return
        touched = touched_by(ready)
        if not touched.written:
            return
        source = next(filter(None, self._went_in(touched, texts)), "")
        for path in touched.written:
            if source:
                self._clean.discard(path)
                self._marks.put(path, source)
            elif not touched.words and traits.resolved_effect() == "idempotent":  # it was written anew, as a whole
                self._marks.put(path, "")
        self._clean.update(() if source else touched.written)

    def _went_in(self, touched: Touched, texts: Iterable[str]) -> Iterator[str]:
        yield from (f"the network ({host})" for host in touched.fetched)
        if self._is_outside_heard():
            yield from map(self._source_of, texts)
        if self._marks and touched.words:
            yield from map(self._marks.at, touched.paths)

    def _source_of(self, text: str) -> str:
        passage = self._read().source_of(text)
        return passage.where if passage else ""

    # ------------------------------------------------------------------------------------- texts

    def _is_outside_heard(self) -> bool:
        return bool(self._texts.outside.passages) or any(heard.outside for heard in self._heard)

    def _read(self) -> Texts:
        """The texts, with what was heard since."""
        heard, self._heard = self._heard, []
        for result in heard:
            self._texts.sort(result)
        return self._texts


def _only_fetches(ready: Ready) -> bool:
    """Whether the call only reads a link."""
    return ready.entry.traits.resolved_effect() == "read"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_SHOWN else f"{line[: _MOST_SHOWN - 1]}…"


def _label(values: Mapping[str, Passage]) -> Label:
    """What is told of the values of one argument."""
    told = (f"{_short(value)!r} from {passage.where}" for value, passage in values.items())
    return Label("outside", "; ".join(dict.fromkeys(told)), tuple(values))


def _outside_in(labels: Iterable[Label]) -> Label | None:
    return next((label for label in labels if label.integrity == "outside"), None)


def _where(name: str, texts: tuple[str, ...], label: Label | None) -> str:
    """A result for a person to read: the tool, the first thing that it was given, and what its text came from."""
    through = f"({label.source})" if label and label.source != name else ""
    return " ".join(filter(None, (name, *map(_short, texts[:1]), through)))


def _file(ready: Ready, path: str, source: str) -> str:
    folder = ready.call.scope.workspace
    shown = os.path.relpath(path, folder) if folder and path.startswith(f"{folder}/") else path
    return f"{shown} (from {source})"


def _texts_in(value: Any) -> Iterator[str]:
    """The texts of arguments, however deep they stand."""
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, str):
            yield inner
        elif isinstance(inner, Mapping):
            waiting += reversed(list(inner.values()))
        elif isinstance(inner, (list, tuple)):
            waiting += reversed(inner)
