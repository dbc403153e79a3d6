"""The structure of shell text, by tree-sitter: statements, pipelines, commands, redirections.

Only the structure is taken from the tree. Words are read again by `words`, which keeps to what a shell does.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_JOINED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^'"\\]+|.""", re.DOTALL)
_OPENED_BRACE = re.compile(r"(^|[;&|(!]|\b(?:then|do|else|exec|sudo)\s)(\s*)\{(?=[^\s{};]*,[^\s{};]*\})")
_TWO_WAYS = re.compile(r"<>")
_BARE_HEREDOC = re.compile(r"<<-?\s*[\w.]+(?=[;&)])")

# To a shell every byte beyond ASCII is a letter of a word. The grammar's own scanner reads beyond its tables
# for some of them, so it is shown letters; words are cut from the true text.
_AS_LETTERS = bytes(byte if byte < 0x80 else ord("x") for byte in range(256))

_own = threading.local()


def parse(text: str) -> tuple[bytes, Node]:
    """The bytes of the text as they were parsed, and the root of their tree."""
    if "\\\n" in text:
        text = _join_lines(text)
    if "<<" in text:
        text = _BARE_HEREDOC.sub(lambda m: m[0] + " ", text)
    source = text.encode("utf-8", "replace")
    root = _parser().parse(source.translate(_AS_LETTERS)).root_node
    if not root.has_error:
        return source, root
    mended = _mended(text).encode("utf-8", "replace")
    return mended, _parser().parse(mended.translate(_AS_LETTERS)).root_node


def _parser() -> Parser:
    """This thread's parser; a parser serves one thread at a time."""
    if not hasattr(_own, "parser"):
        import tree_sitter  # noqa: PLC0415 (heavy: loaded when the first command is judged)
        import tree_sitter_bash  # noqa: PLC0415

        _own.parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))
    parser: Parser = _own.parser
    return parser


def _join_lines(text: str) -> str:
    """The text without the line ends that a backslash takes away; in single quotes they stay."""
    return _JOINED.sub(lambda m: m[0] if m[0][0] == "'" else m[0].replace("\\\n", ""), text)


def _mended(text: str) -> str:
    """The same text in forms that the grammar knows: `{a,b}` as a program, `<>` as a redirection."""
    text = _OPENED_BRACE.sub(r"\1\2''{", text)
    return _TWO_WAYS.sub("> ", text)
