"""Looking back into earlier sessions: by words, by meaning, by time; bound to the `session_search` tool."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from ..backends.storage.recall import Passage, Span
from ..backends.storage.segments import snippet, terms_of
from ..core.errors import HandiworkError
from ..core.types import EMPTY_SCOPE, Args, Done, Embedder, Label, Scope, SessionInfo
from .moments import moment

if TYPE_CHECKING:
    from ..backends.storage.reading import Reader

Searching: TypeAlias = "Callable[[], AbstractContextManager[Reader | None]]"
Place: TypeAlias = tuple[int, int]
Weighed: TypeAlias = tuple[float, Passage]

_MOST_FOUND = 60
_MOST_COMPARED, _MOST_COMPARED_CHARS = 400, 600
_LEAST_LIKE = 0.25  # a fainter likeness is chance
_RANK_OFFSET = 60  # of reciprocal rank fusion: how little the first ranks are preferred
_SHOWN_OF_SESSION, _SNIPPET = 2, 200
_BEFORE, _AFTER, _CHARS, _CHARS_OF_IT = 3, 4, 600, 4_000
_WHO = {"prompt": "person", "reply": "model", "result": "tool", "mended": "tool"}
_NONE = {"sessions": [], "note": "no session is stored"}
_HOW = "to read on, give session and entry"


class SessionSearch:
    """Searches what *searching* opens (None: nothing is stored). With an *embedder*, by meaning, too."""

    def __init__(self, searching: Searching, embedder: Embedder | None = None) -> None:
        self._searching, self._embedder = searching, embedder

    def __call__(self, args: Args, /, *, scope: Scope = EMPTY_SCOPE, **_: Any) -> Done:
        """Raises `UsageError` for a session or a date that there isn't."""
        with self._searching() as reader:
            answer = self._answer(reader, args, scope.session_id) if reader else _NONE
        return Done(answer, labels=(Label("outside", "earlier sessions"),))

    def _answer(self, reader: Reader, args: Args, own: str) -> dict[str, Any]:
        if args.get("session"):
            return _read(reader, reader.find(args["session"]), args.get("entry", 0))
        span = _span(reader, args, own)
        if not args.get("query", "").strip():
            return {"sessions": _latest(reader, span, args["limit"])}
        found, note = self._found(reader, args["query"], span)
        return {"sessions": _grouped(reader, found, args), "note": note}

    def _found(self, reader: Reader, query: str, span: Span) -> tuple[list[Weighed], str]:
        """Passages with their scores, the best first, and what is to be said of them."""
        by_words = reader.recall(query, span, limit=_MOST_FOUND)
        weighed, note = [_weighed(by_words, query)], _HOW
        if self._embedder:
            try:
                alike = _alike(self._embedder, query, reader.latest(span, limit=_MOST_COMPARED))
                weighed.append([(1.0, passage) for passage in alike])
            except HandiworkError as error:
                note = f"{_HOW} (found by words alone: {error})"
        found = _fused(weighed)
        return found, note if found else "nothing found: try other words"


def _span(reader: Reader, args: Args, own: str) -> Span:
    now = datetime.now().astimezone()
    span = Span(skip=reader.number_of(own))
    if args.get("since"):
        span = replace(span, since=moment(args["since"], now))
    return replace(span, until=moment(args["until"], now, ends=True)) if args.get("until") else span


def _alike(embedder: Embedder, query: str, said: Sequence[Passage]) -> list[Passage]:
    """What is near to *query* in meaning, the nearest first."""
    if not said:
        return []
    likeness = embedder.compare_with([passage.text[:_MOST_COMPARED_CHARS] for passage in said])(query)
    near = sorted(zip(likeness, range(len(said)), strict=True), reverse=True)
    return [said[n] for like, n in near[:_MOST_FOUND] if like >= _LEAST_LIKE]


def _weighed(by_words: Sequence[Passage], query: str) -> list[Weighed]:
    """Each with the share of the query's words that it holds: one that only holds a "for" says little."""
    terms = [term.casefold() for term in terms_of(query)]
    held = [(sum(term in passage.text.casefold() for term in terms), passage) for passage in by_words]
    return [(max(count, 1) / len(terms), passage) for count, passage in held]  # found, though with other accents


def _fused(ranks: Iterable[Sequence[Weighed]]) -> list[Weighed]:
    """Several rankings as one: a passage counts for each in which it stands, by its weight, and more near the top."""
    scores: dict[Place, float] = {}
    passages: dict[Place, Passage] = {}
    for ranking in ranks:
        for rank, (weight, passage) in enumerate(ranking):
            place = passage.number, passage.seq
            passages[place] = passage
            scores[place] = scores.get(place, 0.0) + weight / (_RANK_OFFSET + rank)
    return [(scores[place], passages[place]) for place in sorted(scores, key=lambda p: (-scores[p], p))]


def _grouped(reader: Reader, found: Sequence[Weighed], args: Args) -> list[dict[str, Any]]:
    """Sessions with their best passages. A copy of a session says nothing that the other didn't."""
    by_session: dict[int, list[Weighed]] = {}
    told: set[str] = set()
    for score, passage in found:
        if passage.text not in told:
            told.add(passage.text)
            by_session.setdefault(passage.number, []).append((score, passage))
    best = sorted(by_session.items(), key=lambda item: -sum(score for score, _ in item[1][:3]))[: args["limit"]]
    infos = reader.numbered(number for number, _ in best)
    return [
        {**_named(infos[number]), "passages": [_shown(p, args["query"]) for _, p in group[:_SHOWN_OF_SESSION]]}
        for number, group in best
    ]


def _shown(passage: Passage, query: str) -> dict[str, Any]:
    return {"entry": passage.seq, "who": _WHO[passage.kind], "text": snippet(passage.text, query, _SNIPPET)}


def _latest(reader: Reader, span: Span, limit: int) -> list[dict[str, Any]]:
    infos = (i for i in reader.sessions(500) if span.since <= i.started <= span.until and i.number != span.skip)
    return [_named(info) for info, _ in zip(infos, range(limit), strict=False)]


def _named(info: SessionInfo) -> dict[str, Any]:
    return {"session": info.id, "date": _date(info.started), "title": info.title}


def _date(at: int) -> str:
    return datetime.fromtimestamp(at / 1000).astimezone().strftime("%Y-%m-%d %H:%M")


def _read(reader: Reader, info: SessionInfo, entry: int) -> dict[str, Any]:
    """What was said around an entry, or from the beginning."""
    said = reader.around(info.number, entry, before=_BEFORE if entry else 0, after=_AFTER)
    more = sum(p.seq >= entry for p in said) > _AFTER  # the last one only shows that it goes on
    shown = said[:-1] if more else said
    rows = [{"entry": p.seq, "who": _WHO[p.kind], "text": _cut(p.text, whole=p.seq == entry)} for p in shown]
    return {**_named(info), "said": rows, **({"next_entry": said[-1].seq} if more else {})}


def _cut(text: str, *, whole: bool) -> str:
    most = _CHARS_OF_IT if whole else _CHARS
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"
