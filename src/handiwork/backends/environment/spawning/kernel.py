"""Calls of the kernel that Python has no name for."""

from __future__ import annotations

import ctypes
import os

_SYSTEM = ctypes.CDLL(None, use_errno=True)
_SYSTEM.syscall.restype = ctypes.c_long
_SYSTEM.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulong)
_SYSTEM.prctl.restype = ctypes.c_int

_SET_NAME = 15
_SET_SECCOMP = 22
_SET_CHILD_SUBREAPER = 36
_SET_NO_NEW_PRIVILEGES = 38
_DROP_CAPABILITY = 24
_SECCOMP_FILTER = 2
# What root keeps: to be several users, and to own and end what is theirs. Not to administer the machine.
# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE
_KEPT_CAPABILITIES = (0, 1, 3, 4, 5, 6, 7, 10)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


def adopt(name: str) -> None:
    """Make this process the parent of its descendants that lose theirs; *name* is what `ps` shows."""
    _prctl(_SET_CHILD_SUBREAPER, 1, None, "this system gives a process no lost descendants")
    text = ctypes.create_string_buffer(name.encode())
    _prctl(_SET_NAME, ctypes.addressof(text), None, "a process can't be named")


def gain_nothing(*, keep_root: bool = False) -> None:
    """From here on no program gives more rights than this process has; where that is root, it is less of one."""
    if os.geteuid() == 0 and not keep_root:
        for capability in range(64):
            if capability not in _KEPT_CAPABILITIES and _SYSTEM.prctl(_DROP_CAPABILITY, capability, None, 0, 0) != 0:
                break  # there are no more, or we may not hand them on anyhow
    _prctl(_SET_NO_NEW_PRIVILEGES, 1, None, "this system can't forbid new privileges")


def filter_calls(instructions: bytes) -> None:
    """Have the kernel ask these BPF instructions about each system call from here on."""
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Program(len(instructions) // 8, ctypes.addressof(buffer))
    _prctl(_SET_SECCOMP, _SECCOMP_FILTER, ctypes.addressof(program), "this system has no filter for calls (seccomp)")


def filter_error() -> int:
    """The error for a filter that isn't there: EFAULT where the system knows filters."""
    _SYSTEM.prctl(_SET_SECCOMP, _SECCOMP_FILTER, None, 0, 0)
    return ctypes.get_errno()


def call(number: int, *arguments: int | bytes | None) -> int:
    """The result of a system call; a negative one is an error's number."""
    given = [ctypes.c_char_p(a) if isinstance(a, bytes) or a is None else ctypes.c_long(a) for a in arguments]
    result: int = _SYSTEM.syscall(ctypes.c_long(number), *given)
    return result if result >= 0 else -ctypes.get_errno()


def _prctl(option: int, value: int, pointer: int | None, failed: str) -> None:
    if _SYSTEM.prctl(option, value, pointer, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{failed} ({os.strerror(number)})")
