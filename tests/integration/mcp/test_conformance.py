"""The official conformance suite for clients, played by our host, in both ways of greeting a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp")

from ..packages import UnreachableError, modern_node, module_of, skip
from .hosts import HERE

pytestmark = pytest.mark.integration
BASELINE = str(HERE / "conformance_baseline.yml")
# Together all 26 scenarios. The single ones measure times: nothing runs beside them.
RUNS = (
    *(
        ("--scenario", name)
        for name in ("initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry")
    ),
    *(("--suite", name) for name in ("auth", "extensions", "draft", "backcompat")),
)
# The suite's servers listen on every interface: it runs where there are none.
ALONE = ("bwrap", "--unshare-net", "--dev-bind", "/", "/", "--proc", "/proc", "--die-with-parent")
BESIDE = """
"$1" -m tests.integration.mcp.conformance_client "$2" "$3" & served=$!
trap 'kill $served' EXIT
while [ ! -S "$2" ]; do kill -0 $served || exit 70; sleep 0.05; done
shift 3
while [ $# -gt 0 ]; do
  eval "$1" || exit 1
  shift
done
"""


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_all_scenarios_pass_but_the_one_that_is_explained(mode: str, tmp_path: Path):
    if not shutil.which("bwrap"):
        skip(UnreachableError("bwrap isn't installed"))
    try:
        suite = module_of("@modelcontextprotocol/conformance@0.1.16", "@modelcontextprotocol/conformance/dist/index.js")
        node = modern_node()
    except UnreachableError as unreachable:
        skip(unreachable)
    door = str(tmp_path / "door")
    client = f"{sys.executable} -S -E {HERE / 'conformance_call.py'} {door}"
    lines = [
        f"{node} {suite} client --command '{client}' {' '.join(run)}"
        + (f" --expected-failures {BASELINE}" if run[0] == "--suite" and run[1] == "backcompat" else "")
        for run in RUNS
    ]
    done = subprocess.run(
        [*ALONE, "bash", "-c", BESIDE, "bash", sys.executable, door, mode, *lines],
        cwd=Path(__file__).parents[3], capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    assert (done.stdout + done.stderr).count("OVERALL: PASSED") == 4, done.stderr[-3000:]
    results = [line for line in done.stdout.splitlines() if line.startswith(("✓ ", "✗ ", "~ "))]
    assert sum(line.startswith("✓") for line in results) == 21, results
