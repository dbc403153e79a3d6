"""What a program would run in its turn: a wrapper's tail, a shell's text, the strings of a one-liner.

It is followed only to refuse; every program that runs others asks already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .command_flows import code_is_remote_shell, strings_in
from .command_readers import READERS
from .command_rules import PROGRAMS
from .command_signs import Call
from .places import names, plain

MOST_ARGUMENTS = 40

_SHELLS = names("sh bash dash zsh ksh ash fish mksh busybox rbash")
_TEXT_RUNNERS = _SHELLS | names("source . eval at batch crontab")
_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|node|nodejs|php|lua|deno|bun|tclsh|awk|gawk|mawk|osascript|Rscript|jshell"
    r"|sqlite3|vim?|nvim|ex|ed|emacs|gdb|sed|make|gcc|cc|git|zip|tar|npm|rsync)[\d.]*$"
)
_CODE_RUNS = re.compile(
    r"system|exec|popen|spawn|subprocess|shell|\.run|call|__import__|`|\||qx|open|rmtree|rmSync|write|unlink"
    r"|\de "
)
_TAKES_TEXT = names(
    "ssh su sudo doas env xargs parallel docker podman kubectl lxc nsenter chroot tmux screen watch"
    " script expect flock nohup timeout nice setsid stdbuf strace ltrace unshare systemd-run runuser"
    " runcon dbus-run-session find fd trap alias coproc entr hyperfine uv npx xvfb-run setarch faketime"
    " unbuffer rlwrap wsl adb vagrant ionice chrt taskset cgexec firejail proot fakeroot"
    " start-stop-daemon daemonize ts sg newgrp pkexec exec builtin command"
)
_LOUD = names("echo printf grep egrep fgrep rg cat ls test [ : true type which man apropos cut tr")


def is_shell(name: str) -> bool:
    """Whether this runs a text as shell commands."""
    return name in _TEXT_RUNNERS


def is_code(call: Call, fed: str | None) -> bool:
    """Whether the call runs a program text that is given to it."""
    return bool(_INTERPRETERS.match(call.name)) and (bool(call.args) or fed is not None)


def joins_network(call: Call, fed: str | None) -> bool:
    """Whether a program text that is given here opens the machine, or sends secrets away."""
    return any(code_is_remote_shell(text) for text in (*call.args, fed or ""))


def reach(call: Call, fed: str | None, files: Mapping[str, str]) -> Iterator[str | Call]:
    """The scripts and calls that a call would run, given what it is fed and which files are known."""
    if call.name in _LOUD:
        return
    if is_shell(call.name):
        yield from _shell_texts(call, fed, files)
    elif is_code(call, fed):
        yield from _code_texts(call, fed)
    if call.name not in READERS or call.name in _TAKES_TEXT:
        yield from _tails(call, fed)


def _shell_texts(call: Call, fed: str | None, files: Mapping[str, str]) -> Iterator[str]:
    if call.name == "eval":
        yield " ".join(call.args)
    for arg in call.args:
        if arg in files:
            yield files[arg]
        elif re.search(r"[\s;|&<>$`]", arg):
            yield arg
    if fed is not None:
        yield fed


def _code_texts(call: Call, fed: str | None) -> Iterator[str]:
    for text in (*call.args, fed or ""):
        if _CODE_RUNS.search(text):
            yield from (s for s in strings_in(text) if " " in s or "/" in s)


def _tails(call: Call, fed: str | None) -> Iterator[str | Call]:
    """Every tail of the arguments as a call, and every argument with blanks as a script."""
    args = list(call.args[:MOST_ARGUMENTS])
    if call.name in ("xargs", "parallel") and fed:
        args += fed.split()[:MOST_ARGUMENTS]
    takes_text = call.name in _TAKES_TEXT or bool(_INTERPRETERS.match(call.name))
    for place, arg in enumerate(args):
        if " " in arg or "\n" in arg:
            if takes_text:
                yield arg
        elif _is_program(arg, args[place - 1] if place else ""):
            name = plain(arg).rsplit("/", 1)[-1]
            yield Call(name, tuple(args[place + 1 :]), call.writes, call.home, call.cwd, call.workspace)


def _is_program(arg: str, before: str) -> bool:
    name = plain(arg).rsplit("/", 1)[-1]
    if name in _SHELLS:
        return not (before.startswith("--") and len(before) > 2)  # `--language sh` names no shell to run
    return name in PROGRAMS or name.startswith("mkfs") or bool(_INTERPRETERS.match(name))
