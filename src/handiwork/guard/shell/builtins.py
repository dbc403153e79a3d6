"""What the shell does by itself: its own commands, which change its state or run further text."""

from __future__ import annotations

import re
from collections.abc import Callable

from .call import Call
from .environment import BOUNDS, tampers
from .marks import FETCHED, SECRET, UNKNOWN, is_known, veiled, without_marks
from .printers import printed

MOST_LINES = 200
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=(.*)", re.DOTALL)
_NO_HISTORY = ("HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE")


def _nothing(_call: Call) -> str:
    return ""


def _cd(call: Call) -> str:
    target = next((a for a in call.args if not a.startswith("-") or a == "-"), call.shell.home)
    if target == "-" or not is_known(target):
        call.shell.cwd = UNKNOWN if target == "-" or target[0] == UNKNOWN else call.shell.resolve(target)
    else:
        call.shell.cwd = call.shell.resolve(target)
    return ""


def _popd(call: Call) -> str:
    call.shell.cwd = UNKNOWN
    return ""


def _declare(call: Call) -> str:
    if not any(a[0] not in "-+" for a in call.args if a):
        return veiled(SECRET)
    for word in call.args:
        if found := _ASSIGNMENT.match(word):
            call.shell.assign(found[1], found[2])
            tampers(found[1], found[2], call.shell)
    return ""


def _unset(call: Call) -> str:
    for name in call.args:
        if name == "PATH":
            call.effect("env_tamper", "unset PATH")
        if name in BOUNDS:
            call.effect("self", f"unset {name}", "it changes the bounds of an agent that it starts ({0})")
        if name in _NO_HISTORY:
            call.effect("log_wipe", name)
        call.shell.variables.pop(name, None)
        call.shell.arrays.pop(name, None)
        call.shell.functions.pop(name, None)
    return ""


def _read(call: Call) -> str:
    """`read`: the next line that is fed, in pieces."""
    line, rest = _line(call)
    if call.stdin is call.shell.stdin:
        call.shell.stdin = rest
    targets = _read_targets(call)
    pieces = line.split(None, len(targets) - 1) if targets else []
    for place, name in enumerate(targets):
        call.shell.variables[name] = pieces[place] if place < len(pieces) else ""
    return ""


def _line(call: Call) -> tuple[str, str]:
    if call.stdin is None:
        return UNKNOWN, ""
    line, _, rest = call.stdin.partition("\n")
    return line, rest


def _read_targets(call: Call) -> list[str]:
    targets, words = [], iter(call.args)
    for word in words:
        if word == "-a":
            call.shell.arrays[next(words, "REPLY")] = _line(call)[0].split()
        elif word in ("-d", "-n", "-N", "-p", "-t", "-u", "-i"):
            next(words, "")
        elif not word.startswith("-"):
            targets.append(word)
    return targets or ["REPLY"]


def _mapfile(call: Call) -> str:
    names = [a for a in call.args if not a.startswith("-")]
    lines = [UNKNOWN] if call.stdin is None else call.stdin.rstrip("\n").split("\n")
    call.shell.arrays[names[-1] if names else "MAPFILE"] = lines[:MOST_LINES]
    return ""


def _set(call: Call) -> str:
    if not call.args:
        return veiled(SECRET)
    if call.args[:2] == ["+o", "history"]:
        call.effect("log_wipe", "set +o history")
    if "--" in call.args:
        call.shell.positional = call.args[call.args.index("--") + 1 :]
    elif call.args and not call.args[0].startswith(("-", "+")):
        call.shell.positional = list(call.args)
    return ""


def _shift(call: Call) -> str:
    count = int(call.args[0]) if call.args and call.args[0].isdigit() else 1
    call.shell.positional = call.shell.positional[count:]
    return ""


def _eval(call: Call) -> str:
    words = call.args[1:] if call.args[:1] == ["--"] else call.args
    return call.runs(" ".join(words), stdin=call.stdin)


