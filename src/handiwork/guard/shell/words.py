"""From a word as written to the words that a program gets: quotes, braces, `~`, and every `$`."""

from __future__ import annotations

import re

from .escapes import decode_escapes
from .marks import UNKNOWN, veiled
from .parameters import arithmetic, parameter, variable
from .patterns import unfold_braces
from .scanning import (
    end_of_ansi,
    end_of_backtick,
    end_of_brace,
    end_of_double,
    end_of_parenthesis,
    end_of_single,
)
from .session import Shell

_PLAIN = re.compile(r"[\w./:=,@%+^\-*?\[\]#!]*\Z", re.ASCII)
_RUN = re.compile(r"[^\\'\"$`<>=]+")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]|[@*#?!$-]", re.ASCII)
_IN_DOUBLE = re.compile(r'[^\\$`"]+')


def expand(raw: str, shell: Shell) -> list[str]:
    """The words that one word as written becomes: none, one, or several."""
    if _PLAIN.match(raw):
        return [raw]
    if "{" in raw and ("," in raw or ".." in raw):
        return [word for one in unfold_braces(raw) for word in _Reader(one, shell).read()]
    return _Reader(raw, shell).read()


def expand_one(raw: str, shell: Shell) -> str:
    """The word without splitting, as the value of an assignment or the target of a redirection."""
    return raw if _PLAIN.match(raw) else " ".join(_Reader(raw, shell, splits=False).read())


def expand_text(text: str, shell: Shell) -> str:
    """The text of a here-document: only `$`, backticks and backslashes mean anything."""
    return _quoted(text, shell) if "$" in text or "`" in text or "\\" in text else text


class _Reader:
    """Reads one word from left to right and collects what it becomes."""

    __slots__ = ("at", "fields", "raw", "shell", "splits", "started")

    def __init__(self, raw: str, shell: Shell, *, splits: bool = True) -> None:
        self.raw, self.shell, self.splits = raw, shell, splits
        self.at = 0
        self.fields = [""]
        self.started = False

    def read(self) -> list[str]:
        if self.raw.startswith("~"):
            self.tilde()
        while self.at < len(self.raw):
            found = _RUN.match(self.raw, self.at)
            if found:
                self.add(found[0])
                self.at = found.end()
            else:
                self.sign(self.raw[self.at])
        return self.fields if self.started else []

    def add(self, text: str) -> None:
        self.fields[-1] += text
        self.started = True

    def tilde(self) -> None:
        found = re.match(r"~([\w.+-]*)(?=/|\Z)", self.raw)
        if found:
            homes = {"": self.shell.home, "root": "/root", "+": self.shell.cwd or ".", "-": UNKNOWN}
            self.add(homes.get(found[1], "/home/" + found[1]))
            self.at = found.end()

    def sign(self, sign: str) -> None:
        if sign == "\\":
            self.add(self.raw[self.at + 1 : self.at + 2].replace("\n", ""))
            self.at += 2
        elif sign == "'":
            self.take(end_of_single(self.raw, self.at + 1), 1)
        elif sign == '"':
            self.double(self.at + 1)
        elif sign == "`":
            end = end_of_backtick(self.raw, self.at + 1)
            self.split(_backtick(self.raw[self.at + 1 : end], self.shell))
            self.at = end + 1
        elif sign == "$":
            self.dollar()
        elif sign in "<>" and self.raw.startswith("(", self.at + 1):
            self.process(sign)
        else:
            self.equals(sign)

    def equals(self, sign: str) -> None:
        """A `~` after the sign of an assignment is the home, too."""
        self.add(sign)
        self.at += 1
        if sign == "=" and not self.splits and self.raw.startswith("~", self.at):
            self.add(self.shell.home)
            self.at += 1

    def take(self, end: int, opened: int) -> None:
        self.add(self.raw[self.at + opened : end])
        self.at = end + 1

    def double(self, start: int) -> None:
        end = end_of_double(self.raw, start)
        inner = self.raw[start:end]
        self.at = end + 1
        listed = _listed(inner, self.shell)
        if listed is None:
            self.add(_quoted(inner, self.shell))
        elif listed:
            self.add(listed[0])
            self.fields.extend(listed[1:])

    def dollar(self) -> None:
        after = self.raw[self.at + 1 : self.at + 2]
        if after == "'":
            end = end_of_ansi(self.raw, self.at + 2)
            self.add(decode_escapes(self.raw[self.at + 2 : end]))
            self.at = end + 1
        elif after == '"':
            self.double(self.at + 2)
        else:
            value, self.at = _dollar(self.raw, self.at, self.shell)
            self.split(value)

    def process(self, sign: str) -> None:
        end = end_of_parenthesis(self.raw, self.at + 2)
        self.add(_process(self.raw[self.at + 2 : end], sign, self.shell))
        self.at = end + 1

    def split(self, value: str) -> None:
        """Add an unquoted value, which the shell splits at blanks, or at what IFS says."""
        if not value:
            return
        pieces = _split(value, self.shell) if self.splits else [value]
        self.fields[-1] += pieces[0]
        self.fields.extend(pieces[1:])
        self.started = self.started or any(pieces)


_BLANKS = re.compile(r"[ \t\n]+")


def _split(value: str, shell: Shell) -> list[str]:
    separators = shell.variables.get("IFS")
    if separators is None:
        return _BLANKS.split(value)
    return re.split(f"[{re.escape(separators)}]+", value) if separators else [value]


def _listed(inner: str, shell: Shell) -> list[str] | None:
    """What `"$@"` or `"${name[@]}"` stands for; None where the quotes hold something else."""
    if inner in ("$@", "${@}"):
        return list(shell.positional)
    if inner.startswith("${") and inner.endswith("[@]}") and (name := inner[2:-4]) in shell.arrays:
        return list(shell.arrays[name])
    return None


def _quoted(text: str, shell: Shell) -> str:
    """The text in double quotes with its values put in."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if found := _IN_DOUBLE.match(text, at):
            out.append(found[0])
            at = found.end()
        elif text[at] == "\\":
            after = text[at + 1 : at + 2]
            out.append(after.replace("\n", "") if after in '$`"\\\n' else "\\" + after)
            at += 2
        elif text[at] == "`":
            end = end_of_backtick(text, at + 1)
            out.append(_backtick(text[at + 1 : end], shell))
            at = end + 1
        elif text[at] == "$":
            value, at = _dollar(text, at, shell)
            out.append(value)
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def _dollar(text: str, at: int, shell: Shell) -> tuple[str, int]:
    """The value of what begins with the `$` at *at*, and the place after it."""
    after = text[at + 1 : at + 2]
    if after == "(":
        end = end_of_parenthesis(text, at + 2)
        inner = text[at + 2 : end]
        if inner.startswith("(") and inner.endswith(")"):
            return arithmetic(inner[1:-1], shell, expand_text), end + 1
        return _substituted(inner, shell), end + 1
    if after == "{":
        end = end_of_brace(text, at + 2)
        return parameter(text[at + 2 : end], shell, expand_text), end + 1
    if after == "[":
        end = text.find("]", at)
        return arithmetic(text[at + 2 : end], shell, expand_text), (end if end > 0 else len(text)) + 1
    if found := _NAME.match(text, at + 1):
        return variable(found[0], shell), found.end()
    return "$", at + 1


def _substituted(script: str, shell: Shell) -> str:
    """What `$(...)` becomes. `$(< file)` is the file."""
    return shell.engine.run_text(shell, script, "").rstrip("\n")


def _backtick(script: str, shell: Shell) -> str:
    return _substituted(re.sub(r"\\([`\\$])", r"\1", script), shell)


def _process(script: str, sign: str, shell: Shell) -> str:
    """The file that stands for `<(...)`, holding its output, or for `>(...)`, feeding what it runs."""
    name = f"/dev/fd/{63 + len(shell.files) + len(shell.sinks)}"
    if sign == ">":
        shell.sinks[name] = script
    else:
        output = shell.engine.run_text(shell, script, "")
        shell.files[name] = output or veiled(output)
    return name
