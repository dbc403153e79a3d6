"""What `tools check` prints: what could be better about each tool, and what it costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from ...catalog.lint import Report, lint
from ...core.types import ToolEntry
from .output import Output


def show_problems(chosen: Sequence[ToolEntry], among: Sequence[ToolEntry], out: Output) -> int:
    """Print the reports of the *chosen* tools, compared with those *among* which they stand; how many problems."""
    reports = lint(chosen, among)
    found = sum(len(report.problems) for report in reports)
    tokens = sum(report.tokens for report in reports)
    summary = f"{len(reports)} tools, about {tokens:,} tokens, {found or 'no'} problem{'s' * (found != 1)}"
    lines = [line for report in reports for line in _lines(report, out)]
    out.show({"tools": [asdict(r) for r in reports], "problems": found, "tokens": tokens}, [*lines, summary])
    return found


def _lines(report: Report, out: Output) -> list[str]:
    mark = out.paint("✗", "red") if report.problems else out.paint("✓", "green")
    lines = [f"{mark} {report.tool}  {report.tokens} tokens"]
    for problem in report.problems:
        lines.append(f"    {problem.where}: {problem.text}" if problem.where else f"    {problem.text}")
        lines.append(f"      fix: {problem.fix}")
    return lines