def _source(call: Call) -> str:
    if not call.args:
        return ""
    path = call.args[0]
    content = call.shell.content(path)
    if content is not None:
        return call.runs(content, stdin=call.stdin)
    if FETCHED in path:
        call.effect("run_fetched_code", path)
    elif path in ("-", "/dev/stdin", "/dev/fd/0") and call.stdin is not None:
        return call.runs(call.stdin)
    elif not without_marks(path).strip("/"):
        call.effect("unknown_program", path)
    else:
        call.touches("run_file", path)
    return UNKNOWN


def _exec(call: Call) -> str:
    words = list(call.args)
    while words and words[0].startswith("-") and len(words[0]) > 1:
        flag = words.pop(0)
        if flag.endswith("a") and words:
            words.pop(0)
        if flag == "--":
            break
    return call.runs_words(words)


def _command(call: Call) -> str:
    """`command` and `builtin`: `-v` only looks."""
    words = list(call.args)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag in ("-v", "-V"):
            return printed("which", words, None) or veiled()
    return call.runs_words(words)


def _time(call: Call) -> str:
    return call.runs_words([a for i, a in enumerate(call.args) if not (a == "-p" and i == 0)])


def _coproc(call: Call) -> str:
    """`coproc NAME { ...` leaves its name as the only word; without braces the words are a program."""
    return call.runs_words(call.args) if len(call.args) > 1 or "{" not in call.args else ""


def _trap(call: Call) -> str:
    words = [a for a in call.args if a not in ("-p", "-l", "--")]
    return call.runs(words[0]) if len(words) > 1 and words[0] not in ("-", "") else ""


def _alias(call: Call) -> str:
    for word in call.args:
        if found := re.match(r"([^=\s]+)=(.*)", word, re.DOTALL):
            call.shell.aliases[found[1]] = found[2]
            call.shell.stays(found[2])
    return UNKNOWN if not call.args else ""


def _hash(call: Call) -> str:
    if len(call.args) > 2 and call.args[0] == "-p":
        call.shell.aliases[call.args[2]] = call.args[1]
        call.effect("hidden", call.args[2], f"{call.args[2]} is made to mean {call.args[1]}")
    return ""


def _history(call: Call) -> str:
    if any(a.startswith("-") and ("c" in a or "d" in a) for a in call.args):
        call.effect("log_wipe", "the shell's history")
    return UNKNOWN + SECRET


def _printf(call: Call) -> str:
    if len(call.args) > 2 and call.args[0] == "-v":
        call.shell.assign(call.args[1], printed("printf", call.args[2:], None) or "")
        return ""
    return printed("printf", call.args, None) or ""


def _echo(call: Call) -> str:
    return printed("echo", call.args, None) or ""


def _pwd(call: Call) -> str:
    return (call.shell.cwd or ".") + "\n"


def _enable(call: Call) -> str:
    if "-f" in call.args:
        call.effect("env_tamper", "enable " + " ".join(call.args))
    return ""


def _bind(call: Call) -> str:
    runs = ("-C",) if call.word == "complete" else ("-x", "-f")
    if any(flag in call.args for flag in runs):
        call.effect("env_tamper", " ".join([call.word, *call.args]))
    return ""


BUILTINS: dict[str, Callable[[Call], str]] = {
    **dict.fromkeys(
        [
            ":",
            "true",
            "false",
            "exit",
            "return",
            "break",
            "continue",
            "wait",
            "jobs",
            "fg",
            "bg",
            "disown",
            "umask",
            "ulimit",
            "times",
            "getopts",
            "shopt",
            "caller",
            "compgen",
            "compopt",
            "logout",
            "suspend",
            "let",
            "dirs",
            "then",
            "do",
            "else",
            "fi",
            "done",
        ],
        _nothing,
    ),
    **dict.fromkeys(("cd", "pushd", "chdir"), _cd),
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declare),
    **dict.fromkeys(("command", "builtin"), _command),
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    **dict.fromkeys((".", "source"), _source),
    "alias": _alias,
    "bind": _bind,
    "complete": _bind,
    "coproc": _coproc,
    "echo": _echo,
    "enable": _enable,
    "eval": _eval,
    "exec": _exec,
    "hash": _hash,
    "history": _history,
    "popd": _popd,
    "printf": _printf,
    "pwd": _pwd,
    "read": _read,
    "set": _set,
    "shift": _shift,
    "time": _time,
    "trap": _trap,
    "unset": _unset,
}
