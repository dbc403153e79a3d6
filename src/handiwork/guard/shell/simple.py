"""One simple command: which program it is, what runs, and where its output goes."""

from __future__ import annotations

import fnmatch
import os
from typing import Protocol

from ..places import plain
from .builtins import BUILTINS
from .call import Call
from .environment import tampers
from .marks import ENDLESS, FETCHED, REMOTE, SECRET, UNKNOWN, is_known, veiled, without_marks
from .patterns import is_pattern
from .redirections import Redirects
from .session import Shell
from .words import expand_text

MOST_CANDIDATES = 8


class Runner(Protocol):
    """What knows programs: the effects of each, and what it would print."""

    def program(self, call: Call) -> str:
        """Note what a program would do; what it would print."""

    def joined(self, stages: list[str], shell: Shell) -> None:
        """Note what follows from these programs being joined by pipes."""

    def names(self) -> tuple[str, ...]:
        """The programs that are known."""


def run_simple(
    words: list[str],
    joined: Redirects,
    own: dict[str, str],
    shell: Shell,
    runner: Runner,
    *,
    printed: str | None = None,
) -> str:
    """Read one command whose words are settled; what it prints to where nothing else was said."""
    for name, value in own.items():
        tampers(name, value, shell)
    if words:
        stdin = joined.stdin if joined.stdin is not None else shell.stdin
        shell.starts(words, is_bare=not own and stdin is None and not joined.is_wired)
        call = Call(words[0], words[1:], shell, stdin, own)
        call.socket = joined.socket
        output = _run(call, runner)
    else:
        output = printed or ""
    if joined.socket:
        _socket(words, joined, output, shell)
    if any(path in words[1:] and not append for path, append in joined.writes):
        output = ""  # the shell empties the file before the program reads it
    return _written(joined, output, shell) if joined.writes or joined.feeds else output


def _written(joined: Redirects, output: str, shell: Shell) -> str:
    """Put the output where it goes."""
    if ENDLESS in output:
        shell.effect("fill", joined.writes[0][0] if joined.writes else "")
    for path, append in joined.writes:
        full = shell.lands(path)
        shell.effect("append" if append else _kind(full, output, shell), full)
        shell.write(path, output, append=append)
    for script in joined.feeds:
        shell.engine.run_text(shell, script, output)
    return "" if joined.writes else output


def _kind(full: str, output: str, shell: Shell) -> str:
    """What a `>` does: nothing but blanks over what isn't the command's own empties it, if there is anything."""
    if output.strip() or full in shell.made:
        return "write"
    return "write" if shell.cwd and not os.path.lexists(full) else "truncate"


def _socket(words: list[str], joined: Redirects, output: str, shell: Shell) -> None:
    """A command joined to the network by the shell itself."""
    shell.effect("socket", joined.socket)
    fed = (joined.stdin or "") + output
    if not words or not is_known(words[0]) or "shell" in shell.programs[-1:] or REMOTE in fed:
        shell.effect("remote_shell" if words else "socket", joined.socket)
    if SECRET in fed:
        shell.effect("leak", joined.socket)


def _run(call: Call, runner: Runner) -> str:
    """Find what the first word names, in the order in which a shell looks."""
    shell, word = call.shell, call.word
    if not is_known(word) and not without_marks(word).rpartition("/")[2]:
        return _unknown_program(call)
    if word in shell.aliases or ("/" in word and shell.resolve(word) in shell.aliases):
        return _alias(call, shell.aliases.get(word) or shell.aliases[shell.resolve(word)], runner)
    function = shell.functions.get(word)
    if function is not None:
        return function.call(call.args, shell)
    builtin = BUILTINS.get(word)
    if word in _INDEXING:
        _indices(call)
    if builtin is not None:
        shell.programs.append(word)
        return builtin(call)
    if is_pattern(word) and word not in ("[", "[["):
        return _pattern(call, runner)
    return _program(call, runner)


# These take names of variables, and the shell works out what stands in their brackets.
_INDEXING = frozenset(
    ("test", "[", "printf", "read", "unset", "declare", "typeset", "local", "export", "let", "mapfile", "[[")
)


def _indices(call: Call) -> None:
    for arg in call.args:
        if "[" in arg and ("$(" in arg or "`" in arg):
            expand_text(arg, call.shell)


def _program(call: Call, runner: Runner) -> str:
    if call.word.rpartition("/")[2] == "$0":
        again = "$0" in call.shell.programs or call.shell.unsure
        call.effect("fork_bomb" if again else "hidden", "$0", "" if again else "it runs itself")
    # A variable that nobody set is empty, most of the time.
    name = without_marks(plain(call.word).rpartition("/")[2])
    if "://" in call.word:
        call.effect("run_fetched_code", call.word)
    if "/" in call.word:
        if _came_from_elsewhere(call):
            call.effect("run_fetched_code", call.word)
        content = call.shell.content(call.word)
        if content is not None:
            call.shell.programs.append("script")
            return call.runs(content, stdin=call.stdin)
    call.name = name
    call.shell.programs.append(name)
    return runner.program(call)


def _came_from_elsewhere(call: Call) -> bool:
    """Whether a script of a folder is run that the command itself has fetched."""
    full = call.shell.resolve(call.word)
    return full.endswith((".sh", ".py", "install", "setup", "run")) and any(
        full.startswith(f) for f in call.shell.fetched
    )


def _alias(call: Call, target: str, runner: Runner) -> str:
    words = target.split() or [":"]
    if words[0] == call.word:  # `alias ls='ls --color'` means the program
        inner = Call(words[0], [*words[1:], *call.args], call.shell, call.stdin, call.own)
        return _program(inner, runner)
    call.shell.effect("hidden", call.word, f"{call.word} is made to mean {target}")
    return call.shell.engine.run_words(call.shell, [*words, *call.args], call.stdin)


def _pattern(call: Call, runner: Runner) -> str:
    """A program found by a pattern: all that it may match are read."""
    pattern = call.word.rpartition("/")[2]
    call.shell.effect("hidden", call.word, "the name of the program is a pattern")
    for name in fnmatch.filter(runner.names(), pattern)[:MOST_CANDIDATES]:
        _program(Call(name, call.args, call.shell, call.stdin, call.own), runner)
    return veiled(call.stdin)


def _unknown_program(call: Call) -> str:
    shell, word = call.shell, call.word
    if REMOTE in word or (FETCHED in word and call.socket):
        shell.effect("remote_shell", word)
    elif FETCHED in word:
        shell.effect("run_fetched_code", word)
    else:
        shell.effect("unknown_program")
    shell.programs.append(UNKNOWN)
    return veiled(call.stdin, *call.args)
