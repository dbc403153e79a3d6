"""Things in a text that an effect can be aimed at: addresses, links, accounts, telephone numbers, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["email", "url", "account", "phone", "date"]


class Atom(NamedTuple):
    """One such thing: what it is, its form for comparing, and where it stands in the folded text."""

    kind: Kind
    value: str
    start: int
    end: int


_TOP_LEVELS = (
    "com|org|net|edu|gov|io|dev|app|ai|co|info|biz|me|uk|de|fr|it|es|nl|ch|at|se|no|pl|ru|cn|jp|kr|in|br|eu|us|xyz"
)
_EMAIL = re.compile(r"[a-z0-9][a-z0-9._%+'-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+")
_LINK_END = r"[^\s<>\"'`)\]}]"
_URL = re.compile(
    rf"[a-z][a-z0-9+.-]{{1,15}}://{_LINK_END}+"
    r"|(?<![\w@.-])(?:[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?\.)+"
    rf"(?:{_TOP_LEVELS})\b(?!@)(?::\d{{1,5}})?(?:[/?#]{_LINK_END}*)?"
)
_WORD_WITH_DOT = re.compile(r"(?<!\S)[^\s.:]+(?:\.\S|://)\S*")
_ACCOUNT = re.compile(
    r"\b(?:[a-z]{2}\d{2}(?:[a-z0-9]{11,30}|(?: (?=[a-z]*\d)[a-z0-9]{4}){2,7}(?: \d{1,3})?)"
    r"|0x[0-9a-f]{40}|bc1[a-z0-9]{25,60}|[13][a-z0-9]{25,34}|\d(?:[ -]?\d){9,22})\b"
)
_PHONE = re.compile(r"(?<![\w.])\+\d(?:[ ()./-]{0,2}\d){6,14}\b")
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = "|".join((*_MONTHS, *(m[:3] for m in _MONTHS)))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_TO = r"(?: ?(?:to|-|–|until|and) ?(?:the )?" + _DAY + ")?"
_DAY_MONTH = re.compile(rf"\b{_DAY}{_TO} (?:of )?({_MONTH})\b,?(?: (\d{{4}}))?")
_MONTH_DAY = re.compile(rf"\b({_MONTH}) {_DAY}{_TO}\b,?(?: (\d{{4}}))?")
_LOOSE_END = ".,;:!?'\"*_"


def atoms_of(folded: str) -> list[Atom]:
    """All atoms of a folded text. A link, address or account is no other thing as well."""
    found: list[Atom] = []
    taken = bytearray(len(folded))
    for atom in (*_emails(folded), *_urls(folded), *_phones(folded), *_accounts(folded)):
        if taken.find(1, atom.start, atom.end) < 0:
            found.append(atom)
            taken[atom.start : atom.end] = b"\1" * (atom.end - atom.start)
    return [*found, *_dates(folded)]


def _emails(text: str) -> Iterator[Atom]:
    for match in _EMAIL.finditer(text) if "@" in text else ():
        yield Atom("email", match[0].strip(_LOOSE_END), match.start(), match.end())


def _urls(text: str) -> Iterator[Atom]:
    for word in _WORD_WITH_DOT.finditer(text):
        for match in _URL.finditer(word[0]):
            yield Atom("url", plain_url(match[0]), word.start() + match.start(), word.start() + match.end())


def plain_url(url: str) -> str:
    """A folded link for comparing: without its scheme, `www.`, fragment and loose end."""
    url = url.rstrip(_LOOSE_END).partition("#")[0]
    return url.rpartition("://")[2].removeprefix("www.").rstrip("/")


def host_of(plain: str) -> str:
    """The host of a folded address, or of a link that `plain_url` gave."""
    return re.split("[/?]", plain, maxsplit=1)[0].rpartition("@")[2].partition(":")[0]


def _phones(text: str) -> Iterator[Atom]:
    for match in _PHONE.finditer(text) if "+" in text else ():
        yield Atom("phone", re.sub(r"\D", "", match[0]), match.start(), match.end())


def _accounts(text: str) -> Iterator[Atom]:
    for match in _ACCOUNT.finditer(text):
        value = re.sub(r"[ -]", "", match[0])
        if sum(c.isdigit() for c in value) >= 8 and not _ISO.match(match[0]):  # words of letters are names
            yield Atom("account", value, match.start(), match.end())


def _dates(text: str) -> Iterator[Atom]:
    for match in _ISO.finditer(text):
        yield Atom("date", f"{match[1]}-{int(match[2]):02}-{int(match[3]):02}", match.start(), match.end())
    for match in _DAY_MONTH.finditer(text):
        yield from _written(match, match[3], match[4], (match[1], match[2]))
    for match in _MONTH_DAY.finditer(text):
        yield from _written(match, match[1], match[4], (match[2], match[3]))


def _written(match: re.Match[str], month: str, year: str | None, days: tuple[str, str | None]) -> Iterator[Atom]:
    """A date in words; without a year it is that day of every year."""
    number = 1 + next(i for i, name in enumerate(_MONTHS) if name.startswith(month[:3]))
    for day in filter(None, days):
        yield Atom("date", f"{year or '*'}-{number:02}-{int(day):02}", match.start(), match.end())
