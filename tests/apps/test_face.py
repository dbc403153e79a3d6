"""What `import handiwork` gives, and what it doesn't load."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import handiwork

AT_IMPORT = {"registry", "tool", "tool_error", "tool_result", "ToolEntry", "ToolRegistry"}
LATE = {
    "adapt_schema", "Toolbox", "call_tool", "coerce_tool_args", "create_custom_toolset", "discover",
    "get_tool_definitions", "handle_function_call", "instrument", "repair_arguments", "resolve_toolset", "run_turn",
}  # fmt: skip
HEAVY = ("asyncio", "pydantic", "httpx", "yaml", "subprocess", "argparse", "logging", "opentelemetry")


@pytest.fixture
def fresh(surroundings, tmp_path):
    """Runs Python lines in a new process; what they print as JSON."""

    def run(code, **variables):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True, text=True, cwd=tmp_path, env=surroundings | variables, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


def loaded_after(code):
    return f"import sys, json\n{code}\nprint(json.dumps([m for m in {HEAVY} if m in sys.modules]))"


def test_import_binds_six_names_and_discovers_nothing(fresh):
    names, tools = fresh(
        "import json, handiwork\n"
        "names = [n for n in vars(handiwork) if n in handiwork.__all__]\n"
        "print(json.dumps([names, list(handiwork.registry.names())]))"
    )
    assert set(names) == AT_IMPORT and tools == []


def test_import_loads_nothing_heavy(fresh):
    assert fresh(loaded_after("import handiwork")) == []


@pytest.mark.parametrize(
    "words",
    [["tools", "list"], ["tools", "list", "--json"], ["why", "read_file"], ["tools", "definitions"], ["--version"],
     ["--help"], ["tools", "call", "calculate", "expression=1"], ["toolsets", "list"]],
    ids=" ".join,
)  # fmt: skip
def test_quick_commands_load_nothing_heavy(fresh, words):
    loaded = fresh(loaded_after(f"from handiwork.__main__ import main\nmain({words!r})"))
    assert set(loaded) <= {"argparse"}


def test_a_configuration_costs_yaml_only(fresh, configure):
    configure("max_steps: 3\n")
    loaded = fresh(loaded_after("from handiwork.__main__ import main\nmain(['tools', 'list'])"))
    assert set(loaded) <= {"argparse", "yaml"}


def test_every_name_that_is_promised_is_there():
    assert set(handiwork.__all__) == AT_IMPORT | LATE <= set(dir(handiwork))
    for name in handiwork.__all__:
        assert getattr(handiwork, name).__doc__ or name == "registry"
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = handiwork.nothing_like_it


def test_discover_names_modules_and_can_be_repeated(fresh, plugin):
    plugin("mine", 'from handiwork import tool\n@tool(toolset="mine")\ndef hi() -> str:\n    "Hi."\n    return ""\n')
    plugin("broken", "from handiwork import registry\n1/0\nregistry.register()\n")
    first, second, generation = fresh(
        "import json, handiwork\n"
        "a = handiwork.discover(); g = handiwork.registry.generation\n"
        "b = handiwork.discover()\n"
        "print(json.dumps([a, b, handiwork.registry.generation == g]))"
    )
    assert first == second and generation and first[-1] == "mine" and "broken" not in first
    assert any("file" in name for name in first)


@pytest.mark.integration
def test_functions_discover_by_themselves(fresh):
    for call in (
        "handiwork.get_tool_definitions(['utility'])[0]['function']['name']",
        "handiwork.resolve_toolset('utility')[0]",
        "handiwork.Toolbox().definitions(toolsets=['utility'])[0]['function']['name']",
        "handiwork.Toolbox().why('calculate').tool",
    ):
        assert fresh(f"import json, handiwork\nprint(json.dumps({call}))") == "calculate"
    said = fresh("import handiwork\nprint(handiwork.handle_function_call('calculate', {'expression': '6*7'}))")
    assert said["result"] == 42


def test_the_first_calls_may_come_from_many_threads(fresh):
    answers = fresh(
        "import json, threading, handiwork\n"
        "gate, said = threading.Barrier(8), []\n"
        "def call():\n"
        "    gate.wait()\n"
        "    said.append(handiwork.handle_function_call('calculate', {'expression': '6*7'}))\n"
        "threads = [threading.Thread(target=call) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(json.dumps(said))"
    )
    assert len(answers) == 8 and all("42" in a for a in answers)


def test_a_plugin_may_call_back_while_it_loads(fresh, plugin):
    plugin(
        "curious",
        "import handiwork\nfrom handiwork import tool\nSEEN = handiwork.handle_function_call('calculate', "
        "{'expression': '6*7'})\n@tool(toolset='curious')\ndef seen() -> str:\n    'Seen.'\n    return SEEN\n",
    )
    assert "42" in str(fresh("import handiwork\nprint(handiwork.handle_function_call('seen', {}))"))


@pytest.mark.integration
def test_a_child_of_a_fork_works_too(fresh):
    code = """
import json, os, handiwork
def calls():
    return [handiwork.handle_function_call(n, a) for n, a in (
        ("calculate", {"expression": "6*7"}), ("terminal", {"command": "echo 42"}), ("wait", {}))]
@handiwork.tool(toolset="mine")
async def wait() -> str:
    "Wait."
    import asyncio
    await asyncio.sleep(0.01)
    return "42"
before = calls()
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, json.dumps(calls()).encode())
    os._exit(0)
os.close(write)
in_child = json.loads(open(read).read())
os.wait()
print(json.dumps([before, in_child, calls()]))
"""
    before, in_child, after = fresh(code)
    for said in (before, in_child, after):
        assert len(said) == 3 and all("42" in one and "error" not in one for one in said), said
