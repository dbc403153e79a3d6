"""Discovery: what counts as registering, what is never run, what is remembered."""

from __future__ import annotations

import ast
import json
import os

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from handiwork.catalog import discovery
from handiwork.catalog.discovery import CACHE_VERSION, Scanner, read_style


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "style"),
    [
        ("registry.register(name='x')", "statement"),
        ("import a\nregistry.register(\n  name='x')\n", "statement"),
        ("@tool(toolset='d')\ndef f(): ...", "statement"),
        ("@tool\nasync def f(): ...", "statement"),
        ("import handiwork\n@handiwork.tool(toolset='d')\ndef f(): ...", "statement"),
        ("def register(ctx):\n  ctx.register_tool()", "context"),
        ("def later():\n  registry.register(name='x')", "none"),
        ("if True:\n  registry.register(name='x')", "none"),
        ("x = 'registry.register(name)'", "none"),
        ("# registry.register(name='x')", "none"),
        ("print('no tool')", "none"),
        ("def register(): pass", "none"),
        ("@tools.other\ndef f(): ...", "none"),
        ("registry.register(", "unreadable"),
        ("@tool\n\x00", "unreadable"),
        ("x = 1; registry.register(name='x')", "statement"),
        ("\tx = (", "none"),
        ("(registry).register(name='x')", "statement"),
        ("\\\nregistry.register(name='x')", "statement"),
    ],
)
def test_how_a_file_registers(tmp_path, text, style):
    assert read_style(str(write(tmp_path, "f.py", text)))[0] == style


def test_found_in_sorted_order_with_packages_and_without_private_files(tmp_path):
    for name in ("b.py", "a.py", "_private.py", ".hidden.py", "pack/__init__.py", "plain/readme.txt", "note.txt"):
        write(tmp_path, name, "registry.register(name='x')")
    assert [f.name for f in Scanner().scan(str(tmp_path))] == ["a", "b", "pack"]


def test_a_folder_that_is_not_there_is_empty(tmp_path):
    assert Scanner().scan(str(tmp_path / "nope")) == []


def test_an_unchanged_file_is_not_read_again(tmp_path):
    cache = str(tmp_path / "cache" / "discovery.json")
    path = write(tmp_path / "p", "a.py", "registry.register(name='x')")
    first = Scanner(cache)
    first.scan(str(tmp_path / "p"))
    first.save()
    known = json.loads((tmp_path / "cache" / "discovery.json").read_text())
    known["files"][str(path)][2] = "none"  # so that it shows whether the memory was used
    (tmp_path / "cache" / "discovery.json").write_text(json.dumps(known))
    assert Scanner(cache).scan(str(tmp_path / "p"))[0].style == "none"
    os.utime(path, (1, 1))
    assert Scanner(cache).scan(str(tmp_path / "p"))[0].style == "statement"


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"version": 99, "files": {}}', f'{{"version": {CACHE_VERSION}, "files": {{"a": [1]}}}}']
)
def test_a_damaged_memory_is_an_empty_one(tmp_path, damage):
    cache = write(tmp_path, "c/discovery.json", damage)
    write(tmp_path / "p", "a.py", "registry.register(name='x')")
    scanner = Scanner(str(cache))
    assert scanner.scan(str(tmp_path / "p"))[0].style == "statement"
    scanner.save()
    assert json.loads(cache.read_text())["version"] == CACHE_VERSION


def test_a_home_that_cannot_be_written_is_only_slower(tmp_path):
    write(tmp_path / "p", "a.py", "registry.register(name='x')")
    scanner = Scanner("/proc/no/such/folder/discovery.json")
    assert scanner.scan(str(tmp_path / "p"))[0].style == "statement"
    scanner.save()


PIECES = st.sampled_from(
    ["registry", ".register(", "name='x')", ")", "(", "\n", "\r\n", "; ", "\\\n", "  ", "#", '"""', "@tool", "@tool()",
     "def f(): ...", "def register(ctx): ...", "class C: ...", "x = 1", "pass", "if x:", "\f", "\ufeff"]
)  # fmt: skip


@example("\ufeffdef register(ctx): ...")
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PIECES, max_size=8).map("".join))
def test_the_quick_look_never_misses_what_the_parser_finds(text):
    try:
        body = ast.parse(text.encode()).body
    except (SyntaxError, ValueError):
        return
    if any(discovery._is_registration(node) or discovery._is_register_function(node) for node in body):
        assert discovery._MAY_REGISTER.search(text.encode())
