"""Exit codes in words."""

from __future__ import annotations

import re
import signal

# Exit code 1 of these says "nothing found" or "they differ".
_ONE_IS_AN_ANSWER = re.compile(r"(?:.*/)?(?:[ef]?grep|rg|ag|diff|cmp|test|\[|pgrep|which)")


def signal_name(exit_code: int) -> str:
    """The signal that an exit code of a shell tells of, as in "SIGKILL"; empty if it tells of none."""
    number = exit_code - 128
    return signal.Signals(number).name if number in signal.valid_signals() and number <= 31 else ""


def ending(exit_code: int) -> str:
    """How a process came to its end."""
    name = signal_name(exit_code)
    return f"exit code {exit_code} ({name})" if name else f"exit code {exit_code}"


def signal_number(name: str) -> int | None:
    """The number of a signal written as INT, SIGINT or 2; None for one that there isn't."""
    plain = name.strip().upper().removeprefix("SIG")
    if plain.isdigit() and int(plain) in signal.valid_signals():
        return int(plain)
    found = getattr(signal, f"SIG{plain}", None)
    return int(found) if isinstance(found, signal.Signals) else None


def one_is_an_answer(command: str) -> bool:
    """Whether the exit code is that of a program which says with 1 that it found nothing."""
    last = re.split(r"\|\||&&|[;|\n]", command.strip().rstrip(";"))[-1]
    words = [word for word in last.split() if not re.match(r"\w+=", word)]
    if words[:2] == ["git", "grep"] or words[:2] == ["git", "diff"]:
        return True
    return bool(words and _ONE_IS_AN_ANSWER.fullmatch(words[0]))
