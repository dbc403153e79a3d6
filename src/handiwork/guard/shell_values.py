"""What words become: quotes are gone, known variables and known outputs are put in.

A part whose value can't be known before the command runs becomes empty text, and its word says so.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .places import names
from .shell_outputs import output_of
from .shell_reader import Part, RawCommand, RawWord, Script, read


@dataclass(slots=True)
class Word:
    """One argument. `known` is false where a part is only settled at run time."""

    text: str
    known: bool = True
    glob: bool = False
    quoted: bool = False


@dataclass(slots=True)
class World:
    """What is known while a script is read: variables, files it wrote, where it stands."""

    home: str
    cwd: str
    variables: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    nested: int = 0
    run_inner: Callable[[str], None] = lambda _text: None


_DEFAULT = re.compile(r"(!?)(\w+|[@*#?!$-])(?:\[[@*\d]+\])?(:?[-=+?]|:(?=\d)|)(.*)", re.DOTALL)
_SLICE = re.compile(r"(\d+)(?::(\d+))?$")
_SPLIT = re.compile(r"[ \t\n]+")
_QUIET = names("PWD USER LOGNAME SHELL LANG ? # RANDOM SECONDS LINENO COLUMNS LINES HOSTNAME")
MOST_BRACES = 64
MOST_NESTED = 8
MOST_CHARACTERS = 20_000


def expand(raw: RawWord, world: World) -> list[Word]:
    """The words that one word as written becomes (several after splitting and braces)."""
    if len(raw) == 1 and raw[0].kind == "text":
        return [Word(_tilde(raw[0], world), quoted=raw[0].quoted)]
    return [w for choice in _choices(raw) for w in _words(choice, world)]


def _tilde(part: Part, world: World) -> str:
    text = part.text
    if part.quoted or not text.startswith("~"):
        return text
    name, slash, rest = text[1:].partition("/")
    home = {"": world.home, "root": "/root", "+": world.cwd or ".", "-": "."}.get(name, "/home/" + name)
    return home + slash + rest


def _choices(raw: RawWord) -> list[RawWord]:
    """The word once for each combination of its braces."""
    if not any(p.kind == "brace" for p in raw):
        return [raw]
    options = [_brace(p.text) if p.kind == "brace" else [p] for p in raw]
    choices = [list(c) for c in itertools.islice(itertools.product(*options), MOST_BRACES + 1)]
    if len(choices) > MOST_BRACES:
        choices[-1] = [Part("unknown", "")]
    return choices


def _brace(inner: str) -> list[Part]:
    """The parts that `{a,b}` stands for; what `{a..z}` counts through isn't followed."""
    return [Part("text", t) for t in inner.split(",")] if "," in inner else [Part("unknown", "")]


def _words(raw: RawWord, world: World) -> list[Word]:
    words = [Word("")]
    started = False
    for index, part in enumerate(raw):
        text, known = _value(part, world)
        known &= len(text) <= MOST_CHARACTERS
        text = text[:MOST_CHARACTERS]
        if part.kind == "text":
            words[-1].text += _tilde(part, world) if index == 0 else text
        elif part.quoted:
            words[-1].text += text
        else:
            _append_split(words, text, world)
        words[-1].known &= known
        words[-1].glob |= part.kind == "glob"
        words[-1].quoted |= part.quoted
        started |= part.quoted or bool(text)
    return words if started or not words[0].known else []


def _append_split(words: list[Word], text: str, world: World) -> None:
    """Add an unquoted value, which the shell splits at blanks (or at IFS where that was set)."""
    separators = world.variables.get("IFS")
    pieces = re.split(f"[{re.escape(separators)}]+", text) if separators else _SPLIT.split(text)
    words[-1].text += pieces[0]
    words.extend(Word(piece) for piece in pieces[1:])
    if len(words) > 1 and not words[-1].text and len(pieces) == 1:
        words.pop()


def _value(part: Part, world: World) -> tuple[str, bool]:
    """The text of a part, and whether that is all there is to it."""
    if part.kind in ("text", "glob", "loose"):
        return part.text, part.kind != "loose"
    if part.kind == "var":
        return _variable(part.text, world)
    if part.kind == "unknown":
        world.run_inner("echo " + part.text)
        return "", False
    if world.nested >= MOST_NESTED:
        return "", False
    world.nested += 1
    text = _array(part, world) if part.kind == "array" else _output(part, world)
    world.nested -= 1
    return text, False


def _array(part: Part, world: World) -> str:
    return " ".join(w.text for w in _all_words(read(part.text), world))


def _output(part: Part, world: World) -> str:
    """What a substitution becomes: its output, or the name of a file that holds it."""
    world.run_inner(part.text)
    output = script_output(part.text, world)
    if part.kind != "feed":
        return (output or "").rstrip("\n")
    name = f"/dev/fd/{len(world.files)}"
    if output is not None:
        world.files[name] = output
    return name


def _variable(expression: str, world: World) -> tuple[str, bool]:
    match = _DEFAULT.fullmatch(expression)
    if not match:
        return "", False
    bang, name, operator, rest = match.groups()
    value, known = _plain_variable(name, world)
    if bang and value is not None:
        value, known = world.variables.get(value), False
    return _operated(value, operator, rest, known)


def _plain_variable(name: str, world: World) -> tuple[str | None, bool]:
    if name in world.variables:
        return world.variables[name], True
    if name == "HOME":
        return world.home, True
    if name == "IFS":
        return " ", False
    if name == "PATH":
        return "/usr/bin:/bin", False
    return (None, name in _QUIET) if name != "PWD" else (world.cwd or ".", True)


def _operated(value: str | None, operator: str, rest: str, known: bool) -> tuple[str, bool]:
    if operator.endswith(("-", "=")):
        return (value, False) if value else (rest, False)
    if operator.endswith("+"):
        return rest, False
    if operator == ":" and (cut := _SLICE.match(rest)):
        start = int(cut[1])
        stop = start + int(cut[2]) if cut[2] else None
        return (value or "")[start:stop], False
    return value or "", known and not rest


def _all_words(script: Script, world: World) -> list[Word]:
    return [
        word
        for pipeline in script.pipelines
        for command in pipeline
        for raw in command.words
        for word in expand(raw, world)
    ]


def script_output(text: str, world: World) -> str | None:
    """What a script would print, where that is plain to see (echo, printf, base64 -d ...)."""
    script = read(text)
    outputs = [pipeline_output(p, world) for p in script.pipelines]
    return "".join(o for o in outputs if o is not None) if any(o is not None for o in outputs) else None


def pipeline_output(pipeline: list[RawCommand], world: World) -> str | None:
    """What the last command of a pipeline prints, or None where it isn't known."""
    text: str | None = None
    for command in pipeline:
        text = command_output(command, text, world)
    return text


def command_output(command: RawCommand, piped: str | None, world: World) -> str | None:
    """What one command prints, given what it is fed."""
    words = [w.text for raw in command.words for w in expand(raw, world)]
    if not words:
        return None
    return output_of(words, standard_input(command, piped, world), world.files)


def standard_input(command: RawCommand, piped: str | None, world: World) -> str | None:
    """The text a command reads: its heredoc, here-string, known file, or what is piped in."""
    for redirect in command.redirects:
        if redirect.op in ("<<", "<<-"):
            return redirect.body
        target = " ".join(w.text for w in expand(redirect.target, world))
        if redirect.op == "<<<":
            return target + "\n"
        if redirect.op == "<":
            return world.files.get(target)
    return piped
