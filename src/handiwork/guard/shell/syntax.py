"""The structure of shell text, by tree-sitter: statements, pipelines, commands, redirections.

Only the structure is taken from the tree, which is that of the outline. Words are read by `words`, which keeps
to what a shell does.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, NamedTuple

from .heredocs import Heredoc, take_heredocs
from .outline import outline

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_JOINED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^'"\\]+|.""", re.DOTALL)

# To a shell every byte beyond ASCII is a letter of a word. The grammar's own scanner reads beyond its tables
# for some of them, so it is shown letters; words are cut from the true text.
_AS_LETTERS = bytes(byte if byte < 0x80 else ord("x") for byte in range(256))

_own = threading.local()


class Parsed(NamedTuple):
    """The bytes of a script as they were parsed, the root of their tree, and the here-documents taken out.

    `whole` is false where a part couldn't be read.
    """

    source: bytes
    root: Node
    documents: list[Heredoc]
    whole: bool


def parse(text: str) -> Parsed:
    """Parse a script; what the grammar doesn't know is tried once more in other words."""
    documents: list[Heredoc] = []
    if "<<" in text:
        text, documents = take_heredocs(text)
    if "\\\n" in text:
        text = _join_lines(text)
    source = text.encode("utf-8", "replace")
    root, closed = _tree(source)
    if root.has_error and b"<>" in source:
        source = source.replace(b"<>", b"> ")  # a redirection that the grammar doesn't know
        root, closed = _tree(source)
    return Parsed(source, root, documents, closed and not root.has_error)


def _tree(source: bytes) -> tuple[Node, bool]:
    """The tree of the outline, and whether all is closed: a byte of the one is a byte of the other."""
    shape, closed = outline(source.decode("latin-1"))
    return _parser().parse(shape.encode("latin-1").translate(_AS_LETTERS)).root_node, closed


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
