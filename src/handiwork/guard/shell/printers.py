"""What a few harmless programs print, so that text which is put together or decoded can be read before it is run.

Each takes its arguments and what it is fed, and gives what it prints; None where that isn't known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from .decoders import DECODERS
from .escapes import decode_escapes
from .marks import ENDLESS, UNKNOWN, is_known
from .patterns import compiled

Printer: TypeAlias = Callable[[list[str], "str | None"], "str | None"]

MOST_PRINTED = 50_000
_FORMAT = re.compile(r"%[-+ 0-9.#']*[a-zA-Z%]|%\([^)]*\)T")
_FLAG = re.compile(r"-[neE]+\Z")


def printed(name: str, args: list[str], fed: str | None) -> str | None:
    """What *name* prints, called with *args* and fed *fed*."""
    printer = _PRINTERS.get(name)
    found = printer(args, fed) if printer else None
    return found[:MOST_PRINTED] if found else found


def _echo(args: list[str], _fed: str | None) -> str:
    first = 0
    while first < len(args) and _FLAG.match(args[first]):
        first += 1
    flags = "".join(args[:first])
    text = " ".join(args[first:])
    return (decode_escapes(text) if "e" in flags else text) + ("" if "n" in flags else "\n")


def _printf(args: list[str], _fed: str | None) -> str | None:
    args = args[1:] if args[:1] == ["--"] else args
    if not args:
        return None
    template, values = decode_escapes(args[0]), args[1:]
    wanted = sum(spec != "%%" for spec in _FORMAT.findall(template))
    rounds = -(-len(values) // wanted) if wanted and values else 1
    return "".join(_filled(template, iter(values[r * wanted : (r + 1) * wanted])) for r in range(min(rounds, 200)))


def _filled(template: str, values: Iterator[str]) -> str:
    """The template with one value for each of its places; missing ones are empty."""
    return _FORMAT.sub(lambda m: _formatted(m[0], "" if m[0] == "%%" else next(values, "")), template)


def _formatted(spec: str, value: str) -> str:
    if spec == "%%":
        return "%"
    if spec[-1] == "b":
        return decode_escapes(value)
    if spec[-1] in "xX" and value.isdigit():
        return format(int(value), spec[-1])
    if spec[-1] == "c":
        return value[:1]
    return value


def _through(_args: list[str], fed: str | None) -> str | None:
    return fed


def _head(args: list[str], fed: str | None) -> str | None:
    """`head`: the first lines or characters; other counts give everything, which holds them."""
    joined = " ".join(args)
    if fed is None or not is_known(fed):
        huge = re.search(r"\d{2,}[GTPE]|\d{12}", joined)
        return fed if huge or fed is None else fed.replace(ENDLESS, "")
    if found := re.search(r"-(?:c|-bytes=?)\s*(\d+)", joined):
        return fed[: int(found[1])]
    if found := re.search(r"-(?:n|-lines=?)?\s*(\d+)", joined):
        return "\n".join(fed.split("\n")[: int(found[1])])
    return fed


def _rev(_args: list[str], fed: str | None) -> str | None:
    return None if fed is None else "\n".join(line[::-1] for line in fed.split("\n"))


def _tac(_args: list[str], fed: str | None) -> str | None:
    return None if fed is None else "\n".join(reversed(fed.rstrip("\n").split("\n"))) + "\n"


def _tr(args: list[str], fed: str | None) -> str | None:
    """One set to another, or a deletion; marks stay."""
    flags = "".join(a[1:] for a in args if a.startswith("-") and len(a) > 1)
    sets = [_tr_set(a) for a in args if not a.startswith("-") or len(a) == 1]
    if fed is None or not sets:
        return fed
    if "d" in flags:
        if "c" in flags or "C" in flags:
            return "".join(c for c in fed if c in sets[0] or not is_known(c))
        return fed.translate({ord(c): None for c in sets[0]})
    if len(sets) < 2 or "c" in flags or "C" in flags:
        return fed
    target = sets[1].ljust(len(sets[0]), sets[1][-1:] or " ")
    return fed.translate({ord(a): b for a, b in zip(sets[0], target, strict=False)})


_CLASSES = {
    "lower": "abcdefghijklmnopqrstuvwxyz",
    "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "space": " \t\n",
    "blank": " \t",
    "digit": "0123456789",
    "punct": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}


def _tr_set(text: str) -> str:
    text = re.sub(r"\[:(\w+):\]", lambda m: _CLASSES.get(m[1], ""), decode_escapes(text))
    return re.sub(r"(.)-(.)", lambda m: "".join(map(chr, range(ord(m[1]), min(ord(m[2]), ord(m[1]) + 300) + 1))), text)


def _cut(args: list[str], fed: str | None) -> str | None:
    found = re.search(r"-(?:c|b|f)\s*(\d*)(-?)(\d*)", " ".join(args))
    if fed is None or not found:
        return fed
    first, last = int(found[1] or 1), int(found[3] or 0) if found[2] else int(found[1] or 1)
    pieces = slice(max(first - 1, 0), last or None)
    if found[0].startswith("-f"):
        mark = re.search(r"-d\s*(\S|$)", " ".join(args))
        sign = (mark[1] if mark else "\t") or " "
        return "\n".join(sign.join(line.split(sign)[pieces]) if sign in line else line for line in fed.split("\n"))
    return "\n".join(line[pieces] for line in fed.split("\n"))


_SUBSTITUTION = re.compile(r"\s*s(.)((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1([gIi0-9]*)\s*;?", re.DOTALL)


def _sed(args: list[str], fed: str | None) -> str | None:
    """Only `s` commands over plain text; anything else isn't known."""
    scripts = [a for a in args if not a.startswith("-")]
    if fed is None or not is_known(fed) or not scripts:
        return None
    at, script = 0, scripts[0]
    while at < len(script):
        found = _SUBSTITUTION.match(script, at)
        if not found:
            return None
        fed = _substituted(found, fed)
        at = found.end()
    return fed


