"""Looking a program up, and noting what it would do."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..shell.call import Call
from ..shell.marks import SECRET, UNKNOWN, veiled
from ..shell.printers import printed
from ..shell.session import Shell
from .arguments import Arguments
from .entry import Program
from .matching import fits, targets
from .notes import note
from .strangers import judge_stranger
from .table import program_named, program_names
from .wrapping import run_inner

_LINKS = frozenset(("nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "telnet", "socat", "s_client", "cryptcat"))


class Programs:
    """The runner of scripts: what each program does, by *own* entries first, then by the table."""

    __slots__ = ("_own",)

    def __init__(self, own: Mapping[str, Program] = MappingProxyType({})) -> None:
        self._own = own

    def program(self, call: Call) -> str:
        """Note what a program would do; what it would print."""
        entry = self._own.get(call.name) or program_named(call.name)
        if entry is None:
            return judge_stranger(call)
        arguments = Arguments(call.args, entry.valued, leading=bool(entry.runs))
        if entry.runs:
            for rule in entry.rules:
                if fits(rule, arguments):
                    note(call, rule.does, targets(rule, arguments), rule.why)
            return run_inner(call, entry, arguments)
        if not entry.only_reads:
            call.effect("run", call.name)
        if entry.dry_flags.intersection(call.args):
            return UNKNOWN
        for rule in entry.rules:
            if fits(rule, arguments):
                note(call, rule.does, targets(rule, arguments), rule.why)
        secret = any(rule.does == "read_secret" and fits(rule, arguments) for rule in entry.rules)
        return _output(call, entry, arguments) + (SECRET if secret else "")

    def joined(self, stages: list[str], shell: Shell) -> None:
        """A shell that waits for what it is told, and a program that talks to the network, in one pipeline."""
        if "shell" in stages and _LINKS.intersection(stages):
            shell.effect("remote_shell", " | ".join(dict.fromkeys(stages)))

    def names(self) -> tuple[str, ...]:
        """The programs that are known."""
        return (*program_names(), *self._own)


def _output(call: Call, entry: Program, arguments: Arguments) -> str:
    """What the program prints: by its own reader, by what is known of simple programs, or made of what it read."""
    fed = call.stdin
    if entry.reads is not None and len(arguments.operands) > entry.reads:
        fed = "".join(call.text_of(path) for path in arguments.operands[entry.reads :])
    elif entry.reads is None and not entry.quiet and entry.reader is None:
        fed = (fed or "") + "".join(call.shell.reads(a)[1:] for a in arguments.operands if "/" in a or "." in a)
    if entry.reader is not None:
        output = entry.reader(call, arguments)
        if output is not None:
            return output
    output = printed(call.name, call.args, fed)
    return veiled(fed) if output is None else output
