"""What runs on the other side of a connection, in the plainest shell: one outpost, and each command's frame."""

from __future__ import annotations

import base64
import shlex
from collections.abc import Mapping

# What a frame ends with when it couldn't begin, and what its message begins with.
NOT_BEGUN = 97
REFUSED = "handiwork-remote: "
# How long what a command left in the background may go on being heard. Seconds.
_LAST_WORDS_S = "0.3"

# Holds the folder of this connection. Hears names of commands to end, and ends all of them when
# nobody is there any more: the input closes, or the other side hasn't said anything for two minutes.
OUTPOST = r"""
trap '' HUP PIPE
D="${TMPDIR:-/tmp}/handiwork-$$-$(date +%s)"
(umask 077 && mkdir "$D") || exit 1
cd "$D" || exit 1
: >beat
signal() {
  for f in $2; do
    [ -e "$f" ] && read -r p <"$f" && kill -"$1" -"$p" 2>/dev/null && found=1
  done
}
stray() {
  grep -slzx "HANDIWORK_RUN=$1" /proc/[0-9]*/environ | while IFS=/ read -r _ _ p _; do kill -KILL "$p" 2>/dev/null; done
}
end() {
  [ "$1" = '*' ] || : >"$1.ended"
  found=
  signal TERM "$1.pid"
  i=0
  while [ -n "$found" ] && [ "$i" -lt 20 ]; do
    sleep 0.05 2>/dev/null || sleep 1
    i=$((i + 1))
    found=
    signal 0 "$1.pid"
  done
  signal KILL "$1.pid"
  for f in $1.reader; do
    [ -e "$f" ] && read -r p <"$f" && kill -KILL $p 2>/dev/null
  done
  for f in $1.pid; do
    [ -e "$f" ] && stray "${f%.pid}"
  done
  rm -f $1.pid $1.out $1.err $1.reader
}
watch() {
  while sleep 30 && [ -e beat ]; do
    [ -n "$(find beat -mmin -2 2>/dev/null)" ] || { end '*'; rm -rf "$D"; kill -KILL "$1" 2>/dev/null; exit; }
  done
}
watch $$ >/dev/null 2>&1 <&- &
printf '%s\n' "$D"
while IFS= read -r name; do
  : >beat
  [ -n "$name" ] && { end "$name"; printf 'ended %s\n' "$name"; }
done
end '*'
cd /
rm -rf "$D"
"""

# Says first who it is; whoever ends it says so first. So one of them sees the other. A bash that was started
# over ssh would read its start-up file again, as the login shell has done already.
_BEGIN = """echo $$ >"$0.pid" || exit 97; [ ! -e "$0.ended" ] || exit 143; exec $1 -c "$2\""""

# One command: in a session of its own whose number the outpost knows; its output is carried by two readers,
# which something left in the background can't keep waiting.
_FRAME = r"""
refuse() { printf '%s%s\n' "$R" "$1"; exit 97; }
[ -d "$D" ] || refuse "the connection was lost"
cd -- "$C" 2>/dev/null || refuse "there is no directory $C"
command -v setsid >/dev/null || refuse "the program setsid (of util-linux or busybox) is missing there"
S=$(command -v bash) && S="$S --norc" || S=/bin/sh
p="$D/$N"
mkfifo "$p.out" "$p.err" || refuse "no place in $D"
exec 3<&0 4>&2 2>/dev/null
setsid sh -c "$B" "$p" "$S" "$T" <&3 3<&- 4>&- >"$p.out" 2>"$p.err" &
child=$!
exec 3<&- </dev/null
cat <"$p.out" 4>&- &
out=$!
cat <"$p.err" >&4 &
err=$!
exec 4>&-
wait "$child"
code=$?
{
  sleep __LAST_WORDS__ 2>/dev/null || sleep 1
  cat <"$p.out" & a=$!
  cat <"$p.err" & b=$!
  echo "$a $b" >"$p.reader"
  kill "$out" "$err"
} >/dev/null 2>&1 &
guard=$!
wait "$out" "$err"
kill "$guard" 2>/dev/null
kill -0 -"$child" 2>/dev/null || [ -e "$p.reader" ] || rm -f "$p.out" "$p.err" "$p.pid"
exit "$code"
""".replace("__LAST_WORDS__", _LAST_WORDS_S)

# With a terminal there are no readers: the terminal itself goes with the connection.
_TERMINAL_FRAME = r"""
refuse() { printf '%s%s\n' "$R" "$1"; exit 97; }
[ -d "$D" ] || refuse "the connection was lost"
cd -- "$C" 2>/dev/null || refuse "there is no directory $C"
S=$(command -v bash) && S="$S --norc" || S=/bin/sh
exec sh -c "$B" "$D/$N" "$S" "$T"
"""


def frame(text: str, settings: Mapping[str, str], env: Mapping[str, str], *, terminal: bool = False) -> str:
    """The shell text that runs *text* with *env* in the frame; *settings* are its folder, name and directory."""
    words = {"R": REFUSED, "B": _BEGIN, "T": text, **settings}
    lines = [
        *(f"{name}={shlex.quote(value)}" for name, value in words.items()),
        *(f"export {name}={shlex.quote(value)}" for name, value in env.items()),
    ]
    return "\n".join([*lines, _TERMINAL_FRAME if terminal else _FRAME])


def one_line(script: str) -> str:
    """A line that any login shell reads alike and that runs *script* in sh: nothing in it needs quoting."""
    coded = base64.b64encode(script.encode("utf-8", "surrogateescape")).decode("ascii")
    return f"exec sh -c 'eval \"$(printf %s {coded} | base64 -d)\"'"
