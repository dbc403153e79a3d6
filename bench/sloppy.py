"""A grammar of the mistakes models make, applied to right calls: `python bench/sloppy.py [--all] [--grammar]`.

Every call is written wrongly in every way of `text_mistakes.py`, `value_mistakes.py` and `call_mistakes.py` that
fits it, and some in two ways at once, and then repaired by the schema of its tool. What can be read in one way
only has to come back; of the rest an error is right. A value that nobody meant must never come out. The same seed
gives the same mistakes.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import arguments
import call_mistakes  # noqa: F401
import gold as golds
import table
import text_mistakes  # noqa: F401 - these three enter their mistakes into the table
import value_mistakes  # noqa: F401
from gold import Gold
from grammar import TEXT_MISTAKES, VALUE_MISTAKES, Mistake
from places import AsText

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from handiwork.pipeline.repair import Plan, compile_plan

SAMPLE = 300
GRAMMAR: Sequence[Mistake] = (*TEXT_MISTAKES, *VALUE_MISTAKES)
PAIRED = "two mistakes at once"
UNTOUCHED = "untouched"
MARKS = ("<!-- figures: bench/sloppy.py --all --markdown -->", "<!-- end of the grammar -->")
HEADINGS = ("mistake", "has to be", "written", "restored", "refused", "wrong")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One wrongly written call: which mistake, what was written, and what has to come back."""

    mistake: str
    expects: str
    raw: Any
    meant: dict[str, Any]


@dataclass(slots=True)
class Report:
    """Counts by mistake and outcome, and the attempts that went wrong or were refused without need."""

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    expects: dict[str, str] = field(default_factory=dict)
    faults: list[dict[str, Any]] = field(default_factory=list)

    def note(self, attempt: Attempt, outcome: str, came: Any) -> None:
        """Count one outcome: restored, refused or wrong."""
        self.counts.setdefault(attempt.mistake, Counter())[outcome] += 1
        self.expects[attempt.mistake] = attempt.expects
        if outcome == "wrong" or (outcome == "refused" and attempt.expects == "restorable"):
            self.faults.append(
                {
                    "mistake": attempt.mistake,
                    "outcome": outcome,
                    "raw": attempt.raw,
                    "meant": attempt.meant,
                    "got": came,
                }
            )

    def total(self, outcome: str) -> int:
        """How often an outcome came over all mistakes."""
        return sum(count[outcome] for count in self.counts.values())

    @property
    def tried(self) -> int:
        return sum(sum(count.values()) for count in self.counts.values())

    @property
    def as_it_should(self) -> int:
        """Restored, or refused where that is right."""
        unneeded = sum(count["refused"] for name, count in self.counts.items() if self.expects[name] == "restorable")
        return self.tried - self.total("wrong") - unneeded


def attempts(gold: Gold, rng: Random) -> Iterator[Attempt]:
    """The call as it is, and written wrongly in every way that fits it."""
    yield Attempt(UNTOUCHED, "restorable", json.dumps(gold.args), gold.args)
    for mistake in TEXT_MISTAKES:
        assert mistake.text is not None
        text = mistake.text(gold.args, rng)
        if text is not None:
            yield Attempt(mistake.name, mistake.expects, text, gold.args)
    for mistake in VALUE_MISTAKES:
        assert mistake.value is not None
        written = mistake.value(gold, rng)
        if written is not None and (written[0] != written[1] or json.dumps(written[0]) != json.dumps(gold.args)):
            yield Attempt(mistake.name, mistake.expects, _as_text(written[0]), written[1])
            yield from _paired(mistake, written, rng)


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, AsText) else json.dumps(value, ensure_ascii=False)


def _paired(mistake: Mistake, written: tuple[Any, Any], rng: Random) -> Iterator[Attempt]:
    """A value mistake, written with a text mistake: an error is right here, and so is what was meant."""
    other = rng.choice(TEXT_MISTAKES)
    if mistake.expects == other.expects == "restorable" and isinstance(written[0], dict) and written[0] and other.text:
        text = other.text(written[0], rng)
        if text is not None:
            yield Attempt(PAIRED, "refusable", text, written[1])


def with_defaults(plan: Plan, meant: dict[str, Any]) -> dict[str, Any]:
    """What a tool gets for the right call: the arguments and the schema's defaults, and nothing else."""
    repaired = plan.apply(meant)
    if repaired.args is None or repaired.notes or not _holds(repaired.args, meant):
        raise ValueError(f"a right call was changed: {meant} -> {repaired}")
    return repaired.args


def _holds(args: Any, meant: Any) -> bool:
    if isinstance(meant, dict):
        return isinstance(args, dict) and all(k in args and _holds(args[k], v) for k, v in meant.items())
    return type(args) is type(meant) and bool(args == meant or isinstance(meant, list))


