"""Readers of programs that talk to the network: what they fetch, where they put it, what they send."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from ..places import sensitive
from ..shell.call import Call
from ..shell.marks import FETCHED, REMOTE, SECRET, UNKNOWN, is_known, veiled
from .arguments import Arguments
from .notes import described, note_path
from .signs import MINING

_DATA: Final = (
    "-d",
    "--data",
    "--data-binary",
    "--data-raw",
    "--data-ascii",
    "--data-urlencode",
    "--json",
    "-F",
    "--form",
)
_UPLOAD: Final = ("-T", "--upload-file", "--post-file", "--body-file")
_LOGIN: Final = (
    "-H",
    "--header",
    "-u",
    "--user",
    "-b",
    "--cookie",
    "-E",
    "--cert",
    "--key",
    "--oauth2-bearer",
    "--cacert",
    "-A",
)
_LOCAL = re.compile(
    r"(?:localhost|127(?:\.\d+)*|\[?::1\]?|0\.0\.0\.0|host\.docker\.internal)$|.*\.(?:local|localhost|test)$"
)
_STORES: Final = (":9200", ":5984", ":8086", ":6333", ":8983", ":7700", ":2379", ":8500")
_METADATA: Final = ("169.254.169.254", "metadata.google.internal", "metadata.azure", "100.100.100.200", "fd00:ec2::254")


def host_of(url: str) -> str:
    """The host of a URL, also of one without its scheme."""
    try:
        return urlsplit(url if "//" in url else "//" + url).hostname or ""
    except ValueError:
        return ""


def is_local(url: str) -> bool:
    """Whether the host of a URL is this machine."""
    return bool(_LOCAL.match(host_of(url)))


def read_curl(call: Call, arguments: Arguments) -> str:
    """`curl`, `wget` and their kin: fetched text is a stranger's, whatever it is put into or piped to."""
    urls = [*arguments.operands, *arguments.of(("--url",))]
    call.effect("fetch", urls[0] if urls else "")
    login = arguments.of(_LOGIN)
    plain = [a for a in call.args if a not in login]
    local = bool(urls) and all(is_local(u) for u in urls)
    if any(meta in url for url in urls for meta in _METADATA):
        call.effect("read_secret", urls[0], "it asks the cloud's own service for its keys")
    if any(MINING.search(url) for url in urls):
        call.effect("mining")
    _asks_for_change(call, arguments, local=local)
    sent = _sent(call, arguments)
    if not local and (SECRET in sent or any(SECRET in a for a in plain if a not in login)):
        call.effect("leak", urls[0] if urls else "a server")
    elif not local and arguments.of(_UPLOAD):
        call.effect("send_file", arguments.of(_UPLOAD)[0])
    return _arrives(call, arguments, urls, local=local)


def _asks_for_change(call: Call, arguments: Arguments, *, local: bool) -> None:
    method = arguments.operands[0] if arguments.operands[:1] == ["DELETE"] else ""
    method = method or (arguments.of(("-X", "--request", "--method")) or [""])[-1].upper()
    if method == "DELETE":
        stores = local and any(port in " ".join(arguments.operands) for port in _STORES)
        call.effect("database" if stores else "send" if local else "cloud", described(call))
    if any("_delete_by_query" in o for o in arguments.operands):
        call.effect("database", described(call))
    if arguments.has(("--proxy-insecure",)):
        call.effect("env_tamper", described(call))


def _sent(call: Call, arguments: Arguments) -> str:
    """All that goes out: given texts, and the files behind `@` and `-T`."""
    sent = []
    for value in arguments.of(_DATA):
        name = re.search(r"(?:^|=)[@<]([^;]+)", value)
        sent.append(call.text_of(name[1]) if name else value)
        if name and is_known(name[1]) and sensitive(call.shell.resolve(name[1])):
            sent.append(SECRET)
    for path in arguments.of(_UPLOAD):
        sent.append(call.text_of(path.strip("{}")))
        if is_known(path) and sensitive(call.shell.resolve(path)):
            sent.append(SECRET)
    if call.name in ("http", "https", "xh", "httpie"):
        sent.append(call.stdin or "")
        sent += [call.text_of(o.rpartition("@")[2]) for o in arguments.operands if "@" in o and "://" not in o]
    if arguments.of(("--post-data", "--body-data")):
        sent += arguments.of(("--post-data", "--body-data"))
    return "".join(sent)


def _arrives(call: Call, arguments: Arguments, urls: list[str], *, local: bool) -> str:
    text = UNKNOWN if local else UNKNOWN + FETCHED
    files = [f for f in arguments.of(("-o", "--output", "-O", "--output-document")) if f != "-"]
    if call.name == "wget" and not files and arguments.of(("-O", "--output-document")):
        return text
    named = call.name in ("wget", "wget2", "aria2c", "axel") or arguments.has(
        ("-O", "--remote-name", "-J", "--remote-header-name")
    )
    folder = (arguments.of(("-P", "--directory-prefix", "--output-dir")) or [""])[-1]
    if not files and named:
        files = [
            (urlsplit(u).path.rpartition("/")[2] if "//" in u else u.rpartition("/")[2]) or "index.html" for u in urls
        ]
        files = [f"{folder}/{f}" if folder else f for f in files]
    for path in files:
        if path != "/dev/null":
            note_path(call, "write", path)
            call.shell.write(path, text)
    return "" if files else text


def read_netcat(call: Call, arguments: Arguments) -> str:
    """`nc`: `-e` hands over a program, `-l` listens; what is fed to it leaves the machine."""
    given = [*arguments.of(("-e", "--exec", "-c", "--sh-exec", "-C", "--lua-exec"))]
    if given and not arguments.has(("-z",)):
        call.effect("remote_shell", described(call))
    elif arguments.has(("-l", "--listen")):
        call.effect("listen_here", described(call))
    _leaves(call)
    return REMOTE


