"""What servers do wrong: each fault costs no more than it must, and is told."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from .faulty_peer import MODES
from .hosts import Ground, faulty, grounded, is_running, wait_until

pytestmark = pytest.mark.integration
TIMEOUT_S = 1.5
NEVER = {"exit0": "failed", "crash_start": "failed", "hang_init": "failed", "futver": "incompatible"}
DEGRADED = {"loopcursor", "dup", "badschema", "oneBad", "longname"}
# What the first call answers, where that isn't "ok": whether it is an error, and words in it.
FIRST = {
    "crash_call": (True, "outcome is unknown"),
    "hang_call": (True, "told to stop"),
    "stubborn": (True, "told to stop"),
    "u2028": (False, "a\u2028b\u0085c"),
    "huge": (True, "50,000,082 bytes"),
    "huge1": (True, "50,000,082 bytes"),
    "structbad": (False, "output_invalid"),
    "iserr": (True, "RATE_LIMITED"),
    "rpcerr": (True, "boom"),
    "nullres": (True, "no result"),
    "nocontent": (False, ""),
    "unkcontent": (False, "'video'"),
    "env": (False, "PATH"),
}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    home = tmp_path_factory.mktemp("faults")
    notes = {mode: {"PEER_NOTES": str(home / f"{mode}.pids")} for mode in MODES}
    limits = {m: 3.0 if m == "slow" else TIMEOUT_S for m in MODES}
    servers = {m: faulty(m, timeout=limits[m], connect_timeout=6.5, env=notes[m]) for m in MODES}
    os.environ["HANDIWORK_TEST_CANARY"] = "canary"
    with grounded(servers, home) as made:
        began = time.monotonic()
        made.host.begin()
        assert time.monotonic() - began < 0.1  # nobody waits for servers
        made.host.check(MODES)
        yield made
    del os.environ["HANDIWORK_TEST_CANARY"]


def first_tool(ground: Ground, mode: str) -> str:
    return next(iter(ground.host.offering.shelf(mode).offered))


@pytest.mark.parametrize("mode", MODES)
def test_every_server_is_in_a_state_that_says_what_is_amiss(ground: Ground, mode: str):
    state = ground.host.state(mode)
    expected = NEVER.get(mode) or ("degraded" if mode in DEGRADED else "connected")
    assert state.name == expected, state
    assert bool(state.reason) == (expected != "connected")


@pytest.mark.parametrize("mode", [m for m in MODES if m not in NEVER])
def test_a_call_ends_in_time_and_the_next_one_works(ground: Ground, mode: str):
    is_error, words = FIRST.get(mode, (False, "ok"))
    name = first_tool(ground, mode)
    result, seconds = ground.timed(name)
    assert (result.is_error, words in result.content) == (is_error, True), result.content[:500]
    assert seconds < (3.0 if mode == "slow" else TIMEOUT_S + 1)
    ground.host.settle()
    again, seconds = ground.timed(name)
    if mode in ("hang_call", "stubborn", "huge1"):
        assert again.content == "ok" and seconds < 1
    elif mode == "lc":
        assert again.status == "refused" and "held until you agree" in again.content
    elif mode != "crash_call":
        assert (again.is_error, again.content) == (result.is_error, result.content)


def test_the_reason_of_a_server_that_ends_holds_its_exit_code_and_last_words(ground: Ground):
    assert "exit code 3" in ground.host.state("crash_start").reason
    assert "missing API_KEY" in ground.host.state("crash_start").reason
    assert "exit code 0" in ground.host.state("exit0").reason


def test_kinds_of_failures_are_told_apart(ground: Ground):
    kinds = {
        m: json.loads(ground.call(first_tool(ground, m)).content)["kind"] for m in ("iserr", "rpcerr", "crash_call")
    }
    assert kinds == {"iserr": "tool", "rpcerr": "protocol", "crash_call": "transport"}
    reported = json.loads(ground.call(first_tool(ground, "iserr")).content)
    assert reported["structured"] == {"code": "RATE_LIMITED", "retry_after": 30}


def test_one_bad_tool_costs_that_tool_only(ground: Ground):
    shelf = ground.host.offering.shelf("badschema")
    assert [d.tool for d in shelf.offered.values()] == ["go"]
    assert {r.tool for r in shelf.refused} == {"noschema", "s2", "s3"}
    missed = ground.registry.missed("mcp__badschema__noschema")
    assert missed is not None and "inputSchema is missing" in missed.reason


def test_all_pages_are_read_and_a_list_without_an_end_is_left(ground: Ground):
    assert len(ground.host.offering.shelf("pages").offered) == 50
    assert [d.tool for d in ground.host.offering.shelf("loopcursor").offered.values()] == ["a", "b"]


def test_odd_names_become_names_that_providers_take(ground: Ground):
    offered = ground.host.offering.shelf("longname").offered
    assert {d.tool for d in offered.values()} == {"n" * 200, "has space", "数据", "a/b"}
    assert all(len(name) <= 64 and name.isascii() for name in offered)


def test_a_child_sees_what_is_allowed_and_nothing_else(ground: Ground):
    seen = json.loads(ground.call(first_tool(ground, "env")).content)
    assert "PATH" in seen and "HANDIWORK_TEST_CANARY" not in seen
    assert seen["PEER_NOTES"].endswith("env.pids")


def test_a_hint_lifts_no_gate(ground: Ground):
    entry = ground.registry.get(first_tool(ground, "extra"))
    assert entry is not None and entry.traits.resolved_effect() == "write" and not entry.traits.read_only


def test_what_a_server_writes_on_standard_error_is_kept_but_not_for_ever(ground: Ground):
    ground.call(first_tool(ground, "flood"))
    path = Path(ground.host.log_path("flood"))
    assert wait_until(lambda: path.exists() and path.stat().st_size > 0)
    assert path.stat().st_size + Path(f"{path}.1").stat().st_size <= 1_100_000


def test_nothing_of_a_server_is_left_when_it_is_closed(tmp_path: Path):
    modes = ("plain", "stubborn", "grandchild", "setsid")
    servers = {m: faulty(m, env={"PEER_NOTES": str(tmp_path / m)}) for m in modes}
    with grounded(servers, tmp_path) as made:
        made.host.check(modes)
        pids = [int(pid) for m in modes for pid in (tmp_path / m).read_text().split()]
        assert len(pids) == 6 and all(map(is_running, pids))
        began = time.monotonic()
        made.host.close()
        assert time.monotonic() - began < 3.5
    assert wait_until(lambda: not any(map(is_running, pids)), 1), pids


def test_a_silent_probe_is_waited_for_once(tmp_path: Path):
    for most in (5.0, 1.5):  # interpreters start in here, too
        with grounded({"quiet": faulty("hang_discover")}, tmp_path) as made:
            began = time.monotonic()
            made.host.check(["quiet"])
            assert made.host.state("quiet").name == "connected"
            assert time.monotonic() - began < most
