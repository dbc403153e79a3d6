"""Reading text of the other script languages (Perl, Ruby, PHP, Node, Lua, awk, C ...).

They aren't parsed. Literals are found and joined, and the usual calls are looked for with the literals that
stand in them: `system("...")`, `unlink '...'`, `fs.rmSync('...')`, `` `...` ``.
"""

from __future__ import annotations

import re
from typing import Final

from ..shell.call import Call
from ..shell.marks import FETCHED, UNKNOWN
from .doings import Doings, is_sensitive

MOST_CODE = 60_000
MOST_CALLS = 100

_TEXT = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\bq[qwx]?\s?\{[^{}]*\}|\bq[qwx]?\s?\([^()]*\)|%x\{[^{}]*\}|%x\([^()]*\)|\[\[[^\]]*\]\]""",
    re.DOTALL,
)
_HELD = re.compile("\ue010(\\d+)\ue011")
_JOINED = re.compile("\ue010(\\d+)\ue011\\s*(?:\\.\\.?|\\+|(?=\ue010))\\s*\ue010(\\d+)\ue011")
_SET = re.compile("([$@]?\\w+)\\s*=\\s*\ue010(\\d+)\ue011\\s*(?=[;\\n]|$|,)")
_RUNNING: Final = re.compile(
    r"\b(?:system|exec|execSync|execFileSync|execFile|spawnSync|spawn|fork_exec|popen\d?|shell_exec|passthru|proc_open"
    r"|pcntl_exec|Popen|check_output|check_call|getoutput|syscall|os\.execute|io\.popen|do shell"
    r" script|Command|run_command"
    r"|ShellExecute|ProcessBuilder|Process\.Start|Bun\.spawn|Bun\.\$|\$`|capture2e?|capture3|execvp?e?"
    r"|execlp?e?|posix_spawn"
    r"|subprocess\.\w+|shell|shelljs\.exec|sh\.exec|run|open2|open3|IPC::Run|Kernel\.\w+|system2|call)\b\s*\(?"
)
_DELETING: Final = re.compile(
    r"\b(?:unlink(?:Sync)?|rm(?:Sync|dir|dirSync|_rf|_r|_f)?|remove(?:Sync|_entry_secure|_tree|_dir_all"
    r"|_file|_all)?|rmtree"
    r"|File\.delete|delete_if_exists|deleteFile|emptyDirSync|removeSync|Deno\.remove(?:Sync)?|os\.remove"
    r"|Dir\.delete)\b\s*\(?"
)
_SURE_DELETING: Final = re.compile(
    r"unlink|File\.delete|rmSync|rmdirSync|rmtree|rm_rf|removeSync|remove_tree|Deno\.remove"
)
_DEEP: Final = re.compile(
    r"recursive|rm_rf|rm_r|rmtree|remove_tree|remove_dir_all|emptyDir|removeSync|rimraf|remove_entry"
)
_WRITING: Final = re.compile(
    r"\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|outputFileSync|file_put_contents"
    r"|File\.write|IO\.write"
    r"|fopen|File\.open|io\.open|open|truncate(?:Sync)?|copyFileSync|renameSync|rename|symlink(?:Sync)?|chmod(?:Sync)?"
    r"|chown(?:Sync)?|Deno\.writeTextFile(?:Sync)?|spurt|File\.rename|FileUtils\.\w+|Files\.write\w*"
    r"|FileWriter)\b\s*\(?"
)
_CONNECTING: Final = re.compile(
    r"fsockopen|stream_socket_client|IO::Socket|TCPSocket|net\.(?:connect|createConnection|Socket|Dial)"
    r"|\bsocket\b|/inet/tcp"
    r"|require\(.?net.?\)|TCPServer|UDPSocket|Socket::INET|new Socket|net\.Dial"
)
_FETCHING: Final = re.compile(
    r"\bfetch\(|https?\.get|https?\.request|require\(.{0,3}https?|LWP|HTTP::Tiny|Net::HTTP|open-uri|URI\.open|curl_exec"
    r"|file_get_contents|axios|urlopen|socket\.http|\bget\s*\(|WebClient|Invoke-WebRequest|url\("
    r"|HttpClient|download\.file"
)
_EVALUATING: Final = re.compile(
    r"\beval\b|\bFunction\(|instance_eval|\bload\(|loadstring|vm\.run|Invoke-Expression|\biex\b|assert\(|\bsource\("
)
_STARTING: Final = re.compile(
    r"\b(?:system|exec|execSync|popen|spawn(?:Sync)?|proc_open|shell_exec|passthru|os\.execute)\b"
)
_ENVIRONMENT: Final = re.compile(
    r"process\.env\)|%ENV|\bENV\.(?:to_|inspect|each)|JSON\.stringify\(process\.env|getenv\(\)|\$_ENV"
)
_FORKING: Final = re.compile(
    r"\bfork\b\s*(?:\(\))?\s*(?:while|until)|while\s*\(?\s*(?:1|true|fork)[^;]{0,20}fork"
    r"|fork\s+while\s+fork|loop\s*\{\s*fork|for\s*\(;;\)\s*\{?\s*fork"
)


def read_script(code: str, call: Call, language: str) -> str:
    """Note what the text of a program does. What it would print isn't known, but where it is from, is."""
    code = code[:MOST_CODE]
    doings = Doings(call)
    literals: list[str] = []
    held = _hold(code, literals)
    _find_calls(held, literals, doings)
    if "child_process" in code:  # whatever its functions are called here
        for text in [t for t in literals if " " in t][:20]:
            doings.runs([text])
    for shell_text in _shell_literals(code, language):
        doings.runs([shell_text])
    _join_up(code, literals, doings)
    return UNKNOWN + (FETCHED if _FETCHING.search(code) else "")


