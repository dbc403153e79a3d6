"""Readers of shells, and of programs that start one."""

from __future__ import annotations

import re

from ..shell.call import Call
from ..shell.environment import BOUNDS
from ..shell.marks import FETCHED, SECRET, UNKNOWN, is_known, veiled
from .arguments import Arguments
from .notes import described
from .signs import BREAKING_IN

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
INSIDE = "/workdir"  # where programs in a container stand
_VALUED = ("-o", "+o", "-O", "+O", "--rcfile", "--init-file")


def read_shell(call: Call, _arguments: Arguments) -> str | None:
    """`sh -c text`, `sh file`, `sh < text`, or a shell that waits to be told."""
    words = list(call.args)
    letters = ""
    while words and words[0][:1] in ("-", "+") and len(words[0]) > 1:
        flag = words.pop(0)
        if flag == "--":
            break
        if flag in _VALUED and words:
            words.pop(0)
        elif not flag.startswith("--"):
            letters += flag[1:]
    if "p" in letters:
        call.effect("privilege", described(call))
    if call.socket or "i" in letters:
        _waits(call)
    if "c" in letters and words:
        return _run_text(call, words)
    if words and "s" not in letters:
        return _run_file(call, words)
    return _run_stdin(call, words)


def _waits(call: Call) -> None:
    """A shell that somebody types into; one that another program starts is a way around what was judged."""
    call.shell.programs.append("shell")
    replaced = "exec" in call.shell.programs[-3:]
    if call.shell.depth > 1 and call.stdin is None and call.shell.workspace != INSIDE and not replaced:
        call.effect("run_other", f"{call.name}, a shell to type into")
    if call.socket:
        call.effect("remote_shell", call.socket)


def _run_text(call: Call, words: list[str]) -> str:
    shell = call.shell
    outer, shell.positional = shell.positional, words[2:]
    if len(words) > 1:
        shell.variables["0"] = words[1]
    output = call.runs(words[0], stdin=call.stdin)
    shell.positional = outer
    return output


def _run_file(call: Call, words: list[str]) -> str:
    path = words[0]
    content = call.shell.content(path)
    if content is not None:
        return _run_text(call, [content, *words])
    if path in ("-", "/dev/stdin", "/dev/fd/0"):
        return _run_stdin(call, words[1:])
    if not is_known(path):
        call.effect("run_fetched_code" if FETCHED in path else "unknown_program", path)
    else:
        if BREAKING_IN.search(path):
            call.effect("run_other", f"{path}, which sounds like breaking in")
        call.touches("run_file", path)
        call.shell.reads(path)
    return veiled(call.stdin)


def _run_stdin(call: Call, words: list[str]) -> str:
    if call.stdin is None:
        _waits(call)
        return UNKNOWN
    if not is_known(call.stdin):
        call.shell.programs.append("shell")
    shell = call.shell
    outer, shell.positional = shell.positional, words
    output = call.runs(call.stdin, stdin="")
    shell.positional = outer
    return output


def read_env(call: Call, _arguments: Arguments) -> str:
    """`env [-i] [-u NAME] [-S text] [NAME=value ...] program`; alone it shows all variables."""
    words = list(call.args)
    while words and words[0].startswith("-"):
        flag = words.pop(0)
        if flag in ("-u", "--unset", "-C", "--chdir") and words:
            value = words.pop(0)
            if value in BOUNDS:
                call.runs(f"unset {value}")
            call.shell.cwd = call.shell.resolve(value) if flag in ("-C", "--chdir") else call.shell.cwd
        elif flag in ("-S", "--split-string") or flag.startswith(("-S", "--split-string=")):
            text = words.pop(0) if flag in ("-S", "--split-string") and words else flag.partition("S")[2].lstrip("=")
            return call.runs(" ".join([text, *words]), stdin=call.stdin)
        elif flag == "--":
            break
    own = {}
    while words and _ASSIGNMENT.match(words[0]):
        name, _, value = words.pop(0).partition("=")
        own[name] = value
    return _run_with(call, own, words)


def _run_with(call: Call, own: dict[str, str], words: list[str]) -> str:
    if own:
        from_text = " ".join(f"{name}={_quoted(value)}" for name, value in own.items())
        call.runs("export " + from_text)
    if words:
        return call.runs_words(words)
    return veiled(SECRET)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def read_sudo(call: Call, arguments: Arguments) -> str:
    """`sudo [options] [NAME=value ...] program`; a `-s` or `-i` starts a shell."""
    if arguments.rest or arguments.has(("-s", "-i", "-e", "--shell", "--login", "--edit")):
        call.effect("privilege", described(call))
    for path in arguments.rest if arguments.has(("-e", "--edit")) else ():
        call.touches("write", path)
        return UNKNOWN
    words = list(arguments.rest)
    while words and _ASSIGNMENT.match(words[0]):
        words.pop(0)
    return call.runs_words(words) if words else UNKNOWN


def read_su(call: Call, _arguments: Arguments) -> str:
    """`su [user] [-c text]`, `runuser -u user -- program`."""
    call.effect("privilege", described(call))
    whole = Arguments(call.args, frozenset(("-c", "--command", "-s", "--shell", "-u", "--user", "-g", "-G")))
    texts = whole.of(("-c", "--command"))
    if texts:
        return call.runs(texts[0], stdin=call.stdin)
    if whole.has(("-u", "--user")):
        rest = Arguments(call.args, frozenset(("-u", "--user", "-g", "-G", "-s")), leading=True).rest
        return call.runs_words(rest) if rest else UNKNOWN
    return call.runs(call.stdin) if call.stdin else UNKNOWN


def read_xargs(call: Call, arguments: Arguments) -> str:
    """`xargs program`: what it is fed becomes arguments; `-I{}` says where."""
    words = arguments.rest or ["echo"]
    fed = UNKNOWN if call.stdin is None else call.stdin
    for path in arguments.of(("-a", "--arg-file")):
        fed = call.text_of(path)
    marks = [m or "{}" for m in arguments.of(("-I", "-i", "--replace"))] or (["{}"] if arguments.has(("-i",)) else [])
    lines = fed.replace("\0", "\n").split("\n") if is_known(fed) else [veiled(fed)]
    if not marks:
        items = [item for line in lines for item in line.split()] if is_known(fed) else lines
        return call.runs_words([*words, *items[:200]], stdin="")
    outputs = [
        call.runs_words([word.replace(marks[0], line) for word in words], stdin="")
        for line in lines[:20]
        if line.strip()
    ]
    return "".join(outputs)


def read_parallel(call: Call, arguments: Arguments) -> str:
    """`parallel program ::: items`: one shell line for each item."""
    words = list(arguments.rest)
    items: list[str] = [UNKNOWN]
    if ":::" in words:
        at = words.index(":::")
        words, items = words[:at], [w for w in words[at + 1 :] if w != ":::"]
    elif call.stdin is not None and is_known(call.stdin):
        items = [line for line in call.stdin.split("\n") if line.strip()]
    outputs = []
    for item in items[:12]:
        line = [re.sub(r"\{[./#%]*\}", lambda _, i=item: i, w) for w in words]  # type: ignore[misc]
        outputs.append(call.runs(" ".join(line if line != words else [*words, item])))
    return "".join(outputs)
