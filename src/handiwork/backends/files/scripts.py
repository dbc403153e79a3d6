"""What is asked of files that are reached through a shell alone: POSIX sh, coreutils or busybox, and /proc.

Every script first goes into the folder and sees that it stands where it was meant to: from then on names
in the folder are used, so that nothing swapped on the way there can lead elsewhere.
"""

from __future__ import annotations

import hashlib
import zlib
from shlex import quote

from ...core.types import FileStat

# How a script says what it found, beside the exit codes of programs.
NO_FOLDER, MOVED, MISSING, ODD, STALE, A_FOLDER, NOT_A_FOLDER, READ_ONLY, DAMAGED = range(64, 73)
BLOCK = 65_536

_FORM = "'%f %s %i %h %Y %y'"
_ALL = "'%d %f %s %i %h %Y %y'"
_FULL_FORM = r"'%f %s %i %h %Y %y\0%n\0'"


def entered(folder: str, *, make: bool = False) -> str:
    """Go into *folder*, over missing ones that are made where *make* says so."""
    there = f"[ -d {quote(folder)} ]"
    missing = f"{{\n{_made(folder)}}}" if make else f"exit {NO_FOLDER}"
    return f"LC_ALL=C; export LC_ALL\n{there} || {missing}\ncd -P -- {quote(folder)} || exit 1\n{_here(folder)}"


def _here(folder: str) -> str:
    return f'[ "$(pwd -P; printf x)" = {quote(folder + chr(10) + "x")} ] || exit {MOVED}\n'


def _made(folder: str) -> str:
    """One folder after the other is made and gone into: `mkdir -p` would follow a link."""
    steps, path = ["cd /\n"], ""
    for name in filter(None, folder.split("/")):
        path, step = f"{path}/{name}", quote(f"./{name}")
        steps.append(f"[ -e {step} ] || mkdir -- {step} || [ -d {step} ] || exit 1\n")
        steps.append(f"[ -d {step} ] || exit {NOT_A_FOLDER}\n")
        steps.append(f"cd -P -- {step} || exit 1\n{_here(path)}")
    return "".join(steps)


def real(path: str) -> str:
    """Print where *path* leads. busybox resolves only what is there: the rest is kept as it is."""
    return f"""LC_ALL=C; export LC_ALL
p={quote(path)}
case $p in '~'|'~/'*) p=$HOME${{p#'~'}};; esac
readlink -m -- "$p" 2>/dev/null && exit
rest= n=0
while [ ! -e "$p" ] && [ -n "$p" ]; do
  if [ -L "$p" ]; then
    n=$((n + 1)); [ $n -lt 40 ] || exit {MISSING}
    t=$(readlink -- "$p"; printf x); t=${{t%?x}}
    case $t in /*) p=$t;; *) p=${{p%/*}}/$t;; esac
  else
    rest=/${{p##*/}}$rest; p=${{p%/*}}
  fi
done
case $rest/ in */../*) exit {MISSING};; esac
[ -n "$rest" ] || {{ readlink -f -- "$p"; exit; }}
p=$(readlink -f -- "${{p:-/}}"; printf x); p=${{p%?x}}
printf '%s\\n' "${{p%/}}$rest"
"""


def look(name: str) -> str:
    """Print what there is under *name* itself."""
    file = quote(f"./{name}")
    return f"{_exists(file)}stat -c {_FORM} -- {file}\n"


def _exists(file: str) -> str:
    return f"[ -e {file} ] || [ -L {file} ] || exit {MISSING}\n"


def names() -> str:
    """Print what there is and its name, with a NUL behind both, for everything in the folder."""
    return f"""if stat --printf '' . 2>/dev/null; then
  find . -mindepth 1 -maxdepth 1 -exec stat --printf {_FULL_FORM} -- {{}} + ; exit 0
fi
for f in ./* ./.[!.]* ./..?*; do
  s=$(stat -c {_FORM} -- "$f" 2>/dev/null) && printf '%s\\0%s\\0' "$s" "$f"
done
exit 0
"""