def _hold(code: str, literals: list[str]) -> str:
    """The code with a sign for each literal; neighbours that are joined become one, variables are put in."""

    def keep(match: re.Match[str]) -> str:
        literals.append(_plain(match[0]))
        return f"\ue010{len(literals) - 1}\ue011"

    def join(match: re.Match[str]) -> str:
        literals.append(literals[int(match[1])] + literals[int(match[2])])
        return f"\ue010{len(literals) - 1}\ue011"

    held = _TEXT.sub(keep, code)
    for _ in range(30):
        shorter = _JOINED.sub(join, held)
        if shorter == held:
            break
        held = shorter
    for name, place in _SET.findall(held)[:30]:
        inserted = re.compile(rf"\$\{{?{re.escape(name.lstrip('$@'))}\}}?(?!\w)")
        literals[:] = [inserted.sub(lambda _, p=place: literals[int(p)], text) for text in literals]  # type: ignore[misc]
        held = re.sub(rf"(?<![\w$@]){re.escape(name)}\b(?!\s*=[^=])", lambda _, p=place: f"\ue010{p}\ue011", held)  # type: ignore[misc]
    return _JOINED.sub(join, held)


def _plain(literal: str) -> str:
    """The text of a literal; what is put into it at run time is unknown."""
    body = (
        re.sub(r"^(?:q[qwx]?\s?|%x)?[\[({'\"`]{1,2}|[\])}'\"`]{1,2}$", "", literal)
        if literal[0] not in "'\"`"
        else literal[1:-1]
    )
    body = re.sub(r"\\([\\'\"`/$])", r"\1", body).replace("\\n", "\n").replace("\\t", "\t")
    return re.sub(r"\$\{[^}]*\}|#\{[^}]*\}", UNKNOWN, body) if literal[0] in '"`' else body


def _args(held: str, start: int, literals: list[str]) -> list[str]:
    """The literals among the arguments of a call that begins at *start*."""
    end = start
    depth = 1
    while end < len(held) and end < start + 2_000:
        char = held[end]
        depth += (char in "([{") - (char in ")]}")
        if depth == 0 or (char in ";\n" and depth == 1):
            break
        end += 1
    return [literals[int(place)] for place in _HELD.findall(held[start:end])]


