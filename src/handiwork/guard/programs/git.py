"""The reader of git: what rules can't say, because it stands in refspecs, settings and texts that git runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..places import names
from ..shell.call import Call
from ..shell.marks import veiled
from .arguments import Arguments
from .notes import described, note_folder, note_path
from .signs import MINING

# Settings whose value is a program, or that say whom to trust.
_RUN_SETTINGS: Final = re.compile(
    r"(?i)(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand|hookspath)"
    r"|sequence\.editor"
    r"|diff\.external|diff\..*\.(?:command|textconv)|difftool\..*\.cmd|mergetool\..*\.cmd|merge\..*\.driver|pager\..*"
    r"|filter\..*|credential\.helper|gpg\.program|uploadpack\.packobjectshook|remote\..*\.(?:upload"
    r"|receive)pack|init\.templatedir"
    r"|sendemail\..*cmd|web\.browser|browser\..*\.cmd|interactive\.difffilter|gpg\..*\.program)"
)
_TRUST_SETTINGS: Final = re.compile(
    r"(?i)http\.(?:.*\.)?(?:sslverify|proxy)|url\..*\.(?:push)?insteadof|protocol\..*allow|safe\.directory"
)
_USUAL_VALUES: Final = re.compile(
    r"(?:cat|less(?: -\w+)*|more|delta|bat|diff-so-fancy.*|vim?|nvim|nano|emacs|code"
    r" --wait|true|:|store|cache(?: .*)?|osxkeychain|manager(?:-core)?"
    r"|libsecret|false|gpg2?|\.githooks|\.husky.*|hooks|ssh(?: -i \S+)?(?: -o \S+)*|input|auto)?$"
)
_READS: Final = names(
    "status log show diff shortlog describe rev-parse rev-list ls-files ls-tree ls-remote blame cat-file"
    " merge-base name-rev grep"
    " count-objects diff-tree diff-index diff-files whatchanged for-each-ref show-ref show-branch cherry"
    " range-diff help version"
    " check-ignore check-attr verify-commit verify-tag var annotate"
)
_RUN_OPTIONS: Final = ("--upload-pack", "--receive-pack", "--exec", "-x", "--extcmd", "--open-files-in-pager", "-O")
_URL: Final = re.compile(r"\w+://|ext::|[\w.-]+@[\w.-]+:")


def read_git(call: Call, arguments: Arguments) -> str:
    """`git [-C folder] [-c name=value] subcommand ...`."""
    for setting in arguments.of(("-c", "--config", "--config-env")):
        name, _, value = setting.partition("=")
        _setting(call, name, value)
    for text in arguments.of(_RUN_OPTIONS):
        call.runs(text)
    if any("ext::" in a for a in call.args):
        call.effect("run_other", "git is told to run a program as its remote")
        for text in (a.partition("ext::")[2] for a in call.args if a.startswith("ext::")):
            call.runs(text)
    verb = arguments.operands[0] if arguments.operands else ""
    if verb not in _READS and not _lists(verb, arguments):
        call.effect("run", f"git {verb}")
    way = _WAYS.get(arguments.operands[0]) if arguments.operands else None
    if way is not None:
        way(call, arguments)
    return veiled()


def _lists(verb: str, arguments: Arguments) -> bool:
    """Whether `branch`, `tag`, `remote` and their like only list."""
    if verb in ("branch", "tag", "stash", "remote", "worktree", "config", "reflog", "submodule", "notes"):
        lists = arguments.has(
            ("-l", "--list", "-a", "-r", "-v", "-vv", "--all", "--show-current", "--get", "--get-all")
        )
        return (
            (lists and len(arguments.operands) == 1)
            or arguments.operands[1:2] in (["list"], ["show"])
            or not arguments.operands[1:]
        )
    return False


def _setting(call: Call, name: str, value: str) -> None:
    """A setting for this call: a program in it is run."""
    if name.lower().startswith("alias."):
        call.runs(value[1:] if value.startswith("!") else "git " + value)
    elif _RUN_SETTINGS.match(name) and not _USUAL_VALUES.match(value):
        call.runs(value.lstrip("!"))
        call.effect("run_other", value[:80])
    elif _TRUST_SETTINGS.match(name):
        call.effect("env_tamper", f"{name}={value}")


def _push(call: Call, arguments: Arguments) -> None:
    if arguments.has(("-n", "--dry-run")):
        return
    if any(ref.startswith(("+", ":")) for ref in arguments.operands[1:]):
        call.effect("rewrite", described(call))
    if any(_URL.match(o) for o in arguments.operands[1:2]):
        call.effect("publish", arguments.operands[1])


def _checkout(call: Call, arguments: Arguments) -> None:
    if arguments.has(("-b", "-B", "--orphan", "-t")) or arguments.has(("-p", "--patch")):
        return
    if ("--" in call.args and call.args[-1] != "--") or "." in arguments.operands:
        call.effect("discard", described(call))


def _restore(call: Call, arguments: Arguments) -> None:
    letters = "".join(a[1:] for a in call.args if a[:1] == "-" and a[:2] != "--")
    staged, worktree = arguments.has(("-S", "--staged")), "W" in letters or arguments.has(("--worktree",))
    if not staged or worktree:
        call.effect("discard", described(call))


def _config(call: Call, arguments: Arguments) -> None:
    """A setting that stays."""
    given = [o for o in arguments.operands[1:] if o not in ("set", "get", "unset")]
    if len(given) < 2 or arguments.has(("--get", "--get-all", "--unset", "--unset-all", "-l", "--list")):
        return
    name, value = given[0], given[1]
    if name.lower().startswith("alias.") and value.startswith("!"):
        call.runs(value[1:])
        call.effect("persistence", f"{name}={value}")
    elif (_RUN_SETTINGS.match(name) and not _USUAL_VALUES.match(value)) or _TRUST_SETTINGS.match(name):
        call.effect("env_tamper", f"{name}={value}")


def _remote(call: Call, arguments: Arguments) -> None:
    """Another address for a remote; over plain HTTP anybody on the way can change what comes."""
    if arguments.operands[1:2] == ["set-url"] and any(o.startswith("http://") for o in arguments.operands[2:]):
        call.effect("env_tamper", described(call))


def _fetch(call: Call, arguments: Arguments) -> None:
    if any(ref.startswith("+") for ref in arguments.operands[1:]):
        call.effect("rewrite", described(call))


def _clone(call: Call, arguments: Arguments) -> None:
    given = arguments.operands[1:]
    if given and MINING.search(given[0]):
        call.effect("mining")
    if given:
        folder = given[1] if len(given) > 1 else re.sub(r"\.git$", "", given[0].rstrip("/")).rpartition("/")[2]
        note_folder(call, folder, fetched=True)


def _runs_rest(first: int, word: str) -> Callable[[Call, Arguments], None]:
    def way(call: Call, _arguments: Arguments) -> None:
        if word not in call.args[:4]:
            return
        words = call.args[call.args.index(word) + first :]
        if len(words) == 1:
            call.runs(words[0])
        elif words:
            call.runs_words(words)

    return way


def _show(call: Call, arguments: Arguments) -> None:
    """`git show HEAD:.env` shows a file, too."""
    for operand in arguments.operands[1:]:
        path = operand.partition(":")[2]
        if path and not _URL.match(operand):
            call.shell.reads(path)


def _archive(call: Call, arguments: Arguments) -> None:
    for path in arguments.of(("-o", "--output")):
        note_path(call, "write", path)


_WAYS: Final[dict[str, Callable[[Call, Arguments], None]]] = {
    "archive": _archive,
    "bisect": _runs_rest(1, "run"),
    "checkout": _checkout,
    "clone": _clone,
    "config": _config,
    "cat-file": _show,
    "fetch": _fetch,
    "push": _push,
    "remote": _remote,
    "restore": _restore,
    "show": _show,
    "submodule": _runs_rest(1, "foreach"),
}
