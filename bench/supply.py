"""Does supplying fewer tools help? One call a question: with all tools, with those found, with one group.

python bench/supply.py --models local/qwen2.5-coder-0.5b local/qwen2.5-coder-1.5b --count 24 12 --json supply.json
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import json
import os
import platform
import sys
import time
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "src"))

from search_data import BFCL, FOLDER, fetch
from supply_data import CONDITIONS, FOUND, GROUP, Asked, Shelf, sample
from supply_table import HEADINGS, cells, markdown, pairs, write_into
from table import aligned

from handiwork.backends.models.table import Place, open_model
from handiwork.core.errors import ModelError
from handiwork.core.types import Model, ModelRequest

SYSTEM = "Use exactly one tool: the one that does what the user asks for, with the arguments that the user gives."
MOST_TOKENS = 320
Row = dict[str, Any]


class Record:
    """The rows so far, in a file after each of them, so that a stop loses nothing."""

    def __init__(self, path: Path | None, setting: dict[str, Any]) -> None:
        self._path, self._setting = path, setting
        self.rows: list[Row] = []
        if path is not None and path.exists():
            before = json.loads(path.read_text(encoding="utf-8"))
            self.rows = before["rows"] if before["setting"] == setting else []

    def holds(self, model: str, condition: str, question: str) -> bool:
        return any((r["model"], r["supplied"], r["question"]) == (model, condition, question) for r in self.rows)

    def add(self, row: Row) -> None:
        self.rows.append(row)
        if self._path is not None:
            self._path.write_text(json.dumps({"setting": self._setting, "rows": self.rows}, indent=1), "utf-8")

    def of(self, model: str, condition: str) -> list[Row]:
        return [row for row in self.rows if (row["model"], row["supplied"]) == (model, condition)]


async def ask(model: Model, shelf: Shelf, asked: Asked, condition: str) -> Row:
    """One question to the model, graded. What the model's side refuses counts as wrong, and is told."""
    tools = shelf.selection(condition, asked)
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": asked.text}]
    call, tokens, error = None, 0, ""
    started = time.perf_counter()
    try:
        reply = await model.reply(ModelRequest(messages, tools, max_tokens=MOST_TOKENS))
        call, tokens = next(iter(reply.calls), None), reply.usage.input_tokens
    except ModelError as fault:
        error = str(fault)
    seconds = time.perf_counter() - started
    right_tool, right_arguments = shelf.grade(call, asked)
    return {
        "question": asked.id,
        "offered": asked.right in {tool["function"]["name"] for tool in tools},
        "right_tool": right_tool,
        "right_arguments": right_arguments,
        "prompt_tokens": tokens,
        "seconds": round(seconds, 2),
        "called": call and [call.name, call.arguments],
        "error": error,
    }


async def measure(spec: str, shelf: Shelf, questions: Sequence[Asked], record: Record) -> None:
    """All conditions with one model, one after the other: each then meets the model's prompt cache as in use."""
    todo = [(c, q) for c in CONDITIONS for q in questions if not record.holds(spec, c, q.id)]
    if not todo:
        return
    model = open_model(spec, Place(_home()))
    # loads the weights, which is nobody's question
    await model.reply(ModelRequest([{"role": "user", "content": "Say hello."}], max_tokens=2))
    for number, (condition, question) in enumerate(todo, start=1):
        row = {"model": spec, "supplied": condition, **await ask(model, shelf, question, condition)}
        record.add(row)
        verdict = row["error"] or ("right" if row["right_tool"] else f"wrong: {row['called'] and row['called'][0]}")
        told = f"{number}/{len(todo)}  {spec}  {condition:<5}  {question.id}  {row['seconds']:.1f} s  {verdict}"
        print(told, file=sys.stderr, flush=True)
    if hasattr(model, "close"):
        model.close()


def _home() -> Path:
    return Path(os.environ.get("HANDIWORK_HOME") or Path.home() / ".handiwork")


