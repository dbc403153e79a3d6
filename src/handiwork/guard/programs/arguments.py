"""The arguments of a program, sorted: options with their values, and operands."""

from __future__ import annotations

from collections.abc import Iterable


class Arguments:
    """Options and operands, in order. *values* are the options that take a value.

    `-abc` is `-a -b -c`; a long option also counts in a shortened form, as GNU programs take it. Where
    *leading*, the first operand ends the options: what follows belongs to something else.
    """

    __slots__ = ("operands", "options", "rest")

    def __init__(self, args: list[str], values: frozenset[str] = frozenset(), *, leading: bool = False) -> None:
        self.options: list[tuple[str, str | None]] = []
        self.operands: list[str] = []
        self.rest: list[str] = []  # what stands behind the options (leading), or behind `--`
        at = 0
        while at < len(args):
            arg = args[at]
            at += 1
            if arg == "--":
                self.rest = args[at:]
                if not leading:
                    self.operands += self.rest
                return
            if len(arg) < 2 or arg[0] != "-":
                if leading:
                    self.rest = args[at - 1 :]
                    return
                self.operands.append(arg)
            else:
                at += self._option(arg, args[at] if at < len(args) else None, values)

    def _option(self, arg: str, following: str | None, values: frozenset[str]) -> int:
        """Take one option; 1 where it takes the next argument as its value."""
        name, equals, value = arg.partition("=")
        if equals and (arg.startswith("--") or name in values):
            self.options.append((name, value))
            return 0
        if arg in values:
            self.options.append((arg, following))
            return 1
        if arg.startswith("--"):
            self.options.append((arg, None))
            return 0
        return self._cluster(arg, following, values)

    def _cluster(self, arg: str, following: str | None, values: frozenset[str]) -> int:
        self.options.append((arg, None))
        if len(arg) == 2:
            return 0
        for place, letter in enumerate(arg[1:], 2):
            flag = "-" + letter
            if flag in values:
                joined = arg[place:]
                self.options.append((flag, joined or following))
                return 0 if joined else 1
            self.options.append((flag, None))
        return 0

    def has(self, flags: Iterable[str]) -> bool:
        """Whether one of the options is given; long ones count in a shortened form."""
        given = [name for name, _ in self.options]
        return any(
            name in flags or (name.startswith("--") and len(name) > 4 and any(f.startswith(name) for f in flags))
            for name in given
        )

    def of(self, flags: Iterable[str]) -> list[str]:
        """The values that were given to one of the options."""
        return [value for name, value in self.options if value is not None and name in flags]
