"""Find tools by what they do: BM25F over names, descriptions and parameters, in plain Python.

What a word adds to a tool's score depends on the tools alone, so it is worked out when the index is
built; a query only adds up. A word that no tool has is read as the known words that look like it,
and a word also finds, for less, those that mean the same.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Any

from ..core.types import Embedder, ToolEntry
from .meaning import Meaning
from .store import ToolRegistry
from .synonyms import synonyms
from .words import words

Counts = Mapping[str, float]
Postings = dict[int, float]


@dataclass(frozen=True, slots=True)
class Field:
    """How much a word in this part of a tool weighs, and how much a long part is held against it (0 to 1)."""

    weight: float
    length_penalty: float


# Tuned on one half of the questions in bench/search.py; both halves are told in docs/search.md.
NAME = Field(3.0, 0.5)
DESCRIPTION = Field(0.6, 0.5)
PARAMETERS = Field(1.0, 0.6)
PARAMETER_TEXTS = Field(0.8, 0.3)
TOOLSET = Field(2.0, 0.3)
HINT = Field(1.5, 0.5)  # no benchmark has hints: between a name, which it amends, and a parameter
SIBLINGS = Field(0.3, 0.8)
FIELDS = (NAME, DESCRIPTION, PARAMETERS, PARAMETER_TEXTS, TOOLSET, HINT, SIBLINGS)
_SATURATION = 1.8
_SYNONYM = 0.3
_LOOK_ALIKE = 0.6
_LEAST_ALIKE = 0.5
_LEAST_SHARED = 0.1
_CLAUSE = re.compile(r"[.;:!?]+\s|[。，；、！？\n]+|,\s|\b(?:and|then|also|with|including)\b", re.IGNORECASE)
_LEAST_CLAUSE = 2  # words
_WHOLE, _FIRST, _MORE = 3.0, 2, 10
_MOST_ADDITIONS = 1_000
_MOST_CANDIDATES = 100
_MOST_BLENDED = 50


@dataclass(frozen=True, slots=True)
class Hit:
    """A found tool, and how well it fits: comparable within one answer only."""

    name: str
    score: float


class Index:
    """The tools of one moment, ready to be searched; by meaning, too, where there is an embedder."""

    def __init__(self, entries: Iterable[ToolEntry], embedder: Embedder | None = None) -> None:
        entries = list(entries)
        self._meaning = Meaning(entries, embedder) if embedder else None
        self.names = [e.name for e in entries]
        self._idf: dict[str, float] = {}
        self._postings: dict[str, Postings] = defaultdict(dict)
        self._by_gram: dict[str, list[str]] = defaultdict(list)
        self._add_up(_with_siblings(entries, [_counts(e) for e in entries]))
        for word in self._postings:
            for gram in _grams(word):
                self._by_gram[gram].append(word)

    def _add_up(self, tools: list[tuple[Counts, ...]]) -> None:
        """Work out what each word adds to each tool's score."""
        frequency = Counter(word for fields in tools for word in {w for counts in fields[:-1] for w in counts})
        averages = [sum(sum(f.values()) for f in field) / len(tools) or 1.0 for field in zip(*tools, strict=True)]
        for word, count in frequency.items():
            self._idf[word] = math.log(1 + (len(tools) - count + 0.5) / (count + 0.5))
        for number, fields in enumerate(tools):
            for word, weight in _weights(fields, averages).items():
                impact = self._idf[word] * weight * (_SATURATION + 1) / (_SATURATION + weight)
                self._postings[word][number] = impact

    def search(self, request: str, limit: int = 5, within: Container[str] | None = None) -> list[Hit]:
        """The best *limit* tools for *request*, the best first; only those named in *within*, if given."""
        if self._meaning is None:
            return self.by_words(request, limit, within)
        hits = self.by_words(request, limit + _MOST_BLENDED, within)
        scores = self._meaning.blend({hit.name: hit.score for hit in hits}, request, within)
        return [Hit(name, score) for name, score in nlargest(limit, scores.items(), key=lambda item: item[1])]

    def by_words(self, request: str, limit: int, within: Container[str] | None = None) -> list[Hit]:
        """The same by words alone.

        Where the request has several clauses, the ranks in the whole and in each of them are added up, so
        that a task of several parts finds tools for its smaller parts too.
        """
        clauses = [part for part in _CLAUSE.split(request) if len(words(part)) >= _LEAST_CLAUSE]
        if len(clauses) < 2:
            return self.rank(request, limit, within)
        fused: dict[str, float] = {}
        for part, share in ((request, _WHOLE), *((c, len(clauses) ** -0.5) for c in clauses)):
            for place, hit in enumerate(self.rank(part, limit + _MORE, within)):
                fused[hit.name] = fused.get(hit.name, 0.0) + share / (_FIRST + place)
        return [Hit(name, score) for name, score in nlargest(limit, fused.items(), key=lambda item: item[1])]

    def rank(self, text: str, limit: int, within: Container[str] | None = None) -> list[Hit]:
        """The same for *text* as a whole, with BM25F's own scores."""
        scores, names = self._scores(text), self.names
        if within is not None:
            scores = {number: score for number, score in scores.items() if names[number] in within}
        return [Hit(names[n], scores[n]) for n in nlargest(limit, scores, key=scores.__getitem__)]

    def _scores(self, query: str) -> Postings:
        """Scores by tool. Rare words go first; when those gave enough, common ones only tell their finds apart."""
        scores: Postings = {}
        groups = sorted(map(self._readings, dict.fromkeys(words(query))), key=self._breadth)
        additions = 0
        for group in groups:
            found = self._found_by(group)
            additions += len(found)
            if additions <= _MOST_ADDITIONS or not scores:
                for number, impact in found.items():
                    scores[number] = scores.get(number, 0.0) + impact
            else:
                if len(scores) > _MOST_CANDIDATES:
                    best = nlargest(_MOST_CANDIDATES, scores, key=scores.__getitem__)
                    scores = {number: scores[number] for number in best}
                for number in scores:
                    scores[number] += found.get(number, 0.0)
        return scores

    def _breadth(self, group: list[tuple[str, float]]) -> int:
        return sum(len(self._postings.get(word, ())) for word, _ in group)

    def _found_by(self, group: list[tuple[str, float]]) -> Postings:
        """What one word of the query adds, by whichever of its readings fits a tool best."""
        if len(group) == 1 and group[0][1] == 1.0:
            return self._postings.get(group[0][0], {})
        best: Postings = {}
        for word, share in group:
            for number, impact in self._postings.get(word, {}).items():
                if share * impact > best.get(number, 0.0):
                    best[number] = share * impact
        return best

    def _readings(self, word: str) -> list[tuple[str, float]]:
        """The words of the index that *word* may mean, each with its share."""
        idf = self._idf.get(word)
        if idf is None:
            read = self._look_alikes(word)
        else:
            read = [(word, 1.0)]
        for other in synonyms().get(word, ()):
            if other in self._idf:  # a rarer synonym must not count for more than the word that was meant
                read.append((other, _SYNONYM * (1.0 if idf is None else min(1.0, idf / self._idf[other]))))
        return read

    def _look_alikes(self, word: str) -> list[tuple[str, float]]:
        """Known words that share half of their letter triples with one that nobody knows."""
        if len(word) < 4:
            return []
        mine = _grams(word)
        shared = Counter(other for gram in mine for other in self._by_gram.get(gram, ()))
        alike = ((2 * n / (len(mine) + len(other)), other) for other, n in shared.items())
        return [(other, _LOOK_ALIKE * share) for share, other in nlargest(2, alike) if share >= _LEAST_ALIKE]


