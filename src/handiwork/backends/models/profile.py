"""What makes a small local model dependable: how it is asked, held to a form, and kept from circling."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """How a local model is run and asked.

    `context` and `max_tokens` are in tokens; `threads` 0 means one for each core while the model reads,
    and one less while it writes: threads wait for each other at every token, so that one core that is
    busy with something else makes all of them several times slower.
    `batch` is how many prompt tokens are read between two looks at whether to stop.
    `thought` names the field that comes first in every reply: which part of the task this step does, in
    the model's words ("" for none), of at most `thought_chars` characters. Saying that first is what
    makes a small model go through a task part by part; free reasoning in its place lost its way.
    `lean_arguments` offers required arguments only: a small model fills in whatever it sees.
    `example` shows one worked task; `remind` repeats the task after every result (its first
    `remind_chars` characters); `break_repeats` takes the tool of a repeated call away for one reply.
    A reply that runs in circles is stopped, and asked for once more with `loop_temperature`.
    """

    context: int = 8192
    threads: int = 0
    batch: int = 128
    temperature: float = 0.0
    seed: int = 1
    max_tokens: int = 768
    thought: str = "part"
    thought_chars: int = 160
    lean_arguments: bool = True
    example: bool = True
    remind: bool = True
    remind_chars: int = 400
    break_repeats: bool = True
    loop_temperature: float = 0.7


SMALL = Profile()
