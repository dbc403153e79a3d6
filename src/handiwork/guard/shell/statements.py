"""Walking through the statements of a script in the order in which they would run.

Branches are all taken, one after another; loops go round a few times. What a statement would print is its
value: it feeds pipes, substitutions and files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from .assignments import assign
from .bombs import bombs_in_function, bombs_in_loop
from .marks import SECRET, UNKNOWN, veiled
from .redirections import Redirects, read_redirects
from .session import Shell
from .simple import run_simple
from .syntax import Parsed, parse
from .words import expand, expand_one

if TYPE_CHECKING:
    from tree_sitter import Node

    from .simple import Runner

MOST_ROUNDS = 12
MOST_OUTPUT = 50_000
TRUSTED: Final = frozenset(("sudo", "su", "ssh", "passwd", "gpg", "login", "doas", "scp"))
_REDIRECTS: Final = frozenset(("file_redirect", "herestring_redirect", "ERROR"))
_WORDLESS: Final = frozenset(("comment",))


class Scripts:
    """The engine of a `Shell`: reads scripts, and hands each program to *runner*, which knows what programs do."""

    __slots__ = ("runner",)

    def __init__(self, runner: Runner) -> None:
        self.runner = runner

    def run_text(self, shell: Shell, text: str, stdin: str | None = None) -> str:
        """Read a script; what it would print."""
        if shell.is_spent():
            return UNKNOWN
        outer, parsed = shell.stdin, parse(text)
        if stdin is not None:
            shell.stdin = stdin
        shell.depth += 1
        output = Walk(parsed, shell, self.runner).script(parsed)
        shell.depth -= 1
        shell.stdin = outer
        return output

    def run_words(self, shell: Shell, words: list[str], stdin: str | None = None) -> str:
        """Read one program with its arguments, already free of quotes."""
        if shell.is_spent():
            return UNKNOWN
        shell.depth += 1
        output = run_simple(words, Redirects(stdin), {}, shell, self.runner)
        shell.depth -= 1
        return output


class Walk:
    """One pass over the tree of one script."""

    __slots__ = ("documents", "pending", "runner", "shell", "source")

    def __init__(self, parsed: Parsed, shell: Shell, runner: Runner) -> None:
        self.source, self.documents, self.shell, self.runner = parsed.source, parsed.documents, shell, runner
        self.pending: dict[int, list[Node]] = {}  # redirections that belong to a statement still to come

    def script(self, parsed: Parsed) -> str:
        """Everything in the script."""
        if not parsed.whole:
            self.shell.effect("unparsed")
        return self.each(parsed.root.children)

    def text(self, node: Node) -> str:
        """The node as written."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def visit(self, node: Node) -> str:
        """One statement."""
        way = _WAYS.get(node.type)
        if way is None:
            return ""
        redirects = self.pending.pop(node.id, None) if self.pending else None
        if redirects is not None:
            return self.redirect(node, redirects)
        self.shell.budget -= 1
        if self.shell.budget < 0:
            self.shell.effect("unfollowed")
            return ""
        self.stands_at(node)
        return way(self, node)

    def stands_at(self, node: Node) -> None:
        """What is noted from here on comes from *node*; what is run in turn comes from where that stands."""
        if self.shell.depth == 1:
            self.shell.span = (node.start_byte, node.end_byte)

    def each(self, nodes: Iterable[Node]) -> str:
        """Statements one after another; their outputs together."""
        outputs = [self.visit(node) for node in nodes]
        text = "".join(o for o in outputs if o)[:MOST_OUTPUT]
        if self.shell.depth == 1 and SECRET in text and self.shell.programs[-1:] in (["echo"], ["printf"]):
            self.shell.effect("read_secret", "", "it shows a secret")
        return text

    def unsurely(self, nodes: Iterable[Node]) -> str:
        """Statements that may not run at all."""
        self.shell.unsure += 1
        output = self.each(nodes)
        self.shell.unsure -= 1
        return output

    # ------------------------------------------------------------------------------- simple commands

    def command(self, node: Node, extra: Iterable[Node] = ()) -> str:
        """A program with its arguments, assignments before it, and redirections."""
        words: list[str] = []
        assigned: list[Node] = []
        redirects: list[Node] = []
        shell = self.shell
        self.stands_at(node)
        for raw, kind, child in self.parts((*node.children, *extra)):
            if kind == "variable_assignment":
                assigned.append(child)
            elif kind in _REDIRECTS:
                redirects.append(child)
            else:
                words += expand(raw, shell)
        return self.simple(words, redirects, assigned)

    def parts(self, nodes: Iterable[Node]) -> list[tuple[str, str, Node]]:
        """The parts of a command as written; what stands together without a blank is one word."""
        found: list[tuple[str, str, Node]] = []
        start = end = -1
        for node in nodes:
            kind = node.type
            if kind in _WORDLESS:
                continue
            if kind == "variable_assignment" or kind in _REDIRECTS:
                found.append(("", kind, node))
                end = -1
                continue
            if node.start_byte == end:
                found.pop()
            else:
                start = node.start_byte
            end = node.end_byte
            found.append((self.source[start:end].decode("utf-8", "replace"), "word", node))
        return found

    def simple(self, words: list[str], redirects: list[Node], assigned: list[Node]) -> str:
        shell = self.shell
        own: dict[str, str] = {}
        for node in assigned:
            name, value = assign(node, self.source, shell, keep=not words)
            own[name] = value
        if not redirects:
            return run_simple(words, Redirects(), own, shell, self.runner)
        joined = read_redirects(redirects, self.source, self.documents, shell)
        return run_simple(words, joined, own, shell, self.runner)

    def redirected(self, node: Node, more: Iterable[Node] = ()) -> str:
        """A statement with redirections behind it. The grammar lets them follow a whole chain; a shell doesn't."""
        body = node.child_by_field_name("body")
        redirects = [*(c for c in node.children if c.type in _REDIRECTS), *more]
        return self.simple([], redirects, []) if body is None else self.redirect(body, redirects)

    def redirect(self, body: Node, redirects: list[Node]) -> str:
        """Join the redirections to what they belong to: the last program of a chain, or a whole block."""
        if body.type == "command":
            return self.command(body, redirects)
        if body.type == "redirected_statement":
            return self.redirected(body, redirects)
        if body.type in ("list", "pipeline", "negated_command"):
            self.pending[body.children[-1].id] = redirects
            return self.visit(body)
        return self.block_redirected(body, redirects)

    def block_redirected(self, body: Node, redirects: list[Node]) -> str:
        self.stands_at(body)
        joined = read_redirects(redirects, self.source, self.documents, self.shell)
        outer = self.shell.stdin
        self.shell.stdin = joined.stdin if joined.stdin is not None else outer
        output = self.visit(body)
        self.shell.stdin = outer
        self.stands_at(body)
        return run_simple([], joined, {}, self.shell, self.runner, printed=output)

    def bare_assignment(self, node: Node) -> str:
        """`name=value` with no program behind it."""
        return self.simple([], [], [node] if node.type == "variable_assignment" else node.children)

    def declaration(self, node: Node) -> str:
        """`export`, `declare`, `unset` and their like: words like any other, but assignments are kept."""
        words: list[str] = []
        for child in node.children:
            if child.type == "variable_assignment":
                name, value = assign(child, self.source, self.shell, keep=True)
                words.append(f"{name}={value}")
            else:
                words += expand(self.text(child), self.shell)
        return run_simple(words, Redirects(), {}, self.shell, self.runner)

    # ------------------------------------------------------------------------------------- structure

    def sequence(self, node: Node) -> str:
        """Statements in braces, in a `do` group, or at the top."""
        if node.children and node.children[0].type == "((":
            expand_one('"' + self.text(node).replace('"', "") + '"', self.shell)
            return ""
        return self.each(node.children)

    def subshell(self, node: Node) -> str:
        """Statements whose folder and variables end with them."""
        shell = self.shell
        kept = (shell.cwd, dict(shell.variables))
        output = self.each(node.children)
        shell.cwd, shell.variables = kept
        return output

    def chain(self, node: Node) -> str:
        """`a && b || c`: all but the first may not run."""
        first, *rest = node.children
        return self.visit(first) + self.unsurely(rest)

    def pipeline(self, node: Node) -> str:
        """Programs joined by pipes."""
        return self.stages([c for c in node.children if c.is_named], None)

    def stages(self, nodes: list[Node], fed: str | None) -> str:
        shell = self.shell
        outer, programs = shell.stdin, shell.programs
        stages: list[str] = []
        shell.programs = stages
        for node in nodes:
            if fed is not None:
                shell.stdin = fed
            fed = self.visit(node)
        shell.stdin = outer
        self.runner.joined(stages, shell)
        programs.extend(stages)
        shell.programs = programs
        return fed or ""

    def for_loop(self, node: Node) -> str:
        """`for` and `select`: once for each of the first words."""
        name = node.child_by_field_name("variable")
        values = [w for v in node.children_by_field_name("value") for w in expand(self.text(v), self.shell)]
        body = node.child_by_field_name("body")
        outputs = []
        for value in (values or self.shell.positional)[:MOST_ROUNDS] or [UNKNOWN]:
            if name is not None:
                self.shell.variables[self.text(name)] = value
            outputs.append(self.unsurely([body] if body else []))
        return "".join(outputs)[:MOST_OUTPUT]

    def while_loop(self, node: Node) -> str:
        """`while` and `until`: as often as there are lines to `read`, at least once."""
        if bombs_in_loop(node, self.source):
            self.shell.effect("fork_bomb")
        outputs = []
        for _ in range(MOST_ROUNDS):
            left = self.shell.stdin
            outputs.append(self.unsurely(node.children))
            if not self.shell.stdin or self.shell.stdin == left:
                break
        return "".join(outputs)[:MOST_OUTPUT]

    def branches(self, node: Node) -> str:
        """`if`, `elif`, `else`, `case`: every branch is read."""
        value = node.child_by_field_name("value")
        if value is not None:
            expand_one(self.text(value), self.shell)
        return self.unsurely(node.children)

    def counted_loop(self, node: Node) -> str:
        """`for ((...))`: its sums may hold substitutions."""
        body = node.child_by_field_name("body")
        if bombs_in_loop(node, self.source):
            self.shell.effect("fork_bomb")
        head = self.source[node.start_byte : body.start_byte if body else node.end_byte].decode("utf-8", "replace")
        expand_one('"' + head.replace('"', "") + '"', self.shell)
        return self.unsurely([body] if body else [])

    def test(self, node: Node) -> str:
        """`[ ... ]` and `[[ ... ]]`: only what is substituted in it runs."""
        expand_one(self.text(node)[1:-1], self.shell)
        return ""

    def function(self, node: Node) -> str:
        """A function is read when it is called; one that multiplies itself is a bomb at once."""
        name = node.child_by_field_name("name")
        body = node.child_by_field_name("body")
        if name is None or body is None:
            return ""
        if bombs_in_function(self.text(name), body, self.source):
            self.shell.effect("fork_bomb", self.text(name))
        if self.text(name) in TRUSTED:
            self.shell.effect(
                "hidden", self.text(name), f"it puts a function of its own in the place of {self.text(name)}"
            )
        self.shell.functions[self.text(name)] = Function(self, body)
        return ""


