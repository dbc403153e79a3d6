"""Masks secrets in text: values of secret-named environment variables, and formats that are known."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from handiwork.core.errors import UsageError

MASK = "***"
_TTL_S = 1.0
_SHORTEST = 8

_Z = "\u200b-\u200d\u2060\ufeff"  # invisible characters inside a token don't hide it
_W = rf"[A-Za-z0-9_{_Z}-]"
_A = rf"[A-Za-z0-9{_Z}]"
Replace: TypeAlias = str | Callable[[re.Match[str]], str]

# Tokens that are known by how they begin: group 1 stays.
_TOKENS = re.compile(
    rf"(?<![A-Za-z0-9])(?:"
    rf"(gh[pousr]_)(?:(?:[\n{_Z}]?[A-Za-z0-9]){{36}}{_A}*|{_A}{{16,}})"
    rf"|(github_pat_|glpat-|gl[a-z]{{2,4}}-|sk-(?:ant-|proj-|or-)?|[sr]k_(?:live|test)_|npm_|pypi-|dckr_pat_|gsk_|xai-|hf_"
    rf"|r8_"
    rf"|shp(?:at|ca|pa|ss)_|sq0[a-z]{{3}}-|lin_api_|ntn_|secret_|figd_|sntry[su]_|NR[A-Z]{{2}}-|whsec_|dop_v1_"
    rf"|pplx-|tvly-"
    rf"|AIza|ya29\.|1//0|hv[sb]\.|SG\.|xox[a-z]-|xapp-|AGE-SECRET-KEY-1|PMAK-|EAAA|fc-|key-)(?:{_W}|[.](?={_W})){{18,}}"
    rf"|((?:AKIA|ASIA|ABIA|ACCA))[A-Z0-9]{{16}}(?![A-Za-z0-9])"
    rf"|(eyJ)[A-Za-z0-9_-]{{8,}}(?:\.[A-Za-z0-9_-]*)+"
    rf"|((?:AC|SK))[0-9a-f]{{32}}(?![A-Za-z0-9])"
    rf"|(Z2hwX|Z2hvX|c2stY|c2stc|QUtJQ|Z2xwYXQt|eG94)[A-Za-z0-9+/]{{16,}}={{0,2}})"
)
_TERRAFORM = re.compile(rf"()\b[A-Za-z0-9]{{0,14}}\.atlasv1\.{_W}{{20,}}")
_PEM = re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----).*?(?=-----END|\Z)", re.DOTALL)
_URL_LOGIN = re.compile(r"(://[^\s/:@]{0,200}:)[^\s/@]{1,500}(?=@)")
_BEARER = re.compile(
    r"((?:bearer|basic|digest|negotiate|apikey)(?:\s+|%20)|authorization[\"']?\s*[:=]\s*[\"']?(?:token\s+)?)"
    r"[A-Za-z0-9+/_.~=-]{12,}",
    re.IGNORECASE,
)
_NETRC = re.compile(r"(\blogin\s+\S+\s+password\s+)(?!\*{3})\S{4,}", re.IGNORECASE)
_COOKIE = re.compile(r"((?:set-)?cookie[\"']?\s*:\s*[^=\s]{1,100}=)(?!\*{3})[^\s;\"']{8,}", re.IGNORECASE)
_HOOK = re.compile(r"()https://(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)/[\w/-]+")
_CARD = re.compile(r"()\b(?=[2-6])(?:\d{4}[ -]?){3}\d{1,7}\b")  # no issuer of payment cards begins otherwise
_JSON_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_MNEMONIC = re.compile(
    r"((?:mnemonic|seed[ _]?phrase|recovery[ _]?phrase)[\"']?\s*[:=]\s*[\"']?)"
    r"(?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8}",
    re.I,
)
_ASSIGNED = re.compile(
    r"((?:password|passwd|passphrase|pwd|secret|token(?!s)|api[_-]?key|access[_-]?key|private[_-]?key|auth"
    r"|credential|sshpass|[A-Z]_KEY|\bsig|signature|sharedaccesskey|accountkey)"
    r"[\w-]{0,40}[\"']?[ \t]{0,4}(?:=>|[:=])[ \t]{0,4}[\"']?)"
    r"([^\s\"',;&<>]{8,})",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"^(?:\$|%|\{|\*{3}|x{3,}|\.{3}|your|my[-_]|some|change|example|placeholder|insert|todo|none|null"
    r"|true|false|redacted"
    r"|os\.|process\.|env[.(\[]|self\.|get|config)|[()\[\]{}]|\*{3}$",
    re.IGNORECASE,
)
_REALISTIC = re.compile(r"[0-9]|[^\w.:/-]")
_WORD = re.compile(r"\S{7}|\d{4} \d{4}")  # nothing shorter, but for a card in groups, is a secret or announces one
_LONG = re.compile(r"(?:\S{0,19}\s+)*+\S{20}")
_STARTS = (
    *(
        "gh",
        "github_pat_",
        "gl",
        "sk-",
        "k_live_",
        "k_test_",
        "npm_",
        "pypi-",
        "dckr_",
        "gsk_",
        "xai-",
        "hf_",
        "r8_",
        "shp",
        "sq0",
    ),
    *("lin_api_", "ntn_", "secret_", "figd_", "sntry", "NR", "whsec_", "dop_v1_", "pplx-", "tvly-", "AIza", "ya29."),
    *("1//0", "hvs.", "hvb.", "SG.", "xox", "xapp-", "AGE-", "PMAK-", "EAAA", "fc-", "key-", "AKIA", "ASIA", "ABIA"),
    *("ACCA", "eyJ", "AC", "SK", "Z2h", "c2st", "QUtJQ", "Z2xwYXQt", "eG94"),
)
_NAMES = (*("pass", "pwd", "secret", "token", "key", "auth", "credential", "sig"),)
_DOTTED = re.compile(r"()(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{23,28}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}")
_DOTS = re.compile(r"\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27}")
_SECRET_NAME = re.compile(
    r"TOKEN|SECRET|PASS(?!WD_FILE)|API_?KEY|ACCESS_?KEY|PRIVATE|CREDENTIAL|_KEY$|_AUTH$|_DSN$", re.I
)


_SECRET_ARGUMENT = re.compile(
    r"pass(?:word|wd|phrase|code)|pwd|secret|token(?!s)|(?:api|access|private|secret|account|signing)[_-]?key"
    r"|credential|authorization|cookie",
    re.IGNORECASE,
)


class _Environment:
    """The secret values of this process's environment, read again once a second, and those that were told to us."""

    __slots__ = ("_read_at", "_size", "_told", "_values")

    def __init__(self) -> None:
        self._values: tuple[str, ...] = ()
        self._told: frozenset[str] = frozenset()
        self._read_at, self._size = -_TTL_S, -1

    def learn(self, value: str) -> None:
        """Mask *value* from now on."""
        if len(value) >= _SHORTEST:
            self._told |= {value}
            self._read_at = -_TTL_S

    def values(self) -> tuple[str, ...]:
        now = time.monotonic()
        if now - self._read_at > _TTL_S or len(os.environ) != self._size:
            found = {v for k, v in os.environ.items() if len(v) >= _SHORTEST and _SECRET_NAME.search(k)}
            found = {v for v in found if not _is_harmless(v)} | self._told
            self._values = tuple(sorted(found, key=len, reverse=True))
            self._read_at, self._size = now, len(os.environ)
        return self._values


