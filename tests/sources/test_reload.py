"""A plugin that was edited is loaded anew: what it no longer has is gone, and a version that fails changes nothing."""

from __future__ import annotations

import sys
import threading

TOOL = """
from handiwork import tool

@tool(toolset="w")
def {name}() -> str:
    "Say it."
    return "{said}"
"""


def tools(**said):
    return "\n".join(TOOL.format(name=name, said=text) for name, text in said.items())


def test_nothing_changed_is_no_change(shelf):
    shelf.write("weather", tools(days="1"))
    shelf.load()
    generation = shelf.house.registry.generation
    assert shelf.refresh() == [] and shelf.house.registry.generation == generation


def test_new_tools_come_and_old_ones_leave(shelf):
    shelf.write("weather", tools(now="a", old="b"))
    shelf.load()
    generation = shelf.house.registry.generation
    shelf.write("weather", tools(now="other", days="c"))
    assert shelf.refresh() == ["weather changed (+days, -old, now)"]
    assert shelf.names == ["days", "now"] and shelf.call("now") == "other"
    assert shelf.house.registry.generation > generation
    assert shelf.loaded["weather"].tools == ("now", "days") and len(shelf.house.harvest.loaded) == 1
    assert shelf.house.registry.rejections() == []


def test_an_edit_of_the_same_size_within_a_second_counts(shelf):
    shelf.write("weather", tools(now="aaa"))
    shelf.load()
    shelf.write("weather", tools(now="bbb"))
    shelf.refresh()
    assert shelf.call("now") == "bbb"


def test_a_version_that_fails_changes_nothing(shelf):
    shelf.write("weather", tools(now="good") + "def register(ctx):\n"
                "    ctx.register_hook('post_tool_call', len)\n    ctx.register_command('w', str)\n")  # fmt: skip
    shelf.load()
    hooks, commands = shelf.house.hooks.all(), dict(shelf.house.ground.commands)
    module = sys.modules["handiwork_plugins.weather"]
    path = shelf.write("weather", tools(now="bad", more="x") + "def register(ctx):\n"
                       "    ctx.register_hook('stop', len)\n    ctx.register_command('w', str)\n    1/0\n")  # fmt: skip
    (said,) = shelf.refresh()
    line = len(path.read_text().splitlines())
    assert said == f"weather: {path}:{line}: ZeroDivisionError: division by zero; the version before it stays"
    assert shelf.names == ["now"] and shelf.call("now") == "good"
    assert shelf.house.hooks.all() == hooks and shelf.house.ground.commands == commands
    assert sys.modules["handiwork_plugins.weather"] is module
    assert shelf.refresh() == []  # told once, and tried again when it is edited again
    shelf.write("weather", tools(now="mended"))
    assert shelf.refresh() == ["weather changed (now)"] and shelf.call("now") == "mended"
    assert shelf.house.hooks.all() == [] and shelf.house.ground.commands == {}


def test_a_file_that_can_t_be_parsed_keeps_the_old_version(shelf):
    shelf.write("weather", tools(now="good"))
    shelf.load()
    shelf.write("weather", tools(now="x") + "\ndef (:\n")
    (said,) = shelf.refresh()
    assert "SyntaxError" in said and shelf.call("now") == "good"


def test_one_that_hangs_keeps_the_old_version(make_shelf):
    shelf = make_shelf(plugin_seconds=0.1)
    shelf.write("weather", tools(now="good"))
    shelf.load()
    shelf.write("weather", tools(now="x") + "\nwhile True: pass\n")
    (said,) = shelf.refresh()
    assert "not done after 0.1 s" in said and shelf.call("now") == "good"


def test_files_come_and_go(shelf):
    first = shelf.write("first", tools(one="1"))
    shelf.load()
    shelf.write("second", tools(two="2"))
    assert shelf.refresh() == ["second changed (+two)"]
    first.unlink()
    assert shelf.refresh() == ["first changed (-one)"]
    assert shelf.names == ["two"] and list(shelf.loaded) == ["second"]
    assert "handiwork_plugins.first" not in sys.modules


def test_a_file_that_failed_is_tried_again_when_it_is_mended(shelf):
    shelf.write("weather", tools(now="x") + "1/0\n")
    shelf.load()
    assert shelf.refresh() == []
    shelf.write("weather", tools(now="well"))
    assert shelf.refresh() == ["weather changed (+now)"] and shelf.loaded["weather"].error == ""


def test_a_part_of_a_package_counts(shelf):
    shelf.write("pack/part.py", "SAID = 'a'\n")
    shelf.write(
        "pack/__init__.py", "from .part import SAID\n" + TOOL.format(name="packed", said="{}").replace('"{}"', "SAID")
    )
    shelf.load()
    shelf.write("pack/part.py", "SAID = 'b'\n")
    assert shelf.refresh() == ["pack changed (packed)"] and shelf.call("packed") == "b"


def test_a_running_call_ends_with_the_old_handler(shelf):
    began, go = threading.Event(), threading.Event()
    shelf.write("slow", "from handiwork import registry\nBEGAN = GO = None\n"
                "def run(args):\n    BEGAN.set(); GO.wait(5)\n    return 'old'\n"
                "registry.register('slow', 'w', {}, run)\n")  # fmt: skip
    shelf.load()
    vars(sys.modules["handiwork_plugins.slow"]).update(BEGAN=began, GO=go)
    said: list[str] = []
    thread = threading.Thread(target=lambda: said.append(shelf.call("slow")))
    thread.start()
    assert began.wait(5)
    shelf.write("slow", tools(slow="new"))
    assert shelf.refresh() == ["slow changed (slow)"] and shelf.call("slow") == "new"
    go.set()
    thread.join(5)
    assert said == ["old"]


def test_who_was_overridden_has_its_name_again_when_the_plugin_goes(make_shelf, add):
    shelf = make_shelf(plugins_override=("taker",))
    shelf.house.registry.may_override = shelf.house._may_override
    add("mine", toolset="theirs", handler=lambda args: "theirs")
    taking = "from handiwork import registry\nregistry.register('mine', 't', {{}}, lambda args: '{}', override=True)\n"
    path = shelf.write("taker", taking.format("one"))
    shelf.load()
    shelf.write("taker", taking.format("two"))
    shelf.refresh()
    assert shelf.call("mine") == "two"
    path.unlink()
    shelf.refresh()
    assert shelf.call("mine") == "theirs"


def test_what_the_old_version_registers_later_is_refused(shelf):
    old = "def again():\n    registry.register('now', 'w', {}, lambda args: 'old')\ndef register(ctx):\n    again()\n"
    shelf.write("weather", f"from handiwork import registry\n{old}")
    shelf.load()
    again = sys.modules["handiwork_plugins.weather"].again
    shelf.write("weather", tools(now="new"))
    shelf.refresh()
    again()
    assert shelf.call("now") == "new" and "newer version" in shelf.house.registry.rejections("now")[0].reason
