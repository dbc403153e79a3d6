"""What a shell command would do, and whether it may: allow, ask or forbid.

A command is allowed only when every program in it is known to only read, with flags that are known to
only read, on files that aren't protected. Whatever isn't understood asks. What `command_rules` and
`command_flows` name is forbidden, also behind quotes, variables, wrappers and decoders, as far as that
can be seen without running anything.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from .command_files import file_doubts, tree_doubts
from .command_flows import is_bomb, joins_shell, leaks, opens_socket
from .command_reach import is_code, is_shell, joins_network, reach
from .command_readers import READERS, only_reads, searched_trees
from .command_rules import PROGRAMS, broken_rule
from .command_signs import Call
from .places import names, plain
from .shell_reader import Part, RawCommand, Redirect, Script, read
from .shell_values import Word, World, command_output, expand, standard_input
from .verdict import CommandVerdict
from .workspace import is_inside

MOST_CHARACTERS = 20_000
MOST_DEPTH = 7
MOST_SCRIPTS = 120

_RESERVED = names("if then elif else fi do done while until { } ! time coproc function esac")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[\w*\])?\+?=")
_HARMLESS_PREFIX = names("LC_ALL LANG LC_COLLATE TZ NO_COLOR COLUMNS")
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_QUOTED = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*?\n\s*\1(?=\s|$)|'[^']*'|\"[^\"$`]*\"", re.DOTALL)
_SAFE_SINKS = ("/dev/null", "/dev/stdout", "/dev/stderr")
_SPACE = Part("text", " ")


def judge_command(
    command: str,
    cwd: str | None = None,
    home: str | None = None,
    *,
    workspace: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> CommandVerdict:
    """Say whether a shell command may run.

    *cwd* is where it would run and *workspace* (default: *cwd*) what it may read unasked; without them
    only the text is judged. *variables* are those that its shell has beside the usual ones. `reasons`
    says why it isn't allowed, `effects` what it would run and write.
    """
    judge = _Judge(cwd or "", home or os.environ.get("HOME", "/root"), workspace or cwd or "")
    judge.world.variables.update(variables or {})
    if len(command) > MOST_CHARACTERS:
        judge.ask("the command is too long to read")
    judge.text(command[:MOST_CHARACTERS])
    if not command.isascii() and not judge.forbidden:
        judge.look_alikes(command[:MOST_CHARACTERS])
    return judge.verdict()


class _Judge:
    """One reading of a command; collects reasons and effects."""

    __slots__ = ("asked", "depth", "effects", "forbidden", "scripts", "workspace", "world")

    def __init__(self, cwd: str, home: str, workspace: str) -> None:
        self.world = World(home=home, cwd=cwd, run_inner=self.inner)
        self.workspace = workspace
        self.forbidden: list[str] = []
        self.asked: list[str] = []
        self.effects: list[str] = []
        self.depth = self.scripts = 0

    def verdict(self) -> CommandVerdict:
        effects = list(dict.fromkeys(self.effects))
        if self.forbidden:
            return CommandVerdict("forbid", list(dict.fromkeys(self.forbidden)), effects)
        if self.asked or not effects:
            return CommandVerdict("ask", list(dict.fromkeys(self.asked)) or ["there is nothing to run"], effects)
        return CommandVerdict("allow", [], effects)

    def ask(self, why: str) -> None:
        if len(self.asked) < 20:
            self.asked.append(why)

    def forbid(self, why: str) -> None:
        self.forbidden.append(why)

    def look_alikes(self, text: str) -> None:
        """Read the text once more as what its look-alike letters pass for; only to refuse."""
        meant = _HIDDEN.sub("", plain(text))
        if meant != text:
            self.world = replace(self.world, files={})
            before = len(self.forbidden)
            self.text(meant)
            if len(self.forbidden) > before:
                self.ask("it is written with look-alike letters")

    # -------------------------------------------------------------------------------------- scripts

    def text(self, text: str) -> None:
        if _HIDDEN.search(text):
            self.ask("it holds characters that a terminal doesn't show")
            text = _HIDDEN.sub("", text)
        if is_bomb(_QUOTED.sub("", text)):
            self.forbid("it copies itself, or fills the disk, without end")
        if opens_socket(text):
            self.opens_socket(text)
        script = read(text)
        for odd in script.odd:
            self.ask(f"it holds {odd}, which isn't followed")
        self.script(script, text)

    def opens_socket(self, text: str) -> None:
        self.ask("it talks to the network through the shell")
        if re.search(r"\bexec\b|-i\b|<&|sh\b[^|;]*>&|cat [^|;]*>|getline", text):
            self.forbid("it joins this machine to another through the shell")

    def inner(self, text: str) -> None:
        """Judge a script inside the command: a substitution, or what a wrapper runs."""
        self.scripts += 1
        if self.depth >= MOST_DEPTH or self.scripts > MOST_SCRIPTS:
            self.ask("it is nested too deeply to follow")
            return
        self.depth += 1
        self.text(text)
        self.depth -= 1

    def script(self, script: Script, text: str) -> None:
        sure = not script.odd and "&&" not in text and "||" not in text and not self.depth
        for index, pipeline in enumerate(script.pipelines):
            if len(self.forbidden) > 3:
                return
            self.pipeline(pipeline, sure=(sure or not (index or self.depth)) and len(pipeline) == 1)

    def pipeline(self, pipeline: list[RawCommand], *, sure: bool) -> None:
        piped: str | None = None
        calls: list[Call] = []
        for command in pipeline:
            words = [w for raw in command.words for w in expand(raw, self.world)]
            words = self.assign(self.unreserved(words), sure=sure)
            fed = standard_input(command, piped, self.world)
            writes = self.redirects(command.redirects)
            if words:
                call = self.call(words, writes)
                calls.append(call)
                self.simple(call, words, fed=fed, sure=sure)
            piped = command_output(command, piped, self.world)
            self.remember(writes, piped)
            if not words and writes:
                self.check(Call("", (), writes, self.world.home, self.world.cwd, self.workspace))
        self.flow(pipeline, calls)

    def flow(self, pipeline: list[RawCommand], calls: list[Call]) -> None:
        raw = " ".join(
            ("$(" + p.text + ")" if p.kind in ("sub", "feed") else "$" + p.text if p.kind == "var" else p.text)
            if p.kind != "text"
            else p.text
            for c in pipeline
            for w in (*c.words, *(r.target for r in c.redirects))
            for p in (*w, _SPACE)
        )
        if joins_shell(calls):
            self.forbid("it joins a shell to the network")
        elif leaks(calls, raw):
            self.forbid("it sends secrets away")

    def remember(self, writes: tuple[str, ...], text: str | None) -> None:
        if text is not None:
            for name in writes:
                self.world.files[name] = text

    # ----------------------------------------------------------------------------- parts of a command

    def unreserved(self, words: list[Word]) -> list[Word]:
        """The words without the shell's own words in front; those make the whole ask."""
        while words and not words[0].quoted and words[0].text in _RESERVED:
            self.ask(f"it holds the shell word {words[0].text!r}, which isn't followed")
            words = words[1:]
        if words and words[0].text in ("for", "select", "case", "[[", "((") and not words[0].quoted:
            self.ask(f"it holds the shell word {words[0].text!r}, which isn't followed")
            if words[0].text == "for" and len(words) > 3:
                self.world.variables[words[1].text] = words[3].text
            return []
        while words and not words[0].text and not words[0].known:
            self.ask("a word is only known when it runs")
            words = words[1:]
        return words

    def assign(self, words: list[Word], *, sure: bool) -> list[Word]:
        found: list[str] = []
        while words and (match := _ASSIGNMENT.match(words[0].text)):
            self.world.variables[match[1]] = words[0].text[match.end() :]
            found.append(match[1])
            if not words[0].known:
                self.ask("a variable is only known when it runs")
            words = words[1:]
        self.check_assigned(found, prefix=bool(words), sure=sure)
        return words

    def check_assigned(self, names: list[str], *, prefix: bool, sure: bool) -> None:
        for name in names:
            harmless = name in _HARMLESS_PREFIX if prefix else name.islower() and "proxy" not in name
            if not harmless or not (sure or prefix):
                self.ask(f"it sets {name}, which may change what follows")
            self.effects.append(f"set:{name}")

    def redirects(self, redirects: list[Redirect]) -> tuple[str, ...]:
        """Judge the redirections; the files that would be written."""
        writes: list[str] = []
        for redirect in redirects:
            if redirect.op in ("<<", "<<-"):
                self.heredoc(redirect)
                continue
            for word in expand(redirect.target, self.world):
                self.redirect(redirect.op, word, writes)
        return tuple(writes)

    def heredoc(self, redirect: Redirect) -> None:
        if not redirect.literal_body and re.search(r"\$\(|`|\$\{", redirect.body):
            self.ask("the text it is fed holds substitutions")
            for inner in re.findall(r"\$\(([^()]*)\)|`([^`]*)`", redirect.body):
                self.inner(inner[0] or inner[1])

    def redirect(self, op: str, word: Word, writes: list[str]) -> None:
        if not word.known or word.glob:
            self.ask("a file it is redirected to is only known when it runs")
        if op.endswith("&") and re.fullmatch(r"\d+-?|-", word.text):
            return
        if op == "<<<":
            return
        if op == "<":
            self.reads(word)
        elif word.text not in _SAFE_SINKS:
            self.ask(f"it writes {word.text}")
            self.effects.append(f"write:{word.text}")
            writes.append(word.text)

    # ------------------------------------------------------------------------------------- one program

    def call(self, words: list[Word], writes: tuple[str, ...]) -> Call:
        name = plain(words[0].text).rsplit("/", 1)[-1]
        args = tuple(w.text for w in words[1:])
        return Call(name, args, writes, self.world.home, self.world.cwd, self.workspace)

    def check(self, call: Call) -> None:
        if rule := broken_rule(call):
            self.forbid(f"{call.name or 'a redirection'}: {rule.why} ({rule.name})")

    def simple(self, call: Call, words: list[Word], *, fed: str | None, sure: bool) -> None:
        self.effects.append(f"run:{call.name}")
        self.check(call)
        if words[0].glob:
            self.globbed_program(call, words[0].text)
        if call.name == "cd":
            self.change_folder(call, words, sure=sure)
            return
        if is_shell(call.name):
            self.ask(f"{call.name} runs a text of its own")
        self.runs(call, fed)
        self.only_reads(call, words)

    def globbed_program(self, call: Call, written: str) -> None:
        self.ask("the program's name is a pattern")
        for name in fnmatch.filter(PROGRAMS, call.name) if "/" in written else ():
            self.check(Call(name, call.args, call.writes, call.home, call.cwd, call.workspace))

    def change_folder(self, call: Call, words: list[Word], *, sure: bool) -> None:
        target = call.args[-1] if call.args else self.world.home
        if len(call.args) > 1 or not all(w.known and not w.glob for w in words) or target == "-" or not sure:
            self.ask("where it changes to isn't followed")
        full = call.full(target)
        if self.workspace and not (
            is_inside(os.path.realpath(full), os.path.realpath(self.workspace)) and Path(full).is_dir()
        ):
            self.ask(f"it leaves the workspace for {target}")
        elif not self.workspace:
            self.ask("it changes the folder")
        self.world.cwd = full if full.startswith("/") else self.world.cwd

    def only_reads(self, call: Call, words: list[Word]) -> None:
        prefix = words[0].text.rpartition("/")[0]
        if prefix not in ("", "/bin", "/usr/bin") or words[0].glob or not words[0].known:
            self.ask(f"{words[0].text} isn't a plain program name")
        if why := only_reads(call.name, call.args):
            self.ask(why)
            return
        for tree in searched_trees(call.name, call.args):
            for doubt in tree_doubts(tree, self.world, self.workspace):
                self.ask(doubt)
        reader = READERS[call.name]
        for word in words[1:]:
            if not word.known:
                self.ask("an argument is only known when it runs")
            if reader.paths:
                self.reads(word, content=not reader.names_only)

    def reads(self, word: Word, *, content: bool = True) -> None:
        """Judge an argument as a file that is read."""
        for doubt in file_doubts(word, self.world, self.workspace, content=content):
            self.ask(doubt)

    def runs(self, call: Call, fed: str | None) -> None:
        """Follow what a program would run: a wrapper's tail, a shell's text, an interpreter's strings."""
        if is_code(call, fed) and joins_network(call, fed):
            self.forbid(f"{call.name}: it joins a shell to the network, or sends secrets away")
        for reached in reach(call, fed, self.world.files):
            if isinstance(reached, str):
                self.inner(reached)
            elif self.depth < MOST_DEPTH:
                self.depth += 1
                self.check(reached)
                self.runs(reached, fed)
                self.depth -= 1
