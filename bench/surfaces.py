"""How the guard judges addresses, paths, secrets and outside text: `python bench/surfaces.py FOLDER [--peers]`.

FOLDER holds any of `ssrf.jsonl`, `paths.jsonl`, `secrets.jsonl` and `injection.jsonl` in the form that `handiwork guard
report` keeps. Nothing is fetched; paths are made in temporary folders, by the `setup` that a row names. For each kind
(`trick`, `format`, `kind`) it prints how many rows are met, and which are missed. With `--peers` Hermes Agent's own
functions judge the same rows in its environment.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import environments
from surfaces_probe import JUDGES, SURFACES, Row, judge_rows

HERE = Path(__file__).resolve().parent
Met = dict[str, list[bool]]


def corpora(folder: Path) -> dict[str, list[Row]]:
    """The rows of each surface; a file that isn't there is empty."""
    return {
        name: [json.loads(line) for line in path.read_text("utf-8").splitlines() if line] if path.exists() else []
        for name, (file, _) in SURFACES.items()
        for path in [folder / file]
    }


def by_peer(python: str, rows: dict[str, list[Row]]) -> Met:
    """Judged by the peer's own interpreter."""
    command = [python, str(HERE / "surfaces_probe.py"), "hermes"]
    done = subprocess.run(command, input=json.dumps(rows), capture_output=True, text=True, check=True, timeout=600)
    found: Met = json.loads(done.stdout.splitlines()[-1])
    return found


def table(rows: list[Row], key: str, met: dict[str, list[bool]]) -> list[tuple[str, int, dict[str, str]]]:
    """For each kind: how many rows, and how many each judge met."""
    groups: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        groups[f"{row['expect']}: {row.get(key) or 'other'}"].append(number)
    return [
        (name, len(at), {who: _share(found, at) for who, found in met.items()}) for name, at in sorted(groups.items())
    ]


def _share(found: list[bool], at: list[int]) -> str:
    return f"{sum(found[number] for number in at)}/{len(at)}"


def show(rows: dict[str, list[Row]], judged: dict[str, Met], *, kinds: bool) -> None:
    """Print the figures, and what we miss."""
    print(f"{'surface':34}{'rows':>6}" + "".join(f"{who:>12}" for who in judged))
    for name, (_, key) in SURFACES.items():
        met = {who: found[name] for who, found in judged.items()}
        whole = list(range(len(rows[name])))
        print(f"{name:34}{len(whole):>6}" + "".join(f"{_share(found, whole):>12}" for found in met.values()))
        for kind, count, shares in table(rows[name], key, met) if kinds else []:
            print(f"  {kind[:32]:32}{count:>6}" + "".join(f"{share:>12}" for share in shares.values()))
        for row, fine in zip(rows[name], met["ours"], strict=True):
            if not fine:
                print(f"    missed: {row['expect']} {row.get(key)}: {json.dumps(_gist(row), ensure_ascii=False)[:100]}")


def _gist(row: Row) -> Any:
    return row.get("url") or row.get("path") or row.get("text")


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--peers", action="store_true")
    asked.add_argument("--brief", action="store_true", help="without the kinds")
    asked.add_argument("--json", type=Path)
    said = asked.parse_args()
    rows = corpora(said.folder)
    judged = {"ours": judge_rows(JUDGES["ours"](), rows)}
    if said.peers:
        judged["hermes"] = by_peer(str(environments.python_of(environments.ANCHOR)), rows)
    show(rows, judged, kinds=not said.brief)
    if said.json:
        said.json.write_text(json.dumps(judged))
    return 0


if __name__ == "__main__":
    sys.exit(main())