def window(name: str, first_block: int, blocks: int) -> str:
    """Print what the file is, a newline, and some of its blocks; all of it from one open file."""
    file = quote(f"./{name}")
    return f"""{_exists(file)}[ ! -L {file} ] || exit {MOVED}
[ -f {file} ] || exit {ODD}
exec 3< {file}
a=$(stat -L -c {_ALL} /proc/self/fd/3) || exit 1
[ "$a" = "$(stat -c {_ALL} -- {file})" ] || exit {MOVED}
printf '%s\\n' "${{a#* }}"
dd bs={BLOCK} skip={first_block} count={blocks} <&3 2>/dev/null
"""


def replace(name: str, data: bytes, mark: str, expected: FileStat | None, mode: int | None) -> str:
    """Put the standard input in the place of *name*: beside it, checked, and only then moved there."""
    file, draft = quote(f"./{name}"), f"./.hw-{mark}.tmp"
    link = f"ln -T -- {draft} {file} || {{ {_unchanged(file, None)} exit 1; }}"
    put = link if expected is None else f"mv -fT -- {draft} {file}"
    return f"""find . -maxdepth 1 -name '.hw-*.tmp' -mmin +60 -exec rm -f -- {{}} + 2>/dev/null
[ ! -L {file} ] || exit {MOVED}
[ ! -d {file} ] || exit {A_FOLDER}
[ ! -e {file} ] || [ -f {file} ] || exit {ODD}
[ ! -e {file} ] || [ -w {file} ] || exit {READ_ONLY}
trap 'rm -f -- {draft}' EXIT
trap 'exit 1' HUP INT TERM PIPE
set -C
cat > {draft} || exit 1
{_arrived(draft, data)}if [ -e {file} ]; then
  chown "$(stat -c %u:%g -- {file})" {draft} 2>/dev/null
  chmod "$(stat -c %a -- {file})" {draft} || exit 1
{f"else chmod {mode:o} {draft} || exit 1" if mode is not None else ""}
fi
sync {draft} 2>/dev/null
{_unchanged(file, expected)}{put} || exit 1
rm -f -- {draft}
stat -c {_FORM} -- {file}
"""


def remove(name: str, expected: FileStat) -> str:
    """Remove *name*, if it is still what was expected."""
    file = quote(f"./{name}")
    return f"{_unchanged(file, expected)}rm -f -- {file}\n"


def _arrived(draft: str, data: bytes) -> str:
    """All bytes came over, and they are the right ones."""
    return f"""[ "$(wc -c < {draft})" -eq {len(data)} ] || exit {DAMAGED}
if command -v sha256sum >/dev/null; then
  s=$(sha256sum < {draft}); [ "${{s%% *}}" = {hashlib.sha256(data).hexdigest()} ] || exit {DAMAGED}
else
  s=$(cksum < {draft}); [ "${{s%% *}}" = {cksum(data)} ] || exit {DAMAGED}
fi
"""


def _unchanged(file: str, expected: FileStat | None) -> str:
    if expected is None:
        return f"[ ! -e {file} ] && [ ! -L {file} ] || exit {STALE}\n"
    seconds, fraction = divmod(expected.modified_ns, 10**9)
    wanted = f"{expected.inode} {expected.size} {seconds} {fraction:09}"
    return f"""s=$(stat -c '%i %s %Y %y' -- {file} 2>/dev/null) || exit {STALE}
f=${{s##*.}}
[ "${{s%% *}} $(stat -c '%s %Y' -- {file}) ${{f%% *}}" = {quote(wanted)} ] || exit {STALE}
"""


def cksum(data: bytes) -> int:
    """The number that `cksum` prints: zlib's CRC-32 with the bits of every byte, and of the sum, turned round."""
    length = len(data).to_bytes((len(data).bit_length() + 7) // 8, "little")
    reflected = zlib.crc32((data + length).translate(_TURNED), 0xFFFFFFFF)
    return int(f"{reflected:032b}"[::-1], 2)


_TURNED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))
