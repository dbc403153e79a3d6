"""Reading the small languages of text tools: awk, sed, ed, vi and the colon commands of other editors."""

from __future__ import annotations

import re

from ..shell.call import Call
from ..shell.marks import UNKNOWN
from .doings import Doings
from .scripts import read_script

_AWK_STRING = r'"((?:[^"\\]|\\.)*)"'
_AWK_RUNS = re.compile(rf"system\s*\(\s*{_AWK_STRING}|{_AWK_STRING}\s*\|&?\s*getline|\|&\s*{_AWK_STRING}", re.DOTALL)
_AWK_WRITES = re.compile(rf"print[f]?[^>|;}}]*>>?\s*{_AWK_STRING}", re.DOTALL)
_AWK_COMPUTED = re.compile(r"system\s*\(\s*[^\")]|\|\s*getline|print[^|;}\n]*\|&?\s*[A-Za-z$]")
_SED_RUNS = re.compile(r"(?:^|[;\n{}]|\d|\$|/[^/]*/)\s*e\s+([^\n]+)")
_SED_EVALUATES = re.compile(r"s([/|#,@!~%:])(?:\\.|(?!\1).)*\1((?:\\.|(?!\1).)*)\1[gpiImM0-9]*e")
_SED_WRITES = re.compile(
    r"(?:(?:^|[;\n{}]|\d|\$|/[^/]*/)\s*[wW]|s([/|#,@!~%:])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1[gpiI0-9]*w)\s+(\S+)"
)
_BANG = re.compile(
    r"(?:^|\n)\s*(?::?\s*(?:silent!?\s*|sil!?\s*|%|\.|\d*)?\s*!|:?\s*(?:term(?:inal)?|r(?:ead)?)\s*!?)\s*([^\n]+)"
)
_VIM_CALL = re.compile(r"(?:system|execute|jobstart|termopen|os\.execute|io\.popen)\s*\(?\s*['\"\[]+(.+?)['\"\]]")
_EDITOR_WRITES = re.compile(r"(?:^|[\n|])\s*:?\s*(?:\d*,?\$?|%)?\s*(?:w(?:rite)?!?|sav(?:eas)?!?)\s+(?!\s*!)([^\s|!]+)")
_EDITOR_PIPES = re.compile(r"(?:^|[\n|])\s*:?\s*(?:\d*,?\$?|%)?\s*(?:w(?:rite)?|r(?:ead)?)\s*!\s*([^\n|]+)")


_AWK_FEEDS = re.compile(rf"print(?:f)?\s*\(?\s*{_AWK_STRING}[^|;}}]*\|&?\s*{_AWK_STRING}", re.DOTALL)


def read_awk(code: str, call: Call) -> str:
    """Note what an awk program runs and writes. Texts that stand side by side are one."""
    code = re.sub(r'"[ \t]*"(?=[^"\n]*")', "", code)
    for found in _AWK_RUNS.findall(code):
        call.runs(next(filter(None, found), ""))
    for fed, text in _AWK_FEEDS.findall(code):
        call.runs(text, stdin=fed)
    for path in _AWK_WRITES.findall(code):
        Doings(call).path("write", path)
    if _AWK_COMPUTED.search(code):
        call.effect("unknown_program", call.name, "it runs a command that awk puts together")
    if "/inet/" in code:
        read_script(code, call, "awk")
        call.effect("remote_shell" if "getline" in code else "socket", call.name)
    return UNKNOWN


def read_sed(code: str, call: Call) -> None:
    """Note what a sed script runs and writes."""
    for text in _SED_RUNS.findall(code):
        call.runs(text)
    for _, replacement in _SED_EVALUATES.findall(code):
        call.runs(replacement)
        call.effect("run_other", f"sed runs what it reads: {code[:60]}")
    for _, path in _SED_WRITES.findall(code):
        Doings(call).path("write", path)


def read_editor(code: str, call: Call) -> None:
    """Note what commands of ed, ex, vi and their like run and write."""
    for text in (*_BANG.findall(code), *_EDITOR_PIPES.findall(code), *_VIM_CALL.findall(code)):
        call.runs(text.lstrip("!"))
    for path in _EDITOR_WRITES.findall(code):
        Doings(call).path("write", path)