def _find_calls(held: str, literals: list[str], doings: Doings) -> None:
    for pattern, way in ((_RUNNING, _ran), (_DELETING, _deleted), (_WRITING, _written)):
        for count, found in enumerate(pattern.finditer(held)):
            if count > MOST_CALLS:
                break
            args = _args(held, found.end(), literals)
            if not args and _SURE_DELETING.match(found[0]):
                args = [UNKNOWN]
            if args:
                way(found[0], args, held[found.start() : found.end() + 400], doings)


def _ran(_name: str, args: list[str], _around: str, doings: Doings) -> None:
    words = [a for a in args if a not in ("inherit", "pipe", "ignore", "utf8", "utf-8", "r", "w", "-|", "|-")]
    doings.runs(words)


def _deleted(name: str, args: list[str], around: str, doings: Doings) -> None:
    kind = "delete_tree" if _DEEP.search(name) or _DEEP.search(around) else "delete"
    for path in args[:20]:
        doings.path(kind, path)


def _written(name: str, args: list[str], _around: str, doings: Doings) -> None:
    first = args[0]
    if name.startswith("open") and first.lstrip().startswith("|"):
        doings.runs([first.lstrip()[1:]])
    elif name.startswith("open") and first.rstrip().endswith("|"):
        doings.runs([first.rstrip()[:-1]])
    elif "open" in name.lower() or "chmod" in name or "FileUtils" in name:
        _opened(name, args, doings)
    else:
        empties = "truncate" in name or (len(args) > 1 and not args[1].strip())
        doings.path("move_away" if "ename" in name else "truncate" if empties else "write", first)
        if "ename" in name or "symlink" in name or "copy" in name:
            doings.path("write", args[-1])


def _opened(name: str, args: list[str], doings: Doings) -> None:
    """`open F,">path"`, `fopen("path", "w")`: the mode stands before the path, in its own literal, or behind it."""
    if "chmod" in name:
        doings.path("mode", args[-1])
        return
    if "FileUtils" in name:
        if re.search(r"rm|remove", name):
            doings.path("delete_tree", args[0])
        return
    modes = [a for a in args if re.fullmatch(r"\+?[<>]{1,2}|[rwax]\+?b?t?\+?|-\||\|-", a)]
    paths = [a for a in args if a not in modes]
    if modes and modes[0] in ("|-", "-|"):
        doings.runs(paths)
    elif paths:
        path = paths[0].lstrip("+<> ")
        writes = paths[0].lstrip().startswith((">", "+>")) or any(m[0] in ">wax+" for m in modes)
        if writes:
            doings.path("write", path)
        else:
            doings.reads(path)


def _shell_literals(code: str, language: str) -> list[str]:
    """What stands in backticks, `qx` and `%x`, in the languages that run those."""
    if language not in ("perl", "ruby", "php", "sh"):
        return []
    found = re.findall(
        r"`((?:[^`\\]|\\.)*)`|\bqx\s?[{(\[/]([^})\]/]*)|%x[{(\[]([^})\]]*)", re.sub(r"'[^'`]*'", "''", code)
    )
    return [next(filter(None, parts), "") for parts in found][:20]


def _join_up(code: str, literals: list[str], doings: Doings) -> None:
    """What only shows in the whole: a connection with a shell or a secret, fetched code that is run, forks."""
    call = doings.call
    if _FORKING.search(code):
        call.effect("fork_bomb", call.name)
    connects, fetches = _CONNECTING.search(code), _FETCHING.search(code)
    secrets = [text for text in literals if is_sensitive(text, call)]
    for path in secrets:
        call.shell.reads(path)
    if (connects or (fetches and ("http" in code or "ftp" in code))) and (secrets or _ENVIRONMENT.search(code)):
        call.effect("leak", "the network")
    if connects and _STARTING.search(code):
        call.effect("remote_shell", call.name)
    if fetches and _EVALUATING.search(code):
        call.effect("run_fetched_code", call.name)