_environment = _Environment()
learn, known_values = _environment.learn, _environment.values


def _is_harmless(value: str) -> bool:
    """A path to a secret, or a mask, isn't the secret."""
    return value.startswith(("/", "~", MASK)) or bool(_PLACEHOLDER.search(value))


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Whether an argument or a field of that name holds a secret, whatever its value looks like."""
    return _SECRET_ARGUMENT.search(name) is not None


def redact(text: str) -> str:
    """The text with secrets masked as `***`; what a token begins with (`ghp_`, `sk-`) stays.

    Harmless text comes back as the same object. Masking twice changes nothing more.
    """
    text = mask_known(text)
    if not _is_suspicious(text):
        return text
    is_json = text[:1] in ("{", "[") and "\\" in text and _SLOT not in text
    return _masked_json(text) if is_json else _masked(text)


def mask_known(text: str) -> str:
    """The text with the secret values of the environment, and those that were told to us, masked."""
    for value in _environment.values():
        if value in text:
            text = text.replace(value, MASK)
    return text


def refuse_masks(path: str, old: str, new: str) -> None:
    """Raise `UsageError` where *new* has a line of *old* as it was shown, and not as it is: masked."""
    if MASK not in new or (shown := redact(old)) == old:
        return
    lost = {line.strip() for line in set(shown.splitlines()) - set(old.splitlines()) if MASK in line}
    if at := next((number for number, line in enumerate(new.splitlines(), 1) if line.strip() in lost), 0):
        raise UsageError(
            f"{path} isn't written: line {at} holds {MASK}, which stands for a secret that the file has there",
            "leave that line as it is: patch the lines around it",
        )


def is_plain(text: str) -> bool:
    """Whether one quick look says that nothing in *text* can be a secret, by form or by name. For short texts."""
    lower = text.lower()
    for hint in _HINTS:  # a generator's `any` would cost as much again, and this is asked at every call
        if hint in lower:
            return False
    if any(value in text for value in _environment.values()):
        return False
    if _RUN.match(text) is None:
        return "gh" not in text  # the one kind of token that is found across line breaks
    return not any(start in text for start in _STARTS) and _DOTS.search(text) is None


def _is_suspicious(text: str) -> bool:
    """A quick look: every format has a long word, or a value that is assigned or announced."""
    if _WORD.search(text) is None:
        return False
    if "=" in text or ":" in text or "ogin" in text or "-----BEGIN" in text or "earer" in text or "asic" in text:
        return True
    return _LONG.match(text) is not None


def _masked(text: str) -> str:
    """Each pattern is tried only where a literal that it needs is in the text."""
    lower = text.lower()
    if any(start in text for start in _STARTS):
        text = _TOKENS.sub(_keep_prefix, text)
    if _DOTS.search(text):
        text = _DOTTED.sub(_keep_first, text)
    for hints, pattern in _BY_HINT:
        if any(h in lower for h in hints):
            text = pattern.sub(_keep_first, text)
    if "card" in lower:
        text = _CARD.sub(_card, text)
    return _ASSIGNED.sub(_assigned, text) if any(n in lower for n in _NAMES) else text


def _masked_json(text: str) -> str:
    """JSON, also cut or nested: a string with escapes in it is read as what it stands for, and masked as that.

    As it is written, a line's end would be a letter to the patterns, and a quote no quote.
    """
    read: list[str] = []

    def take(literal: re.Match[str]) -> str:
        if "\\" not in literal[2]:
            return literal[0]
        read.append(_masked_literal(literal))
        return f'{literal[0][: literal.start(2) - literal.start() - 1]}"{_SLOT}{len(read) - 1}{_SLOT}"'

    masked = _masked(_LITERAL.sub(take, text))
    return _SLOTS.sub(lambda slot: read[int(slot[1])], masked)


def _masked_literal(literal: re.Match[str]) -> str:
    """What stands between the quotes, masked; all of it behind the name of a secret."""
    try:
        value = str(json.loads(f'"{literal[2]}"', strict=False))
    except ValueError:  # an escape that JSON doesn't know
        return _masked(literal[2])
    if literal[1] and is_secret_name(literal[1]) and len(value.split()) == 1 and _is_real(value):
        return MASK
    masked = redact(value)
    return literal[2] if masked == value else json.dumps(masked, ensure_ascii=False)[1:-1]


_SLOT = "\ue000"
_SLOTS = re.compile(f"{_SLOT}(\\d+){_SLOT}")
_LITERAL = re.compile(r'(?:"([^"\\]{1,80})"\s*:\s*)?"((?:[^"\\]|\\.)*+)"', re.DOTALL)

_BY_HINT: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    ((".atlasv1.",), _TERRAFORM),
    (("private key",), _PEM),
    (("://",), _URL_LOGIN),
    (("hooks.slack", "webhooks"), _HOOK),
    (("bearer", "basic", "authorization", "apikey", "digest", "negotiate"), _BEARER),
    (("login",), _NETRC),
    (("cookie",), _COOKIE),
    (("mnemonic", "phrase"), _MNEMONIC),
)


# What every pattern but those of tokens needs a piece of, none within another; and what every token is at least.
_EVERY_HINT = frozenset((*_NAMES, "card", *(hint for hints, _ in _BY_HINT for hint in hints)))
_HINTS = tuple(hint for hint in sorted(_EVERY_HINT) if not any(h in hint for h in _EVERY_HINT - {hint}))
# A run of twelve, looked for so that each character is read once: most of what an audit is looked through for.
_IN_RUN = rf"A-Za-z0-9_.+/={_Z}-"
_RUN = re.compile(rf"(?:[{_IN_RUN}]{{0,11}}+[^{_IN_RUN}]++)*+[{_IN_RUN}]{{12}}")


def _keep_prefix(match: re.Match[str]) -> str:
    return next((g for g in match.groups() if g), "") + MASK


def _keep_first(match: re.Match[str]) -> str:
    return match[1] + MASK


def _card(match: re.Match[str]) -> str:
    digits = [int(c) for c in match[0] if c.isdigit()][::-1]
    total = sum(d if i % 2 == 0 else sum(divmod(2 * d, 10)) for i, d in enumerate(digits))
    return _mask_of(match, 0) if 13 <= len(digits) <= 19 and total % 10 == 0 else match[0]


def _assigned(match: re.Match[str]) -> str:
    value = match[2]
    return match[1] + _mask_of(match, 2) if _is_real(value) else match[0]


def _is_real(value: str) -> bool:
    """Whether what is assigned to the name of a secret may be one, and no stand-in for it."""
    return (
        len(value) >= _SHORTEST
        and not _PLACEHOLDER.search(value)
        and bool(_REALISTIC.search(value) or _is_mixed(value))
    )


def _mask_of(match: re.Match[str], group: int) -> str:
    """The mask, in quotes where a bare number stood as a JSON value, so that JSON stays JSON."""
    text, start, end = match.string, match.start(group), match.end(group)
    before = text[max(0, start - 2) : start].strip()[-1:]
    bare = before in (":", "[", ",") and text[end : end + 1] in (",", "]", "}") and _JSON_NUMBER.fullmatch(match[group])
    return f'"{MASK}"' if bare and text[:1] in ("{", "[") else MASK


def _is_mixed(value: str) -> bool:
    return value.lower() != value and value.upper() != value and not value.istitle() and "." not in value
