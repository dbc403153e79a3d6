"""The functions and methods of Python that matter, and what each does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from ..shell.marks import UNKNOWN, veiled
from .doings import Doings
from .python_values import Name, Value, text_of, texts_in
from .sql import read_sql

Way: TypeAlias = Callable[[Doings, list[Value], dict[str, Value]], Value]


def _first(args: list[Value], keywords: dict[str, Value], *called: str) -> Value:
    return args[0] if args else next((keywords[k] for k in called if k in keywords), None)


def _runs(doings: Doings, args: list[Value], keywords: dict[str, Value]) -> Value:
    """A shell text, or a list of words."""
    what = _first(args, keywords, "args", "cmd", "command")
    if isinstance(what, list):
        output = doings.runs([text_of(w) for w in what])
    else:
        text = text_of(what)
        output = doings.runs([text]) if text else UNKNOWN
    return Name("process", output)


def _runs_words(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    """`os.execvp(file, args)`, `os.execl(path, arg0, arg1 ...)`, `os.spawnl(mode, path, arg0 ...)`."""
    args = [a for a in args if not isinstance(a, (int, Name))]
    lists = [a for a in args if isinstance(a, list)]
    words = lists[0] if lists else args[1:]
    doings.runs([text_of(args[0]), *(text_of(w) for w in words[1:])] if args else [])
    return UNKNOWN


def _path(kind: str) -> Way:
    def way(doings: Doings, args: list[Value], keywords: dict[str, Value]) -> Value:
        doings.path(kind, text_of(_first(args, keywords, "path", "file", "filename")))
        return UNKNOWN

    return way


def _moves(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    if len(args) > 1:
        doings.path("move_away", text_of(args[0]))
        doings.path("write", text_of(args[1]))
    return UNKNOWN


def _copies(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    if len(args) > 1:
        doings.reads(text_of(args[0]))
        doings.path("write", text_of(args[1]))
    return UNKNOWN


def _opens(doings: Doings, args: list[Value], keywords: dict[str, Value]) -> Value:
    path = text_of(_first(args, keywords, "file"))
    mode = text_of(args[1]) if len(args) > 1 else text_of(keywords.get("mode", "r"))
    if any(sign in mode for sign in "wax+"):
        doings.path("append" if "a" in mode else "write", path)
        return Name("file", UNKNOWN)
    return Name("file", doings.reads(path))


def _reads(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    return (
        Name("file", doings.reads(text_of(args[0]))) if args and isinstance(args[0], str) else veiled(*texts_in(args))
    )


def _writes(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    if args and isinstance(args[0], str) and args[0]:
        doings.path("write", args[0])
    return UNKNOWN


def _changes_mode(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    mode = args[1] if len(args) > 1 else 0
    if isinstance(mode, int) and mode & 0o6000:
        doings.call.effect("setuid", text_of(args[0]))
    doings.path("mode", text_of(args[0] if args else None))
    return UNKNOWN


def _queries(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    for text in texts_in(args[1:2]):
        read_sql(text, doings.call)
    return UNKNOWN


def _changes_user(doings: Doings, _args: list[Value], _keywords: dict[str, Value]) -> Value:
    doings.call.effect("privilege", doings.call.name)
    return UNKNOWN


def _kills(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    pid = args[0] if args else None
    signal = args[1] if len(args) > 1 else 9
    if pid == -1:
        doings.call.effect("kill_all")
    elif signal != 0:
        doings.call.effect("kill", text_of(pid))
    return UNKNOWN


def _sends(doings: Doings, args: list[Value], keywords: dict[str, Value]) -> Value:
    values = [text for a in (*args, *keywords.values()) for text in texts_in(a)]
    return Name("answer", doings.sends(*values))


def _connects(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    doings.connected()
    return Name("connection", veiled(*texts_in(args)))


def _makes_path(_doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    return Name("path", "/".join(text_of(a) for a in args))


def _home(doings: Doings, _args: list[Value], _keywords: dict[str, Value]) -> Value:
    return Name("path", doings.call.shell.home)


def _environment(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
    name = text_of(args[0]) if args else ""
    return doings.call.shell.value(name) or doings.call.shell.outside_value(name)


def _removes_path(kind: str) -> Way:
    def way(doings: Doings, args: list[Value], _keywords: dict[str, Value]) -> Value:
        if args and isinstance(args[0], str):
            doings.path(kind, args[0])
        return UNKNOWN

    return way


_RUN_TEXT = (
    "os.system os.popen subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen"
    " subprocess.getoutput subprocess.getstatusoutput commands.getoutput popen2.popen2 pty.spawn platform.popen"
    " asyncio.create_subprocess_shell pexpect.spawn pexpect.run invoke.run sh.bash os.popen2 posix.system nt.system"
)
_RUN_WORDS = (
    "os.execv os.execve os.execvp os.execvpe os.execl os.execle os.execlp os.execlpe os.spawnl os.spawnlp os.spawnv"
    " os.spawnvp os.spawnve os.posix_spawn os.posix_spawnp asyncio.create_subprocess_exec"
)
_FETCH = (
    "urllib.request.urlopen urllib.urlopen urllib2.urlopen urllib.request.Request requests.get"
    " requests.post requests.put"
    " requests.patch requests.request requests.delete httpx.get httpx.post httpx.put httpx.request urlopen"
    " urllib.request.urlretrieve aiohttp.request http.client.HTTPConnection ftplib.FTP smtplib.SMTP paramiko.SSHClient"
)

CALLS: Final[dict[str, Way]] = {
    **dict.fromkeys(_RUN_TEXT.split(), _runs),
    **dict.fromkeys(_RUN_WORDS.split(), _runs_words),
    **dict.fromkeys(_FETCH.split(), _sends),
    **dict.fromkeys(("os.remove", "os.unlink", "send2trash.send2trash", "posix.unlink"), _path("delete")),
    **dict.fromkeys(("shutil.rmtree", "os.removedirs"), _path("delete_tree")),
    **dict.fromkeys(("shutil.move", "os.rename", "os.replace", "os.renames"), _moves),
    **dict.fromkeys(
        ("shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.copytree", "os.link", "os.symlink"), _copies
    ),
    **dict.fromkeys(("open", "io.open", "codecs.open", "os.open", "builtins.open", "gzip.open"), _opens),
    **dict.fromkeys(("os.kill", "os.killpg"), _kills),
    **dict.fromkeys(("os.getenv", "os.environ.get"), _environment),
    **dict.fromkeys(("socket.socket", "socket.create_connection", "socket"), _connects),
    **dict.fromkeys(("pathlib.Path", "Path", "pathlib.PosixPath", "pathlib.PurePath"), _makes_path),
    **dict.fromkeys(("pathlib.Path.home", "Path.home"), _home),
    "os.rmdir": _path("delete"),
    **dict.fromkeys(("os.setuid", "os.seteuid", "os.setgid"), _changes_user),
    "os.truncate": _path("truncate"),
    "os.chmod": _changes_mode,
    "os.chown": _path("mode"),
    "shutil.chown": _path("mode"),
}
METHODS: Final[dict[str, Way]] = {
    **dict.fromkeys(("execute", "executescript", "executemany"), _queries),
    **dict.fromkeys(("unlink", "rmdir", "rmtree"), _removes_path("delete")),
    **dict.fromkeys(("read_text", "read_bytes"), _reads),
    **dict.fromkeys(("write_text", "write_bytes"), _writes),
    **dict.fromkeys(("post", "put", "send", "sendall", "sendmail", "storbinary", "upload_file", "sendto"), _sends),
}
