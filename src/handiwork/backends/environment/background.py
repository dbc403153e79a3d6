"""A command that goes on while others run: its output in a ring, its keyboard, its end."""

from __future__ import annotations

import codecs
import os
import select
import threading
import time
from collections.abc import Callable

from ...core.errors import UsageError
from .child import Child
from .follow import Alarm, Follower
from .plain_text import plain_text

RING_BYTES = 512 * 1024
END_OF_INPUT = "\x04"
_WRITE_S = 5.0


class Ring:
    """The last 512 KiB of a stream, addressed by offsets that count from its beginning."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept = bytearray()
        self._dropped = 0

    def add(self, chunk: bytes) -> None:
        with self._lock:
            self._kept += chunk
            if (over := len(self._kept) - RING_BYTES) > RING_BYTES // 4:
                del self._kept[:over]
                self._dropped += over

    def read(self, offset: int, limit: int) -> tuple[bytes, int, int]:
        """Bytes from *offset* on, the offset after them, and how many before them were dropped."""
        with self._lock:
            size = self._dropped + len(self._kept)
            wanted = max(0, size + offset) if offset < 0 else min(offset, size)
            start = max(wanted, self._dropped)
            piece = bytes(self._kept[start - self._dropped : start - self._dropped + limit])
        whole = whole_characters(piece)
        return whole, start + len(whole), start - wanted if offset >= 0 else 0


def whole_characters(piece: bytes) -> bytes:
    """*piece* without a character at its end whose rest hasn't arrived (or lies beyond the limit)."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(piece)
    waiting = len(decoder.getstate()[0])
    return piece[: len(piece) - waiting] if waiting < len(piece) else piece


class BackgroundProcess:
    """A running command (core.types `Process`). One thread listens to it until nothing of it is left.

    With *leftover* it is what a finished command left behind: it has ended when all of it has.
    """

    def __init__(
        self, id: str, command: str, child: Child, forget: Callable[[Child], None], *, leftover: bool = False
    ) -> None:
        self.id, self.command, self.note = id, command, ""
        self._child, self._forget, self._leftover = child, forget, leftover
        self._ring, self._alarm = Ring(), Alarm()
        self._ears: list[Callable[[bytes], None]] = [self._ring.add]
        self._hearing = threading.Lock()
        self._heard_all = threading.Event()
        self._keyboard = threading.Lock()
        threading.Thread(target=self._listen, name=f"listen-{id}", daemon=True).start()

    def poll(self) -> int | None:
        code = self._child.poll()
        if code is None or not self._leftover:
            return code
        busy = not self._heard_all.is_set() or self._child.alive()
        return None if busy else code

    def output(self, offset: int = 0, limit: int = 20_000) -> tuple[str, int]:
        """Text from *offset* on, and the offset to go on at. What the ring dropped is named."""
        piece, after, dropped = self._ring.read(offset, limit)
        lost = f"[... {dropped:,} bytes before this are no longer kept ...]\n" if dropped else ""
        return lost + plain_text(piece), after

    def listen(self, hear: Callable[[bytes], None], /) -> None:
        """Have *hear* called with what is kept, and with all that comes."""
        with self._hearing:
            hear(self._ring.read(0, RING_BYTES * 2)[0])
            self._ears.append(hear)

    def _hear(self, chunk: bytes) -> None:
        with self._hearing:
            for hear in self._ears:
                hear(chunk)

    def write(self, text: str) -> None:
        """Type *text* into it; "\\x04" at the end closes its input."""
        with self._keyboard:
            if self._child.stdin < 0:
                raise UsageError(f"{self.id} reads no input (any more)", "look at its output instead")
            self._type(text.removesuffix(END_OF_INPUT).encode())
            if text.endswith(END_OF_INPUT):
                self._child.close_stdin()

    def _type(self, data: bytes) -> None:
        os.set_blocking(self._child.stdin, False)
        ready = select.poll()
        ready.register(self._child.stdin, select.POLLOUT)
        deadline = time.monotonic() + _WRITE_S
        while data:
            if time.monotonic() > deadline:
                raise UsageError(f"{self.id} doesn't read its input: {len(data)} bytes weren't taken")
            if ready.poll(200):
                data = data[self._write_some(data) :]

    def _write_some(self, data: bytes) -> int:
        try:
            return os.write(self._child.stdin, data)
        except BrokenPipeError:
            raise UsageError(f"{self.id} has closed its input", "look at its output") from None

    def wait(self, timeout_s: float) -> int | None:
        """Its exit code once it has ended and all of its output is here; None after *timeout_s*."""
        deadline = time.monotonic() + timeout_s
        self._heard_all.wait(timeout_s)
        while self.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.poll()

    def signal(self, number: int) -> None:
        """Send a signal to it and everything it started."""
        self._child.send_signal(number)

    def kill(self) -> int | None:
        """End it and everything it started."""
        self._child.kill()
        if not self._heard_all.wait(0.2):
            self._alarm.ring()  # something of it can't be ended
            self._heard_all.wait(0.2)
        return self.poll()

    def _listen(self) -> None:
        follower = Follower(self._child, self._hear)
        if not self._leftover:
            follower.until_exit(None, self._alarm)
            follower.read_for(0.05)
            self._heard_all.set()
        follower.until_gone(self._alarm)
        with self._keyboard:
            self._forget(self._child)
        self._alarm.close()
        self._heard_all.set()