class Function:
    """A function of the script: its body, and the walk that knows the text it stands in."""

    __slots__ = ("body", "walk")

    def __init__(self, walk: Walk, body: Node) -> None:
        self.walk, self.body = walk, body

    def call(self, args: list[str], shell: Shell) -> str:
        """What a call with *args* would print."""
        if shell.is_spent():
            return veiled(*args)
        outer, shell.positional = shell.positional, args
        shell.depth += 1
        output = self.walk.visit(self.body)
        shell.depth -= 1
        shell.positional = outer
        return output


_Way = Callable[[Walk, Any], str]
_WAYS: Final[dict[str, _Way]] = {
    "command": Walk.command,
    "redirected_statement": Walk.redirected,
    "pipeline": Walk.pipeline,
    "list": Walk.chain,
    "variable_assignment": Walk.bare_assignment,
    "variable_assignments": Walk.bare_assignment,
    "declaration_command": Walk.declaration,
    "unset_command": Walk.declaration,
    "subshell": Walk.subshell,
    "for_statement": Walk.for_loop,
    "while_statement": Walk.while_loop,
    "c_style_for_statement": Walk.counted_loop,
    "test_command": Walk.test,
    "function_definition": Walk.function,
    **dict.fromkeys(("if_statement", "case_statement"), Walk.branches),
    **dict.fromkeys(
        ("compound_statement", "do_group", "elif_clause", "else_clause", "case_item", "negated_command", "ERROR"),
        Walk.sequence,
    ),
}
