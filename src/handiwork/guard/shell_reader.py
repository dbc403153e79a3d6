"""Reads shell text into pipelines of words, without running or expanding anything.

It knows quotes, operators, redirections, heredocs and substitutions. What it doesn't follow (control
structures, functions, arithmetic) it reads as plain commands and names in `Script.odd`, so that the
judge never takes a half-understood text for a harmless one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

PartKind: TypeAlias = Literal["text", "var", "sub", "feed", "brace", "array", "glob", "loose", "unknown"]


@dataclass(slots=True)
class Part:
    """A piece of a word. `text` is literal text, a variable expression, or the inner script.

    `loose` is text that a shell may still change (a brace that stands alone, a rare escape).
    """

    kind: PartKind
    text: str
    quoted: bool = False


RawWord: TypeAlias = list[Part]


@dataclass(slots=True)
class Redirect:
    """`op` as written, without a file descriptor's number; `body` is a heredoc's text."""

    op: str
    target: RawWord
    body: str = ""
    literal_body: bool = True


@dataclass(slots=True)
class RawCommand:
    """One simple command as written."""

    words: list[RawWord] = field(default_factory=list)
    redirects: list[Redirect] = field(default_factory=list)


@dataclass(slots=True)
class Script:
    """Pipelines in the order they stand; `odd` names what was only read, not understood."""

    pipelines: list[list[RawCommand]] = field(default_factory=list)
    odd: set[str] = field(default_factory=set)


_BLANK = re.compile(r"(?:[ \t\r]|\\\n)+")
_RUN = re.compile(r"[^\s'\"\\$`;&|<>(){}*?\[]+")
_BRACE = re.compile(r"\{([^{}\s'\"$`;&|<>()]*(?:,|\.\.)[^{}\s'\"$`;&|<>()]*)\}")
_REDIRECT = re.compile(r"(?:\d+|\{\w+\})?(<<<|<<-|<<|<&|<>|<(?!\()|&>>|&>|>>|>&|>\||>(?!\())")
_OPERATOR = re.compile(r";;&|;;|;&|;|\|\||\|&|\||&&|&|\n|\(|\)")
_NAME = re.compile(r"\w+|[@*#?!$-]")
_ASSIGN_OPEN = re.compile(r"^\w+\+?=$")
_ANSI = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
_SURE_ESCAPES = re.compile(r"(?:[^\\]|\\[nt\\'\"])*")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f"}


def decode_escapes(text: str) -> str:
    r"""The text that `$'...'` or `printf` makes of backslash escapes such as `\x72` or `\162`."""
    return _ANSI.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = match[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number <= 0x10FFFF else ""
    if code[0] in "01234567":
        return chr(int(code, 8) & 0xFF)
    return _PLAIN_ESCAPES.get(code, code)


def read(text: str) -> Script:
    """The pipelines of a shell text."""
    return _Reader(text).script()


class _Reader:
    """One pass over the text; `at` is the place reached."""

    __slots__ = ("at", "pending", "script_read", "size", "text")

    def __init__(self, text: str) -> None:
        self.text, self.at, self.size = text, 0, len(text)
        self.script_read = Script()
        self.pending: list[Redirect] = []

    def script(self) -> Script:
        pipeline: list[RawCommand] = []
        while self.at < self.size:
            command, operator = self.command()
            if command.words or command.redirects:
                pipeline.append(command)
            if operator not in ("|", "|&"):
                self.close(pipeline)
                pipeline = []
        self.close(pipeline)
        return self.script_read

    def close(self, pipeline: list[RawCommand]) -> None:
        if pipeline:
            self.script_read.pipelines.append(pipeline)

    def command(self) -> tuple[RawCommand, str]:
        """The next simple command and the operator that ended it (empty at the end)."""
        command = RawCommand()
        while self.at < self.size:
            if blank := _BLANK.match(self.text, self.at):
                self.at = blank.end()
            elif self.text[self.at] == "#":
                end = self.text.find("\n", self.at)
                self.at = self.size if end < 0 else end
            elif redirect := _REDIRECT.match(self.text, self.at):
                self.redirect(redirect, command)
            elif operator := _OPERATOR.match(self.text, self.at):
                self.operator(operator)
                return command, operator[0]
            else:
                command.words.append(self.word())
        return command, ""

    def operator(self, operator: re.Match[str]) -> None:
        self.at = operator.end()
        if operator[0] in ("(", ")", ";;", ";&", ";;&"):
            self.script_read.odd.add("a subshell, function or case")
        elif operator[0] == "&":
            self.script_read.odd.add("a background job")
        elif operator[0] == "\n" and self.pending:
            self.heredocs()

    def redirect(self, match: re.Match[str], command: RawCommand) -> None:
        self.at = match.end()
        if blank := _BLANK.match(self.text, self.at):
            self.at = blank.end()
        redirect = Redirect(match[1], self.word())
        command.redirects.append(redirect)
        if match[1] in ("<<", "<<-"):
            self.pending.append(redirect)

    def heredocs(self) -> None:
        """Take the bodies that were announced on the line just ended."""
        for redirect in self.pending:
            end_line = "".join(p.text for p in redirect.target)
            redirect.literal_body = any(p.quoted for p in redirect.target)
            if any(p.kind != "text" for p in redirect.target):
                self.script_read.odd.add("a heredoc whose end isn't plain")
            lines: list[str] = []
            while self.at < self.size:
                stop = self.text.find("\n", self.at)
                stop = self.size if stop < 0 else stop
                line = self.text[self.at : stop]
                self.at = min(stop + 1, self.size)
                if redirect.op == "<<-":
                    line = line.lstrip("\t")
                if line == end_line:
                    break
                lines.append(line)
            redirect.body = "\n".join(lines)
        self.pending = []

    def word(self) -> RawWord:
        parts: RawWord = []
        while self.at < self.size:
            if run := _RUN.match(self.text, self.at):
                parts.append(Part("text", run[0]))
                self.at = run.end()
                continue
            char = self.text[self.at]
            if char in "<>" and self.text.startswith("(", self.at + 1):
                self.at += 2
                parts.append(Part("feed", self.balanced("(", ")")))
            elif char == "(" and len(parts) == 1 and _ASSIGN_OPEN.match(parts[0].text):
                self.at += 1
                parts.append(Part("array", self.balanced("(", ")")))
            elif char in " \t\r\n;&|<>()":
                break
            else:
                self.special(char, parts)
        return parts

    def special(self, char: str, parts: RawWord) -> None:
        """A quote, a backslash, a dollar, a brace or a glob character."""
        if char == "'":
            parts.append(Part("text", self.until("'"), True))
        elif char == '"':
            self.double_quoted(parts)
        elif char == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            if following != "\n":
                parts.append(Part("text", following, True))
        elif char == "$":
            self.dollar(parts, quoted=False)
        elif char == "`":
            parts.append(self.backtick(quoted=False))
        elif brace := _BRACE.match(self.text, self.at):
            self.at = brace.end()
            parts.append(Part("brace", brace[1]))
        else:
            self.at += 1
            parts.append(Part("loose" if char in "{}" else "glob", char))

    def until(self, end: str) -> str:
        """The text up to *end*, which is stepped over; *at* stands on the opening quote."""
        start = self.at + 1
        stop = self.text.find(end, start)
        if stop < 0:
            self.script_read.odd.add("a quote that isn't closed")
            stop = self.size
        self.at = stop + 1
        return self.text[start:stop]

    def double_quoted(self, parts: RawWord) -> None:
        self.at += 1
        parts.append(Part("text", "", True))
        while self.at < self.size:
            char = self.text[self.at]
            if char == '"':
                self.at += 1
                return
            if char == "\\":
                self.escaped_in_quotes(parts)
            elif char == "$":
                self.dollar(parts, quoted=True)
            elif char == "`":
                parts.append(self.backtick(quoted=True))
            else:
                stop = self.plain_in_quotes()
                parts.append(Part("text", self.text[self.at : stop], True))
                self.at = stop
        self.script_read.odd.add("a quote that isn't closed")

    def plain_in_quotes(self) -> int:
        stop = self.at
        while stop < self.size and self.text[stop] not in '"\\$`':
            stop += 1
        return stop

    def escaped_in_quotes(self, parts: RawWord) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if following != "\n":
            parts.append(Part("text", following if following in '$`"\\' else "\\" + following, True))

    def backtick(self, *, quoted: bool) -> Part:
        start = self.at + 1
        stop = start
        while stop < self.size and self.text[stop] != "`":
            stop += 2 if self.text[stop] == "\\" else 1
        self.at = stop + 1
        return Part("sub", re.sub(r"\\([\\$`])", r"\1", self.text[start:stop]), quoted)

    def dollar(self, parts: RawWord, *, quoted: bool) -> None:
        self.at += 1
        rest = self.text[self.at : self.at + 2]
        if rest == "((":
            self.at += 1
            parts.append(Part("unknown", self.balanced("(", ")"), quoted))
        elif rest[:1] == "(":
            self.at += 1
            parts.append(Part("sub", self.balanced("(", ")"), quoted))
        elif rest[:1] == "{":
            self.at += 1
            parts.append(Part("var", self.balanced("{", "}"), quoted))
        elif rest[:1] == "'" and not quoted:
            self.ansi(parts)
        elif rest[:1] == '"' and not quoted:
            self.double_quoted(parts)
        elif name := _NAME.match(self.text, self.at):
            text = name[0][:1] if name[0][0].isdigit() else name[0]
            self.at += len(text)
            parts.append(Part("var", text, quoted))
        else:
            parts.append(Part("text", "$", quoted))

    def ansi(self, parts: RawWord) -> None:
        """A `$'...'`; shells differ in the rarer escapes, so those are never certain."""
        body = self.ansi_body()
        parts.append(Part("text", decode_escapes(body), True))
        if not _SURE_ESCAPES.fullmatch(body):
            parts.append(Part("loose", "", True))

    def ansi_body(self) -> str:
        start = self.at + 1
        stop = start
        while stop < self.size and self.text[stop] != "'":
            stop += 2 if self.text[stop] == "\\" else 1
        self.at = stop + 1
        return self.text[start:stop]

    def balanced(self, opening: str, closing: str) -> str:
        """The text up to the matching *closing*; quotes inside are respected. Steps over it."""
        start, depth = self.at, 1
        while self.at < self.size:
            char = self.text[self.at]
            if char == "\\":
                self.at += 1
            elif char == "'" and opening == "(":
                stop = self.text.find("'", self.at + 1)
                self.at = self.size if stop < 0 else stop
            elif char == '"':
                self.skip_double()
            elif char in (opening, closing):
                depth += 1 if char == opening else -1
                if not depth:
                    self.at += 1
                    return self.text[start : self.at - 1]
            self.at += 1
        self.script_read.odd.add("a bracket that isn't closed")
        return self.text[start : self.size]

    def skip_double(self) -> None:
        self.at += 1
        while self.at < self.size and self.text[self.at] != '"':
            self.at += 2 if self.text[self.at] == "\\" else 1
