"""What a few harmless programs print, so that text which is decoded and then run can be read first."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from .shell_reader import decode_escapes

Printer: TypeAlias = Callable[[list[str], "str | None"], "str | None"]

_HEX = re.compile(r"[^0-9a-fA-F]")
_FORMAT = re.compile(r"%[-+ 0-9.]*[a-zA-Z%]")


def output_of(argv: list[str], fed: str | None, files: Mapping[str, str]) -> str | None:
    """What *argv* prints when it is fed *fed*; None where that isn't known."""
    name = argv[0].rsplit("/", 1)[-1]
    operands = [a for a in argv[1:] if not a.startswith("-")]
    if fed is None and operands and operands[-1] in files:
        fed, argv = files[operands[-1]], argv[:1]
    printer = _PRINTERS.get(name)
    return printer(argv[1:], fed) if printer else None


def _echo(args: list[str], _fed: str | None) -> str:
    flags = [a for a in args[:2] if re.fullmatch(r"-[neE]+", a)]
    text = " ".join(args[len(flags) :])
    return (decode_escapes(text) if any("e" in f for f in flags) else text) + "\n"


def _printf(args: list[str], _fed: str | None) -> str | None:
    args = args[1:] if args[:1] == ["--"] else args
    if not args or args[0] == "-v":
        return None
    values = iter(args[1:])
    first = _FORMAT.sub(lambda m: _formatted(m[0], values), decode_escapes(args[0]))
    return first + " ".join(values)


def _formatted(spec: str, values: object) -> str:
    if spec == "%%":
        return "%"
    value = str(next(values, ""))  # type: ignore[call-overload]
    return decode_escapes(value) if spec[-1] == "b" else value


def _through(args: list[str], fed: str | None) -> str | None:
    return fed if not [a for a in args if not a.startswith("-")] else None


def _base64(args: list[str], fed: str | None) -> str | None:
    if fed is None or not any(a.startswith(("-d", "-D", "--d")) or a in ("-id", "-di") for a in args):
        return None
    return _decoded(lambda: base64.b64decode(re.sub(r"\s", "", fed) + "=="))


def _base32(args: list[str], fed: str | None) -> str | None:
    if fed is None or not any(a.startswith(("-d", "--d")) for a in args):
        return None
    return _decoded(lambda: base64.b32decode(re.sub(r"\s", "", fed)))


def _openssl(args: list[str], fed: str | None) -> str | None:
    return _base64(["-d"], fed) if "-d" in args and {"base64", "-base64", "-a"} & set(args) else None


def _xxd(args: list[str], fed: str | None) -> str | None:
    if fed is None or not any(a.startswith("-") and "r" in a for a in args):
        return None
    return _decoded(lambda: bytes.fromhex(_HEX.sub("", fed)))


def _decoded(decode: Callable[[], bytes]) -> str | None:
    try:
        return decode().decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None


def _rev(_args: list[str], fed: str | None) -> str | None:
    return None if fed is None else "\n".join(line[::-1] for line in fed.split("\n"))


def _tr(args: list[str], fed: str | None) -> str | None:
    """Only the plain form: one set to another of the same length, or a deletion."""
    if fed is None or len(args) != 2:
        return None
    if args[0] == "-d":
        return fed.translate({ord(c): None for c in _tr_set(args[1])})
    source, target = _tr_set(args[0]), _tr_set(args[1])
    target = target.ljust(len(source), target[-1:] or " ")
    return fed.translate({ord(a): b for a, b in zip(source, target, strict=False)})


def _tr_set(text: str) -> str:
    text = re.sub(r"\[:(\w+):\]", lambda m: {"lower": "a-z", "upper": "A-Z", "space": " "}.get(m[1], ""), text)
    return re.sub(
        r"(.)-(.)",
        lambda m: "".join(map(chr, range(ord(m[1]), min(ord(m[2]), 0x10FF) + 1))),
        decode_escapes(text),
    )


def _which(args: list[str], _fed: str | None) -> str | None:
    names = [a for a in args if not a.startswith("-")]
    return "\n".join("/usr/bin/" + n.rsplit("/", 1)[-1] for n in names) if names else None


_PRINTERS: dict[str, Printer] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _through,
    "head": _through,
    "tail": _through,
    "tee": lambda _args, fed: fed,
    "base64": _base64,
    "base32": _base32,
    "openssl": _openssl,
    "xxd": _xxd,
    "rev": _rev,
    "tr": _tr,
    "which": _which,
    "command": _which,
    "type": _which,
}
