"""Dangers that show only in the whole: secrets that leave, shells joined to the network, fork bombs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .command_signs import Call
from .places import names, protected

_SENDERS = names(
    "nc ncat netcat socat telnet scp sftp ftp tftp ssh rclone mail mailx sendmail mutt dig nslookup host ping rsync"
)
_UPLOAD = re.compile(
    r"^(?:-[a-zA-Z]*[dTF].*|--(?:data|upload|form|json|url-query|post|body|method=P).*|-X)$",
)
_SECRET_PRINTERS = names("env printenv history security gpg secret-tool pass op keyring set export")
_SECRET_NAME = re.compile(r"\$\{?\w*(?:TOKEN|SECRET|PASSW|API_?KEY|CREDENTIAL|PRIVATE)\w*", re.IGNORECASE)
_METADATA = re.compile(r"169\.254\.169\.254|metadata\.google|get secrets?\b|/proc/[^ ]*/environ")
_READERS = re.compile(r"(?:^|[\s;|&(`])(?:env|printenv|history|set)(?:$|[\s;|&)`])")
_PIECES = re.compile(r"[\s'\"=@,;()<>`]+|\w+:(?=[/~.])")
_SOCKET = re.compile(r"/dev/(?:tcp|udp)/|/inet/(?:tcp|udp)/", re.IGNORECASE)
_SHELLS = names("sh bash dash zsh ksh ash fish")
_NETWORK = names("nc ncat netcat telnet socat openssl")
_BOMBS = (
    re.compile(r"(?<![\w:.-])([\w:.-]{1,60})\s*\(\)\s*\{[^}]*?(?:\1|\$0)\s*[|&]+\s*(?:\1|\$0)[^}]*\}"),
    re.compile(r"\$0\s*[|&]\s*\$0"),
    re.compile(r"while\s+(?:true|:|\[?\s*1)\s*\]?\s*;?\s*do[^;&]*&\s*done"),
    re.compile(r"^\s*yes\b[^|]*>(?!\s*/dev/null)"),
)
_CODE_NETWORK = re.compile(
    r"socket|urlopen|requests\.|httpx|fetch\(|fsockopen|require\(.(?:net|https?).\)|TCPSocket|net/http|IO::Socket|LWP"
)
_CODE_SHELL = re.compile(r"pty\.spawn|exec\w*\(|popen|spawn|system\(|/bin/(?:ba)?sh|IO\.popen|subprocess")
_STRINGS = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")


def is_bomb(text: str) -> bool:
    """Whether the text starts copies of itself without end, or fills the disk."""
    return any(b.search(text) for b in _BOMBS)


def opens_socket(text: str) -> bool:
    """Whether the text names the shell's own network devices."""
    return bool(_SOCKET.search(text))


def names_secret(text: str) -> bool:
    """Whether a protected file or a variable with a secret is named anywhere in the text."""
    if _SECRET_NAME.search(text) or _METADATA.search(text):
        return True
    return any(_is_secret_path(p) for p in _PIECES.split(text) if p and not p.startswith("-"))


def _is_secret_path(piece: str) -> bool:
    if piece in ("/etc/passwd", "/etc/group", "~/.config"):
        return True
    why = protected(piece)
    return bool(why) and "version control" not in why and "editor" not in why and "start" not in why


def _sends(call: Call) -> bool:
    if call.name in _SENDERS:
        return call.name not in ("scp", "rsync", "rclone") or any(":" in a for a in call.args)
    if call.name in ("curl", "wget", "http", "xh"):
        return any(_UPLOAD.match(a) for a in call.args)
    args = " ".join(call.args[:3])
    return bool(re.search(r"^(?:s3 (?:cp|sync|mv)|gist create|storage cp|cp .* gs:)", args))


def leaks(calls: Sequence[Call], raw: str) -> bool:
    """Whether a pipeline sends a secret away. *raw* is all its text, substitutions included."""
    web = any(c.name in ("curl", "wget") for c in calls)
    if not (web or any(_sends(c) for c in calls)):
        return False
    if web and _SECRET_NAME.search(raw) and not re.search(r"-H|--header|-u\b|--user\b|Authorization", raw):
        return True
    printers = any(c.name in _SECRET_PRINTERS for c in calls[:-1]) or bool(
        re.search(r"\$\([^)]*|`[^`]*", raw) and _READERS.search(raw)
    )
    sending = any(_sends(c) for c in calls) or "$(" in raw or "`" in raw
    if any(c.name == "ssh" for c in calls) and len(calls) == 1:
        return False
    return sending and (printers or _names_secret_as_data(calls, raw))


def _names_secret_as_data(calls: Sequence[Call], raw: str) -> bool:
    """A key that only proves who asks (`ssh -i key`, `curl --cert`) isn't the thing that is sent."""
    login = re.sub(r"(?:-i|-F|--key|--cert|--cacert|--identity|--netrc-file|-E)[ =]\S+", "", raw)
    return names_secret(login) or any(names_secret(a) for c in calls for a in _data_args(c))


def _data_args(call: Call) -> list[str]:
    kept = []
    for before, arg in zip(("", *call.args), call.args, strict=False):
        if before not in ("-i", "-F", "--key", "--cert", "--cacert", "--netrc-file", "-E", "-H", "--header"):
            kept.append(arg)
    return kept


def joins_shell(calls: Sequence[Call]) -> bool:
    """Whether a shell and a network program stand in one pipeline, so that a stranger types into it."""
    shells = any(c.name in _SHELLS for c in calls)
    linked = any(c.name in _NETWORK and (c.name != "openssl" or "s_client" in c.args) for c in calls)
    return shells and linked


def code_is_remote_shell(code: str) -> bool:
    """Whether a one-line program joins a shell to the network, or sends a secret file."""
    if not _CODE_NETWORK.search(code):
        return False
    return bool(_CODE_SHELL.search(code) and "socket" in code.lower()) or names_secret(code)


def strings_in(code: str) -> list[str]:
    """The string literals of a one-line program, one by one and put together: what it might run."""
    found = [a or b for a, b in _STRINGS.findall(code)]
    found = [f.replace("\\'", "'").replace('\\"', '"').replace("\\n", "\n") for f in found]
    joined = [" ".join(found), "".join(found)] if len(found) > 1 else []
    return [*found, *joined][:40]
