"""A well-behaved server over every transport and in both eras: calls, loss, return, changes, cancelling."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from handiwork.core.cancel import CancelToken
from handiwork.core.types import Progress, Scope, ToolCall
from handiwork.sources.mcp.settings import read_servers

from .hosts import FAULTY, Ground, free_port, grounded, is_running, peer, serving, wait_until

pytestmark = pytest.mark.integration
KINDS = ("stdio", "stdio-legacy", "http", "http-legacy", "sse")


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    kind: str = request.param
    return kind


@pytest.fixture(scope="module")
def running(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Ground, Path]]:
    """One server named `p`, over *kind*, and the file of its notes."""
    home = tmp_path_factory.mktemp(kind)
    notes = home / "notes"
    if kind.startswith("stdio"):
        servers = {"p": peer(env={"PEER_NOTES": str(notes)}, timeout=10)}
        remember_era(servers, home, kind)
        with grounded(servers, home) as made:
            yield connected(made), notes
        return
    port = free_port()
    path = "sse" if kind == "sse" else "mcp"
    servers = {"p": {"url": f"http://127.0.0.1:{port}/{path}", "timeout": 10}}
    remember_era(servers, home, kind)
    with serving(kind.removesuffix("-legacy"), port, notes), grounded(servers, home) as made:
        yield connected(made), notes


@pytest.fixture
def notes(running: tuple[Ground, Path]) -> Path:
    running[1].write_text("")
    return running[1]


@pytest.fixture
def ground(running: tuple[Ground, Path]) -> Iterator[Ground]:
    supervisor = running[0].host.supervisor("p")
    before = supervisor.settings
    yield running[0]
    supervisor.settings = before


def remember_era(servers: dict[str, Any], home: Path, kind: str) -> None:
    if kind.endswith("-legacy"):
        (home / "mcp").mkdir()
        (home / "mcp" / "eras.json").write_text(json.dumps({read_servers(servers)[0].identity: time.time()}))


def connected(ground: Ground) -> Ground:
    ground.host.check(["p"])
    assert ground.host.state("p").name == "connected", ground.host.state("p")
    return ground


def test_calls_errors_pictures_and_the_era(ground: Ground, kind: str):
    assert ground.call("mcp__p__echo", text="hé\u2028").content == "hé\u2028"
    failed = json.loads(ground.call("mcp__p__fail").content)
    assert failed["kind"] == "tool" and "it broke" in failed["error"]
    result = ground.call("mcp__p__picture")
    assert result.artifacts[0].mime == "image/png" and result.artifacts[0].data.startswith(b"\x89PNG")
    speaks = ground.host.supervisor("p").connection
    assert speaks is not None
    assert speaks.speaks == ("2026-07-28" if kind in ("stdio", "http") else "2025-11-25")


def test_a_long_result_is_kept_whole_in_a_file(ground: Ground, kind: str):
    result = ground.call("mcp__p__big", size=400_000)
    assert result.kept and len(Path(result.kept).read_text()) == 400_000
    assert result.labels[0].integrity == "outside" and result.text.startswith("<<data ")


def test_calls_run_beside_each_other(ground: Ground):
    began = time.monotonic()
    threads = [threading.Thread(target=ground.call, args=("mcp__p__slow",), kwargs={"seconds": 0.6}) for _ in range(6)]
    for thread in threads:
        thread.start()
    assert ground.timed("mcp__p__echo", text="x")[1] < 0.5
    for thread in threads:
        thread.join()
    assert time.monotonic() - began < 2.5


def test_progress_is_heard_and_keeps_a_call_alive(ground: Ground):
    heard: list[Progress] = []
    ground.host.supervisor("p").settings = read_servers({"p": {"command": "x", "timeout": 0.6}})[0]
    scope = Scope(on_progress=lambda call, progress: heard.append(progress))
    call = ToolCall("mcp__p__steps", {"count": 5, "each": 0.3}, scope=scope)
    assert ground.pipeline.run(call).content == "done"
    assert wait_until(lambda: len(heard) == 5, 1)
    assert heard[-1] == Progress("step 5", 1.0)


@pytest.mark.parametrize("how", ["cancel", "timeout", "deadline"])
def test_a_call_that_is_given_up_is_cancelled_at_the_server(ground: Ground, notes: Path, how: str):
    cancel = CancelToken()
    scope = Scope(cancel=cancel, deadline=time.monotonic() + 0.7 if how == "deadline" else None)
    if how == "timeout":
        ground.host.supervisor("p").settings = read_servers({"p": {"command": "x", "timeout": 0.7}})[0]
    if how == "cancel":
        threading.Timer(0.7, cancel.cancel).start()
    began = time.monotonic()
    result = ground.pipeline.run(ToolCall("mcp__p__slow", {"seconds": 20}, scope=scope))
    assert result.is_error and time.monotonic() - began < 2
    assert wait_until(lambda: "cancelled" in notes.read_text(), 3)
    assert ground.call("mcp__p__echo", text="next").content == "next"


def test_a_new_tool_is_there_for_the_next_model_call(ground: Ground, kind: str):
    if kind == "sse":
        pytest.skip("each connection to this server is a process of its own")
    generation = ground.registry.generation
    ground.call("mcp__p__grow")
    assert wait_until(
        lambda: ground.host.supervisor("p").is_changing() or "mcp__p__grown" in ground.registry.names(), 1
    )
    ground.host.settle()
    assert "mcp__p__grown" in ground.registry.names() and ground.registry.generation > generation
    assert ground.call("mcp__p__grown").content == "new"


def test_a_tool_that_says_it_destroys_asks(ground: Ground):
    result = ground.call("mcp__p__wipe")
    assert result.status == "refused" and "may not be undone" in result.content


@pytest.mark.parametrize("trust", [False, True])
def test_what_was_begun_is_only_repeated_where_it_is_known_to_be_harmless(tmp_path: Path, trust: bool):
    notes = tmp_path / "notes"
    with grounded({"p": peer(env={"PEER_NOTES": str(notes)}, trust=trust)}, tmp_path) as ground:
        connected(ground)
        committed = json.loads(ground.call("mcp__p__commit").content)
        assert committed["outcome"] == "unknown" and "exit code 7" in committed["error"]
        looked = ground.call("mcp__p__look")
        assert looked.content == "seen" if trust else "unknown" in looked.content
        assert ground.call("mcp__p__echo", text="back").content == "back"
        assert notes.read_text().split() == ["committed", "looked", *(["looked"] if trust else [])]


def test_a_program_that_is_killed_comes_back(tmp_path: Path):
    with grounded({"p": peer()}, tmp_path) as ground:
        connected(ground)
        before = int(ground.call("mcp__p__pid").content)
        os.kill(before, signal.SIGKILL)
        supervisor = ground.host.supervisor("p")
        assert wait_until(lambda: pid_of(supervisor) != before)  # until then a call may still be sent to it
        after = ground.call("mcp__p__pid")
        assert not after.is_error and int(after.content) != before


@pytest.mark.parametrize("way", ["http", "http-legacy", "http-json"])
def test_a_web_service_that_was_away_is_used_at_once(tmp_path: Path, way: str):
    port = free_port()
    servers = {"p": {"url": f"http://127.0.0.1:{port}/mcp"}}
    remember_era(servers, tmp_path, way)
    with grounded(servers, tmp_path) as ground:
        with serving(way.removesuffix("-legacy"), port) as process:
            connected(ground)
            before = ground.call("mcp__p__pid").content
            process.kill()
        away = json.loads(ground.call("mcp__p__pid").content)
        assert "can't be reached" in away["error"]
        with serving(way.removesuffix("-legacy"), port):
            after = ground.call("mcp__p__pid")
            assert not after.is_error and after.content != before


def test_fifty_returns_leave_one_child(tmp_path: Path):
    with grounded({"p": {"command": sys.executable, "args": ["-c", COUNTS]}}, tmp_path) as ground:
        ground.host.check(["p"])
        supervisor = ground.host.supervisor("p")
        pids: set[int] = set()
        for _ in range(50):
            assert wait_until(lambda: (pid := pid_of(supervisor)) is not None and pid not in pids)
            pids.add(pid_of(supervisor) or 0)
            supervisor._failures = 0  # as after a minute of service
            os.kill(pid_of(supervisor) or 0, signal.SIGKILL)
        assert wait_until(lambda: sum(map(is_running, pids)) == 0 and pid_of(supervisor) not in pids)


# A server that starts in a moment: no SDK.
COUNTS = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    if m["method"] == "initialize":
        about = {"name": "n", "version": "1"}
        r = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": about}
    elif m["method"] == "tools/list": r = {"tools": []}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
"""


def pid_of(supervisor: Any) -> int | None:
    connection = supervisor.connection
    return connection.pid if connection and not connection.lost.is_set() else None


HOST = """
import sys, time
sys.path.insert(0, sys.argv[1])
from handiwork.catalog.store import ToolRegistry
from handiwork.sources.mcp.host import Host
from handiwork.sources.mcp.settings import read_servers
peer, notes, *modes = sys.argv[2:]
servers = {m: {"command": sys.executable, "args": [peer, m], "env": {"PEER_NOTES": f"{notes}/{m}"}} for m in modes}
host = Host(ToolRegistry(), read_servers(servers))
host.check(modes)
print("up", flush=True)
time.sleep(60)
"""


def test_nothing_is_left_of_a_host_that_was_killed(tmp_path: Path):
    modes = ("plain", "stubborn", "grandchild", "setsid")
    source = str(Path(__file__).parents[3] / "src")
    command = [sys.executable, "-c", HOST, source, FAULTY, str(tmp_path), *modes]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        pids = [int(pid) for mode in modes for pid in (tmp_path / mode).read_text().split()]
        assert len(pids) == 6 and all(map(is_running, pids))
        process.kill()
    assert wait_until(lambda: not any(map(is_running, pids)), 5), pids
