"""The programs that only read, and the flags with which they would do more.

A program that isn't listed here is never allowed unasked. Long flags count in every shortened form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .places import names, squeeze


@dataclass(frozen=True, slots=True)
class Reader:
    """`short` and `long` are flags that write or run something; `most` bounds the operands."""

    short: str = ""
    long: tuple[str, ...] = ()
    most: int = 1_000_000
    test: Callable[[tuple[str, ...]], bool] | None = None
    names_only: bool = False
    paths: bool = True


_AWK_RUNS = re.compile(r"system|getline|@|(?<!\|)\|(?!\|)|print.*>|ENVIRON|ARGV|/inet/|close|fflush", re.DOTALL)
_SED_SAFE = re.compile(
    r"(?:(?:\d+|\$|/(?:[^/\\]|\\.)*/)(?:,(?:\+?\d+|\$|/(?:[^/\\]|\\.)*/))?!?)?"
    r"(?:[pdqQ=]|s([/|#,:@])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI0-9]*)"
)
_GREPS = names("grep egrep fgrep")
_DEEP = re.compile(r"-(?!-)\w*[rR]|-d|--(?:r|de|di)")
_ENV_OF_JQ = re.compile(r"\benv\b|\$ENV")
_FIND_ACTS = ("-exec", "-ok", "-delete", "-fprint", "-fls", "-files0-from")
_TEST_RUNS = frozenset(("-v", "-R", "-eq", "-ne", "-lt", "-gt", "-le", "-ge"))


def _safe_awk(args: tuple[str, ...]) -> bool:
    rest = list(args)
    while rest and rest[0].startswith("-"):
        flag = rest.pop(0)
        if flag in ("-F", "-v"):
            rest = rest[1:]
        elif not flag.startswith(("-F", "-v")):
            return False
    return bool(rest) and not _AWK_RUNS.search(rest[0])


def _safe_sed(args: tuple[str, ...]) -> bool:
    scripts, rest = [], list(args)
    while rest:
        arg = rest.pop(0)
        if arg in ("-e", "--expression") and rest:
            scripts.append(rest.pop(0))
        elif arg.startswith("-"):
            if arg not in ("-n", "-E", "-r", "-u", "-z", "-s", "--quiet", "--regexp-extended"):
                return False
        elif not scripts:
            scripts.append(arg)
    return bool(scripts) and all(_SED_SAFE.fullmatch(p.strip()) for s in scripts for p in s.split(";"))


def _safe_find(args: tuple[str, ...]) -> bool:
    return not any(a.startswith(_FIND_ACTS) for a in args)


def searched_trees(name: str, args: tuple[str, ...]) -> list[str]:
    """The folders that a recursive search would show whole, hidden files too; empty where it names its files."""
    if name not in _GREPS or not any(_DEEP.match(a) for a in args) or any(a.startswith("--include=*.") for a in args):
        return []
    return [a for a in args if not a.startswith("-")][1:] or ["."]


def _stays_in_view(args: tuple[str, ...]) -> bool:
    roots = (squeeze(tree) for tree in searched_trees("grep", args))
    return not any(root in (".", "/") or root.startswith("..") for root in roots)


def _safe_test(args: tuple[str, ...]) -> bool:
    """Comparing numbers evaluates arithmetic in some shells, which can run commands."""
    return not any(a in _TEST_RUNS for a in args) or all(re.fullmatch(r"-?\d+|-\w+|!|\]|[^\[$`]*", a) for a in args)


def _safe_date(args: tuple[str, ...]) -> bool:
    return all(a.startswith(("+", "-d", "--date", "-u", "--utc", "-I", "--iso", "-R", "--rfc", "-r")) for a in args)


def _safe_printf(args: tuple[str, ...]) -> bool:
    return args[:1] != ("-v",)


def _looks_up(args: tuple[str, ...]) -> bool:
    return args[:1] in (("-v",), ("-V",)) and len(args) > 1


def _only(*allowed: str) -> Callable[[tuple[str, ...]], bool]:
    return lambda args: all(a in allowed for a in args)


_GIT_READERS = names(
    "status log show diff shortlog describe rev-parse rev-list ls-files ls-tree blame cat-file"
    " merge-base name-rev count-objects diff-tree grep whatchanged for-each-ref show-ref"
)
_GIT_SAFE: dict[str, Callable[[tuple[str, ...]], bool]] = {
    **dict.fromkeys(_GIT_READERS, lambda args: not any(_git_writes(a) for a in args)),
    "branch": _only("--list", "-l", "-a", "-r", "-v", "-vv", "--all", "--remotes", "--show-current"),
    "remote": _only("-v", "--verbose"),
    "tag": _only("-l", "--list", "-n"),
    "stash": lambda args: args[:1] in (("list",), ("show",)) and len(args) <= 2,
    "worktree": lambda args: args == ("list",),
    "reflog": lambda args: not args or args[0] == "show",
    "version": lambda args: not args,
}


def _git_writes(arg: str) -> bool:
    """Flags that write a file or start a program."""
    name = arg.partition("=")[0]
    bad = (
        "--output",
        "--ext-diff",
        "--open-files-in-pager",
        "--textconv",
        "--filters",
        "--exec",
        "--parseopt",
    )
    return (len(name) > 3 and any(b.startswith(name) for b in bad)) or arg.startswith("-O")


def _safe_git(args: tuple[str, ...]) -> bool:
    rest = args[1:] if args[:1] == ("--no-pager",) else args
    check = _GIT_SAFE.get(rest[0]) if rest else None
    return check is not None and check(rest[1:])


_CONTENT_READERS = names(
    "cat head tail wc cut tac nl paste comm fold expand unexpand cmp diff md5sum"
    " sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum hexdump od strings column join"
    " zcat bzcat xzcat lzcat fmt pr look base32 base64 basenc tsort"
)
_NAME_READERS = names(
    "ls stat du df basename dirname realpath readlink which whereis tr seq sleep pwd true false : id"
    " whoami uname nproc uptime free arch tty groups lscpu lsblk lsusb lspci locale getconf pgrep pidof"
    " dir vdir factor expr numfmt whatis apropos"
)
_VERSION_TELLERS = names(
    "python python3 node npm npx pip pip3 uv ruff mypy pytest go cargo rustc java javac gcc g++ clang"
    " make cmake docker podman ruby perl php deno bun yarn pnpm tsc bash curl wget ssh tar zip unzip"
    " gzip"
)
_NO_FILES = Reader(names_only=True, paths=False)

READERS: dict[str, Reader] = {
    **dict.fromkeys(_CONTENT_READERS, Reader()),
    **dict.fromkeys(_NAME_READERS, Reader(names_only=True)),
    **dict.fromkeys(_VERSION_TELLERS, Reader(test=lambda args: args in (("--version",), ("-V",), ("version",)))),
    "jq": Reader(test=lambda args: not any(_ENV_OF_JQ.search(a) for a in args)),
    "iconv": Reader(short="o", long=("--output",)),
    "ps": Reader(test=lambda args: not any(a[:1] != "-" and "e" in a for a in args), names_only=True),
    "echo": _NO_FILES,
    "printf": Reader(test=_safe_printf, names_only=True, paths=False),
    "test": Reader(test=_safe_test, names_only=True),
    "[": Reader(test=_safe_test, names_only=True),
    "command": Reader(test=_looks_up, names_only=True),
    "type": _NO_FILES,
    "file": Reader(short="Cm", long=("--compile", "--magic-file"), names_only=True),
    "tree": Reader(short="oR", long=("--output",), names_only=True),
    "date": Reader(short="s", long=("--set", "--file"), test=_safe_date),
    "hostname": Reader(most=0, short="Fb", long=("--file", "--boot")),
    "sort": Reader("oT", ("--output", "--compress-program", "--temporary-directory", "--files0-from")),
    "uniq": Reader(most=1),
    "xxd": Reader(short="r", most=1),
    **dict.fromkeys(_GREPS, Reader(test=_stays_in_view)),
    "rg": Reader("zu.", ("--pre", "--hostname-bin", "--search-zip", "--hidden", "--no-ignore", "--unrestricted")),
    "find": Reader(test=_safe_find, names_only=True),
    "awk": Reader(test=_safe_awk),
    "gawk": Reader(test=_safe_awk),
    "mawk": Reader(test=_safe_awk),
    "sed": Reader(test=_safe_sed),
    "git": Reader(test=_safe_git),
}


def only_reads(name: str, args: tuple[str, ...]) -> str:
    """Empty where the program with these arguments only reads; else what isn't known of it."""
    reader = READERS.get(name)
    if reader is None:
        return f"{name} isn't known to only read"
    if any(_is_barred(a, reader) for a in args):
        return f"{name} is given a flag that may write or run something"
    if _operands(args) > reader.most:
        return f"{name} would write to its last argument"
    if reader.test and not reader.test(args):
        return f"{name} isn't known to only read with these arguments"
    return ""


def _operands(args: tuple[str, ...]) -> int:
    """How many arguments aren't flags; behind `--` none is."""
    place = args.index("--") if "--" in args else len(args)
    return sum(not a.startswith("-") or a == "-" for a in args[:place]) + len(args[place + 1 :])


def _is_barred(arg: str, reader: Reader) -> bool:
    if arg.startswith("--"):
        name = arg.partition("=")[0]
        return len(name) > 2 and any(flag.startswith(name) for flag in reader.long)
    return arg[:1] in "-" and any(c in arg[1:] for c in reader.short) if reader.short and arg else False