def summary(record: Record, models: Sequence[str], size: int) -> tuple[list[tuple[str, ...]], list[str]]:
    """The lines of the table, and what else is worth a sentence."""
    titles = {"all": f"all {size}", "found": f"{FOUND} found", "group": f"group of {GROUP}"}
    table, notes = [], []
    for model in models:
        short = model.rpartition("/")[2].rpartition("#")[2]
        for condition in CONDITIONS:
            if rows := record.of(model, condition):
                table.append(cells(short, titles[condition], rows))
        notes += _notes(record, model, short, titles)
    return table, notes


def _notes(record: Record, model: str, short: str, titles: dict[str, str]) -> Iterator[str]:
    everything, found = record.of(model, "all"), record.of(model, "found")
    for condition in ("found", "group"):
        if everything and (fewer := record.of(model, condition)):
            yield pairs(short, titles[condition], fewer, everything)
    silent = [f"{sum(row['called'] is None for row in record.of(model, c))} ({titles[c]})" for c in CONDITIONS]
    yield f"{short}: answered without a call: {', '.join(silent)}."
    if found:
        yield f"{short}: the right tool was among the {titles['found']} in {_count(found, 'offered')} of {len(found)}."
    if errors := [row["error"] for row in record.rows if row["model"] == model and row["error"]]:
        yield f"{short}: {len(errors)} questions ended in an error, for example: {errors[0]}"


def _count(rows: Sequence[Row], key: str) -> int:
    return sum(bool(row[key]) for row in rows)


def conditions_of_measurement(wheel: zipfile.ZipFile, models: Sequence[str], seed: int) -> str:
    """Versions, machine and date in one sentence."""
    parts = [f"handiwork {importlib.metadata.version('handiwork')}"] if _installed("handiwork") else []
    if any(model.startswith("local/") for model in models) and _installed("xllamacpp"):
        parts.append(f"xllamacpp {importlib.metadata.version('xllamacpp')}")
    parts.append(f"bfcl-eval {Path(wheel.filename or '').name.split('-')[1]}")
    parts.append(f"Python {platform.python_version()}")
    machine = f"{platform.system()} {platform.machine()}, {len(os.sched_getaffinity(0))} cores"
    today = datetime.now(UTC).date().isoformat()
    return f"{', '.join(parts)}; {machine}; seed {seed}; {today}."


def _installed(distribution: str) -> bool:
    return any(True for _ in importlib.metadata.distributions(name=distribution))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = ["local/qwen2.5-coder-0.5b", "local/qwen2.5-coder-1.5b"]
    parser.add_argument("--models", nargs="+", default=default, metavar="MODEL", help="model strings")
    parser.add_argument("--count", nargs="+", type=int, default=[24, 12], help="questions, one number for each model")
    parser.add_argument("--pool", type=int, default=48, help="tools in the pool")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default=FOLDER, help="the folder of BFCL's wheel")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the rows there, and go on from them")
    parser.add_argument("--report", action="store_true", help="ask nothing: tell what the JSON file holds")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table into that page")
    said = parser.parse_args()
    said.count = (said.count * len(said.models))[: len(said.models)] if len(said.count) == 1 else said.count
    if len(said.count) != len(said.models):
        parser.error("--count wants one number, or one for each model")
    if max(said.count) > said.pool:
        parser.error("--pool must hold the right tool of every question")
    return said


def main() -> int:
    """Measure, print, and write what was asked for."""
    said = _arguments()
    wheel = fetch(BFCL, said.data)
    most = max(said.count)
    shelf, questions = sample(wheel, most, said.pool, said.seed)
    record = Record(said.json, {"seed": said.seed, "pool": said.pool, "questions": most})
    for model, count in zip(said.models, said.count, strict=True):
        if not said.report:
            asyncio.run(measure(model, shelf, questions[:count], record))
    table, notes = summary(record, said.models, len(shelf.schemas))
    notes.append(conditions_of_measurement(wheel, said.models, said.seed))
    print("\n".join([aligned([HEADINGS, *table], words={0, 1}), "", *notes]))
    if said.markdown:
        write_into(said.markdown, markdown(table, notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
