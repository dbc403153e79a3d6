"""What to do instead when a command wanted a person: by the program that was run, and by what was printed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ...core.types import Ran


@dataclass(frozen=True, slots=True)
class Hint:
    """An advice for commands that begin like *words*, when they failed or printed nothing, never ended, or worked."""

    words: str
    advice: str
    when: Literal["failed", "endless", "worked"] = "failed"


_NO_EDITOR = "nobody sits at the editor: change the file with sed, or with a tool for files"
# These would wait for a key until the time is up. With options they can do without a person.
_WAITS = re.compile(r"(?:vi|vim|nvim|view|vimdiff|vimtutor)(?:\s+[^-+\s]\S*)*")


PROGRAMS = (
    Hint(
        r"(vi|vim|nvim|vimdiff|nano|pico|emacs|ed|joe|micro|mcedit)\b(?!.*\s(--version|--batch|--headless|-[eE]?s)\b)",
        _NO_EDITOR,
    ),
    Hint(
        r"(top\b(?!.*\s-\w*b)|(htop|btop|atop|iotop|glances)\b)",
        "it draws a screen for ever: use `top -b -n 1` or `ps aux --sort=-%cpu`",
    ),
    Hint(r"watch\b", "it repeats for ever: run once what it would repeat"),
    Hint(r"(less|more|most)\b", "nobody turns the pages: use cat, head, tail or sed -n"),
    Hint(
        r"(python|python3|python3\.\d+|ipython|bpython|node|deno|irb|ghci|R|lua|php|perl|julia|scala)(\s+-[iq]+)?\s*$",
        "without a script it reads a keyboard that isn't there: give it code as an option, a file, or after <<'EOF'",
    ),
    Hint(
        r"(psql|mysql|mariadb|sqlite3|mongosh|redis-cli|ftp|sftp|telnet|gdb|pdb)\b(?!.*(\s-[cefb]\b|\s--\w+|<))",
        "it reads a keyboard that isn't there: give it what to do as an option, or after <<'EOF'",
    ),
    Hint(
        r"git\s+rebase\b.*\s(-i|--interactive)\b",
        "no editor opens, so the list was taken as it was: set GIT_SEQUENCE_EDITOR to a command that edits it, "
        "such as \"sed -i '2s/pick/squash/'\"",
        "worked",
    ),
    Hint(
        r"git\s+(add|checkout|reset|restore|stash|commit)\b.*\s(-p|--patch|--interactive)\b",
        "it asked about each piece and nobody answered: name whole files, or use `git apply --cached`",
        "worked",
    ),
    Hint(
        r"git\s+commit\b(?!.*\s(-\w*[mFC]|--message|--file|--no-edit|--reuse-message))",
        "no editor opens: give -m 'message'",
    ),
    Hint(r"(visudo|vipw|passwd|chsh|su|crontab\s+-e)\b", "it asks a person at a terminal, and nobody is there"),
    Hint(
        r"(tail\b.*\s(-\w*[fF]|--follow)|journalctl\b.*\s(-f|--follow)|\S+\s+logs\b.*\s(-f|--follow)|ping\b(?!.*\s-c)|yes\b|nc\b.*\s-\w*l)",
        "it never ends by itself: give it a bound, or start it with background=true",
        "endless",
    ),
)
PRINTED = (
    (
        r"sudo: .*(terminal|password) is required|\[sudo\] password",
        "sudo asks for a password, and nobody is there to type it: do it without, or leave it to a person",
    ),
    (
        r"Host key verification failed|authenticity of host",
        "ssh asks about the host's key, and nobody is there: the key has to be in known_hosts",
    ),
    (
        r"Permission denied \([\w,-]*(publickey|password)|Enter passphrase",
        "ssh asks for a password or a passphrase, and nobody is there: a key without one has to be set up",
    ),
    (
        r"could not read (Username|Password)|terminal prompts disabled",
        "git asks for a login, and nobody is there: a token or a key has to be set up",
    ),
    (r"(?i)not a (tty|terminal)|(tty|terminal) is required|isn't a terminal", "it wants a terminal: try pty=true"),
    (
        r"(?i)\[y/n\]|\(y/n\)|\(yes/no\)|\[yes/no\]|press (any key|enter)|do you want to continue|are you sure",
        "it asks a question, and nobody is there: give the option that answers it, such as -y, or pipe the answer in",
    ),
)
_BEFORE = re.compile(r"(?:\w+=\S*\s+|(?:sudo|env|time|nohup|exec|command|nice)\s+(?:-\w+\s+)*)*")
_SEPARATORS = re.compile(r"\|\||&&|[;|\n&(){}]")
_SEEN = 20_000


def hint(command: str, ran: Ran) -> str:
    """What to do instead, where *command* wanted somebody at a keyboard; empty if it doesn't look so."""
    failed = ran.timed_out or ran.exit_code != 0
    if failed:
        printed = ran.output[-_SEEN:]
        said = next((advice for pattern, advice in PRINTED if re.search(pattern, printed)), "")
        if said:
            return said
    holds = {"worked": not failed, "endless": ran.timed_out, "failed": failed or not ran.output.strip()}
    parts = _parts(command)
    return next(
        (known.advice for known in PROGRAMS if holds[known.when] and any(re.match(known.words, p) for p in parts)), ""
    )


def hopeless(command: str) -> str:
    """Why *command* would wait for a person until its time is up, where that is plain to see; else empty."""
    quoted = any(sign in command for sign in "'\"\\`$\n")
    return "" if quoted or not any(map(_WAITS.fullmatch, _parts(command))) else _NO_EDITOR


def _parts(command: str) -> list[str]:
    """The single commands, roughly, each from its program on."""
    return [_BEFORE.sub("", part.strip(), count=1).rstrip() for part in _SEPARATORS.split(command[:_SEEN])]
