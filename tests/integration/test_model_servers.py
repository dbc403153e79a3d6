"""All three wires against a real mock server of another author, which also drops, garbles and refuses."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from handiwork.agent.loop import Agent
from handiwork.agent.spending import Budget
from handiwork.backends.models.anthropic import AnthropicModel
from handiwork.backends.models.exchange import Endpoint, HttpModel
from handiwork.backends.models.gemini import GeminiModel
from handiwork.backends.models.history import valid_history
from handiwork.backends.models.openai import OpenAIModel
from handiwork.backends.models.retry import Retry
from handiwork.catalog.dialects.definitions import Definer
from handiwork.core.errors import HandiworkError
from handiwork.core.types import Scope
from handiwork.pipeline.line import Pipeline

from .packages import UnreachableError, program_of, skip

pytestmark = pytest.mark.integration
WIRES: dict[str, tuple[type[HttpModel], str]] = {
    "openai": (OpenAIModel, "/v1"),
    "anthropic": (AnthropicModel, "/v1"),
    "gemini": (GeminiModel, "/v1beta"),
}
FIXTURES = {
    "fixtures": [
        {
            "match": {"userMessage": "add them", "turnIndex": 0},
            "response": {
                "content": "I add.",
                "toolCalls": [{"name": "calculate", "arguments": json.dumps({"expression": "2+3"})}],
            },
        },
        {"match": {"userMessage": "add them", "turnIndex": 1}, "response": {"content": "It is 5."}},
    ]
}
FAULTS = ("drop", "malformed", "disconnect", "ratelimit")
ROUNDS = 8
Serve = Callable[..., str]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """Starts servers with faults at a rate; gives the address of each."""
    try:
        program = program_of("@copilotkit/aimock@1.43", "llmock")
    except UnreachableError as unreachable:
        skip(unreachable)
    fixtures = tmp_path_factory.mktemp("aimock") / "fixtures.json"
    fixtures.write_text(json.dumps(FIXTURES))
    started: list[subprocess.Popen[bytes]] = []

    def start(**rates: float) -> str:
        port = free_port()
        chaos = [part for fault, rate in rates.items() for part in (f"--chaos-{fault}", str(rate))]
        command = [str(program), "-p", str(port), "-h", "127.0.0.1", "-f", str(fixtures), "--strict", *chaos]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_for(port)
        return f"http://127.0.0.1:{port}"

    yield start
    for process in started:
        process.kill()
        process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("the server doesn't listen")


def agent_for(wire: str, address: str, pipeline: Pipeline) -> Agent:
    kind, path = WIRES[wire]
    model = kind(
        Endpoint(address + path, "m1", "k", connect_s=5, idle_s=5, retry=Retry(most=2, first_s=0.01, cap_s=0.05))
    )
    definitions = pipeline.registry.get_definitions(pipeline.registry.names())
    shown = Definer().of(definitions, model.dialect).definitions
    return Agent(model, pipeline, Scope(cwd="/"), supply=lambda: shown, budget=Budget(max_steps=6, max_seconds=30))


@pytest.fixture
def calculating(add: Callable[..., None], pipeline: Pipeline) -> list[str]:
    """Puts a tool in; the expressions that it was really called with."""
    ran: list[str] = []

    def calculate(args: dict[str, str]) -> dict[str, int]:
        ran.append(args["expression"])
        return {"result": 5}

    add("calculate", calculate, properties={"expression": {"type": "string"}}, required=["expression"])
    return ran


@pytest.mark.parametrize("wire", WIRES)
def test_a_call_and_its_answer(
    wire: str, serve: Callable[..., str], pipeline: Pipeline, calculating: list[str]
) -> None:
    agent = agent_for(wire, serve(), pipeline)
    outcome = asyncio.run(agent.run("add them"))
    assert (outcome.ending, outcome.answer, calculating) == ("answered", "It is 5.", ["2+3"])
    assert outcome.usage.output_tokens >= 0


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_end_cleanly(fault: str, serve: Serve, pipeline: Pipeline, calculating: list[str]) -> None:
    """A third of the requests go wrong: each run ends with an answer or with one line, and its history is valid."""
    address, ends = serve(**{fault: 0.35}), {"answered": 0, "told": 0}
    for wire in WIRES:
        for _ in range(ROUNDS):
            agent = agent_for(wire, address, pipeline)
            calculating.clear()
            try:
                outcome = asyncio.run(agent.run("add them"))
                assert outcome.answer == "It is 5." and calculating == ["2+3"]
                ends["answered"] += 1
            except HandiworkError as error:
                assert str(error).strip() and "\n" not in str(error)
                ends["told"] += 1
            messages = agent.conversation.messages
            assert [m["role"] for m in valid_history(messages)] == [m["role"] for m in messages]
    assert ends["answered"] > 0 and sum(ends.values()) == len(WIRES) * ROUNDS


@pytest.mark.parametrize("fault", ["malformed", "disconnect"])
def test_where_no_answer_was_given_the_exit_code_says_so(fault: str, serve: Serve, tmp_path: Path) -> None:
    variables = {
        **os.environ,
        "HANDIWORK_HOME": str(tmp_path),
        "HANDIWORK_BASE_URL": serve(**{fault: 1.0}) + "/v1",
        "HANDIWORK_API_KEY": "k",
    }
    command = [sys.executable, "-m", "handiwork", "run", "add them", "--model", "openai/m1", "--toolsets", "utility"]
    ran = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=60, check=False)
    assert ran.returncode == 1 and not ran.stdout
    assert ran.stderr.startswith("error: model m1 at 127.0.0.1") and "Traceback" not in ran.stderr
