"""What a plugin can reach by the registry it is given: its own tools, what it may see, and the names of others."""

from __future__ import annotations

import importlib
import sys

import pytest

from handiwork import registry as default_registry

TOOL = """
from handiwork import tool

@tool(toolset="mine")
def mine() -> str:
    "Mine."
    return ""
"""


def test_its_tools_are_its_own_whatever_it_says(shelf):
    shelf.write("p", "from handiwork import registry\nregistry.register('a', 't', {}, str, origin='builtin')\n")
    shelf.load()
    assert shelf.house.registry.get("a").origin == "plugin:user/p"


def test_a_thread_of_its_own_is_it_as_well(shelf):
    shelf.write("p", "import threading\nfrom handiwork import registry, tool\ndef go():\n"
                "    registry.register('a', 't', {}, str)\n    tool(toolset='t')(b)\ndef b() -> str:\n    'B.'\n"
                "thread = threading.Thread(target=go)\nthread.start()\nthread.join()\n" + TOOL)  # fmt: skip
    assert shelf.load()["p"].tools == ("a", "b", "mine")
    assert {entry.origin for entry in shelf.house.registry.entries()} == {"plugin:user/p"}


@pytest.mark.parametrize(
    "meddling",
    [
        "registry.deregister('theirs')",
        "registry.register_toolset_check('others', lambda: False)",
        "registry.register_toolset_alias('others', 'mine')",
        "registry.register_toolset_alias('other-alias', 'mine')",
    ],
)
def test_what_others_have_it_leaves_alone(shelf, add, meddling):
    add("theirs", toolset="others")
    shelf.house.registry.register_toolset_alias("other-alias", "others")
    shelf.write("p", f"from handiwork import registry\n{TOOL}\n{meddling}\n")
    assert "errors.UsageError" in shelf.load()["p"].story
    registry = shelf.house.registry
    assert registry.get("theirs") and registry.aliases() == {"other-alias": "others"} and not registry._checks


def test_a_rejected_name_is_told_with_the_holder(shelf, add):
    add("taken", toolset="others")
    shelf.write("p", "from handiwork import registry\nregistry.register('taken', 't', {}, str)\n" + TOOL)
    assert shelf.load()["p"].tools == ("mine",)
    (rejection,) = shelf.house.registry.rejections("taken")
    assert rejection.origin == "plugin:user/p" and "others" in rejection.reason


def test_the_rest_of_our_modules_is_there(shelf):
    shelf.write("p", "import handiwork, handiwork.core.wire\nfrom handiwork import tool_error, Toolbox, __version__\n"
                "from handiwork.catalog.store import ToolRegistry, registry\nfrom handiwork.core.types import Traits\n"
                "assert handiwork.core.wire.dumps and handiwork.tool_result and handiwork.__name__ == 'handiwork'\n"
                + TOOL)  # fmt: skip
    assert shelf.load()["p"].error == ""
    assert importlib.import_module("handiwork").registry is default_registry


THEIRS = """
import model_tools
import tools.registry
import toolsets
from hermes_constants import get_hermes_home
from model_tools import coerce_tool_args, get_tool_definitions, handle_function_call
from tools import registry as module
from tools.registry import registry, tool_error, tool_result
from toolsets import create_custom_toolset, resolve_multiple_toolsets, resolve_toolset, validate_toolset

registry.register(name="one", toolset="mine", schema={"name": "one"}, handler=lambda args, **kw: tool_result(ok=True))
create_custom_toolset("pair", "Both.", ["one"])
assert registry.get_entry("one").toolset == registry.get_toolset_for_tool("one") == "mine"
assert registry.get_all_tool_names() == model_tools.get_all_tool_names() == ["one"]
assert registry.get_schema("one")["name"] == "one" and registry.get_emoji("one") == "⚡"
assert registry.get_tool_names_for_toolset("mine") == ["one"] and registry.get_registered_toolset_names() == ["mine"]
assert tools.registry.registry.get_entry("one") and module.tool_error("x") and get_hermes_home().name
"""


def test_names_of_theirs(shelf):
    shelf.write("p", THEIRS)
    loaded = shelf.load()["p"]
    assert (loaded.error, loaded.tools) == ("", ("one",))
    assert shelf.house.toolsets.resolve("pair") == ["one"] and shelf.call("one") == '{"ok": true}'
    assert not {"tools", "tools.registry", "toolsets", "model_tools", "hermes_constants"} & set(sys.modules)


def test_names_of_theirs_in_every_part_of_a_package(shelf):
    shelf.write("pack/part.py", "from tools.registry import registry, tool_result\ndef run(args, **kw):\n"
                "    from tools.registry import tool_error\n    return tool_result(part=True)\n")  # fmt: skip
    shelf.write("pack/__init__.py", "def register(ctx):\n    from .part import run\n"
                "    ctx.register_tool('parted', 'p', {}, run)\n")  # fmt: skip
    assert shelf.load()["pack"].error == "" and shelf.call("parted") == '{"part": true}'


def test_a_name_of_theirs_that_isn_t_here_is_told(shelf):
    shelf.write("p", "from toolsets import get_toolset_info\n" + TOOL)
    error = shelf.load()["p"].error
    assert "toolsets.get_toolset_info isn't there in Handiwork" in error and "resolve_toolset" in error


def test_the_context(shelf, tmp_path):
    shelf.write("pack/plugin.yaml", "name: pack\nversion: 1.2.0\nprovides_tools: [x]\n")
    shelf.write("pack/__init__.py", "def register(ctx):\n    global SEEN\n"
                "    SEEN = (ctx.manifest.name, ctx.manifest.version, ctx.manifest.author, ctx.profile_name,\n"
                "            hasattr(ctx, 'register_platform'), ctx.manifest.path)\n"
                "    ctx.register_command('/Greet Me', lambda text: text)\n")  # fmt: skip
    assert shelf.load()["pack"].error == ""
    seen = sys.modules["handiwork_plugins.pack"].SEEN
    assert seen == ("pack", "1.2.0", "", "default", False, str(shelf.folder / "pack"))
    assert list(shelf.house.ground.commands) == ["greet-me"]


def test_a_command_of_another_is_not_taken(shelf):
    for name in ("a", "b"):
        shelf.write(name, "def register(ctx):\n    ctx.register_command('same', str)\n")
    loaded = shelf.load()
    assert loaded["a"].error == "" and "/same is a's" in loaded["b"].error