def judge(plan: Plan, attempt: Attempt, report: Report) -> None:
    """Repair one attempt and count what came of it."""
    repaired = plan.apply(attempt.raw)
    if repaired.args is None:
        report.note(attempt, "refused", repaired.error)
        return
    right = _spelt(repaired.args) == _spelt(with_defaults(plan, attempt.meant))
    report.note(attempt, "restored" if right else "wrong", repaired.args)


def _spelt(args: Any) -> str:
    return json.dumps(args, sort_keys=True)


def run(calls: Sequence[Gold], seed: int) -> Report:
    """All mistakes on all calls."""
    report = Report()
    for number, gold in enumerate(calls):
        plan = compile_plan(gold.schema)
        for attempt in attempts(gold, Random(f"{seed} {number}")):
            judge(plan, attempt, report)
    return report


def rows(report: Report) -> list[Sequence[str]]:
    """One line a mistake, in the order of the grammar."""
    names = [UNTOUCHED, *(m.name for m in GRAMMAR), PAIRED]
    found = [(name, report.counts[name]) for name in names if name in report.counts]
    return [
        (n, report.expects[n], str(sum(c.values())), *(str(c[kind] or "") for kind in ("restored", "refused", "wrong")))
        for n, c in found
    ]


def markdown(report: Report, calls: Sequence[Gold]) -> str:
    """The grammar with its figures, and a line about where the calls are from."""
    does = {mistake.name: mistake.does for mistake in GRAMMAR}
    does[UNTOUCHED] = "The right call as strict JSON."
    does[PAIRED] = "A mistake in the values, written with one in the text."
    lines = [("mistake", "what it is", *HEADINGS[1:]), ("---", "---", "---", "---:", "---:", "---:", "---:")]
    lines += [(name, _escaped(does[name]), *cells) for name, *cells in rows(report)]
    drawn = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    share = 100 * report.as_it_should / max(report.tried, 1)
    sources = ", ".join(f"{source} {count:,}" for source, count in Counter(g.source for g in calls).items())
    return (
        f"{drawn}\n\n{report.tried:,} texts from {len(calls):,} calls ({sources}): {share:.2f} % restored, or refused"
        f" where that is right; {report.total('wrong')} wrong. Measured on {datetime.date.today().isoformat()}."
    )


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def show_grammar() -> None:
    """Every mistake with its description and an example."""
    example = Gold(
        "example", "find", _EXAMPLE_SCHEMA, {"path": "src/a b", "limit": 5, "deep": True, "kind": "file_only"}
    )
    for mistake in GRAMMAR:
        made = mistake.text(example.args, Random(1)) if mistake.text else None
        written = mistake.value(example, Random(1)) if mistake.value else None
        shown = made if made is not None else _as_text(written[0]) if written else "-"
        print(f"{mistake.name} ({mistake.expects}): {mistake.does}\n    {json.dumps(shown, ensure_ascii=False)[:110]}")


_EXAMPLE_SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer"},
        "deep": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["file_only", "folder"]},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["path"],
}


def main() -> None:
    """Write, repair, count, and show the table; exit code 1 where the bars are missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help=f"all calls instead of a sample of {SAMPLE}")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grammar", action="store_true", help="show every mistake with an example, and stop")
    parser.add_argument("--faults", type=int, default=0, metavar="N", help="show the first N attempts that failed")
    parser.add_argument("--markdown", action="store_true", help="write the table into docs/arguments.md")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write counts and faults as data")
    options = parser.parse_args()
    if options.grammar:
        return show_grammar()
    started = time.perf_counter()
    calls, missing = golds.all_gold()
    chosen = calls if options.all else Random(options.seed).sample(calls, min(SAMPLE, len(calls)))
    report = run(chosen, options.seed)
    print(table.aligned([HEADINGS, *rows(report)], words={0, 1}))
    _sum_up(report, chosen, missing, time.perf_counter() - started)
    for fault in report.faults[: options.faults]:
        print(json.dumps(fault, ensure_ascii=False)[:700])
    if options.markdown:
        arguments.write_page(markdown(report, chosen), MARKS)
    if options.json:
        options.json.write_text(json.dumps({"counts": report.counts, "faults": report.faults}, indent=1), "utf-8")
    return sys.exit(bool(report.total("wrong")) or report.as_it_should < 0.99 * report.tried)


def _sum_up(report: Report, calls: Sequence[Gold], missing: dict[str, str], seconds: float) -> None:
    share = 100 * report.as_it_should / max(report.tried, 1)
    print(f"\n{len(calls)} calls ({dict(Counter(g.source for g in calls))}), {report.tried} texts, {seconds:.1f} s")
    print(f"restored, or refused where that is right: {share:.2f} %; wrong: {report.total('wrong')}")
    for source, why in missing.items():
        print(f"left out {source}: {why}")


if __name__ == "__main__":
    main()
