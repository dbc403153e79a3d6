"""Programs that edit files, and that pack and unpack them."""

from __future__ import annotations

import re

from ..code.lines import read_editor
from ..shell.call import Call
from ..shell.marks import is_known, veiled
from .arguments import Arguments
from .entry import Program, Rule
from .notes import note_path
from .packing import read_tar, read_unzip, read_zip

_WRITES = re.compile(r"(?:^|[|\n:])\s*(?:wq?!?|x!?|wa!?|wqa|update|write)\s*(?:$|[|\n])")
_EMPTIES = re.compile(r"(?:^|[|\n:])\s*(?:%|1,\$)\s*d")


def _editor(call: Call, arguments: Arguments) -> str:
    """vi, ex, ed and their like: commands behind `-c` and `+`, or fed to it; files that it opens."""
    commands = [
        *arguments.of(("-c", "--cmd", "-s-c", "--eval", "-es", "-sc")),
        *(a[1:] for a in call.args if a.startswith("+")),
    ]
    for text in (*commands, call.stdin or ""):
        if text and is_known(text):
            read_editor(text, call)
    text = "\n".join((*commands, call.stdin or ""))
    kind = "truncate" if _EMPTIES.search(text) else "write"
    for path in arguments.operands:
        if path.startswith("+") or path in ("-", "%"):
            continue
        if _WRITES.search(text) or call.shell.resolve(path).startswith("/etc"):
            note_path(call, kind, path)
        else:
            call.shell.reads(path)
    return veiled()


def _patch(call: Call, arguments: Arguments) -> str:
    for path in (*arguments.operands[:1], *arguments.of(("-o", "--output", "-d", "--directory"))):
        note_path(call, "write", path)
    return veiled()


PROGRAMS = (
    Program(
        "tar bsdtar gtar",
        reader=read_tar,
        allow=("tar czf a.tgz src", "tar xf a.tgz -C /tmp/out", "tar tf a.tgz"),
        ask=("tar xf a.tgz -C /opt/x", "tar czf a.tgz ~/.ssh"),
        forbid=(
            "tar -xf a.tar -C /usr",
            "tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='reboot'",
            "tar xf a --to-command='rm -rf /'",
        ),
    ),
    Program(
        "cpio pax",
        values="-D -F -I -O -E --directory",
        rules=(Rule("-D|--directory", "write", "-D|--directory"),),
        reader=lambda call, _arguments: veiled(call.stdin),
        forbid=("cpio -idm -D / < x",),
    ),
    Program(
        "unzip 7z 7za 7zr unrar bsdunzip unar lsar",
        values="-d -x -P -C --output-directory",
        reader=read_unzip,
        rules=(Rule("d", "discard"), Rule("a -sdel", "discard")),
        allow=("unzip a.zip", "unzip a.zip -d out"),
        forbid=("unzip -o a.zip -d /etc",),
    ),
    Program(
        "zip",
        values="-TT --unzip-command -x -i -b -n",
        reader=read_zip,
        allow=("zip -r a.zip src -x node_modules",),
        ask=("zip -m a.zip src", "zip a.zip .env"),
        forbid=("zip a.zip f -T -TT 'rm -rf / #'",),
    ),
    Program(
        "vi vim nvim ex ed view nano emacs gvim vimx red hx micro",
        values="-c --cmd -S -u --eval -l --load -sc -T -w -W",
        reader=_editor,
        allow=("vim src/a.py", "ed notes.txt"),
        ask=("vim -es -c ':!git clean -fdx' -c q", "nano .env"),
        forbid=("printf '!rm -rf /\\nq\\n' | ed -s", "ex -sc '1d|x' /etc/hosts", "vim -c ':!reboot'"),
    ),
    Program(
        "patch",
        values="-p -i -o -d -r --input --output --directory --strip",
        reader=_patch,
        allow=("patch -p1 < a.diff",),
        forbid=("patch /etc/passwd < a.diff",),
    ),
    Program(
        "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 lzma brotli compress uncompress pigz pbzip2 lzop",
        allow=("gzip -d a.gz", "gunzip -c data.gz | head"),
        ask=("gzip ~/.ssh/id_rsa",),
    ),
    Program(
        "split csplit",
        values="-b -l -n -C -a --bytes --lines --suffix-length",
        reads=0,
        allow=("split -C 512 a",),
    ),
)
