"""A plugin is run apart: what fails, hangs or meddles is named, and leaves nothing of itself behind."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time

import pytest

TOOL = """
from handiwork import tool

@tool(toolset="t")
def {name}() -> str:
    "Say it."
    return "{name}"
"""
BRINGS = """
from handiwork import create_custom_toolset, registry, tool

@tool(toolset="half")
def half() -> str:
    "Half."
    return ""

def register(ctx):
    registry.register_toolset_alias("h", "half")
    registry.register_toolset_check("half", lambda: True)
    create_custom_toolset("halves", tools=["half"])
    ctx.register_tool(name="other", toolset="half", schema={{}}, handler=lambda args: "")
    ctx.register_hook("pre_tool_call", lambda **_: {{"action": "block"}})
    ctx.register_command("half", lambda text: text)
    {end}
"""


def test_what_a_plugin_brings_is_there(shelf):
    shelf.write("all", BRINGS.format(end="pass"))
    assert shelf.load()["all"].tools == ("half", "other")
    house = shelf.house
    assert house.toolsets.resolve("h") == ["half", "other"] and house.toolsets.resolve("halves") == ["half"]
    assert [hook.name for hook in house.hooks.all()] == ["pre_tool_call"] and "half" in house.ground.commands


@pytest.mark.parametrize(
    ("end", "cause"),
    [
        ("1/0", "ZeroDivisionError"),
        ("raise SystemExit(3)", "end the program (exit 3)"),
        ("raise KeyboardInterrupt", "interrupted"),
        ("import nowhere_at_all", "nowhere_at_all"),
        ("ctx.register_platform('irc')", "ctx.register_platform isn't there"),
        ("input()", "EOFError"),
    ],
)
def test_half_a_plugin_is_none(shelf, end, cause):
    path = shelf.write("half", BRINGS.format(end=end))
    shelf.write("good", TOOL.format(name="good"))
    before = shelf.house.registry.aliases()
    loaded = shelf.load()
    assert cause in loaded["half"].error and loaded["good"].error == ""
    assert loaded["half"].place == f"{path}:{len(path.read_text().splitlines())}"
    assert f'File "{path}", line' in loaded["half"].story and "trial.py" not in loaded["half"].story
    house = shelf.house
    assert shelf.names == ["good"] and house.registry.aliases() == before and house.registry._checks == {}
    assert house.hooks.all() == [] and house.ground.commands == {} and "halves" not in house.toolsets.names()
    assert "handiwork_plugins.half" not in sys.modules


def test_modules_inside_a_failed_package_go_too(shelf):
    shelf.write("pack/part.py", "x = 1\n")
    shelf.write("pack/__init__.py", TOOL.format(name="packed") + "from .part import x\n1/0\n")
    assert "ZeroDivisionError" in shelf.load()["pack"].error
    assert not [name for name in sys.modules if name.startswith("handiwork_plugins.pack")]


def test_the_cause_in_a_part_of_a_package_is_told(shelf):
    shelf.write("pack/part.py", "import nowhere_at_all\n")
    shelf.write("pack/__init__.py", TOOL.format(name="packed") + "from . import part\n")
    loaded = shelf.load()["pack"]
    assert "nowhere_at_all" in loaded.error and "part.py" in loaded.story and loaded.line


def test_a_syntax_error_has_its_line(shelf):
    shelf.write("odd", TOOL.format(name="odd") + "\ndef (:\n")
    loaded = shelf.load()["odd"]
    assert "SyntaxError" in loaded.error and loaded.place.endswith("odd.py:9")


def test_one_line_is_logged(shelf, caplog):
    shelf.write("bad", TOOL.format(name="bad") + "1/0\n")
    with caplog.at_level(logging.WARNING):
        shelf.load()
    (record,) = [r for r in caplog.records if "Could not import tool module" in r.message]
    assert "bad.py:8: ZeroDivisionError" in record.message and "\n" not in record.message


def test_one_that_hangs_is_left_behind(make_shelf):
    shelf = make_shelf(plugin_seconds=0.15)
    go = threading.Event()
    sys.modules["a_gate"] = go  # the plugin waits at it
    try:
        shelf.write("a", TOOL.format(name="first") + "import a_gate\na_gate.wait(20)\n" + TOOL.format(name="second"))
        shelf.write("b", TOOL.format(name="third"))
        began = time.monotonic()
        loaded = shelf.load()
        assert time.monotonic() - began < 2
        assert "not done after 0.15 s" in loaded["a"].error and loaded["a"].line == 9
        assert shelf.names == ["third"] and loaded["b"].tools == ("third",)
        go.set()
        _await(lambda: shelf.house.registry.rejections("second") or not _at_work())
        assert shelf.names == ["third"]
    finally:
        del sys.modules["a_gate"]


def test_what_it_registers_later_is_refused(make_shelf):
    shelf = make_shelf(plugin_seconds=0.1)
    later = "import time\ntry:\n    time.sleep(0.3)\nexcept BaseException:\n    pass\n"
    # asked to end, it goes on: so does code that catches everything
    shelf.write(
        "late",
        TOOL.format(name="early") + later + "for _ in range(3):\n    pass\ntry: time.sleep(0)\n"
        "except BaseException: pass\n" + TOOL.format(name="late"),
    )
    shelf.load()
    _await(lambda: not _at_work())
    assert shelf.names == []
    assert all("isn't loaded" in r.reason for r in shelf.house.registry.rejections())


def test_a_loop_without_end_is_ended(make_shelf):
    shelf = make_shelf(plugin_seconds=0.1)
    shelf.write("loop", TOOL.format(name="looping") + "while True:\n    pass\n")
    assert "not done" in shelf.load()["loop"].error
    _await(lambda: not _at_work())
    assert not _at_work()


def test_the_surroundings_are_put_back(shelf, capsys, tmp_path):
    shelf.write("rude", "import os, sys\nos.chdir('/')\nsys.path.insert(0, '/nowhere')\nprint('hello')\n"
                "sys.excepthook = print\n" + TOOL.format(name="rude"))  # fmt: skip
    path, hook, folder = list(sys.path), sys.excepthook, os.getcwd()
    assert shelf.load()["rude"].error == ""
    assert (sys.path, sys.excepthook, os.getcwd()) == (path, hook, folder)
    captured = capsys.readouterr()
    assert captured.out == "" and "hello" in captured.err


def test_a_signal_handler_stays_the_process_s(shelf):
    before = signal.getsignal(signal.SIGUSR1)
    shelf.write("deaf", "import signal\nsignal.signal(signal.SIGUSR1, signal.SIG_IGN)\n" + TOOL.format(name="deaf"))
    assert "main thread" in shelf.load()["deaf"].error
    assert signal.getsignal(signal.SIGUSR1) == before


def test_a_fork_ends_with_its_plugin(shelf, tmp_path):
    mark = tmp_path / "mark"
    shelf.write("fork", f"import os\nPID = os.fork()\n{TOOL.format(name='forked')}")
    shelf.write("next", f"open({str(mark)!r}, 'a').write('x')\n{TOOL.format(name='after')}")
    assert [one.error for one in shelf.load().values()] == ["", ""]
    pid = sys.modules["handiwork_plugins.fork"].PID
    assert os.waitpid(pid, 0)[1] == 0 and mark.read_text() == "x"


def test_who_was_overridden_has_the_name_again(make_shelf, add):
    shelf = make_shelf(plugins_override=("taker",))
    add("mine", toolset="theirs")
    shelf.house.registry.may_override = shelf.house._may_override
    shelf.write("taker", "from handiwork import registry\n"
                "registry.register('mine', 't', {}, lambda args: 'taken', override=True)\n1/0\n")  # fmt: skip
    shelf.load()
    assert shelf.house.registry.get("mine").origin == "code"


@pytest.mark.parametrize(
    ("origin", "listed", "may"),
    [
        ("plugin:user/dice", ("dice",), True),
        ("plugin:package/dice", ("dice",), True),
        ("plugin:project/dice", ("dice",), False),  # a repository chooses the names of its files
        ("plugin:project/dice", ("project/dice",), True),
        ("plugin:user/dice", ("dic",), False),
        ("mcp:dice", ("dice",), True),
        ("builtin", (), True),
    ],
)
def test_who_may_override(make_shelf, origin, listed, may):
    assert make_shelf(plugins_override=listed).house._may_override(origin) is may


def _at_work() -> bool:
    return any(thread.name == "handiwork-plugins" for thread in threading.enumerate())


def _await(met, within=5.0):
    deadline = time.monotonic() + within
    while not met() and time.monotonic() < deadline:
        time.sleep(0.01)