class Finder:
    """Searches a registry. The index is built at the first search of a generation."""

    def __init__(self, registry: ToolRegistry, embedder: Embedder | None = None) -> None:
        self._registry, self._embedder = registry, embedder
        self._built: tuple[int, Index] | None = None

    @property
    def index(self) -> Index:
        generation = self._registry.generation
        if self._built is None or self._built[0] != generation:
            self._built = generation, Index(self._registry.entries(), self._embedder)
        return self._built[1]


# ------------------------------------------------------------------------------------------- counting


def _counts(entry: ToolEntry) -> tuple[Counts, ...]:
    """How often each word stands in each field of a tool, siblings aside."""
    names: list[str] = []
    texts = [text for example in entry.examples for text in _leaves(example)]
    for name, text in _parameters(entry.parameters):
        names.append(name)
        texts.append(text)
    place = entry.toolset.removeprefix("mcp-")
    parts = (entry.name, entry.description, " ".join(names), " ".join(texts), place, entry.search_hint)
    return tuple(Counter(words(part)) for part in parts)


def _with_siblings(entries: list[ToolEntry], tools: list[tuple[Counts, ...]]) -> list[tuple[Counts, ...]]:
    """Each tool with the names and descriptions of its toolset's tools: what kind of place it comes from."""
    together: dict[str, Counter[str]] = defaultdict(Counter)
    sizes = Counter(e.toolset for e in entries)
    for entry, (name, description, *_) in zip(entries, tools, strict=True):
        together[entry.toolset].update(name.keys() | description.keys())
    shared = {
        toolset: {word: n / sizes[toolset] for word, n in counts.items() if n >= _LEAST_SHARED * sizes[toolset]}
        for toolset, counts in together.items()
    }
    return [(*fields, shared[entry.toolset]) for entry, fields in zip(entries, tools, strict=True)]


def _weights(fields: tuple[Counts, ...], averages: list[float]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for field, counts, average in zip(FIELDS, fields, averages, strict=True):
        length = sum(counts.values()) / average
        share = field.weight / (1 - field.length_penalty + field.length_penalty * length)
        for word, count in counts.items():
            weights[word] = weights.get(word, 0.0) + share * count
    return weights


def _parameters(schema: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and text of every parameter at every depth; the choices of an enum count as text."""
    properties = schema.get("properties")
    for name, prop in properties.items() if isinstance(properties, Mapping) else ():
        if isinstance(prop, Mapping):
            choices = prop.get("enum") or ()
            yield name, " ".join([str(prop.get("description", "")), *map(str, choices)])
            yield from _parameters(prop)
            if isinstance(prop.get("items"), Mapping):
                yield from _parameters(prop["items"])
        else:
            yield name, ""


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    for item in inner:
        yield from _leaves(item)


def _grams(word: str) -> set[str]:
    fenced = f"^{word}$"
    return {fenced[i : i + 3] for i in range(len(fenced) - 2)}
