"""A whole `terminal` call beside a plain process and beside the anchor's tool: `python bench/terminal.py`.

The anchor has no sandbox here, so ours has none either, but for the last line.

Each figure comes from a process of its own, with an empty home. The anchor is measured in the environment
of `environments.py`, which is built on first use.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from environments import ANCHOR, python_of, version_in

PROBE = Path(__file__).with_name("terminal_probe.py")
ROWS = (
    ("call_ms", "one `echo hi`, ms"),
    ("call_p95_ms", "  p95"),
    ("plain_ms", "  a plain `bash -c` in the same run"),
    ("over_plain_ms", "  over that (bar: 3)"),
    ("own_cpu_ms", "  CPU of the calling process, ms"),
    ("plain_own_cpu_ms", "  a plain one's"),
    ("background_ms", "start in the background, ms"),
    ("growth_mib", "1 GiB of output: growth of memory, MiB (bar: 8)"),
    ("mb_per_s", "  MB/s"),
    ("shown_chars", "  characters answered"),
)


def measure(python: str, side: str, sandbox: str = "local") -> dict[str, float]:
    """All figures of one side; ours with commands in *sandbox*."""
    figures: dict[str, float] = {}
    for what in ("call", "background", "flood"):
        with tempfile.TemporaryDirectory() as home:
            Path(home, "config.yaml").write_text(f"sandbox: {{backend: {sandbox}}}\n" if side == "ours" else "")
            env = {**os.environ, "HANDIWORK_HOME": home, "HERMES_HOME": home}
            argv = [python, str(PROBE), side, what]
            said = subprocess.run(argv, env=env, capture_output=True, text=True, check=True)
            figures |= json.loads(said.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure both sides and print them side by side."""
    anchor = str(python_of(ANCHOR))
    print(f"{'':50}{'ours':>10}{ANCHOR.distribution + ' ' + version_in(Path(anchor), ANCHOR.distribution):>24}")
    ours, theirs = measure(sys.executable, "ours"), measure(anchor, "anchor")
    for name, label in ROWS:
        print(f"{label:50}{ours[name]:10.2f}{theirs[name]:24.2f}")
    sandboxed = measure(sys.executable, "ours", "auto")["over_plain_ms"]
    print(f"{'in the sandbox that this machine has, over plain, ms':50}{sandboxed:10.2f}")


if __name__ == "__main__":
    main()
