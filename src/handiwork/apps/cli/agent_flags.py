"""The flags of the commands that let an agent work."""

from __future__ import annotations

from .parsing import Parser, add_selection


def add_waiting(parser: Parser) -> None:
    """The flag of those that need not end what they begin."""
    parser.add_argument("--wait", action="store_true", help="let nobody there to ask mean later, not no")


def add_agent_flags(parser: Parser, *, resumable: bool = True) -> None:
    """What `run` and `chat` share, and, where it isn't said otherwise, what to resume."""
    parser.add_argument("--model", metavar="NAME", help="such as local/qwen2.5-coder-1.5b, ollama/NAME, scripted:FILE")
    add_selection(parser)
    asking = parser.add_mutually_exclusive_group()
    asking.add_argument("--yes", action="store_true", help="say yes to what would ask")
    asking.add_argument("--deny", action="store_true", help="say no to what would ask, without asking")
    parser.add_argument(
        "--sandbox", metavar="NAME", help="where commands run: auto, bubblewrap, landlock, local, ssh:HOST"
    )
    parser.add_argument("--profile", metavar="NAME", help="work inside this profile of the configuration")
    parser.add_argument("--cwd", metavar="DIR", help="the folder to work in")
    parser.add_argument("--max-steps", "--max-turns", type=int, metavar="N", help="at most this many model calls")
    parser.add_argument("--max-seconds", type=float, metavar="S", help="at most this long")
    parser.add_argument("--max-tokens", type=int, metavar="N", help="at most this many tokens in all")
    parser.add_argument("--max-cost", type=float, metavar="USD", help="at most this many US dollars")
    if resumable:
        keeping = parser.add_mutually_exclusive_group()
        keeping.add_argument("--resume", metavar="ID", help="go on with a stored session; `last` is the newest")
        keeping.add_argument("--no-save", action="store_true", help="don't store this session")