def _leaves(call: Call) -> None:
    if (call.stdin and SECRET in call.stdin) or any(SECRET in a for a in call.args):
        call.effect("leak", described(call))
    elif call.stdin and call.name != "ssh" and not is_known(call.stdin) and REMOTE not in call.stdin:
        call.effect("send_file", described(call))


def read_socat(call: Call, arguments: Arguments) -> str:
    """`socat address address`: a program at one end and the network at the other is a shell for strangers."""
    joined = " ".join(arguments.operands)
    network = re.search(r"(?i)\b(?:tcp|udp|openssl|ssl|sctp|vsock|socks)\w*[:-]", joined)
    if network and re.search(r"(?i)\b(?:exec|system|shell)\w*:", joined):
        call.effect("remote_shell", described(call))
    for path in re.findall(r"(?i)\b(?:file|open|gopen)\w*:([^,\s]+)", joined):
        if sensitive(call.shell.resolve(path)) and network:
            call.effect("leak", joined)
    if re.search(r"(?i)listen", joined):
        call.effect("listen_here", described(call))
    _leaves(call)
    return REMOTE


def read_sender(call: Call, arguments: Arguments) -> str:
    """Programs that send what they are fed or given: mail, DNS questions, pings."""
    given = "".join(call.args)
    files = [
        a
        for a in (*arguments.operands, *arguments.of(("-a", "--attach", "-A")))
        if "/" in a or a.startswith((".", "~"))
    ]
    if call.name in _BATCHED:
        text = " ".join(
            [*(call.text_of(b) for b in arguments.of(("-b",))), *arguments.of(("-e", "-c")), call.stdin or ""]
        )
        files += re.findall(r"\b(?:m?put|reput|send|mirror -R)\s+(?:-\w+\s+)*(\S+)", text)
    if SECRET in given or (call.stdin and SECRET in call.stdin) or any(sensitive(call.shell.resolve(f)) for f in files):
        call.effect("leak", described(call))
    return veiled()


_BATCHED: Final = ("sftp", "ftp", "lftp", "ncftp", "tftp")


def read_ssh(call: Call, arguments: Arguments) -> str:
    """`ssh host text`: the text is run there, what is fed to it goes there."""
    for option in arguments.of(("-o",)):
        name, value = [*re.split(r"\s*[= ]\s*", option, maxsplit=1), ""][:2]
        if name.lower() in ("proxycommand", "localcommand", "knownhostscommand"):
            call.runs(value)
        if name.lower() == "permitlocalcommand":
            call.effect("run_other", option)
    rest = arguments.rest
    _leaves(call)
    if arguments.has(("-R",)):
        call.effect("listen", described(call))
    if len(rest) < 2:
        _same_machine(call, rest[0] if rest else "")
        return call.runs(call.stdin) if call.stdin and is_known(call.stdin) else REMOTE
    host = rest[0]
    _same_machine(call, host)
    inner = Arguments(rest[1:], frozenset(("-p", "-i", "-l", "-o", "-F", "-J", "-L", "-D")), leading=True).rest
    outer = (call.shell.cwd, call.shell.workspace)
    call.shell.cwd, call.shell.workspace = f"//{host}", ""
    call.shell.engine.run_text(call.shell, " ".join(inner), "" if call.stdin is None else call.stdin)
    call.shell.cwd, call.shell.workspace = outer
    return veiled(call.stdin)


def _same_machine(call: Call, host: str) -> None:
    user, _, name = host.rpartition("@")
    if user == "root" and is_local(name):
        call.effect("privilege", described(call))


def read_openssl(call: Call, arguments: Arguments) -> str | None:
    """`openssl`: `s_client` is a connection, `enc` with an output writes it."""
    if arguments.operands[:1] == ["s_client"]:
        call.shell.programs.append("s_client")
        _leaves(call)
        return REMOTE
    if (
        arguments.operands[:1] in (["enc"], ["base64"], ["zlib"])
        and arguments.of(("-in",))
        and not arguments.of(("-out",))
    ):
        return veiled(call.text_of(arguments.of(("-in",))[0]))
    if arguments.operands[:1] == ["enc"]:
        call.shell.encrypted.update(call.shell.resolve(path) for path in arguments.of(("-in",)))
    for path in arguments.of(("-out", "-keyout")):
        if path.startswith(("/", "~", "..")):
            note_path(call, "write", path)
        else:
            call.touches("make", path)
    return None


def read_hub(call: Call, arguments: Arguments) -> str | None:
    """`gh gist create files`: what becomes public; `gh api -X DELETE`."""
    if arguments.operands[:2] in (["gist", "create"], ["gist", "new"], ["release", "upload"]):
        files = arguments.operands[2:]
        if any(sensitive(call.shell.resolve(f)) for f in files) or SECRET in (call.stdin or ""):
            call.effect("leak", described(call))
    return read_method(call, arguments)


def read_method(call: Call, arguments: Arguments) -> str | None:
    """A program that talks to one service: the method `DELETE` destroys."""
    if "DELETE" in (value.upper() for value in arguments.of(("-X", "--request", "--method"))):
        call.effect("cloud", described(call))
    return None


def read_xterm(call: Call, arguments: Arguments) -> str:
    """`xterm -display host:n`: a terminal on this machine, shown on another one."""
    for display in arguments.of(("-display",)):
        if display.partition(":")[0] not in ("", "localhost", "unix", "127.0.0.1"):
            call.effect("remote_shell", display)
    return veiled()
