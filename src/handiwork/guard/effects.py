"""What a command would do: the programs it starts, and one effect for each thing that it touches."""

from __future__ import annotations

from typing import NamedTuple

Span = tuple[int, int]


class Invocation(NamedTuple):
    """One program or builtin that a command would start, as far as its words are known.

    `words` are free of quotes, with marks for what is only known at run time. `depth` is 1 for what stands in the
    judged text itself; what a wrapper, a nested shell, a substitution or a function runs is deeper, with the span
    of what stands in the text. `is_bare` says that nothing is set for it, fed to it or written by a redirection.
    """

    words: tuple[str, ...]
    span: Span = (0, 0)
    cwd: str = ""
    depth: int = 1
    is_bare: bool = True


class Effect(NamedTuple):
    """One thing that a command would do.

    `kind` is a word of `command_policy` (`delete`, `overwrite`, `read_secret` ...), `target` the path, host
    or program it is done to (paths as resolved as the text allows), `span` the characters of the judged text
    from which it comes, and `why` an own sentence where the one of its kind doesn't fit.
    """

    kind: str
    target: str = ""
    span: Span = (0, 0)
    why: str = ""
