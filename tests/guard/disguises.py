"""Ways to write a command differently that mean the same: for tests that a verdict doesn't get weaker."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

_SIMPLE = re.compile(r"[\w./@%+=:,-]+(?: [\w./@%+=:,-]+)*\Z", re.ASCII)


def single(command: str) -> str:
    """The command in single quotes."""
    return "'" + command.replace("'", "'\\''") + "'"


def double(command: str) -> str:
    """The command in double quotes."""
    return '"' + re.sub(r'([$`"\\])', r"\\\1", command) + '"'


def _b64(command: str) -> str:
    return base64.b64encode(command.encode()).decode()


def _hex(text: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


def _octal(text: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in text.encode())


def _program(command: str, change: Callable[[str], str]) -> str:
    name, _, rest = command.partition(" ")
    return f"{change(name)} {rest}".rstrip()


def _words(command: str, change: Callable[[str], str]) -> str:
    return " ".join(change(word) for word in command.split(" "))


# What may be done to any command: the whole is handed to something that runs it.
WHOLE: dict[str, Callable[[str], str]] = {
    "sh -c": lambda c: f"sh -c {single(c)}",
    "bash -lc": lambda c: f"bash -lc {double(c)}",
    "bash -c twice": lambda c: f"bash -c {single('bash -c ' + single(c))}",
    "eval": lambda c: f"eval {single(c)}",
    "eval variable": lambda c: f'x={single(c)}; eval "$x"',
    "heredoc": lambda c: f"bash <<'EOF'\n{c}\nEOF",
    "heredoc tabs": lambda c: f"sh <<-'E'\n\t{c}\n\tE",
    "cat heredoc": lambda c: f"cat <<'EOF' | sh\n{c}\nEOF",
    "herestring": lambda c: f"bash <<< {single(c)}",
    "echo pipe": lambda c: f"echo {single(c)} | bash",
    "printf pipe": lambda c: f"printf '%s\\n' {single(c)} | sh -s",
    "base64": lambda c: f"echo {_b64(c)} | base64 -d | sh",
    "base64 eval": lambda c: f'eval "$(echo {_b64(c)} | base64 --decode)"',
    "base64 source": lambda c: f"source <(base64 -d <<< {_b64(c)})",
    "hex": lambda c: f"echo {c.encode().hex()} | xxd -r -p | bash",
    "printf hex": lambda c: f"printf {single(_hex(c))} | sh",
    "echo octal": lambda c: f"echo -e {single(_octal(c))} | bash",
    "rev": lambda c: f"echo {single(c[::-1])} | rev | sh" if "\n" not in c else c,
    "process": lambda c: f"bash <(echo {single(c)})",
    "tee": lambda c: f"echo {single(c)} | tee >(sh) > /dev/null",
    "file": lambda c: f"echo {single(c)} > /tmp/s.sh; bash /tmp/s.sh",
    "file run": lambda c: f"cat > s.sh <<'EOF'\n{c}\nEOF\nchmod +x s.sh && ./s.sh",
    "function": lambda c: f"f() {{ {c}\n}}; f",
    "subshell": lambda c: f"({c}\n)",
    "braces": lambda c: f"{{ {c}\n}}",
    "if": lambda c: f"if true; then {c}\nfi",
    "else": lambda c: f"if false; then :; else {c}\nfi",
    "for": lambda c: f"for i in 1; do {c}\ndone",
    "while": lambda c: f"while true; do {c}\nbreak; done",
    "case": lambda c: f"case x in *) {c}\n;; esac",
    "and": lambda c: f"true && {c}",
    "or": lambda c: f"false || {c}",
    "after": lambda c: f"ls -la; {c}",
    "newline": lambda c: f"ls\n{c}",
    "background": lambda c: f"{c} &" if not c.rstrip().endswith(("&", "EOF")) and "#" not in c else c,
    "substitution": lambda c: f'echo "$({c}\n)"',
    "trap": lambda c: f"trap {single(c)} EXIT",
    "su": lambda c: f"su -c {single(c)}",
    "env sh": lambda c: f"env -i A=1 sh -c {single(c)}",
    "timeout sh": lambda c: f"timeout 5 sh -c {single(c)}",
    "xargs": lambda c: f"echo x | xargs -I% sh -c {single(c)}",
    "find": lambda c: f"find /etc/hostname -exec sh -c {single(c)} \\;",
    "watch": lambda c: f"watch -n1 {single(c)}",
    "ssh": lambda c: f"ssh host {single(c)}",
    "script": lambda c: f"script -qc {single(c)} /dev/null",
    "python": lambda c: f"python3 -c {single(f'import os; os.system({c!r})')}",
    "python subprocess": lambda c: f"python3 -c {single(f'import subprocess as s; s.run({c!r}, shell=True)')}",
    "python b64": lambda c: (
        f"python3 -c {single(f'import base64,os;os.system(base64.b64decode({_b64(c)!r}).decode())')}"
    ),
    "python heredoc": lambda c: f"python3 <<'EOF'\nimport os\nos.popen({c!r}).read()\nEOF",
    "git alias": lambda c: f"git -c alias.x={single('!' + c)} x",
    "tmux": lambda c: f"tmux new-session -d {single(c)}",
}

# What may be done to a plain command: words with blanks between them, nothing else.
PLAIN: dict[str, Callable[[str], str]] = {
    "quotes": lambda c: _words(c, lambda w: f"'{w}'"),
    "double quotes": lambda c: _words(c, lambda w: f'"{w}"'),
    "split quotes": lambda c: _program(c, lambda w: f"{w[0]}''{w[1:]}"),
    "backslash": lambda c: _program(c, lambda w: "\\" + w),
    "backslashes": lambda c: _program(c, lambda w: "".join("\\" + x for x in w)),
    "ANSI": lambda c: _words(c, lambda w: f"$'{_hex(w)}'"),
    "ANSI octal": lambda c: _program(c, lambda w: f"$'{_octal(w)}'"),
    "IFS": lambda c: c.replace(" ", "${IFS}"),
    "IFS plain": lambda c: c.replace(" ", "$IFS$9"),
    "braces": lambda c: "{" + c.replace(" ", ",") + "}" if " " in c and "," not in c else c,
    "tabs": lambda c: c.replace(" ", "\t"),
    "continued": lambda c: c.replace(" ", " \\\n  "),
    "continued word": lambda c: _program(c, lambda w: f"{w[0]}\\\n{w[1:]}"),
    "variable": lambda c: f"x={single(c)}; $x",
    "name variable": lambda c: "a=" + c.partition(" ")[0] + "; " + _program(c, lambda _: "$a"),
    "name halves": lambda c: f"a={c[0]}; " + _program(c, lambda w: f"${{a}}{w[1:]}"),
    "array": lambda c: f'a=({c}); "${{a[@]}}"',
    "positional": lambda c: f'set -- {c}; "$@"',
    "substituted name": lambda c: _program(c, lambda w: f"$(echo {w})"),
    "printf name": lambda c: _program(c, lambda w: f"$(printf '{_hex(w)}')"),
    "upper": lambda c: (
        f"x={c.partition(' ')[0].upper()}; " + _program(c, lambda _: "${x,,}") if c.partition(" ")[0].islower() else c
    ),
    "replaced": lambda c: (
        "x=" + "_".join(c.partition(" ")[0]) + "; " + _program(c, lambda _: "${x//_/}")
        if "_" not in c.partition(" ")[0]
        else c
    ),
    "stripped": lambda c: "x=zz" + c.partition(" ")[0] + "; " + _program(c, lambda _: "${x#zz}"),
    "cut": lambda c: "x=qq" + c.partition(" ")[0] + "; " + _program(c, lambda _: "${x:2}"),
    "full path": lambda c: _program(c, lambda w: f"/usr/bin/{w}" if "/" not in w else w),
    "odd path": lambda c: _program(c, lambda w: f"/usr/../usr//bin/./{w}" if "/" not in w else w),
    "sudo": lambda c: f"sudo {c}",
    "sudo -u": lambda c: f"sudo -n -u root -- {c}",
    "env": lambda c: f"env A=1 {c}",
    "nohup": lambda c: f"nohup {c} > /dev/null 2>&1 &",
    "timeout": lambda c: f"timeout -k 5 10 {c}",
    "nice": lambda c: f"nice -n 10 {c}",
    "command": lambda c: f"command -p {c}",
    "exec": lambda c: f"exec -a ls {c}",
    "time": lambda c: f"time -p {c}",
    "not": lambda c: f"! {c}",
    "assignment": lambda c: f"A=1 B='x y' {c}",
    "redirect first": lambda c: f"2>&1 {c}",
    "setsid": lambda c: f"setsid -w {c}",
    "chain": lambda c: f"env nohup nice timeout 60 {c}",
    "coproc": lambda c: f"coproc {c}",
    "eval words": lambda c: f"eval {_words(c, single)}",
    "busybox": lambda c: f"busybox sh -c '{c}'",
    "chroot": lambda c: f"chroot / {c}",
    "mapfile": lambda c: f"mapfile -t c <<< '{c}'; ${{c[0]}}",
    "hash": lambda c: f"hash -p /usr/bin/{c.partition(' ')[0]} ls; " + _program(c, lambda _: "ls"),
    "widened": lambda c: _program(c, lambda w: "".join(chr(ord(x) + 0xFEE0) if x.isalpha() else x for x in w)),
    "hidden": lambda c: f"{c[0]}\u200b{c[1:]}",
}


def is_plain(command: str) -> bool:
    """Whether the command is nothing but words with blanks between them."""
    return bool(_SIMPLE.match(command)) and not re.match(
        r"[\w]+=|(?:cd|export|unset|alias|set|exec|eval|\.|source|trap)\b", command
    )
