"""`handiwork chat`: one task after the other in one conversation."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace

from ...core.errors import HandiworkError, ModelUnavailableError
from ..house import default
from .output import Output
from .parsing import Parser
from .run import Interruptible, add_agent_flags, open_agent
from .watching import Watching

EXAMPLES = """\
examples:
  handiwork chat
  handiwork chat --model ollama/qwen3:8b --toolsets file,terminal
inside: /quit ends, Ctrl-C stops the running turn, Ctrl-D leaves
"""


def configure(parser: Parser) -> None:
    """Flags of `handiwork chat`."""
    parser.epilog = EXAMPLES
    add_agent_flags(parser)


def run(said: Namespace, out: Output) -> int:
    """Talk until the person leaves."""
    watching = Watching(out)
    house = default()
    agent = open_agent(house, said, out, watching)
    session = Interruptible(house)
    with asyncio.Runner() as runner:
        while (prompt := _read_prompt()) is not None:
            try:
                outcome = runner.run(session.run(agent, prompt))
            except ModelUnavailableError:
                raise
            except HandiworkError as error:
                out.fail(str(error), error.hint, error.exit_code)
                continue
            out.text(outcome.answer or f"(ended: {outcome.reason})")
    return 0


def _read_prompt() -> str | None:
    """The next message; None when the person leaves."""
    while True:
        try:
            line = input("you> " if sys.stdin.isatty() else "").strip()
        except (EOFError, KeyboardInterrupt):
            return None
        if line in ("/quit", "/exit"):
            return None
        if line:
            return line