def _substituted(found: re.Match[str], text: str) -> str:
    """A pattern with repeats in it could take for ever; such a one is taken for one of a shell."""
    _, pattern, new, flags = found.groups()
    plain_pattern = re.sub(r"\\(.)", r"\1", pattern)
    try:
        matcher = re.compile(pattern) if len(re.findall(r"[*+{]", pattern)) < 2 else compiled(plain_pattern)
    except re.error:
        return text
    new = re.sub(r"\\(.)", r"\1", new)
    return matcher.sub(lambda m: new.replace("&", m[0]), text[:MOST_PRINTED], count=0 if "g" in flags else 1)


def _which(args: list[str], _fed: str | None) -> str | None:
    found = [a for a in args if not a.startswith("-")]
    return "\n".join("/usr/bin/" + n.rpartition("/")[2] for n in found) + "\n" if found else None


def _seq(args: list[str], _fed: str | None) -> str | None:
    numbers = [int(a) for a in args if re.fullmatch(r"-?\d{1,9}", a)]
    if not numbers or len(numbers) != len(args):
        return None
    first, last = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[-1])
    return "".join(f"{n}\n" for n in range(first, min(last, first + 50) + 1))


def _basename(args: list[str], _fed: str | None) -> str | None:
    return args[-1].rstrip("/").rpartition("/")[2] + "\n" if args else None


def _dirname(args: list[str], _fed: str | None) -> str | None:
    return (args[-1].rstrip("/").rpartition("/")[0] or ".") + "\n" if args else None


def _realpath(args: list[str], _fed: str | None) -> str | None:
    return args[-1] + "\n" if args else None


def _mktemp(_args: list[str], _fed: str | None) -> str | None:
    return "/tmp/tmp." + UNKNOWN + "\n"


def _yes(_args: list[str], _fed: str | None) -> str | None:
    return UNKNOWN + ENDLESS


def _nothing(_args: list[str], _fed: str | None) -> str | None:
    return ""


_PRINTERS: dict[str, Printer] = {
    **DECODERS,
    **dict.fromkeys(
        ("cat", "tee", "tail", "sort", "nl", "pv", "dd", "sponge", "fold", "fmt", "buffer", "zcat"), _through
    ),
    **dict.fromkeys(("which", "type", "whence"), _which),
    **dict.fromkeys(("realpath", "readlink"), _realpath),
    # What these print sets up a shell; it is as good as the program itself, which is installed here.
    **dict.fromkeys(
        [
            "direnv",
            "ssh-agent",
            "brew",
            "rbenv",
            "pyenv",
            "nodenv",
            "starship",
            "zoxide",
            "conda",
            "mamba",
            "opam",
            "thefuck",
            "dircolors",
            "fnm",
            "mise",
            "keychain",
            "lesspipe",
            "register-python-argcomplete",
            "minikube",
            "docker-machine",
            "luarocks",
            "atuin",
        ],
        _nothing,
    ),
    "basename": _basename,
    "cut": _cut,
    "dirname": _dirname,
    "echo": _echo,
    "head": _head,
    "mktemp": _mktemp,
    "printf": _printf,
    "rev": _rev,
    "sed": _sed,
    "seq": _seq,
    "tac": _tac,
    "tr": _tr,
    "yes": _yes,
}
